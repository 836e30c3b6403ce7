from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.errors import LibraryError, NotFoundError
from app.library import Library
from app.records.identifiers import Identifier
from app.records.ids import PaperId
from app.records.paper import PaperRecord
from tests.library.samples import add_file, add_indexed, record

RIESS = PaperRecord(
    title="A 2.4% Determination of the Local Value of the Hubble Constant",
    authors=("Adam G. Riess", "Lucas M. Macri", "Samantha L. Hoffmann"),
    year=2016,
    journal="ApJ",
    volume="826",
    pages="56",
    abstract="We use the Wide Field Camera 3 …",
    doctype="article",
    identifiers=(
        Identifier("doi", "10.3847/0004-637x/826/1/56"),
        Identifier("arxiv", "1604.01424"),
        Identifier("bibcode", "2016ApJ...826...56R"),
    ),
    provenance={"title": "xmp", "year": "page 1"},
)


def test_that_a_record_comes_back_as_it_was(library: Library) -> None:
    detail = library.papers.get(library.papers.add(RIESS))
    assert detail.record == RIESS
    assert (detail.files, detail.note_count, detail.tags, detail.collections) == ((), 0, (), ())


_text = st.text(st.characters(blacklist_categories=["Cs"]), max_size=30)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=30)
@given(title=_text, abstract=_text, year=st.none() | st.integers(-500, 3000))
def test_that_any_text_is_kept(library: Library, title: str, abstract: str, year: int | None) -> None:
    wanted = PaperRecord(title=title, abstract=abstract, year=year)
    assert library.papers.get(library.papers.add(wanted)).record == wanted


def test_that_half_characters_do_not_stop_a_record(library: Library) -> None:
    paper = library.papers.add(record("broken \ud800 title", authors=("A \udfff B",)))
    assert library.papers.get(paper).record.title == "broken ? title"


@pytest.mark.parametrize(
    "name",
    [
        "2016ApJ...826...56R",
        "1604.01424",
        "arXiv:1604.01424v3",
        "https://arxiv.org/abs/1604.01424",
        "https://arxiv.org/pdf/1604.01424v2.pdf",
        "10.3847/0004-637X/826/1/56",
        "https://doi.org/10.3847/0004-637X/826/1/56",
        "doi:10.3847/0004-637x/826/1/56",
        "https://ui.adsabs.harvard.edu/abs/2016ApJ...826...56R/abstract",
    ],
)
def test_that_every_form_of_an_identifier_names_the_paper(library: Library, name: str) -> None:
    library.papers.add(record("Another paper"))
    paper = library.papers.add(RIESS)
    assert library.papers.resolve(name) == paper
    assert library.papers.resolve(f"  {paper.upper()} ") == paper


@pytest.mark.parametrize("name", ["", "nothing", "1604.99999", "%", "' OR 1=1 --", "x" * 100_000])
def test_that_an_unknown_name_is_not_found(library: Library, name: str) -> None:
    library.papers.add(RIESS)
    with pytest.raises(NotFoundError):
        library.papers.resolve(name)


def test_that_an_identifier_belongs_to_one_paper(library: Library) -> None:
    first = library.papers.add(RIESS)
    with pytest.raises(LibraryError) as refused:
        library.papers.add(record("Other", identifiers=(Identifier("arxiv", "1604.01424"),)))
    assert refused.value.code == "identifier_taken"
    assert library.papers.count() == 1
    assert library.papers.find_by_identifier(Identifier("arxiv", "1604.01424")) == first
    assert library.papers.find_by_identifier(Identifier("arxiv", "1604.01425")) is None


def test_that_an_update_replaces_the_record_and_the_search_headers(library: Library) -> None:
    paper, file, _ = add_indexed(library, "untitled", ["we measure the distance"])
    library.papers.update(paper, record("Megamasers in NGC 4258"))
    assert library.papers.get(paper).record.title == "Megamasers in NGC 4258"
    assert [hit.file_id for hit in library.search.keyword("megamasers")] == [file]
    assert library.search.keyword("untitled") == []
    assert list(library.papers.order("megamasers"))
    assert not list(library.papers.order("untitled "))


def test_that_candidates_share_an_identifier_a_title_or_its_start_and_the_first_author(
    library: Library,
) -> None:
    titled = library.papers.add(record("The Hubble Constant and Its Tension"))
    similar = library.papers.add(record("The Hubble constant and its tension, revisited"))
    known = library.papers.add(record("Different", identifiers=(Identifier("arxiv", "1604.01424"),)))
    library.papers.add(record("The Hubble Constant and Its Neighbours", authors=("Wendy Freedman",)))
    found = library.papers.candidates(
        record("The Hubble constant and its tension", identifiers=(Identifier("arxiv", "1604.01424"),))
    )
    assert {paper for paper, _ in found} == {titled, similar, known}
    assert library.papers.candidates(PaperRecord()) == []


def test_that_papers_have_short_names(library: Library) -> None:
    paper = library.papers.add(RIESS)
    nameless = library.papers.add(
        PaperRecord(title="A very long title of a paper without authors", year=2001)
    )
    assert library.papers.labels([paper, nameless, PaperId("missing1")]) == {
        paper: "Riess+ 2016",
        nameless: "A very long title of a paper wi… 2001",
    }


def test_that_three_thousand_authors_are_kept_in_order(library: Library) -> None:
    authors = tuple(f"Name{i} Surname{i}" for i in range(3000))
    paper = library.papers.add(record("GW170817", authors=authors))
    assert library.papers.get(paper).record.authors == authors


def test_that_files_know_their_paper_and_bytes(library: Library) -> None:
    paper = library.papers.add(RIESS)
    file = add_file(library, paper, name="a.pdf", pages=12)
    assert add_file(library, paper, name="a.pdf") == file
    row = library.files.get(file)
    assert (row.paper_id, row.pages, row.status, row.passages, row.trashed) == (paper, 12, "added", 0, False)
    assert library.files.by_hash(row.sha256) == row
    assert library.files.by_hash("other") is None
    library.files.set_status(file, "damaged", "no pages")
    assert (library.files.get(file).status, library.files.get(file).message) == ("damaged", "no pages")
    library.papers.trash([paper])
    trashed = library.files.by_hash(row.sha256)
    assert trashed is not None
    assert trashed.trashed


def test_that_unknown_papers_and_files_are_not_found(library: Library) -> None:
    with pytest.raises(NotFoundError):
        library.papers.get(PaperId("zzzzzzzz"))
    with pytest.raises(NotFoundError):
        library.files.set_status(99, "added")  # type: ignore[arg-type]
    with pytest.raises(NotFoundError):
        library.passages.progress(99)  # type: ignore[arg-type]
