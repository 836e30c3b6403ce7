"""The head of the timeline: what the conversation is called, and what can be done with it."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QMenu, QWidget

from app.ui.chat.conversation import Talk
from app.ui.theme import HEAD_HEIGHT, XS, M
from app.ui.widgets.basics import ElidedLabel, icon_button, label


class Head(QWidget):
    """Emits what is pressed."""

    sessions_toggled = Signal()
    new_wanted = Signal()
    rename_wanted = Signal()
    project_wanted = Signal()
    export_wanted = Signal()
    delete_wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        row = QHBoxLayout(self)
        row.setContentsMargins(M, 0, M, 0)
        row.setSpacing(XS)
        self._title = ElidedLabel("", "heading")
        self._title.setFixedHeight(HEAD_HEIGHT)
        self._steps = label("", "hint")
        row.addWidget(self._title, 1)
        row.addWidget(self._steps)
        self.history = icon_button(
            "history", self.tr("Conversations"), self.sessions_toggled.emit, checkable=True
        )
        row.addWidget(self.history)
        row.addWidget(icon_button("new-chat", self.tr("New conversation"), self.new_wanted.emit))
        self._more = icon_button("more", self.tr("More"), self._open_menu)
        row.addWidget(self._more)
        self._kept = False

    def show_talk(self, talk: Talk, *, among_sessions: bool) -> None:
        """Show what a conversation is called and how far it is."""
        self._kept = talk.session is not None
        self.history.setChecked(among_sessions)
        steps = talk.timeline.steps
        self._steps.setText(self.tr("%n step(s)", None, steps) if steps and not among_sessions else "")
        if among_sessions:
            self._title.setText(self.tr("Conversations"))
        else:
            self._title.setText(talk.name() or self.tr("New conversation"))

    def menu(self) -> QMenu:
        """Return the menu of the conversation that is shown."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction(self.tr("Project folder…"), self.project_wanted.emit)
        menu.addSeparator()
        for words, signal in (
            (self.tr("Rename…"), self.rename_wanted),
            (self.tr("Export as Markdown…"), self.export_wanted),
            (self.tr("Delete…"), self.delete_wanted),
        ):
            menu.addAction(words, signal.emit).setEnabled(self._kept)
        return menu

    def _open_menu(self) -> None:
        self.menu().popup(self._more.mapToGlobal(self._more.rect().bottomLeft()))
