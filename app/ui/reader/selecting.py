"""Gestures that select text: drag, double and triple click, Shift with the arrows."""

from __future__ import annotations

import time
from collections.abc import Sequence
from enum import Enum
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, Qt, QTimer
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QApplication

from app.records.passage import Point, Quad
from app.ui.reader.selection import Caret, Selection
from app.ui.reader.text_layer import TextLayer

if TYPE_CHECKING:
    from app.ui.reader.page_view import PdfView

EDGE = 28
"""Dragging this close to the upper or lower edge scrolls."""


class _By(Enum):
    CARET = 1
    WORD = 2
    LINE = 3


class Selecting:
    """Turns gestures on the view into a `Selection`."""

    def __init__(self, view: PdfView) -> None:
        self.selection: Selection | None = None
        self._view = view
        self._quads: dict[int, Sequence[Quad]] = {}
        self._by = _By.CARET
        self._dragging = False
        self._pressed: QPointF | None = None
        self._last_double = 0.0
        self._spot = QPointF()
        self._scroll = QTimer(view, interval=30)
        self._scroll.timeout.connect(self._scroll_on)

    def clear(self) -> None:
        """Select nothing."""
        if self.selection is not None:
            self.selection = None
            self._changed()

    def set(self, selection: Selection | None) -> None:
        """Select something else."""
        if selection != self.selection:
            self.selection = selection
            self._changed()

    def quads_on(self, page: int) -> Sequence[Quad]:
        """Return what is selected on a page."""
        layer = self._layer(page)
        if self.selection is None or layer is None:
            return ()
        if page not in self._quads:
            span = self.selection.span_on(page, layer.body_end)
            self._quads[page] = layer.quads(*span) if span else ()
        return self._quads[page]

    def text_came(self, page: int) -> None:
        """Show the part of the selection on a page whose text has just come."""
        if self.selection is not None and page in self.selection.pages():
            self._changed()

    # -- mouse

    def press(self, event: QMouseEvent) -> None:
        """Begin to select, or extend with Shift; the third click takes the line."""
        if event.button() is not Qt.MouseButton.LeftButton:
            return
        self._pressed = self._spot = event.position()
        self._dragging = True
        found = self._hit(event.position())
        shift = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        if time.monotonic() - self._last_double < QApplication.doubleClickInterval() / 1000:
            self._by = _By.LINE
            self._start(found, event.position())
        elif shift and self.selection is not None and found is not None:
            self._by = _By.CARET
            self._extend(event.position())
        else:
            self._by = _By.CARET
            self._start(found, event.position())

    def double_click(self, event: QMouseEvent) -> None:
        """Select the word."""
        if event.button() is not Qt.MouseButton.LeftButton:
            return
        self._last_double = time.monotonic()
        self._by, self._dragging, self._pressed = _By.WORD, True, None
        self._start(self._hit(event.position()), event.position())

    def move(self, event: QMouseEvent) -> None:
        """Extend while dragging; otherwise show what a click would do."""
        self._spot = event.position()
        if not self._dragging:
            self._view.viewport().setCursor(self._cursor(event.position()))
            return
        self._extend(event.position())
        height = self._view.viewport().height()
        near_edge = not (EDGE <= event.position().y() <= height - EDGE)
        if near_edge and not self._scroll.isActive():
            self._scroll.start()
        elif not near_edge:
            self._scroll.stop()

    def release(self, event: QMouseEvent) -> None:
        """End the gesture; a click without a drag on a highlight opens its note."""
        self._scroll.stop()
        self._dragging = False
        clicked = self._pressed is not None and (
            (event.position() - self._pressed).manhattanLength() < QApplication.startDragDistance() / 2
        )
        if clicked and not self.selection:
            self.clear()
            note = self._view.note_at(event.position())
            self._view.note_clicked.emit(note or "")
        self._view.selection_changed.emit()

    @property
    def dragging(self) -> bool:
        """True while the button is down."""
        return self._dragging

    # -- keyboard

    def key(self, event: QKeyEvent) -> bool:
        """Extend the selection with Shift and the arrows; say whether the key was meant for that."""
        if not event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            return False
        page = self.selection.head_end.page if self.selection else self._view.current_page
        layer = self._layer(page)
        if layer is None or not layer:
            return False
        head = self._head(page, layer)
        match event.key():
            case Qt.Key.Key_Right | Qt.Key.Key_Left:
                offset = head.offset + (1 if event.key() == Qt.Key.Key_Right else -1)
                if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
                    offset = _next_word(layer.text, head.offset, event.key() == Qt.Key.Key_Right)
            case Qt.Key.Key_Down | Qt.Key.Key_Up:
                offset = layer.above_or_below(head.offset, event.key() == Qt.Key.Key_Down)
            case Qt.Key.Key_End | Qt.Key.Key_Home:
                offset = layer.line_edge(head.offset, event.key() == Qt.Key.Key_End)
            case _:
                return False
        moved = self._across_pages(page, offset, layer)
        base = self.selection or Selection.at(head)
        self.set(base.to(moved))
        self._view.selection_changed.emit()
        self._view.go_to_quads(moved.page, [layer.caret(moved.offset)] if moved.page == page else [])
        return True

    def _head(self, page: int, layer: TextLayer) -> Caret:
        if self.selection is not None:
            forward = self.selection.head_end >= self.selection.end
            return self.selection.head_end if forward else self.selection.head_start
        first = self._hit(QPointF(0, 1))
        return first if first is not None and first.page == page else Caret(page, layer.words[0].start)

    def _across_pages(self, page: int, offset: int, layer: TextLayer) -> Caret:
        following, before = self._layer(page + 1), self._layer(page - 1)
        if offset > len(layer.text) and following is not None:
            return Caret(page + 1, 0)
        if offset < 0 and before is not None:
            return Caret(page - 1, len(before.text))
        return Caret(page, min(max(0, offset), len(layer.text)))

    # -- how it is done

    def _start(self, found: Caret | None, spot: QPointF) -> None:
        span = self._span(spot)
        if found is None:
            self.clear()
        elif self._by is not _By.CARET and span is not None:
            self.set(Selection.at(*span))
        else:
            self.set(Selection.at(found))

    def _extend(self, spot: QPointF) -> None:
        if self.selection is None:
            found = self._hit(spot)
            if found is not None and self._pressed is not None:
                self.set(Selection.at(found))
            return
        span = self._span(spot)
        if span is not None:
            self.set(self.selection.to(*span))

    def _span(self, spot: QPointF) -> tuple[Caret, Caret] | None:
        """Return the caret, word or line at a spot, as the gesture wants it."""
        located = self._view.locate(spot)
        layer = self._layer(located[0]) if located else None
        if located is None or layer is None:
            return None
        page, point = located
        span = self._span_in(layer, point)
        return (Caret(page, span[0]), Caret(page, span[1])) if span else None

    def _span_in(self, layer: TextLayer, point: Point) -> tuple[int, int] | None:
        match self._by:
            case _By.WORD:
                return layer.word_at(point)
            case _By.LINE:
                return layer.line_at(point)
            case _By.CARET:
                offset = layer.offset_at(point)
                return None if offset is None else (offset, offset)

    def _hit(self, spot: QPointF) -> Caret | None:
        located = self._view.locate(spot)
        layer = self._layer(located[0]) if located else None
        if located is None or layer is None:
            return None
        offset = layer.offset_at(located[1])
        return None if offset is None else Caret(located[0], offset)

    def _layer(self, page: int) -> TextLayer | None:
        return self._view.texts.get(page) if self._view.texts is not None else None

    def _cursor(self, spot: QPointF) -> Qt.CursorShape:
        if self._view.note_at(spot) is not None:
            return Qt.CursorShape.PointingHandCursor
        located = self._view.locate(spot)
        layer = self._layer(located[0]) if located else None
        over = layer is not None and located is not None and layer.on_text(located[1])
        return Qt.CursorShape.IBeamCursor if over else Qt.CursorShape.ArrowCursor

    def _scroll_on(self) -> None:
        height, y = self._view.viewport().height(), self._spot.y()
        reach = y - (height - EDGE) if y > height / 2 else y - EDGE
        bar = self._view.verticalScrollBar()
        bar.setValue(bar.value() + max(-60, min(60, round(reach))))
        self._extend(self._spot)

    def _changed(self) -> None:
        self._quads.clear()
        self._view.viewport().update()
        if not self._dragging:
            self._view.selection_changed.emit()


def _next_word(text: str, offset: int, ahead: bool) -> int:
    """Return the end of the word ahead, or the start of the one behind."""
    if ahead:
        while offset < len(text) and text[offset].isspace():
            offset += 1
        while offset < len(text) and not text[offset].isspace():
            offset += 1
        return offset
    while offset > 0 and text[offset - 1].isspace():
        offset -= 1
    while offset > 0 and not text[offset - 1].isspace():
        offset -= 1
    return offset
