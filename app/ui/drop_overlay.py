"""Dropping papers and models anywhere on the window: an overlay says what will happen."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from PySide6.QtCore import QMimeData, QRectF, Qt, QUrl
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from app.ui.icons import paint_icon
from app.ui.theme import interface_font, tokens


def paths_in(data: QMimeData) -> list[Path]:
    """Return the files and folders that are being dragged; other things are none."""
    return local_paths(data.urls()) if data.hasUrls() else []


def local_paths(urls: Iterable[QUrl]) -> list[Path]:
    """Return the local paths among some URLs."""
    return [Path(url.toLocalFile()) for url in urls if url.isLocalFile() and url.toLocalFile()]


class DropOverlay(QWidget):
    """Covers its parent while something that can be added hovers over it."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._parent = parent
        self._only_models = False
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()

    def cover(self, *, only_models: bool = False) -> None:
        """Show the overlay over the whole parent; `only_models`: what hovers are GGUF files alone."""
        self._only_models = only_models
        self.setGeometry(self._parent.rect())
        self.show()
        self.raise_()

    def paintEvent(self, event: QPaintEvent) -> None:
        t = tokens()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        ground = t.colour("window")
        ground.setAlphaF(0.88)
        painter.fillRect(self.rect(), ground)
        painter.setPen(QPen(t.colour("accent"), 2, Qt.PenStyle.DashLine))
        painter.setBrush(t.colour("accent_soft"))
        box = QRectF(0, 0, min(420.0, self.width() - 40.0), 132)
        box.moveCenter(QRectF(self.rect()).center())
        painter.drawRoundedRect(box, 12, 12)
        paint_icon(
            painter, QRectF(box.center().x() - 16, box.top() + 26, 32, 32), "download", t.colour("accent")
        )
        painter.setFont(interface_font(15, 600))
        painter.setPen(t.colour("accent"))
        words = self.tr("Drop to add to your library")
        kinds = self.tr("PDF and Markdown files, or folders of them")
        if self._only_models:
            words = self.tr("Drop to add to your models")
            kinds = self.tr("GGUF files; they stay where they are")
        painter.drawText(box.adjusted(0, 68, 0, -34), Qt.AlignmentFlag.AlignCenter, words)
        painter.setFont(interface_font(12))
        painter.setPen(t.colour("text_2"))
        painter.drawText(box.adjusted(0, 96, 0, -12), Qt.AlignmentFlag.AlignCenter, kinds)
