"""How a process ended, in words."""

from __future__ import annotations

import signal

# The Windows status codes a native library ends with.
_WINDOWS = {
    0xC0000005: "access violation",
    0xC000001D: "illegal instruction",
    0xC0000094: "division by zero",
    0xC00000FD: "stack overflow",
    0xC0000409: "stack buffer overrun",
    0xC0000374: "heap corruption",
    0xC0000017: "out of memory",
}


def describe_exit(code: int | None) -> str:
    """Return e.g. "killed by SIGABRT", "exit code 1", "access violation"."""
    if code is None:
        return "no exit code"
    if code < 0:
        try:
            return f"killed by {signal.Signals(-code).name}"
        except ValueError:
            return f"killed by signal {-code}"
    return _WINDOWS.get(code & 0xFFFFFFFF, f"exit code {code}")
