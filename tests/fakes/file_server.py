"""A real HTTP server on 127.0.0.1 that gives files as model hosts do, well or badly.

    with FileServer({"/repo/model.gguf": data}, [Cut(1000), Status(503)]) as server:
        url = f"{server.url}/repo/model.gguf"

Each request takes the next behaviour of the script; beyond the last one all goes well.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Self


@dataclass(frozen=True, slots=True)
class Well:
    """The file as it is asked for."""


@dataclass(frozen=True, slots=True)
class Cut:
    """The connection breaks after so many bytes of the body."""

    after: int


@dataclass(frozen=True, slots=True)
class Status:
    """No file, but this."""

    code: int
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b"{}"
    kind: str = "application/json"


@dataclass(frozen=True, slots=True)
class NoRange:
    """The whole file with 200, whatever was asked for."""


@dataclass(frozen=True, slots=True)
class WrongPiece:
    """A piece that begins elsewhere."""


@dataclass(frozen=True, slots=True)
class Other:
    """Another file under the same name."""

    data: bytes


@dataclass(frozen=True, slots=True)
class Hold:
    """So many bytes, then nothing until the event is set; `reached` is set when it waits."""

    after: int
    go_on: threading.Event
    reached: threading.Event = field(default_factory=threading.Event)


@dataclass(frozen=True, slots=True)
class Redirect:
    """On to another address of this server, with what Hugging Face says of a file when `linked`."""

    to: str
    linked: bool = True


@dataclass(frozen=True, slots=True)
class Unsized:
    """The file without its length, the end being that of the connection."""


Behaviour = Well | Cut | Status | NoRange | WrongPiece | Other | Hold | Redirect | Unsized


@dataclass
class FileServer:
    """Serves `files` by path. `asked` holds path and Range header of every request."""

    files: Mapping[str, bytes]
    script: Sequence[Behaviour] = ()
    asked: list[tuple[str, str]] = field(default_factory=list)

    def __enter__(self) -> Self:
        owner = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                owner._answer(self)

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(timeout=10)

    @property
    def url(self) -> str:
        """The address without a slash at its end."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def _answer(self, request: BaseHTTPRequestHandler) -> None:
        number = len(self.asked)
        asked = request.headers.get("Range", "")
        self.asked.append((request.path, asked))
        behaviour = self.script[number] if number < len(self.script) else Well()
        data = self.files.get(request.path.partition("?")[0])
        match behaviour:
            case Status():
                _send(request, behaviour.code, behaviour.body, behaviour.kind, behaviour.headers)
                return
            case Redirect():
                headers = {"Location": behaviour.to}
                if behaviour.linked and data is not None:
                    headers["X-Linked-Etag"] = f'"{hashlib.sha256(data).hexdigest()}"'
                    headers["X-Linked-Size"] = str(len(data))
                _send(request, 302, b"", "text/plain", headers)
                return
            case Other():
                data = behaviour.data
        if data is None:
            _send(request, 404, b"Entry not found", "text/plain")
            return
        _give(request, data, asked, behaviour)


def _give(request: BaseHTTPRequestHandler, data: bytes, asked: str, behaviour: Behaviour) -> None:
    etag = f'"{hashlib.md5(data).hexdigest()}"'
    start = int(asked.removeprefix("bytes=").partition("-")[0]) if asked else 0
    if isinstance(behaviour, NoRange) or request.headers.get("If-Range", etag) != etag:
        start = 0
    if start >= len(data) > 0:
        _send(request, 416, b"", "text/plain", {"Content-Range": f"bytes */{len(data)}"})
        return
    body = data[start:]
    request.send_response(206 if start else 200)
    request.send_header("Content-Type", "application/octet-stream")
    request.send_header("ETag", etag)
    request.send_header("Accept-Ranges", "bytes")
    if start:
        told = start - 1 if isinstance(behaviour, WrongPiece) else start
        request.send_header("Content-Range", f"bytes {told}-{len(data) - 1}/{len(data)}")
    if isinstance(behaviour, Unsized):
        request.send_header("Connection", "close")
        request.close_connection = True
    else:
        request.send_header("Content-Length", str(len(body)))
    request.end_headers()
    match behaviour:
        case Cut(after):
            request.wfile.write(body[:after])
            request.wfile.flush()
            request.close_connection = True
            request.connection.close()
        case Hold():
            request.wfile.write(body[: behaviour.after])
            request.wfile.flush()
            behaviour.reached.set()
            behaviour.go_on.wait(timeout=60)
            _write(request, body[behaviour.after :])
        case _:
            _write(request, body)


def _write(request: BaseHTTPRequestHandler, data: bytes) -> None:
    try:
        request.wfile.write(data)
    except OSError:
        request.close_connection = True  # who asked has gone


def _send(
    request: BaseHTTPRequestHandler,
    code: int,
    body: bytes,
    kind: str,
    headers: Mapping[str, str] | None = None,
) -> None:
    request.send_response(code)
    request.send_header("Content-Type", kind)
    request.send_header("Content-Length", str(len(body)))
    for name, value in (headers or {}).items():
        request.send_header(name, value)
    request.end_headers()
    _write(request, body)
