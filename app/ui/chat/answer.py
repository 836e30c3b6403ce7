"""The answer: streamed in frozen blocks, then replaced by checked sentences with their citations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QContextMenuEvent, QGuiApplication
from PySide6.QtWidgets import QFrame, QHBoxLayout, QMenu, QVBoxLayout, QWidget

from app.ui.chat.deeds import Deeds
from app.ui.chat.items import Answered
from app.ui.chat.markdown import CITE_END, CITE_START, as_plain, checked_source, split_blocks, without_marks
from app.ui.chat.rich_text import CiteChip, RichText, chips_of
from app.ui.theme import XS, S
from app.ui.widgets.basics import icon_button, label, rule


class AnswerView(QWidget):
    """Shows an `Answered`: as it streams, and as it was checked."""

    def __init__(self, item: Answered, deeds: Deeds, *, forks: bool = False) -> None:
        super().__init__()
        self._item = Answered()
        self._deeds, self._forks = deeds, forks
        self._foot_row: QWidget | None = None
        self._frozen = 0
        self._blocks: list[RichText] = []
        self._citations: list[Mapping[str, Any]] = []
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(0)
        self.show_item(item)

    def show_item(self, item: Answered) -> None:
        """Show the newest state; only what changed is set again."""
        was, self._item = self._item, item
        if item.checked is not None:
            if was.checked is not item.checked:
                self._show_checked(item.checked)
            return
        if not item.text.startswith(was.text):
            self._clear()  # the whole reply is not what streamed before it
        self._show_streamed(item.text)
        said_out = not item.streaming and not item.interim and self._forks
        if said_out and self._foot_row is None and item.text.strip():
            if item.partial:
                self._layout.addWidget(self._message(self.tr("The reply was cut off here.")))
            self._foot_row = self._foot()
            self._layout.addWidget(self._foot_row)

    def citations(self) -> Sequence[Mapping[str, Any]]:
        """Return the citations in the order of their chips."""
        return self._citations

    def press_citation(self, number: int) -> None:
        """Do what a click on chip `number` does."""
        self._deeds.open_citation(self._citations[number])

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction(self.tr("Copy as Markdown"), self._copy)
        if self._forks and not self._item.streaming:
            menu.addSeparator()
            menu.addAction(self.tr("Go on from here in a new conversation"), lambda: self._deeds.fork(self))
        menu.popup(event.globalPos())

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self._item.as_markdown())

    def _show_streamed(self, text: str) -> None:
        open_part = without_marks(text)[self._frozen :]
        blocks = split_blocks(open_part) or [""]
        while len(blocks) > 1:
            closed = blocks.pop(0)
            self._tail().show_markdown(closed.strip("\n"))
            self._frozen = without_marks(text).index(closed, self._frozen) + len(closed)
            self._add_block()
        self._tail().show_markdown(blocks[0].strip("\n"))

    def _tail(self) -> RichText:
        return self._blocks[-1] if self._blocks else self._add_block()

    def _add_block(self) -> RichText:
        block = self._text()
        self._blocks.append(block)
        self._layout.addWidget(block)
        return block

    def _text(self) -> RichText:
        made = RichText()
        made.citation_clicked.connect(self.press_citation)
        return made

    def _show_checked(self, answer: Mapping[str, Any]) -> None:
        self._clear()
        sentences: list[Mapping[str, Any]] = list(answer["sentences"])
        self._citations = [c for s in sentences for c in s["citations"]]
        chips = chips_of(self._citations, self.tr("p. %1"))
        message = str(answer.get("message", ""))
        match answer["kind"]:
            case "quotes":
                if message:
                    self._layout.addWidget(self._message(message))
                self._show_quotes(sentences, chips)
            case "not_found":
                self._layout.addWidget(
                    self._message(message or self.tr("Nothing in your library answers this."))
                )
            case _:
                text = self._text()
                text.show_markdown(
                    checked_source(sentences),
                    chips,
                    self.tr("No passage of your library proves this sentence."),
                )
                self._layout.addWidget(text)
                if message:
                    self._layout.addWidget(self._message(message))
        if sentences:
            self._layout.addWidget(self._foot())

    def _show_quotes(self, sentences: Sequence[Mapping[str, Any]], chips: Sequence[CiteChip]) -> None:
        count = 0
        for sentence in sentences:
            marks = ""
            for _ in sentence["citations"]:
                marks += f" {CITE_START}{count}{CITE_END}"
                count += 1
            title = str(sentence["citations"][0]["title"]) if sentence["citations"] else ""
            self._layout.addWidget(self._quote(str(sentence["text"]), marks, title, chips))
            self._layout.addSpacing(S)

    def _quote(self, words: str, marks: str, title: str, chips: Sequence[CiteChip]) -> QFrame:
        card = QFrame()
        card.setProperty("frame", "card")
        inner = QVBoxLayout(card)
        inner.setContentsMargins(12, 9, 12, 9)
        inner.setSpacing(XS)
        if title:
            inner.addWidget(label(title, "meta", wrap=True))
            inner.addWidget(rule())
        text = self._text()
        text.show_markdown(f"“{as_plain(words)}”{marks}", chips)
        inner.addWidget(text)
        return card

    def _message(self, message: str) -> QWidget:
        box = QWidget()
        inner = QVBoxLayout(box)
        inner.setContentsMargins(0, 0, 0, S)
        inner.addWidget(label(message, "meta", wrap=True))
        return box

    def _foot(self) -> QWidget:
        foot = QWidget()
        row = QHBoxLayout(foot)
        row.setContentsMargins(0, XS, 0, 0)
        row.addWidget(icon_button("copy", self.tr("Copy as Markdown"), self._copy))
        if self._item.checked is not None and self._item.checked.get("model"):
            row.addWidget(label(str(self._item.checked["model"]), "small-hint"))
        row.addStretch(1)
        return foot

    def _clear(self) -> None:
        self._blocks.clear()
        self._frozen = 0
        self._foot_row = None
        while (item := self._layout.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.hide()
                widget.deleteLater()
