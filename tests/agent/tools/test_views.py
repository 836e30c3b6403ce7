"""Which tools small models are shown."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.agent.tools import ToolRegistry
from app.agent.tools.memory import SaveMemory
from app.agent.tools.views import CORE, TOPICS, USUAL, chosen, view


@pytest.fixture(scope="module")
def registry() -> ToolRegistry:
    full = ToolRegistry.new_with_team()
    full.add_tool(SaveMemory())
    return full


NAMES = [*ToolRegistry.new_with_team().names(), "save_memory"]


def test_that_without_a_limit_all_tools_are_shown(registry: ToolRegistry) -> None:
    assert view(registry, None, ["hello"]) is registry
    assert view(registry, 100, ["hello"]) is registry


def test_that_small_models_see_the_core_first(registry: ToolRegistry) -> None:
    assert view(registry, 4, []).names() == sorted(CORE)
    assert view(registry, 0, ["download it"]).names() == []
    assert {*CORE} < set(view(registry, 10, ["Write a poem into a file"]).names())


def test_that_every_tool_can_come_into_view() -> None:
    reachable = {*CORE, *USUAL, *(tool for topic in TOPICS for tool in topic.tools)}
    assert reachable == set(NAMES)


@pytest.mark.parametrize(
    ("text", "tool"),
    [
        ("What are the coordinates of M 31?", "query_target"),
        ("Where in the sky is NGC 5139?", "query_target"),
        ("Please download 2401.01234 and read it", "download_paper"),
        ("Make a note on page 3", "save_note"),
        ("List the files in the project folder", "glob_files"),
        ("Write this into draft.tex", "file_write"),
        ("Run the script and plot it", "run_bash"),
        ("Remember that I work on Cepheids", "save_memory"),
        ("Use the review skill", "load_skill"),
        ("Do it in the background meanwhile", "bg_task_run"),
        ("Ask a teammate to check", "spawn_teammate"),
        ("M31的坐标是什么？", "query_target"),
        ("下载这篇论文的全文", "download_paper"),
        ("把结果写入文件", "file_write"),
        ("记住我研究造父变星", "save_memory"),
        ("call bg_task_check now", "bg_task_check"),
    ],
)
def test_that_what_is_talked_about_brings_its_tools(text: str, tool: str) -> None:
    assert tool in chosen(NAMES, 10, [text])


def test_that_talk_of_nothing_new_changes_nothing() -> None:
    before = chosen(NAMES, 8, ["Download 2401.01234"])
    after = chosen(NAMES, 8, ["Download 2401.01234", "Thank you, and which value do they give?"])
    assert set(after) == set(before)


def test_that_the_newest_topic_has_room_first() -> None:
    said = ["Run the script", "Make a plan", "Remember that", "Ask a teammate", "Write it into a file"]
    shown = chosen(NAMES, 7, said)
    assert {"file_write", "read_file"} <= set(shown)
    assert "run_bash" not in shown


def test_that_a_tool_of_an_outside_server_comes_when_its_words_fall() -> None:
    names = [*NAMES, "mcp_zotero_get_items"]
    assert "mcp_zotero_get_items" in chosen(names, 8, ["Look it up in Zotero"])
    assert "mcp_zotero_get_items" not in chosen(names, 8, ["Get the coordinates of M 31"])


@given(st.lists(st.text(max_size=60), max_size=6), st.integers(0, 30), st.sets(st.sampled_from(NAMES)))
def test_that_a_view_is_within_the_limit_of_what_is_there_and_always_the_same(
    said: list[str], limit: int, names: set[str]
) -> None:
    shown = chosen(names, limit, said)
    assert len(shown) == len(set(shown)) <= limit
    assert set(shown) <= names
    assert shown == chosen(sorted(names, reverse=True), limit, said)
    core = [name for name in CORE if name in names]
    assert list(shown[: len(core)]) == core[:limit]
