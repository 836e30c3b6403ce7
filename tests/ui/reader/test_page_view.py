"""Zoom, pixels, pictures."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any

import pymupdf
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QWheelEvent

from app.ui.reader.page_view import Fit
from app.ui.theme import DARK, LIGHT

Reading = Callable[[], AbstractAsyncContextManager[Any]]
Paper = Callable[[int], bytes]
Wait = Callable[..., Any]


def box_page(rotation: int = 0) -> bytes:
    """Return a page with a black box whose corner stands at (100, 100) from the upper left."""
    document = pymupdf.open()
    page = document.new_page(width=600, height=800)
    page.draw_rect(pymupdf.Rect(100, 100, 200, 150), fill=(0, 0, 0), color=None)
    page.set_rotation(rotation)
    return bytes(document.tobytes())


async def test_that_ink_shows_where_the_page_geometry_says(reader: Reading, wait_until: Wait) -> None:
    async with reader() as r:
        r.add("box", box_page())
        r.pane.open_paper(*r.papers["box"])
        await wait_until(lambda: r.tab.ready and r.view.settled)
        picture, page, scale = r.picture(), r.view.page_rect(0), r.view.column.scale
        for x, y, black in ((102, 102, True), (198, 148, True), (98, 102, False), (202, 148, False)):
            colour = picture.pixelColor(round(page.left() + x * scale), round(page.top() + y * scale))
            assert (colour.lightness() < 100) == black, (x, y)


async def test_that_control_and_wheel_zoom_around_the_cursor(reader: Reading, make_paper: Paper) -> None:
    async with reader() as r:
        r.add("wheel", make_paper(3))
        await r.open("wheel")
        spot = QPointF(300, 250)
        before = r.view.locate(spot)
        event = QWheelEvent(
            spot,
            QPointF(r.view.viewport().mapToGlobal(spot.toPoint())),
            QPoint(),
            QPoint(0, 120),
            Qt.MouseButton.NoButton,
            Qt.KeyboardModifier.ControlModifier,
            Qt.ScrollPhase.NoScrollPhase,
            False,
        )
        zoom = r.view.zoom
        r.view.wheelEvent(event)
        assert r.view.zoom == pytest.approx(zoom * 1.2)
        after = r.view.locate(spot)
        assert before[0] == after[0]
        assert all(abs(a - b) < 2 for a, b in zip(before[1], after[1], strict=True))


async def test_that_fits_follow_the_size_of_the_window(
    reader: Reading, make_paper: Paper, wait_until: Wait
) -> None:
    async with reader() as r:
        r.add("fits", make_paper(2))
        await r.open("fits")
        r.pane.resize(700, 800)
        narrow = r.view.page_rect(0).width()
        r.pane.resize(1000, 800)
        assert r.view.page_rect(0).width() == pytest.approx(narrow + 300, abs=2)
        r.view.set_fit(Fit.PAGE)
        assert r.view.page_rect(0).height() < r.view.viewport().height()


async def test_that_the_closest_picture_shows_at_once_and_the_right_one_follows(
    reader: Reading, wait_until: Wait
) -> None:
    async with reader() as r:
        r.add("quick", box_page())
        r.pane.open_paper(*r.papers["quick"])
        await wait_until(lambda: r.pane.current.ready and r.view.settled)
        r.view.set_zoom(r.view.zoom * 1.5, QPointF(0, 0))
        assert not r.view.settled
        page, scale = r.view.page_rect(0), r.view.column.scale
        colour = r.picture().pixelColor(round(page.left() + 150 * scale), round(page.top() + 125 * scale))
        assert colour.lightness() < 60
        await wait_until(lambda: r.view.settled)


async def test_that_high_zoom_is_drawn_in_tiles_within_the_byte_limit(
    reader: Reading, wait_until: Wait
) -> None:
    async with reader() as r:
        r.add("tiles", box_page())
        r.pane.open_paper(*r.papers["tiles"])
        await wait_until(lambda: r.pane.current.ready and r.view.settled)
        drawn = r.view.queue.drawn
        r.view.set_zoom(12.0)
        page = r.view.page_rect(0)
        scale = r.view.column.scale
        r.view.horizontalScrollBar().setValue(
            round(r.view.horizontalScrollBar().value() + page.left() + 100 * scale - 200)
        )
        r.view.verticalScrollBar().setValue(round(100 * scale - 200))
        await wait_until(lambda: r.view.settled)
        assert r.view.queue.drawn - drawn < 12, "only tiles in sight are drawn"
        assert r.view.cache.bytes <= r.view.cache.limit
        page, picture = r.view.page_rect(0), r.picture()
        x, y = round(page.left() + 100 * scale), round(page.top() + 100 * scale)
        assert picture.pixelColor(x + 2, y + 2) == QColor("black")
        assert picture.pixelColor(x - 3, y + 2) == QColor("white")


async def test_that_dark_pages_have_the_dark_paper(reader: Reading, wait_until: Wait) -> None:
    async with reader() as r:
        r.add("night", box_page())
        r.pane.open_paper(*r.papers["night"])
        await wait_until(lambda: r.pane.current.ready and r.view.settled)
        r.pane.toolbar.dark.click()
        await wait_until(lambda: r.view.settled)
        page, scale, picture = r.view.page_rect(0), r.view.column.scale, r.picture()
        assert picture.pixelColor(round(page.left() + 30), round(page.top() + 30)) == DARK.colour("paper")
        box = picture.pixelColor(round(page.left() + 150 * scale), round(page.top() + 125 * scale))
        assert box == DARK.colour("text")
        assert picture.pixelColor(3, 300) == LIGHT.colour("sunken"), "the window stays light"


async def test_that_what_scrolled_past_is_not_drawn(
    reader: Reading, make_long_paper: Paper, wait_until: Wait
) -> None:
    async with reader() as r:
        r.add("fling", make_long_paper(60))
        await r.open("fling")
        drawn = r.view.queue.drawn
        for page in range(2, 58):
            r.view.go_to_page(page)
        await wait_until(lambda: r.view.settled)
        assert r.view.queue.drawn - drawn < 8


CRISP = """
import asyncio, sys
from PySide6.QtWidgets import QApplication
sys.path[:0] = {paths!r}
import conftest
app = QApplication([])
app.setQuitOnLastWindowClosed(False)
from pathlib import Path
from app.ui.loop import Loop
async def main():
    async with conftest.running(Path({home!r})) as r:
        r.add("crisp", Path({file!r}).read_bytes())
        r.pane.open_paper(*r.papers["crisp"])
        await conftest.until(lambda: r.pane.current.ready and r.view.settled)
        picture = r.picture()
        page, scale = r.view.page_rect(0), r.view.column.scale * 2
        x, y = round(page.left() * 2 + 100 * scale), round(page.top() * 2 + 120 * scale)
        row = [picture.pixelColor(x + d, y).lightness() for d in (-3, -2, 2, 3)]
        drawn = next(iter(r.view.cache._images.values())).width()
        print(picture.devicePixelRatio(), row, drawn, round(page.width() * 2))
loop = Loop(app)
loop.run_until_complete(main())
loop.close()
"""


@pytest.mark.slow
def test_that_pages_are_crisp_at_twice_the_pixels(tmp_path: Path, repo: Path) -> None:
    file = tmp_path / "box.pdf"
    file.write_bytes(box_page())
    here = Path(__file__).parent
    code = CRISP.format(paths=[str(repo), str(here)], home=str(tmp_path / "home"), file=str(file))
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "QT_SCALE_FACTOR": "2", "QT_QPA_PLATFORM": "offscreen"},
        capture_output=True,
        text=True,
        timeout=120,
        cwd=repo,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    ratio, rest = done.stdout.strip().split(" ", 1)
    assert float(ratio) == 2.0
    row, widths = rest.rsplit("]", 1)
    outside, outside_near, inside_near, inside = (int(v) for v in row.strip("[ ").split(","))
    assert outside == outside_near == 255
    assert inside == inside_near == 0
    drawn, shown = (int(v) for v in widths.split())
    assert abs(drawn - shown) <= 1
