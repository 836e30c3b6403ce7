"""What a program printed: kept within bounds while it comes, decoded line by line. Pure."""

from __future__ import annotations

import locale
import re
import sys
from collections import deque
from dataclasses import dataclass

_CONTROL = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]"  # colours, cursor
    r"|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)"  # titles, links
    r"|\x1b[@-Z\\-_]"
    r"|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]"
)


@dataclass(frozen=True, slots=True)
class Printed:
    """Text that was kept, and how many bytes were left out between its halves."""

    head: str
    tail: str = ""
    left_out: int = 0

    @property
    def text(self) -> str:
        """Return it all; says where and how much is missing."""
        if not self.left_out:
            return self.head + self.tail
        return f"{self.head}\n[… {self.left_out:,} bytes left out here …]\n{self.tail}"


class Capture:
    """Keeps the first and the last half of what is fed to it, `limit` bytes at most."""

    def __init__(self, limit: int) -> None:
        self._half = limit // 2
        self._head = bytearray()
        self._tail: deque[bytes] = deque()
        self._tail_size = 0
        self._dropped = 0

    def feed(self, data: bytes) -> None:
        """Take the next bytes."""
        room = self._half - len(self._head)
        if room > 0:
            self._head += data[:room]
            data = data[room:]
        if not data:
            return
        self._tail.append(data)
        self._tail_size += len(data)
        while self._tail_size - len(self._tail[0]) >= self._half:
            gone = len(self._tail.popleft())
            self._tail_size -= gone
            self._dropped += gone

    def printed(self) -> Printed:
        """Return what was kept; halves end and begin at whole lines, or at whole characters."""
        head, tail = bytes(self._head), b"".join(self._tail)
        over = max(0, len(tail) - self._half)
        if not self._dropped and not over:
            return Printed(decoded(head + tail))
        tail = tail[over:]
        whole_head, whole_tail = _up_to_a_line(head), _from_a_line(tail)
        left_out = self._dropped + over + len(head) - len(whole_head) + len(tail) - len(whole_tail)
        return Printed(decoded(whole_head), decoded(whole_tail), left_out)


def decoded(data: bytes) -> str:
    """Decode what a program printed: UTF-8, else, line by line, the encoding of the system or GBK.

    Line ends become LF; what cannot be decoded becomes U+FFFD.
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = "".join(map(_line, data.splitlines(keepends=True)))
    return text.replace("\r\n", "\n")


def readable(text: str) -> str:
    """Return text without terminal controls; of a line that was redrawn (progress bars) the last state."""
    plain = _CONTROL.sub("", text)
    return "\n".join(line.rstrip("\r").rpartition("\r")[2] for line in plain.split("\n"))


def _line(data: bytes) -> str:
    for encoding in ("utf-8", *_system_encodings()):
        try:
            return data.decode(encoding)
        except (UnicodeDecodeError, LookupError):
            continue
    if _looks_like_gbk(data):
        return data.decode("gb18030")
    return data.decode("utf-8", "replace")


def _system_encodings() -> tuple[str, ...]:
    if sys.platform == "win32":
        import ctypes

        return (f"cp{ctypes.windll.kernel32.GetOEMCP()}", locale.getpreferredencoding(False))
    # A single-byte encoding decodes anything, so it must not be tried before one that can fail.
    preferred = locale.getpreferredencoding(False).lower()
    return () if preferred in ("utf-8", "ascii", "us-ascii", "ansi_x3.4-1968") else (preferred,)


def _looks_like_gbk(data: bytes) -> bool:
    """Return whether the bytes outside ASCII come in pairs as those of GB 2312 do."""
    try:
        data.decode("gb18030")
    except UnicodeDecodeError:
        return False
    runs = re.findall(rb"[\x80-\xff]+", data)
    paired = sum(len(run) for run in runs if len(run) % 2 == 0 and min(run) >= 0xA1)
    return paired * 2 > sum(map(len, runs))


def _up_to_a_line(data: bytes) -> bytes:
    """Cut after the last line end in the second half, else before a character that is not whole."""
    end = data.rfind(b"\n", len(data) // 2)
    if end >= 0:
        return data[: end + 1]
    for cut in range(min(4, len(data))):
        if _begins_character(data, len(data) - cut - 1):
            whole = data[: len(data) - cut - 1]
            try:
                data[len(whole) :].decode("utf-8")
            except UnicodeDecodeError:
                return whole
            return data
    return data


def _from_a_line(data: bytes) -> bytes:
    """Begin after the first line end in the first half, else at a character that is whole."""
    end = data.find(b"\n", 0, len(data) // 2)
    if end >= 0:
        return data[end + 1 :]
    for start in range(min(4, len(data))):
        if _begins_character(data, start):
            return data[start:]
    return data


def _begins_character(data: bytes, index: int) -> bool:
    return data[index] & 0xC0 != 0x80
