"""Tools of outside MCP servers, behind the same executor and permissions as our own."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict

from app.agent.tools.context import ToolContext
from app.agent.tools.tool import AgentTool, Report, ToolKind, ToolOutput
from app.services.outside import OutsideServer, OutsideSpec

_TYPES: Mapping[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int, float),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
    "null": (type(None),),
}


class OutsideArgs(BaseModel):
    """Whatever the server's own schema says; it is checked against that before the call."""

    model_config = ConfigDict(extra="allow")


class OutsideTool(AgentTool):
    """One tool of one server, named `mcp_<server>_<tool>`. It asks unless a rule allows it."""

    Args = OutsideArgs
    kind = ToolKind.OUTSIDE

    def __init__(self, server: OutsideServer, spec: OutsideSpec) -> None:
        self._server = server
        self._spec = spec
        self.name = tool_name(spec)
        self.description = f"{spec.description or spec.name} (outside tool of {spec.server})"

    def parameters(self) -> dict[str, Any]:
        """Return the server's schema, made an object where it says nothing."""
        return {**self._spec.schema, "type": "object", "properties": self._spec.schema.get("properties", {})}

    async def execute(self, args: OutsideArgs, ctx: ToolContext) -> ToolOutput:
        """Call the server."""
        return await self.execute_with_progress(args, ctx, lambda _share, _words: None)

    async def execute_with_progress(self, args: OutsideArgs, ctx: ToolContext, report: Report) -> ToolOutput:
        """Check the arguments against the server's schema, then call it."""
        arguments = args.model_dump()
        if wrong := problem(arguments, self._spec.schema):
            return ToolOutput.error(f"Arguments of {self.name} do not fit its schema: {wrong}")
        reply = await self._server.call(self._spec.name, arguments, report)
        return ToolOutput(reply.text, is_error=reply.is_error, untrusted=True)

    def subject(self, args: OutsideArgs) -> str:
        """Return the arguments as JSON, for patterns."""
        return json.dumps(args.model_dump(), ensure_ascii=False, sort_keys=True)

    async def preview(self, args: OutsideArgs, ctx: ToolContext) -> tuple[str, str]:
        """Return what is sent, and to whom."""
        sent = json.dumps(args.model_dump(), ensure_ascii=False, indent=2)
        return f"{self._spec.server}: {self._spec.name}\n{sent}", "text"


def tool_name(spec: OutsideSpec) -> str:
    """Return the name models call it by: letters, digits and underscores, at most 64 of them."""
    return f"mcp_{spec.server}_{re.sub(r'[^A-Za-z0-9_]+', '_', spec.name)}"[:64]


def problem(arguments: Mapping[str, Any], schema: Mapping[str, Any]) -> str:
    """Return what is wrong with the arguments at first sight, or "". Pure.

    Only names, types and choices of the outermost level are looked at, so that a model can correct itself
    before anybody is asked. The server checks the rest: a whole validation would follow the schema's
    references into the network, and a pattern or nesting made for it would keep it busy for ever.
    """
    required, properties = schema.get("required"), schema.get("properties")
    for name in required if isinstance(required, list) else ():
        if isinstance(name, str) and name not in arguments:
            return f"{name!r} is a required property"
    if not isinstance(properties, Mapping):
        return ""
    for name, value in arguments.items():
        about = properties.get(name)
        if about is None and schema.get("additionalProperties") is False:
            return f"{name[:80]!r} is unknown; it takes {', '.join(map(str, properties))[:300] or 'nothing'}"
        if isinstance(about, Mapping) and (wrong := _wrong(value, about)):
            return f"[{name!r}]: {wrong}"
    return ""


def _wrong(value: object, about: Mapping[str, Any]) -> str:
    given = json.dumps(value, ensure_ascii=False)
    given = given if len(given) <= 60 else f"{given[:60]}…"
    types, options = about.get("type"), about.get("enum")
    named = [types] if isinstance(types, str) else types
    if isinstance(named, list) and named and not any(_is(value, name) for name in named):
        return f"{given} is not of type {' or '.join(map(str, named))}"
    if isinstance(options, list) and options and value not in options:
        return f"{given} is not one of {json.dumps(options, ensure_ascii=False)[:300]}"
    return ""


def _is(value: object, name: object) -> bool:
    """Whether a JSON value is of the named type; a name we do not know takes all."""
    kinds = _TYPES.get(name) if isinstance(name, str) else None
    if kinds is None:
        return True
    if isinstance(value, bool):
        return kinds == (bool,)
    if name == "integer" and isinstance(value, float):
        return value.is_integer()
    return isinstance(value, kinds)
