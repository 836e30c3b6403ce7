"""The list of built-in tools: a new one is a file and a line here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.agent.tools.tool import AgentTool

if TYPE_CHECKING:
    from app.agent.skills import SkillRegistry


def base_tools(skills: SkillRegistry | None = None) -> list[AgentTool]:
    """Return the nineteen tools that every research agent has."""
    from app.agent.tools.ask_user import AskUser
    from app.agent.tools.astro.content import GetPaperContent
    from app.agent.tools.astro.download import DownloadPaper
    from app.agent.tools.astro.metadata import GetPaperMetadata
    from app.agent.tools.astro.note import SaveNote
    from app.agent.tools.astro.parse import ParsePaper
    from app.agent.tools.astro.rag import RagSearch
    from app.agent.tools.astro.search import SearchPapers
    from app.agent.tools.astro.target import QueryTarget
    from app.agent.tools.compress import CompressContext
    from app.agent.tools.filesystem.bash import RunBash
    from app.agent.tools.filesystem.edit import FileEdit
    from app.agent.tools.filesystem.glob import GlobFiles
    from app.agent.tools.filesystem.grep import GrepFiles
    from app.agent.tools.filesystem.read import ReadFile
    from app.agent.tools.filesystem.write import FileWrite
    from app.agent.tools.skill import LoadSkill
    from app.agent.tools.subagent import SubAgent
    from app.agent.tools.todo import TodoWrite

    return [
        ReadFile(), GrepFiles(), GlobFiles(), RunBash(), FileWrite(), FileEdit(),
        SearchPapers(), GetPaperMetadata(), DownloadPaper(), ParsePaper(), GetPaperContent(), RagSearch(),
        QueryTarget(), SaveNote(),
        TodoWrite(), CompressContext(), AskUser(), LoadSkill(skills), SubAgent(),
    ]  # fmt: skip


def background_tools() -> list[AgentTool]:
    """Return the two tools of background work."""
    from app.agent.tools.background import BgTaskCheck, BgTaskRun

    return [BgTaskRun(), BgTaskCheck()]


def team_tools() -> list[AgentTool]:
    """Return the four tools of a team."""
    from app.agent.tools.team import CheckTeamInbox, SendTeammateMessage, SpawnTeammate, TeamBroadcast

    return [SpawnTeammate(), SendTeammateMessage(), TeamBroadcast(), CheckTeamInbox()]
