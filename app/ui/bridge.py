"""The one way from the application's changes to Qt: a signal, whatever thread they come from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from app.services.changes import Change, ImportProgress, LibraryChanged, NoticeGiven, ReindexProgress

if TYPE_CHECKING:
    from app.application import Application


class Bridge(QObject):
    """Subscribes to the application until `close`."""

    library_changed = Signal(object)
    import_moved = Signal(object)
    notice_given = Signal(object)
    reindex_moved = Signal(object)

    def __init__(self, application: Application, parent: QObject) -> None:
        super().__init__(parent)
        self._unsubscribe = application.subscribe(self._take)

    def close(self) -> None:
        """Hear no more."""
        self._unsubscribe()

    def _take(self, change: Change) -> None:
        match change:
            case LibraryChanged():
                self.library_changed.emit(change)
            case ImportProgress():
                self.import_moved.emit(change)
            case NoticeGiven():
                self.notice_given.emit(change)
            case ReindexProgress():
                self.reindex_moved.emit(change)
