"""Another embedding model: its index is made beside the old one, which searches until it is complete."""

from __future__ import annotations

import asyncio
import hashlib
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from app.errors import AppError, ModelError, WorkerCrashedError
from app.library import Library
from app.llm.embeddings import Embedder
from app.llm.remote.failures import ModelUnreachableError
from app.llm.remote.openai_embedder import EmbeddingConsentError
from app.records.passage import PassageKind
from app.services import reindexing
from app.services.changes import Change, ReindexProgress, ReindexState
from app.services.embedding_models import EmbeddingChoice, Wanted
from app.services.home_lock import HomeLock
from app.services.reindexing import Reindexer
from tests.library.samples import MODEL, add_indexed

OLD, NEW = EmbeddingChoice(model=MODEL), EmbeddingChoice(model="new")


class FakeEmbedder:
    """Makes vectors out of hashes; `trouble` may raise for the texts of a call."""

    def __init__(self, model_id: str, dim: int = 64) -> None:
        self.model_id = model_id
        self.dim = dim
        self.texts: list[str] = []
        self.calls = 0
        self.trouble: Callable[[Sequence[str]], AppError | None] = lambda texts: None
        self.stop_after: int | None = None
        self.reached = asyncio.Event()
        self.closed = False

    async def embed(self, texts: Sequence[str], *, query: bool = False) -> list[bytes]:
        await asyncio.sleep(0)
        if self.calls == self.stop_after:
            self.reached.set()
            await asyncio.Event().wait()
        self.calls += 1
        if error := self.trouble(texts):
            raise error
        self.texts += texts
        return [hashlib.shake_128(text.encode()).digest(self.dim) for text in texts]

    async def close(self) -> None:
        self.closed = True


class FakeModels:
    """The embedding models there are, by name; `name` is the one of the settings."""

    def __init__(self, name: str, *embedders: FakeEmbedder) -> None:
        self.name = name
        self.embedders = {embedder.model_id: embedder for embedder in embedders}

    def wanted(self) -> Wanted:
        return Wanted(self.embedders.get(self.name), EmbeddingChoice(model=self.name))

    def make(self, choice: EmbeddingChoice) -> Embedder | None:
        # a library that never wrote down what serves was made with the model as delivered
        return self.embedders.get(choice.model or MODEL)

    def signature(self) -> object:
        return self.name


@pytest.fixture
def library(home: Path) -> Iterator[Library]:
    with Library.open(home) as opened:
        yield opened


@pytest.fixture(autouse=True)
def _small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reindexing, "AT_ONCE", 4)


@asynccontextmanager
async def opened(
    library: Library, models: FakeModels
) -> AsyncIterator[tuple[Reindexer, list[ReindexProgress]]]:
    told: list[ReindexProgress] = []

    def hear(change: Change) -> None:
        assert isinstance(change, ReindexProgress)
        told.append(change)

    reindexer = Reindexer(library, library.home, models, hear)
    try:
        yield reindexer, told
    finally:
        await reindexer.close()


async def stuck(embedder: FakeEmbedder) -> None:
    async with asyncio.timeout(30):
        await embedder.reached.wait()


def model_of(reindexer: Reindexer) -> str:
    current = reindexer.current()
    return current.model_id if current else ""


async def test_that_the_old_model_searches_until_the_new_index_is_complete(library: Library) -> None:
    add_indexed(library, "Paper", [f"text {n}" for n in range(10)])
    new = FakeEmbedder("new", dim=32)
    new.stop_after = 2
    async with opened(library, FakeModels("new", FakeEmbedder(MODEL), new)) as (reindexer, told):
        assert model_of(reindexer) == MODEL
        reindexer.start()
        await stuck(new)
        assert model_of(reindexer) == MODEL
        assert library.search.models() == {MODEL: 10, "new": 8}
        new.stop_after = None
        await reindexer.cancel()
        await reindexer.resume()
        end = await reindexer.settled()
        assert end
        assert (end.state, end.done, end.total, end.share) == (ReindexState.FINISHED, 10, 10, 1.0)
        assert model_of(reindexer) == "new"
        assert library.search.models() == {"new": 10}
        done = [step.done for step in told if step.state is ReindexState.RUNNING]
        assert done == sorted(done)
        assert all(step.model == "new" for step in told)


async def test_that_what_was_made_is_not_made_again(library: Library) -> None:
    add_indexed(library, "Paper", [f"text {n}" for n in range(10)])
    first, second = FakeEmbedder("new"), FakeEmbedder("new")
    first.stop_after = 1
    async with opened(library, FakeModels("new", FakeEmbedder(MODEL), first)) as (reindexer, _):
        reindexer.start()
        await stuck(first)
    async with opened(library, FakeModels("new", FakeEmbedder(MODEL), second)) as (reindexer, _):
        assert model_of(reindexer) == MODEL
        reindexer.start()
        await reindexer.settled()
        assert model_of(reindexer) == "new"
    assert len(first.texts) == 4
    assert len(second.texts) == 6
    async with opened(library, FakeModels("new", second)) as (reindexer, told):
        assert model_of(reindexer) == "new"
        reindexer.start()
        end = await reindexer.settled()
        assert end
        assert end.state is ReindexState.FINISHED
        assert told == []


async def test_that_what_the_person_stopped_does_not_begin_by_itself(library: Library) -> None:
    add_indexed(library, "Paper", [f"text {n}" for n in range(10)])
    new = FakeEmbedder("new")
    new.stop_after = 1
    models = FakeModels("new", FakeEmbedder(MODEL), new)
    async with opened(library, models) as (reindexer, told):
        reindexer.start()
        await stuck(new)
        await reindexer.cancel()
        assert told[-1].state is ReindexState.CANCELLED
        assert told[-1].done == 4
    new.stop_after = None
    async with opened(library, models) as (reindexer, told):
        reindexer.start()
        end = await reindexer.settled()
        assert end
        assert end.state is ReindexState.CANCELLED
        assert model_of(reindexer) == MODEL
        await reindexer.resume()
        await reindexer.settled()
        assert model_of(reindexer) == "new"


async def test_that_papers_added_meanwhile_are_in_the_new_index(library: Library) -> None:
    add_indexed(library, "Paper", [f"text {n}" for n in range(6)])
    new = FakeEmbedder("new")
    new.stop_after = 1
    async with opened(library, FakeModels("new", FakeEmbedder(MODEL), new)) as (reindexer, _):
        reindexer.start()
        await stuck(new)
        _, gone, _ = add_indexed(library, "Deleted", ["deleted"])
        add_indexed(library, "Later", ["later 1", "later 2"])
        library.passages.delete(gone)
        new.stop_after = None
        await reindexer.cancel()
        await reindexer.resume()
        await reindexer.settled()
    assert library.search.models() == {"new": 8}


async def test_that_passages_without_vectors_get_them_though_the_model_stays(library: Library) -> None:
    add_indexed(library, "With", ["with"])
    add_indexed(library, "Without", ["without 1", "without 2"], vectors=False)
    async with opened(library, FakeModels(MODEL, FakeEmbedder(MODEL))) as (reindexer, told):
        reindexer.start()
        await reindexer.settled()
        assert library.search.models() == {MODEL: 3}
        assert told[-1].state is ReindexState.FINISHED


async def test_that_the_same_text_is_embedded_as_by_an_import(library: Library) -> None:
    add_indexed(library, "Title", ["word " * 200])
    with library.transaction():
        library.store.connection().execute("UPDATE passages SET kind = ?", (PassageKind.TABLE.value,))
    new = FakeEmbedder("new")
    async with opened(library, FakeModels("new", FakeEmbedder(MODEL), new)) as (reindexer, _):
        reindexer.start()
        await reindexer.settled()
    (text,) = new.texts
    assert text.startswith("Title | Results\nword word")
    assert len(text) < 300


async def test_that_going_back_drops_what_was_begun(library: Library) -> None:
    add_indexed(library, "Paper", [f"text {n}" for n in range(10)])
    new = FakeEmbedder("new")
    new.stop_after = 1
    models = FakeModels("new", FakeEmbedder(MODEL), new)
    async with opened(library, models) as (reindexer, told):
        reindexer.start()
        await stuck(new)
        models.name = MODEL
        await reindexer.settings_changed()
        await reindexer.settled()
        assert model_of(reindexer) == MODEL
        assert library.search.models() == {MODEL: 10}
        assert (told[-1].state, told[-1].model) == (ReindexState.FINISHED, MODEL)
        assert not new.closed
    assert new.closed


async def test_that_a_third_model_leaves_the_first_in_charge(library: Library) -> None:
    add_indexed(library, "Paper", [f"text {n}" for n in range(10)])
    second, third = FakeEmbedder("second"), FakeEmbedder("third")
    second.stop_after = 1
    models = FakeModels(MODEL, FakeEmbedder(MODEL), second, third)
    async with opened(library, models) as (reindexer, _):
        reindexer.start()
        models.name = "second"
        await reindexer.settings_changed()
        await stuck(second)
        models.name = "third"
        await reindexer.settings_changed()
        assert model_of(reindexer) == MODEL
        await reindexer.settled()
        assert library.search.models() == {"third": 10}


async def test_that_an_old_model_that_is_gone_leaves_the_search_to_the_new_one(library: Library) -> None:
    add_indexed(library, "Paper", ["text"])
    async with opened(library, FakeModels("new", FakeEmbedder("new"))) as (reindexer, _):
        assert model_of(reindexer) == "new"
        reindexer.start()
        await reindexer.settled()
        assert library.search.models() == {"new": 1}


async def test_that_a_wanted_model_that_is_missing_leaves_the_old_one(library: Library) -> None:
    add_indexed(library, "Paper", ["text"])
    async with opened(library, FakeModels("gone", FakeEmbedder(MODEL))) as (reindexer, told):
        reindexer.start()
        await reindexer.settled()
        assert model_of(reindexer) == MODEL
        assert told == []
    assert library.search.models() == {MODEL: 1}


async def test_that_a_text_on_which_the_model_dies_costs_that_text_alone(library: Library) -> None:
    add_indexed(library, "Paper", [f"text {n}" for n in range(6)])
    new = FakeEmbedder("new")
    new.trouble = lambda texts: (
        WorkerCrashedError("It died.") if any("text 3" in text for text in texts) else None
    )
    async with opened(library, FakeModels("new", FakeEmbedder(MODEL), new)) as (reindexer, told):
        reindexer.start()
        await reindexer.settled()
        assert told[-1].state is ReindexState.FINISHED
    assert library.search.models() == {"new": 6}
    assert len([text for text in new.texts if "text" in text]) == 5


@pytest.mark.parametrize(
    "error",
    [
        ModelError("It is damaged.", hint="Download it again."),
        EmbeddingConsentError("Passages would be sent."),
    ],
)
async def test_that_a_model_that_fails_leaves_the_old_one_and_says_why(
    library: Library, error: ModelError
) -> None:
    add_indexed(library, "Paper", [f"text {n}" for n in range(10)])
    new = FakeEmbedder("new")
    new.trouble = lambda texts: error
    async with opened(library, FakeModels("new", FakeEmbedder(MODEL), new)) as (reindexer, _told):
        reindexer.start()
        end = await reindexer.settled()
        assert end
        assert (end.state, end.code) == (ReindexState.FAILED, error.code)
        assert error.message in end.message
        assert error.hint in end.message
        assert model_of(reindexer) == MODEL
        new.trouble = lambda texts: None
        await reindexer.resume()
        await reindexer.settled()
        assert model_of(reindexer) == "new"


async def test_that_a_model_that_always_dies_is_given_up(library: Library) -> None:
    add_indexed(library, "Paper", [f"text {n}" for n in range(40)])
    new = FakeEmbedder("new")
    new.trouble = lambda texts: WorkerCrashedError("It died.")
    async with opened(library, FakeModels("new", FakeEmbedder(MODEL), new)) as (reindexer, _told):
        reindexer.start()
        end = await reindexer.settled()
        assert end
        assert end.state is ReindexState.FAILED
        assert library.search.models() == {MODEL: 40}


async def test_that_a_service_that_cannot_be_reached_is_waited_for(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reindexing, "_FIRST_WAIT_S", 0.01)
    add_indexed(library, "Paper", ["text"])
    new = FakeEmbedder("new")
    new.trouble = lambda texts: ModelUnreachableError("No network.") if new.calls < 4 else None
    async with opened(library, FakeModels("new", FakeEmbedder(MODEL), new)) as (reindexer, told):
        reindexer.start()
        await reindexer.settled()
        waiting = [step for step in told if step.state is ReindexState.WAITING]
        assert len(waiting) == 3
        assert waiting[0].code == "model_unreachable"
        assert told[-1].state is ReindexState.FINISHED


async def test_that_two_programs_do_not_index_at_once(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reindexing, "_POLL_S", 0.01)
    add_indexed(library, "Paper", ["text"])
    other = HomeLock(library.home / "reindex.lock")
    assert other.acquire()
    async with opened(library, FakeModels("new", FakeEmbedder(MODEL), FakeEmbedder("new"))) as (
        reindexer,
        told,
    ):
        reindexer.start()
        async with asyncio.timeout(30):
            while not told:  # noqa: ASYNC110
                await asyncio.sleep(0.01)
        assert told[0].state is ReindexState.WAITING
        assert "Another AstroResearch" in told[0].message
        other.release()
        await reindexer.settled()
        assert model_of(reindexer) == "new"


async def test_that_nothing_happens_while_the_settings_mean_the_same(library: Library) -> None:
    models = FakeModels(MODEL, FakeEmbedder(MODEL))
    async with opened(library, models) as (reindexer, _):
        before = reindexer.current()
        models.embedders = {}
        await reindexer.settings_changed()
        assert reindexer.current() is before


_KILLED = """
import asyncio, sys
from pathlib import Path
from app.library import Library
from app.services.reindexing import Reindexer
from tests.library.samples import MODEL
from tests.services.test_reindexing import FakeEmbedder, FakeModels

class Slow(FakeEmbedder):
    async def embed(self, texts, *, query=False):
        await asyncio.sleep(0.01)
        return await super().embed(texts)

async def main():
    with Library.open(Path(sys.argv[1])) as library:
        def hear(progress): print(progress.state.value, progress.done, flush=True)
        models = FakeModels("new", FakeEmbedder(MODEL), Slow("new"))
        reindexer = Reindexer(library, library.home, models, hear)
        print("serving", reindexer.current().model_id, flush=True)
        reindexer.start()
        await reindexer.settled()
        await reindexer.close()

asyncio.run(main())
"""


@pytest.mark.slow
def test_that_kills_lose_at_most_the_batch_they_hit(home: Path, repo: Path) -> None:
    with Library.open(home) as library:
        for paper in range(8):
            add_indexed(library, f"Paper {paper}", [f"text {paper} {n}" for n in range(100)])
    done = 0
    for kill in range(4):
        with subprocess.Popen(
            [sys.executable, "-c", _KILLED, str(home)],
            cwd=repo,
            env={**os.environ, "PYTHONPATH": str(repo)},
            stdout=subprocess.PIPE,
            text=True,
        ) as process:
            assert process.stdout
            assert process.stdout.readline().split() == ["serving", MODEL]
            state, began = process.stdout.readline().split()
            assert state == "running"
            assert int(began) >= done
            if kill < 3:
                done = int(process.stdout.readline().split()[1])
                process.send_signal(signal.SIGKILL if os.name == "posix" else signal.SIGTERM)
                process.wait(30)
                continue
            *_, last = process.stdout.read().splitlines()
            assert last == "finished 800"
    with Library.open(home) as library:
        assert library.search.models() == {"new": 800}
        assert library.verify() == []
