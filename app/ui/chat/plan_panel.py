"""The agent's plan: one line with how far it is; opened, every task with its state."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QKeyEvent, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QProgressBar, QScrollArea, QVBoxLayout, QWidget

from app.ui.chat.foldable import SIGN
from app.ui.chat.items import Plan, Task
from app.ui.icons import icon_pixmap
from app.ui.theme import XS, S, theme
from app.ui.widgets.basics import ElidedLabel, label, restyle, rule

HIGHEST = 240
SIGNS = {"completed": ("check", "ok"), "done": ("check", "ok"), "in_progress": ("spinner", "accent")}


class PlanPanel(QWidget):
    """Not there while there is no plan."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("todoPanel")
        self._plan: Plan | None = None
        self._open = False
        self._arrow = QLabel()
        self._title = label("", "heading")
        self._bar = QProgressBar()
        self._bar.setTextVisible(False)
        self._now = ElidedLabel("", "meta")
        self._head = QFrame()
        self._head.setProperty("frame", "line")
        self._head.setCursor(Qt.CursorShape.PointingHandCursor)
        row = QHBoxLayout(self._head)
        row.setContentsMargins(13, 7, 13, 7)
        row.setSpacing(10)
        row.addWidget(self._arrow)
        row.addWidget(self._title)
        row.addWidget(self._bar, 2)
        row.addWidget(self._now, 3)
        self._tasks = QWidget()
        self._column = QVBoxLayout(self._tasks)
        self._column.setContentsMargins(14, XS, 14, 10)
        self._column.setSpacing(XS)
        self._scroll = QScrollArea()
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setWidgetResizable(True)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scroll.setWidget(self._tasks)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        for part in (rule(), self._head, self._scroll):
            layout.addWidget(part)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        theme().changed.connect(self._show)
        self._scroll.hide()
        self.hide()

    def show_plan(self, plan: Plan | None) -> None:
        """Show the plan of a conversation."""
        if plan == self._plan:
            return
        self._plan = plan
        self._show()

    def is_open(self) -> bool:
        """Whether the tasks show."""
        return self._open

    def toggle(self) -> None:
        """Open or close the list."""
        self._open = not self._open
        self._show()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        at = event.position().toPoint()
        if event.button() is Qt.MouseButton.LeftButton and self._head.geometry().contains(at):
            self.toggle()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self.toggle()
        else:
            super().keyPressEvent(event)

    def focusInEvent(self, event: object) -> None:
        restyle(self._head, "focused", "true")

    def focusOutEvent(self, event: object) -> None:
        restyle(self._head, "focused", "false")

    def _show(self) -> None:
        plan = self._plan
        self.setVisible(plan is not None)
        if plan is None:
            return
        figures = self.tr("Plan %1 / %2").replace("%1", str(plan.done)).replace("%2", str(len(plan.tasks)))
        self._title.setText(figures)
        self._bar.setRange(0, len(plan.tasks))
        self._bar.setValue(plan.done)
        self._now.setText("" if self._open else plan.current)
        self._arrow.setPixmap(icon_pixmap("chevron-down" if self._open else "chevron-right", "text_3", 10))
        self.setAccessibleName(f"{figures} {plan.current}")
        self._scroll.setVisible(self._open)
        if self._open:
            self._show_tasks(plan)

    def _show_tasks(self, plan: Plan) -> None:
        while (item := self._column.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.hide()
                widget.deleteLater()
        names = {task.id: task.content for task in plan.tasks}
        undone = {task.id for task in plan.tasks if not task.done}
        for task in plan.tasks:
            before = [names[other] for other in task.blocked_by if other in undone]
            row = self._row(task, before)
            self._column.addWidget(row)
            row.show()
        self._fit()
        QTimer.singleShot(0, self, self._fit)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """As high as the tasks at this width, up to a limit."""
        self._column.activate()
        height = self._column.totalHeightForWidth(max(200, self.width() - 4))
        height = max(height, self._column.totalSizeHint().height())
        self._scroll.setFixedHeight(min(HIGHEST, height))

    def _row(self, task: Task, before: list[str]) -> QWidget:
        row = QWidget()
        line = QHBoxLayout(row)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(S)
        sign = QLabel()
        icon, tint = SIGNS.get(task.status, ("lock" if before else "circle", "text_3"))
        sign.setPixmap(icon_pixmap(icon, tint, SIGN))
        line.addWidget(sign, alignment=Qt.AlignmentFlag.AlignTop)
        words = QVBoxLayout()
        words.setSpacing(0)
        tone = "hint" if task.done else ("" if task.status == "in_progress" else "secondary")
        words.addWidget(label(task.content, tone, wrap=True))
        if before and not task.done:
            words.addWidget(
                ElidedLabel(self.tr("waits for: %1").replace("%1", ", ".join(before)), "small-hint")
            )
        line.addLayout(words, 1)
        state = {
            "completed": self.tr("done"),
            "done": self.tr("done"),
            "in_progress": self.tr("in progress"),
        }.get(task.status, self.tr("to do"))
        line.addWidget(label(state, "small-hint"), alignment=Qt.AlignmentFlag.AlignTop)
        return row
