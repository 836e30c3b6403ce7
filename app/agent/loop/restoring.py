"""The pages of files that the agent had read last, for after a compaction. Blocks on the disk."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from app.errors import AppError

if TYPE_CHECKING:
    from app.agent.policy.paths import Sandbox

_PAGE_CHARS = 4000
_PAGE_LINES = 400


def last_pages(recent: Sequence[tuple[Path, int, int | None]], sandbox: Sandbox, budget: int) -> str:
    """Return the pages as text, the newest first, in about `budget` characters; lines count from 1.

    What cannot be read any more, or is too long, is only named.
    """
    parts = []
    for path, offset, limit in recent:
        where = f"{path} (from line {offset})" if offset > 1 else str(path)
        text = _page(path, offset, limit, sandbox)
        if text and len(text) <= min(budget, _PAGE_CHARS):
            budget -= len(text)
            parts.append(f"{where}:\n{text}")
        else:
            parts.append(f"{where}: read it again if you need it.")
    return "\n\n".join(["Files read last:", *parts]) if parts else ""


def _page(path: Path, offset: int, limit: int | None, sandbox: Sandbox) -> str:
    try:
        if not sandbox.readable(str(path)).is_file():
            return ""
        start = max(offset - 1, 0)
        with path.open(encoding="utf-8", errors="strict") as lines:
            return "".join(islice(lines, start, start + min(limit or _PAGE_LINES, _PAGE_LINES)))
    except (AppError, OSError, UnicodeDecodeError):
        return ""
