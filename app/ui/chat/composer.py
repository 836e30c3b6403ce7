"""Where one writes: grows with the text, Enter sends, Shift+Enter breaks the line.

While the agent works, what is sent steers it: it is read at the agent's next step.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPlainTextEdit, QVBoxLayout, QWidget

from app.records.ids import PaperId
from app.ui.chat.cards import Chips
from app.ui.chat.meter import MeterLabel
from app.ui.icons import icon
from app.ui.theme import XS, M, S
from app.ui.widgets.basics import ElidedLabel, button, chip_button, icon_button, restyle, tip

LOWEST, HIGHEST = 40, 168
LONGEST_QUESTION = 20_000


@dataclass(frozen=True, slots=True)
class Context:
    """A paper the question is about."""

    paper_id: PaperId
    label: str


class Composer(QWidget):
    """Emits `sent(text)`; `context()` says which papers the question is about."""

    sent = Signal(str)
    stopped = Signal()
    context_dropped = Signal(object)
    project_wanted = Signal()
    project_dropped = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._context: tuple[Context, ...] = ()
        self._project: Path | None = None
        self._running = self._stopping = False
        self._chips = Chips()
        self.edit = _Edit()
        self.edit.setObjectName("composer")
        self.edit.setPlaceholderText(self.tr("Ask your library…"))
        self.edit.setAccessibleName(self.tr("Question"))
        self.edit.submitted.connect(self._send)
        self.edit.textChanged.connect(self._changed)
        self.edit.installEventFilter(self)
        self.send = button(self.tr("Send"), self._send, kind="primary", icon_name="send")
        self.send.setObjectName("sendButton")
        self.send.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
        self.stop = button(self.tr("Stop"), self.stopped.emit, icon_name="stop")
        self.stop.setObjectName("stopButton")
        self.stop.setToolTip(self.tr("Stop the answer (Esc)"))
        self._hint = ElidedLabel("", "small-hint")
        self.meter = MeterLabel()
        self._box = QFrame()
        self._box.setProperty("frame", "field")
        inner = QVBoxLayout(self._box)
        inner.setContentsMargins(10, 8, 8, 8)
        inner.setSpacing(XS)
        inner.addWidget(self.edit)
        foot = QHBoxLayout()
        foot.setSpacing(XS)
        self.folder = icon_button(
            "folder", self.tr("Project folder: the agent may read and write there"), self.project_wanted.emit
        )
        foot.addWidget(self.folder)
        foot.addWidget(self._hint, 1)
        foot.addWidget(self.meter)
        foot.addWidget(self.stop)
        foot.addWidget(self.send)
        inner.addLayout(foot)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(M, 10, M, M)
        layout.setSpacing(S)
        layout.addWidget(self._chips)
        layout.addWidget(self._box)
        self._box.setFocusProxy(self.edit)
        self.set_running(False)

    def set_running(self, running: bool, *, stopping: bool = False) -> None:
        """Show the stop button while a turn runs; while it is stopping nothing can be sent."""
        self._running, self._stopping = running, stopping
        self.stop.setVisible(running)
        self.stop.setText(self.tr("Stopping…") if stopping else self.tr("Stop"))
        self.stop.setToolTip(
            self.tr("Press again not to wait for what is running")
            if stopping
            else self.tr("Stop the answer (Esc)")
        )
        self.edit.setPlaceholderText(
            self.tr("Tell the agent something while it works…") if running else self.tr("Ask your library…")
        )
        self._changed()

    def set_context(self, context: tuple[Context, ...]) -> None:
        """Show these papers as chips; the question will be about them alone."""
        if context == self._context:
            return
        self._context = context
        self._show_chips()

    def set_project(self, project: Path | None) -> None:
        """Show the folder that the agent may use in this conversation."""
        if project == self._project:
            return
        self._project = project
        self._show_chips()

    def _show_chips(self) -> None:
        chips: list[QWidget] = []
        if self._project is not None:
            says = self.tr("Take the project folder away from the agent: %1")
            says = says.replace("%1", str(self._project))
            chips.append(
                self._chip(self._project.name or str(self._project), says, self.project_dropped.emit, "plain")
            )
        for paper in self._context:
            says = self.tr("Do not limit the question to %1").replace("%1", paper.label)
            drop = partial(self.context_dropped.emit, paper.paper_id)
            chips.append(self._chip(paper.label, says, drop, "accent"))
        self._chips.set_chips(chips)
        self._changed()

    def _chip(self, words: str, says: str, on_click: Callable[[], object], kind: str) -> QWidget:
        chip = chip_button(f"{words}  ×", on_click, kind)
        if kind == "plain":
            chip.setIcon(icon("folder"))
            chip.setIconSize(QSize(12, 12))
        chip.setAccessibleName(says)
        chip.setToolTip(tip(says))
        return chip

    def context(self) -> tuple[Context, ...]:
        """Return the papers the next question is about; none means the whole library."""
        return self._context

    def text(self) -> str:
        """Return what is written."""
        return self.edit.toPlainText()

    def set_text(self, text: str) -> None:
        """Write `text` in and put the cursor behind it."""
        self.edit.setPlainText(text)
        self.edit.moveCursor(self.edit.textCursor().MoveOperation.End)
        self.edit.setFocus()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.FocusIn, QEvent.Type.FocusOut):
            restyle(self._box, "focused", "true" if event.type() is QEvent.Type.FocusIn else "false")
        return super().eventFilter(watched, event)

    def _send(self) -> None:
        text = self.text().strip()
        if not text or self._stopping or len(text) > LONGEST_QUESTION:
            return
        self.edit.clear()
        self.sent.emit(text)

    def _changed(self) -> None:
        length = len(self.text().strip())
        self.send.setEnabled(0 < length <= LONGEST_QUESTION and not self._stopping)
        if length > LONGEST_QUESTION:
            self._hint.setText(self.tr("Too long by %n character(s)", None, length - LONGEST_QUESTION))
            restyle(self._hint, "tone", "bad")
            return
        restyle(self._hint, "tone", "small-hint")
        if self._stopping:
            self._hint.setText(self.tr("Waits for what is running to end"))
        elif self._running:
            self._hint.setText(self.tr("Read at the agent’s next step"))
        elif self._context:
            self._hint.setText(self.tr("Asks %n selected paper(s)", None, len(self._context)))
        else:
            self._hint.setText(self.tr("Asks the whole library"))


class _Edit(QPlainTextEdit):
    submitted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setTabChangesFocus(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.document().setDocumentMargin(1)
        self.textChanged.connect(self._fit)
        self._fit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if enter and not event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self.submitted.emit()
            return
        super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        lines = max(1, int(self.document().size().height()))
        wanted = lines * self.fontMetrics().lineSpacing() + 4
        height = max(LOWEST, min(HIGHEST, wanted))
        if self.height() != height or self.minimumHeight() != height:
            self.setFixedHeight(height)
