"""Text of the timeline: a browser as high as its text, with chips and formulas set inline."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from PySide6.QtCore import QByteArray, QMimeData, QPointF, QRect, QRectF, QSize, QSizeF, Qt, QUrl, Signal
from PySide6.QtGui import (
    QDesktopServices,
    QFont,
    QFontMetricsF,
    QPainter,
    QPyTextObject,
    QResizeEvent,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
    QTextOption,
    QWheelEvent,
)
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QFrame, QSizePolicy, QTextBrowser

from app.ui.chat import formulas
from app.ui.chat.markdown import (
    CITE_START,
    MARKS,
    UNPROVEN_END,
    UNPROVEN_START,
    Colours,
    Rendered,
    to_html,
)
from app.ui.theme import CHIP_PX, TEXT_PX, Tokens, interface_font, mono_families, theme, tokens
from app.ui.widgets.basics import tip

CHIP = QTextFormat.ObjectTypes.UserObject.value + 1
FORMULA = CHIP + 1
_CONTENT = QTextFormat.Property.UserProperty.value + 1
_COLOUR = _CONTENT + 1
CITE_SCHEME = "cite:"


@dataclass(frozen=True, slots=True)
class CiteChip:
    """What a citation chip says and what its tooltip says."""

    text: str
    tip: str


class _ChipObject(QPyTextObject):
    """A rounded chip whose words stand on the line's own baseline.

    Qt sets an object that is aligned in the middle so that (height + x-height / 2) / 2 of it lies
    above the baseline; the words are drawn there, and the box around them, a little above its place.
    """

    HEIGHT, ABOVE_BASELINE = 18.0, 13.0

    def intrinsicSize(self, doc: QTextDocument, pos: int, format: QTextFormat) -> QSizeF:
        text = str(format.property(_CONTENT))
        return QSizeF(QFontMetricsF(_chip_font()).horizontalAdvance(text) + 10, self.HEIGHT)

    def drawObject(
        self, painter: QPainter, rect: QRectF | QRect, doc: QTextDocument, pos: int, format: QTextFormat
    ) -> None:
        t = tokens()
        rect = QRectF(rect)
        half_x = QFontMetricsF(doc.defaultFont()).xHeight() / 2
        baseline = rect.top() + (rect.height() + half_x) / 2
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(t.colour("accent_soft"))
        box = QRectF(rect.left(), baseline - self.ABOVE_BASELINE, rect.width(), self.HEIGHT - 1)
        painter.drawRoundedRect(box, 5, 5)
        painter.setPen(t.colour("accent"))
        painter.setFont(_chip_font())
        painter.drawText(QPointF(rect.left() + 5, baseline), str(format.property(_CONTENT)))
        painter.restore()


class _FormulaObject(QPyTextObject):
    """A formula drawn from its SVG; ascent and descent are padded as the chip's are."""

    def intrinsicSize(self, doc: QTextDocument, pos: int, format: QTextFormat) -> QSizeF:
        drawn = self._drawn(format)
        half_x = QFontMetricsF(doc.defaultFont()).xHeight() / 2
        height = max(2 * drawn.ascent - half_x, 2 * drawn.descent + half_x)
        return QSizeF(drawn.width, height)

    def drawObject(
        self, painter: QPainter, rect: QRectF | QRect, doc: QTextDocument, pos: int, format: QTextFormat
    ) -> None:
        drawn = self._drawn(format)
        half_x = QFontMetricsF(doc.defaultFont()).xHeight() / 2
        baseline = rect.top() + (rect.height() + half_x) / 2
        place = QRectF(rect.left(), baseline - drawn.ascent, drawn.width, drawn.ascent + drawn.descent)
        _svg(drawn.svg).render(painter, place)

    @staticmethod
    def _drawn(format: QTextFormat) -> formulas.Drawn:
        found = formulas.draw(str(format.property(_CONTENT)), tokens().text, TEXT_PX + 1)
        return found or formulas.NOTHING  # only formulas that can be drawn become objects


class RichText(QTextBrowser):
    """Markdown without a frame or scroll bars of its own; asks for a citation by its number."""

    citation_clicked = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self._source = ""
        self._chips: Sequence[CiteChip] = ()
        self._unproven = ""
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setOpenLinks(False)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        document = self.document()
        document.setDocumentMargin(0)
        document.setDefaultFont(interface_font())
        self._objects = (_ChipObject(self), _FormulaObject(self))
        for number, handler in zip((CHIP, FORMULA), self._objects, strict=True):
            document.documentLayout().registerHandler(number, handler)
        document.documentLayout().documentSizeChanged.connect(lambda _: self._fit())
        self.anchorClicked.connect(self._clicked)
        theme().changed.connect(self._render)

    def show_markdown(self, source: str, chips: Sequence[CiteChip] = (), unproven: str = "") -> None:
        """Show `source`; `chips` are the citations it counts, `unproven` the tooltip of bare sentences."""
        if (source, chips, unproven) == (self._source, self._chips, self._unproven):
            return
        self._source, self._chips, self._unproven = source, chips, unproven
        self._render()

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()  # the timeline scrolls, not the text in it

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def sizeHint(self) -> QSize:
        return QSize(200, self.height())

    def minimumSizeHint(self) -> QSize:
        return QSize(40, 10)

    def createMimeDataFromSelection(self) -> QMimeData:
        """Copy chips as words."""
        data = super().createMimeDataFromSelection()
        cursor = self.textCursor()
        words = "".join(
            _words(self.document(), i) for i in range(cursor.selectionStart(), cursor.selectionEnd())
        )
        data.setText(words)
        data.removeFormat("text/html")
        return data

    def _render(self) -> None:
        rendered = to_html(self._source, _colours(tokens()))
        self.setHtml(rendered.html)
        _place_marks(self.document(), rendered, self._chips)
        _underline_unproven(self.document(), self._unproven)
        self._fit()

    def _fit(self) -> None:
        self.document().setTextWidth(max(40, self.viewport().width()))
        height = max(1, round(self.document().size().height() + 0.49))
        if height != self.height():
            self.setFixedHeight(height)

    def _clicked(self, url: QUrl) -> None:
        target = url.toString()
        if target.startswith(CITE_SCHEME):
            self.citation_clicked.emit(int(target.removeprefix(CITE_SCHEME)))
        elif url.scheme() in ("http", "https"):  # what a model wrote must not start programs
            QDesktopServices.openUrl(url)


def _place_marks(document: QTextDocument, rendered: Rendered, chips: Sequence[CiteChip]) -> None:
    text = document.toRawText()
    for found in reversed(list(MARKS.finditer(text))):
        number = int(found.group(1))
        cursor = QTextCursor(document)
        cursor.setPosition(found.start())
        cursor.setPosition(found.end(), QTextCursor.MoveMode.KeepAnchor)
        if found.group(0)[0] == CITE_START:
            if number < len(chips):
                cursor.insertText("\ufffc", _chip_format(number, chips[number]))
            else:
                cursor.removeSelectedText()
        elif number < len(rendered.formulas):
            tex, display = rendered.formulas[number]
            _place_formula(cursor, tex, display)


def _chip_format(number: int, chip: CiteChip) -> QTextCharFormat:
    made = QTextCharFormat()
    made.setObjectType(CHIP)
    made.setProperty(_CONTENT, chip.text)
    made.setVerticalAlignment(QTextCharFormat.VerticalAlignment.AlignMiddle)
    made.setAnchor(True)
    made.setAnchorHref(f"{CITE_SCHEME}{number}")
    made.setToolTip(tip(chip.tip))
    return made


def _place_formula(cursor: QTextCursor, tex: str, display: bool) -> None:
    if formulas.draw(tex, tokens().text, TEXT_PX + 1) is None:
        plain = QTextCharFormat()
        plain.setFontFamilies(list(mono_families()))
        cursor.insertText(tex, plain)
        return
    made = QTextCharFormat()
    made.setObjectType(FORMULA)
    made.setProperty(_CONTENT, tex)
    made.setVerticalAlignment(QTextCharFormat.VerticalAlignment.AlignMiddle)
    made.setToolTip(tip(tex))
    cursor.insertText("\ufffc", made)


def _underline_unproven(document: QTextDocument, says: str) -> None:
    text = document.toRawText()
    under = QTextCharFormat()
    under.setUnderlineStyle(QTextCharFormat.UnderlineStyle.DotLine)
    under.setUnderlineColor(tokens().colour("warn"))
    under.setToolTip(says)
    edits = QTextCursor(document)
    edits.beginEditBlock()
    marks = [(i, ch) for i, ch in enumerate(text) if ch in (UNPROVEN_START, UNPROVEN_END)]
    start = None
    for place, mark in marks:
        if mark == UNPROVEN_START:
            start = place
        elif start is not None:
            cursor = QTextCursor(document)
            cursor.setPosition(start + 1)
            cursor.setPosition(place, QTextCursor.MoveMode.KeepAnchor)
            cursor.mergeCharFormat(under)
            start = None
    for place, _mark in reversed(marks):
        cursor = QTextCursor(document)
        cursor.setPosition(place)
        cursor.deleteChar()
    edits.endEditBlock()


def _words(document: QTextDocument, place: int) -> str:
    character = document.characterAt(place)
    if character == "\ufffc":
        cursor = QTextCursor(document)
        cursor.setPosition(place + 1)
        return f"[{cursor.charFormat().property(_CONTENT) or ''}]"
    return "\n" if character in ("\u2029", "\u2028") else character


def _colours(t: Tokens) -> Colours:
    mono = ",".join(f"'{family}'" for family in mono_families())
    return Colours(t.text_2, t.text_3, t.line, t.sunken, t.accent, t.dark, mono)


@lru_cache(maxsize=1)
def _chip_font() -> QFont:
    return interface_font(CHIP_PX, 600)


@lru_cache(maxsize=256)
def _svg(source: bytes) -> QSvgRenderer:
    return QSvgRenderer(QByteArray(source))


def chips_of(citations: Sequence[Mapping[str, Any]], page_word: str) -> tuple[CiteChip, ...]:
    """Return the chips of an answer's citations; `page_word` is "p. %1" in the person's language."""
    return tuple(
        CiteChip(
            f"{short_label(str(c['label']))} {page_word.replace('%1', str(c['page_label']))}",
            f"{c['title']}\n“{_shortened(str(c['quote']))}”",
        )
        for c in citations
    )


def short_label(label: str) -> str:
    """Shorten "Riess+ 2016" to "Riess+ 16"."""
    name, _, year = label.rpartition(" ")
    return f"{name} {year[2:]}" if name and len(year) == 4 and year.isdigit() else label


def _shortened(quote: str, at_most: int = 240) -> str:
    return quote if len(quote) <= at_most else quote[: at_most - 1].rstrip() + "…"
