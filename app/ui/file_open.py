"""The Qt application; macOS hands files over by an event to it instead of arguments."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QEvent, Signal
from PySide6.QtGui import QFileOpenEvent
from PySide6.QtWidgets import QApplication


class Program(QApplication):
    """Emits `files_opened` with the paths of `QFileOpenEvent`s."""

    files_opened = Signal(object)

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QFileOpenEvent) and event.file():
            self.files_opened.emit([Path(event.file())])
            return True
        return super().event(event)
