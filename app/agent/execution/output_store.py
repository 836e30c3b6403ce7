"""Large outputs: the whole is kept on disk, the model gets head, tail and the way to the rest.

The whole is written first, under a name of ours, once (providers' call ids repeat). What a model reads in
pages is not written again: it would be told to read the page, and again, for ever.
"""

from __future__ import annotations

import json
import logging
import os
import re
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from app.agent.execution import faults
from app.agent.execution.cutting import cut_after, cut_before
from app.library.storable import storable
from app.llm.call_ids import ulid
from app.services.threads import off_loop

FOLDER = "tool-results"
HISTORY_BYTES = 120_000
"""What one result may add to the history at most, as JSON, whatever tool it comes from (bug 6)."""
_QUICK_CHARS = 50_000
"""Longer outputs are looked at in a thread: a large one takes longer than a screen may wait."""
_STUB_BYTES = 1500
"""The least that a stub takes: paths may be long."""
_HEAD_SHARE = 0.7
_OURS = re.compile(r"(?:[0-9A-HJKMNP-TV-Z]{26}\.txt|\.output-.*)\Z")
_TAG = re.compile(r"<(?=/?persisted-output)")

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Kept:
    """What enters the history, and the file that holds the whole (None where all of it enters)."""

    content: str
    path: Path | None = None


class OutputStore:
    """`<home>/tool-results/`: one file an output, written once under a name of ours."""

    def __init__(self, home: Path) -> None:
        self.folder = home / FOLDER

    async def keep(
        self, content: str, *, max_chars: int, pages: bool, max_bytes: int = HISTORY_BYTES
    ) -> Kept:
        """Return what the model reads of an output.

        Outputs of at most `max_chars` characters stay as they are, those of tools that page (`pages`) up
        to `max_bytes`. A disk that refuses costs the middle of the output, never the call.
        """
        if len(content) <= _QUICK_CHARS:
            content = storable(content)
            if (pages or len(content) <= max_chars) and fits(content, max_bytes):
                return Kept(content)
        return await off_loop(self._keep, content, max_chars, pages, max_bytes)

    def clean(self, max_age_days: float) -> int:
        """Delete outputs and leftovers older than that; blocking. Returns how many."""
        oldest = time.time() - max_age_days * 86_400
        gone = 0
        for path in self.folder.iterdir() if self.folder.is_dir() else ():
            try:
                if _OURS.match(path.name) and path.lstat().st_mtime < oldest:
                    path.unlink()
                    gone += 1
            except OSError as error:  # open in another program: the next time
                _log.info("an old output stays: %s", error)
        return gone

    def _keep(self, content: str, max_chars: int, pages: bool, max_bytes: int) -> Kept:
        content = storable(content)
        if (pages or len(content) <= max_chars) and fits(content, max_bytes):
            return Kept(content)
        faults.reach("before_output_file")
        try:
            path = self._write(content)
        except OSError as error:
            _log.warning("an output could not be kept: %s", error)
            return Kept(stub(content, f"nowhere: {error.strerror or error}", max_chars, max_bytes))
        faults.reach("after_output_file")
        return Kept(stub(content, path, max_chars, max_bytes), path)

    def _write(self, content: str) -> Path:
        """Write the whole in one step: a crash leaves the file or nothing."""
        self.folder.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=".output-", dir=self.folder)
        try:
            with os.fdopen(handle, "w", encoding="utf-8", newline="") as stream:
                stream.write(content)
                stream.flush()
                os.fsync(stream.fileno())
            return Path(name).replace(self.folder / f"{ulid()}.txt")
        except OSError:
            Path(name).unlink(missing_ok=True)
            raise


def fits(text: str, max_bytes: int) -> bool:
    """Whether the text takes at most so many bytes as JSON in UTF-8, which is how it is sent."""
    if len(text) * 6 <= max_bytes:  # a control character takes six bytes, nothing takes more
        return True
    if len(text) > max_bytes:
        return False
    return len(json.dumps(text, ensure_ascii=False).encode("utf-8", "replace")) <= max_bytes


def stub(content: str, path: Path | str, max_chars: int, max_bytes: int) -> str:
    """Return what stands for an output: its beginning and end, and where the whole is. Pure.

    `path` as text says why there is no file.
    """
    room = max(max_chars - len(_stub(content, path, 0)), max_chars // 4)
    while True:
        made = _stub(content, path, room)
        if room == 0 or fits(made, max(max_bytes, _STUB_BYTES)):
            return made
        room //= 2


def _stub(content: str, path: Path | str, room: int) -> str:
    head = _whole_lines(content, cut_before(content, int(room * _HEAD_SHARE)))
    tail = max(head, cut_after(content, len(content) - (room - int(room * _HEAD_SHARE))))
    left_out = f"{tail - head:,} of {len(content):,} characters left out"
    line = content.count("\n", 0, head) + 1
    last = content.count("\n", 0, tail) + 1
    where = f"line {line}" if line == last else f"lines {line} to {last}"
    if isinstance(path, Path):
        opening = f'<persisted-output path="{str(path).replace(chr(34), "&quot;")}" chars="{len(content)}">'
        way = (
            f"The whole output is in that file, {content.count(chr(10)) + 1:,} lines: read the part you need "
            f"with read_file (offset, limit) or search it with grep_files."
        )
    else:
        opening = f'<persisted-output chars="{len(content)}">'
        way = f"The whole output could be kept {path}. Ask for less at once to see what is left out."
    middle = f"[… {left_out}: {where} …]"
    return "\n".join(
        [opening, _harmless(content[:head]), middle, _harmless(content[tail:]), "</persisted-output>", way]
    )


def _whole_lines(content: str, at: int) -> int:
    """Return the end of the last whole line before `at`, if that is not far away."""
    end = content.rfind("\n", 0, at) + 1
    return end if end > at * 0.8 else at


def _harmless(text: str) -> str:
    """Keep an output from closing the element that it is shown in."""
    return _TAG.sub("&lt;", text).rstrip("\n")
