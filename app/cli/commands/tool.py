"""`astroresearch tool`: what the agent can do, and one call of it through the whole executor."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from app.agent.asking import NobodyAsker
from app.application import Application
from app.cli.context import Invocation
from app.cli.words import one_line

commands = typer.Typer(help="List the agent's tools, or run one.", no_args_is_help=True)


@commands.command("list")
def list_tools(context: typer.Context) -> int:
    """List the tools with what they take, sorted by name."""
    invocation = Invocation.of(context)
    output = invocation.output

    async def work(application: Application) -> int:
        for notice in await application.connect_outside():
            output.note(notice.message)
        definitions = application.registry.definitions()
        output.document(
            {
                "tools": [
                    {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
                    for tool in definitions
                ]
            }
        )
        for tool in definitions:
            output.line(f"{tool.name:24} {one_line(tool.description)[:120]}")
        return 0

    return invocation.with_application(work)


@commands.command("run")
def run_tool(
    context: typer.Context,
    name: Annotated[str, typer.Argument(help="The tool, for example read_file.")],
    arguments: Annotated[str, typer.Argument(help="Its arguments as a JSON object.", metavar="JSON")] = "{}",
    yes: Annotated[
        bool, typer.Option("--yes", help="Allow what would ask; without it, that is denied.")
    ] = False,
    project: Annotated[
        Path | None, typer.Option("--project", help="A folder of yours that file tools may work in.")
    ] = None,
) -> int:
    """Run one call as the agent would: checked, asked about, limited, recorded."""
    invocation = Invocation.of(context)
    output = invocation.output

    async def work(application: Application) -> int:
        if name not in application.registry:
            for notice in await application.connect_outside():
                output.note(notice.message)
        session = await application.agent.begin_calls(f"tool {name}")
        result = await application.run_tool(
            name, arguments, asker=NobodyAsker(yes), session=session, project=project
        )
        # What the call left to others is not cut off by our end.
        if await application.settled(session):
            for task in await application.agent.services.background.tasks(session):
                output.note(task.text())
        output.document(
            {
                "content": result.output,
                "is_error": result.is_error,
                "outcome": result.outcome,
                "metadata": result.metadata,
            }
        )
        (output.note if result.is_error else output.line)(result.output)
        return 1 if result.is_error else 0

    return invocation.with_application(work)
