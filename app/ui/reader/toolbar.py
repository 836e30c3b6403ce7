"""The reader's one row of tools, over the pages of the tab in front."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QPoint, Qt, Signal, SignalInstance
from PySide6.QtGui import QAction, QKeyEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLineEdit, QMenu, QToolButton, QWidget

from app.ui.reader.note_words import colour_name
from app.ui.reader.swatch import Swatch
from app.ui.theme import HEAD_HEIGHT, NOTE_COLOURS, XS, XXS, interface_font
from app.ui.widgets.basics import icon_button, label, rule

SHOWN_COLOURS = 4


class PageField(QLineEdit):
    """Where the page number stands and can be typed; Esc takes back what was typed."""

    cancelled = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.cancelled.emit()
        else:
            super().keyPressEvent(event)


class ReaderToolbar(QFrame):
    """Shows what the view says and asks for what the person wants; knows no document."""

    outline_toggled = Signal(bool)
    back_asked = Signal()
    ahead_asked = Signal()
    page_entered = Signal(str)
    zoom_asked = Signal(float)
    fit_asked = Signal(str)
    pen_toggled = Signal(bool)
    colour_picked = Signal(str)
    find_asked = Signal()
    dark_toggled = Signal(bool)
    notes_toggled = Signal(bool)

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("pane", "surface")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setFixedHeight(HEAD_HEIGHT)
        row = QHBoxLayout(self)
        row.setContentsMargins(10, 0, 10, 0)
        row.setSpacing(XS)
        self.outline = self._toggle("outline", self.tr("Outline (F9)"), self.outline_toggled)
        self.back = icon_button("chevron-left", self.tr("Back (Alt+Left)"), self.back_asked.emit)
        self.ahead = icon_button("chevron-right", self.tr("Forward (Alt+Right)"), self.ahead_asked.emit)
        self.page, self.total = self._page_field(), label("/ –", "secondary")
        self.total.setFont(interface_font(tabular=True))
        self.zoom = self._zoom_button()
        self.pen = self._toggle("pen", self.tr("Highlight while selecting (P)"), self.pen_toggled)
        self.search = icon_button("search", self.tr("Find in this paper (Ctrl+F)"), self.find_asked.emit)
        self.dark = self._toggle("contrast", self.tr("Dark pages (D)"), self.dark_toggled)
        self.notes = self._toggle("notes", self.tr("Notes (F10)"), self.notes_toggled)
        self.swatches = [self._swatch(colour) for colour in NOTE_COLOURS[:SHOWN_COLOURS]]
        self.more = icon_button("chevron-down", self.tr("More colours"), self._open_more)
        first: tuple[QWidget, ...] = (
            self.outline,
            self.back,
            self.ahead,
            self.page,
            self.total,
            self._line(),
        )
        for widget in first:
            row.addWidget(widget)
        row.addWidget(
            icon_button("minus", self.tr("Smaller (Ctrl+-)"), lambda: self.zoom_asked.emit(1 / 1.2))
        )
        row.addWidget(self.zoom)
        row.addWidget(icon_button("plus", self.tr("Larger (Ctrl++)"), lambda: self.zoom_asked.emit(1.2)))
        for widget in (self._line(), self.pen, *self.swatches, self.more):
            row.addWidget(widget)
        row.addStretch(1)
        for widget in (self.search, self.dark, self.notes):
            row.addWidget(widget)
        self.show_colour(NOTE_COLOURS[0])

    # -- what it shows

    def show_page(self, text: str, total: int, place: str) -> None:
        """Show the label of the page and how many there are; `place` is the whole truth for a tooltip."""
        if not self.page.hasFocus():
            self.page.setText(text)
        self.total.setText(f"/ {total}" if total else "/ –")
        self.page.setToolTip(place)

    def show_zoom(self, zoom: float) -> None:
        """Show the zoom."""
        self.zoom.setText(f"{round(zoom * 100)} %")

    def show_history(self, *, back: bool, ahead: bool) -> None:
        """Say where one can go."""
        self.back.setEnabled(back)
        self.ahead.setEnabled(ahead)

    def show_colour(self, colour: str) -> None:
        """Show which colour is in use."""
        for swatch in self.swatches:
            swatch.setChecked(swatch.colour == colour)
        extra = colour not in NOTE_COLOURS[:SHOWN_COLOURS]
        self.more.setToolTip(
            self.tr("More colours; {colour} is in use").format(colour=colour_name(colour))
            if extra
            else self.tr("More colours")
        )

    def set_enabled(self, enabled: bool) -> None:
        """Grey everything out where there is no paper."""
        for child in self.findChildren(QWidget, options=Qt.FindChildOption.FindDirectChildrenOnly):
            child.setEnabled(enabled)

    def set_checked(self, tool: QToolButton, checked: bool) -> None:
        """Show a toggle as it is, without asking for anything."""
        tool.blockSignals(True)
        tool.setChecked(checked)
        tool.blockSignals(False)

    def focus_page(self) -> None:
        """Let a page be typed."""
        self.page.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.page.selectAll()

    # -- how it is made

    def _toggle(self, icon: str, says: str, signal: SignalInstance) -> QToolButton:
        made = icon_button(icon, says, checkable=True)
        made.toggled.connect(signal)
        return made

    def _page_field(self) -> PageField:
        field = PageField()
        field.setFont(interface_font(tabular=True))
        field.setAlignment(Qt.AlignmentFlag.AlignRight)
        field.setFixedWidth(44)
        field.setAccessibleName(self.tr("Page"))
        field.setStyleSheet("QLineEdit { min-height: 20px; padding: 0 5px; border-radius: 5px; }")
        field.returnPressed.connect(lambda: self.page_entered.emit(field.text()))
        return field

    def _zoom_button(self) -> QToolButton:
        made = QToolButton()
        made.setText("100 %")
        made.setFont(interface_font(tabular=True))
        made.setMinimumWidth(52)
        made.setAccessibleName(self.tr("Zoom"))
        made.setToolTip(self.tr("Zoom: fit to width (Ctrl+0), whole page (Ctrl+9), size on paper (Ctrl+1)"))
        made.clicked.connect(self._open_zoom)
        return made

    def _swatch(self, colour: str) -> Swatch:
        hint = self.tr("{colour} (H highlights the selection)").format(colour=colour_name(colour))
        swatch = Swatch(colour, hint=hint)
        swatch.clicked.connect(lambda: self._pick(colour))
        return swatch

    def _pick(self, colour: str) -> None:
        self.show_colour(colour)
        self.colour_picked.emit(colour)

    def _line(self) -> QWidget:
        line = rule("v")
        line.setFixedHeight(18)
        line.setContentsMargins(XXS, 0, XXS, 0)
        return line

    def _open_more(self) -> None:
        menu = self._menu()
        for colour in NOTE_COLOURS[SHOWN_COLOURS:]:
            self._entry(menu, colour_name(colour), partial(self._pick, colour))
        self._pop_up(menu, self.more)

    def _open_zoom(self) -> None:
        menu = self._menu()
        self._entry(menu, self.tr("Fit to width"), lambda: self.fit_asked.emit("width"))
        self._entry(menu, self.tr("Whole page"), lambda: self.fit_asked.emit("page"))
        menu.addSeparator()
        for percent in (50, 75, 100, 125, 150, 200, 400):
            self._entry(menu, f"{percent} %", partial(self.fit_asked.emit, str(percent / 100)))
        self._pop_up(menu, self.zoom)

    def _menu(self) -> QMenu:
        menu = QMenu(self)
        menu.aboutToHide.connect(menu.deleteLater)
        return menu

    def _entry(self, menu: QMenu, text: str, act: Callable[[], object]) -> None:
        action = QAction(text, menu)
        action.triggered.connect(lambda *_: act())
        menu.addAction(action)

    def _pop_up(self, menu: QMenu, under: QWidget) -> None:
        menu.popup(under.mapToGlobal(QPoint(0, under.height() + 2)))
