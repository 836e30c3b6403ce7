from __future__ import annotations

import pytest

from app.errors import LibraryError, NotFoundError
from app.library import Library
from app.records.ids import FileId, PassageId
from app.records.passage import Passage, PassageKind
from tests.library.samples import DIM, MODEL, add_file, add_indexed, found_texts, passage, record, vector


def _write(library: Library, file: FileId, pages: list[Passage], *, through: int, done: bool = False) -> None:
    library.passages.write(
        file,
        pages,
        [vector(p.text) for p in pages],
        model=MODEL,
        headers=["Title | Results" for _ in pages],
        through_page=through,
        done=done,
    )


def test_that_a_passage_comes_back_as_it_was(library: Library) -> None:
    paper = library.papers.add(record())
    file = add_file(library, paper)
    written = passage("The value of H0", page=0, start=17)
    (passage_id,) = library.passages.write(
        file, [written], None, model=MODEL, headers=["Title | Results"], through_page=0, done=True
    )
    hit = library.passages.get(passage_id)
    assert hit.passage == written
    assert (hit.paper_id, hit.file_id, hit.title) == (paper, file, "Cepheids in M31")
    assert library.passages.of_file(file) == [hit]
    assert library.passages.of_file(file, page=1) == []
    assert library.files.get(file).passages == 1


def test_that_writing_goes_on_where_it_stopped(library: Library) -> None:
    file = add_file(library, library.papers.add(record()), pages=5)
    assert library.passages.progress(file) == 0
    _write(library, file, [passage("one", page=0), passage("two", page=1)], through=2)
    assert library.passages.progress(file) == 3
    assert [row.file_id for row in library.files.unindexed()] == [file]
    _write(library, file, [passage("three", page=3)], through=4, done=True)
    assert library.files.get(file).indexed
    assert library.files.unindexed() == []
    assert [hit.passage.text for hit in library.passages.of_file(file)] == ["one", "two", "three"]


def test_that_pages_cannot_be_written_twice(library: Library) -> None:
    file = add_file(library, library.papers.add(record()))
    _write(library, file, [passage("one", page=0)], through=0)
    with pytest.raises(LibraryError) as refused:
        _write(library, file, [passage("one", page=0)], through=0)
    assert refused.value.code == "already_indexed"
    assert library.passages.count() == 1


def test_that_pages_without_passages_count_as_written(library: Library) -> None:
    file = add_file(library, library.papers.add(record()))
    _write(library, file, [], through=9, done=True)
    assert library.passages.progress(file) == 10


def test_that_a_failed_batch_leaves_no_trace(library: Library) -> None:
    file = add_file(library, library.papers.add(record()))
    _write(library, file, [passage("fine", page=0)], through=0)
    with pytest.raises(LibraryError) as refused:
        library.passages.write(
            file,
            [passage("bad", page=1)],
            [b"\x01" * 8],
            model=MODEL,
            headers=["h"],
            through_page=1,
            done=True,
        )
    assert refused.value.code == "vector_dimension"
    assert found_texts(library, "bad") == []
    assert library.passages.progress(file) == 1


def test_that_deleted_passages_are_found_nowhere(library: Library) -> None:
    _, file, _ = add_indexed(library, "Gone", ["alpha 超新星", "beta"])
    _, _, (kept,) = add_indexed(library, "Kept", ["gamma"])
    library.passages.delete(file)
    assert found_texts(library, "alpha beta gone 超新星") == []
    near = library.search.semantic(vector("alpha 超新星"), model=MODEL)
    assert [hit.passage_id for hit in near] == [kept]
    assert library.search.models() == {MODEL: 1}
    assert library.passages.progress(file) == 0


def test_that_ids_of_deleted_passages_do_not_come_back(library: Library) -> None:
    _, file, (first,) = add_indexed(library, "A", ["alpha"])
    library.passages.delete(file)
    with pytest.raises(NotFoundError):
        library.passages.get(first)
    _, _, (second,) = add_indexed(library, "B", ["beta"])
    assert second > first


def test_that_words_are_found_before_vectors_are_there(library: Library) -> None:
    _, _, ids = add_indexed(library, "Early", ["first words", "second words"], vectors=False)
    assert len(found_texts(library, "words")) == 2
    assert library.search.semantic(vector("x"), model=MODEL) == []
    missing = library.passages.without_vectors(MODEL)
    assert missing == [
        (ids[0], "Early | Results", "first words", PassageKind.TEXT),
        (ids[1], "Early | Results", "second words", PassageKind.TEXT),
    ]
    assert library.passages.without_vectors(MODEL, after=ids[0]) == missing[1:]
    library.passages.add_vectors([ids[0], PassageId(999)], [vector("a"), vector("b")], model=MODEL)
    assert [row[0] for row in library.passages.without_vectors(MODEL)] == [ids[1]]


def test_that_a_new_model_is_built_beside_the_old_one(library: Library) -> None:
    _, file, ids = add_indexed(library, "Both", ["one", "two"])
    library.passages.add_vectors(ids[:1], [bytes(128)], model="newer")
    assert library.search.models() == {MODEL: 2, "newer": 1}
    assert library.search.indexed_with() == [MODEL, "newer"]
    assert len(library.search.semantic(vector("one"), model=MODEL)) == 2
    assert len(library.search.semantic(bytes([1]) * 128, model="newer")) == 1
    library.search.drop_model(MODEL)
    assert library.search.models() == {"newer": 1}
    library.passages.delete(file)
    assert library.search.models() == {"newer": 0}


def test_that_a_vector_of_another_length_is_refused(library: Library) -> None:
    add_indexed(library, "One", ["one"])
    with pytest.raises(LibraryError):
        library.search.semantic(b"\x01" * (DIM + 8), model=MODEL)
    with pytest.raises(LibraryError):
        library.passages.add_vectors([PassageId(1)], [b"\x01" * 7], model="odd")


def test_that_kinds_and_half_characters_survive(library: Library) -> None:
    file = add_file(library, library.papers.add(record()))
    table = Passage(
        page=passage("x").page,
        page_label=passage("x").page_label,
        start=0,
        end=3,
        text="a\ud800b",
        section="Tables",
        kind=PassageKind.TABLE,
    )
    library.passages.write(
        file, [table], None, model=MODEL, headers=["T | Tables"], through_page=0, done=True
    )
    (hit,) = library.passages.of_file(file)
    assert (hit.passage.text, hit.passage.kind, hit.passage.lines) == ("a?b", PassageKind.TABLE, ())
