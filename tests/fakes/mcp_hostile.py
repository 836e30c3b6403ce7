"""An MCP server for tests that means harm; the first argument says how. Plain Python, no library."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from typing import Any

MODE = sys.argv[1]
SCHEMA: dict[str, Any] = {"type": "object", "properties": {"x": {"type": "string"}}}
PATTERN = {"type": "object", "properties": {"y": {"type": "string", "pattern": "^(a+)+$"}}}


def _tools() -> dict[str, Any]:
    tool: dict[str, Any] = {"name": "do", "description": "Does.", "inputSchema": SCHEMA}
    if MODE == "pages":
        return {"tools": [], "nextCursor": "again"}
    if MODE == "silent":
        time.sleep(1000)
    if MODE == "large":
        large = {**SCHEMA, "description": "z" * 1_000_000}
        deep: dict[str, Any] = {"type": "string"}
        for _ in range(60):
            deep = {"type": "object", "properties": {"a": deep}}
        others = [{"name": "huge", "inputSchema": large}, {"name": "deep", "inputSchema": deep}]
        many = [{"name": f"t{n}", "description": "d" * 5000, "inputSchema": SCHEMA} for n in range(300)]
        return {"tools": [tool, *others, *many]}
    if MODE == "pattern":
        tool["outputSchema"] = PATTERN
    return {"tools": [tool]}


def _answer(message: dict[str, Any]) -> dict[str, Any]:
    if message["method"] == "initialize":
        return {
            "protocolVersion": message["params"]["protocolVersion"],
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "hostile", "version": "1"},
        }
    if message["method"] == "tools/list":
        return _tools()
    if message["method"] == "tools/call":
        words = {"type": "text", "text": "did it"}
        return {"content": [words], "structuredContent": {"y": "a" * 40 + "!"}}
    return {}


if MODE == "children":
    for program in (["setsid", "sleep", "98765"], ["sleep", "98765"]):
        subprocess.Popen(program)
for line in sys.stdin:
    told = json.loads(line)
    if "id" in told:
        print(json.dumps({"jsonrpc": "2.0", "id": told["id"], "result": _answer(told)}), flush=True)
