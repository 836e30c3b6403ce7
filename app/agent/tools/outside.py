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

DESCRIPTION_CHARS = 1000


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
        words = " ".join(spec.description.split())[:DESCRIPTION_CHARS]
        self.description = f"{words or spec.name} (outside tool of {spec.server})"

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
    """Return what is wrong with the arguments, or "" when they fit; a broken schema lets all pass."""
    from jsonschema import Draft202012Validator, SchemaError, ValidationError

    try:
        Draft202012Validator.check_schema(schema)
        Draft202012Validator(schema).validate(dict(arguments))
    except SchemaError:
        return ""
    except ValidationError as error:
        where = "".join(f"[{part!r}]" for part in error.absolute_path)
        return f"{where}: {error.message}" if where else error.message
    return ""
