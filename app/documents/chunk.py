"""Blocks to passages: what is searched and cited. Never across a page, never across a section."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from app.documents.flow import FlowBlock
from app.documents.headings import Heading, SectionPath, number_depth
from app.documents.markdown_paper import chunk_markdown
from app.documents.spans import LONGEST, Span, context, cut
from app.documents.structure import BlockKind
from app.records.ids import PageIndex, PageLabel
from app.records.passage import Passage, PassageKind, TextLine

__all__ = ["PageContent", "chunk_markdown", "chunk_page"]

_MOST_ABSTRACT = 4000
_RUN_IN_ABSTRACT = re.compile(r"^\s*a\s?b\s?s\s?t\s?r\s?a\s?c\s?t\b[\s.:\u2014\u2013-]*", re.IGNORECASE)
_TABLE_CAPTION = re.compile(r"^\s*(?:extended data |supplementary )?tab(?:le|\.)", re.IGNORECASE)
_FRAGMENT = 25
"""Characters below which a text alone says nothing: joined to its neighbour or left out."""

LinesOf = Callable[[int, int], tuple[TextLine, ...]]


@dataclass(frozen=True, slots=True)
class PageContent:
    """What chunking needs of a page: its text, its blocks with their spans, and where lines are."""

    page: PageIndex
    label: PageLabel
    text: str
    blocks: Sequence[FlowBlock]
    lines: LinesOf


@dataclass(frozen=True, slots=True)
class _Run:
    """Consecutive spans of one kind in one section."""

    kind: PassageKind
    section: str
    spans: list[Span]


def chunk_page(content: PageContent, path: SectionPath) -> list[Passage]:
    """Return the passages of a page in order; `path` is moved on by the page's headings."""
    runs = _runs(content, path)
    return [
        passage
        for run in runs
        for span in cut(content.text, (run.spans[0][0], run.spans[-1][1]), [s for s, _ in run.spans])
        if (passage := _passage(content, run, span)) is not None
    ]


def title_block(blocks: Sequence[FlowBlock]) -> FlowBlock | None:
    """Return the heading of a first page that is the paper's title: the largest, not numbered, at the top."""
    headings = []
    for block in blocks:
        if block.block.kind is not BlockKind.HEADING:
            continue
        if number_depth(block.block.rows[0].text) or _RUN_IN_ABSTRACT.match(block.block.rows[0].text):
            break
        headings.append(block)
    return max(headings, key=lambda block: block.block.rows[0].size, default=None)


def _runs(content: PageContent, path: SectionPath) -> list[_Run]:
    runs: list[_Run] = []
    title = title_block(content.blocks) if content.page == 0 and not path.name else None
    open_run = False
    abstract_from: int | None = None
    blocks = [block for block in content.blocks if block.block.kind is not BlockKind.FURNITURE]
    for index, block in enumerate(blocks):
        text = content.text[block.start : block.end]
        kind = _kind(block, blocks[index - 1] if index else None, blocks[index + 1 : index + 2], content.text)
        if block.block.kind is BlockKind.HEADING:
            if block is not title:
                path.enter(Heading(" ".join(text.split()), block.block.level))
                abstract_from = block.start if path.abstract else None
            else:
                runs.append(_Run(PassageKind.TEXT, "", [(block.start, block.end)]))
            open_run = block is title
            continue
        if kind is None:
            open_run = False
            continue
        if kind is PassageKind.TEXT and content.page <= 2 and _RUN_IN_ABSTRACT.match(text) and not path.name:
            abstract_from, open_run = block.start, False
        if kind is PassageKind.TEXT and path.references:
            kind = PassageKind.REFERENCES
        elif (
            kind is PassageKind.TEXT
            and abstract_from is not None
            and block.end < abstract_from + _MOST_ABSTRACT
        ):
            kind = PassageKind.ABSTRACT
        if runs and open_run and _continues(runs[-1], kind, path.name):
            runs[-1].spans.append((block.start, block.end))
        else:
            runs.append(_Run(kind, path.name, [(block.start, block.end)]))
        open_run = True
    return runs


def _kind(
    block: FlowBlock, before: FlowBlock | None, after: Sequence[FlowBlock], text: str
) -> PassageKind | None:
    """Return the kind of passage a block belongs to, None for what is not searched."""
    match block.block.kind:
        case BlockKind.TABLE:
            return PassageKind.TABLE
        case BlockKind.CAPTION:
            # The caption of a table goes with it.
            beside = [
                near for near in (before, *after) if near is not None and near.block.kind is BlockKind.TABLE
            ]
            if beside and _TABLE_CAPTION.match(text[block.start : block.end]):
                return PassageKind.TABLE
            return PassageKind.CAPTION
        case BlockKind.FIGURE | BlockKind.FURNITURE:
            return None
        case _:
            # Display equations stay in the sentence that they are part of.
            return PassageKind.TEXT


def _continues(run: _Run, kind: PassageKind, section: str) -> bool:
    if run.kind is not kind or run.section != section:
        return False
    return kind is not PassageKind.CAPTION


def _passage(content: PageContent, run: _Run, span: Span) -> Passage | None:
    start, end = span
    text = content.text[start:end]
    if len(text) < _FRAGMENT and run.kind is not PassageKind.ABSTRACT and len(content.text) > LONGEST // 4:
        return None
    prefix, suffix = context(content.text, span)
    return Passage(
        page=content.page,
        page_label=content.label,
        start=start,
        end=end,
        text=text,
        section=run.section,
        kind=run.kind,
        lines=content.lines(start, end),
        prefix=prefix,
        suffix=suffix,
    )
