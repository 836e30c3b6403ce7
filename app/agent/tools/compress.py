"""compress_context: shorten the conversation before the next step."""

from __future__ import annotations

from app.agent.tools.context import ToolContext
from app.agent.tools.tool import AgentTool, NoArgs, ToolKind, ToolOutput


class CompressContext(AgentTool):
    """Asks for a manual compaction; asking twice is asking once."""

    name = "compress_context"
    description = (
        "Shorten this conversation before your next step: older parts become a summary. The last message "
        "of the person, the to-do list, open questions and loaded skills are kept word for word. Use it "
        "when a long part of the work is finished and its details are no longer needed."
    )
    kind = ToolKind.AGENT

    def is_concurrency_safe(self, args: NoArgs) -> bool:
        """It only sets a mark."""
        return True

    async def execute(self, args: NoArgs, ctx: ToolContext) -> ToolOutput:
        """Set the mark that the loop reads before the next request."""
        ctx.services.request_compaction(ctx.conversation.session_id)
        return ToolOutput("The conversation will be shortened before your next step.")
