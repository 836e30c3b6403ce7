"""Where the command line writes: results on stdout, everything else on stderr."""

from __future__ import annotations

import io
import json
import re
import sys
from typing import Any, TextIO

from app.errors import AppError


class ClosedOutputError(Exception):
    """Whoever read our output has stopped reading: not an error, but a reason to stop writing."""


class Output:
    """Writes one JSON document, or lines for a person, and never both to stdout.

    Text from papers and file names is data: control characters in it (which could
    drive the terminal) are shown as escapes.
    """

    def __init__(self, *, as_json: bool) -> None:
        self.as_json = as_json
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):
                # Windows consoles and pipes default to a code page; names may hold lone surrogates.
                stream.reconfigure(encoding="utf-8", errors="backslashreplace")

    def document(self, value: object) -> None:
        """Print the one JSON document of this run (with `--json` only)."""
        if self.as_json:
            _write(sys.stdout, dumps(value, indent=2) + "\n", at_once=True)

    def line(self, text: str = "") -> None:
        """Print a result line for a person; silent with `--json`."""
        if not self.as_json:
            _write(sys.stdout, printable(text) + "\n")

    def piece(self, text: str) -> None:
        """Print a part of a line at once, for text that streams; silent with `--json`."""
        if not self.as_json:
            _write(sys.stdout, printable(text), at_once=True)

    def event(self, value: object, *, aside: bool = False) -> None:
        """Print one JSON line as it happens: on stdout, or on stderr when `aside`."""
        _write(sys.stderr if aside else sys.stdout, dumps(value) + "\n", at_once=True)

    def note(self, text: str) -> None:
        """Tell the person something that is not the result."""
        _write(sys.stderr, printable(text) + "\n", at_once=True)

    def flush(self) -> None:
        """Write out what is still held back."""
        _write(sys.stdout, "", at_once=True)

    def error(self, error: AppError) -> None:
        """Show an error once: for a person on stderr, and as the document with `--json`."""
        self.note(f"astroresearch: {error.message}" + (f"\n  {error.hint}" if error.hint else ""))
        self.document(error.as_json())


def _write(stream: TextIO, text: str, *, at_once: bool = False) -> None:
    try:
        stream.write(text)
        if at_once:
            stream.flush()
    except BrokenPipeError as error:
        raise ClosedOutputError from error


def dumps(value: object, *, indent: int | None = None) -> str:
    """Return JSON with characters as they are; lone surrogates become escapes on the way out.

    So does what ends a line for some who read JSON lines, as `str.splitlines` does.
    """
    text = json.dumps(value, ensure_ascii=False, indent=indent, default=_plain)
    return _LINE_ENDS.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def printable(text: str) -> str:
    """Return the text with control characters, lines and tabs aside, as visible escapes.

    So are those that reverse the order of what follows and let a name look like another.
    """
    return _CONTROLS.sub(lambda found: f"\\x{ord(found[0]):02x}", text)


_LINE_ENDS = re.compile("[\x85\u2028\u2029]")
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def _plain(value: object) -> Any:
    if isinstance(value, tuple | set | frozenset):
        return list(value)
    return str(value)
