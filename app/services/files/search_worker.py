"""The worker of kind "files": it searches files by regular expressions and names.

A pattern can take forever while it holds the interpreter lock; here the application can end it.
"""

from __future__ import annotations

import codecs
import heapq
import os
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.services.files.encodings import SAMPLE_BYTES, BinaryFileError, detect, for_display
from app.services.files.folders import FileAccessError, open_file
from app.services.files.globbing import Glob, compiled
from app.services.files.paging import around
from app.services.files.walking import Found, walk

if TYPE_CHECKING:
    from app.workers.serve import Context

MOST_FILES = 100_000
MOST_SECONDS = 60.0
TICK_S = 0.25
SHOWN_WIDTH = 300
_CHUNK = 1 << 20
_PIECE = 1 << 20
_PLAIN = re.compile(r"[\w\s\"'<>=:;,!@%&/~`#-]*")


def main() -> None:
    """Serve `grep` and `glob`."""
    from app.workers.serve import serve

    serve({"grep": grep, "glob": glob})


@dataclass
class _Run:
    """How far a search is; speaks up now and then, so that silence means that it hangs."""

    context: Context
    files: int = 0
    binary: int = 0
    unread: int = 0
    stopped: str = ""
    started: float = field(default_factory=time.monotonic)
    told: float = field(default_factory=time.monotonic)

    def tick(self, at: str) -> None:
        self.context.check()
        if time.monotonic() - self.told > TICK_S:
            self.tell(at)

    def tell(self, at: str) -> None:
        self.told = time.monotonic()
        self.context.emit({"files": self.files, "at": at})

    def goes_on(self) -> bool:
        if self.files >= MOST_FILES:
            self.stopped = f"after {MOST_FILES} files"
        elif time.monotonic() - self.started > MOST_SECONDS:
            self.stopped = f"after {MOST_SECONDS:g} seconds"
        return not self.stopped


def grep(params: dict[str, Any], blobs: list[bytes], context: Context) -> Any:
    """Emit `{"path", "matches": [[line, text]…], "more"}` for each file with matches."""
    regex = compiled(params["pattern"], ignore_case=bool(params.get("ignore_case")))
    plain = (
        params["pattern"] if not regex.flags & re.IGNORECASE and _PLAIN.fullmatch(params["pattern"]) else ""
    )
    wanted = Glob(params["glob"]) if params.get("glob") else None
    left, each = int(params["most"]), int(params["most_per_file"])
    run = _Run(context)
    run.tell("")  # the worker is there: from now on silence is the pattern's
    for found in walk(Path(params["root"]), params.get("closed") or ()):
        if wanted is not None and not wanted.matches(found.relative):
            continue
        if left <= 0:
            run.stopped = f"after {params['most']} matches"
        if not run.goes_on():
            break
        run.files += 1
        run.tick(found.relative)
        matches = _matches(found, regex, plain, min(each, left) + 1, run)
        shown = matches[: min(each, left)]
        left -= len(shown)
        if shown:
            context.emit({"path": found.relative, "matches": shown, "more": len(matches) > len(shown)})
    return {"files": run.files, "binary": run.binary, "unread": run.unread, "stopped": run.stopped}


def glob(params: dict[str, Any], blobs: list[bytes], context: Context) -> Any:
    """Return the newest of the files that fit, and how many there are."""
    wanted = Glob(params["pattern"])
    run = _Run(context)
    fitting: list[tuple[int, str]] = []
    for found in walk(Path(params["root"]), params.get("closed") or ()):
        if not run.goes_on():
            break
        run.files += 1
        run.tick(found.relative)
        if wanted.matches(found.relative):
            fitting.append((-found.mtime_ns, found.relative))
    newest = heapq.nsmallest(int(params["most"]), fitting)
    return {"paths": [path for _, path in newest], "total": len(fitting), "stopped": run.stopped}


def _matches(found: Found, regex: re.Pattern[str], plain: str, most: int, run: _Run) -> list[tuple[int, str]]:
    matches: list[tuple[int, str]] = []
    try:
        for number, line in _lines(Path(found.path), plain, run):
            if hit := regex.search(line):
                if matches and matches[-1][0] == number:
                    continue  # another piece of the same long line
                text = around(line, hit.start(), hit.end(), SHOWN_WIDTH)
                matches.append((number, for_display(text)))
                if len(matches) >= most:
                    break
    except BinaryFileError:
        run.binary += 1
    except FileAccessError:
        run.unread += 1
    return matches


def _lines(path: Path, plain: str, run: _Run) -> Iterator[tuple[int, str]]:
    """Yield the lines of a text with their numbers, from 1; very long ones in pieces of one number.

    Lines of a part of the file that does not hold the text `plain` are only counted.
    """
    number, carry = 1, ""
    for text in _texts(path):
        run.tick(str(path))
        whole = carry + text
        held = "\r" if whole.endswith("\r") else ""  # perhaps the first half of a line end
        body = whole.removesuffix("\r").replace("\r\n", "\n").replace("\r", "\n")
        complete, end, rest = body.rpartition("\n")
        carry = rest + held
        if end:
            if not plain or plain in complete:
                yield from enumerate(complete.split("\n"), number)
            number += complete.count("\n") + 1
        if len(carry) > _PIECE:
            yield number, carry
            carry = ""
    if carry:
        yield number, carry.removesuffix("\r")


def _texts(path: Path) -> Iterator[str]:
    with open_file(path) as descriptor:
        head = os.read(descriptor, SAMPLE_BYTES)
        encoding = detect(head, whole=len(head) < SAMPLE_BYTES)
        decoder = codecs.getincrementaldecoder(encoding.name)("replace")
        yield decoder.decode(head[len(encoding.bom) :])
        while chunk := os.read(descriptor, _CHUNK):
            yield decoder.decode(chunk)
        yield decoder.decode(b"", final=True)
