"""`astroresearch add`: bring files and folders into the library."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from app.application import Application
from app.cli.context import Invocation
from app.cli.progress import ImportDisplay
from app.cli.words import one_line
from app.errors import UsageError
from app.records.names import label
from app.services.importing import ImportResult, ImportStatus

_SUMMARY = {
    ImportStatus.ADDED: "added",
    ImportStatus.DUPLICATE: "already there",
    ImportStatus.NEEDS_PASSWORD: "waiting for a password",
    ImportStatus.NO_TEXT: "without text (needs OCR)",
    ImportStatus.NOT_PDF: "not a PDF",
    ImportStatus.DAMAGED: "damaged",
    ImportStatus.FAILED: "failed",
}


def add(
    context: typer.Context,
    paths: Annotated[list[str], typer.Argument(metavar="PATH…", help="PDF or Markdown files, or folders.")],
    password: Annotated[
        list[str] | None,
        typer.Option(
            "--password", help="Password to try on encrypted PDFs; may be repeated.", show_default=False
        ),
    ] = None,
    events: Annotated[
        bool,
        typer.Option(
            "--events", help="Print each result as a JSON line once it is safe (on stderr with --json)."
        ),
    ] = False,
) -> int:
    """Add PDF files, Markdown files, or all of them in folders.

    Every file gets one result. Exit code 0 if none failed. Files left over from an
    interrupted run are finished first.
    """
    if not all(paths):
        raise UsageError("A path is empty.", hint="Name a PDF, a Markdown file or a folder.")
    invocation = Invocation.of(context)
    output = invocation.output

    async def work(application: Application) -> int:
        results: list[ImportResult] = []
        with ImportDisplay(application, output) as display:
            async for result in application.importer.add([Path(p) for p in paths], passwords=password or ()):
                results.append(result)
                if events:
                    output.event({"type": "import_result", **result.as_json()}, aside=output.as_json)
                elif output.as_json:
                    output.note(_line(result))
                else:
                    display.print_line(_line(result))
            await application.importer.idle()  # leftovers of an interrupted run
        output.document({"results": [result.as_json() for result in results]})
        output.note(_summary(results))
        return 1 if any(r.status is ImportStatus.FAILED for r in results) else 0

    return invocation.with_application(work)


def _line(result: ImportResult) -> str:
    record = result.record
    parts = [f"{result.status.value:14} {one_line(record.title or result.path.name)}"]
    if by := label(record.authors, record.year):
        parts.append(f"({by})")
    if result.passages:
        parts.append(f"{result.pages} pages, {result.passages} passages")
    if result.message:
        parts.append(f"· {result.message}")
    if result.status is not ImportStatus.ADDED and record.title:
        parts.append(f"[{one_line(result.path.name)}]")
    return "  ".join(parts)


def _summary(results: list[ImportResult]) -> str:
    if not results:
        return "No PDF or Markdown files there."
    counts = {status: sum(r.status is status for r in results) for status in ImportStatus}
    told = ", ".join(f"{count} {_SUMMARY[status]}" for status, count in counts.items() if count)
    return f"{len(results)} {'file' if len(results) == 1 else 'files'}: {told}."
