"""The worker's side: take the pipe, answer one request at a time, die with the application."""

from __future__ import annotations

import contextlib
import ctypes
import faulthandler
import functools
import importlib
import os
import queue
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Mapping, Sequence
from typing import BinaryIO, TypeAlias

from app.errors import AppError, WorkerError
from app.workers.protocol import JSON, Frame, FrameError, Reply, encode, error_body, read

# A hang that holds the interpreter lock is ended from inside this long after the application gave up on it.
WATCHDOG_GRACE_S = 10.0


class RequestCancelledError(Exception):
    """Raised by `Context.check` when nobody waits for the answer any more."""


class Context:
    """What a handler knows of its request."""

    def __init__(self, channel: Channel, request_id: int, timeout: float) -> None:
        self._channel = channel
        self._request_id = request_id
        self._timeout = timeout
        self._cancel = threading.Event()
        self._on_cancel: Callable[[], None] | None = None

    def cancelled(self) -> bool:
        """True once the caller has gone; safe from any thread."""
        return self._cancel.is_set()

    def check(self) -> None:
        """Raise RequestCancelledError if the caller has gone."""
        if self.cancelled():
            raise RequestCancelledError

    def emit(self, partial: JSON) -> None:
        """Send a partial result; blocks while the caller is far behind."""
        faulthandler.cancel_dump_traceback_later()
        self._channel.send("part", self._request_id, {"value": partial})
        self.watch()

    def watch(self) -> None:
        """Start the last-resort timer, which needs neither the lock nor the application to fire."""
        faulthandler.dump_traceback_later(self._timeout + WATCHDOG_GRACE_S, exit=True)

    def on_cancel(self, action: Callable[[], None] | None) -> None:
        """Call `action` when the caller goes, at once and in another thread; now, if it has gone."""
        self._on_cancel = action
        if action and self.cancelled():
            action()

    def cancel(self) -> None:
        self._cancel.set()
        if action := self._on_cancel:
            action()


Handler: TypeAlias = Callable[[dict[str, JSON], list[bytes], Context], JSON | Reply]
"""`handler(params, blobs, context)` returns a JSON value, or a Reply when there are blobs."""


class Channel:
    """The pipe to the application, out of reach of anything that prints."""

    def __init__(self, requests: BinaryIO, replies: BinaryIO) -> None:
        self.requests = requests
        self.replies = replies
        self._lock = threading.Lock()

    def send(self, kind: str, request_id: int, body: dict[str, JSON], blobs: Sequence[bytes] = ()) -> None:
        """Write one frame; safe from any thread."""
        head = encode(kind, request_id, body, blobs)
        with self._lock:
            self.replies.write(head)
            for blob in blobs:
                self.replies.write(blob)
            self.replies.flush()


def run(target: str) -> int:
    """Be the worker `module:function`: take the pipe first, then import, then call it."""
    claimed_channel()
    _die_with_the_application()
    faulthandler.enable()
    module, _, function = target.partition(":")
    getattr(importlib.import_module(module), function)()
    return 0


def serve(handlers: Mapping[str, Handler]) -> None:
    """Answer requests until the application goes away; handlers run in this, the main thread."""
    channel = claimed_channel()
    waiting: queue.SimpleQueue[tuple[Frame, Context]] = queue.SimpleQueue()
    threading.Thread(target=_receive, args=(channel, waiting), name="requests", daemon=True).start()
    channel.send("ready", 0, {"pid": os.getpid()})
    while True:
        frame, context = waiting.get()
        context.watch()
        _answer(channel, frame, context, handlers)
        faulthandler.cancel_dump_traceback_later()


def _answer(channel: Channel, frame: Frame, context: Context, handlers: Mapping[str, Handler]) -> None:
    method = str(frame.body.get("method"))
    try:
        result = handlers.get(method, _unknown)(frame.body.get("params") or {}, frame.blobs, context)
        reply = result if isinstance(result, Reply) else Reply(result)
        channel.send("done", frame.request_id, {"value": reply.value}, reply.blobs)
    except RequestCancelledError:
        channel.send("cancelled", frame.request_id, {})
    except AppError as error:
        channel.send("error", frame.request_id, error_body(error))
    except BrokenPipeError:
        os._exit(0)
    except Exception as error:  # noqa: BLE001  the boundary: whatever a library raises must become an answer
        traceback.print_exc()
        channel.send("error", frame.request_id, error_body(WorkerError(f"{type(error).__name__}: {error}")))


def _unknown(params: dict[str, JSON], blobs: list[bytes], context: Context) -> JSON:
    raise WorkerError("The worker does not know this method.")


def _receive(channel: Channel, waiting: queue.SimpleQueue[tuple[Frame, Context]]) -> None:
    current: Context | None = None
    current_id = 0
    try:
        while frame := read(channel.requests):
            if frame.kind == "call":
                current_id = frame.request_id
                current = Context(channel, current_id, float(frame.body.get("timeout") or 0))
                waiting.put((frame, current))
            elif frame.kind == "cancel" and current is not None and frame.request_id == current_id:
                current.cancel()
    except (FrameError, OSError):
        traceback.print_exc()
    finally:
        # The application has gone, perhaps killed: whatever the main thread does is for nobody.
        os._exit(0)


@functools.cache
def claimed_channel() -> Channel:
    """Move the pipes away from fd 0 and 1: native code prints to fd 1, and that must not break a frame."""
    requests, replies = os.dup(0), os.dup(1)
    if sys.platform == "win32":
        import msvcrt

        for pipe in (requests, replies):
            msvcrt.setmode(pipe, os.O_BINARY)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    return Channel(os.fdopen(requests, "rb"), os.fdopen(replies, "wb"))


def _die_with_the_application() -> None:
    """End this process when the one that started it ends, however it ends.

    The closed pipe says so everywhere, but is not noticed while native code holds the interpreter lock;
    Linux can deliver a signal, elsewhere the watchdog of the request ends it.
    """
    if sys.platform != "win32":
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    if sys.platform == "linux":
        pr_set_pdeathsig = 1
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(pr_set_pdeathsig, signal.SIGKILL)
