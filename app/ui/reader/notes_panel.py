"""The list of the paper's notes, in reading order."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import (
    QAbstractListModel,
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRect,
    QRectF,
    QSize,
    Qt,
    Signal,
)  # fmt: skip
from PySide6.QtGui import QFontMetrics, QKeyEvent, QPainter, QTextLayout, QTextOption
from PySide6.QtWidgets import (
    QHBoxLayout,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)  # fmt: skip

from app.library.notes import Note
from app.records.ids import NoteId
from app.ui.reader.note_words import head_line
from app.ui.theme import META_PX, TEXT_PX, XS, S, interface_font, tokens
from app.ui.widgets.basics import label

_NOTE = int(Qt.ItemDataRole.UserRole)
_PAD, _EDGE = 10, 3
_QUOTE_LINES, _TEXT_LINES = 2, 3
_Index = QModelIndex | QPersistentModelIndex


class NotesModel(QAbstractListModel):
    """Notes as rows; the words of a row are made when it is painted."""

    def __init__(self) -> None:
        super().__init__()
        self.notes: Sequence[Note] = ()
        self.labels: Sequence[str] = ()

    def show(self, notes: Sequence[Note], labels: Sequence[str]) -> None:
        """Show these notes."""
        self.beginResetModel()
        self.notes, self.labels = tuple(notes), labels
        self.endResetModel()

    def row_of(self, note_id: str) -> int:
        """Return the row of a note, or -1."""
        return next((row for row, note in enumerate(self.notes) if note.note_id == note_id), -1)

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.notes)

    def data(self, index: _Index, role: int = int(Qt.ItemDataRole.DisplayRole)) -> object:
        if not index.isValid():
            return None
        note = self.notes[index.row()]
        if role == _NOTE:
            return note
        if role == int(Qt.ItemDataRole.DisplayRole):
            return note.text or note.anchor.quote
        if role == int(Qt.ItemDataRole.AccessibleTextRole):
            return f"{head_line(note, self.labels)}: {note.anchor.quote}. {note.text}"
        return None


class _Delegate(QStyledItemDelegate):
    """Paints a colour edge, where and when, the quote, and what was written."""

    def sizeHint(self, option: QStyleOptionViewItem, index: _Index) -> QSize:
        note = index.data(_NOTE)
        width = max(80, self._width(option)) - 2 * _PAD - _EDGE - S
        height = _PAD + 16 + self._lines(note.anchor.quote, META_PX, width, _QUOTE_LINES) * 17 + _PAD
        if note.text:
            height += 4 + self._lines(note.text, TEXT_PX, width, _TEXT_LINES) * 18
        return QSize(width, height)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        note, t = index.data(_NOTE), tokens()
        model = index.model()
        labels = model.labels if isinstance(model, NotesModel) else ()
        rect: QRect = option.rect
        state = option.state
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if state & QStyle.StateFlag.State_Selected:
            painter.fillRect(rect, t.colour("surface"))
        elif state & QStyle.StateFlag.State_MouseOver:
            painter.fillRect(rect, t.colour("sunken"))
        edge = QRectF(rect.left() + _PAD, rect.top() + _PAD + 1, _EDGE, rect.height() - 2 * _PAD - 2)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(t.note_edge(note.color))
        painter.drawRoundedRect(edge, 1.5, 1.5)
        left, width = rect.left() + _PAD + _EDGE + S, rect.width() - 2 * _PAD - _EDGE - S
        y = rect.top() + _PAD
        painter.setFont(interface_font(11))
        painter.setPen(t.colour("text_3"))
        painter.drawText(QRect(left, y, width, 14), Qt.AlignmentFlag.AlignVCenter, head_line(note, labels))
        y += 16
        painter.setPen(t.colour("text_2"))
        quote = _broken(note.anchor.quote, META_PX, width, _QUOTE_LINES)
        y = _draw(painter, quote, META_PX, QRect(left, y, width, 17))
        if note.text:
            painter.setPen(t.colour("text"))
            text = _broken(note.text, TEXT_PX, width, _TEXT_LINES)
            _draw(painter, text, TEXT_PX, QRect(left, y + 4, width, 18))
        painter.setPen(t.colour("line"))
        painter.drawLine(rect.left(), rect.bottom(), rect.right(), rect.bottom())
        if state & QStyle.StateFlag.State_HasFocus:
            painter.setPen(t.colour("accent"))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(QRectF(rect).adjusted(1.5, 1.5, -1.5, -2.5), 5, 5)
        painter.restore()

    def _width(self, option: QStyleOptionViewItem) -> int:
        view = option.widget
        return int(view.viewport().width()) if isinstance(view, QListView) else 240

    def _lines(self, text: str, px: float, width: int, most: int) -> int:
        return len(_broken(text, px, width, most))


class NotesPanel(QWidget):
    """The list with its heading; empty, it says how notes are made."""

    note_asked = Signal(str)
    edit_asked = Signal(str)
    delete_asked = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("pane", "bar")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.model = NotesModel()
        self.list = QListView()
        self.list.setAccessibleName(self.tr("Notes"))
        self.list.setModel(self.model)
        self.list.setItemDelegate(_Delegate(self.list))
        self.list.setMouseTracking(True)
        self.list.setResizeMode(QListView.ResizeMode.Adjust)
        self.list.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.list.clicked.connect(self._ask)
        self.list.doubleClicked.connect(self._edit)
        self.list.installEventFilter(self)
        self._count = label("", "hint")
        self._empty = label(
            self.tr("No notes yet. Select words in the paper and choose a colour."), "hint", wrap=True
        )
        self._empty.setContentsMargins(S + XS, S, S + XS, S)
        head = QHBoxLayout()
        head.setContentsMargins(S + XS, S + XS, S, XS)
        head.addWidget(label(self.tr("Notes"), "heading"))
        head.addWidget(self._count)
        head.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(XS)
        column.addLayout(head)
        column.addWidget(self._empty)
        column.addWidget(self.list, 1)

    def show_notes(self, notes: Sequence[Note], labels: Sequence[str]) -> None:
        """Show the notes, keeping the chosen one chosen."""
        chosen = self.chosen
        self.model.show(notes, labels)
        self._count.setText(str(len(notes)) if notes else "")
        self._empty.setVisible(not notes)
        self.list.setVisible(True)
        self.choose(chosen)

    @property
    def chosen(self) -> NoteId | None:
        """The chosen note."""
        index = self.list.currentIndex()
        return self.model.notes[index.row()].note_id if index.isValid() else None

    def choose(self, note_id: str | None) -> None:
        """Choose a note in the list, without jumping."""
        row = self.model.row_of(note_id) if note_id else -1
        if row < 0:
            self.list.setCurrentIndex(QModelIndex())
            return
        index = self.model.index(row)
        self.list.setCurrentIndex(index)
        self.list.scrollTo(index)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() is QEvent.Type.KeyPress and self.chosen:
            match event.key():
                case Qt.Key.Key_Return | Qt.Key.Key_Enter:
                    self.note_asked.emit(self.chosen)
                    return True
                case Qt.Key.Key_F2:
                    self.edit_asked.emit(self.chosen)
                    return True
                case Qt.Key.Key_Delete:
                    self.delete_asked.emit(self.chosen)
                    return True
        return super().eventFilter(watched, event)

    def _ask(self, index: _Index) -> None:
        self.note_asked.emit(self.model.notes[index.row()].note_id)

    def _edit(self, index: _Index) -> None:
        self.edit_asked.emit(self.model.notes[index.row()].note_id)


def _draw(painter: QPainter, lines: Sequence[str], px: float, line: QRect) -> int:
    """Draw lines under one another from the box of the first one; return where they end."""
    painter.setFont(interface_font(px))
    for text in lines:
        painter.drawText(line, Qt.AlignmentFlag.AlignVCenter, text)
        line = line.translated(0, line.height())
    return line.top()


def _broken(text: str, px: float, width: int, most: int) -> list[str]:
    """Return at most `most` lines of the text; the last is cut with "…"."""
    font = interface_font(px)
    words = " ".join(text.split())
    layout = QTextLayout(words, font)
    option = QTextOption()
    option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
    layout.setTextOption(option)
    layout.beginLayout()
    lines: list[str] = []
    while len(lines) < most:
        line = layout.createLine()
        if not line.isValid():
            break
        line.setLineWidth(width)
        start = line.textStart()
        last = len(lines) == most - 1
        piece = words[start:] if last else words[start : start + line.textLength()]
        elided = QFontMetrics(font).elidedText(piece, Qt.TextElideMode.ElideRight, width) if last else piece
        lines.append(elided.strip())
    layout.endLayout()
    return lines
