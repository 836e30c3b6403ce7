"""get_paper_metadata: everything that is known of one paper."""

from __future__ import annotations

from pydantic import Field

from app.agent.tools.astro.papers import PAPER, detail_of
from app.agent.tools.context import ToolContext
from app.agent.tools.tool import AgentTool, ToolArgs, ToolKind, ToolOutput
from app.library.listing import journal_line
from app.library.papers import PaperDetail
from app.services.consent import unpublished

_AUTHORS = 20
_ABSTRACT = 3000


class GetPaperMetadataArgs(ToolArgs):
    """Arguments of `get_paper_metadata`."""

    paper: str = Field(min_length=1, max_length=500, description=PAPER)


class GetPaperMetadata(AgentTool):
    """Reads the record of the library."""

    name = "get_paper_metadata"
    description = (
        "Read the whole record of one paper of the library: title, authors, journal, identifiers, "
        "abstract, its files and how well they were read, notes, tags."
    )
    Args = GetPaperMetadataArgs
    kind = ToolKind.SERVICE
    pages = True

    def is_concurrency_safe(self, args: GetPaperMetadataArgs) -> bool:
        """It only reads."""
        return True

    async def execute(self, args: GetPaperMetadataArgs, ctx: ToolContext) -> ToolOutput:
        """Read it."""
        paper = await detail_of(ctx, args.paper)
        record = paper.record
        metadata = {
            "paper_id": paper.paper_id,
            "title": record.title,
            "year": record.year,
            "identifiers": {known.kind: known.value for known in record.identifiers},
            "files": len(paper.files),
            "passages": paper.passage_count,
            "notes": paper.note_count,
        }
        private = unpublished(record.identifiers)
        return ToolOutput(_text(paper), metadata=metadata, untrusted=True, private=private)


def _text(paper: PaperDetail) -> str:
    record = paper.record
    authors = "; ".join(record.authors[:_AUTHORS])
    if len(record.authors) > _AUTHORS:
        authors += f"; and {len(record.authors) - _AUTHORS} more"
    abstract = record.abstract[:_ABSTRACT] + ("…" if len(record.abstract) > _ABSTRACT else "")
    fields = {
        "paper_id": paper.paper_id,
        "title": record.title,
        "authors": authors,
        "year": str(record.year or ""),
        "journal": journal_line(record.journal, record.volume, record.pages),
        "type": record.doctype,
        "identifiers": ", ".join(f"{known.kind}:{known.value}" for known in record.identifiers),
        "tags": ", ".join(paper.tags),
        "collections": ", ".join(paper.collections),
        "files": "; ".join(
            f"{file.original_name} ({file.manifestation + ', ' if file.manifestation else ''}"
            f"{file.pages} pages, {file.status or 'being read'}"
            f"{', ' + file.message if file.message else ''}, {file.passages} passages)"
            for file in paper.files
        ),
        "notes": str(paper.note_count),
        "state": "in the trash" if paper.trashed else "unread" if paper.unread else "read",
        "abstract": abstract,
    }
    unknown = [name for name, value in fields.items() if not value and name not in ("tags", "collections")]
    lines = [f"{name}: {value}" for name, value in fields.items() if value]
    if unknown:
        lines.append(f"not known: {', '.join(unknown)}")
    return "\n".join(lines)
