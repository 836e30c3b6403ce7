"""Indexing: the passages of a file go into the library batch by batch, with their vectors."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass

from app.errors import ModelError, WorkerCrashedError, WorkerError
from app.library import Library
from app.llm.embeddings import Embedder, EmbedderSource
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
    """Writes passages and vectors; without an embedding model the words alone can be searched.

    `embedder` is asked for the model before each batch: it can change while a file is under way.
    """

    def __init__(self, library: Library, embedder: EmbedderSource, notice: Callable[[str], None]) -> None:
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
                vectors, model = await self._vectors(headers, batch.passages)
                await off_loop(
                    self._library.passages.write,
                    file_id,
                    batch.passages,
                    vectors,
                    model=model,
                    headers=headers,
                    through_page=batch.last,
                    done=batch.last + 1 >= batch.total,
                )
                pages = batch.total
                unread += batch.unread
                report(batch.last + 1, batch.total)
        return Indexed(pages, unread)

    async def _vectors(
        self, headers: Sequence[str], passages: Sequence[Passage]
    ) -> tuple[list[bytes] | None, str]:
        """Return the vectors, None where there are none, and the model that made them."""
        embedder = self._embedder()
        if embedder is None:
            return None, ""
        if not passages:
            return [], embedder.model_id
        texts = [meaning_of(head, p.text, p.kind) for head, p in zip(headers, passages, strict=True)]
        while (vectors := await self._embedded(embedder, texts)) is not None:
            now = self._embedder()
            if now is None or now.model_id == embedder.model_id:
                break
            embedder = now  # another index took over meanwhile: it would lack these
        return vectors, embedder.model_id

    async def _embedded(self, embedder: Embedder, texts: Sequence[str]) -> list[bytes] | None:
        try:
            try:
                return await embedder.embed(texts)
            except WorkerCrashedError:  # there is a new one by now; what ended the first may have been chance
                return await embedder.embed(texts)
        except (ModelError, WorkerError) as error:
            # The words are worth more than nothing: search by meaning can follow later.
            if not self._told:
                self._told = True
                self._notice(f"Passages are indexed by their words alone: {error.message}")
            return None


def header(title: str, passage: Passage) -> str:
    """Return the context that is searched and embedded with a passage: `title | section`."""
    return f"{title} | {passage.section}" if passage.section else title


def meaning_of(head: str, text: str, kind: PassageKind) -> str:
    """Return the text whose vector stands for a passage.

    Columns of numbers and lists of references have a subject but no further meaning:
    their beginning tells it, and embedding is what an import spends its time on.
    """
    return f"{head}\n{text[:_LISTED] if kind in _LISTS else text}"


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
