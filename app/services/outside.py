"""Outside MCP servers: started when first needed, asked for their tools, called, taken down.

Protocol: Model Context Protocol over stdio, through the official `mcp` library. A server gets the
library's short list of harmless environment variables and what its settings say, never our secrets.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.errors import AppError
from app.settings import McpServer

if TYPE_CHECKING:
    from mcp import Client, MCPError

MOST_TOOLS = 200
"""Tools of one server at most: a server that lists for ever must not fill the prompt."""
START_TIMEOUT_S = 30.0
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

    async def tools(self) -> tuple[OutsideSpec, ...]:
        """Return what the server offers. Raises OutsideServerError."""
        client = await self._ready()
        specs: list[OutsideSpec] = []
        cursor: str | None = None
        with self._told("list its tools"):
            while len(specs) < MOST_TOOLS:
                page = await client.list_tools(cursor=cursor)
                specs += [
                    OutsideSpec(self.name, tool.name, tool.description or "", tool.input_schema)
                    for tool in page.tools
                ]
                cursor = page.next_cursor
                if cursor is None:
                    break
        return tuple(specs[:MOST_TOOLS])

    async def call(self, tool: str, arguments: Mapping[str, Any], report: Report) -> OutsideReply:
        """Call a tool. Raises OutsideServerError when the server fails, not when the tool does."""
        client = await self._ready()

        async def on_progress(progress: float, total: float | None, message: str | None) -> None:
            report(progress / total if total else None, message or "")

        with self._told(f"run {tool}"):
            try:
                result = await client.call_tool(
                    tool,
                    dict(arguments),
                    read_timeout_seconds=self._settings.timeout_s,
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
        parameters = StdioServerParameters(command=program, args=arguments, env=dict(self._settings.env))
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
