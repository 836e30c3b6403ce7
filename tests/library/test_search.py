from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.library import Library, narrowing
from tests.library.samples import DIM, MODEL, add_indexed, found_texts, vector


def test_that_words_are_found_in_any_form(library: Library) -> None:
    add_indexed(library, "Distances", ["We observed Cepheids in nearby galaxies.", "Nothing of the kind."])
    for query in ("galaxy", "cepheid", "OBSERVING", "what do we observe in galaxies?"):
        assert found_texts(library, query) == ["We observed Cepheids in nearby galaxies."]


def test_that_the_title_of_the_paper_helps_its_passages(library: Library) -> None:
    add_indexed(library, "Megamasers in NGC 4258", ["the distance is 7.6 Mpc"])
    add_indexed(library, "Tully-Fisher", ["the distance to a megamaser galaxy is not our subject here"])
    assert found_texts(library, "megamaser distance")[0] == "the distance is 7.6 Mpc"


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("HD 189733b", "the planet HD 189733b transits"),
        ("[Fe/H]", "a metallicity [Fe/H] of -0.3"),
        ("10.1051/0004-6361:2005", "see doi 10.1051/0004-6361:20053 and 10.1051/0004-6361:2005"),
        ("H0", "we find H0 of 73"),
        ('"distance ladder"', "the local distance ladder"),
        ("σ8", "clustering amplitude σ8 is low"),
    ],
)
def test_that_names_of_the_field_are_found(library: Library, query: str, text: str) -> None:
    add_indexed(library, "Mixed", ["HD 1 and 189733 apart", "Fe and H", "a ladder at some distance", text])
    assert found_texts(library, query)[0] == text


def test_that_quoted_words_are_relaxed_when_nobody_has_them(library: Library) -> None:
    add_indexed(library, "One", ["a ladder at some distance", "a distance"])
    assert found_texts(library, '"distance ladder" ladder') == ["a ladder at some distance"]


def test_that_chinese_words_are_found_inside_a_sentence(library: Library) -> None:
    add_indexed(library, "中文", ["我们研究了Ia型超新星爆发的光变曲线。", "本文讨论暗物质。"])
    assert found_texts(library, "超新星")[0].startswith("我们")
    assert found_texts(library, "光变") == ["我们研究了Ia型超新星爆发的光变曲线。"]
    assert found_texts(library, "暗") == ["本文讨论暗物质。"]
    assert found_texts(library, "光变 curve Ia")[0].startswith("我们")


def test_that_a_search_within_papers_stays_there(library: Library) -> None:
    papers = [
        add_indexed(library, f"Paper {i}", [f"shared words {i}", "more shared words"])[0] for i in range(5)
    ]
    hits = library.search.keyword("shared", papers=papers[1:3])
    assert {hit.paper_id for hit in hits} == set(papers[1:3])
    assert len(hits) == 4
    near = library.search.semantic(vector("shared words 4"), model=MODEL, papers=papers[:2])
    assert {hit.paper_id for hit in near} == set(papers[:2])
    assert library.search.keyword("shared", papers=[]) == []
    assert library.search.semantic(vector("x"), model=MODEL, papers=[]) == []


def test_that_the_nearest_vectors_come_first_with_their_cosine(library: Library) -> None:
    _, _, ids = add_indexed(library, "Many", [f"text {i}" for i in range(300)])
    for i in (0, 123, 299):
        hits = library.search.semantic(vector(f"text {i}"), model=MODEL, limit=5)
        assert hits[0].passage_id == ids[i]
        assert hits[0].score == pytest.approx(1.0, abs=1e-5)
        assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
        assert len(hits) == 5


def test_that_codes_first_finds_what_an_exact_search_finds(library: Library) -> None:
    """Papers given = exact; the whole library = codes, then rescored: the nearest must agree."""
    papers = [add_indexed(library, f"P{p}", [f"text {p} {i}" for i in range(100)])[0] for p in range(6)]
    for seed in range(6):
        near = bytes(value ^ (value & 1) for value in vector(f"text {seed} {seed}"))
        exact = library.search.semantic(near, model=MODEL, papers=papers, limit=10)
        quick = library.search.semantic(near, model=MODEL, limit=10)
        assert exact[0].passage.text == quick[0].passage.text == f"text {seed} {seed}"
        assert len({h.passage_id for h in exact} & {h.passage_id for h in quick}) >= 7


def test_that_an_unknown_model_finds_nothing(library: Library) -> None:
    add_indexed(library, "One", ["text"])
    assert library.search.semantic(bytes(DIM), model="never used") == []


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=80)
@given(query=st.text(max_size=80))
def test_that_no_query_fails(library: Library, query: str) -> None:
    if library.passages.count() == 0:
        add_indexed(library, "Some", ["some text with words", "超新星 text"])
    library.search.keyword(query)


def test_that_a_query_of_a_hundred_thousand_characters_is_answered(library: Library) -> None:
    add_indexed(library, "Some", ["lorem ipsum text"])
    assert found_texts(library, "lorem " + "x" * 100_000) == ["lorem ipsum text"]
    assert found_texts(library, "lorem " * 20_000) == ["lorem ipsum text"]
    assert found_texts(library, '"' * 100_000) == []
    assert found_texts(library, "星" * 100_000) == []


def test_that_vectors_are_found_as_soon_as_written_and_never_after_deletion(library: Library) -> None:
    library_texts: list[str] = []
    files = []
    for i in range(5):
        texts = [f"text {i} {j}" for j in range(3)]
        files.append(add_indexed(library, f"P{i}", texts)[1])
        library_texts += texts
        hits = library.search.semantic(vector(texts[1]), model=MODEL, limit=100)
        assert hits[0].passage.text == texts[1]
        assert sorted(hit.passage.text for hit in hits) == sorted(library_texts)
    library.passages.delete(files[2])
    remaining = library.search.semantic(vector("text 2 1"), model=MODEL, limit=100)
    assert sorted(hit.passage.text for hit in remaining) == sorted(
        t for t in library_texts if "text 2" not in t
    )
    add_indexed(library, "New", ["text 9 9"])
    assert library.search.semantic(vector("text 9 9"), model=MODEL)[0].passage.text == "text 9 9"


def test_that_a_reader_of_an_older_moment_is_not_shown_what_came_later(library: Library) -> None:
    add_indexed(library, "Old", ["old text"])
    with library.store.read(), ThreadPoolExecutor(1) as pool:
        assert len(library.search.semantic(vector("x"), model=MODEL)) == 1
        pool.submit(add_indexed, library, "New", ["new text"]).result()
        assert len(pool.submit(library.search.semantic, vector("x"), model=MODEL).result()) == 2
        assert [hit.title for hit in library.search.semantic(vector("x"), model=MODEL)] == ["Old"]


def test_that_a_model_that_was_dropped_and_made_again_starts_empty(library: Library) -> None:
    _, _, (first, second) = add_indexed(library, "Both", ["one", "two"])
    assert len(library.search.semantic(vector("one"), model=MODEL)) == 2
    library.search.drop_model(MODEL)
    library.passages.add_vectors([second], [vector("two")], model=MODEL)
    assert [hit.passage_id for hit in library.search.semantic(vector("one"), model=MODEL)] == [second]
    library.passages.add_vectors([first], [vector("one")], model=MODEL)
    assert library.search.semantic(vector("one"), model=MODEL)[0].passage_id == first


def test_that_common_words_do_not_hide_what_rare_words_find(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = [f"galaxy number {i}" for i in range(60)] + [
        "a quasar",
        "quasar galaxy galaxy",
        "quasar in a galaxy",
    ]
    add_indexed(library, "Many", texts)
    other, _, _ = add_indexed(library, "Other", ["galaxy elsewhere"])
    in_full = found_texts(library, "quasar galaxy", limit=3)
    monkeypatch.setattr(narrowing, "COMMON", 20)
    assert found_texts(library, "quasar galaxy", limit=3) == in_full
    assert len(found_texts(library, "quasar galaxy", limit=50)) == 50
    assert len(found_texts(library, "galaxy", limit=50)) == 50
    assert len(found_texts(library, "galaxy number", limit=50)) == 50
    assert len(found_texts(library, "nonsense galaxy", limit=50)) == 50
    assert found_texts(library, "quasar galaxy", papers=[other], limit=3) == ["galaxy elsewhere"]


def test_that_a_full_trash_hides_nothing_that_is_not_in_it(
    library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(narrowing, "COMMON", 20)
    gone, _, _ = add_indexed(library, "Gone", [f"quasar galaxy {i}" for i in range(15)])
    add_indexed(library, "Kept", [f"galaxy number {i}" for i in range(30)])
    library.papers.trash([gone])
    assert len(found_texts(library, "quasar galaxy", limit=10)) == 10
    assert found_texts(library, "quasar", papers=[gone]) == []
    near = library.search.semantic(vector("quasar galaxy 3"), model=MODEL, limit=45)
    assert {hit.title for hit in near} == {"Kept"}
    assert len(near) == 30
