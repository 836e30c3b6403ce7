"""Outside MCP servers: started when first needed, asked for their tools, called, taken down.

Protocol: Model Context Protocol over stdio, through the official `mcp` library. A server gets the
library's short list of harmless environment variables and what its settings say, never our secrets.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.errors import AppError
from app.services.process_group import end_marked, new_mark
from app.services.threads import off_loop
from app.settings import McpServer

if TYPE_CHECKING:
    from mcp import Client, MCPError

MOST_TOOLS = 200
"""Tools of one server at most: a server that lists for ever must not fill the prompt."""
MOST_SCHEMA_CHARS = 20_000
MOST_CHARS = 100_000
"""So much of one server's tools is put before a model at most: names, descriptions and schemas together."""
DESCRIPTION_CHARS = 1000
START_TIMEOUT_S = 30.0
"""Also for the list of its tools."""
_DEEPEST = 40
_CONNECTION_CLOSED = -32000
"""The library's code for a connection that has ended."""

Report = Callable[[float | None, str], None]


class OutsideServerError(AppError):
    """An outside MCP server cannot be started, or does not answer as the protocol says."""

    code = "mcp_server"
    hint = "Check its entry under [agent] mcp_servers in settings.toml, and that its program runs."


@dataclass(frozen=True, slots=True)
class OutsideSpec:
    """A tool of an outside server: its own name there, words and JSON schema."""

    server: str
    name: str
    description: str
    schema: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class OutsideReply:
    """The text of a call's result."""

    text: str
    is_error: bool


class OutsideServer:
    """One server of the settings. A server that has ended is started again by the next call."""

    def __init__(self, settings: McpServer) -> None:
        self.name = settings.name
        self._settings = settings
        self._client: Client | None = None
        self._owner: asyncio.Task[None] | None = None
        self._closing = asyncio.Event()
        self._starting = asyncio.Lock()
        self._mark = new_mark()
        self.left_out: tuple[str, ...] = ()
        """Names of tools that are too large to be put before a model, or too many."""

    async def tools(self) -> tuple[OutsideSpec, ...]:
        """Return what the server offers. Raises OutsideServerError."""
        client = await self._ready()
        specs: list[OutsideSpec] = []
        cursor: str | None = None
        with self._told("list its tools"):
            async with asyncio.timeout(START_TIMEOUT_S):
                while len(specs) <= MOST_TOOLS:
                    page = await client.list_tools(cursor=cursor)
                    specs += [
                        OutsideSpec(
                            self.name,
                            tool.name,
                            " ".join((tool.description or "").split())[:DESCRIPTION_CHARS],
                            tool.input_schema,
                        )
                        for tool in page.tools
                    ]
                    cursor = page.next_cursor
                    if cursor is None:
                        break
        kept = bearable(specs)
        self.left_out = tuple(spec.name for spec in specs if spec not in kept)
        return kept

    async def call(self, tool: str, arguments: Mapping[str, Any], report: Report) -> OutsideReply:
        """Call a tool. Raises OutsideServerError when the server fails, not when the tool does."""
        import mcp_types as types

        client = await self._ready()

        async def on_progress(progress: float, total: float | None, message: str | None) -> None:
            report(progress / total if total else None, message or "")

        with self._told(f"run {tool}"):
            try:
                # Not `call_tool`, which tries the result against the server's own schema: matching a
                # pattern that was made for it can take for ever, with the whole program.
                result = await client.session.send_request(
                    types.CallToolRequest(
                        params=types.CallToolRequestParams(name=tool, arguments=dict(arguments))
                    ),
                    types.CallToolResult,
                    request_read_timeout_seconds=self._settings.timeout_s,
                    progress_callback=on_progress,
                )
            except _closed() as error:
                if error.code == _CONNECTION_CLOSED:
                    await self._end()  # the next call starts it anew
                raise
        return OutsideReply("\n".join(_words(block) for block in result.content), bool(result.is_error))

    async def close(self) -> None:
        """End the server's process."""
        self._closing.set()
        if self._owner is not None:
            await asyncio.wait([self._owner])

    async def _end(self) -> None:
        if self._owner is not None:
            self._owner.cancel()
            await asyncio.wait([self._owner])

    async def _ready(self) -> Client:
        async with self._starting:
            if self._client is not None and self._owner is not None and not self._owner.done():
                return self._client
            started: asyncio.Future[Client] = asyncio.get_running_loop().create_future()
            # The library wants to be left in the task that entered it, so the server has a task of its own.
            self._owner = asyncio.create_task(self._own(started), name=f"mcp {self.name}")
            with self._told("start"):
                try:
                    async with asyncio.timeout(START_TIMEOUT_S):
                        self._client = await asyncio.shield(started)
                except (TimeoutError, asyncio.CancelledError):
                    await self._end()
                    raise
            return self._client

    async def _own(self, started: asyncio.Future[Client]) -> None:
        from mcp import Client, StdioServerParameters, stdio_client

        program, *arguments = self._settings.command
        mark, _, value = self._mark.partition("=")
        parameters = StdioServerParameters(
            command=program, args=arguments, env={**self._settings.env, mark: value}
        )
        try:
            with Path(os.devnull).open("w") as nowhere:  # noqa: ASYNC230  opens at once
                async with Client(stdio_client(parameters, errlog=nowhere)) as client:
                    started.set_result(client)
                    await self._closing.wait()
        except _failures() as error:
            if not started.done():
                started.set_exception(error)
        finally:
            self._client = None
            # The library ends a server that does not end itself, but not what that has started.
            await off_loop(end_marked, self._mark)  # its thread goes to the end, whoever cancels the wait
            if not started.done():
                started.cancel()

    @contextlib.contextmanager
    def _told(self, what: str) -> Any:
        """Turn what the library raises into an error that names the server."""
        try:
            yield
        except _failures() as error:
            reason = " ".join(str(_first(error)).split())[:300] or type(error).__name__
            raise OutsideServerError(f"The MCP server {self.name} could not {what}: {reason}.") from error


def bearable(specs: Sequence[OutsideSpec]) -> tuple[OutsideSpec, ...]:
    """Return the tools that may be put before a model: not too many, too large or too deep. Pure."""
    kept: list[OutsideSpec] = []
    room = MOST_CHARS
    for spec in specs:
        size = _size(spec.schema) + len(spec.name) + len(spec.description)
        if len(kept) < MOST_TOOLS and size <= min(room, MOST_SCHEMA_CHARS):
            kept.append(spec)
            room -= size
    return tuple(kept)


def _size(schema: Mapping[str, Any]) -> int:
    """Return the characters a schema takes; more than any may where it is nested too deeply."""
    level: list[object] = [schema]
    for _ in range(_DEEPEST):
        if not level:
            return len(json.dumps(schema))
        level = [
            inner
            for outer in level
            if isinstance(outer, Mapping | list)
            for inner in (outer.values() if isinstance(outer, Mapping) else outer)
        ]
    return MOST_CHARS + 1


def _closed() -> type[MCPError]:
    from mcp import MCPError

    return MCPError


def _failures() -> tuple[type[Exception], ...]:
    from mcp import MCPError

    return (MCPError, OSError, ValueError, TimeoutError, RuntimeError, ExceptionGroup)


def _first(error: Exception) -> Exception:
    """Return the innermost cause of a task group's failure."""
    while isinstance(error, ExceptionGroup):
        error = error.exceptions[0]
    return error


def _words(block: object) -> str:
    """Return the text of a content block; what is no text is named."""
    text = getattr(block, "text", None)
    return text if isinstance(text, str) else f"[{getattr(block, 'type', 'content')} left out: not text]"
