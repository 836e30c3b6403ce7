"""The outline of the paper: its bookmarks, or its headings where it has none."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Qt, Signal
from PySide6.QtGui import QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QAbstractItemView, QTreeView, QVBoxLayout, QWidget

from app.documents.inspection import OutlineItem
from app.ui.reader.note_words import page_label
from app.ui.theme import XS, S
from app.ui.widgets.basics import label, tip

_PAGE = int(Qt.ItemDataRole.UserRole)
OPEN_UP_TO = 60
"""An outline of no more entries is shown unfolded."""


class OutlinePanel(QWidget):
    """A tree; an entry jumps to its page."""

    page_asked = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("pane", "bar")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.tree = QTreeView()
        self.tree.setAccessibleName(self.tr("Outline"))
        self.tree.setHeaderHidden(True)
        self.tree.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.tree.setUniformRowHeights(True)
        self.tree.setIndentation(14)
        self.tree.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.tree.clicked.connect(self._go)
        self.tree.activated.connect(self._go)
        self._model = QStandardItemModel(self.tree)
        self.tree.setModel(self._model)
        self._none = label(self.tr("This paper has no outline."), "hint", wrap=True)
        self._none.setContentsMargins(S, S, S, S)
        head = label(self.tr("Outline"), "heading")
        head.setContentsMargins(S, S, S, XS)
        column = QVBoxLayout(self)
        column.setContentsMargins(XS, XS, XS, XS)
        column.setSpacing(XS)
        column.addWidget(head)
        column.addWidget(self.tree, 1)
        column.addWidget(self._none)
        column.addStretch(0)
        self._pages: list[tuple[int, QStandardItem]] = []
        self.show_items((), ())

    def show_items(self, items: Sequence[OutlineItem], labels: Sequence[str]) -> None:
        """Show an outline; levels may jump, as they do in broken files."""
        self._model.clear()
        self._pages = []
        parents: list[tuple[int, QStandardItem]] = [(0, self._model.invisibleRootItem())]
        for entry in items:
            while len(parents) > 1 and parents[-1][0] >= entry.level:
                parents.pop()
            item = QStandardItem(entry.title)
            item.setToolTip(tip(entry.title))
            if entry.page is None:
                item.setEnabled(False)
            else:
                item.setData(entry.page, _PAGE)
                says = self.tr("{title}, page {page}")
                item.setData(
                    says.format(title=entry.title, page=page_label(entry.page, labels)),
                    int(Qt.ItemDataRole.AccessibleTextRole),
                )
                self._pages.append((entry.page, item))
            parents[-1][1].appendRow(item)
            parents.append((entry.level, item))
        if len(items) <= OPEN_UP_TO:
            self.tree.expandAll()
        self.tree.setVisible(bool(items))
        self._none.setVisible(not items)

    def follow(self, page: int) -> None:
        """Choose the entry that the page belongs to, without jumping."""
        if not self.isVisible():
            return
        before = [item for at, item in self._pages if at <= page]
        if before:
            index = self._model.indexFromItem(before[-1])
            self.tree.setCurrentIndex(index)
            self.tree.scrollTo(index)

    def _go(self, index: QModelIndex | QPersistentModelIndex) -> None:
        page = index.data(_PAGE)
        if isinstance(page, int):
            self.page_asked.emit(page)
