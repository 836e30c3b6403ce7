"""What exactly will happen, or has: a command, a difference of a file, a path, or text."""

from __future__ import annotations

from PySide6.QtGui import (
    QColor,
    QSyntaxHighlighter,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
)

from app.ui.chat.foldable import Output
from app.ui.theme import interface_font, mono_font, theme, tokens


class Preview(Output):
    """Shows a preview in one of the forms of `PermissionRequest`; a long one scrolls."""

    LINES = 14

    def __init__(self, form: str, text: str) -> None:
        super().__init__(interface_font(12) if form == "text" else mono_font(12), self.LINES)
        self._diff = _DiffColours(self.document()) if form == "diff" else None
        self.show_text(text)
        self._tint()
        theme().changed.connect(self._tint)

    def _tint(self) -> None:
        if self._diff is None:
            return
        self._diff.rehighlight()
        cursor = QTextCursor(self.document())
        block = self.document().firstBlock()
        while block.isValid():
            cursor.setPosition(block.position())
            shape = QTextBlockFormat()
            if (ground := _ground(block.text())) is not None:
                shape.setBackground(ground)
            cursor.setBlockFormat(shape)
            block = block.next()


def _sign(line: str) -> str:
    """Return "+" or "-" for a changed line of a unified diff, "@" for a place, "" for the rest."""
    if line.startswith(("+++", "---", "@@")):
        return "@"
    return line[0] if line[:1] in ("+", "-") else ""


def _ground(line: str) -> QColor | None:
    name = {"+": "ok_soft", "-": "bad_soft"}.get(_sign(line))
    return tokens().colour(name) if name else None


class _DiffColours(QSyntaxHighlighter):
    def __init__(self, document: QTextDocument) -> None:
        super().__init__(document)

    def highlightBlock(self, text: str) -> None:
        name = {"+": "ok", "-": "bad", "@": "text_3"}.get(_sign(text))
        if name:
            shape = QTextCharFormat()
            shape.setForeground(tokens().colour(name))
            self.setFormat(0, len(text), shape)
