"""get_paper_content and rag_search: numbered passages, cut to what a model can read, cited and checked."""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace

import pytest

from app.agent.evidence import Evidence
from app.agent.tools.astro.content import GetPaperContent
from app.agent.tools.astro.download import NotAvailableError
from app.agent.tools.astro.papers import fitting, room
from app.agent.tools.astro.rag import RagSearch
from app.errors import ModelError, NotFoundError, UsageError
from app.records.ids import PaperId, PassageId
from app.records.passage import PassageHit
from app.services import verify
from tests.fakes.agent_world import World

PAPER = [
    ("Abstract", ["We report the pulsation of the variable star Lantern 42."]),
    ("1. Observations", ["The star was observed on 41 nights with the 60 cm telescope."]),
    (
        "2. Results",
        [
            "A Fourier fit gives a pulsation period of 331.4 ± 0.8 days.",
            "The full amplitude is 0.72 ± 0.02 mag.",
        ],
    ),
    ("References", ["Nakamura, A. 2019, a list of pulsating stars with periods in days."]),
]


@dataclass
class Model:
    context: int

    @property
    def info(self) -> SimpleNamespace:
        if self.context < 0:
            raise ModelError("The file of the model is gone.")
        return SimpleNamespace(context_tokens=self.context)


def lantern(world: World) -> PaperId:
    return world.add_paper("The star Lantern 42", PAPER, authors=["Ada Nakamura", "Lin Wei"], year=2026)


async def test_that_a_paper_shows_its_outline_and_abstract_first(world: World) -> None:
    paper = lantern(world)
    output = await world.run(GetPaperContent(), paper=paper)
    assert output.content.startswith("Nakamura")
    assert "- 2. Results (pages=2-3," in output.content
    assert "[1] p. 1 (page=0): We report the pulsation" in output.content
    assert "331.4" not in output.content
    assert output.metadata["sections"] == ["Abstract", "1. Observations", "2. Results", "References"]
    assert output.untrusted


async def test_that_a_paper_without_a_marked_abstract_shows_how_it_begins(world: World) -> None:
    paper = world.add_paper("A letter", [("", ["Dear editor, we have seen a comet.", "It was bright."])])
    output = await world.run(GetPaperContent(), paper=paper)
    assert "No abstract is marked; the paper begins:\n[1] p. 1 (page=0): Dear editor" in output.content


async def test_that_a_section_or_pages_are_read_with_numbers_to_cite(world: World) -> None:
    paper = lantern(world)
    section = await world.run(GetPaperContent(), paper=paper, section="Results")
    assert "## 2. Results\n[1] p. 3 (page=2): A Fourier fit" in section.content
    pages = await world.run(GetPaperContent(), paper=paper, pages=[2, 3])
    assert section.content.splitlines()[2:] == pages.content.splitlines()[2:]
    assert [entry["n"] for entry in pages.metadata["evidence"]] == [1, 2]
    both = await world.run(GetPaperContent(), paper=paper, section="2", pages="3")
    assert "0.72" in both.content
    assert "331.4" not in both.content


async def test_that_a_long_paper_is_read_to_its_last_line_in_pages(world: World) -> None:
    """Bug 23: an output that pages is never put on disk, and the end can be reached."""
    texts = [f"Sentence number {n} of the long paper. " + "word " * 150 for n in range(40)]
    paper = world.add_paper("Long", [("Text", texts)])
    world.model = Model(8192)
    offset: int | None = 0
    seen, answers = "", 0
    while offset is not None:
        output = await world.run(GetPaperContent(), paper=paper, offset=offset)
        assert len(output.content) < 1.3 * room(world.context())
        seen += output.content
        offset, answers = output.metadata["next_offset"], answers + 1
    assert all(f"Sentence number {n} of" in seen for n in range(40))
    assert 3 < answers < 12
    assert GetPaperContent.pages
    with pytest.raises(UsageError):
        await world.run(GetPaperContent(), paper=paper, offset=40)


async def test_that_references_are_read_only_when_asked_for(world: World) -> None:
    paper = lantern(world)
    assert "Nakamura, A. 2019" not in (await world.run(GetPaperContent(), paper=paper, offset=0)).content
    assert (
        "Nakamura, A. 2019" in (await world.run(GetPaperContent(), paper=paper, section="References")).content
    )


async def test_that_a_paper_without_text_has_a_way_out(world: World) -> None:
    paper = world.add_paper("Nothing here")
    with pytest.raises(NotAvailableError) as raised:
        await world.run(GetPaperContent(), paper=paper)
    assert "parse_paper" in raised.value.hint


async def test_that_an_unknown_section_is_answered_with_the_headings_as_data(world: World) -> None:
    output = await world.run(GetPaperContent(), paper=lantern(world), section="Reslts")
    assert output.is_error
    assert "2. Results" in output.content
    assert output.untrusted


async def test_that_sections_and_pages_that_do_not_meet_are_said(world: World) -> None:
    with pytest.raises(UsageError):
        await world.run(GetPaperContent(), paper=lantern(world), section="Results", pages="0")


async def test_that_the_latest_file_that_is_read_whole_is_taken(world: World) -> None:
    paper = lantern(world)
    world.add_text(
        paper, "The star Lantern 42", [("Results", ["The second version says 332 days."])], name="v2.md"
    )
    output = await world.run(GetPaperContent(), paper=paper, section="Results")
    assert "332 days" in output.content


# -- searching the text ---------------------------------------------------------------------------


async def test_that_passages_are_numbered_and_cited_sentences_are_proven(world: World) -> None:
    lantern(world)
    output = await world.run(RagSearch(), question="What is the pulsation period of Lantern 42?")
    number = next(
        int(line[1 : line.index("]")]) for line in output.content.split("\n\n") if "331.4 ± 0.8" in line
    )
    assert "p. 3 (page=2), 2. Results:" in output.content
    (sentence,) = verify.check(
        f"The pulsation period of Lantern 42 is 331.4 ± 0.8 days [{number}].",
        world.evidence.hits,
        world.evidence.labels,
    )
    assert sentence.citations[0].label.startswith("Nakamura")
    assert output.untrusted
    assert output.metadata["mode"] == "hybrid"
    assert output.metadata["stages"]["keyword"] > 0
    assert len(output.metadata["hits"]) == len(output.metadata["evidence"])


async def test_that_a_passage_keeps_its_number_from_search_to_search(world: World) -> None:
    lantern(world)
    first = await world.run(RagSearch(), question="pulsation period Fourier")
    second = await world.run(RagSearch(), question="Fourier fit of the pulsation period")
    numbers = {entry["passage_id"]: entry["n"] for entry in first.metadata["evidence"]}
    again = {entry["passage_id"]: entry["n"] for entry in second.metadata["evidence"]}
    assert all(again[key] == number for key, number in numbers.items() if key in again)
    opened = Evidence()
    for output in (first, second):
        opened.restore(output.metadata, lambda key: _found(world, key))
    assert [hit.passage_id for hit in opened.hits] == [hit.passage_id for hit in world.evidence.hits]


def _found(world: World, key: PassageId) -> PassageHit | None:
    try:
        return world.library.passages.get(key)
    except NotFoundError:
        return None


async def test_that_a_search_can_be_narrowed_to_papers(world: World) -> None:
    paper = lantern(world)
    other = world.add_paper("Another star", [("Results", ["The pulsation period is 12 days."])])
    output = await world.run(RagSearch(), question="pulsation period", papers=[other])
    assert "12 days" in output.content
    assert "331.4" not in output.content
    output = await world.run(RagSearch(), question="pulsation period", papers=paper)
    assert "12 days" not in output.content
    with pytest.raises(NotFoundError):
        await world.run(RagSearch(), question="pulsation period", papers=["nobodyyy"])


async def test_that_nothing_found_is_said_with_what_was_searched(world: World) -> None:
    empty = await world.run(RagSearch(), question="pulsation period")
    assert "holds no text yet" in empty.content
    assert not empty.untrusted
    lantern(world)
    nothing = await world.run(RagSearch(), question="xylophone")
    assert "Nothing found: 5 passages were searched" in nothing.content
    assert not nothing.is_error
    assert nothing.metadata["evidence"] == []


async def test_that_a_search_fits_a_small_context_and_says_what_is_left(world: World) -> None:
    """Bug 6: the size of an answer is bounded where it is made."""
    world.model = Model(2048)
    texts = [f"Cepheid number {n} has a long period. " + "word " * 180 for n in range(12)]
    world.add_paper("Cepheids", [("Table", texts)])
    output = await world.run(RagSearch(), question="cepheid period", limit=12)
    assert len(output.content) < 3000
    assert "more fit the question" in output.content


def test_that_room_follows_the_context_and_survives_a_lost_model(world: World) -> None:
    for context, expected in ((2048, 2000), (8192, 6144), (200_000, 12_000), (-1, 6144)):
        world.model = Model(context)
        assert room(world.context()) == expected
    world.model = None
    assert room(world.context()) == 6144
    assert fitting(["a" * 100], 10) == 1
    assert fitting([], 10) == 0
