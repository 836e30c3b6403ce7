"""Cutting text into sentences without tripping over "et al.", "Fig. 3" and "0.72 mag"."""

from __future__ import annotations

import re

_BOUNDARY = re.compile(
    r"""(?<=[.!?])["'”’)\]]*(?:\s*\[\d[^\]]*\])*\s+(?=["'“‘(\[]*[A-Z0-9À-ÞΑ-Ω$*\\])"""
    r"""|(?<=[。！？])|\n\s*\n|\n(?=\s*(?:[-*•]|\d{1,2}[.)])\s)""",
)
_ABBREVIATIONS = """et\\ al|e\\.g|i\\.e|cf|vs|viz|resp|approx|ca|Figs?|Eqs?|Eqn|Secs?|Sect|Tab|Refs?|Ch|Chap
|Nos?|Vol|pp?|Dr|Prof|Mrs?|Ms|St|Jr|Sr|Obs|Univ|Inst|Astron|Astrophys|Phys|Rev|Lett|Proc|Soc|Jan|Feb|Mar|Apr|Jun|Jul
|Aug|Sept?|Oct|Nov|Dec|[A-Z]"""
_ABBREVIATION = re.compile(rf"\b(?:{_ABBREVIATIONS})\.$", re.VERBOSE)


def split(text: str) -> list[tuple[int, int]]:
    """Return the character spans of the sentences of `text`, in order, trimmed of blanks.

    Every character that is not blank lies in exactly one span.
    """
    spans: list[tuple[int, int]] = []
    start = 0
    for match in _BOUNDARY.finditer(text):
        if not _is_end(text[start : match.start()], match.group()):
            continue
        _append(spans, text, start, match.end())
        start = match.end()
    _append(spans, text, start, len(text))
    return spans


def _is_end(before: str, gap: str) -> bool:
    return "\n" in gap or not _ABBREVIATION.search(before.rstrip("\"'”’)]"))


def _append(spans: list[tuple[int, int]], text: str, start: int, end: int) -> None:
    piece = text[start:end]
    lead = len(piece) - len(piece.lstrip())
    trimmed = piece.strip()
    if trimmed:
        spans.append((start + lead, start + lead + len(trimmed)))
