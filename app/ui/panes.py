"""The three panes side by side: folded, resized, and the timeline as a drawer where it is narrow."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QMouseEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QSplitter, QWidget

from app.ui.theme import FOLD_BELOW, LIBRARY_WIDTH, TIMELINE_WIDTH, tokens
from app.ui.widgets.basics import rule

LEAST_LIBRARY, LEAST_READER, LEAST_TIMELINE = 240, 320, 320


class Panes(QWidget):
    """Library, reader, timeline. `arranged` fires when one was folded or unfolded."""

    arranged = Signal()

    def __init__(self, library: QWidget, reader: QWidget, timeline: QWidget) -> None:
        super().__init__()
        self.library, self.reader, self.timeline = library, reader, timeline
        self._wanted = True
        """Whether the person wants to see the timeline beside the reader, where there is room."""
        self._narrow = False
        self._timeline_width = TIMELINE_WIDTH
        self._splitter = QSplitter(Qt.Orientation.Horizontal)
        self._splitter.setHandleWidth(1)
        self._splitter.setChildrenCollapsible(False)
        library.setMinimumWidth(LEAST_LIBRARY)
        reader.setMinimumWidth(LEAST_READER)
        timeline.setMinimumWidth(LEAST_TIMELINE)
        for place, pane in enumerate((library, reader, timeline)):
            self._splitter.addWidget(pane)
            self._splitter.setStretchFactor(place, int(pane is reader))
        self._splitter.setSizes([LIBRARY_WIDTH, 10_000, TIMELINE_WIDTH])
        self._splitter.splitterMoved.connect(lambda *_: self._remember())
        self._drawer = _Drawer(self)
        self._drawer.closed.connect(self.toggle_timeline)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._splitter)

    def library_shown(self) -> bool:
        """Whether the library is unfolded."""
        return not self.library.isHidden()

    def timeline_shown(self) -> bool:
        """Whether the timeline can be seen, beside the reader or as a drawer."""
        return self._drawer.isVisibleTo(self) if self._narrow else not self.timeline.isHidden()

    def narrow(self) -> bool:
        """Whether the timeline is a drawer now."""
        return self._narrow

    def toggle_library(self) -> None:
        """Fold or unfold the library."""
        self.library.setVisible(not self.library_shown())
        self.arranged.emit()

    def toggle_timeline(self) -> None:
        """Fold or unfold the timeline."""
        if self._narrow:
            self._drawer.setVisible(not self._drawer.isVisibleTo(self))
            self._place_drawer()
        else:
            self._wanted = self.timeline.isHidden()
            self.timeline.setVisible(self._wanted)
        self.arranged.emit()

    def show_timeline(self) -> None:
        """Unfold the timeline if it is folded."""
        if not self.timeline_shown():
            self.toggle_timeline()

    def hide_drawer(self) -> None:
        """Close the drawer, so that what it covers can be seen."""
        if self._narrow and self._drawer.isVisibleTo(self):
            self.toggle_timeline()

    def state(self) -> dict[str, Any]:
        """Return what is kept between runs."""
        self._remember()
        return {
            "sizes": [self.library.width() or LIBRARY_WIDTH, self._timeline_width],
            "library": self.library_shown(),
            "timeline": self._wanted,
        }

    def restore(self, state: Any) -> None:
        """Take up what an earlier run kept."""
        if not isinstance(state, dict):
            return
        sizes = state.get("sizes")
        if isinstance(sizes, list) and len(sizes) == 2 and all(isinstance(n, int) for n in sizes):
            self._timeline_width = max(LEAST_TIMELINE, sizes[1])
            self._splitter.setSizes([max(LEAST_LIBRARY, sizes[0]), 10_000, self._timeline_width])
        self.library.setVisible(state.get("library") is not False)
        self._wanted = state.get("timeline") is not False
        if not self._narrow:
            self.timeline.setVisible(self._wanted)
        self.arranged.emit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        narrow = self.width() <= FOLD_BELOW
        if narrow != self._narrow:
            self._narrow = narrow
            self._move_timeline()
        self._place_drawer()

    def _move_timeline(self) -> None:
        """Between splitter and drawer; the widget is the same, with all that is in it."""
        if self._narrow:
            self._drawer.hold(self.timeline)
            self.timeline.show()
            self._drawer.hide()
        else:
            self._drawer.hide()
            self._splitter.addWidget(self.timeline)
            self._splitter.setStretchFactor(2, 0)
            left = self.library.width() if self.library_shown() else LIBRARY_WIDTH
            rest = max(LEAST_READER, self.width() - left - self._timeline_width)
            self._splitter.setSizes([left, rest, self._timeline_width])
            self.timeline.setVisible(self._wanted)
        self.arranged.emit()

    def _remember(self) -> None:
        if not self._narrow and not self.timeline.isHidden() and self.timeline.width() >= LEAST_TIMELINE:
            self._timeline_width = self.timeline.width()

    def _place_drawer(self) -> None:
        if self._narrow:
            self._drawer.setGeometry(self.rect())
            self._drawer.raise_()


class _Drawer(QWidget):
    """Covers the panes: a veil that closes it, and the timeline at the right."""

    closed = Signal()

    def __init__(self, parent: Panes) -> None:
        super().__init__(parent)
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(0)
        self._row.addStretch(1)
        self._row.addWidget(rule("v"))
        self.hide()

    def hold(self, pane: QWidget) -> None:
        """Take the pane in."""
        self._row.addWidget(pane)
        pane.setMinimumWidth(LEAST_TIMELINE)
        pane.installEventFilter(self)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def eventFilter(self, watched: Any, event: QEvent) -> bool:
        if (
            event.type() is QEvent.Type.ParentChange
            and isinstance(watched, QWidget)
            and watched.parent() is not self
        ):
            watched.setMaximumWidth(16_777_215)
            watched.setMinimumWidth(LEAST_TIMELINE)
            watched.removeEventFilter(self)
        return super().eventFilter(watched, event)

    def paintEvent(self, event: QPaintEvent) -> None:
        veil = tokens().colour("shadow")
        veil.setAlphaF(0.28)
        QPainter(self).fillRect(self.rect(), veil)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.closed.emit()

    def _fit(self) -> None:
        item = self._row.itemAt(2)
        if item is not None and (pane := item.widget()) is not None:
            pane.setFixedWidth(min(TIMELINE_WIDTH, max(LEAST_TIMELINE, self.width() - 80)))
