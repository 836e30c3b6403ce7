"""Outside MCP servers, against a real one in a process of its own."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from pathlib import Path

import psutil
import pytest

from app.agent.tools.outside import OutsideTool, problem, tool_name
from app.services.outside import OutsideServer, OutsideServerError, OutsideSpec
from app.settings import McpServer

ECHO = Path(__file__).parents[1] / "fakes" / "mcp_echo.py"


def _quiet(_share: float | None, _words: str) -> None:
    return None


@pytest.fixture
async def server(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[OutsideServer]:
    monkeypatch.setenv("ASTRORESEARCH_LLM__API_KEY", "sk-secret")
    made = OutsideServer(McpServer(name="echo", command=(sys.executable, str(ECHO))))
    yield made
    await made.close()
    assert not [p for p in psutil.Process().children(recursive=True) if ECHO.name in " ".join(p.cmdline())]


async def test_that_a_server_lists_its_tools_and_answers(server: OutsideServer) -> None:
    specs = await server.tools()
    assert [spec.name for spec in specs] == ["echo", "fail.now", "die"]
    reply = await server.call("echo", {"words": "星", "times": 2}, _quiet)
    assert reply.text.startswith("星星")
    assert not reply.is_error


async def test_that_a_server_sees_none_of_our_secrets(server: OutsideServer) -> None:
    reply = await server.call("echo", {"words": "x"}, _quiet)
    assert "no key" in reply.text
    assert "sk-secret" not in reply.text


async def test_that_a_failing_tool_is_an_error_result_and_not_an_exception(server: OutsideServer) -> None:
    reply = await server.call("fail.now", {}, _quiet)
    assert reply.is_error
    assert reply.text == "it failed"


async def test_that_a_server_that_dies_is_told_and_started_again(server: OutsideServer) -> None:
    with pytest.raises(OutsideServerError, match="MCP server echo could not run die"):
        await server.call("die", {}, _quiet)
    reply = await server.call("echo", {"words": "again"}, _quiet)
    assert reply.text.startswith("again")


async def test_that_a_program_that_is_not_there_is_told_with_the_way_out() -> None:
    server = OutsideServer(McpServer(name="gone", command=("no-such-program-at-all",)))
    with pytest.raises(OutsideServerError, match="MCP server gone could not start") as caught:
        await server.tools()
    assert "mcp_servers" in caught.value.hint
    await server.close()


async def test_that_a_program_that_speaks_no_mcp_is_told() -> None:
    server = OutsideServer(McpServer(name="mute", command=(sys.executable, "-c", "print('hello')")))
    with pytest.raises(OutsideServerError, match="MCP server mute"):
        await server.tools()
    await server.close()


def test_that_arguments_are_checked_against_the_servers_own_schema() -> None:
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    assert "'n' is a required property" in problem({}, schema)
    assert "['n']" in problem({"n": "three"}, schema)
    assert problem({"n": 3}, schema) == ""
    assert problem({"n": 3}, {"type": 12}) == ""


def test_that_names_of_outside_tools_fit_every_provider() -> None:
    spec = OutsideSpec("echo", "weird.name/with spaces" * 5, "", {})
    name = tool_name(spec)
    assert name.startswith("mcp_echo_weird_name_with_spaces")
    assert len(name) <= 64
    tool = OutsideTool(OutsideServer(McpServer(name="echo", command=("x",))), spec)
    assert tool.parameters() == {"type": "object", "properties": {}}
