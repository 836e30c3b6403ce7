"""Stops a computation of llama.cpp from another thread, without the interpreter.

llama.cpp asks an abort callback before each of the hundreds of steps of a decode. A callback written in
Python would need the interpreter lock each time (about 2 % of the speed of a small model, more when other
threads of the process are busy). C's `strlen` has the very signature that is wanted: it takes a pointer
and is zero (go on) while the string there is empty, one (stop) when it holds one character. So the flag
is a string of at most one character, and setting it takes effect within one step.
"""

from __future__ import annotations

import ctypes
import sys
from typing import Any

# Wide loads of an optimised strlen stay inside.
_SIZE = 64


class AbortFlag:
    """A flag that any thread sets; `attach` makes a llama.cpp context look at it. CPU decodes only."""

    def __init__(self) -> None:
        self._text = ctypes.create_string_buffer(_SIZE)
        runtime = ctypes.CDLL("msvcrt") if sys.platform == "win32" else ctypes.CDLL(None)
        self._strlen = runtime.strlen  # kept: llama.cpp holds the bare address

    @property
    def is_set(self) -> bool:
        return self._text.raw[0] != 0

    def set(self) -> None:
        self._text[0] = b"\1"

    def clear(self) -> None:
        self._text[0] = b"\0"

    def attach(self, context: Any) -> None:
        """Let the decodes of this `llama_context` end with code 2 while the flag is set."""
        import llama_cpp

        address = ctypes.cast(self._strlen, ctypes.c_void_p)
        callback = ctypes.cast(address, llama_cpp.ggml_abort_callback)
        llama_cpp.llama_set_abort_callback(context, callback, ctypes.cast(self._text, ctypes.c_void_p))
