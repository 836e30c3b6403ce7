"""One note as a card: beside the page, or over it where there is no room."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPainterPath, QPaintEvent, QPen
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPlainTextEdit, QToolButton, QVBoxLayout, QWidget

from app.library.notes import Note
from app.ui.reader.note_words import head_line
from app.ui.reader.swatch import Swatch
from app.ui.theme import META_PX, NOTE_COLOURS, XS, XXS, interface_font, tokens
from app.ui.widgets.basics import icon_button, label, restyle

RADIUS, EDGE, SHADOW = 7, 3, 4
MOST_LINES = 12
UNSAVED_MS = 1000
"""What is written is told no later than this, also in the middle of a long sentence."""


class NoteCard(QFrame):
    """Shows a note; a click begins to edit it, leaving it or Ctrl+Enter keeps what was written.

    While one writes, `text_changed` comes every second, so that an abrupt end loses no more;
    Esc takes the text back to what it was when writing began.
    """

    text_changed = Signal(str, str)
    colour_changed = Signal(str, str)
    delete_asked = Signal(str)
    chosen = Signal(str)

    def __init__(self, note: Note, labels: Sequence[str], parent: QWidget) -> None:
        super().__init__(parent)
        self._note, self._labels = note, labels
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self._head = label("", "small-hint")
        self._head.setFont(interface_font(11))
        self._head.setStyleSheet("font-size: 11px;")
        self._body = label("", wrap=True)
        self._body.setStyleSheet(f"font-size: {META_PX:g}px;")
        self._editor = QPlainTextEdit()
        self._editor.setFont(interface_font(META_PX))
        self._editor.setPlaceholderText(self.tr("Write a note…"))
        self._editor.setAccessibleName(self.tr("Text of the note"))
        self._editor.setTabChangesFocus(True)
        self._editor.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._editor.document().setDocumentMargin(0)
        self._editor.textChanged.connect(self._typed)
        self._editor.installEventFilter(self)
        self._tools = self._make_tools()
        column = self._column = QVBoxLayout(self)
        column.setContentsMargins(EDGE + 8 + SHADOW, 8 + SHADOW, 10 + SHADOW, 8 + SHADOW)
        column.setSpacing(3)
        for widget in (self._head, self._body, self._editor, self._tools):
            column.addWidget(widget)
        self._editing = False
        self._before = note.text
        self._told: str | None = note.text
        self._unsaved = QTimer(self, singleShot=True, interval=UNSAVED_MS)
        self._unsaved.timeout.connect(lambda: self._tell(self._written()))
        self.show_note(note)

    @property
    def note(self) -> Note:
        """The note as it was last shown."""
        return self._note

    @property
    def editing(self) -> bool:
        """True while the person writes."""
        return self._editing

    def show_note(self, note: Note) -> None:
        """Show the note as it is now."""
        self._note = note
        self._head.setText(head_line(note, self._labels))
        self._body.setText(note.text or self.tr("Add a note…"))
        restyle(self._body, "tone", "" if note.text else "hint")
        self.setAccessibleName(f"{self._head.text()}: {note.text or note.anchor.quote}")
        self._show_mode()
        self.update()

    def edit(self) -> None:
        """Begin to write."""
        if self._editing:
            return
        self._before = self._told = self._note.text
        self._editor.setPlainText(self._before)
        self._editing = True
        self._show_mode()
        self._editor.moveCursor(self._editor.textCursor().MoveOperation.End)
        self._editor.setFocus(Qt.FocusReason.OtherFocusReason)

    def finish(self, *, keep: bool = True) -> None:
        """Stop writing and keep the words, or not."""
        if not self._editing:
            return
        self._editing = False
        self._unsaved.stop()
        text = self._written() if keep else self._before
        if text != self._before:
            self._body.setText(text)
            self._told = None  # once more, now that the page may make room for it
        self._tell(text)
        self._show_mode()

    def _written(self) -> str:
        return self._editor.toPlainText().strip()

    def _tell(self, text: str) -> None:
        if text != self._told:
            self._told = text
            self.text_changed.emit(self._note.note_id, text)

    def _typed(self) -> None:
        self._grow()
        if self._editing and not self._unsaved.isActive():
            self._unsaved.start()

    def _make_tools(self) -> QWidget:
        tools = QWidget()
        row = QHBoxLayout(tools)
        row.setContentsMargins(0, XS, 0, 0)
        row.setSpacing(2)
        for colour in NOTE_COLOURS[:5]:
            swatch = Swatch(colour, size=14)
            swatch.clicked.connect(lambda _=False, c=colour: self.colour_changed.emit(self._note.note_id, c))
            row.addWidget(swatch)
        row.addStretch(1)
        row.addWidget(self._trash())
        return tools

    def _trash(self) -> QToolButton:
        return icon_button("trash", self.tr("Delete the note (Del)"), self._delete)

    def _delete(self) -> None:
        self.finish()  # undoing brings back the last words, too
        self.delete_asked.emit(self._note.note_id)

    def _show_mode(self) -> None:
        self._body.setVisible(not self._editing)
        self._editor.setVisible(self._editing)
        self._tools.setVisible(self._editing)
        self._grow()

    def _grow(self) -> None:
        lines = min(MOST_LINES, max(2, int(self._editor.document().size().height()) + 1))
        self._editor.setFixedHeight(lines * 17 + XXS)
        self.fit(self.width())

    def fit(self, width: int) -> None:
        """Take the height that the words need at this width."""
        self._column.activate()
        height = self._column.totalHeightForWidth(width)
        self.resize(width, height if height > 0 else self._column.totalSizeHint().height())

    # -- events

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._editor:
            if event.type() is QEvent.Type.FocusOut:
                self.finish()
            elif isinstance(event, QKeyEvent) and event.type() is QEvent.Type.KeyPress:
                ctrl = event.modifiers() & Qt.KeyboardModifier.ControlModifier
                if event.key() == Qt.Key.Key_Escape:
                    self.finish(keep=False)
                    return True
                if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and ctrl:
                    self.finish()
                    return True
        return super().eventFilter(watched, event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.chosen.emit(self._note.note_id)
        self.edit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        match event.key():
            case Qt.Key.Key_Return | Qt.Key.Key_Enter | Qt.Key.Key_F2:
                self.edit()
            case Qt.Key.Key_Delete:
                self.delete_asked.emit(self._note.note_id)
            case _:
                super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        t = tokens()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        card = QRectF(self.rect()).adjusted(SHADOW, SHADOW - 1, -SHADOW, -SHADOW - 1)
        shade = t.colour("shadow")
        for spread in range(SHADOW, 0, -1):
            shade.setAlpha(5 if not t.dark else 22)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(shade)
            painter.drawRoundedRect(
                card.adjusted(-spread, 1 - spread, spread, 1 + spread), RADIUS + spread, RADIUS + spread
            )
        path = QPainterPath()
        path.addRoundedRect(card, RADIUS, RADIUS)
        painter.fillPath(path, t.colour("surface"))
        painter.save()
        painter.setClipPath(path)
        painter.fillRect(QRectF(card.left(), card.top(), EDGE, card.height()), t.note_edge(self._note.color))
        painter.restore()
        focused = self.hasFocus() or self._editing
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(t.colour("accent" if focused else "line"), 1))
        painter.drawRoundedRect(card.adjusted(0.5, 0.5, -0.5, -0.5), RADIUS, RADIUS)
