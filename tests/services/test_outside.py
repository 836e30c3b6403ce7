"""Outside MCP servers, against a real one in a process of its own."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import psutil
import pytest

from app.agent.tools.outside import OutsideTool, problem, tool_name
from app.services import outside
from app.services.outside import MOST_CHARS, OutsideServer, OutsideServerError, OutsideSpec
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


HOSTILE = ECHO.with_name("mcp_hostile.py")


def _hostile(mode: str) -> OutsideServer:
    return OutsideServer(McpServer(name="evil", command=(sys.executable, str(HOSTILE), mode), timeout_s=20))


@pytest.mark.parametrize("mode", ["pages", "silent"])
async def test_that_a_server_whose_list_never_ends_is_told(
    mode: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outside, "START_TIMEOUT_S", 3.0)
    server = _hostile(mode)
    with pytest.raises(OutsideServerError, match="could not list its tools"):
        await server.tools()
    await server.close()


async def test_that_tools_that_would_fill_the_prompt_are_left_out() -> None:
    server = _hostile("large")
    specs = await server.tools()
    await server.close()
    assert specs[0].name == "do"
    assert {"huge", "deep"} <= set(server.left_out)
    assert sum(len(spec.description) + len(str(spec.schema)) for spec in specs) <= MOST_CHARS * 1.1


async def test_that_a_reply_is_not_tried_against_the_servers_own_patterns() -> None:
    server = _hostile("pattern")
    await server.tools()
    async with asyncio.timeout(20):
        reply = await server.call("do", {"x": "1"}, _quiet)
    await server.close()
    assert reply.text == "did it"


@pytest.mark.skipif(sys.platform != "linux", reason="other systems do not tell what a program has started")
async def test_that_nothing_that_a_server_started_outlives_it() -> None:
    server = _hostile("children")
    await server.tools()
    assert len(_sleepers()) == 2
    await server.close()
    assert not _sleepers()


def _sleepers() -> list[psutil.Process]:
    return [p for p in psutil.process_iter(["cmdline"]) if p.info["cmdline"] == ["sleep", "98765"]]


def test_that_a_servers_schema_can_neither_keep_us_busy_nor_reach_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    reached: list[object] = []
    monkeypatch.setattr("urllib.request.urlopen", lambda *given, **_named: reached.append(given))
    again = {"allOf": [{"$ref": "#/$defs/a"}, {"$ref": "#/$defs/a"}]}
    schema = {
        "type": "object",
        "properties": {
            "word": {"type": "string", "pattern": "^(a+)+$"},
            "far": {"$ref": "http://127.0.0.1:9/x"},
            "deep": {"$ref": "#/$defs/a"},
        },
        "$defs": {"a": again},
    }
    assert problem({"word": "a" * 60 + "!", "far": 1, "deep": {}}, schema) == ""
    assert not reached


def test_that_names_types_and_choices_are_checked_at_first_sight() -> None:
    properties = {"n": {"type": ["integer", "null"]}, "kind": {"enum": ["a", "b"]}, "on": {"type": "boolean"}}
    schema = {"type": "object", "properties": properties, "additionalProperties": False}
    assert problem({"n": None, "kind": "a", "on": True}, schema) == ""
    assert problem({"n": 2.0}, schema) == ""
    assert "not of type integer or null" in problem({"n": True}, schema)
    assert "not one of" in problem({"kind": "c"}, schema)
    assert "'m' is unknown" in problem({"m": 1}, schema)
    assert problem({"n": 1}, {"properties": [1], "required": "n"}) == ""
    assert problem({"n": 1}, {"properties": {"n": {"type": "colour"}}}) == ""
