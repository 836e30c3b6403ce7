"""The scrolling column of timeline items: one widget an item, repainted thirty times a second.

Only what is near the end that is looked at has widgets: earlier items get theirs a few at a time when
one scrolls up to them, so that a long conversation opens as fast as a short one.
"""

from __future__ import annotations

import time

from PySide6.QtCore import QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QVBoxLayout, QWidget

from app.ui.chat.deeds import Deeds
from app.ui.chat.items import Item
from app.ui.chat.permission_card import PermissionCard
from app.ui.chat.question_card import QuestionCard
from app.ui.chat.timeline import Timeline
from app.ui.chat.views import make_view, show_view
from app.ui.theme import M
from app.ui.widgets.basics import button

FLUSH_MS, SETTLE_MS = 33, 50
AT_FIRST, A_FEW = 2, 8
"""How many items are made when a conversation is opened, and with a press of "Show earlier"."""
AT_MOST, KEPT = 400, 120
"""Beyond so many widgets all but the last are given up, while one looks at the end."""
SLICE_S = 0.008
NEAR_BOTTOM = 24


class Feed(QScrollArea):
    """Shows the items of a `Timeline`; follows its end only while the person is there."""

    moved = Signal()
    """Items were shown or scrolled: others are in sight now, when the layout has settled."""

    def __init__(self, deeds: Deeds) -> None:
        super().__init__()
        self.setObjectName("timeline")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._deeds = deeds
        self._timeline = Timeline()
        self._views: dict[int, QWidget] = {}
        self._first = 0
        self._changed: set[int] = set()
        self._following = True
        self._held_from_end: int | None = None
        """Distance to keep from the end while items are put in above."""
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
        self._filler = QTimer(self)
        self._filler.setSingleShot(True)
        self._filler.timeout.connect(self._fill)
        self._settled = QTimer(self)
        self._settled.setSingleShot(True)
        self._settled.setInterval(SETTLE_MS)
        self._settled.timeout.connect(self.moved)
        bar = self.verticalScrollBar()
        bar.valueChanged.connect(self._moved)
        bar.valueChanged.connect(lambda _: self._settled.start())
        bar.rangeChanged.connect(lambda *_: self._settled.start())
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
        self._first = max(0, len(timeline.items) - AT_FIRST)
        self._following, self._held_from_end = True, None
        self._changed.update(range(self._first, len(timeline.items)))
        self.flush()
        self._filler.start(0)

    def prepended(self, count: int) -> None:
        """So many items were put in before those that are shown."""
        self._views = {place + count: view for place, view in self._views.items()}
        self._changed = {place + count for place in self._changed}
        self._first += count
        self._earlier.setVisible(self._first > 0)
        self._filler.start(0)

    def place_of(self, view: QWidget) -> int | None:
        """Return the place of the item that a widget shows; None for one inside another item."""
        return next((place for place, shown in self._views.items() if shown is view), None)

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
        if self._following and len(self._views) > AT_MOST:
            self._let_go()
        self._earlier.setVisible(self._first > 0)
        self._count_waiting()
        self._settled.start()

    def view_at(self, place: int) -> QWidget | None:
        """Return the widget of an item."""
        return self._views.get(place)

    def follow(self) -> None:
        """Go to the end and stay there."""
        self._following = True
        self._grown(self.verticalScrollBar().maximum())

    def focus_waiting(self) -> bool:
        """Bring the oldest card that waits for the person into sight and give it the keyboard."""
        for place in self._timeline.waiting():
            while self._first > place:
                self._add_earlier(A_FEW)
            view = self._views.get(place)
            if isinstance(view, PermissionCard | QuestionCard):
                self._content.adjustSize()
                self.ensureWidgetVisible(view, 0, M)
                view.take_focus()
                return True
        return False

    def waiting_in_sight(self) -> bool:
        """Whether the oldest card that waits for the person can be seen, or none waits."""
        for place in self._timeline.waiting():
            view = self._views.get(place)
            if view is None:
                return False
            top = view.mapTo(self.viewport(), QPoint(0, 0)).y()
            return top < self.viewport().height() - M and top + view.height() > M
        return True

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._filler.start(0)

    def _show(self, place: int, item: Item) -> None:
        view = self._views.get(place)
        if view is not None:
            show_view(view, item)
            return
        view = make_view(item, self._deeds, forks=True)
        self._views[place] = view
        # "Show earlier" stands before the items and the stretch after them.
        self._layout.insertWidget(1 + place - self._first, view)
        view.show()

    def _fill(self) -> None:
        """Make earlier items until there is a screenful above, in slices that nobody notices."""
        bar = self.verticalScrollBar()
        if self._first == 0 or bar.value() > self.viewport().height() or not self.isVisible():
            return
        self._held_from_end = bar.maximum() - bar.value()
        ends = time.monotonic() + SLICE_S
        while self._first and time.monotonic() < ends:
            self._add_earlier(1)
        self._layout.activate()
        self._filler.start(0)

    def _add_earlier(self, count: int) -> None:
        before, self._first = self._first, max(0, self._first - count)
        for place in range(self._first, before):
            self._show(place, self._timeline.items[place])
        self._earlier.setVisible(self._first > 0)

    def _show_earlier(self) -> None:
        bar = self.verticalScrollBar()
        self._following = False
        self._held_from_end = bar.maximum() - bar.value()
        self._add_earlier(A_FEW)
        self._layout.activate()

    def _let_go(self) -> None:
        first = len(self._timeline.items) - KEPT
        for place in [place for place in self._views if place < first]:
            view = self._views.pop(place)
            self._layout.removeWidget(view)
            view.hide()
            view.deleteLater()
        self._first = max(self._first, first)

    def _count_waiting(self) -> None:
        cards = [
            card for p in self._timeline.waiting() if isinstance(card := self._views.get(p), PermissionCard)
        ]
        for number, card in enumerate(cards, 1):
            card.set_count(number, len(cards))

    def _moved(self, value: int) -> None:
        self._following = value >= self.verticalScrollBar().maximum() - NEAR_BOTTOM
        if value < self.viewport().height() and self._first:
            self._filler.start(0)

    def _grown(self, high: int) -> None:
        bar = self.verticalScrollBar()
        if self._following:
            self._held_from_end = None
            bar.setValue(high)
            self._following = True
        elif self._held_from_end is not None:
            held, self._held_from_end = self._held_from_end, None
            bar.setValue(high - held)
