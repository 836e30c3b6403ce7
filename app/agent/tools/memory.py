"""save_memory: keep something for later conversations."""

from __future__ import annotations

from pydantic import Field

from app.agent.memory import Kind, MemoryRefusedError
from app.agent.tools.context import ToolContext
from app.agent.tools.registry import ToolRegistry
from app.agent.tools.tool import AgentTool, InterruptBehavior, ToolArgs, ToolKind, ToolOutput

_READING = (
    "get_paper_content",
    "get_paper_metadata",
    "rag_search",
    "search_papers",
)


class SaveMemoryArgs(ToolArgs):
    """Arguments of `save_memory`."""

    content: str = Field(
        description="One fact as a whole sentence that stands alone, with names and numbers."
    )
    kind: Kind = Field(
        "fact",
        description="preference: how the person likes things; project: what they work on and decided; "
        "fact: something settled, with its source; reference: where something is found.",
    )
    replaces: int | None = Field(
        None, description="The number of a memory that is no longer right and that this one stands for."
    )


class SaveMemory(AgentTool):
    """Keeps a memory; what is not worth keeping is refused with the reason."""

    name = "save_memory"
    description = (
        "Remember one lasting thing for later conversations: how the person likes answers, what they work "
        "on, a decision, a value they settled on. Not for what papers say, for passing matters, code or "
        "secrets. Tell the person when you have saved something. Forget what they ask you to forget."
    )
    Args = SaveMemoryArgs
    kind = ToolKind.AGENT

    def interrupt_behavior(self) -> InterruptBehavior:
        """The write is finished once begun."""
        return InterruptBehavior.BLOCK

    async def execute(self, args: SaveMemoryArgs, ctx: ToolContext) -> ToolOutput:
        """Save it, or say why not."""
        memory = ctx.services.memory
        if args.replaces is not None and not args.content.strip():
            async with ctx.protected():
                await memory.forget(args.replaces)
            return ToolOutput(f"Memory {args.replaces} is forgotten.", metadata={"forgotten": args.replaces})
        try:
            async with ctx.protected():
                kept = await memory.save(
                    args.content,
                    kind=args.kind,
                    session=ctx.conversation.session_id,
                    replaces=args.replaces,
                    trusted=not ctx.tainted,
                )
        except MemoryRefusedError as refused:
            return ToolOutput.error(f"Not saved. {refused.message}", reason=refused.code)
        metadata = {"memory": kept.id, "kind": args.kind, "known": kept.known}
        if kept.known:
            return ToolOutput(f"Known already as memory {kept.id}: {kept.content}", metadata=metadata)
        return ToolOutput(f"Saved as memory {kept.id}: {kept.content}", metadata=metadata)


def memory_tools(registry: ToolRegistry) -> ToolRegistry:
    """Return what the sub-agent that extracts memories may use: reading the library, and `save_memory`."""
    reduced = ToolRegistry.empty()
    for tool in (*registry.only(_READING), registry.get("save_memory") or SaveMemory()):
        reduced.add_tool(tool)
    return reduced
