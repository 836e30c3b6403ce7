"""The bar on top: search, offline switch, model, panes, settings."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QLineEdit, QPushButton, QSizePolicy, QWidget

from app.ui.icons import icon, icon_pixmap
from app.ui.theme import TOP_HEIGHT, M, S, theme
from app.ui.widgets.basics import icon_button, label, restyle

SEARCH_WIDTH = 520


class SearchField(QLineEdit):
    """The one search field, with its icon before and its key after the words."""

    left = Signal()
    """Enter or arrow down: go to what was found."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("librarySearch")
        self.setPlaceholderText(self.tr("Search papers: words, author:riess, year:2016.., has:notes"))
        self.setAccessibleName(self.tr("Search papers"))
        self.setMaximumWidth(SEARCH_WIDTH)
        self.setMinimumWidth(160)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setTextMargins(22, 0, 56, 0)
        self._sign = QLabel(self)
        self._sign.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._key = label(QKeySequence("Ctrl+K").toString(QKeySequence.SequenceFormat.NativeText), "key")
        self._key.setParent(self)
        self._key.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._clear = icon_button("close", self.tr("Clear"), self.clear)
        self._clear.setParent(self)
        self._clear.setCursor(Qt.CursorShape.ArrowCursor)
        self._clear.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._clear.hide()
        self.textChanged.connect(self._changed)
        theme().changed.connect(self._tint)
        self._tint()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self.text():
            self.clear()
        elif event.key() in (Qt.Key.Key_Down, Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.left.emit()
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        middle = self.height() // 2
        key = self._key.sizeHint()
        self._sign.setGeometry(10, middle - 7, 14, 14)
        self._key.setGeometry(self.width() - key.width() - S, middle - 9, key.width(), 18)
        self._clear.move(self.width() - self._clear.width() - 2, middle - self._clear.height() // 2)

    def _changed(self, text: str) -> None:
        self._key.setVisible(not text)
        self._clear.setVisible(bool(text))

    def _tint(self) -> None:
        self._sign.setPixmap(icon_pixmap("search", "text_3", 14))


class TopBar(QWidget):
    """Only says what was pressed; the window does it."""

    offline_toggled = Signal(bool)
    model_menu_wanted = Signal()
    library_toggled = Signal()
    timeline_toggled = Signal()
    settings_wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("pane", "bar")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setFixedHeight(TOP_HEIGHT)
        self.search = SearchField()
        self.offline = QPushButton(self.tr("Offline"))
        self.offline.setObjectName("offlineSwitch")
        self.offline.setProperty("kind", "pill")
        self.offline.setCheckable(True)
        self.offline.toggled.connect(self._offline_changed)
        self.offline.clicked.connect(self.offline_toggled)
        self.model = QPushButton()
        self.model.setObjectName("modelPicker")
        self.model.setProperty("kind", "pill")
        self.model.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
        self.model.setIcon(icon("chevron-down", "text_3"))
        self.model.setIconSize(QSize(12, 12))
        self.model.clicked.connect(self.model_menu_wanted)
        self.library_fold = icon_button(
            "panel-left", self.tr("Show or hide the library"), self.library_toggled.emit
        )
        self.timeline_fold = icon_button(
            "panel-right", self.tr("Show or hide the conversation"), self.timeline_toggled.emit
        )
        self.settings = icon_button("settings", self.tr("Settings"), self.settings_wanted.emit)
        self._brand = label("AstroResearch", "heading")
        row = QHBoxLayout(self)
        row.setContentsMargins(M, 0, M, 0)
        row.setSpacing(M)
        row.addWidget(self._brand)
        row.addWidget(self.library_fold)
        row.addStretch(1)
        row.addWidget(self.search, 100)
        row.addStretch(1)
        row.addWidget(self.offline)
        row.addWidget(self.model)
        row.addWidget(self.timeline_fold)
        row.addWidget(self.settings)
        self._offline_changed(False)
        self.installEventFilter(self)

    def set_offline(self, offline: bool) -> None:
        """Show the state of the switch."""
        self.offline.setChecked(offline)
        self._offline_changed(offline)

    def set_model(self, text: str, tip: str) -> None:
        """Show which model answers."""
        metrics = self.model.fontMetrics()
        self.model.setText(metrics.elidedText(text, Qt.TextElideMode.ElideRight, 260))
        self.model.setToolTip(tip)
        self.model.setAccessibleName(tip or text)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.Resize:
            self._brand.setVisible(self.width() >= 860)
        return super().eventFilter(watched, event)

    def _offline_changed(self, offline: bool) -> None:
        self.offline.setText(self.tr("Offline") if offline else self.tr("Online"))
        self.offline.setIcon(icon("dot", "ok" if offline else "text_3", "ok"))
        self.offline.setIconSize(QSize(8, 8))
        self.offline.setToolTip(
            self.tr("Offline: nothing leaves this computer. Press to allow the network.")
            if offline
            else self.tr("The network may be used where a task needs it. Press to go offline.")
        )
        restyle(self.offline, "on", "true" if offline else "false")
