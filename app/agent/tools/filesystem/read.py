"""read_file: a text file, page by page."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pydantic import Field

from app.agent.policy.paths import Sandbox
from app.agent.tools.context import ToolContext
from app.agent.tools.filesystem.places import existing, printable
from app.agent.tools.filesystem.state import FileVersion, PageKey
from app.agent.tools.tool import AgentTool, ToolArgs, ToolOutput
from app.services.files.encodings import BinaryFileError, Encoding, detect, for_display
from app.services.files.paging import Page, page_of
from app.services.files.writing import read_whole
from app.services.threads import off_loop
from app.settings import Settings

MOST_BYTES = 64 << 20
MOST_LINES = 2000
_LARGEST_PAGE = 40_000

FILE_UNCHANGED_STUB = (
    "The file has not changed since you read these lines; they are above in this conversation."
    " If you can no longer see them, read them again: you then get the text."
)


class ReadFileArgs(ToolArgs):
    """Arguments of read_file."""

    path: str = Field(description="Path of the file, absolute or relative to the library's files folder")
    offset: int = Field(1, ge=1, description="Number of the first line to read, from 1")
    limit: int | None = Field(None, ge=1, description="How many lines to read")


@dataclass(frozen=True, slots=True)
class _Loaded:
    path: Path
    text: str
    encoding: Encoding
    version: FileVersion


class ReadFile(AgentTool):
    """Reads one page; remembers which version the model has seen."""

    name = "read_file"
    description = (
        "Read a text file. Lines come with their numbers; a long file comes in pages, and the last line of"
        " the result says with which offset to read on. For papers use get_paper_content."
    )
    Args = ReadFileArgs
    pages = True

    def is_concurrency_safe(self, args: ReadFileArgs) -> bool:
        """Reading disturbs nobody."""
        return True

    async def execute(self, args: ReadFileArgs, ctx: ToolContext) -> ToolOutput:
        """Return the page, or a stub if the model has it before its eyes."""
        conversation = ctx.conversation
        loaded = await off_loop(_load, conversation.sandbox, args.path)
        key = PageKey(loaded.path, args.offset, args.limit, loaded.version)
        shown = printable(conversation.sandbox.shown(loaded.path))
        if conversation.files.take_seen(key):
            return ToolOutput(f"{shown}: {FILE_UNCHANGED_STUB}", metadata={"path": shown, "unchanged": True})
        budget = page_bytes(ctx.services.settings())
        page = await off_loop(page_of, loaded.text, args.offset, args.limit or MOST_LINES, budget)
        if args.offset > max(page.total, 1):
            return ToolOutput.error(f"{shown} has {page.total} lines; there is no line {args.offset}.")
        conversation.files.note_read(key)
        return ToolOutput(
            _rendered(page, loaded.encoding),
            metadata={
                "path": shown,
                "first": page.first,
                "last": page.last,
                "lines": page.total,
                "next_offset": page.next_offset,
                "encoding": loaded.encoding.shown,
                "bytes": loaded.version.size,
            },
            untrusted=not conversation.sandbox.trusts(loaded.path),
            private=conversation.of_project(loaded.path),
        )


def page_bytes(settings: Settings) -> int:
    """Return how large a page may be: an eighth of the context, four bytes a token."""
    return max(settings.agent.max_output_chars, min(_LARGEST_PAGE, settings.llm.context_tokens // 2))


def _load(sandbox: Sandbox, name: str) -> _Loaded:
    path = existing(sandbox, name)
    content = read_whole(path, most=MOST_BYTES)
    try:
        encoding = detect(content.data)
    except BinaryFileError as error:
        raise _no_text(sandbox, path, error.kind) from error
    text = encoding.decode(content.data)
    return _Loaded(path, for_display(text) if encoding.lossy else text, encoding, content.version)


def _rendered(page: Page, encoding: Encoding) -> str:
    notes = []
    if not page.total:
        notes.append("the file is empty")
    elif page.next_offset is not None or page.first > 1:
        notes.append(f"lines {page.first} to {page.last} of {page.total}")
    if page.pieces:
        notes.append("it has very long lines, which are cut into pieces with numbers of their own")
    if encoding.name != "utf-8" or encoding.bom or encoding.lossy:
        notes.append(f"encoding {encoding.shown}")
    if page.next_offset is not None:
        notes.append(f"read on with offset={page.next_offset}")
    lines = [f"{number}\t{line}" for number, line in enumerate(page.lines, page.first)]
    return "\n".join([*lines, *([f"[{'; '.join(notes)}]"] if notes else [])])


def _no_text(sandbox: Sandbox, path: Path, kind: str) -> BinaryFileError:
    shown = printable(sandbox.shown(path))
    hint = "It cannot be read as text."
    if kind == "a PDF file":
        inside = path.is_relative_to(sandbox.base) and len(path.relative_to(sandbox.base).parts) > 1
        paper = path.relative_to(sandbox.base).parts[0] if inside else ""
        which = f' with paper="{paper}"' if paper else ", once the paper is in the library"
        hint = f"get_paper_content reads papers{which}; rag_search searches them."
    return BinaryFileError(f"{shown} is {kind}, not a text.", hint=hint, kind=kind)
