"""Makes the index of the wanted embedding model in the background, beside the one that is searched.

Passage by passage, oldest first; what is written stays, so that it goes on after any end of the program.
The search changes over when no passage is missing, and the old index is dropped then. A passage that was
imported without a vector is found here as well.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from app.errors import AppError, ModelError, WorkerCrashedError, WorkerError, WorkerTimeoutError
from app.library import Library
from app.llm.chat import ContextOverflowError
from app.llm.embeddings import Embedder
from app.llm.remote.failures import PASSING, ModelRequestError
from app.services.changes import Change, NoticeGiven, ReindexProgress, ReindexState
from app.services.embedding_models import EmbeddingChoice, Wanted
from app.services.home_lock import HomeLock
from app.services.importing.indexing import meaning_of
from app.services.serving_index import ServingIndex
from app.services.threads import off_loop

AT_ONCE = 128
"""Passages of a transaction: that much is done again after a kill."""

_CANCELLED_KEY = "embedding.cancelled"
_POLL_S = 2.0
_FIRST_WAIT_S, _LONGEST_WAIT_S = 5.0, 300.0
_PROBE = "The period of a variable star."
"""A text that every model can embed: where it fails on this too, the model is at fault and not the text."""

_OF_THE_TEXT = (WorkerCrashedError, WorkerTimeoutError, ModelRequestError, ContextOverflowError)
_log = logging.getLogger(__name__)


class EmbedderMaker(Protocol):
    """Makes embedding models: `EmbeddingModels`."""

    def wanted(self) -> Wanted:
        """Return the model of the settings."""

    def make(self, choice: EmbeddingChoice) -> Embedder | None:
        """Return the model of an earlier choice, or None."""

    def signature(self) -> object:
        """Return what the wanted model depends on."""


class Reindexer:
    """Keeps the index of the wanted model complete. Use from one loop; `close` before the library is closed.

    `current` gives the model that searches and indexes now. `on_change` hears of every step.
    """

    def __init__(
        self,
        library: Library,
        home: Path,
        models: EmbedderMaker,
        on_change: Callable[[Change], None] = lambda change: None,
    ) -> None:
        self._library = library
        self._lock = HomeLock(home / "reindex.lock")
        self._models = models
        self._signature = models.signature()
        wanted = models.wanted()
        self.notices = wanted.notices
        self._index = ServingIndex(library, wanted, models.make)
        self._on_change = on_change
        self._retired: list[Embedder] = []
        self._task: asyncio.Task[None] | None = None
        self._started = self._told = False
        self.progress: ReindexProgress | None = None

    def current(self) -> Embedder | None:
        """Return the model whose index is searched and written; None when there is none."""
        return self._index.serving

    @property
    def running(self) -> bool:
        """Whether an index is being made, or waited for."""
        return self._task is not None and not self._task.done()

    def start(self) -> None:
        """Make what is missing in the background, unless the person stopped that before."""
        self._started = True
        if not self.running:
            self._begin(self._run())

    async def resume(self) -> None:
        """Go on after `cancel` or a failure."""
        await off_loop(self._library.state.set, _CANCELLED_KEY, None)
        self.start()

    async def cancel(self) -> None:
        """Stop, and do not begin by itself next time. What was made stays; the old index serves on."""
        await self._stop()
        if (wanted := self._index.wanted) is not None:
            await off_loop(self._library.state.set, _CANCELLED_KEY, wanted.model_id)
            self._tell(ReindexState.CANCELLED)

    async def settled(self) -> ReindexProgress | None:
        """Wait until it has finished, failed or was cancelled, and return how that was."""
        while self.running and self._task is not None:
            await asyncio.wait([self._task])
        return self.progress

    async def settings_changed(self) -> None:
        """Want the model of the settings from now on; tells what is wrong with it."""
        signature = self._models.signature()
        if signature == self._signature:
            return
        self._signature = signature
        await self._stop()
        before = self._index.embedders
        wanted = await off_loop(self._models.wanted)
        for notice in wanted.notices:
            self._on_change(NoticeGiven(notice.level, notice.message))
        await off_loop(self._index.choose, wanted)
        # a search may be under way with one of them: they are closed at the end, and idle until then
        self._retired += [model for model in before if model not in self._index.embedders]
        self.progress = None
        if self._started:
            self.start()

    async def close(self) -> None:
        """Stop for now and close the models."""
        await self._stop()
        models = [*self._index.embedders, *self._retired]
        await asyncio.gather(*(model.close() for model in models))

    # the work

    async def _run(self) -> None:
        model = self._index.wanted
        if model is None:
            return
        await off_loop(self._index.keep)
        if await off_loop(self._library.state.get, _CANCELLED_KEY) == model.model_id:
            if await self._count(model):
                self._tell(ReindexState.CANCELLED)
            return
        try:
            while not self._lock.acquire():
                self._tell(ReindexState.WAITING, "Another AstroResearch is indexing this library.")
                await asyncio.sleep(_POLL_S)
            await self._make(model)
        except AppError as error:
            _log.warning("the index of %s: %s", model.model_id, error.message)
            text = " ".join(part for part in (error.message, error.hint) if part)
            self._tell(ReindexState.FAILED, text, error.code)
        finally:
            self._lock.release()

    async def _make(self, model: Embedder) -> None:
        """Give every passage a vector, then change over; again, where some came meanwhile."""
        changing = self._index.serving is not model
        while True:
            if await self._count(model):
                await self._fill(model)
            if await off_loop(self._index.settled) or await off_loop(self._index.complete):
                break
        if self._told or changing:
            self._tell(ReindexState.FINISHED)
            self._told = False

    async def _count(self, model: Embedder) -> int:
        """Note how many passages there are and have vectors; return how many have none."""

        def count() -> tuple[int, int]:
            have = self._library.search.models().get(model.model_id, 0)
            return have, self._library.passages.count()

        have, total = await off_loop(count)
        state = ReindexState.RUNNING if have < total else ReindexState.FINISHED
        self.progress = ReindexProgress(state, model.model_id, have, total)
        return total - have

    async def _fill(self, model: Embedder) -> None:
        passages, last = self._library.passages, 0
        begun, made = time.monotonic(), 0
        self._tell(ReindexState.RUNNING)
        while rows := await off_loop(passages.without_vectors, model.model_id, AT_ONCE, after=last):
            texts = [meaning_of(header, text, kind) for _, header, text, kind in rows]
            vectors = await self._patiently(model, texts)
            await off_loop(passages.add_vectors, [row[0] for row in rows], vectors, model=model.model_id)
            last = int(rows[-1][0])
            made += len(rows)
            self._advance(len(rows), made / max(time.monotonic() - begun, 1e-9))

    async def _patiently(self, model: Embedder, texts: Sequence[str]) -> list[bytes]:
        """Return the vectors; wait where a service cannot be reached, for as long as it takes."""
        wait = _FIRST_WAIT_S
        while True:
            try:
                return await self._embedded(model, texts)
            except PASSING as error:
                text = f"{error.message} Trying again in {wait:.0f} s."
                self._tell(ReindexState.WAITING, text, error.code)
            await asyncio.sleep(wait)
            wait = min(wait * 2, _LONGEST_WAIT_S)

    async def _embedded(self, model: Embedder, texts: Sequence[str]) -> list[bytes]:
        """Return the vectors; a text that the model cannot take gets one without a direction."""
        try:
            try:
                vectors = await model.embed(texts)
            except WorkerCrashedError:  # there is a new one by now; it may have been chance
                vectors = await model.embed(texts)
        except (ModelError, WorkerError) as error:
            if not isinstance(error, _OF_THE_TEXT) and error.code != "model_decode":
                raise
            if len(texts) > 1:
                middle = len(texts) // 2
                first = await self._embedded(model, texts[:middle])
                return first + await self._embedded(model, texts[middle:])
            (probe,) = await model.embed([_PROBE])
            _log.warning("%s cannot embed a passage: %s", model.model_id, error.message)
            return [bytes(len(probe))]
        return vectors

    # telling

    def _advance(self, more: int, speed: float) -> None:
        now = self.progress
        if now is None:
            return
        done = now.done + more
        total = max(now.total, done)
        self.progress = replace(now, done=done, total=total, seconds_left=(total - done) / speed)
        self._tell(ReindexState.RUNNING)

    def _tell(self, state: ReindexState, message: str = "", code: str = "") -> None:
        wanted = self._index.wanted
        now = self.progress or ReindexProgress(state, wanted.model_id if wanted else "")
        left = now.seconds_left if state is ReindexState.RUNNING else None
        self.progress = replace(now, state=state, message=message, code=code, seconds_left=left)
        self._told = True
        self._on_change(self.progress)

    # the task

    def _begin(self, work: Coroutine[None, None, None]) -> None:
        self._task = asyncio.create_task(work, name="reindex")
        self._task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        """A mistake of ours ends the work, not the program; it is told like a failure."""
        if task.cancelled() or (mistake := task.exception()) is None:
            return
        _log.error("the index could not be made", exc_info=mistake)
        self._tell(ReindexState.FAILED, "It met a mistake in AstroResearch; please report it with the log.")

    async def _stop(self) -> None:
        if self._task is not None:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.wait([self._task])
            self._task = None
