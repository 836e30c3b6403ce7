"""Paints one paper of the library list: title, who and when and where, chips."""

from __future__ import annotations

from functools import lru_cache

from PySide6.QtCore import (
    QModelIndex,
    QPersistentModelIndex,
    QPointF,
    QRect,
    QRectF,
    QSize,
    Qt,
)
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QTextLayout, QTextOption
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from app.library.listing import PaperRow
from app.ui.library.model import RowRole
from app.ui.theme import CHIP_PX, META_PX, TEXT_PX, Tokens, interface_font, tokens

LEFT, RIGHT, ABOVE = 14, 12, 9
TITLE_LINE, META_LINE, CHIP_HEIGHT = 18, 19, 20
ROW_HEIGHT = ABOVE + 2 * TITLE_LINE + 2 + META_LINE + 5 + CHIP_HEIGHT + ABOVE + 1

Chip = tuple[str, str]
"""Text and kind ("plain", "ok", "warn", "bad", "accent")."""


class PaperDelegate(QStyledItemDelegate):
    """All rows are equally high, so that a hundred thousand need no measuring."""

    def __init__(self) -> None:
        super().__init__()
        self.indexing: frozenset[str] = frozenset()
        """Papers whose files are being indexed now."""

    def chips(self, row: PaperRow) -> list[Chip]:
        """Return the chips of a paper, most telling first."""
        chips: list[Chip] = []
        indexing = row.paper_id in self.indexing
        if indexing:
            chips.append((self.tr("indexing…"), "warn"))
        match row.status:
            case "needs_password":
                chips.append((self.tr("locked"), "warn"))
            case "no_text":
                chips.append((self.tr("needs OCR"), "warn"))
            case "damaged" | "failed":
                chips.append((self.tr("unreadable"), "bad"))
            case _:
                pass
        if row.file_count == 0:
            chips.append((self.tr("no PDF"), "plain"))
        elif not indexing:
            chips.insert(0, (self.tr("PDF") if row.has_pdf else self.tr("text"), "ok"))
        if row.note_count:
            chips.append((self.tr("%n note(s)", None, row.note_count), "plain"))
        chips.extend((tag, "accent") for tag in row.tags[:3])
        return chips

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        return QSize(200, ROW_HEIGHT)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        t = tokens()
        rect: QRect = option.rect
        state: QStyle.StateFlag = option.state
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        selected = bool(state & QStyle.StateFlag.State_Selected)
        if selected:
            painter.fillRect(rect, t.colour("surface"))
            painter.fillRect(QRect(rect.left(), rect.top(), 3, rect.height()), t.colour("accent"))
        elif state & QStyle.StateFlag.State_MouseOver:
            painter.fillRect(rect, t.colour("sunken"))
        painter.fillRect(QRect(rect.left(), rect.bottom(), rect.width(), 1), t.colour("line"))
        inner = rect.adjusted(LEFT, ABOVE, -RIGHT, -ABOVE - 1)
        row = index.data(RowRole)
        if isinstance(row, PaperRow):
            self._paint_row(painter, inner, row, t)
        else:
            _paint_placeholder(painter, inner, t)
        if state & QStyle.StateFlag.State_HasFocus and state & QStyle.StateFlag.State_KeyboardFocusChange:
            painter.setPen(t.colour("accent"))
            painter.drawRect(QRectF(rect).adjusted(0.5, 0.5, -0.5, -1.5))
        painter.restore()

    def _paint_row(self, painter: QPainter, rect: QRect, row: PaperRow, t: Tokens) -> None:
        lines = _title_lines(row.title or self.tr("Untitled"), rect.width(), row.unread)
        meta = " · ".join(filter(None, (row.authors_short, str(row.year or ""), row.journal_line)))
        missing = (2 - len(lines)) * TITLE_LINE + (0 if meta else META_LINE)
        y = rect.top() + missing // 2
        painter.setFont(_title_font(row.unread))
        painter.setPen(t.colour("text"))
        for line in lines:
            painter.drawText(
                QRect(rect.left(), y, rect.width(), TITLE_LINE), Qt.AlignmentFlag.AlignVCenter, line
            )
            y += TITLE_LINE
        y += 2
        if meta:
            painter.setFont(_meta_font())
            painter.setPen(t.colour("text_2"))
            place = QRect(rect.left(), y, rect.width(), META_LINE)
            painter.drawText(place, Qt.AlignmentFlag.AlignVCenter, _elided(meta, rect.width()))
            y += META_LINE
        y += 5
        _paint_chips(painter, rect, y, self.chips(row), t)


def _paint_chips(painter: QPainter, rect: QRect, y: int, chips: list[Chip], t: Tokens) -> None:
    font = _chip_font()
    metrics = QFontMetricsF(font)
    painter.setFont(font)
    x = float(rect.left())
    for text, kind in chips:
        width = metrics.horizontalAdvance(text) + 14
        if x + width > rect.right() and x > rect.left():
            return
        box = QRectF(x, y, min(width, rect.right() - x), CHIP_HEIGHT)
        ground, ink = chip_colours(kind, t)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(ground)
        painter.drawRoundedRect(box, 5, 5)
        painter.setPen(ink)
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)
        x += width + 5


def chip_colours(kind: str, t: Tokens) -> tuple[QColor, QColor]:
    """Return ground and ink of a chip."""
    if kind == "plain":
        return t.colour("sunken"), t.colour("text_2")
    return t.colour(f"{kind}_soft"), t.colour(kind)


def _paint_placeholder(painter: QPainter, rect: QRect, t: Tokens) -> None:
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(t.colour("line"))
    for share, offset, height in ((0.92, 4, 10), (0.6, 22, 10), (0.7, 43, 8), (0.2, 64, 14)):
        painter.drawRoundedRect(QRectF(rect.left(), rect.top() + offset, rect.width() * share, height), 4, 4)


@lru_cache(maxsize=2)
def _title_font(unread: bool) -> QFont:
    return interface_font(TEXT_PX, 700 if unread else 600)


@lru_cache(maxsize=1)
def _meta_font() -> QFont:
    return interface_font(META_PX, tabular=True)


@lru_cache(maxsize=1)
def _chip_font() -> QFont:
    return interface_font(CHIP_PX)


@lru_cache(maxsize=4096)
def _elided(text: str, width: int) -> str:
    return QFontMetricsF(_meta_font()).elidedText(text, Qt.TextElideMode.ElideRight, width)


@lru_cache(maxsize=4096)
def _title_lines(title: str, width: int, unread: bool) -> tuple[str, ...]:
    """Break a title into at most two lines; the second ends in "…" where more follows."""
    font = _title_font(unread)
    layout = QTextLayout(title, font)
    option = QTextOption()
    option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
    layout.setTextOption(option)
    layout.beginLayout()
    starts: list[int] = []
    while len(starts) < 3:
        line = layout.createLine()
        if not line.isValid():
            break
        line.setLineWidth(width)
        line.setPosition(QPointF(0, 0))
        starts.append(line.textStart())
    layout.endLayout()
    if len(starts) <= 1:
        return (title,)
    rest = title[starts[1] :]
    if len(starts) == 3:
        rest = QFontMetricsF(font).elidedText(rest, Qt.TextElideMode.ElideRight, width)
    return title[: starts[1]].rstrip(), rest
