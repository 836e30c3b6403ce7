from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from app.errors import LibraryError, NotFoundError
from app.events import ContextAdded
from app.library import Library
from app.records.ids import SessionId

TOLD = ContextAdded("background", "done", trusted=False).as_json()


# -- audit ----------------------------------------------------------------------------------------


def test_that_a_call_has_one_audit_row_from_its_beginning_to_its_end(library: Library) -> None:
    session = library.journal.new_session()
    library.audit.record(session, "c1", "run_bash", '{"command": "ls"}', "running")
    (running,) = library.audit.running(session)
    assert (running.outcome, running.finished_at) == ("running", None)
    library.audit.record(session, "c1", "run_bash", '{"command": "ls -l"}', "succeeded", "0.1 s")
    (ended,) = library.audit.of_session(session)
    assert (ended.id, ended.outcome, ended.detail) == (running.id, "succeeded", "0.1 s")
    assert ended.arguments == '{"command": "ls -l"}'
    assert ended.finished_at is not None
    assert ended.finished_at >= ended.started_at
    assert library.audit.running(session) == []


def test_that_a_call_that_never_began_is_audited_too(library: Library) -> None:
    session = library.journal.new_session()
    library.audit.record(session, "c1", "no_such_tool", "not json \ud800", "rejected", "unknown tool")
    (row,) = library.audit.of_session(session)
    assert (row.outcome, row.arguments) == ("rejected", "not json ?")
    library.audit.record(SessionId("gone"), "c2", "read_file", "{}", "succeeded")
    library.audit.record(None, "c3", "read_file", "{}", "running")
    library.audit.record(None, "c3", "read_file", "{}", "succeeded")
    assert len(library.audit.of_session(session)) == 1


def test_that_a_call_id_that_repeats_has_a_row_of_its_own_each_time(library: Library) -> None:
    """Trap 0.2: ids repeat; the second call must not hide behind the first."""
    session = library.journal.new_session()
    for outcome in ("succeeded", "failed"):
        library.audit.record(session, "call_0", "read_file", "{}", "running")
        library.audit.record(session, "call_0", "read_file", "{}", outcome)
    assert [row.outcome for row in library.audit.of_session(session)] == ["succeeded", "failed"]


# -- tasks ----------------------------------------------------------------------------------------


def test_that_an_ended_task_is_told_of_once_with_the_row_that_told(library: Library) -> None:
    """Bug 32: the mark and the message are one transaction."""
    session = library.journal.new_session()
    running = library.tasks.create(session, "background", "running", {"tool": "download_paper"}, owner="p1")
    done = library.tasks.create(session, "background", "running", {"tool": "parse_paper"}, owner="p1")
    library.tasks.put(session, "todo", {"items": []})
    assert library.tasks.undelivered(session) == []
    library.tasks.set_state(done, "done", {"tool": "parse_paper", "result": "超"})
    (ended,) = library.tasks.undelivered(session)
    assert (ended.id, ended.state, ended.payload["result"]) == (done, "done", "超")
    assert library.tasks.waiting_sessions() == [session]
    row_id = library.tasks.deliver(session, [done], TOLD)
    assert library.journal.rows(session) == [(row_id, TOLD)]
    assert library.tasks.get(done).delivered_row == row_id
    assert library.tasks.undelivered(session) == []
    assert library.tasks.waiting_sessions() == []
    assert library.tasks.get(running).state == "running"


def test_that_nothing_is_told_twice(library: Library) -> None:
    """Trap 0.11: a second delivery leaves no row behind."""
    session = library.journal.new_session()
    first = library.tasks.create(session, "background", "done", {})
    second = library.tasks.create(session, "background", "done", {})
    library.tasks.deliver(session, [first], TOLD)
    with pytest.raises(LibraryError) as refused:
        library.tasks.deliver(session, [second, first], TOLD)
    assert refused.value.code == "already_delivered"
    assert len(library.journal.rows(session)) == 1
    assert [row.id for row in library.tasks.undelivered(session)] == [second]


def test_that_the_work_of_dead_processes_is_lost_and_of_live_ones_is_not(library: Library) -> None:
    session = library.journal.new_session()
    dead = library.tasks.create(session, "background", "running", {}, owner="dead")
    alive = library.tasks.create(session, "background", "running", {}, owner="alive")
    ended = library.tasks.create(session, "background", "done", {}, owner="dead")
    idle = library.tasks.create(session, "teammate", "idle", {}, owner="dead")
    asked: list[str] = []

    def is_alive(owner: str) -> bool:
        asked.append(owner)
        return owner == "alive"

    assert [(row.id, row.state) for row in library.tasks.lost_at_start(is_alive)] == [(dead, "lost")]
    assert asked == ["alive", "dead"]
    assert [library.tasks.get(task).state for task in (alive, ended, idle)] == ["running", "done", "idle"]
    assert library.tasks.lost_at_start(is_alive) == []


def test_that_a_session_has_one_to_do_list(library: Library) -> None:
    session = library.journal.new_session()
    first = library.tasks.put(session, "todo", {"items": [1]})
    assert library.tasks.put(session, "todo", {"items": [2]}) == first
    assert [row.payload for row in library.tasks.of_session(session, "todo")] == [{"items": [2]}]
    assert library.tasks.of_session(session) == library.tasks.of_session(session, "todo")
    with pytest.raises(NotFoundError):
        library.tasks.set_state(99, "done")
    with pytest.raises(NotFoundError):
        library.tasks.get(99)


@pytest.mark.skipif(os.name == "nt", reason="kills a process by signal")
@pytest.mark.parametrize("point", ["before the mark", "before the commit", "after the commit"])
def test_that_a_task_is_told_of_or_still_waiting_whenever_the_program_is_killed(
    home: Path, point: str
) -> None:
    """Bug 32: killed anywhere in a delivery, the journal has the message exactly if the task is marked."""
    code = f"""
        import os, signal
        from pathlib import Path
        from app.library import Library
        from app.library import tasks
        point = {point!r}
        die = lambda: os.kill(os.getpid(), signal.SIGKILL)
        library = Library.open(Path({str(home)!r}))
        library.journal.new_session("Kept", "s1")
        task = library.tasks.create("s1", "background", "done", {{}})
        if point == "before the mark":
            tasks.now = die
        if point == "before the commit":
            with library.transaction():
                library.tasks.deliver("s1", [task], {TOLD!r})
                die()
        library.tasks.deliver("s1", [task], {TOLD!r})
        die()
    """
    ended = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], check=False, cwd=Path.cwd())
    assert ended.returncode == -signal.SIGKILL
    session = SessionId("s1")
    with Library.open(home) as library:
        told = bool(library.journal.rows(session))
        assert told is (point == "after the commit")
        assert bool(library.tasks.undelivered(session)) is not told


# -- mail -----------------------------------------------------------------------------------------


def test_that_reading_mail_does_not_mark_it_and_showing_it_does(library: Library) -> None:
    """Bug 33: the mark moves with the row that shows the letters, never before."""
    team = library.journal.new_session()
    first = library.mail.send(team, "lead", "ann", "one")
    second = library.mail.send(team, "bob", "ann", "two")
    library.mail.send(team, "lead", "bob", "other")
    assert [letter.body for letter in library.mail.unread(team, "ann")] == ["one", "two"]
    assert [letter.id for letter in library.mail.unread(team, "ann", limit=1)] == [first]
    row_id = library.mail.deliver(team, "ann", first, team, TOLD)
    assert library.journal.rows(team) == [(row_id, TOLD)]
    assert [(letter.id, letter.sender) for letter in library.mail.unread(team, "ann")] == [(second, "bob")]
    with pytest.raises(LibraryError) as refused:
        library.mail.deliver(team, "ann", first, team, TOLD)
    assert refused.value.code == "already_delivered"
    assert len(library.journal.rows(team)) == 1
    library.mail.deliver(team, "ann", second, team, TOLD)
    assert library.mail.unread(team, "ann") == []
    assert [letter.body for letter in library.mail.between(team, "ann")] == ["one", "two"]


def test_that_a_letter_to_all_reaches_all_or_none(library: Library) -> None:
    team = library.journal.new_session()
    assert len(library.mail.send_all(team, "lead", ["ann", "bob"], "hello")) == 2
    assert library.mail.unread(team, "ann")[0].body == library.mail.unread(team, "bob")[0].body == "hello"


def test_that_a_mailbox_of_two_thousand_letters_is_shown_in_parts(library: Library) -> None:
    """Bug 33, trap 0.12: a full mailbox neither stalls nor loses a letter."""
    team = library.journal.new_session()
    with library.transaction():
        for i in range(2000):
            library.mail.send(team, "lead", "ann", str(i))
    shown: list[str] = []
    while letters := library.mail.unread(team, "ann"):
        assert len(letters) == 50
        library.mail.deliver(team, "ann", letters[-1].id, team, TOLD)
        shown += [letter.body for letter in letters]
    assert shown == [str(i) for i in range(2000)]


# -- memories -------------------------------------------------------------------------------------


def test_that_memories_are_found_by_their_words_in_any_script(library: Library) -> None:
    units = library.memories.add("Prefers distances in Mpc, not in light years", "preference")
    chinese = library.memories.add("用户研究Ia型超新星的光度校准", "fact")
    found = library.memories.search("Give me the distance of M31 in light years please")
    assert [row.id for row in found] == [units]
    assert [row.id for row in library.memories.search("超新星有哪些")] == [chinese]
    assert [row.id for row in library.memories.search("校准")] == [chinese]
    assert list(library.memories.search("")) == list(library.memories.search('"*" AND (')) == []
    assert [row.id for row in library.memories.list()] == [chinese, units]
    assert [row.id for row in library.memories.list("preference")] == [units]


def test_that_a_memory_can_be_put_in_other_words_and_forgotten(library: Library) -> None:
    memory = library.memories.add("Works on quasars", session_id=SessionId("gone"))
    library.memories.update(memory, "Works on blazars", "topic")
    assert list(library.memories.search("quasars")) == []
    (row,) = library.memories.search("blazars")
    assert (row.content, row.kind, row.session_id) == ("Works on blazars", "topic", None)
    library.memories.delete(memory)
    assert list(library.memories.search("blazars")) == list(library.memories.list()) == []
    with pytest.raises(NotFoundError):
        library.memories.delete(memory)
    with pytest.raises(NotFoundError):
        library.memories.update(memory, "x")
