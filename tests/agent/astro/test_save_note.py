"""save_note marks words where they stand, on the page given or on the right one, and nowhere else."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from app.agent.tools.astro.note import Color, SaveNote, SaveNoteArgs
from app.errors import NotFoundError
from app.library.notes import COLORS
from tests.fakes.agent_world import World

TEXT = [("Results", ["The period is 331.4 ± 0.8 days.", "The amplitude is 0.72 mag."])]


async def test_that_a_note_is_kept_with_its_words_page_and_colour(world: World) -> None:
    paper = world.add_paper("Lantern 42", TEXT)
    output = await world.run(
        SaveNote(), paper=paper, quote="amplitude is  0.72 mag", text="Check this.", page=1, color="green"
    )
    (note,) = world.library.notes.of_paper(paper)
    assert (note.anchor.quote, note.text, note.color) == ("amplitude is 0.72 mag", "Check this.", "green")
    assert output.content == "Saved on page=1, green: “amplitude is 0.72 mag”."
    assert output.metadata["note_id"] == note.note_id


async def test_that_a_wrong_page_does_not_move_a_quote(world: World) -> None:
    paper = world.add_paper("Lantern 42", TEXT)
    for wrong in (0, 77):
        output = await world.run(SaveNote(), paper=paper, quote="The amplitude is 0.72 mag", page=wrong)
        assert output.metadata["page"] == 1
        assert f"(not on page={wrong})" in output.content


async def test_that_words_that_stand_nowhere_make_no_note(world: World) -> None:
    paper = world.add_paper("Lantern 42", TEXT)
    with pytest.raises(NotFoundError):
        await world.run(SaveNote(), paper=paper, quote="Dark energy is a cosmological constant", page=0)
    assert world.library.notes.of_paper(paper) == []


@pytest.mark.parametrize("bad", [{"quote": ""}, {"color": "mauve"}, {"page": -1}, {"text": "x" * 20_001}])
def test_that_notes_of_another_shape_are_refused(bad: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        SaveNoteArgs.model_validate({"paper": "p", "quote": "q", **bad})


def test_that_the_colours_are_those_of_the_library() -> None:
    assert Color.__args__ == COLORS  # type: ignore[attr-defined]
