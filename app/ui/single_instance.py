"""One window a library: a second start hands its files to the first and ends."""

from __future__ import annotations

import getpass
import hashlib
import json
from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtNetwork import QLocalServer, QLocalSocket

from app.settings import expanded

WAIT_MS = 2000
LONGEST_MESSAGE = 1 << 24
"""Bytes; a command line of Linux holds 2 MB, which may be six times as long as JSON."""


def server_name(home: Path) -> str:
    """Return the name of the library's socket: of this person and this folder alone."""
    try:
        user = getpass.getuser()
    except (OSError, KeyError):  # no such account, as in some containers
        user = ""
    key = f"{user}\0{expanded(home).absolute()}"
    return f"astroresearch-{hashlib.sha256(key.encode(errors='surrogateescape')).hexdigest()[:16]}"


def hand_over(home: Path, files: Sequence[Path]) -> bool:
    """Send the files to the window that has this library open; False if there is none."""
    socket = QLocalSocket()
    socket.connectToServer(server_name(home))
    if not socket.waitForConnected(WAIT_MS):
        return False
    message = json.dumps({"files": [str(path.absolute()) for path in files]})
    socket.write(message.encode(errors="surrogateescape") + b"\n")
    socket.flush()
    answered = socket.waitForReadyRead(WAIT_MS) and bytes(socket.readAll().data()) == b"ok\n"
    socket.disconnectFromServer()
    return answered


class Doorkeeper(QObject):
    """Listens for further starts. `files_came` carries their paths, which may be none."""

    files_came = Signal(object)

    def __init__(self, home: Path) -> None:
        super().__init__()
        self._server = QLocalServer(self)
        self._server.setSocketOptions(QLocalServer.SocketOption.UserAccessOption)
        self._server.newConnection.connect(self._greet)
        name = server_name(home)
        if not self._server.listen(name):
            # Nobody answered when we asked, so this socket was left by a program that died.
            QLocalServer.removeServer(name)
            self._server.listen(name)

    def listening(self) -> bool:
        """Whether further starts can reach this window."""
        return self._server.isListening()

    def close(self) -> None:
        """Listen no more."""
        self._server.close()

    def _greet(self) -> None:
        while (socket := self._server.nextPendingConnection()) is not None:
            socket.readyRead.connect(lambda socket=socket: self._read(socket))
            socket.disconnected.connect(socket.deleteLater)

    def _read(self, socket: QLocalSocket) -> None:
        if socket.bytesAvailable() > LONGEST_MESSAGE:
            socket.abort()
            return
        if not socket.canReadLine():
            return
        try:
            values = json.loads(bytes(socket.readLine().data()))
            paths = [Path(str(name)) for name in values["files"]]
        except (ValueError, KeyError, TypeError):
            socket.abort()
            return
        socket.write(b"ok\n")
        socket.flush()
        self.files_came.emit(paths)
