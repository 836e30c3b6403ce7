"""The four tools of a team."""

from __future__ import annotations

from pydantic import Field

from app.agent.team_words import LEAD, Teammate
from app.agent.tools.context import ToolContext
from app.agent.tools.tool import AgentTool, NoArgs, ToolArgs, ToolKind, ToolOutput

_BODY = 20_000


class SpawnTeammateArgs(ToolArgs):
    """Arguments of spawn_teammate."""

    name: str = Field(description="Short name in lower case, such as reader.")
    role: str = Field(min_length=1, max_length=2000, description="What it is good at and responsible for.")
    task: str = Field(
        min_length=1,
        max_length=_BODY,
        description="Its first task. It knows nothing of this conversation: say all it needs.",
    )


class SpawnTeammate(AgentTool):
    """Begins a teammate."""

    name = "spawn_teammate"
    description = (
        "Begin a teammate that works beside you, with a context of its own and the same tools for papers and "
        "files. Its results come to you by mail, by themselves. Use it for work in parallel."
    )
    Args = SpawnTeammateArgs
    kind = ToolKind.AGENT

    async def execute(self, args: SpawnTeammateArgs, ctx: ToolContext) -> ToolOutput:
        """Begin it."""
        name = await ctx.services.team.spawn(ctx, args.name, args.role, args.task)
        return ToolOutput(
            f"{name} is at work. Its result will come to you as a message.", metadata={"teammate": name}
        )


class SendTeammateMessageArgs(ToolArgs):
    """Arguments of send_teammate_message."""

    to: str = Field(description='Name of a teammate, or "lead".')
    message: str = Field(min_length=1, max_length=_BODY)


class SendTeammateMessage(AgentTool):
    """Writes to one agent of the team."""

    name = "send_teammate_message"
    description = "Send a message to a teammate (an idle one goes to work on it) or to the lead."
    Args = SendTeammateMessageArgs
    kind = ToolKind.AGENT

    async def execute(self, args: SendTeammateMessageArgs, ctx: ToolContext) -> ToolOutput:
        """Send it."""
        reached = await ctx.services.team.send(ctx.conversation, args.to, args.message)
        if reached is None:
            return ToolOutput("Sent to the lead.", metadata={"to": [LEAD]})
        return ToolOutput(f"Sent to {reached.name}, who is {reached.state}.", metadata={"to": [reached.name]})


class TeamBroadcastArgs(ToolArgs):
    """Arguments of team_broadcast."""

    message: str = Field(min_length=1, max_length=_BODY)


class TeamBroadcast(AgentTool):
    """Writes to everybody else in the team."""

    name = "team_broadcast"
    description = "Send a message to everybody else in the team."
    Args = TeamBroadcastArgs
    kind = ToolKind.AGENT

    async def execute(self, args: TeamBroadcastArgs, ctx: ToolContext) -> ToolOutput:
        """Send it."""
        names = await ctx.services.team.broadcast(ctx.conversation, args.message)
        return ToolOutput(f"Sent to {', '.join(names)}.", metadata={"to": names})


class CheckTeamInbox(AgentTool):
    """Shows new mail now, and how the team stands."""

    name = "check_team_inbox"
    description = (
        "Show new messages and who of the team is running, idle, dead or finished. "
        "Messages also come by themselves: do not wait with this."
    )
    Args = NoArgs
    kind = ToolKind.AGENT
    polls = True

    async def execute(self, args: NoArgs, ctx: ToolContext) -> ToolOutput:
        """Deliver what waits: as context rows, which are marked together with their letters."""
        letters, members = await ctx.services.team.check(ctx.conversation)
        news = f"{letters} new message(s), shown as team mail." if letters else "No new messages."
        team = "\n".join(member.line() for member in members) or "The team has no teammates."
        return ToolOutput(f"{news}\n{team}", metadata={"letters": letters, "team": _states(members)})


def _states(members: list[Teammate]) -> dict[str, str]:
    return {member.name: member.state for member in members}
