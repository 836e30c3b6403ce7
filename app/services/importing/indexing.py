"""Indexing: the passages of a file go into the library batch by batch, with their vectors."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass

from app.errors import ModelError, WorkerCrashedError, WorkerError
from app.library import Library
from app.llm.embeddings import Embedder
from app.records.ids import FileId
from app.records.passage import Passage, PassageKind
from app.services.importing.formats import Batch
from app.services.threads import off_loop

_LISTS = frozenset({PassageKind.TABLE, PassageKind.REFERENCES})
_LISTED = 250
"""Characters of a table or a reference list that are embedded."""


@dataclass(frozen=True, slots=True)
class Indexed:
    """What came of a file: its pages, and those of this run that could not be read."""

    pages: int
    unread: int


class Indexer:
    """Writes passages and vectors; without an embedding model the words alone can be searched."""

    def __init__(self, library: Library, embedder: Embedder | None, notice: Callable[[str], None]) -> None:
        self._library = library
        self._embedder = embedder
        self._notice = notice
        self._told = False

    async def index(
        self,
        file_id: FileId,
        title: str,
        batches: AsyncGenerator[Batch, None],
        report: Callable[[int, int], None],
    ) -> Indexed:
        """Write all batches of a file, each in one transaction, and tell `report(pages done, of)`.

        Reading goes on while the batch before is embedded. Whatever reading raises comes
        out here; the batches before it stay written.
        """
        pages = unread = 0
        async with aclosing(_read_ahead(batches)) as coming:
            async for batch in coming:
                headers = [header(title, passage) for passage in batch.passages]
                vectors = await self._vectors(headers, batch.passages)
                await off_loop(
                    self._library.passages.write,
                    file_id,
                    batch.passages,
                    vectors,
                    model=self._embedder.model_id if self._embedder else "",
                    headers=headers,
                    through_page=batch.last,
                    done=batch.last + 1 >= batch.total,
                )
                pages = batch.total
                unread += batch.unread
                report(batch.last + 1, batch.total)
        return Indexed(pages, unread)

    async def _vectors(self, headers: Sequence[str], passages: Sequence[Passage]) -> list[bytes] | None:
        if self._embedder is None or not passages:
            return None if self._embedder is None else []
        texts = [meaning_of(head, passage) for head, passage in zip(headers, passages, strict=True)]
        try:
            try:
                return await self._embedder.embed(texts)
            except WorkerCrashedError:  # there is a new one by now; what ended the first may have been chance
                return await self._embedder.embed(texts)
        except (ModelError, WorkerError) as error:
            # The words are worth more than nothing: search by meaning can follow later.
            if not self._told:
                self._told = True
                self._notice(f"Passages are indexed by their words alone: {error.message}")
            return None


def header(title: str, passage: Passage) -> str:
    """Return the context that is searched and embedded with a passage: `title | section`."""
    return f"{title} | {passage.section}" if passage.section else title


def meaning_of(head: str, passage: Passage) -> str:
    """Return the text whose vector stands for a passage.

    Columns of numbers and lists of references have a subject but no further meaning:
    their beginning tells it, and embedding is what an import spends its time on.
    """
    text = passage.text[:_LISTED] if passage.kind in _LISTS else passage.text
    return f"{head}\n{text}"


async def _read_ahead(batches: AsyncGenerator[Batch, None]) -> AsyncGenerator[Batch, None]:
    """Pass batches on, letting their source read the next one while the caller has this one."""

    async def following() -> Batch | None:
        return await anext(batches, None)

    upcoming = asyncio.ensure_future(following())
    try:
        while (batch := await upcoming) is not None:
            upcoming = asyncio.ensure_future(following())
            yield batch
    finally:
        upcoming.cancel()
        await asyncio.wait([upcoming])
        await batches.aclose()
