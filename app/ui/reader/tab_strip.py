"""The row of open papers: which there are, in which order, which one is in front."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QTabBar

from app.ui.reader.paper_tab import PaperTab
from app.ui.theme import HEAD_HEIGHT, XS
from app.ui.widgets.basics import icon_button, tip

TAB_LEAST = 72


class TabStrip(QFrame):
    """Tabs are told apart by their widgets; indexes stay in here."""

    chosen = Signal(object)
    """Another tab is in front: a PaperTab, or None."""
    close_asked = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.papers: list[PaperTab] = []
        self.bar = QTabBar()
        self.bar.setExpanding(False)
        self.bar.setMovable(True)
        self.bar.setDrawBase(False)
        self.bar.setUsesScrollButtons(True)
        self.bar.setElideMode(Qt.TextElideMode.ElideRight)
        self.bar.setStyleSheet(f"QTabBar::tab {{ min-width: {TAB_LEAST}px; }}")
        self.bar.setAccessibleName(self.tr("Open papers"))
        self.bar.currentChanged.connect(lambda _: self.chosen.emit(self.current))
        self.bar.tabMoved.connect(self._moved)
        self.setProperty("pane", "bar")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setFixedHeight(HEAD_HEIGHT)
        row = QHBoxLayout(self)
        row.setContentsMargins(XS, 0, 0, 0)
        row.addWidget(self.bar, 1, Qt.AlignmentFlag.AlignBottom)

    @property
    def current(self) -> PaperTab | None:
        """The tab in front."""
        index = self.bar.currentIndex()
        return self.papers[index] if 0 <= index < len(self.papers) else None

    def add(self, tab: PaperTab, name: str) -> None:
        """Add a tab at the end."""
        self.papers.append(tab)
        index = self.bar.addTab(name)
        close = icon_button("close", self.tr("Close (Ctrl+W)"), partial(self.close_asked.emit, tab))
        close.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        close.setFixedSize(18, 18)
        close.setIconSize(QSize(12, 12))
        close.setStyleSheet("QToolButton { min-width: 0; min-height: 0; }")
        self.bar.setTabButton(index, QTabBar.ButtonPosition.RightSide, close)
        tab.named.connect(partial(self._name, tab))

    def bring_to_front(self, tab: PaperTab) -> None:
        """Choose a tab."""
        self.bar.setCurrentIndex(self.papers.index(tab))

    def remove(self, tab: PaperTab) -> None:
        """Take a tab away; its neighbour comes to the front."""
        index = self.papers.index(tab)
        del self.papers[index]
        self.bar.removeTab(index)

    def step(self, by: int) -> None:
        """Go to a neighbour, around the ends."""
        if self.papers:
            self.bar.setCurrentIndex((self.bar.currentIndex() + by) % len(self.papers))

    def name_of(self, tab: PaperTab) -> str:
        """Return what a tab is called."""
        return self.bar.tabText(self.papers.index(tab)).replace("&&", "&")

    def _name(self, tab: PaperTab, name: str, title: str) -> None:
        if tab in self.papers:
            index = self.papers.index(tab)
            self.bar.setTabText(index, name.replace("&", "&&"))
            self.bar.setTabToolTip(index, tip(title))

    def _moved(self, start: int, end: int) -> None:
        self.papers.insert(end, self.papers.pop(start))
