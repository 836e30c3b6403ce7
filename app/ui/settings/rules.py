"""The rules of what the agent may do: those that "Always" wrote, and those of the settings file."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from app.settings import Permission
from app.ui.theme import S
from app.ui.widgets.basics import ElidedLabel, icon_button, label

ROW_HEIGHT, MOST_ROWS = 26, 6


class RuleList(QWidget):
    """Shows the rules; emits `kept` with those that are left when one is taken away."""

    kept = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self._rules: tuple[Permission, ...] | None = None
        self._none = label(
            self.tr("No rules yet: the agent asks before it writes files or runs programs."),
            "secondary",
            wrap=True,
        )
        self._rows = QWidget()
        self._column = QVBoxLayout(self._rows)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(0)
        self._scroll = QScrollArea()
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setWidgetResizable(True)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scroll.setWidget(self._rows)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._none)
        layout.addWidget(self._scroll)

    def show_rules(self, rules: Sequence[Permission]) -> None:
        """Show these rules."""
        if tuple(rules) == self._rules:
            return
        self._rules = tuple(rules)
        while (item := self._column.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.hide()
                widget.deleteLater()
        for place, rule in enumerate(self._rules):
            row = self._row(rule, place)
            self._column.addWidget(row)
            row.show()
        self._none.setVisible(not self._rules)
        self._scroll.setVisible(bool(self._rules))
        self._scroll.setFixedHeight(min(MOST_ROWS, len(self._rules)) * ROW_HEIGHT)

    def _row(self, rule: Permission, place: int) -> QWidget:
        row = QWidget()
        row.setFixedHeight(ROW_HEIGHT)
        line = QHBoxLayout(row)
        line.setContentsMargins(0, 0, S, 0)
        line.setSpacing(S)
        words, tone = {
            "allow": (self.tr("allows"), "ok"),
            "ask": (self.tr("asks"), "warn"),
            "deny": (self.tr("denies"), "bad"),
        }[rule.action]
        line.addWidget(label(words, tone))
        line.addWidget(label(rule.tool, "mono"))
        line.addWidget(ElidedLabel(rule.match or self.tr("all calls"), "secondary"), 1)
        line.addWidget(icon_button("trash", self.tr("Take this rule away"), partial(self._drop, place)))
        return row

    def _drop(self, place: int) -> None:
        rules = self._rules or ()
        self.kept.emit([rule.model_dump() for n, rule in enumerate(rules) if n != place])
