"""A tool call: one line until it is opened; below it arguments, a sub-agent's own timeline, output."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from typing import Any

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QLabel, QProgressBar, QVBoxLayout, QWidget

from app.ui.chat.foldable import SIGN, Foldable, Output
from app.ui.chat.items import Item, ToolState, ToolUse
from app.ui.chat.preview import Preview
from app.ui.chat.timeline import Timeline
from app.ui.chat.visible import visible
from app.ui.chat.words import outcome_tip, state_words
from app.ui.icons import icon_pixmap
from app.ui.theme import XXS, M, S, theme
from app.ui.widgets.basics import ElidedLabel, label

SIGNS = {
    ToolState.ASKING: ("alert", "warn"),
    ToolState.RUNNING: ("spinner", "accent"),
    ToolState.DONE: ("check", "ok"),
    ToolState.FAILED: ("alert", "bad"),
    ToolState.STOPPED: ("stop", "text_3"),
}
INNER_SHOWN = 60
LONG_S = 2.0

MakeView = Callable[[Item], QWidget]
ShowItem = Callable[[QWidget, Item], object]


class ToolCard(Foldable):
    """Sign, name, main argument, state and time. `make` and `show` set the items of a sub-agent."""

    def __init__(self, item: ToolUse, make: MakeView, show: ShowItem) -> None:
        super().__init__(framed=True)
        self._item = item
        self._make, self._show_item = make, show
        self._sign = QLabel()
        self._name = label("", "mono")
        self._argument = ElidedLabel("", "secondary")
        self._right = label("", "small-hint")
        for part, stretch in ((self._sign, 0), (self._name, 0), (self._argument, 1), (self._right, 0)):
            self.head_row.addWidget(part, stretch)
        self._bar = QProgressBar()
        self._bar.setTextVisible(False)
        self._bar.setRange(0, 1000)
        self._bar_box = QWidget()
        bar = QVBoxLayout(self._bar_box)
        bar.setContentsMargins(10, S, 10, S)
        bar.addWidget(self._bar)
        self.column.insertWidget(2, self._bar_box)
        self._clock = QTimer(self)
        self._clock.setInterval(1000)
        self._clock.timeout.connect(self._tick)
        theme().changed.connect(self._show)
        self._show()

    def show_item(self, item: ToolUse) -> None:
        """Show the newest state of the call."""
        self._item = item
        self._show()

    def fill(self) -> None:
        self.body_column.setContentsMargins(10, S, 10, 10)
        self.body_column.setSpacing(XXS)
        self._arguments, self._output = Output(), Output(lines=16)
        self._inner = _Inner(self._make, self._show_item)
        self._diff: Preview | None = None
        self._result = label(self.tr("Result"), "small-hint")
        for part in (self._arguments, self._inner, self._result, self._output):
            self.body_column.addWidget(part)

    def refresh_body(self) -> None:
        item = self._item
        self._arguments.setVisible(bool(item.arguments))
        self._arguments.show_text(in_lines(item.arguments))
        self._inner.setVisible(item.inner is not None)
        if item.inner is not None:
            self._inner.show_timeline(item.inner)
        if item.diff and self._diff is None:
            self._diff = Preview("diff", item.diff)
            self.body_column.insertWidget(3, self._diff)
        self._result.setVisible(bool(item.output or item.diff))
        self._output.setVisible(bool(item.output))
        self._output.show_text(item.output)

    def folded(self) -> None:
        self._show()

    def _show(self) -> None:
        item = self._item
        name, tint = SIGNS[item.state]
        self._sign.setPixmap(icon_pixmap(name, tint, SIGN))
        self._name.setText(visible(item.name))
        self._argument.setText(visible(item.argument))
        running = item.state is ToolState.RUNNING
        if running and item.started_at and not self._clock.isActive():
            self._clock.start()
        elif not running:
            self._clock.stop()
        self._tick()
        self._right.setToolTip(outcome_tip(item.outcome) if item.outcome is not None else "")
        self._bar_box.setVisible(running and item.progress is not None)
        if item.progress is not None:
            self._bar.setValue(round(item.progress * 1000))
        if self.is_open():
            self.refresh_body()
        self.rule.setVisible(self.is_open() or not self._bar_box.isHidden())
        self.setAccessibleName(f"{item.name} {item.argument} {state_words(item)}")

    def _tick(self) -> None:
        self._right.setText(self._right_words())

    def _right_words(self) -> str:
        item = self._item
        if item.state is ToolState.DONE:
            return self._seconds(item.seconds) if item.seconds is not None else ""
        if item.state is not ToolState.RUNNING:
            return state_words(item)
        if item.message:
            return visible(item.message)[:40]
        if item.inner is not None and item.inner.steps:
            return self.tr("%n step(s)", None, item.inner.steps)
        gone = time.monotonic() - item.started_at if item.started_at else 0.0
        return self._seconds(int(gone)) if gone >= LONG_S else ""

    def _seconds(self, seconds: float) -> str:
        figure = str(seconds) if isinstance(seconds, int) else f"{seconds:.1f}"
        figure = "< 0.1" if figure == "0.0" else figure
        return self.tr("%1 s").replace("%1", figure)


def in_lines(arguments: Mapping[str, Any]) -> str:
    """Return arguments as a person reads them: a line each, text as it is, anything else as JSON."""
    parts = []
    for name, value in arguments.items():
        words = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        parts.append(f"{name}:\n{words}" if "\n" in words else f"{name}: {words}")
    return "\n".join(parts)


class _Inner(QWidget):
    """The last items of a sub-agent's timeline, set in a little."""

    def __init__(self, make: MakeView, show: ShowItem) -> None:
        super().__init__()
        self._make, self._show = make, show
        self._views: dict[int, tuple[Item, QWidget]] = {}
        self._earlier = label("", "small-hint")
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(M, S, 0, S)
        self._column.setSpacing(S)
        self._column.addWidget(self._earlier)

    def show_timeline(self, timeline: Timeline) -> None:
        """Show the newest state; only what changed is set again."""
        first = max(0, len(timeline.items) - INNER_SHOWN)
        for place in [place for place in self._views if place < first]:
            self._views.pop(place)[1].deleteLater()
        for place in range(first, len(timeline.items)):
            item = timeline.items[place]
            known = self._views.get(place)
            if known is None:
                view = self._make(item)
                self._column.addWidget(view)
                self._views[place] = (item, view)
            elif known[0] is not item:
                self._show(known[1], item)
                self._views[place] = (item, known[1])
        self._earlier.setVisible(first > 0)
        self._earlier.setText(self.tr("%n earlier item(s)", None, first))
