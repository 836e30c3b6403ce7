"""The application as a whole: opening, asking, telling, closing."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any

import psutil
import pytest

from app.application import Application
from app.errors import HomeError, LibraryError, UsageError
from app.events import AnswerReady, TurnFinished, TurnStarted
from app.services.changes import ImportProgress, LibraryChanged

PAPER = """# The period of Lantern 42

## Results

A Fourier fit to the light curve gives a pulsation period of 331.4 days and an amplitude of 0.72 mag.
The distance of the star is 5.9 kpc.
"""


@pytest.fixture
def paper(tmp_path: Path) -> Path:
    """A small paper in Markdown, which needs no PDF worker."""
    path = tmp_path / "lantern.md"
    path.write_text(PAPER)
    return path


async def test_that_opening_makes_the_home_and_starts_no_process(home: Path) -> None:
    before = {p.pid for p in psutil.Process().children(recursive=True)}
    async with Application.open(home / "deeper") as application:
        assert (home / "deeper" / "library.sqlite3").is_file()
        assert application.library.papers.count() == 0
        assert {p.pid for p in psutil.Process().children(recursive=True)} <= before


async def test_that_overrides_win_over_the_settings_file(home: Path) -> None:
    home.mkdir()
    (home / "settings.toml").write_text("offline = false\n")
    async with Application.open(home, offline=True) as application:
        assert application.settings.offline is True


async def test_that_broken_settings_are_left_aside_but_overrides_count(home: Path) -> None:
    home.mkdir()
    (home / "settings.toml").write_text("offline = [")
    async with Application.open(home, offline=True) as application:
        assert application.settings.offline is True
        assert any("settings.toml" in notice.message for notice in application.notices)


@pytest.mark.parametrize("content", [b"not a model", b""])
async def test_that_a_model_file_that_is_none_leaves_quotes_and_says_so(
    home: Path, tmp_path: Path, content: bytes
) -> None:
    (tmp_path / "model.gguf").write_bytes(content)
    async with Application.open(home, llm={"model_path": str(tmp_path / "model.gguf")}) as application:
        assert application.chat is None
        assert any("model.gguf" in notice.message for notice in application.notices)


@pytest.mark.parametrize(
    ("embedding", "offline", "why"),
    [
        ({"provider": "openai"}, False, "No embedding model is named"),
        ({"provider": "openai", "model": "m"}, True, "offline"),
        ({"model": "/nowhere/model.gguf"}, False, "no embedding model at /nowhere/model.gguf"),
    ],
)
async def test_that_an_embedding_model_that_cannot_be_used_leaves_words_and_says_why(
    home: Path, embedding: dict[str, Any], offline: bool, why: str
) -> None:
    async with Application.open(home, embedding=embedding, offline=offline) as application:
        assert [n for n in application.notices if why in n.message and "words" in n.message]
        assert application.embedder is None


async def test_that_a_change_of_the_embedding_model_is_wanted_at_once_but_serves_when_complete(
    home: Path, tmp_path: Path
) -> None:
    async with Application.open(home) as application:
        builtin = application.embedder
        assert builtin is not None
        service = {"provider": "openai", "model": "other", "base_url": "http://127.0.0.1:9/v1"}
        await application.change_settings({"embedding": service})
        # nothing is indexed yet, so there is nothing to wait for
        assert application.embedder is not None
        assert application.embedder.model_id == "other@127.0.0.1:9"
        await application.change_settings({"embedding": dict.fromkeys(service)})
        assert application.embedder.model_id == builtin.model_id


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ({"llm": {"provider": "openai"}}, "No model is named"),
        ({"offline": True, "llm": {"provider": "openai", "model": "m"}}, "offline"),
    ],
)
async def test_that_a_service_that_cannot_be_used_leaves_the_local_model_and_says_why(
    home: Path, settings: dict[str, Any], why: str
) -> None:
    async with Application.open(home, **settings) as application:
        assert [n for n in application.notices if why in n.message]
        assert application.chat is None or application.chat.info.provider == "local"


async def test_that_offline_still_allows_a_model_service_on_this_computer(home: Path) -> None:
    llm = {"provider": "openai", "model": "m", "base_url": "http://127.0.0.1:9/v1"}
    async with Application.open(home, offline=True, llm=llm) as application:
        assert application.chat is not None
        assert application.chat.info.provider != "local"


async def test_that_a_home_that_cannot_be_used_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(HomeError) as caught:
        Application.open(tmp_path / "file" / "home")
    assert "--home" in caught.value.hint


async def test_that_a_damaged_database_is_a_clear_error(home: Path) -> None:
    home.mkdir()
    (home / "library.sqlite3").write_bytes(b"this is no database" * 500)
    with pytest.raises(LibraryError):
        Application.open(home)


@pytest.mark.slow
async def test_that_a_question_is_answered_with_quotes_when_there_is_no_model(
    home: Path, paper: Path
) -> None:
    async with Application.open(home, llm={"model_path": str(home / "none.gguf")}) as application:
        (added,) = [r async for r in application.importer.add([paper])]
        assert (added.status, added.record.title) == ("added", "The period of Lantern 42")
        events = [e async for e in application.run_turn("What is the pulsation period of Lantern 42?")]
        assert isinstance(events[0], TurnStarted)
        assert isinstance(events[-1], TurnFinished)
        (answer,) = [e.answer for e in events if isinstance(e, AnswerReady)]
        assert answer["kind"] == "quotes"
        assert "331.4" in answer["text"]
        assert answer["citations"][0]["paper_id"] == added.paper_id
        (session,) = application.library.journal.sessions()
        kept = application.library.journal.events(session.session_id)
        pieces = ("text_delta", "tool_progress")
        assert [e["type"] for e in kept] == [e.type for e in events if e.type not in pieces]


async def test_that_an_empty_question_is_refused_before_anything_is_written(home: Path) -> None:
    async with Application.open(home) as application:
        with pytest.raises(UsageError):
            _ = [e async for e in application.run_turn("  \n")]
        assert not application.library.journal.sessions()


@pytest.mark.slow
async def test_that_a_turn_left_early_is_journaled_as_stopped(home: Path, paper: Path) -> None:
    async with Application.open(home, llm={"model_path": str(home / "none.gguf")}) as application:
        _ = [r async for r in application.importer.add([paper])]
        turn = application.run_turn("What is the period?")
        await anext(turn)
        await turn.aclose()
        (session,) = application.library.journal.sessions()
        last = application.library.journal.events(session.session_id)[-1]
        assert (last["type"], last["reason"]) == ("turn_finished", "stopped")


@pytest.mark.slow
async def test_that_subscribers_hear_of_changes_until_they_leave(home: Path, paper: Path) -> None:
    async with Application.open(home) as application:
        heard: list[object] = []
        leave = application.subscribe(heard.append)
        _ = [r async for r in application.importer.add([paper])]
        kinds = {type(change) for change in heard}
        assert {ImportProgress, LibraryChanged} <= kinds
        leave()
        count = len(heard)
        _ = [r async for r in application.importer.add([paper])]
        assert len(heard) == count


@pytest.mark.slow
async def test_that_closing_in_the_middle_of_work_ends_all_workers(home: Path, paper: Path) -> None:
    me = psutil.Process()
    async with Application.open(home) as application:
        await application.importer.enqueue([paper])
        await asyncio.sleep(0.3)
        workers = [p for p in me.children(recursive=True) if "--worker" in " ".join(p.cmdline())]
    assert all(not p.is_running() or p.status() == psutil.STATUS_ZOMBIE for p in workers)
    async with Application.open(home) as application:
        application.importer.resume()
        await application.importer.idle()
        assert application.library.papers.count() == 1


@pytest.mark.skipif(sys.platform == "win32", reason="one SQLite at a time is enough there")
@pytest.mark.slow
async def test_that_two_instances_share_a_library(home: Path, paper: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.md"
    other.write_text("# Another star\n\n## Results\n\nIts period is 12 days and it is rather faint.\n")
    async with Application.open(home) as one, Application.open(home) as two:
        results = await asyncio.gather(_add(one, paper), _add(two, other))
        assert set(results) == {"added"}
        assert one.library.papers.count() == two.library.papers.count() == 2


async def _add(application: Application, path: Path) -> str:
    (result,) = [r async for r in application.importer.add([path])]
    return result.status.value
