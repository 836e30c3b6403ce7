"""`astroresearch mcp`: the agent's tools for other programs, over stdio."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from app.agent.asking import NobodyAsker
from app.application import Application
from app.cli.context import Invocation
from app.cli.mcp_server import serve


def mcp(
    context: typer.Context,
    yes: Annotated[
        bool, typer.Option("--yes", help="Allow what would ask; without it, that is denied.")
    ] = False,
    project: Annotated[
        Path | None, typer.Option("--project", help="A folder of yours that file tools may work in.")
    ] = None,
) -> int:
    """Serve the tools by the Model Context Protocol on stdin and stdout, until the other side closes."""
    invocation = Invocation.of(context)

    async def work(application: Application) -> int:
        await serve(application, NobodyAsker(yes), project)
        return 0

    return invocation.with_application(work)
