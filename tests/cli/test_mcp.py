"""`astroresearch mcp`, spoken to by the official client; and outside servers among our own tools."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest
from mcp import Client, StdioServerParameters, stdio_client

from app.agent.asking import NobodyAsker
from app.application import Application

ECHO = Path(__file__).parents[1] / "fakes" / "mcp_echo.py"


@pytest.mark.slow
async def test_that_tools_are_served_to_other_programs_and_nothing_is_allowed_by_itself(home: Path) -> None:
    parameters = StdioServerParameters(
        command=sys.executable, args=["-m", "app", "--home", str(home), "mcp"], env=dict(os.environ)
    )
    with Path(os.devnull).open("w") as nowhere:  # noqa: ASYNC230  opens at once
        async with Client(stdio_client(parameters, errlog=nowhere)) as client:
            names = [tool.name for tool in (await client.list_tools()).tools]
            assert names == sorted(names)
            assert "rag_search" in names
            assert "ask_user" not in names, "nobody can answer here"
            found = await client.call_tool("glob_files", {"pattern": "*"})
            assert not found.is_error
            denied = await client.call_tool("run_bash", {"command": "echo hi"})
            assert denied.is_error
            assert (denied.structured_content or {})["outcome"] == "denied"
            unknown = await client.call_tool("no_such_tool", {})
            assert unknown.is_error


@pytest.mark.slow
async def test_that_an_outside_servers_tools_stand_among_ours_behind_the_same_permissions(home: Path) -> None:
    servers = [{"name": "echo", "command": [sys.executable, str(ECHO)]}]
    async with Application.open(home, agent={"mcp_servers": servers}) as application:
        assert await application.connect_outside() == []
        assert "mcp_echo_echo" in application.registry
        arguments = json.dumps({"words": "hello"})
        denied = await application.run_tool("mcp_echo_echo", arguments)
        assert denied.outcome == "denied"
        said = await application.run_tool("mcp_echo_echo", arguments, asker=NobodyAsker(yes=True))
        assert (said.outcome, said.output.startswith("hello")) == ("succeeded", True)
        assert said.metadata["untrusted"] is True
        wrong = await application.run_tool("mcp_echo_echo", '{"times": 0}', asker=NobodyAsker(yes=True))
        assert wrong.is_error
        assert "schema" in wrong.output


async def test_that_an_outside_server_that_is_not_there_costs_a_notice_and_not_the_turn(home: Path) -> None:
    servers = [{"name": "gone", "command": ["no-such-program-anywhere"]}]
    async with Application.open(home, agent={"mcp_servers": servers}) as application:
        (notice,) = await application.connect_outside()
        assert "gone" in notice.message
        assert len(application.registry) == 26


@pytest.mark.slow
async def test_that_the_calls_of_one_program_know_of_each_other(home: Path) -> None:
    parameters = StdioServerParameters(
        command=sys.executable, args=["-m", "app", "--home", str(home), "mcp", "--yes"], env=dict(os.environ)
    )
    with Path(os.devnull).open("w") as nowhere:  # noqa: ASYNC230  opens at once
        async with Client(stdio_client(parameters, errlog=nowhere)) as client:
            assert not (await client.call_tool("file_write", {"path": "a.txt", "content": "one"})).is_error
            (home / "files" / "a.txt").write_text("changed")
            stale = await client.call_tool("file_write", {"path": "a.txt", "content": "two"})
            assert stale.is_error, "somebody else changed it"
            read = [await client.call_tool("read_file", {"path": "a.txt"}) for _ in range(2)]
            assert read[0].content == read[1].content, "what the other program still sees is not known"
            assert not (await client.call_tool("file_write", {"path": "a.txt", "content": "two"})).is_error
            task = {"tool": "parse_paper", "arguments": {"paper": "nothing"}}
            assert not (await client.call_tool("bg_task_run", task)).is_error
            (begun,) = (await client.call_tool("bg_task_check", {})).structured_content["metadata"]["tasks"]
            assert begun["state"] in ("running", "failed")


async def test_that_untrusted_text_counts_for_the_next_call_of_the_same_program(home: Path) -> None:
    rules = [{"action": "allow", "tool": "file_write"}]
    async with Application.open(home, agent={"permissions": rules}) as application:
        session = await application.agent.begin_calls("another program")
        written = json.dumps({"path": "a.txt", "content": "one"})
        assert (await application.run_tool("file_write", written, session=session)).outcome == "succeeded"
        read = await application.run_tool("read_file", json.dumps({"path": "a.txt"}), session=session)
        assert read.metadata["untrusted"] is True
        written = json.dumps({"path": "b.txt", "content": "one"})
        assert (await application.run_tool("file_write", written, session=session)).outcome == "denied"
        assert (await application.run_tool("file_write", written)).outcome == "succeeded"
