"""What the model is doing while nothing can be read yet: loading, reading, waiting for a service."""

from __future__ import annotations

import math
import re
import time

from PySide6.QtCore import QCoreApplication, Qt, QTimer
from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QVBoxLayout, QWidget

from app.llm.local.reply import LOADING
from app.ui.chat.items import ModelState
from app.ui.theme import CHIP_PX, XS, M, S, interface_font
from app.ui.widgets.basics import ElidedLabel, label, rule

translate = QCoreApplication.translate

DELAY_MS, TICK_MS = 150, 250
STEPS = 1000
_AGAIN = re.compile(r"\s*Trying again in [\d.]+ s\.$")


class ProgressLine(QWidget):
    """Hidden while the model says nothing of itself; what is over in a moment is never shown."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("modelProgress")
        self._state: ModelState | None = None
        self._words = ElidedLabel("", "meta")
        self._bar = QProgressBar()
        self._bar.setTextVisible(False)
        self._bar.setFixedWidth(120)
        self._right = label("", "meta")
        self._right.setFont(interface_font(CHIP_PX, tabular=True))
        self._right.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        row = QHBoxLayout()
        row.setContentsMargins(14, XS, M, XS)
        row.setSpacing(S)
        row.addWidget(self._words, 1)
        row.addWidget(self._bar)
        row.addWidget(self._right)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(rule())
        layout.addLayout(row)
        self._delay = QTimer(self)
        self._delay.setSingleShot(True)
        self._delay.setInterval(DELAY_MS)
        self._delay.timeout.connect(self._appear)
        self._tick = QTimer(self)
        self._tick.setInterval(TICK_MS)
        self._tick.timeout.connect(self._say)
        self.hide()

    def show_state(self, state: ModelState | None) -> None:
        """Show how far the model is; None: it speaks, or nothing runs."""
        if state == self._state:
            return
        self._state = state
        if state is None:
            self._delay.stop()
            self._tick.stop()
            self.hide()
            return
        if state.until is not None:
            self._tick.start()
        else:
            self._tick.stop()
        self._say()
        if not self.isVisible() and not self._delay.isActive():
            self._delay.start()

    def words(self) -> str:
        """Return what is said, with the figure at the right."""
        return f"{self._words.text()} {self._right.text()}".strip()

    def _appear(self) -> None:
        self.setVisible(self._state is not None)

    def _say(self) -> None:
        if (state := self._state) is None:
            return
        left = None if state.until is None else max(0, math.ceil(state.until - time.monotonic()))
        said, right = words_of(state, left)
        self._words.setText(said)
        self._right.setText(right)
        self._right.setVisible(bool(right))
        self._bar.setVisible(left is None)
        known = state.share is not None and state.share < 1
        self._bar.setRange(0, STEPS if known else 0)
        self._bar.setValue(round((state.share or 0.0) * STEPS) if known else 0)
        self.setAccessibleName(self.words())


def words_of(state: ModelState, left: int | None) -> tuple[str, str]:
    """Return what is said of the model, and the figure at the right; `left` are the seconds of a wait."""
    if left is not None:
        reason = _AGAIN.sub("", state.message) or translate("ProgressLine", "The service asks to wait.")
        return reason, translate("ProgressLine", "again in %1 s").replace("%1", str(left))
    share = "" if state.share is None or state.share >= 1 else f"{100 * state.share:.0f} %"
    if state.message == LOADING:
        return translate("ProgressLine", "Loading the model"), share
    if state.message:
        return state.message, share
    if state.share is not None and state.share >= 1:
        return translate("ProgressLine", "The model writes"), ""
    return translate("ProgressLine", "The model reads"), share
