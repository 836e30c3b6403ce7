"""The stamp that arXiv prints down the left margin of the first page."""

from __future__ import annotations

import re
from dataclasses import dataclass

from app.documents.front.dates import MONTHS
from app.documents.inspection import InspectedLine, InspectedPage
from app.records import identifiers
from app.records.identifiers import Identifier


@dataclass(frozen=True, slots=True)
class Stamp:
    """Identifier and year of the stamped version."""

    identifier: Identifier
    year: int | None


_ARXIV_STAMP = re.compile(
    r"arxiv\s*:\s*(?P<id>\d{4}\.\d{4,5}|[a-z-]+(?:\.[a-z]{2})?/\d{7})\s*(?:v\d+)?(?P<rest>[^\n]{0,60})",
    re.IGNORECASE,
)


def arxiv_stamp(page: InspectedPage) -> Stamp | None:
    """Return the arXiv stamp of a page, also where it comes out reversed or letter by letter.

    Upright text counts only with the subject class or date behind it, as arXiv prints it.
    """
    for text in _turned_texts(page):
        if stamp := _stamp(text, upright=False):
            return stamp
    for line in page.lines:
        if line.upright and (stamp := _stamp(line.text, upright=True)):
            return stamp
    return None


def _stamp(text: str, *, upright: bool) -> Stamp | None:
    match = _ARXIV_STAMP.match(text.strip()) if upright else _ARXIV_STAMP.search(text)
    if match is None:
        return None
    rest = match["rest"]
    dated = re.search(rf"\b\d{{1,2}}\s*(?:{MONTHS})\s*((?:19|20)\d\d)", rest, re.IGNORECASE)
    if upright and not (dated and re.match(r"\s*(?:\[[\w.-]+\]\s*)?\d", rest)):
        return None
    found = identifiers.find(f"arXiv:{match['id']}")
    return Stamp(found[0], int(dated[1]) if dated else None) if len(found) == 1 else None


def _turned_texts(page: InspectedPage) -> list[str]:
    """Texts of lines that do not read left to right, and of letters stacked in the left margin."""
    turned = [line for line in page.lines if not line.upright]
    stacked = [line for line in page.lines if line.upright and _in_margin(line, page)]
    texts = [line.text for line in turned]
    for column in (turned, stacked):
        down = sorted(column, key=lambda line: line.box[1])
        for order in (down, down[::-1]):
            texts += [
                "".join(line.text.strip() for line in order),
                " ".join(line.text.strip() for line in order),
            ]
    return [*texts, *(text[::-1] for text in texts)]


def _in_margin(line: InspectedLine, page: InspectedPage) -> bool:
    return line.box[2] < 0.1 * page.width and len(line.text.strip()) <= 2
