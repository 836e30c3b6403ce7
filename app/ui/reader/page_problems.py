"""Keeps a message over every visible page that could not be drawn."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject

from app.ui.reader.page_view import PdfView
from app.ui.reader.problems import PageProblem


class PageProblems(QObject):
    """The messages follow their pages."""

    def __init__(self, view: PdfView) -> None:
        super().__init__(view)
        self._view = view
        self.shown: dict[int, PageProblem] = {}
        view.moved.connect(self.arrange)
        view.page_failed.connect(lambda _: self.arrange())

    def arrange(self) -> None:
        """Put each message on its page."""
        view = self._view
        failed = view.queue.failed if view.queue is not None else {}
        pages = [page for page in view.visible_pages() if page in failed]
        for page in [page for page in self.shown if page not in pages]:
            gone = self.shown.pop(page)
            gone.hide()
            gone.deleteLater()
        for page in pages:
            if page not in self.shown:
                retry = partial(view.retry, page)
                self.shown[page] = PageProblem(failed[page], retry, view.viewport())
            message, rect = self.shown[page], view.page_rect(page)
            seen = rect.intersected(view.viewport().rect().toRectF())
            top = min(max(seen.center().y() - message.height() / 2, rect.top() + 24), rect.bottom())
            message.move(round(rect.center().x() - message.width() / 2), round(top))
            message.show()
