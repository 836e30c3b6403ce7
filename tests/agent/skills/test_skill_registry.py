"""Skills of the program and of the person: found, told apart, and named to the model in the same words."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from app.agent.skills import MAX_SKILLS, SkillRegistry, builtin_folder, user_folder
from app.errors import NotFoundError

HEADER = "---\nname: {name}\ndescription: {description}\n{more}---\n{body}\n"


def write(folder: Path, name: str, *, body: str = "Do it.", description: str = "d", more: str = "") -> Path:
    (folder / name).mkdir(parents=True, exist_ok=True)
    path = folder / name / "SKILL.md"
    text = HEADER.format(name=name, description=description, more=more, body=body)
    path.write_text(text, encoding="utf-8")
    return path


def test_that_a_home_without_skills_has_the_built_in_ones(home: Path) -> None:
    skills = SkillRegistry.for_home(home)
    assert len(skills.skills) == 5
    assert {skill.origin for skill in skills.skills} == {"built-in"}
    assert skills.diagnostics == ()
    assert skills.folders == (builtin_folder(), user_folder(home))


def test_that_a_skill_of_the_person_wins_over_a_built_in_one(home: Path) -> None:
    write(user_folder(home), "literature-review", body="My way.")
    skills = SkillRegistry.for_home(home)
    assert skills.get("literature-review").instructions() == "My way."
    (said,) = skills.diagnostics
    assert (said.level, said.skill) == ("info", "literature-review")
    assert skills.notices() == []


def test_that_broken_skills_are_said_and_the_others_stay(tmp_path: Path) -> None:
    """Bug 35: one broken file costs itself alone, visibly."""
    write(tmp_path, "good")
    (tmp_path / "empty").mkdir()
    (tmp_path / "latin").mkdir()
    (tmp_path / "latin" / "SKILL.md").write_bytes(b"---\nname: latin\ndescription: \xe9\xff\n---\nx")
    (tmp_path / "huge").mkdir()
    (tmp_path / "huge" / "SKILL.md").write_bytes(b"x" * 1_000_001)
    (tmp_path / "dir" / "SKILL.md").mkdir(parents=True)
    (tmp_path / ".hidden").mkdir()
    (tmp_path / "readme.txt").write_text("not a folder", encoding="utf-8")
    skills = SkillRegistry([(tmp_path, "user")])
    assert skills.names() == ["good"]
    assert sorted(d.skill for d in skills.diagnostics) == ["dir", "empty", "huge", "latin"]
    assert all(d.level == "error" and d.message for d in skills.diagnostics)
    notices = [notice.message for notice in skills.notices()]
    assert len(notices) == 4
    assert "Skill “empty”: The folder holds no file SKILL.md." in notices


@pytest.mark.skipif(sys.platform == "win32", reason="there are no named pipes in folders there")
def test_that_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    (tmp_path / "pipe").mkdir()
    os.mkfifo(tmp_path / "pipe" / "SKILL.md")
    assert SkillRegistry([(tmp_path, "user")]).names() == []


def test_that_too_many_skills_are_cut_and_said(tmp_path: Path) -> None:
    for number in range(MAX_SKILLS + 3):
        write(tmp_path, f"s{number:04}")
    skills = SkillRegistry([(tmp_path, "user")])
    assert len(skills.skills) == MAX_SKILLS
    assert str(MAX_SKILLS) in skills.diagnostics[0].message


def test_that_the_catalogue_is_the_same_bytes_until_it_is_read_again(tmp_path: Path) -> None:
    """Bug 40: what stands at the head of the prompt does not change within a session."""
    write(tmp_path, "b-skill", description="Second")
    write(tmp_path, "a-skill", description="First")
    skills = SkillRegistry([(tmp_path, "user")])
    before = skills.catalogue()
    assert before.endswith("- a-skill: First\n- b-skill: Second")
    write(tmp_path, "c-skill")
    assert skills.catalogue() == before
    skills.reload()
    assert "c-skill" in skills.catalogue()
    assert SkillRegistry([(tmp_path, "user")]).catalogue() == skills.catalogue()


def test_that_a_skill_kept_from_the_model_is_found_by_name_alone(tmp_path: Path) -> None:
    write(tmp_path, "mine", more="disable-model-invocation: true\n")
    skills = SkillRegistry([(tmp_path, "user")])
    assert skills.names() == []
    assert skills.catalogue() == ""
    assert skills.get("/Mine").name == "mine"


def test_that_an_unknown_name_is_answered_with_those_there_are(tmp_path: Path) -> None:
    write(tmp_path, "good")
    with pytest.raises(NotFoundError) as raised:
        SkillRegistry([(tmp_path, "user")]).get("god")
    assert "good" in raised.value.hint


def test_that_a_broken_skill_is_not_called_unknown(tmp_path: Path) -> None:
    """Bug 35: who asks for it is told what is wrong with it."""
    write(tmp_path, "broken", body="")
    with pytest.raises(NotFoundError) as raised:
        SkillRegistry([(tmp_path, "user")]).get("broken")
    assert "no instructions" in raised.value.message


def test_that_arguments_stand_where_the_skill_wants_them(tmp_path: Path) -> None:
    write(tmp_path, "placed", body="About $ARGUMENTS, please.")
    write(tmp_path, "plain", body="Do it.")
    skills = SkillRegistry([(tmp_path, "user")])
    assert skills.get("placed").instructions("H0 \\1 $&") == "About H0 \\1 $&, please."
    assert skills.get("placed").instructions() == "About (none given), please."
    assert skills.get("plain").instructions(" H0 ") == "Do it.\n\nArguments: H0"
    assert skills.get("plain").instructions() == "Do it."


def test_that_the_other_files_of_a_skill_are_listed(tmp_path: Path) -> None:
    write(tmp_path, "rich")
    (tmp_path / "rich" / "forms").mkdir()
    (tmp_path / "rich" / "forms" / "report.md").write_text("x", encoding="utf-8")
    (tmp_path / "rich" / ".secret").write_text("x", encoding="utf-8")
    assert SkillRegistry([(tmp_path, "user")]).get("rich").resources() == ("forms/report.md",)
