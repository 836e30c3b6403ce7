"""Bug 36: a nested Qt loop inside a task breaks other tasks for good, so there is none."""

from __future__ import annotations

import ast
import asyncio
from pathlib import Path

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QDialog
from pytestqt.qtbot import QtBot

_NESTING = {"exec", "exec_", "processEvents"}
_STATIC = {
    "QMessageBox": {"information", "warning", "critical", "question", "about", "aboutQt"},
    "QFileDialog": {
        "getOpenFileName",
        "getOpenFileNames",
        "getSaveFileName",
        "getExistingDirectory",
        "getOpenFileUrl",
        "getOpenFileUrls",
        "getSaveFileUrl",
        "getExistingDirectoryUrl",
    },
    "QInputDialog": {"getText", "getInt", "getDouble", "getItem", "getMultiLineText"},
    "QColorDialog": {"getColor"},
    "QFontDialog": {"getFont"},
}


def test_that_no_screen_opens_a_nested_loop(repo: Path) -> None:
    """Bug 36: `exec` and the static helpers are banned from the window's code."""
    found = []
    files = sorted((repo / "app" / "ui").rglob("*.py"))
    for path in files:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
                continue
            owner = node.func.value.id if isinstance(node.func.value, ast.Name) else ""
            if node.func.attr in _NESTING or node.func.attr in _STATIC.get(owner, ()):
                found.append(f"{path.relative_to(repo)}:{node.lineno} {owner}.{node.func.attr}")
    assert len(files) > 30
    assert found == []


async def test_that_a_dialog_in_a_task_lets_the_other_tasks_run(qtbot: QtBot, qapp: QApplication) -> None:
    """Bug 36: `open()` and a future, while another task goes on ticking before, during and after."""
    before_test = qapp.quitOnLastWindowClosed()
    qapp.setQuitOnLastWindowClosed(False)  # as app.ui.start does; closing would stop the loop
    ticks = 0

    async def tick() -> None:
        nonlocal ticks
        while True:
            await asyncio.sleep(0.001)
            ticks += 1

    ticking = asyncio.create_task(tick())
    dialog = QDialog()
    qtbot.addWidget(dialog)
    finished: asyncio.Future[int] = asyncio.get_running_loop().create_future()
    dialog.finished.connect(finished.set_result)
    dialog.open()
    before = ticks
    QTimer.singleShot(50, dialog, dialog.accept)
    assert await finished == QDialog.DialogCode.Accepted.value
    during = ticks
    await asyncio.sleep(0.02)
    assert before < during < ticks
    ticking.cancel()
    await asyncio.wait([ticking])
    assert ticking.cancelled()
    qapp.setQuitOnLastWindowClosed(before_test)
