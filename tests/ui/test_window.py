"""The window over the real application: papers come in, are found, asked about, and cited."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QAbstractItemView, QApplication, QLabel, QPushButton, QWidget

from app.events import TurnFinished
from app.ui import i18n
from app.ui.chat.answer import AnswerView
from app.ui.chat.items import Answered, Asked, Ended, Noticed
from app.ui.main_window import MainWindow
from app.ui.picture import until_idle
from app.ui.theme import DARK, tokens
from tests.fakes.scripted_model import ScriptedModel
from tests.ui.conftest import OpenWindow, until

QUESTION = "What is the pulsation period of Lantern 42?"
ANSWER = "The pulsation period is 331.4 days [1]. It was discovered by a comet."
NAMES = (
    "libraryTable",
    "librarySearch",
    "pdfView",
    "notesList",
    "outlineTree",
    "timeline",
    "composer",
    "sendButton",
    "stopButton",
    "todoPanel",
    "modelPicker",
    "offlineSwitch",
)


def drop(window: MainWindow, *paths: Path) -> None:
    """Drag files over the window and let go, as a file manager does."""
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    none, left = Qt.KeyboardModifier.NoModifier, Qt.MouseButton.LeftButton
    copy = Qt.DropAction.CopyAction
    enter = QDragEnterEvent(QPoint(400, 300), copy, data, left, none)
    QApplication.sendEvent(window, enter)
    assert enter.isAccepted()
    QApplication.sendEvent(window, QDropEvent(QPointF(400, 300), copy, data, left, none))


def titles(window: MainWindow) -> list[str]:
    """What the list shows, from top to bottom."""
    model = window.library.model
    rows = [model.row_at(place) for place in range(model.rowCount())]
    return [row.title if row is not None else "" for row in rows]


def shown_words(part: QWidget) -> list[str]:
    """What the labels of a part say that show."""
    return [label.text() for label in part.findChildren(QLabel) if label.isVisible()]


async def add(window: MainWindow, path: Path) -> None:
    drop(window, path)
    await until(lambda: window.library.model.rowCount() == 1 and not window.adding.list.running())
    await until_idle(window)


def model_of(window: MainWindow, *script: str | float) -> None:
    window.application.chat = ScriptedModel(script)


async def test_that_every_named_widget_is_there(open_window: OpenWindow) -> None:
    async with open_window() as window:
        missing = [name for name in NAMES if window.findChild(QWidget, name) is None]
        assert missing == []
        assert isinstance(window.findChild(QWidget, "libraryTable"), QAbstractItemView)


async def test_that_an_empty_library_says_what_to_do(open_window: OpenWindow) -> None:
    async with open_window() as window:
        words = [b.text() for b in window.library.findChildren(QPushButton) if b.isVisible()]
        assert "Add PDFs…" in words
        assert "Try the welcome paper" in words


async def test_that_a_dropped_paper_becomes_a_row(open_window: OpenWindow, paper: Path) -> None:
    async with open_window() as window:
        await add(window, paper)
        window.library.model.row_at(0)
        await until(lambda: titles(window) == ["The variable star Lantern 42"])


async def test_that_dragging_shows_where_it_goes_and_text_is_no_paper(open_window: OpenWindow) -> None:
    async with open_window() as window:
        data = QMimeData()
        data.setText("just words")
        none, left = Qt.KeyboardModifier.NoModifier, Qt.MouseButton.LeftButton
        event = QDragEnterEvent(QPoint(1, 1), Qt.DropAction.CopyAction, data, left, none)
        QApplication.sendEvent(window, event)
        assert not window._overlay.isVisible()


async def test_that_a_file_that_is_no_paper_gets_a_reason_and_a_way_out(
    open_window: OpenWindow, tmp_path: Path
) -> None:
    bad = tmp_path / "bad.pdf"
    bad.write_bytes(b"this is no PDF")
    async with open_window() as window:
        drop(window, bad)
        await until(window.adding.list.failures)
        (failure,) = window.adding.list.failures()
        assert failure.message
        assert window.notices.texts() == ["“bad.pdf” was not imported."]
        window.show_queue()
        again = [b for b in window.queue.findChildren(QPushButton) if b.text() == "Try again"]
        await until(again[0].isVisible)
        again[0].click()
        await until(window.adding.list.running)
        await until(lambda: window.adding.list.failures() and not window.adding.list.running())


async def test_that_searching_narrows_the_list_and_clearing_brings_it_back(
    open_window: OpenWindow, paper: Path
) -> None:
    async with open_window() as window:
        await add(window, paper)
        assert "1 paper" in shown_words(window.library)
        window.top.search.setText("nothing like it")
        await until(lambda: window.library.model.rowCount() == 0)
        await until(lambda: "0 of 1 paper" in shown_words(window.library))
        window.top.search.setText("lantern title:variable")
        await until(lambda: "1 paper" in shown_words(window.library))
        await until(lambda: window.library.model.rowCount() == 1)
        window.library.toggle_filter("has:notes")
        await until(lambda: window.library.model.rowCount() == 0)
        window.library.clear_filters()
        await until(lambda: window.library.model.rowCount() == 1)
        assert window.top.search.text() == ""


async def test_that_the_head_tells_how_many_of_the_papers_are_found(
    open_window: OpenWindow, paper: Path, pdf: Path
) -> None:
    paper.write_text("# The star of another name\n\nLin Wei\n\n## Results\n\nIt shines.\n", encoding="utf-8")
    async with open_window() as window:
        drop(window, paper, pdf)
        await until(lambda: "2 papers" in shown_words(window.library))
        window.top.search.setText("lantern")
        await until(lambda: "1 of 2 papers" in shown_words(window.library))


async def test_that_a_window_made_by_anybody_speaks_whole_words(
    open_window: OpenWindow, paper: Path, qapp: QApplication
) -> None:
    while i18n._installed:
        qapp.removeTranslator(i18n._installed.pop())
    async with open_window(speak=False) as window:
        await add(window, paper)
        await until(lambda: "1 paper" in shown_words(window.library))


async def test_that_the_speed_is_that_of_the_writing_alone(open_window: OpenWindow) -> None:
    async with open_window() as window:
        window.status.show_usage({"completion_tokens": 50, "seconds": 25.0, "tokens_per_second": 12.3})
        assert "12 tok/s" in shown_words(window.status)
        for unknown in ({"completion_tokens": 50, "seconds": 25.0}, {"tokens_per_second": 0}):
            window.status.show_usage(dict(unknown))
            assert not [words for words in shown_words(window.status) if "tok/s" in words]


@pytest.mark.slow
async def test_that_an_answer_cites_a_page_and_a_click_opens_it(open_window: OpenWindow, pdf: Path) -> None:
    async with open_window() as window:
        await add(window, pdf)
        model_of(window, *(word + " " for word in ANSWER.split()))
        window.timeline.composer.set_text(QUESTION)
        window.timeline.composer.send.click()
        assert window.timeline.running
        assert window.timeline.composer.stop.isVisible()
        await until(lambda: not window.timeline.running)
        items = window.timeline.timeline.items
        place, answer = next((i, x) for i, x in enumerate(items) if isinstance(x, Answered))
        assert answer.checked is not None
        view = window.timeline.feed.view_at(place)
        assert isinstance(view, AnswerView)
        (citation, *_) = view.citations()
        assert citation["page"] == 1
        view.press_citation(0)
        await until(lambda: window.reader.current is not None and window.reader.current.ready)
        reader = window.reader.current
        assert reader is not None
        await until(lambda: reader.view.current_page == 1)


async def test_that_a_sentence_nothing_proves_is_underlined(open_window: OpenWindow, pdf: Path) -> None:
    async with open_window() as window:
        await add(window, pdf)
        model_of(window, ANSWER)
        window.timeline.ask(QUESTION)
        await until(lambda: not window.timeline.running)
        (answer,) = [x for x in window.timeline.timeline.items if isinstance(x, Answered)]
        assert answer.checked is not None
        by_support = {s["supported"]: s["text"] for s in answer.checked["sentences"]}
        assert "331.4" in by_support[True]
        assert "comet" in by_support[False]


async def test_that_stopping_is_seen_at_once_and_one_can_ask_again(
    open_window: OpenWindow, paper: Path
) -> None:
    async with open_window() as window:
        await add(window, paper)
        model_of(window, "The period ", 30.0, "never said")
        window.timeline.ask(QUESTION)
        await until(lambda: any(isinstance(i, Answered) for i in window.timeline.timeline.items))
        window.timeline.composer.stop.click()
        assert window.timeline.composer.stop.text() == "Stopping…"
        await until(lambda: not window.timeline.running)
        assert window.timeline.composer.stop.isHidden()
        assert window.timeline.timeline.items[-1] == Ended("stopped")
        session = window.timeline.session
        assert session is not None
        journal = window.application.library.journal
        await until(lambda: journal.events(session)[-1]["type"] == TurnFinished.type)
        model_of(window, "The pulsation period is 331.4 days [1].")
        window.timeline.ask(QUESTION)
        await until(lambda: not window.timeline.running)
        assert len([i for i in window.timeline.timeline.items if isinstance(i, Asked)]) == 2


async def test_that_a_turn_that_cannot_start_says_why(open_window: OpenWindow) -> None:
    async with open_window() as window:
        window.timeline.ask("   ")
        await until(lambda: not window.timeline.running)
        (notice,) = [i for i in window.timeline.timeline.items if isinstance(i, Noticed)]
        assert notice.level == "error"


async def test_that_the_question_is_about_the_selected_papers(open_window: OpenWindow, paper: Path) -> None:
    async with open_window() as window:
        await add(window, paper)
        window.library.list.setCurrentIndex(window.library.model.index(0))
        await until(window.timeline.composer.context)
        (context,) = window.timeline.composer.context()
        assert context.label == "Nakamura & Wei"
        window.timeline.context_dropped.emit(context.paper_id)
        assert window.timeline.composer.context() == ()


async def test_that_papers_go_to_the_trash_and_undo_brings_them_back(
    open_window: OpenWindow, paper: Path
) -> None:
    async with open_window() as window:
        await add(window, paper)
        window.library.list.setCurrentIndex(window.library.model.index(0))
        await until(window.library.rows_selected)
        window.library.trash_selected()
        await until(lambda: window.library.model.rowCount() == 0)
        await until(window.notices.texts)
        (undo,) = [b for b in window.notices.findChildren(QPushButton) if b.text() == "Undo"]
        undo.click()
        await until(lambda: window.library.model.rowCount() == 1)


async def test_that_the_timeline_folds_to_a_drawer_in_a_narrow_window(open_window: OpenWindow) -> None:
    async with open_window(size=(1000, 700)) as window:
        assert window.panes.narrow()
        assert not window.timeline.isVisible()
        window.panes.toggle_timeline()
        assert window.timeline.isVisible()
        window.resize(1440, 900)
        await until(lambda: not window.panes.narrow())
        assert window.timeline.isVisible()
        window.panes.toggle_timeline()
        assert not window.timeline.isVisible()


async def test_that_light_and_dark_are_switched_at_once_and_kept(open_window: OpenWindow, home: Path) -> None:
    async with open_window() as window:
        window.change_settings({"ui": {"theme": "dark"}})
        await until(lambda: tokens() is DARK)
        background = window.grab().toImage().pixelColor(5, 60)
        assert background.lightness() < 60
        assert "dark" in (home / "settings.toml").read_text()


async def test_that_going_offline_is_kept(open_window: OpenWindow, home: Path) -> None:
    async with open_window() as window:
        window.top.offline.click()
        await until(lambda: window.application.settings.offline)
        assert window.top.offline.text() == "Offline"
        assert "offline = true" in (home / "settings.toml").read_text()


async def test_that_a_wrong_model_file_is_refused_with_a_reason(
    open_window: OpenWindow, tmp_path: Path
) -> None:
    async with open_window() as window:
        window.change_settings({"llm": {"model_path": str(tmp_path / "none.gguf")}})
        await until(lambda: window.application.chat is None)
        await until(lambda: window.top.model.text() == "No model · quotes only")


async def test_that_the_window_speaks_chinese(open_window: OpenWindow) -> None:
    async with open_window(ui={"language": "zh"}) as window:
        assert window.timeline.composer.send.text() == "发送"
        words = [b.text() for b in window.library.findChildren(QPushButton)]
        assert "试用欢迎论文" in words


@pytest.mark.slow
async def test_that_the_window_comes_back_as_it_was_left(
    open_window: OpenWindow, pdf: Path, home: Path
) -> None:
    async with open_window() as window:
        await add(window, pdf)
        window.library.set_sort("title")
        window.panes.toggle_library()
        row = window.library.model.row_at(0)
        assert row is not None
        window.open_paper(row.paper_id)
        await until(lambda: window.reader.current is not None and window.reader.current.ready)
        model_of(window, ANSWER)
        window.timeline.ask(QUESTION)
        await until(lambda: not window.timeline.running)
    async with open_window() as window:
        assert window.library.state()["sort"] == "title"
        assert not window.panes.library_shown()
        await until(lambda: window.reader.current is not None and window.reader.current.ready)
        assert window.timeline.timeline.items[0] == Asked(QUESTION)


async def test_that_closing_asks_the_start_module_to_end(open_window: OpenWindow) -> None:
    async with open_window() as window:
        asked = asyncio.Event()
        window.close_wanted.connect(asked.set)
        window.close()
        await asyncio.wait_for(asked.wait(), 5)
        assert window.isVisible()


@pytest.mark.parametrize("wrong", [{"place": "x"}, {"panes": {"sizes": ["a"]}}, {"library": []}, []])
async def test_that_a_broken_state_is_no_obstacle(open_window: OpenWindow, home: Path, wrong: object) -> None:
    from app.library import Library

    library = Library.open(home)
    library.state.set("window", wrong)
    library.close()
    async with open_window() as window:
        assert window.isVisible()
