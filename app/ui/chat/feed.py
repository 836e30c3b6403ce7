"""The scrolling column of timeline items: one widget an item, repainted thirty times a second."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QFrame, QScrollArea, QVBoxLayout, QWidget

from app.ui.chat.answer import AnswerView
from app.ui.chat.cards import NoticeCard, ToolCard, UserBubble
from app.ui.chat.items import Answered, Asked, Item, Noticed, Timeline, ToolUse
from app.ui.theme import M
from app.ui.widgets.basics import button

FLUSH_MS = 33
SHOWN_AT_ONCE = 120
NEAR_BOTTOM = 24


class Feed(QScrollArea):
    """Shows the items of a `Timeline`; follows its end only while the person is there."""

    def __init__(self, open_citation: Callable[[Mapping[str, Any]], object]) -> None:
        super().__init__()
        self.setObjectName("timeline")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._open_citation = open_citation
        self._timeline = Timeline()
        self._views: dict[int, QWidget] = {}
        self._first = 0
        self._changed: set[int] = set()
        self._following = True
        self._content = QWidget()
        self._layout = QVBoxLayout(self._content)
        self._layout.setContentsMargins(14, 14, 14, 14)
        self._layout.setSpacing(M)
        self._earlier = button(self.tr("Show earlier"), self._show_earlier, kind="link")
        self._layout.addWidget(self._earlier, alignment=Qt.AlignmentFlag.AlignHCenter)
        self._layout.addStretch(1)
        self.setWidget(self._content)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(FLUSH_MS)
        self._timer.timeout.connect(self.flush)
        bar = self.verticalScrollBar()
        bar.valueChanged.connect(self._moved)
        bar.rangeChanged.connect(lambda _low, high: self._grown(high))
        self._earlier.hide()

    def show_timeline(self, timeline: Timeline) -> None:
        """Show another conversation from its end."""
        for view in self._views.values():
            view.hide()
            view.deleteLater()
        self._views.clear()
        self._changed.clear()
        self._timeline = timeline
        self._first = max(0, len(timeline.items) - SHOWN_AT_ONCE)
        self._following = True
        self._changed.update(range(self._first, len(timeline.items)))
        self.flush()

    def touch(self, places: list[int]) -> None:
        """These items changed; they are shown with the next flush."""
        self._changed.update(places)
        if self._changed and not self._timer.isActive():
            self._timer.start()

    def flush(self) -> None:
        """Show what changed now."""
        places, self._changed = sorted(self._changed), set()
        for place in places:
            if place >= self._first:
                self._show(place, self._timeline.items[place])
        self._earlier.setVisible(self._first > 0)

    def view_at(self, place: int) -> QWidget | None:
        """Return the widget of an item."""
        return self._views.get(place)

    def follow(self) -> None:
        """Go to the end and stay there."""
        self._following = True
        self._grown(self.verticalScrollBar().maximum())

    def _show(self, place: int, item: Item) -> None:
        view = self._views.get(place)
        if view is None:
            view = self._made(item)
            self._views[place] = view
            # "Show earlier" stands before the items and the stretch after them.
            self._layout.insertWidget(1 + sum(1 for p in self._views if p < place), view)
            view.show()
            return
        match view, item:
            case ToolCard() as card, ToolUse() as use:
                card.show_item(use)
            case AnswerView() as answer, Answered() as text:
                answer.show_item(text)
            case _:
                pass  # what was asked and notices never change

    def _made(self, item: Item) -> QWidget:
        match item:
            case Asked():
                return UserBubble(item)
            case ToolUse():
                return ToolCard(item)
            case Answered():
                return AnswerView(item, self._open_citation)
            case Noticed():
                return NoticeCard(item)

    def _show_earlier(self) -> None:
        before, self._first = self._first, max(0, self._first - SHOWN_AT_ONCE)
        self._following = False
        bar = self.verticalScrollBar()
        from_end = bar.maximum() - bar.value()
        self._changed.update(range(self._first, before))
        self.flush()
        self._layout.activate()
        QTimer.singleShot(0, self, lambda: bar.setValue(bar.maximum() - from_end))

    def _moved(self, value: int) -> None:
        self._following = value >= self.verticalScrollBar().maximum() - NEAR_BOTTOM

    def _grown(self, high: int) -> None:
        if self._following:
            self.verticalScrollBar().setValue(high)
            self._following = True
