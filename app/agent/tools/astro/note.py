"""save_note: mark words in a paper and write beside them."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from app.agent.tools.astro.papers import PAPER, resolved
from app.agent.tools.context import ToolContext
from app.agent.tools.tool import AgentTool, InterruptBehavior, ToolArgs, ToolKind, ToolOutput
from app.errors import NotFoundError, UsageError
from app.library.notes import Note
from app.records.ids import PageIndex, PaperId

Color = Literal["yellow", "green", "blue", "pink", "orange", "purple", "red", "gray"]
"""The colours of `app.library.notes.COLORS`."""


class SaveNoteArgs(ToolArgs):
    """Arguments of `save_note`."""

    paper: str = Field(min_length=1, max_length=500, description=PAPER)
    quote: str = Field(
        min_length=1, max_length=4000, description="Words of the paper, copied exactly; they are marked."
    )
    text: str = Field("", max_length=20_000, description="The note itself; empty to mark only.")
    page: int | None = Field(None, ge=0, description="Where to look first: page= in results, from 0.")
    color: Color = "yellow"


class SaveNote(AgentTool):
    """Marks a quote where it stands, never elsewhere; the reader shows it at once."""

    name = "save_note"
    description = (
        "Mark words in a paper of the library and write a note beside them. The quote must stand in the "
        "paper: copy it from a passage. The person sees the note in the reader at once."
    )
    Args = SaveNoteArgs
    kind = ToolKind.LIBRARY

    def interrupt_behavior(self) -> InterruptBehavior:
        """The note is written whole or not at all."""
        return InterruptBehavior.BLOCK

    async def execute(self, args: SaveNoteArgs, ctx: ToolContext) -> ToolOutput:
        """Save it. Raises NotFoundError when the words stand nowhere in the paper."""
        paper_id = await resolved(ctx, args.paper)
        note = await self._add(args, paper_id, ctx)
        page = note.anchor.page
        moved = f" (not on page={args.page})" if args.page not in (None, page) else ""
        return ToolOutput(
            f"Saved on page={page}{moved}, {note.color}: “{note.anchor.quote}”.",
            metadata={
                "note_id": note.note_id,
                "paper_id": paper_id,
                "file_id": note.file_id,
                "page": page,
                "color": note.color,
                "quote": note.anchor.quote,
                "text": note.text,
            },
            untrusted=True,
        )

    async def _add(self, args: SaveNoteArgs, paper_id: PaperId, ctx: ToolContext) -> Note:
        notes = ctx.services.notes
        if args.page is not None:
            try:
                return await notes.add(
                    paper_id, args.quote, text=args.text, color=args.color, page=PageIndex(args.page)
                )
            except (NotFoundError, UsageError):
                # A wrong page is no reason to refuse: the words decide where a note belongs.
                pass
        return await notes.add(paper_id, args.quote, text=args.text, color=args.color)
