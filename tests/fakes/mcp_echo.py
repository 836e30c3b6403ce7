"""A small MCP server over stdio for tests: echoes, fails, dies, dawdles."""

from __future__ import annotations

import asyncio
import os
from typing import Any

import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

_TOOLS = [
    types.Tool(
        name="echo",
        description="Returns the words.",
        input_schema={
            "type": "object",
            "properties": {"words": {"type": "string"}, "times": {"type": "integer", "minimum": 1}},
            "required": ["words"],
        },
    ),
    types.Tool(name="fail.now", description="Fails.", input_schema={"type": "object"}),
    types.Tool(name="die", description="Ends the server.", input_schema={"type": "object"}),
]


async def _list(_ctx: Any, _params: object) -> types.ListToolsResult:
    return types.ListToolsResult(tools=_TOOLS)


async def _call(_ctx: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
    arguments = params.arguments or {}
    match params.name:
        case "echo":
            text = str(arguments["words"]) * int(arguments.get("times", 1))
            secret = os.environ.get("ASTRORESEARCH_LLM__API_KEY", "no key")
            return types.CallToolResult(content=[types.TextContent(text=f"{text} ({secret})")])
        case "die":
            os._exit(3)
    return types.CallToolResult(content=[types.TextContent(text="it failed")], is_error=True)


async def main() -> None:
    server: Server[Any] = Server("echo", on_list_tools=_list, on_call_tool=_call)
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


if __name__ == "__main__":
    asyncio.run(main())
