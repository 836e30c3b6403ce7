from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from app.errors import LibraryError, NotFoundError, UsageError
from app.library import Library, undo
from app.records.anchor import Anchor
from app.records.identifiers import Identifier
from app.records.ids import PageIndex, PaperId
from tests.library.samples import add_file, add_indexed, record

_KEPT_TABLES = (*undo._TABLES, "passages", "vectors_1", "codes_1")


def _rows(library: Library) -> dict[str, list[tuple[Any, ...]]]:
    with library.store.read() as connection:
        tables = [name for (name,) in connection.execute("SELECT name FROM sqlite_schema")]
        return {
            table: sorted(connection.execute(f"SELECT * FROM {table}"), key=repr)
            for table in _KEPT_TABLES
            if table in tables
        }


def _two_versions(library: Library) -> tuple[PaperId, PaperId]:
    journal, file, _ = add_indexed(library, "The Tension", ["published text"])
    preprint, _, _ = add_indexed(library, "The tension", ["preprint text"])
    library.papers.update(
        journal, record("The Tension", identifiers=(Identifier("doi", "10.1/x"),), journal="ApJ")
    )
    library.papers.update(
        preprint,
        record("The tension", identifiers=(Identifier("arxiv", "2001.00001"),), abstract="Only here."),
    )
    library.papers.set_tags([journal], ["H0", "mine"])
    library.papers.set_tags([preprint], ["h0", "to read"])
    shelf = library.papers.add_collection("Thesis")
    library.papers.put_in_collection([preprint], shelf)
    anchor = Anchor(PageIndex(0), 0, 4, (), "preprint", "", "")
    library.notes.add(preprint, None, anchor, "green", "nice")
    library.notes.add(journal, file, anchor, "red", "")
    return journal, preprint


def test_that_a_merge_loses_nothing(library: Library) -> None:
    journal, preprint = _two_versions(library)
    library.papers.merge(journal, preprint)
    detail = library.papers.get(journal)
    assert detail.record.identifiers == (Identifier("doi", "10.1/x"), Identifier("arxiv", "2001.00001"))
    assert (detail.record.journal, detail.record.abstract) == ("ApJ", "Only here.")
    assert (len(detail.files), detail.note_count, detail.passage_count) == (2, 2, 2)
    assert set(detail.tags) == {"H0", "mine", "to read"}
    assert detail.collections == ("Thesis",)
    assert library.papers.count() == 1
    assert {hit.paper_id for hit in library.search.keyword("text")} == {journal}


def test_that_the_id_of_a_paper_that_was_merged_away_finds_the_kept_one(library: Library) -> None:
    journal, preprint = _two_versions(library)
    library.papers.merge(journal, preprint)
    third = library.papers.add(record("Third"))
    library.papers.merge(third, journal)
    for name in (preprint, journal):
        assert library.papers.resolve(name) == third
        assert library.papers.get(name).paper_id == third


def test_that_undoing_a_merge_restores_every_row(library: Library) -> None:
    journal, preprint = _two_versions(library)
    before = _rows(library)
    library.papers.merge(journal, preprint)
    assert _rows(library) != before
    undone = library.papers.undo()
    assert undone is not None
    assert undone.label == "Merge papers"
    assert _rows(library) == before
    assert library.papers.resolve(preprint) == preprint


def test_that_a_chain_of_edits_is_undone_step_by_step(library: Library) -> None:
    papers = [library.papers.add(record(f"Paper {i}")) for i in range(5)]
    states = [_rows(library)]
    shelf = library.papers.add_collection("A")
    steps: list[Callable[[], None]] = [
        lambda: library.papers.add_tags(papers, ["bulk"]),
        lambda: library.papers.set_tags(papers[:3], ["other"]),
        lambda: library.papers.trash(papers[2:]),
        lambda: library.papers.put_in_collection(papers, shelf),
        lambda: library.papers.restore(papers[3:]),
        lambda: library.papers.rename_collection(shelf, "B"),
        lambda: library.papers.merge(papers[0], papers[1]),
        lambda: library.papers.remove_tags(papers, ["bulk", "other"]),
        lambda: library.papers.remove_collection(shelf),
    ]
    for step in steps:
        states.append(_rows(library))
        step()
    while states:
        assert library.papers.undo() is not None
        assert _rows(library) == states.pop()
    assert library.papers.undoable() is None
    assert library.papers.undo() is None


def test_that_an_operation_that_changed_nothing_is_no_step(library: Library) -> None:
    paper = library.papers.add(record())
    library.papers.restore([paper])
    assert library.papers.undoable() is None


def test_that_a_step_whose_rows_were_changed_since_is_refused_whole(library: Library) -> None:
    journal, preprint = _two_versions(library)
    library.papers.merge(journal, preprint)
    library.papers.update(journal, record("New title", abstract="rewritten since"))
    after = _rows(library)
    with pytest.raises(LibraryError) as refused:
        library.papers.undo()
    assert refused.value.code == "undo_conflict"
    assert _rows(library) == after


def test_that_a_newer_time_stamp_alone_does_not_stop_undo(library: Library) -> None:
    journal, preprint = _two_versions(library)
    library.papers.merge(journal, preprint)
    library.papers.update(journal, library.papers.get(journal).record)
    library.papers.undo()
    assert library.papers.count() == 2


def test_that_the_trash_hides_from_list_and_search_and_gives_back(library: Library) -> None:
    paper, _, _ = add_indexed(library, "Quasars", ["quasar text 类星体"])
    library.papers.trash([paper])
    assert library.papers.count() == 0
    assert library.papers.count("in:trash") == 1
    assert library.papers.get(paper).trashed
    assert library.search.keyword("quasar") == library.search.keyword("类星体") == []
    library.papers.restore([paper])
    assert library.papers.count() == 1
    assert len(library.search.keyword("quasar")) == 1


def test_that_purging_deletes_only_what_is_in_the_trash(library: Library) -> None:
    gone, _, _ = add_indexed(library, "Gone", ["gone text"])
    kept, _, _ = add_indexed(library, "Kept", ["kept text"])
    add_file(library, gone, name="second.pdf")
    library.papers.trash([gone])
    assert sorted(library.papers.purge([gone, kept])) == ["ab/paper.pdf", "ab/second.pdf"]
    assert library.papers.count() == 1
    assert library.passages.count() == 1
    with pytest.raises(NotFoundError):
        library.papers.get(gone)


def test_that_tags_are_one_whatever_their_case_and_go_when_unused(library: Library) -> None:
    first, second = (library.papers.add(record(f"Paper {i}")) for i in range(2))
    library.papers.add_tags([first], ["Dark  Matter", " "])
    library.papers.add_tags([second], ["dark matter"])
    assert [(tag.name, tag.papers) for tag in library.papers.tags()] == [("Dark Matter", 2)]
    assert len(library.papers.order(tag="DARK MATTER")) == 2
    library.papers.set_tags([first, second], [])
    assert library.papers.tags() == []


def test_that_a_collection_shows_what_lies_in_those_inside_it(library: Library) -> None:
    paper = library.papers.add(record())
    outer = library.papers.add_collection("Outer")
    inner = library.papers.add_collection("Inner", outer)
    library.papers.put_in_collection([paper], inner)
    assert len(library.papers.order(collection=outer)) == library.papers.count(collection=outer) == 1
    assert {(c.name, c.parent_id, c.papers) for c in library.papers.collections()} == {
        ("Outer", None, 0),
        ("Inner", outer, 1),
    }
    library.papers.take_from_collection([paper], inner)
    assert len(library.papers.order(collection=outer)) == 0
    with pytest.raises(NotFoundError):
        library.papers.put_in_collection([paper], 99)


def test_that_a_paper_is_not_merged_with_itself(library: Library) -> None:
    paper = library.papers.add(record())
    with pytest.raises(UsageError):
        library.papers.merge(paper, paper)
