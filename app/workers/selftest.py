"""A worker that misbehaves on request: for tests, and for `doctor` to see that workers start at all."""

from __future__ import annotations

import ctypes
import os
import sys
import time

from app.errors import NotFoundError
from app.workers import serve
from app.workers.protocol import JSON, Reply
from app.workers.serve import Context


def main() -> None:
    """Serve the methods below; ASTRORESEARCH_SELFTEST=die ends it before it is ready."""
    if os.environ.get("ASTRORESEARCH_SELFTEST") == "die":
        raise ImportError("libmissing.so: cannot open shared object file")
    serve.serve(
        {
            "echo": _echo,
            "pid": _pid,
            "count": _count,
            "abort": _abort,
            "exit": _exit,
            "hang": _hang,
            "hang_with_lock": _hang_with_lock,
            "wait_for_cancel": _wait_for_cancel,
            "fail": _fail,
            "not_found": _not_found,
            "garbage": _garbage,
            "print": _print,
            "unanswerable": _unanswerable,
        }
    )


def _echo(params: dict[str, JSON], blobs: list[bytes], context: Context) -> Reply:
    return Reply(params, blobs)


def _pid(params: dict[str, JSON], blobs: list[bytes], context: Context) -> JSON:
    return os.getpid()


def _count(params: dict[str, JSON], blobs: list[bytes], context: Context) -> JSON:
    """Emit 0, 1, 2 …; `abort_after` dies in the middle."""
    for number in range(params["to"]):
        context.check()
        if number == params.get("abort_after"):
            time.sleep(0.1)
            os.abort()
        context.emit(number)
        time.sleep(params.get("every_s", 0))
    return "end"


def _abort(params: dict[str, JSON], blobs: list[bytes], context: Context) -> JSON:
    os.abort()


def _exit(params: dict[str, JSON], blobs: list[bytes], context: Context) -> JSON:
    sys.stderr.write("about to leave\n")
    os._exit(params["code"])


def _hang(params: dict[str, JSON], blobs: list[bytes], context: Context) -> JSON:
    """Sleep and take no notice of a cancel."""
    time.sleep(params.get("seconds", 3600))
    return "woke up"


def _hang_with_lock(params: dict[str, JSON], blobs: list[bytes], context: Context) -> JSON:
    """Sleep like native code that never lets the interpreter go."""
    library = ctypes.PyDLL(None)
    return library.sleep(3600)


def _wait_for_cancel(params: dict[str, JSON], blobs: list[bytes], context: Context) -> JSON:
    context.emit("waiting")
    while True:
        context.check()
        time.sleep(0.01)


def _fail(params: dict[str, JSON], blobs: list[bytes], context: Context) -> JSON:
    raise RuntimeError(params.get("message", "boom"))


def _not_found(params: dict[str, JSON], blobs: list[bytes], context: Context) -> JSON:
    raise NotFoundError("No such star.", hint="Look up.", code="no_star")


def _garbage(params: dict[str, JSON], blobs: list[bytes], context: Context) -> JSON:
    """Write bytes that are no frame where a frame is expected."""
    channel = serve.claimed_channel()
    channel.replies.write(blobs[0])
    channel.replies.flush()
    return "sent"


def _print(params: dict[str, JSON], blobs: list[bytes], context: Context) -> JSON:
    """Print from Python and from C; neither may end up between two frames."""
    sys.stdout.write("from Python\n")
    os.write(1, b"from native code\n")
    return "printed"


def _unanswerable(params: dict[str, JSON], blobs: list[bytes], context: Context) -> JSON:
    return {"not": {"json"}}
