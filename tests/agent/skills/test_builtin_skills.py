"""The five skills that come with the program: whole, and speaking only of tools that there are."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from app.agent.skills import Skill, SkillRegistry
from app.agent.tools.memory import SaveMemory
from app.agent.tools.registry import ToolRegistry
from app.library import query

NAMES = [
    "arxiv-digest",
    "compare-measurements",
    "literature-review",
    "proposal-background",
    "referee-reading",
]


def skill(name: str) -> Skill:
    return SkillRegistry.for_home(Path("nowhere")).get(name)


def test_that_these_five_come_with_the_program() -> None:
    assert SkillRegistry.for_home(Path("nowhere")).names() == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_that_a_skill_names_only_tools_there_are(name: str) -> None:
    tools = {*ToolRegistry.new().names(), SaveMemory.name}
    named = set(re.findall(r"`([a-z]+_[a-z_]+|subagent)`", skill(name).text.body))
    assert named
    assert named <= tools


@pytest.mark.parametrize("name", NAMES)
def test_that_a_skill_asks_for_citations_and_admits_gaps(name: str) -> None:
    body = skill(name).text.body
    assert "[n]" in body
    assert re.search(r"lack|not the whole|could not be checked|not from the library", body, re.IGNORECASE)


@pytest.mark.parametrize("name", NAMES)
def test_that_a_skill_fits_a_small_context_and_takes_arguments(name: str) -> None:
    text = skill(name).text
    assert len(text.body) < 6500
    assert "$ARGUMENTS" in text.body
    assert text.argument_hint
    assert len(text.description) < 400


@pytest.mark.parametrize("name", NAMES)
def test_that_the_filters_it_names_are_understood(name: str) -> None:
    for named in re.findall(r'"((?:has|is):[a-z]+)"', skill(name).text.body):
        assert named in query.parse(f"{named} ").flags
