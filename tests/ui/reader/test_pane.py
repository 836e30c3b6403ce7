"""Reading a paper: select, copy, highlight, write notes, jump, find, come back."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

import pymupdf
import pytest
from PySide6.QtCore import QPoint, QRectF, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QToolButton, QWidget

from app.ui.reader.note_card import NoteCard
from app.ui.reader.paper_tab import PaperTab
from app.ui.theme import LIGHT

Reading = Callable[[], AbstractAsyncContextManager[Any]]
Paper = Callable[[int], bytes]
Wait = Callable[..., Any]


async def test_that_an_empty_pane_says_what_to_do(reader: Reading) -> None:
    async with reader() as r:
        assert r.pane.current is None
        assert r.pane.idle
        for name in ("pdfView", "notesList", "outlineTree"):
            assert r.pane.findChild(QWidget, name) is not None


async def test_that_a_paper_opens_with_pages_labels_and_outline(
    reader: Reading, make_paper: Paper, wait_until: Wait
) -> None:
    async with reader() as r:
        r.add("nebulae", make_paper(3))
        tab = await r.open("nebulae")
        assert r.pane.tabs.name_of(tab) == "Writer 2020"
        assert (r.pane.toolbar.page.text(), r.pane.toolbar.total.text()) == ("1", "/ 3")
        model = tab.outline.tree.model()
        assert [model.index(row, 0).data() for row in range(model.rowCount())] == [
            "Section 1",
            "Section 2",
            "Section 3",
        ]
        assert r.pane.findChild(QWidget, "pdfView") is tab.view


async def test_that_a_drag_selects_within_its_column(reader: Reading, make_paper: Paper) -> None:
    async with reader() as r:
        r.add("columns", make_paper(1))
        await r.open("columns")
        r.drag(r.spot("left 1 row 3"), r.spot("left 1 row 5 of the first column", end=True))
        words = r.view.selected_text()
        assert words.startswith("left 1 row 3 of")
        assert words.endswith("row 5 of the first column")
        assert "right" not in words


async def test_that_a_double_click_takes_a_word_and_a_third_the_line(
    reader: Reading, make_paper: Paper
) -> None:
    async with reader() as r:
        r.add("clicks", make_paper(1))
        await r.open("clicks")
        spot, area = r.spot("column") + QPoint(5, 0), r.view.viewport()
        QTest.mouseClick(area, Qt.MouseButton.LeftButton, pos=spot)
        QTest.mouseDClick(area, Qt.MouseButton.LeftButton, pos=spot)
        assert r.view.selected_text() == "column"
        QTest.mouseClick(area, Qt.MouseButton.LeftButton, pos=spot)
        assert r.view.selected_text() == "left 1 row 0 of the first column"


async def test_that_copied_words_are_clean(reader: Reading, wait_until: Wait) -> None:
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((72, 100), "The photometry of infra-", fontsize=11)
    page.insert_text((72, 114), "red variables is precise here.", fontsize=11)
    async with reader() as r:
        r.add("hyphens", document.tobytes())
        await r.open("hyphens")
        r.drag(r.spot("The photometry"), r.spot("precise here.", end=True) + QPoint(3, 0))
        QTest.keyClick(r.view, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
        await wait_until(lambda: "photometry" in QGuiApplication.clipboard().text())
        assert QGuiApplication.clipboard().text() == "The photometry of infrared variables is precise here."


async def test_that_a_highlight_is_a_note_with_the_quads_of_its_words(
    reader: Reading, make_paper: Paper, wait_until: Wait
) -> None:
    async with reader() as r:
        paper, file = r.add("marks", make_paper(1))
        tab = await r.open("marks")
        told: list[str] = []
        r.pane.noteChanged.connect(told.append)
        r.select("left 1 row 2 of the first column")
        QTest.keyClick(r.view, Qt.Key.Key_H)
        await wait_until(lambda: tab.desk.keeper.notes)
        (note,) = r.parts.library.notes.of_file(file)
        assert note.paper_id == paper
        assert note.anchor.quote == "left 1 row 2 of the first column"
        assert note.anchor.prefix.strip().endswith("row 1 of the first column")
        (quad,) = note.anchor.quads
        baseline = 792 - (110 + 2 * 16)
        assert abs(quad.ul[0] - 72) < 1.5
        assert quad.ll[1] < baseline + 1 < quad.ul[1]
        assert 8 < quad.ul[1] - quad.ll[1] < 16
        assert told[-1] == paper


async def test_that_a_highlight_shows_in_its_colour_under_the_words(
    reader: Reading, make_paper: Paper, wait_until: Wait, looks_like: Wait
) -> None:
    async with reader() as r:
        r.add("colours", make_paper(1))
        tab = await r.open("colours")
        r.select("right 1 row 7 of the other column")
        tab.highlight("green")
        await wait_until(lambda: tab.desk.keeper.notes)
        await asyncio.sleep(0.05)
        box = r.view.quads_rect(0, tab.desk.keeper.notes[0].anchor.quads)
        picture = r.picture()
        colours = [
            picture.pixelColor(x, round(box.top() + 1.5))
            for x in range(round(box.left()) + 3, round(box.right()) - 3)
        ]
        assert sum(looks_like(colour, LIGHT.highlight("green")) for colour in colours) > len(colours) * 0.7


async def test_that_a_highlight_over_a_page_break_is_a_note_on_each_page(
    reader: Reading, make_paper: Paper, wait_until: Wait
) -> None:
    async with reader() as r:
        _, file = r.add("breaks", make_paper(2))
        tab = await r.open("breaks")
        await r.view.texts.load(1)
        from app.ui.reader.selection import Caret, Selection

        first = r.view.texts.get(0).text.index("right 1 row 19")
        end = r.view.texts.get(1).text.index("left 2 row 1 of")
        r.view.selecting.set(Selection.at(Caret(0, first)).to(Caret(1, end)))
        tab.highlight()
        await wait_until(lambda: len(tab.desk.keeper.notes) == 2)
        notes = r.parts.library.notes.of_file(file)
        assert [note.anchor.page for note in notes] == [0, 1]
        assert notes[0].anchor.quote == "right 1 row 19 of the other column"
        assert notes[1].anchor.quote.endswith("left 2 row 0 of the first column")


async def test_that_notes_are_written_listed_deleted_and_brought_back(
    reader: Reading, make_paper: Paper, wait_until: Wait
) -> None:
    async with reader() as r:
        _, file = r.add("notes", make_paper(1))
        tab = await r.open("notes")
        r.select("left 1 row 4")
        QTest.keyClick(r.view, Qt.Key.Key_N)
        await wait_until(
            lambda: tab.desk.keeper.notes and tab.desk.cards.card(tab.desk.keeper.notes[0].note_id)
        )
        card = tab.desk.cards.card(tab.desk.keeper.notes[0].note_id)
        await wait_until(lambda: card.editing)
        QTest.keyClicks(r.pane.window().focusWidget() or card, "check this")
        card.finish()
        await wait_until(lambda: tab.desk.keeper.notes[0].text == "check this")
        assert tab.notes.model.rowCount() == 1
        assert r.view.cards, "the pages make room for the card"
        tab.desk.delete(tab.desk.keeper.notes[0].note_id)
        await wait_until(lambda: not tab.desk.keeper.notes)
        assert r.parts.library.notes.of_file(file) == []
        tab.desk.undo()
        await wait_until(lambda: tab.desk.keeper.notes)
        (note,) = r.parts.library.notes.of_file(file)
        assert (note.text, note.anchor.quote) == ("check this", "left 1 row 4")


async def test_that_tabs_are_built_before_they_are_wanted(
    reader: Reading, make_paper: Paper, wait_until: Wait
) -> None:
    async with reader() as r:
        for name in ("one", "two"):
            r.add(name, make_paper(1))
        for name in ("one", "two"):
            await wait_until(lambda: len(r.pane.findChildren(PaperTab)) > len(r.pane.tabs.papers))
            built = r.pane.findChildren(PaperTab)
            assert await r.open(name) in built


async def write_a_note(r: Any, wait_until: Wait, words: str) -> NoteCard:
    r.select("left 1 row 4")
    QTest.keyClick(r.view, Qt.Key.Key_N)
    desk = r.tab.desk
    await wait_until(lambda: desk.keeper.notes and desk.cards.card(desk.keeper.notes[0].note_id))
    card: NoteCard = desk.cards.card(desk.keeper.notes[0].note_id)
    await wait_until(lambda: card.editing)
    QTest.keyClicks(r.pane.window().focusWidget() or card, words)
    return card


async def test_that_words_are_kept_while_one_writes_and_the_page_stays_where_it_is(
    reader: Reading, make_paper: Paper, wait_until: Wait
) -> None:
    async with reader() as r:
        _, file = r.add("drafts", make_paper(1))
        await r.open("drafts")
        card = await write_a_note(r, wait_until, "half a")
        zoom = r.view.zoom
        await wait_until(lambda: r.tab.desk.keeper.notes[0].text == "half a")
        assert r.parts.library.notes.of_file(file)[0].text == "half a"
        assert card.editing
        r.pane.refresh_notes(r.papers["drafts"][0])  # as the library tells of every change
        await asyncio.sleep(0.1)
        assert r.view.zoom == zoom
        QTest.keyClicks(r.pane.window().focusWidget() or card, " thought")
        card.finish()
        await wait_until(lambda: r.tab.desk.keeper.notes[0].text == "half a thought")
        await wait_until(lambda: r.view.cards)


async def test_that_esc_takes_back_what_was_kept_while_writing(
    reader: Reading, make_paper: Paper, wait_until: Wait
) -> None:
    async with reader() as r:
        _, file = r.add("regrets", make_paper(1))
        await r.open("regrets")
        card = await write_a_note(r, wait_until, "nonsense")
        await wait_until(lambda: r.parts.library.notes.of_file(file)[0].text == "nonsense")
        QTest.keyClick(r.pane.window().focusWidget() or card, Qt.Key.Key_Escape)
        await wait_until(lambda: r.parts.library.notes.of_file(file)[0].text == "")


async def test_that_closing_keeps_the_words_of_the_last_second(
    reader: Reading, make_paper: Paper, wait_until: Wait
) -> None:
    async with reader() as r:
        _, file = r.add("last", make_paper(1))
        await r.open("last")
        await write_a_note(r, wait_until, "last words")
        await r.pane.close_all()
        assert r.parts.library.notes.of_file(file)[0].text == "last words"


async def test_that_a_note_deleted_while_writing_comes_back_with_its_words(
    reader: Reading, make_paper: Paper, wait_until: Wait
) -> None:
    async with reader() as r:
        _, file = r.add("bin", make_paper(1))
        tab = await r.open("bin")
        card = await write_a_note(r, wait_until, "worth it")
        card.findChildren(QToolButton)[-1].click()
        await wait_until(lambda: not tab.desk.keeper.notes)
        tab.desk.undo()
        await wait_until(lambda: tab.desk.keeper.notes)
        assert r.parts.library.notes.of_file(file)[0].text == "worth it"


async def test_that_a_note_made_elsewhere_shows_after_a_refresh(
    reader: Reading, make_paper: Paper, wait_until: Wait
) -> None:
    async with reader() as r:
        paper, _ = r.add("elsewhere", make_paper(1))
        tab = await r.open("elsewhere")
        made = await r.parts.notes.add(paper, "left 1 row 9 of the first", page=0)
        assert r.view.marks_on(0) == ()
        r.pane.refresh_notes(paper)
        await wait_until(lambda: r.view.marks_on(0))
        assert r.view.marks_on(0)[0].note_id == made.note_id
        assert tab.notes.model.rowCount() == 1


async def test_that_list_and_highlight_lead_to_each_other(
    reader: Reading, make_paper: Paper, wait_until: Wait
) -> None:
    async with reader() as r:
        r.add("jumps", make_paper(4))
        tab = await r.open("jumps")
        await r.view.texts.load(3)
        r.select("left 4 row 9", page=3)
        tab.highlight()
        await wait_until(lambda: tab.desk.keeper.notes)
        note = tab.desk.keeper.notes[0]
        tab.desk.choose(None)
        r.view.go_to_page(0)
        tab.notes.note_asked.emit(note.note_id)
        assert r.view.current_page in (2, 3)
        box = r.view.quads_rect(3, note.anchor.quads)
        assert QRectF(r.view.viewport().rect()).contains(box)
        tab.desk.choose(None)
        QTest.mouseClick(r.view.viewport(), Qt.MouseButton.LeftButton, pos=box.center().toPoint())
        assert tab.notes.chosen == note.note_id
        QTest.keyClick(r.view, Qt.Key.Key_Left, Qt.KeyboardModifier.AltModifier)
        assert r.view.current_page == 0


@pytest.mark.parametrize("with_quads", [True, False])
async def test_that_a_citation_opens_its_page_with_the_words_marked(
    reader: Reading, make_paper: Paper, wait_until: Wait, looks_like: Wait, with_quads: bool
) -> None:
    async with reader() as r:
        paper, file = r.add("cited", make_paper(5))
        far_off = [[0.0, 10.0, 20.0, 10.0, 0.0, 0.0, 20.0, 0.0]]
        r.pane.open_citation(
            {
                "paper_id": paper,
                "file_id": file,
                "page": 3,
                "quote": "Right 4 row 11 of the other  column",
                "quads": far_off if with_quads else [],
            }
        )
        await wait_until(lambda: r.pane.current.ready and r.view.marks_on(3) and r.view.settled)
        await asyncio.sleep(0.1)
        (mark,) = r.view.marks_on(3)
        box = r.view.quads_rect(3, mark.quads)
        assert QRectF(r.view.viewport().rect()).contains(box)
        expected = r.view.page_rect(3).topLeft().y() + (110 + 11 * 16 - 5) * r.view.column.scale
        assert abs(box.center().y() - expected) < 6 * r.view.column.scale
        picture = r.picture()
        edge = [picture.pixelColor(round(box.center().x()), round(box.top()) + dy) for dy in range(-4, 3)]
        assert any(looks_like(colour, LIGHT.colour("accent"), 70) for colour in edge)
        inside = picture.pixelColor(round(box.left()) + 1, round(box.center().y()))
        assert looks_like(inside, LIGHT.colour("accent_soft"), 40) or inside.blue() > inside.red()


async def test_that_find_marks_every_hit_and_steps_through_them(
    reader: Reading, make_paper: Paper, wait_until: Wait
) -> None:
    async with reader() as r:
        r.add("finding", make_paper(4))
        tab = await r.open("finding")
        QTest.keyClick(r.view, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
        assert tab.find_bar.isVisible()
        QTest.keyClicks(tab.find_bar.field, "row 17 of")
        await wait_until(lambda: len(tab.finder.hits.all) == 8)
        await wait_until(lambda: tab.find_bar.count.text() == "1 of 8")
        QTest.keyClick(tab.find_bar.field, Qt.Key.Key_Return)
        tab.finder.step(True)
        assert tab.finder.hits.number == 3
        assert r.view.current_page in (0, 1)
        assert len(r.view.marks_on(3)) == 2
        QTest.keyClick(tab.find_bar.field, Qt.Key.Key_Escape)
        assert not tab.find_bar.isVisible()
        assert r.view.marks_on(3) == ()


async def test_that_the_place_is_kept_for_the_next_time(
    reader: Reading, make_paper: Paper, wait_until: Wait
) -> None:
    async with reader() as r:
        r.add("places", make_paper(9))
        tab = await r.open("places")
        tab.view.set_zoom(1.7)
        tab.jump(6)
        before = tab.view.place()
        r.pane.close_tab()
        await wait_until(lambda: r.pane.current is None)
        await asyncio.sleep(0.2)
        again = await r.open("places")
        assert again is not tab
        after = again.view.place()
        assert after.page == before.page
        assert abs(after.down - before.down) < 0.01
        assert again.view.zoom == pytest.approx(1.7)


async def test_that_tabs_come_back_as_they_were(reader: Reading, make_paper: Paper, wait_until: Wait) -> None:
    async with reader() as r:
        r.add("first", make_paper(1))
        r.add("second", make_paper(2))
        await r.open("first")
        await r.open("second")
        r.pane.toolbar.notes.toggle()
        state = r.pane.state()
        for tab in list(r.pane.tabs.papers):
            r.pane.close_tab(tab)
        await wait_until(lambda: not r.pane.tabs.papers)
        assert r.pane.current is None
        r.pane.restore(state)
        first, second = r.pane.tabs.papers
        assert r.tab is second
        await wait_until(lambda: second.ready)
        assert not second.notes.isHidden()
        assert first.view.source is None, "what nobody looks at is not opened"
        assert r.pane.tabs.name_of(first) == "Writer 2020"
        r.pane.tabs.step(-1)
        await wait_until(lambda: first.ready)
        assert r.pane.state() == {**state, "current": 0}


async def test_that_typing_a_page_goes_there_and_back_returns(reader: Reading, make_paper: Paper) -> None:
    async with reader() as r:
        r.add("typed", make_paper(6))
        tab = await r.open("typed")
        QTest.keyClick(r.view, Qt.Key.Key_G, Qt.KeyboardModifier.ControlModifier)
        field = r.pane.toolbar.page
        field.setText("5")
        QTest.keyClick(field, Qt.Key.Key_Return)
        assert r.view.current_page == 4
        assert tab.history.can_go_back
        r.pane.toolbar.back.click()
        assert r.view.current_page == 0
        r.pane.toolbar.ahead.click()
        assert r.view.current_page == 4


async def test_that_the_pen_highlights_as_soon_as_words_are_selected(
    reader: Reading, make_paper: Paper, wait_until: Wait
) -> None:
    async with reader() as r:
        r.add("pen", make_paper(1))
        tab = await r.open("pen")
        r.pane.toolbar.pen.click()
        r.pane.toolbar.swatches[2].click()
        r.drag(r.spot("left 1 row 8"), r.spot("left 1 row 8 of the first column", end=True))
        await wait_until(lambda: tab.desk.keeper.notes)
        assert tab.desk.keeper.notes[0].color == "blue"
        assert not r.view.selection


async def test_that_asking_passes_the_words_on(reader: Reading, make_paper: Paper) -> None:
    async with reader() as r:
        paper, _ = r.add("asked", make_paper(1))
        await r.open("asked")
        asked: list[tuple[str, str, int]] = []
        r.pane.askAboutSelection.connect(lambda *what: asked.append(what))
        r.select("left 1 row 6")
        assert r.tab.selection_bar.isVisible()
        QTest.keyClick(r.view, Qt.Key.Key_A)
        assert asked == [("left 1 row 6", paper, 0)]


async def test_that_keys_alone_select_words(reader: Reading, make_paper: Paper) -> None:
    async with reader() as r:
        r.add("keys", make_paper(1))
        await r.open("keys")
        r.select("left 1 row 3")
        shift = Qt.KeyboardModifier.ShiftModifier
        QTest.keyClick(r.view, Qt.Key.Key_End, shift)
        assert r.view.selected_text() == "left 1 row 3 of the first column"
        QTest.keyClick(r.view, Qt.Key.Key_Down, shift)
        assert r.view.selected_text().endswith("left 1 row 4 of the first column")
        QTest.keyClick(r.view, Qt.Key.Key_Escape)
        assert not r.view.selection


async def test_that_every_icon_button_says_what_it_does(reader: Reading, make_paper: Paper) -> None:
    from PySide6.QtWidgets import QToolButton

    async with reader() as r:
        r.add("names", make_paper(1))
        await r.open("names")
        for button in r.pane.findChildren(QToolButton):
            if button.isVisible() and not button.parent().inherits("QTabBar"):
                assert button.accessibleName() or button.text(), button
