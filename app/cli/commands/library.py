"""`astroresearch list` and `show`: what is in the library."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from enum import StrEnum
from typing import Annotated, Any

import typer

from app.application import Application
from app.cli.context import Invocation
from app.cli.words import by_line, one_line, page_words
from app.library.listing import PaperRow
from app.library.notes import Note
from app.library.papers import PaperDetail
from app.records.identifiers import Identifier
from app.records.ids import PageLabel


class Sort(StrEnum):
    """The orders of a list; a leading "-" is descending."""

    ADDED = "added"
    NEWEST_ADDED = "-added"
    YEAR = "year"
    NEWEST = "-year"
    TITLE = "title"
    TITLE_DOWN = "-title"
    AUTHOR = "author"
    AUTHOR_DOWN = "-author"


def list_papers(
    context: typer.Context,
    query: Annotated[
        str,
        typer.Option("--query", "-q", help='For example "by:riess year:2016..2022 hubble" or "tag:sne".'),
    ] = "",
    sort: Annotated[Sort, typer.Option("--sort", "-s", help="Order of the list.")] = Sort.NEWEST_ADDED,
    limit: Annotated[int, typer.Option("--limit", "-n", min=0, help="At most so many papers.")] = 100,
) -> int:
    """List the papers of the library."""
    invocation = Invocation.of(context)
    output = invocation.output

    async def work(application: Application) -> int:
        papers = application.library.papers
        found = await asyncio.to_thread(papers.order, query, sort.value)
        rows = await asyncio.to_thread(papers.rows, found[:limit])
        output.document({"total": len(found), "papers": [_row_json(row) for row in rows]})
        for row in rows:
            output.line(f"{row.paper_id}  {one_line(row.title)}  ({by_line(row.authors, row.year, 2)})")
        if not found:
            output.note("Nothing found." if query else "The library is empty; add papers with `add PATH…`.")
        elif len(rows) < len(found):
            output.note(f"{len(rows)} of {len(found)} papers; more with --limit {len(found)}.")
        return 0

    return invocation.with_application(work)


def show(
    context: typer.Context,
    paper: Annotated[str, typer.Argument(help="Paper id, bibcode, arXiv id, DOI or URL.")],
) -> int:
    """Show one paper: all its fields, files and notes."""
    invocation = Invocation.of(context)
    output = invocation.output

    async def work(application: Application) -> int:
        library = application.library
        paper_id = await asyncio.to_thread(library.papers.resolve, paper)
        detail = await asyncio.to_thread(library.papers.get, paper_id)
        notes = await asyncio.to_thread(library.notes.of_paper, paper_id)
        output.document(_detail_json(detail, notes))
        record = detail.record
        output.line(one_line(record.title) or "(no title)")
        output.line(by_line(record.authors, record.year, 10))
        for identifier in record.identifiers:
            output.line(f"  {identifier.kind}: {identifier.value}")
        for file in detail.files:
            about = f"{file.pages} pages, {file.passages} passages"
            output.line(f"  file: {application.home / file.path} ({file.status}; {about})")
        output.line(f"  notes: {len(notes)}")
        for note in notes:
            where = page_words(note.anchor.page, PageLabel(""))
            output.line(f"    {where}: “{one_line(note.anchor.quote)}” {one_line(note.text)}".rstrip())
        return 0

    return invocation.with_application(work)


def identifiers_json(identifiers: tuple[Identifier, ...]) -> dict[str, str | None]:
    """Return the first identifier of each kind, None where there is none."""
    kinds: dict[str, str | None] = {"doi": None, "arxiv": None, "bibcode": None}
    for identifier in identifiers:
        kinds[identifier.kind] = kinds.get(identifier.kind) or identifier.value
    return kinds


def _row_json(row: PaperRow) -> dict[str, Any]:
    return {
        "paper_id": row.paper_id,
        "title": row.title,
        "authors": list(row.authors),
        "year": row.year,
        "identifiers": identifiers_json(row.identifiers),
        "tags": list(row.tags),
        "files": row.file_count,
        "notes": row.note_count,
    }


def notes_json(notes: Sequence[Note]) -> list[dict[str, Any]]:
    """Return notes in the shape of the contract."""
    return [
        {
            "note_id": note.note_id,
            "page": note.anchor.page,
            "quads": [quad.as_json() for quad in note.anchor.quads],
            "quote": note.anchor.quote,
            "text": note.text,
            "color": note.color,
        }
        for note in notes
    ]


def _detail_json(detail: PaperDetail, notes: Sequence[Note]) -> dict[str, Any]:
    record = detail.record
    return {
        "paper_id": detail.paper_id,
        "title": record.title,
        "authors": list(record.authors),
        "year": record.year,
        "journal": record.journal,
        "volume": record.volume,
        "page_range": record.pages,
        "abstract": record.abstract,
        "doctype": record.doctype,
        "identifiers": identifiers_json(record.identifiers),
        "all_identifiers": [{"kind": i.kind, "value": i.value} for i in record.identifiers],
        "provenance": record.provenance,
        "tags": list(detail.tags),
        "collections": list(detail.collections),
        "added_at": detail.added_at,
        "files": [
            {
                "path": file.path,
                "original_name": file.original_name,
                "sha256": file.sha256,
                "size": file.size,
                "pages": file.pages,
                "passages": file.passages,
                "status": file.status,
                "message": file.message,
            }
            for file in detail.files
        ],
        "notes": notes_json(notes),
        "passages": detail.passage_count,
    }
