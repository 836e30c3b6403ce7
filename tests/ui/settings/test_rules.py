"""The agent's rules in the settings: seen, and taken away again."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QLabel, QToolButton

from app.ui.main_window import MainWindow
from app.ui.settings.rules import RuleList
from tests.ui.conftest import OpenWindow, until

RULES = [
    {"action": "allow", "tool": "run_bash", "match": "git status"},
    {"action": "deny", "tool": "file_write"},
]


def rules_of(window: MainWindow) -> RuleList:
    window.open_settings()
    found = window.findChild(RuleList)
    assert isinstance(found, RuleList)
    return found


async def test_that_a_rule_is_seen_and_taken_away(open_window: OpenWindow, home: Path) -> None:
    async with open_window(agent={"permissions": RULES}) as window:
        shown = rules_of(window)
        words = [label.text() for label in shown.findChildren(QLabel) if label.isVisible()]
        assert words == ["allows", "run_bash", "git status", "denies", "file_write", "all calls"]


async def test_that_taking_a_rule_away_is_kept(open_window: OpenWindow, home: Path) -> None:
    async with open_window() as window:
        window.change_settings({"agent": {"permissions": RULES}})
        await until(lambda: len(window.application.settings.agent.permissions) == 2)
        rules_of(window).findChildren(QToolButton)[0].click()
        await until(lambda: len(window.application.settings.agent.permissions) == 1)
        assert window.application.settings.agent.permissions[0].tool == "file_write"
        assert "git status" not in (home / "settings.toml").read_text("utf-8")


async def test_that_no_rules_are_explained(open_window: OpenWindow) -> None:
    async with open_window() as window:
        words = [label.text() for label in rules_of(window).findChildren(QLabel) if label.isVisible()]
        assert words == ["No rules yet: the agent asks before it writes files or runs programs."]
