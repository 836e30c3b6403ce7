"""`astroresearch search`: passages of the library that answer to some words."""

from __future__ import annotations

import asyncio
from enum import StrEnum
from typing import Annotated

import typer

from app.application import Application
from app.cli.context import Invocation
from app.cli.words import one_line, page_words
from app.errors import UsageError


class Mode(StrEnum):
    """How passages are found."""

    HYBRID = "hybrid"
    KEYWORD = "keyword"
    SEMANTIC = "semantic"


def search(
    context: typer.Context,
    words: Annotated[list[str], typer.Argument(metavar="WORDS…", help="What to look for.")],
    mode: Annotated[Mode, typer.Option("--mode", help="How to look.")] = Mode.HYBRID,
    paper: Annotated[
        list[str] | None, typer.Option("--paper", help="Only in this paper; may be repeated.")
    ] = None,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, help="At most so many passages.")] = 10,
) -> int:
    """Search the text of the papers and print the passages with their pages."""
    text = " ".join(words).strip()
    if not text:
        raise UsageError("There is nothing to search for.", hint="Give some words.")
    invocation = Invocation.of(context)
    output = invocation.output

    async def work(application: Application) -> int:
        resolve = application.library.papers.resolve
        papers = [await asyncio.to_thread(resolve, name) for name in paper] if paper else None
        found = await application.searcher.search(text, mode=mode.value, papers=papers, limit=limit)
        output.document(found.as_json())
        if found.notice:
            output.note(found.notice)
        for number, hit in enumerate(found.hits, 1):
            section = f", {one_line(hit.section)}" if hit.section else ""
            output.line(f"{number}. {one_line(hit.title)}, {page_words(hit.page, hit.page_label)}{section}")
            output.line(f"   “{one_line(hit.quote)}”")
        if not found.hits:
            output.note(found.nothing())
        return 0

    return invocation.with_application(work)
