"""Commands that are agreed on and come later: they say so, and exit 2."""

from __future__ import annotations

import typer

from app.errors import UsageError

LATER = {
    "export": "Write papers as BibTeX, RIS, CSL-JSON or Markdown.",
    "import": "Read a bibliography file.",
    "notes": "List, export and import notes.",
}


def not_built(context: typer.Context) -> int:
    """Refuse with a plain message; taking any arguments, so that the message is this one."""
    name = context.info_name or "this command"
    raise UsageError(
        f"`astroresearch {name}` is not built yet.",
        code="not_built",
        hint="Built so far: gui, add, list, show, search, ask, tool, models, mcp, doctor, demo.",
    )
