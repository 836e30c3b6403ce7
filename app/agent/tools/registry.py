"""Which tools there are. Narrower choices are views of a registry, not more constructors."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from app.agent.tools.tool import AgentTool
from app.llm.chat import ToolSpec

if TYPE_CHECKING:
    from app.agent.background import BgNotificationQueue
    from app.agent.skills import SkillRegistry
    from app.agent.team import TeamManager


class ToolRegistry:
    """Tools by name. `definitions()` is sorted by name and the same bytes until a tool changes."""

    def __init__(self, tools: Iterable[AgentTool] = ()) -> None:
        self._tools: dict[str, AgentTool] = {}
        self._definitions: tuple[ToolSpec, ...] | None = None
        for tool in tools:
            self.add_tool(tool)

    @classmethod
    def empty(cls) -> ToolRegistry:
        """No tools."""
        return cls()

    @classmethod
    def new(cls, skills: SkillRegistry | None = None) -> ToolRegistry:
        """The nineteen tools of a research assistant."""
        from app.agent.tools.catalogue import base_tools

        return cls(base_tools(skills))

    @classmethod
    def new_with_queue(
        cls, queue: BgNotificationQueue | None = None, skills: SkillRegistry | None = None
    ) -> ToolRegistry:
        """Those, and the two of background work."""
        from app.agent.tools.catalogue import background_tools

        return cls([*cls.new(skills), *background_tools()])

    @classmethod
    def new_with_team(
        cls,
        queue: BgNotificationQueue | None = None,
        team: TeamManager | None = None,
        skills: SkillRegistry | None = None,
    ) -> ToolRegistry:
        """Those, and the four of a team."""
        from app.agent.tools.catalogue import team_tools

        return cls([*cls.new_with_queue(queue, skills), *team_tools()])

    def add_tool(self, tool: AgentTool) -> None:
        """Add a tool. Raises ValueError if there is one of its name."""
        if tool.name in self._tools:
            raise ValueError(f"there is a tool {tool.name} already")
        self._put(tool)

    def replace_tool(self, tool: AgentTool) -> None:
        """Put a tool in the place of the one of its name. Raises KeyError if there is none."""
        if tool.name not in self._tools:
            raise KeyError(tool.name)
        self._put(tool)

    def without(self, unwanted: Callable[[AgentTool], bool]) -> ToolRegistry:
        """Return a view without some of the tools."""
        return ToolRegistry(tool for tool in self if not unwanted(tool))

    def only(self, names: Iterable[str]) -> ToolRegistry:
        """Return a view of the tools of these names; unknown names are passed over."""
        wanted = set(names)
        return self.without(lambda tool: tool.name not in wanted)

    def get(self, name: str) -> AgentTool | None:
        """Return the tool of this name."""
        return self._tools.get(name)

    def definitions(self) -> tuple[ToolSpec, ...]:
        """Return what models see, sorted by name."""
        if self._definitions is None:
            self._definitions = tuple(
                ToolSpec(name, tool.description, tool.parameters())
                for name, tool in sorted(self._tools.items())
            )
        return self._definitions

    def names(self) -> list[str]:
        """Return the names, sorted."""
        return sorted(self._tools)

    def __iter__(self) -> Iterator[AgentTool]:
        """Iterate the tools in the order in which they were added."""
        return iter(tuple(self._tools.values()))

    def __len__(self) -> int:
        return len(self._tools)

    def __contains__(self, name: str) -> bool:
        return name in self._tools

    def _put(self, tool: AgentTool) -> None:
        self._tools[tool.name] = tool
        self._definitions = None
