"""The formats that can be a paper: each knows how to recognise a file and how to read its passages."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from app.documents.client import PageState, PdfClient
from app.errors import DocumentError
from app.records.paper import PaperRecord
from app.records.passage import Passage
from app.services.threads import off_loop

MAX_MARKDOWN_BYTES = 32 << 20
MARKDOWN_SUFFIXES = (".md", ".markdown")


@dataclass(frozen=True, slots=True)
class Recognised:
    """What is known of a file before its text is read; `locked` files open with a password only."""

    record: PaperRecord
    password: str | None = None
    locked: bool = False


@dataclass(frozen=True, slots=True)
class Batch:
    """The passages of some pages in order.

    `last` is the index of the last page they cover; `unread` counts pages whose text
    could not be read or is not what is printed.
    """

    last: int
    total: int
    passages: Sequence[Passage]
    unread: int = 0


class Format(Protocol):
    """One format. `suffix` is the one its copies get in the library."""

    suffix: str

    async def recognise(self, path: Path, passwords: Sequence[str]) -> Recognised:
        """Say which paper this is. Raises DocumentError for a file that cannot be read as one."""
        ...

    def batches(self, path: Path, *, start_page: int, password: str | None) -> AsyncGenerator[Batch, None]:
        """Read the passages from a page on; nothing when there are no further pages."""
        ...


class PdfFormat:
    """PDF files, read by the PDF workers."""

    suffix = ".pdf"

    def __init__(self, pdf: PdfClient) -> None:
        self._pdf = pdf

    async def recognise(self, path: Path, passwords: Sequence[str]) -> Recognised:
        """Try without a password first, then each that was given."""
        for password in (None, *passwords):
            try:
                return Recognised(await self._pdf.recognise(path, password), password)
            except DocumentError as error:
                if error.code != "needs_password":
                    raise
        return Recognised(PaperRecord(), locked=True)

    async def batches(
        self, path: Path, *, start_page: int, password: str | None
    ) -> AsyncGenerator[Batch, None]:
        """Read page after page in the worker."""
        async with aclosing(self._pdf.extract(path, password, start_page)) as pages:
            async for batch in pages:
                unread = sum(note.state is not PageState.EMPTY for note in batch.notes)
                yield Batch(batch.last, batch.total, batch.passages, unread)


class MarkdownFormat:
    """Markdown files: a parsed paper with `# title` and `## section`; all of it is page 0."""

    suffix = ".md"

    async def recognise(self, path: Path, passwords: Sequence[str]) -> Recognised:
        """Take the title from the first heading and the rest from what stands above the first section."""
        from app.documents.markdown_front import markdown_record
        from app.documents.markdown_paper import chunk_markdown

        del passwords
        text = await off_loop(read_markdown, path)
        title, _passages = await off_loop(chunk_markdown, text)
        return Recognised(markdown_record(text, title))

    async def batches(
        self, path: Path, *, start_page: int, password: str | None
    ) -> AsyncGenerator[Batch, None]:
        """Read the whole text as one page."""
        from app.documents.markdown_paper import chunk_markdown

        del password
        if start_page > 0:
            return
        text = await off_loop(read_markdown, path)
        _title, passages = await off_loop(chunk_markdown, text)
        yield Batch(last=0, total=1, passages=passages)


def is_markdown(head: bytes, suffix: str) -> bool:
    """Whether a file is to be read as Markdown: its name says so and its first bytes are no PDF."""
    return suffix.lower() in MARKDOWN_SUFFIXES and b"%PDF-" not in head[:1024]


def titled(record: PaperRecord, name: str) -> PaperRecord:
    """Give a record without a title the file's name as one, and say so in its provenance."""
    if record.title:
        return record
    stem = Path(name).stem.encode(errors="replace").decode()
    words = " ".join(re.sub(r"[_\s]+", " ", stem).split())
    return replace(
        record, title=words or "Untitled", provenance={**record.provenance, "title": FROM_FILE_NAME}
    )


FROM_FILE_NAME = "file name"
"""Provenance of a title that nothing in the file gave: any other title is better."""


def read_markdown(path: Path) -> str:
    """Read a Markdown file. Blocking. Raises DocumentError, OSError."""
    if path.stat().st_size > MAX_MARKDOWN_BYTES:
        raise DocumentError(
            f"{path.name} is larger than {MAX_MARKDOWN_BYTES >> 20} MB.",
            code="failed",
            hint="Split it into papers.",
        )
    data = path.read_bytes()
    if not data.strip():
        raise DocumentError(f"{path.name} is empty.", hint="Save it again with its text.")
    encoding = "utf-16" if data.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8-sig"
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        raise DocumentError(f"{path.name} is not UTF-8 text.", hint="Save it as UTF-8.") from error
    if "\0" in text:
        raise DocumentError(f"{path.name} is named Markdown but is not text.", hint="Check the file.")
    return text.replace("\r\n", "\n")
