"""Markdown papers to passages: `# title`, `## section`, tables; all of it is page 0."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from app.documents.headings import Heading, SectionPath, number_depth
from app.documents.spans import Span, context, cut, trimmed
from app.records.ids import PageIndex, PageLabel
from app.records.passage import Passage, PassageKind

_HEADING = re.compile(r"^ {0,3}(#{1,6})[ \t]+(.*?)[ \t]*#*[ \t]*$")
_TABLE_ROW = re.compile(r"^\s*\|")
_FENCE = re.compile(r"^\s*(```+|~~~+)")
_CAPTION = re.compile(
    r"^\s*(?:\*\*|_)?(?:fig(?:ure|\.)?|table|tab\.)\s*[A-Z]?\d+\s*[.:|\u2014-]", re.IGNORECASE
)
_TABLE_CAPTION = re.compile(r"^\s*(?:\*\*|_)?tab(?:le|\.)", re.IGNORECASE)
_IMAGE = re.compile(r"^\s*!\[[^\]]*\]\([^)]*\)\s*$")
_MOST_TITLE = 200
_LONGEST_TABLE = 4000


@dataclass(frozen=True, slots=True)
class _Part:
    """A block of source lines: "heading", "table", "caption", "text" or "image"."""

    kind: str
    span: Span
    level: int = 0
    title: str = ""


def chunk_markdown(text: str) -> tuple[str, list[Passage]]:
    """Return the title (the first heading of the highest rank, else "") and the passages of a paper.

    `Passage.start` and `end` count characters of `text`; sections never share a passage.
    """
    parts = list(_parts(text))
    headings = [part for part in parts if part.kind == "heading"]
    title = _title(headings)
    path = SectionPath()
    passages: list[Passage] = []
    run: list[_Part] = []
    run_kind = PassageKind.TEXT

    def flush() -> None:
        if run:
            passages.extend(_passages(text, run, run_kind, path.name))
            run.clear()

    for index, part in enumerate(parts):
        if part.kind == "heading":
            flush()
            if part is not title:
                level = number_depth(part.title) or max(1, part.level - 1)
                path.enter(Heading(part.title, level))
            continue
        kind = _kind(part, parts, index, text)
        if kind is PassageKind.TEXT:
            kind = _section_kind(path)
        if run and (kind is not run_kind or kind is PassageKind.CAPTION):
            flush()
        run_kind = kind
        run.append(part)
    flush()
    return (title.title if title else ""), passages


def _title(headings: list[_Part]) -> _Part | None:
    first = headings[0] if headings else None
    if first is None or number_depth(first.title):
        return None
    return first


def _section_kind(path: SectionPath) -> PassageKind:
    if path.references:
        return PassageKind.REFERENCES
    return PassageKind.ABSTRACT if path.abstract else PassageKind.TEXT


def _kind(part: _Part, parts: list[_Part], index: int, text: str) -> PassageKind:
    if part.kind == "table":
        return PassageKind.TABLE
    if part.kind == "caption":
        near = [p for p in (parts[index - 1 : index] + parts[index + 1 : index + 2]) if p.kind == "table"]
        is_table = near and _TABLE_CAPTION.match(text[part.span[0] : part.span[1]])
        return PassageKind.TABLE if is_table else PassageKind.CAPTION
    return PassageKind.TEXT


def _passages(text: str, run: list[_Part], kind: PassageKind, section: str) -> Iterator[Passage]:
    span = (run[0].span[0], run[-1].span[1])
    breaks = [part.span[0] for part in run]
    if kind is PassageKind.TABLE:
        # A table is cut between rows, and only when it is very long.
        breaks = [span[0] + m.end() for m in re.finditer(r"\n", text[span[0] : span[1]])]
        pieces = cut(text, span, breaks, longest=_LONGEST_TABLE)
    else:
        pieces = cut(text, span, breaks)
    for start, end in pieces:
        prefix, suffix = context(text, (start, end))
        yield Passage(
            page=PageIndex(0),
            page_label=PageLabel("1"),
            start=start,
            end=end,
            text=text[start:end],
            section=section,
            kind=kind,
            prefix=prefix,
            suffix=suffix,
        )


def _parts(text: str) -> Iterator[_Part]:
    """Part the source at blank lines, headings and the edges of tables; fences and `$$` stay whole."""
    lines = _lines(text)
    index = 0
    while index < len(lines):
        start, end = lines[index]
        line = text[start:end]
        if not line.strip():
            index += 1
            continue
        heading = _HEADING.match(line)
        if heading and heading[2]:
            name, rest = _run_in(heading[2].strip(), start + heading.start(2))
            yield _Part("heading", (start, rest or end), len(heading[1]), name)
            if rest and rest < end:
                yield _Part("text", (rest, end))
            index += 1
            continue
        last = _block_end(text, lines, index)
        span = trimmed(text, (start, lines[last][1]))
        yield _Part(_part_kind(line), span)
        index = last + 1


def _run_in(name: str, start: int) -> tuple[str, int | None]:
    """Part a heading from a paragraph that a converter ran into it ("4.1. CorrelationsWe start …")."""
    if len(name) <= _MOST_TITLE:
        return name, None
    glued = re.search(r"(?<=[a-z])(?=[A-Z][a-z]* [a-z])", name[:_MOST_TITLE]) or re.search(
        r"(?<=[.:?]) ", name[3:]
    )
    at = glued.start() + (3 if glued.re.pattern.startswith("(?<=[.") else 0) if glued else _MOST_TITLE
    return name[:at].strip(), start + at


def _part_kind(line: str) -> str:
    if _TABLE_ROW.match(line):
        return "table"
    if _CAPTION.match(line):
        return "caption"
    return "image" if _IMAGE.match(line) else "text"


def _block_end(text: str, lines: list[Span], index: int) -> int:
    """Return the index of the last line of the block that starts at `index`."""
    first = text[slice(*lines[index])]
    if fence := _FENCE.match(first):
        closing = (
            i for i in range(index + 1, len(lines)) if text[slice(*lines[i])].strip().startswith(fence[1])
        )
        return next(closing, index)
    is_table = bool(_TABLE_ROW.match(first))
    in_formula = first.count("$$") % 2 == 1
    last = index
    for after in range(index + 1, len(lines)):
        line = text[slice(*lines[after])]
        # A formula may have lines that start with a bar.
        turns = not in_formula and bool(_TABLE_ROW.match(line)) != is_table
        if not line.strip() or _HEADING.match(line) or turns:
            break
        in_formula ^= line.count("$$") % 2 == 1
        last = after
    return last


def _lines(text: str) -> list[Span]:
    spans = []
    start = 0
    for line in text.splitlines(keepends=True):
        spans.append((start, start + len(line.rstrip("\r\n"))))
        start += len(line)
    return spans
