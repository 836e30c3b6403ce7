"""query_target: what an astronomical object is, and where."""

from __future__ import annotations

from typing import Self

from pydantic import Field, model_validator

from app.agent.tools.context import ToolContext
from app.agent.tools.tool import AgentTool, ToolArgs, ToolKind, ToolOutput
from app.errors import AppError

_TO_COME = (
    "No position, type or redshift was looked up: Sesame and SIMBAD come with the astronomy services, which "
    "this version does not have yet. Take such values from a paper, with rag_search, or say that they are "
    "not known here; never from memory."
)
_POOL = 40
_SHOWN = 8


class QueryTargetArgs(ToolArgs):
    """Arguments of `query_target`: one name or several."""

    name: str | None = Field(None, min_length=1, max_length=200, description="An object's name: NGC 4258.")
    names: tuple[str, ...] | None = Field(None, min_length=1, max_length=50, description="Several names.")

    @model_validator(mode="after")
    def _one_of_them(self) -> Self:
        if bool(self.name) == bool(self.names):
            raise ValueError("give either name or names")
        return self

    def wanted(self) -> tuple[str, ...]:
        """Return the names."""
        return self.names or ((self.name,) if self.name else ())


class QueryTarget(AgentTool):
    """Object services come later; until then it says so, and which papers here name the object."""

    name = "query_target"
    description = (
        "Look up astronomical objects by name: position, type, redshift, other names. In this version "
        "without the CDS services it says which papers of the library name the object."
    )
    Args = QueryTargetArgs
    kind = ToolKind.SERVICE

    def is_concurrency_safe(self, args: QueryTargetArgs) -> bool:
        """It only reads."""
        return True

    async def execute(self, args: QueryTargetArgs, ctx: ToolContext) -> ToolOutput:
        """Say that it cannot, and what the library has."""
        offline = "Offline is on. " if ctx.services.settings().offline else ""
        lines = [f"{offline}{_TO_COME}"]
        mentions: dict[str, list[str]] = {}
        for name in args.wanted():
            labels = await _mentions(ctx, name)
            mentions[name] = labels
            shown = ", ".join(labels[:_SHOWN]) + (", …" if len(labels) > _SHOWN else "")
            lines.append(f"{name}: {f'named in {shown}' if labels else 'named in no paper of the library'}.")
        return ToolOutput(
            "\n".join(lines),
            is_error=True,
            metadata={"code": "not_available", "mentions": mentions},
            untrusted=any(mentions.values()),
        )


async def _mentions(ctx: ToolContext, name: str) -> list[str]:
    """Return the short names of the papers that have the name as it stands."""
    plain = name.replace('"', " ").strip()
    try:
        found = await ctx.services.searcher.search(f'"{plain}"', mode="keyword", limit=_POOL)
    except AppError:
        return []
    # The search loosens a phrase that stands nowhere; only real mentions count here.
    squeezed = "".join(plain.split()).casefold()
    return list(
        dict.fromkeys(
            label
            for hit, label in zip(found.passages, found.labels, strict=True)
            if squeezed in "".join(f"{hit.title} {hit.passage.text}".split()).casefold()
        )
    )
