"""load_skill: read inline, or carried out by a sub-agent when the skill says so."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.agent.skills import SkillRegistry
from app.agent.tools.skill import FORK_STEPS, MAX_CHARS, LoadSkill, LoadSkillArgs
from app.errors import NotFoundError
from tests.fakes.agent_world import World


def skills(folder: Path, **bodies: str) -> SkillRegistry:
    for name, body in bodies.items():
        (folder / name).mkdir(parents=True)
        fork = "context: fork\n" if name == "forked" else ""
        text = f"---\nname: {name}\ndescription: d\n{fork}---\n{body}\n"
        (folder / name / "SKILL.md").write_text(text, encoding="utf-8")
    return SkillRegistry([(folder, "user")])


async def test_that_instructions_are_returned_whole(world: World, tmp_path: Path) -> None:
    """Trap 0.1: a skill is never put on disk in place of being read."""
    tool = LoadSkill(skills(tmp_path, review="x" * 20_000 + " About $ARGUMENTS."))
    output = await world.run(tool, name="review", arguments="H0")
    assert output.content.startswith('<skill name="review">\nxxx')
    assert output.content.endswith("About H0.\n</skill>")
    assert output.metadata == {"skill": "review", "mode": "inline", "origin": "user"}
    assert tool.pages
    assert not output.untrusted


async def test_that_a_skill_too_long_says_where_the_rest_is(world: World, tmp_path: Path) -> None:
    output = await world.run(LoadSkill(skills(tmp_path, review="y" * (MAX_CHARS + 9))), name="review")
    assert "read_file" in output.content
    assert str(tmp_path / "review" / "SKILL.md") in output.content


async def test_that_files_of_a_skill_are_named_with_their_folder(world: World, tmp_path: Path) -> None:
    tool = LoadSkill(skills(tmp_path, review="Use the form."))
    (tmp_path / "review" / "form.md").write_text("x", encoding="utf-8")
    output = await world.run(tool, name="review")
    assert f"Its folder is {tmp_path / 'review'}" in output.content
    assert "- form.md" in output.content


async def test_that_a_forked_skill_runs_in_a_sub_agent(world: World, tmp_path: Path) -> None:
    """Bug 35: `context: fork` is not ignored; only the summary returns."""
    output = await world.run(
        LoadSkill(skills(tmp_path, forked="Compare $ARGUMENTS.")), name="forked", arguments="H0"
    )
    (child,) = world.children.asked
    assert (child.task, child.name, child.max_steps) == ("H0", "forked", FORK_STEPS)
    assert "Compare H0." in child.instructions
    assert output.content == "It is done [1]."
    assert output.metadata["mode"] == "fork"
    assert output.untrusted


async def test_that_a_sub_agent_does_not_fork_again(world: World, tmp_path: Path) -> None:
    output = await world.run(LoadSkill(skills(tmp_path, forked="Compare.")), depth=1, name="forked")
    assert world.children.asked == []
    assert "Compare." in output.content


def test_that_only_reading_may_run_beside_others(tmp_path: Path) -> None:
    """Trap 0.7: a sub-agent may write, so safety depends on the arguments."""
    tool = LoadSkill(skills(tmp_path, forked="a", inline="b"))
    assert tool.is_concurrency_safe(LoadSkillArgs(name="inline"))
    assert not tool.is_concurrency_safe(LoadSkillArgs(name="forked"))
    assert tool.is_concurrency_safe(LoadSkillArgs(name="unknown"))


def test_that_the_schema_names_the_skills(tmp_path: Path) -> None:
    tool = LoadSkill(skills(tmp_path, beta="b", alpha="a"))
    assert tool.parameters()["properties"]["name"]["enum"] == ["alpha", "beta"]
    assert "enum" not in LoadSkill().parameters()["properties"]["name"]


async def test_that_without_skills_it_says_so(world: World) -> None:
    output = await world.run(LoadSkill(), name="review")
    assert output.is_error
    assert "No skill is installed" in output.content


async def test_that_an_unknown_skill_is_answered_with_the_names(world: World, tmp_path: Path) -> None:
    with pytest.raises(NotFoundError) as raised:
        await world.run(LoadSkill(skills(tmp_path, review="x")), name="revue")
    assert "review" in raised.value.hint
