"""todo_write: keep the plan of a longer piece of work."""

from __future__ import annotations

from pydantic import ConfigDict, Field, field_validator

from app.agent.tools.context import ToolContext
from app.agent.tools.todo_list import Status, TodoItem, problems, rendered
from app.agent.tools.tool import AgentTool, ToolArgs, ToolKind, ToolOutput
from app.events import Todo
from app.library.tasks import TODO
from app.services.threads import off_loop


class TodoItemArgs(ToolArgs):
    """One item of `todo_write`."""

    model_config = ConfigDict(populate_by_name=True)

    id: str = Field(min_length=1, max_length=40, description="A short name, such as 1 or read-riess.")
    content: str = Field(min_length=1, max_length=400, description="What is to be done, in one line.")
    status: Status
    blocked_by: tuple[str, ...] = Field(
        (), alias="blockedBy", description="Ids of items that must be completed before this one begins."
    )

    @field_validator("id", mode="before")
    @classmethod
    def _number(cls, value: object) -> object:
        return str(value) if isinstance(value, int) and not isinstance(value, bool) else value

    @field_validator("blocked_by", mode="before")
    @classmethod
    def _numbers(cls, value: object) -> object:
        if isinstance(value, list | tuple):
            return tuple(str(part) if isinstance(part, int) else part for part in value)
        return () if value is None else value

    def item(self) -> TodoItem:
        """Return it as a value of the list."""
        blockers = tuple(dict.fromkeys(self.blocked_by))
        return TodoItem(self.id.strip(), " ".join(self.content.split()), self.status, blockers)


class TodoWriteArgs(ToolArgs):
    """Arguments of `todo_write`."""

    items: tuple[TodoItemArgs, ...] = Field(description="The whole list; it replaces the one before.")


class TodoWrite(AgentTool):
    """Replaces the list, shows it and keeps it; one list a conversation.

    Never beside another call: two lists written at once would leave one of them.
    """

    name = "todo_write"
    description = (
        "Write the to-do list of a task that takes three steps or more, and update it as you go: exactly "
        "one item in_progress while you work, completed as soon as it is done. Send the whole list each "
        "time. Not needed for a simple question."
    )
    Args = TodoWriteArgs
    kind = ToolKind.AGENT

    def subject(self, args: TodoWriteArgs) -> str:
        """Return what the list is about: its items."""
        return "; ".join(item.content for item in args.items)

    async def execute(self, args: TodoWriteArgs, ctx: ToolContext) -> ToolOutput:
        """Check the list, keep it, show it."""
        items = [item.item() for item in args.items]
        if wrong := problems(items):
            return ToolOutput.error("The list was not changed. " + " ".join(wrong))
        plain = tuple(item.as_json() for item in items)
        session = ctx.conversation.session_id
        async with ctx.protected():
            await off_loop(ctx.services.library.tasks.put, session, TODO, {"items": list(plain)})
            await ctx.conversation.emit(Todo(plain))
        return ToolOutput(rendered(items), metadata={"items": list(plain)})
