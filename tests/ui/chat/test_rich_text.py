"""Text in the timeline: what papers and models write can neither load nor start anything."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices
from pytestqt.qtbot import QtBot

from app.ui.chat.markdown import CITE_END, CITE_START
from app.ui.chat.rich_text import CiteChip, RichText
from app.ui.widgets.basics import tip

EVIL = '<img src="file://evil/share/x.png">'


def test_that_markup_in_a_title_is_shown_in_a_tooltip_and_not_obeyed(qtbot: QtBot) -> None:
    assert tip("plain & simple") == "plain & simple"
    shown = RichText()
    qtbot.addWidget(shown)
    shown.show_markdown(f"Far.{CITE_START}0{CITE_END}", (CiteChip("Riess+ 16 p. 4", f"{EVIL}\n“Far.”"),))
    cursor = shown.document().find("\ufffc")
    assert "evil" in cursor.charFormat().toolTip()
    assert "<img" not in cursor.charFormat().toolTip()


@pytest.mark.parametrize(
    ("address", "opened"),
    [
        ("https://arxiv.org/abs/1604.01424", True),
        ("file:///etc/passwd", False),
        ("smb://evil/share", False),
        ("ms-msdt:/id", False),
        ("other.exe", False),
    ],
)
def test_that_links_open_in_the_browser_alone(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, address: str, opened: bool
) -> None:
    asked: list[QUrl] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", asked.append)
    shown = RichText()
    qtbot.addWidget(shown)
    shown.anchorClicked.emit(QUrl(address))
    assert bool(asked) == opened
