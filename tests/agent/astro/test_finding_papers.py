"""search_papers, get_paper_metadata, download_paper, parse_paper, query_target: the library, and honesty."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from app.agent.tools.astro.download import DownloadPaper, NotAvailableError
from app.agent.tools.astro.metadata import GetPaperMetadata
from app.agent.tools.astro.papers import SERVICES_TO_COME
from app.agent.tools.astro.parse import ParsePaper
from app.agent.tools.astro.search import SearchPapers, SearchPapersArgs
from app.agent.tools.astro.target import QueryTarget, QueryTargetArgs
from app.errors import NotFoundError
from app.records.identifiers import Identifier
from tests.fakes.agent_world import World

RIESS: dict[str, Any] = {
    "identifiers": (Identifier("arxiv", "1604.01424"), Identifier("doi", "10.3847/0004-637x/826/1/56")),
    "journal": "ApJ",
    "volume": "826",
    "pages": "56",
    "abstract": "We use Cepheids to determine the local value of the Hubble constant.",
}
TITLE = "A 2.4% Determination of the Local Value of the Hubble Constant"
TEXT = [("Results", ["The maser galaxy NGC 4258 anchors the ladder; H0 is 73.24 km/s/Mpc."])]


def library(world: World) -> tuple[str, str]:
    riess = world.add_paper(TITLE, TEXT, **RIESS)
    planck = world.add_paper(
        "Planck 2018 results. VI. Cosmological parameters", authors=["Planck Collaboration"], year=2020
    )
    return riess, planck


async def test_that_a_paper_is_found_by_words_author_year_and_identifier(world: World) -> None:
    riess, planck = library(world)
    for query, more in (
        ("hubble constant", {}),
        ("by:riess", {}),
        ("arXiv:1604.01424", {}),
        ("local", {"year": 2016}),
        ("local", {"year": "2010..2017", "filters": "has:file"}),
        ("local", {"filters": {"by": "riess"}}),
        ("local", {"filters": ["is:unread", "has:abstract"]}),
    ):
        output = await world.run(SearchPapers(), query=query, **more)
        assert [paper["paper_id"] for paper in output.metadata["papers"]] == [riess], query
        assert output.content.startswith("1 of 2 papers match.\n1. " + riess)
    output = await world.run(SearchPapers(), query="planck", year="2019-")
    assert [paper["paper_id"] for paper in output.metadata["papers"]] == [planck]


async def test_that_a_hit_says_what_is_here_of_it(world: World) -> None:
    library(world)
    output = await world.run(SearchPapers(), query="hubble")
    line = output.content.splitlines()[1]
    for part in ("Riess+ 2016", TITLE, "ApJ 826, 56", "arxiv:1604.01424", "in the library: text, unread"):
        assert part in line
    assert output.untrusted


async def test_that_an_empty_query_lists_the_newest_first(world: World) -> None:
    riess, planck = library(world)
    output = await world.run(SearchPapers(), query="")
    assert [paper["paper_id"] for paper in output.metadata["papers"]] == [planck, riess]
    output = await world.run(SearchPapers(), query=" ", filters="has:file is:unread")
    assert [paper["paper_id"] for paper in output.metadata["papers"]] == [riess]
    output = await world.run(SearchPapers(), query="", filters="has:notes")
    assert output.metadata["papers"] == []
    assert output.content.startswith("0 of 2 papers match.")


async def test_that_results_come_in_pages(world: World) -> None:
    for number in range(7):
        world.add_paper(f"Cepheids in galaxy number {number}")
    first = await world.run(SearchPapers(), query="cepheids", limit=3, sort="title")
    assert "7 of 7 papers match." in first.content
    assert "More with offset=3." in first.content
    last = await world.run(SearchPapers(), query="cepheids", limit=3, offset=6, sort="title")
    assert [paper["title"] for paper in last.metadata["papers"]] == ["Cepheids in galaxy number 6"]
    assert "More with" not in last.content
    assert last.content.splitlines()[1].startswith("7. ")


async def test_that_the_text_is_searched_where_no_record_has_the_words(world: World) -> None:
    riess, _ = library(world)
    output = await world.run(SearchPapers(), query="maser anchors ladder")
    assert [paper["paper_id"] for paper in output.metadata["papers"]] == [riess]
    assert "whose text fits best" in output.content
    assert output.metadata["stages"] == {"records": 0, "text": 1}
    narrowed = await world.run(SearchPapers(), query="maser anchors ladder", year=1999)
    assert narrowed.metadata["papers"] == []
    assert "Nothing fits among 2 papers" in narrowed.content


async def test_that_it_says_that_only_the_library_was_searched(world: World) -> None:
    empty = await world.run(SearchPapers(), query="hubble")
    assert empty.content == f"The library is empty.\n{SERVICES_TO_COME}"
    assert not empty.untrusted
    library(world)
    assert SERVICES_TO_COME in (await world.run(SearchPapers(), query="hubble")).content


@pytest.mark.parametrize(
    "bad",
    [
        {},
        {"query": "x", "limit": 0},
        {"query": "x", "limit": 51},
        {"query": "x", "offset": -1},
        {"query": "x", "year": "last year"},
        {"query": "x", "year": True},
        {"query": "x", "sort": "citations"},
        {"query": "x" * 2001},
    ],
)
def test_that_arguments_without_sense_are_refused(bad: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        SearchPapersArgs.model_validate(bad)


@pytest.mark.parametrize("query", ['"', "\x00", "a" * 2000, "NEAR(", "title:", "-", "' OR 1=1 --", "年"])
async def test_that_any_query_is_answered(world: World, query: str) -> None:
    library(world)
    assert not (await world.run(SearchPapers(), query=query)).is_error


# -- one paper ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    [
        "arXiv:1604.01424v3",
        "https://arxiv.org/abs/1604.01424",
        "10.3847/0004-637X/826/1/56",
        "https://doi.org/10.3847/0004-637x/826/1/56",
        TITLE,
    ],
)
async def test_that_a_paper_answers_to_all_its_names(world: World, name: str) -> None:
    riess, _ = library(world)
    output = await world.run(GetPaperMetadata(), paper=name)
    assert output.metadata["paper_id"] == riess
    for part in (
        f"title: {TITLE}",
        "year: 2016",
        "journal: ApJ 826, 56",
        "abstract: We use Cepheids",
        "passages",
    ):
        assert part in output.content
    assert output.untrusted


async def test_that_what_is_not_known_is_said(world: World) -> None:
    _, planck = library(world)
    output = await world.run(GetPaperMetadata(), paper=planck)
    assert "not known: journal" in output.content.replace("type, ", "")
    assert "abstract" in output.content.splitlines()[-1]


async def test_that_a_long_list_of_authors_is_counted(world: World) -> None:
    paper = world.add_paper("Planck results", authors=[f"A. Author{n}" for n in range(3000)])
    output = await world.run(GetPaperMetadata(), paper=paper)
    assert "and 2980 more" in output.content
    assert len(output.content) < 2000


@pytest.mark.parametrize(
    "name", ["nobodyyy", "arXiv:9999.99999", "10.1/none", "No such title at all", "\x00"]
)
async def test_that_an_unknown_paper_has_a_way_out(world: World, name: str) -> None:
    library(world)
    with pytest.raises(NotFoundError) as raised:
        await world.run(GetPaperMetadata(), paper=name)
    assert "search_papers" in raised.value.hint


async def test_that_a_title_of_several_papers_is_answered_with_their_ids(world: World) -> None:
    ids = {world.add_paper("Cepheids in the halo of M31", year=year) for year in (2001, 2011)}
    with pytest.raises(NotFoundError) as raised:
        await world.run(GetPaperMetadata(), paper="Cepheids in the halo")
    assert all(paper in raised.value.hint for paper in ids)


async def test_that_a_paper_with_a_file_is_not_downloaded_again(world: World) -> None:
    riess, _ = library(world)
    output = await world.run(DownloadPaper(), paper="arXiv:1604.01424")
    assert output.metadata == {"paper_id": riess, "status": "duplicate", "files": 1}
    assert "already" in output.content


@pytest.mark.parametrize("offline", [True, False])
async def test_that_downloading_says_that_it_is_to_come_and_what_to_do(world: World, offline: bool) -> None:
    _, planck = library(world)
    world.overrides = {"offline": offline}
    for name in (planck, "arXiv:2301.00001"):
        with pytest.raises(NotAvailableError) as raised:
            await world.run(DownloadPaper(), paper=name)
        assert ("Offline is on" in raised.value.message) == offline
        assert "drop it on the window" in raised.value.hint


async def test_that_parsing_tells_how_well_a_paper_is_read(world: World) -> None:
    riess, planck = library(world)
    output = await world.run(ParsePaper(), paper=riess)
    assert output.content.startswith("paper.md is read: 1 pages, 1 passages.")
    assert output.metadata["indexed"] is True
    with pytest.raises(NotAvailableError):
        await world.run(ParsePaper(), paper=planck)
    with pytest.raises(NotAvailableError) as raised:
        await world.run(ParsePaper(), paper=riess, engine="mineru")
    assert "mineru" in raised.value.message


@pytest.mark.parametrize(
    ("status", "way_out"),
    [("needs_password", "password"), ("no_text", "OCR"), ("damaged", "repair"), ("", "import queue")],
)
async def test_that_a_file_that_was_not_read_says_why_and_what_to_do(
    world: World, status: str, way_out: str
) -> None:
    paper = world.add_paper("A closed book")
    world.library.files.add(
        paper, sha256="x", path="x.pdf", original_name="x.pdf", size=1, pages=3, status=status
    )
    output = await world.run(ParsePaper(), paper=paper)
    assert output.is_error
    assert way_out in output.content


# -- objects --------------------------------------------------------------------------------------


async def test_that_objects_say_what_is_to_come_and_who_names_them(world: World) -> None:
    library(world)
    output = await world.run(QueryTarget(), names=["NGC 4258", "M 87"])
    assert output.is_error
    assert output.metadata["code"] == "not_available"
    assert output.metadata["mentions"] == {"NGC 4258": ["Riess+ 2016"], "M 87": []}
    assert "NGC 4258: named in Riess+ 2016." in output.content
    assert "M 87: named in no paper of the library." in output.content
    assert "never from memory" in output.content


@pytest.mark.parametrize("bad", [{}, {"name": "M31", "names": ["M33"]}, {"names": []}, {"name": ""}])
def test_that_one_name_or_several_are_asked_for(bad: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        QueryTargetArgs.model_validate(bad)
