"""Searching the library's passages: by keyword, by meaning, or both merged."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from app.errors import AppError, UsageError
from app.library import Library
from app.library.ranking import fuse, keyword_weight
from app.library.storable import storable
from app.llm.embeddings import EmbedderSource
from app.records.ids import FileId, PageIndex, PageLabel, PaperId, PassageId
from app.records.passage import PassageHit, Quad

MODES = ("hybrid", "keyword", "semantic")
_POOL = 200
"""How many passages each ranking gives to the merge."""
_MOST = 100_000
"""Passages at most, whatever is asked for."""
_UNRELATED = 0.2
"""Cosine similarity below which a passage that shares no word with the question is noise."""


@dataclass(frozen=True, slots=True)
class SearchHit:
    """A passage as the command line and the window show it."""

    paper_id: PaperId
    file_id: FileId
    passage_id: PassageId
    title: str
    section: str
    page: PageIndex
    page_label: PageLabel
    quote: str
    score: float
    quads: tuple[Quad, ...]

    def as_json(self) -> dict[str, Any]:
        """Return the shape of CONTRACT §2, `search`; `quads` as lists of eight numbers."""
        return {
            "paper_id": self.paper_id,
            "file_id": self.file_id,
            "passage_id": self.passage_id,
            "title": self.title,
            "section": self.section,
            "page": self.page,
            "page_label": self.page_label,
            "quote": self.quote,
            "score": round(self.score, 4),
            "quads": [quad.as_json() for quad in self.quads],
        }


@dataclass(frozen=True, slots=True)
class SearchResult:
    """Hits in order, best first, with how many each stage found and what could not be done."""

    mode: str
    stages: Mapping[str, int]
    passages: tuple[PassageHit, ...]
    labels: tuple[str, ...]
    """Short names of the papers, one a hit ("Riess+ 2016")."""
    searched: int
    notice: str = ""

    @property
    def hits(self) -> tuple[SearchHit, ...]:
        """The hits as they are shown."""
        return tuple(_shown(hit) for hit in self.passages)

    def nothing(self) -> str:
        """Return what to say when nothing was found: what was searched, and the way out."""
        if not self.searched:
            return (
                "The library holds no text yet. "
                "Add papers first: drop PDF files on the window, or run astroresearch add."
            )
        how = "by keyword and by meaning" if self.mode == "hybrid" and not self.notice else "by keyword"
        return (
            f"Nothing found: {self.searched:,} passages were searched {how}. "
            "Try other words, or add papers on the subject."
        )

    def as_json(self) -> dict[str, Any]:
        """Return the shape of CONTRACT §2, `search`."""
        shown = {"mode": self.mode, "stages": dict(self.stages), "hits": [hit.as_json() for hit in self.hits]}
        return {**shown, "notice": self.notice} if self.notice else shown


class Searcher:
    """Finds passages in `library`.

    `embedder` gives the model whose index is searched; without one meaning is not searched, and the
    result says so.
    """

    def __init__(self, library: Library, embedder: EmbedderSource) -> None:
        self._library = library
        self._embedder = embedder

    async def search(
        self, words: str, *, mode: str = "hybrid", papers: Sequence[PaperId] | None = None, limit: int = 10
    ) -> SearchResult:
        """Return up to `limit` hits. Raises `UsageError` for empty words or an unknown mode.

        Hybrid falls back to keywords, with a notice, where the embeddings cannot be had.
        """
        if mode not in MODES:
            raise UsageError(f"There is no search mode “{mode}”.", hint=f"Use one of: {', '.join(MODES)}.")
        if not words.strip():
            raise UsageError("The search is empty.", hint="Type a word, a phrase in quotes, or a question.")
        if limit < 1:
            raise UsageError("The limit must be at least 1.")
        words, limit = storable(words), min(limit, _MOST)
        pool = max(_POOL, limit)
        by_word, (by_meaning, notice) = await asyncio.gather(
            self._keyword(words, papers, pool, wanted=mode != "semantic"),
            self._semantic(words, papers, pool, mode),
        )
        match mode:
            case "keyword":
                merged = by_word
            case "semantic":
                merged = by_meaning
            case _:
                fused = fuse(by_word, _related(by_word, by_meaning), weight=keyword_weight(words))
                merged = [replace(found.hit, score=found.score) for found in fused]
        kept = tuple(merged[:limit])
        labels, searched = await asyncio.to_thread(self._describe, kept)
        stages = {"keyword": len(by_word), "semantic": len(by_meaning)}
        return SearchResult(mode, stages, kept, labels, searched, notice)

    async def _keyword(
        self, words: str, papers: Sequence[PaperId] | None, limit: int, *, wanted: bool
    ) -> list[PassageHit]:
        if not wanted:
            return []
        return await asyncio.to_thread(self._library.search.keyword, words, papers=papers, limit=limit)

    async def _semantic(
        self, words: str, papers: Sequence[PaperId] | None, limit: int, mode: str
    ) -> tuple[list[PassageHit], str]:
        if mode == "keyword":
            return [], ""
        embedder = self._embedder()
        if embedder is None:
            return [], "Searching by meaning is off: the embedding model is missing. Results are by keyword."
        try:
            (vector,) = await embedder.embed([words], query=True)
        except AppError as error:
            if mode == "semantic":
                raise
            return [], f"Searching by meaning failed ({error.message.rstrip('.')}). Results are by keyword."
        hits = await asyncio.to_thread(
            self._library.search.semantic, vector, model=embedder.model_id, papers=papers, limit=limit
        )
        return hits, ""

    def _describe(self, hits: Sequence[PassageHit]) -> tuple[tuple[str, ...], int]:
        labels = self._library.papers.labels({hit.paper_id for hit in hits})
        return tuple(labels[hit.paper_id] for hit in hits), self._library.passages.count()


def _related(by_word: Sequence[PassageHit], by_meaning: list[PassageHit]) -> list[PassageHit]:
    """Drop far neighbours that share no word either: everything has a nearest, few have a near one."""
    worded = {hit.passage_id for hit in by_word}
    return [hit for hit in by_meaning if hit.score >= _UNRELATED or hit.passage_id in worded]


def _shown(hit: PassageHit) -> SearchHit:
    passage = hit.passage
    return SearchHit(
        hit.paper_id,
        hit.file_id,
        hit.passage_id,
        hit.title,
        passage.section,
        passage.page,
        passage.page_label,
        passage.text,
        hit.score,
        passage.quads,
    )
