"""How many tools there are, and what each says of itself."""

from __future__ import annotations

import pytest

from app.agent.tools import AgentTool, ToolRegistry
from app.agent.tools.filesystem.read import ReadFile
from app.agent.tools.memory import SaveMemory
from app.agent.tools.tool import InterruptBehavior

ASTRO = {
    "download_paper", "get_paper_content", "get_paper_metadata", "parse_paper", "query_target", "rag_search",
    "save_note", "search_papers",
}  # fmt: skip
FILES = {"file_edit", "file_write", "glob_files", "grep_files", "read_file", "run_bash"}
OWN = {"ask_user", "compress_context", "load_skill", "subagent", "todo_write"}
BACKGROUND = {"bg_task_check", "bg_task_run"}
TEAM = {"check_team_inbox", "send_teammate_message", "spawn_teammate", "team_broadcast"}


class AnotherReader(ReadFile):
    """In the place of ours."""

    description = "Other."


def test_that_the_registries_have_0_19_21_and_25_tools_and_memory_is_added() -> None:
    assert len(ToolRegistry.empty()) == 0
    assert set(ToolRegistry.new().names()) == ASTRO | FILES | OWN
    assert len(ToolRegistry.new()) == 19
    assert set(ToolRegistry.new_with_queue().names()) == ASTRO | FILES | OWN | BACKGROUND
    assert len(ToolRegistry.new_with_queue()) == 21
    full = ToolRegistry.new_with_team()
    assert set(full.names()) == ASTRO | FILES | OWN | BACKGROUND | TEAM
    assert len(full) == 25
    full.add_tool(SaveMemory())
    assert len(full) == 26


def test_that_a_tool_is_added_once_and_replaced_only_where_there_is_one() -> None:
    registry = ToolRegistry.new()
    with pytest.raises(ValueError, match="read_file"):
        registry.add_tool(AnotherReader())
    registry.replace_tool(AnotherReader())
    assert isinstance(registry.get("read_file"), AnotherReader)
    assert len(registry) == 19
    assert next(spec for spec in registry.definitions() if spec.name == "read_file").description == "Other."
    with pytest.raises(KeyError):
        ToolRegistry.empty().replace_tool(AnotherReader())


def test_that_views_are_narrower_and_leave_the_registry_as_it_is() -> None:
    registry = ToolRegistry.new_with_team()
    view = registry.only(["read_file", "nothing", "grep_files"])
    assert view.names() == ["grep_files", "read_file"]
    assert "run_bash" not in registry.without(lambda tool: tool.name == "run_bash")
    assert len(registry) == 25


def test_that_what_writes_for_good_is_not_cut_in_the_middle() -> None:
    blocking = {
        tool.name
        for tool in (*ToolRegistry.new_with_team(), SaveMemory())
        if tool.interrupt_behavior() is InterruptBehavior.BLOCK
    }
    assert blocking >= {"ask_user", "file_edit", "file_write", "save_memory", "save_note"}


def test_that_what_every_tool_says_of_itself_is_usable() -> None:
    for tool in (*ToolRegistry.new_with_team(), SaveMemory()):
        assert isinstance(tool, AgentTool)
        assert tool.name.replace("_", "").isalpha()
        assert tool.name.islower()
        assert tool.description.strip()
        assert tool.parameters()["type"] == "object"
