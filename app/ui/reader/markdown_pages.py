"""A paper without pages: Markdown text, set plainly, with the cited words marked."""

from __future__ import annotations

from PySide6.QtGui import QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QTextBrowser, QTextEdit

from app.records.anchor import find_quote
from app.ui.theme import XL, interface_font, tokens

PLAIN_ABOVE = 60_000
"""Setting longer texts as Markdown would hold up the window."""


class MarkdownPages(QTextBrowser):
    """Shows the text of a Markdown paper; links in it lead nowhere."""

    def __init__(self) -> None:
        super().__init__()
        self.setOpenLinks(False)
        self.setAccessibleName(self.tr("Text of the paper"))
        self.setFont(interface_font(14))
        self.document().setDocumentMargin(XL)

    def show_text(self, text: str) -> None:
        """Show a paper."""
        if len(text) > PLAIN_ABOVE:
            self.setPlainText(text)
        else:
            self.setMarkdown(text)

    def mark(self, quote: str) -> None:
        """Mark a quote and bring it into sight."""
        span = find_quote(self.toPlainText(), quote)
        if span is None:
            return
        cursor = QTextCursor(self.document())
        cursor.setPosition(span[0])
        cursor.setPosition(span[1], QTextCursor.MoveMode.KeepAnchor)
        style = QTextCharFormat()
        style.setBackground(tokens().colour("accent_soft"))
        style.setForeground(tokens().colour("accent"))
        marked = QTextEdit.ExtraSelection()
        marked.cursor, marked.format = cursor, style
        self.setExtraSelections([marked])
        start = QTextCursor(self.document())
        start.setPosition(span[0])
        self.setTextCursor(start)
        self.ensureCursorVisible()
