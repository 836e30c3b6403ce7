from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.library import Library
from app.library.listing import SORTS, journal_line, overall_status
from app.records.identifiers import Identifier
from app.records.paper import PaperRecord
from tests.library.samples import add_file, record


def _titles(library: Library, query: str = "", sort: str = "title", **options: object) -> list[str]:
    rows = library.papers.rows(library.papers.order(query, sort, **options))  # type: ignore[arg-type]
    return [row.title for row in rows]


@pytest.fixture
def shelf(library: Library) -> Library:
    for title, author, year, journal in (
        ("The Zodiacal Light", "Ana Ångström", 1999, "A&A"),
        ("An Atlas of Galaxies", "Zoe de Vaucouleurs", 2020, "MNRAS"),
        ("“Éclairs” of GRBs", "José Álvarez", 2016, "apj"),
        ("", "", None, ""),
        ("超新星爆发的研究", "王伟", 2021, "Acta"),
    ):
        library.papers.add(
            PaperRecord(title=title, authors=(author,) if author else (), year=year, journal=journal)
        )
    return library


def test_that_titles_sort_without_articles_accents_and_punctuation(shelf: Library) -> None:
    assert _titles(shelf)[:3] == ["An Atlas of Galaxies", "“Éclairs” of GRBs", "The Zodiacal Light"]


@pytest.mark.parametrize("sort", ["title", "author", "year", "journal"])
def test_that_what_is_not_known_comes_last_in_both_directions(shelf: Library, sort: str) -> None:
    up, down = _titles(shelf, sort=sort), _titles(shelf, sort=f"-{sort}")
    assert up[-1] == down[-1] == ""
    assert up[:-1] == down[:-1][::-1]


def test_that_authors_sort_by_surname(shelf: Library) -> None:
    rows = shelf.papers.rows(shelf.papers.order(sort="author"))
    assert [row.authors_short for row in rows][:3] == ["Álvarez", "Ångström", "de Vaucouleurs"]


def test_that_an_unknown_sort_is_the_time_of_adding(shelf: Library) -> None:
    assert _titles(shelf, sort="nonsense; DROP TABLE works") == _titles(shelf, sort="added")


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("zodi", ["The Zodiacal Light"]),
        ("zodi ", []),
        ("by:vauc", ["An Atlas of Galaxies"]),
        ("author:alvarez eclairs ", ["“Éclairs” of GRBs"]),
        ("year:2016..2020", ["An Atlas of Galaxies", "“Éclairs” of GRBs"]),
        ("title:galaxies ", ["An Atlas of Galaxies"]),
        ("新星", ["超新星爆发的研究"]),
        ("星", ["超新星爆发的研究"]),
        ("by:王伟", ["超新星爆发的研究"]),
        ("has:pdf", []),
        ("in:trash", []),
    ],
)
def test_that_the_search_box_finds(shelf: Library, query: str, found: list[str]) -> None:
    assert _titles(shelf, query) == found
    assert shelf.papers.count(query) == len(found)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=100)
@given(query=st.text(max_size=60), sort=st.sampled_from([*SORTS, "-year", "relevance", "", "-", "x"]))
def test_that_any_query_and_sort_give_each_paper_at_most_once(shelf: Library, query: str, sort: str) -> None:
    order = list(shelf.papers.order(query, sort))
    assert len(order) == len(set(order)) == shelf.papers.count(query)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=15)
@given(
    st.lists(
        st.tuples(st.text("abc é", max_size=4), st.none() | st.integers(1990, 2000)), min_size=1, max_size=8
    )
)
def test_that_sql_and_python_order_alike(library: Library, papers: list[tuple[str, int | None]]) -> None:
    library.papers.trash([row.paper_id for row in library.papers.rows(library.papers.order())])
    for title, year in papers:
        library.papers.add(PaperRecord(title=title, year=year))
    years = [row.year for row in library.papers.rows(library.papers.order(sort="-year"))]
    known = sorted((year for _, year in papers if year is not None), reverse=True)
    assert years == known + [None] * (len(papers) - len(known))


def test_that_relevance_puts_titles_first(library: Library) -> None:
    library.papers.add(record("Distances", abstract="a cepheid, another cepheid and a cepheid more"))
    library.papers.add(record("A Cepheid"))
    assert _titles(library, "cepheid ", "relevance") == ["A Cepheid", "Distances"]
    assert len(_titles(library, "", "-relevance")) == 2


def test_that_a_row_shows_what_the_list_needs(library: Library) -> None:
    paper = library.papers.add(
        record(
            journal="ApJ",
            volume="826",
            pages="56",
            authors=("A B", "C D", "E F", "G H"),
            identifiers=(Identifier("arxiv", "1604.01424"),),
        )
    )
    add_file(library, paper, name="one.pdf")
    library.files.set_status(add_file(library, paper, name="two.pdf"), "no_text")
    library.papers.set_tags([paper], ["H0", "distance ladder"])
    (row,) = library.papers.rows(library.papers.order("has:pdf tag:h0 1604.01424"))
    assert row.paper_id == paper
    assert row.authors_short == "B, D, F … +1"
    assert row.journal_line == "ApJ 826, 56"
    assert row.tags == ("distance ladder", "H0")
    assert (row.file_count, row.note_count, row.status, row.unread) == (2, 0, "no_text", True)
    assert row.identifiers == (Identifier("arxiv", "1604.01424"),)
    assert library.papers.row_ids([paper, "missing1"]) == [row.row_id]  # type: ignore[list-item]


def test_that_rows_keep_the_order_asked_for_and_leave_out_what_is_gone(shelf: Library) -> None:
    order = list(shelf.papers.order())
    assert [row.row_id for row in shelf.papers.rows([order[2], 9999, order[0]])] == [order[2], order[0]]


def test_that_opening_a_paper_marks_it_read(library: Library) -> None:
    paper = library.papers.add(record())
    assert library.papers.count("is:unread") == 1
    library.papers.mark_read(paper)
    assert library.papers.count("is:unread") == 0
    assert library.papers.count("is:read") == 1


def test_that_journal_lines_are_made_of_what_is_known() -> None:
    assert journal_line("ApJ", "", "") == "ApJ"
    assert journal_line("", "826", "56") == "826, 56"
    assert journal_line("", "", "") == ""


def test_that_the_status_of_a_paper_is_that_of_its_unwell_file() -> None:
    assert overall_status(["added", "needs_password", "added"]) == "needs_password"
    assert overall_status(["added", "added"]) == "added"
    assert overall_status([]) == ""
