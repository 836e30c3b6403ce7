"""What of the library is private: a paper without a public identifier is taken for a draft."""

from __future__ import annotations

import pytest

from app.agent.tools.astro.content import GetPaperContent
from app.agent.tools.astro.metadata import GetPaperMetadata
from app.agent.tools.astro.rag import RagSearch
from app.records.identifiers import Identifier
from tests.fakes.agent_world import World

TEXT = [("Abstract", ["The period of the star is 331.4 days."]), ("1. Results", ["It is stable."])]


@pytest.mark.parametrize(("known", "private"), [
    ((), True), ((Identifier("isbn", "9780000000000"),), True), ((Identifier("arxiv", "2101.00001"),), False),
    ((Identifier("doi", "10.1000/x"),), False), ((Identifier("bibcode", "2016ApJ...826...56R"),), False),
])  # fmt: skip
async def test_that_the_text_of_a_draft_is_private(
    world: World, known: tuple[Identifier, ...], private: bool
) -> None:
    paper = world.add_paper("A star", TEXT, identifiers=known)
    outputs = [
        await world.run(GetPaperContent(), paper=paper),
        await world.run(GetPaperContent(), paper=paper, offset=0),
        await world.run(GetPaperMetadata(), paper=paper),
        await world.run(RagSearch(), question="period of the star"),
    ]
    assert [output.private for output in outputs] == [private] * 4


async def test_that_one_draft_among_the_passages_makes_them_private(world: World) -> None:
    world.add_paper("Known", TEXT, identifiers=(Identifier("arxiv", "2101.00001"),))
    world.add_paper("Draft", TEXT, name="draft.md")
    output = await world.run(RagSearch(), question="period of the star")
    assert len(output.metadata["hits"]) > 1
    assert output.private
