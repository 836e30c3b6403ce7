from __future__ import annotations

from pathlib import Path

import pytest

from app.errors import NotFoundError, UsageError
from app.library import Library
from app.records.anchor import Anchor
from app.records.ids import NoteId, PageIndex, SessionId
from app.records.passage import Quad
from tests.library.samples import add_file, record

ANCHOR = Anchor(
    page=PageIndex(3),
    start=10,
    end=20,
    quads=(Quad((1.5, 2.0), (3.0, 2.0), (1.5, 1.0), (3.0, 1.0)),),
    quote="the quote",
    prefix="before ",
    suffix=" after",
)


def test_that_a_note_comes_back_as_it_was_and_can_change(library: Library) -> None:
    paper = library.papers.add(record())
    file = add_file(library, paper)
    note = library.notes.add(paper, file, ANCHOR, "green", "see this")
    assert (note.anchor, note.color, note.text, note.file_id) == (ANCHOR, "green", "see this", file)
    changed = library.notes.update(note.note_id, text="see that")
    assert (changed.text, changed.color, changed.anchor, changed.created_at) == (
        "see that", "green", ANCHOR, note.created_at,
    )  # fmt: skip
    assert changed.updated_at > note.updated_at
    assert library.notes.of_paper(paper) == library.notes.of_file(file) == [changed]
    assert library.papers.count("has:notes") == 1
    library.notes.delete(note.note_id)
    assert library.notes.of_paper(paper) == []


def test_that_notes_are_in_reading_order(library: Library) -> None:
    paper = library.papers.add(record())
    file = add_file(library, paper)
    places = [(2, 5), (0, 9), (0, 1)]
    for page, start in places:
        library.notes.add(paper, file, Anchor(PageIndex(page), start, start + 1, (), "q", "", ""))
    assert [(n.anchor.page, n.anchor.start) for n in library.notes.of_file(file)] == sorted(places)


def test_that_notes_refuse_unknown_papers_colours_and_notes(library: Library) -> None:
    paper = library.papers.add(record())
    with pytest.raises(UsageError):
        library.notes.add(paper, None, ANCHOR, "mauve")
    with pytest.raises(NotFoundError):
        library.notes.add("nopaper1", None, ANCHOR)  # type: ignore[arg-type]
    with pytest.raises(NotFoundError):
        library.notes.update(NoteId("none"), text="x")
    with pytest.raises(NotFoundError):
        library.notes.delete(NoteId("none"))


def test_that_the_import_queue_counts_attempts_and_keeps_results(library: Library) -> None:
    first, second = library.imports.enqueue([Path("/a.pdf"), Path("/ü 超.pdf")], batch="b1")
    assert [(i.path, i.state, i.attempts) for i in library.imports.pending()] == [
        (Path("/a.pdf"), "queued", 0),
        (Path("/ü 超.pdf"), "queued", 0),
    ]
    assert library.imports.start(first).attempts == 1
    assert library.imports.start(first).attempts == 2
    library.imports.release(first)
    assert (library.imports.get(first).state, library.imports.get(first).attempts) == ("queued", 1)
    library.imports.finish(first, "damaged", None, "no pages")
    assert [i.id for i in library.imports.pending()] == [second]
    done = library.imports.get(first)
    assert (done.state, done.status, done.message, done.batch) == ("done", "damaged", "no pages", "b1")
    assert [i.id for i in library.imports.of_batch("b1")] == [first, second]
    library.imports.clear_done()
    with pytest.raises(NotFoundError):
        library.imports.get(first)
    with pytest.raises(NotFoundError):
        library.imports.start(999)


def test_that_events_are_kept_in_order(library: Library) -> None:
    session = library.journal.new_session("First")
    other = library.journal.new_session("Second")
    events = [{"type": "text_delta", "text": f"{i} 超"} for i in range(5)]
    for event in events:
        library.journal.append(session, event)
    assert library.journal.events(session) == events
    assert library.journal.events(other) == []
    assert [s.title for s in library.journal.sessions()] == ["First", "Second"]
    library.journal.rename(other, "Renamed")
    assert [s.title for s in library.journal.sessions(limit=1)] == ["Renamed"]
    with pytest.raises(NotFoundError):
        library.journal.append(SessionId("none"), {})


def test_that_small_values_are_kept(library: Library) -> None:
    assert library.state.get("window") is None
    assert library.state.get("window", {"w": 1}) == {"w": 1}
    library.state.set("window", {"width": 1200, "panes": [1, 2]})
    library.state.set("reading/a", {"page": 3})
    library.state.set("reading/b", {"page": 4})
    assert library.state.get("window") == {"width": 1200, "panes": [1, 2]}
    assert library.state.matching("reading/") == {"reading/a": {"page": 3}, "reading/b": {"page": 4}}
    library.state.set("reading/a", None)
    assert library.state.matching("reading/") == {"reading/b": {"page": 4}}
