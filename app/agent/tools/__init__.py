"""The tools of the agent: one file each, registered in `registry`."""

from app.agent.policy.rules import Allow, Ask, Deny, PermissionRule
from app.agent.tools.context import ToolContext
from app.agent.tools.registry import ToolRegistry
from app.agent.tools.tool import AgentTool, InterruptBehavior, Report, ToolKind, ToolOutput

__all__ = [
    "AgentTool",
    "Allow",
    "Ask",
    "Deny",
    "InterruptBehavior",
    "PermissionRule",
    "Report",
    "ToolContext",
    "ToolKind",
    "ToolOutput",
    "ToolRegistry",
]
