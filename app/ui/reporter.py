"""One place where every unexpected error arrives: slots, tasks, threads and Qt itself."""

from __future__ import annotations

import asyncio
import logging
import sys
import threading
import traceback
from collections.abc import Callable
from types import TracebackType
from typing import Any

from PySide6.QtCore import (
    QCoreApplication,
    QMessageLogContext,
    QObject,
    QtMsgType,
    Signal,
    qInstallMessageHandler,
)

from app.errors import AppError
from app.ui.widgets.notices import Message

_log = logging.getLogger("astroresearch.window")
_quiet = (
    "This plugin does not support",
    "propagateSizeHints",
    "QDBusConnection",
    "XDG_RUNTIME_DIR",
)
"""What Qt says on platforms that cannot do something nothing depends on."""


def as_message(error: BaseException) -> Message:
    """Return the notice of an error: its own words where it is an expected one."""
    if isinstance(error, AppError):
        return Message("error", error.message, error.hint)
    details = "".join(traceback.format_exception(error))
    words = QCoreApplication.translate("Reporter", "Something went wrong inside AstroResearch.")
    hint = QCoreApplication.translate(
        "Reporter", "Your library is safe. The details can be copied for a report."
    )
    return Message("error", words, hint, details=details)


class Reporter(QObject):
    """Takes errors on any thread; `reported` arrives on the window's."""

    reported = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self._restore: list[Callable[[], object]] = []

    def install(self, loop: asyncio.AbstractEventLoop) -> None:
        """Become the hook of slots, threads, the loop and Qt."""
        before, threads = sys.excepthook, threading.excepthook
        sys.excepthook = self._on_exception
        threading.excepthook = lambda args: self.report(args.exc_value)
        loop.set_exception_handler(self._on_loop)
        qt = qInstallMessageHandler(self._on_qt)
        self._restore = [
            lambda: setattr(sys, "excepthook", before),
            lambda: setattr(threading, "excepthook", threads),
            lambda: qInstallMessageHandler(qt),
        ]

    def remove(self) -> None:
        """Put the old hooks back."""
        while self._restore:
            self._restore.pop()()

    def report(self, error: BaseException | None) -> None:
        """Log an error and show it."""
        if error is None or isinstance(error, asyncio.CancelledError):
            return
        _log.error("unexpected error", exc_info=error)
        self.reported.emit(as_message(error))

    def _on_exception(
        self, kind: type[BaseException], error: BaseException, trace: TracebackType | None
    ) -> None:
        if issubclass(kind, KeyboardInterrupt):
            sys.__excepthook__(kind, error, trace)
            return
        self.report(error)

    def _on_loop(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception")
        if isinstance(error, BaseException):
            self.report(error)
        else:
            _log.error("event loop: %s", context.get("message"))

    def _on_qt(self, kind: QtMsgType, context: QMessageLogContext, text: str) -> None:
        if any(known in text for known in _quiet):
            return
        level = (
            logging.WARNING
            if kind in (QtMsgType.QtDebugMsg, QtMsgType.QtInfoMsg, QtMsgType.QtWarningMsg)
            else logging.ERROR
        )
        _log.log(level, "Qt: %s", text)
