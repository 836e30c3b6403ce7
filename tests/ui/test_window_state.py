"""Where the window comes back."""

from __future__ import annotations

from PySide6.QtCore import QRect

from app.ui.window_state import DEFAULT_SIZE, fitting

SCREEN = QRect(0, 0, 1920, 1080)
SECOND = QRect(1920, 0, 1280, 1024)


def test_that_a_place_on_a_screen_is_kept() -> None:
    wanted = QRect(2000, 40, 1100, 800)
    assert fitting(wanted, [SCREEN, SECOND]) == wanted


def test_that_a_window_of_a_screen_that_is_gone_comes_to_the_middle_of_the_first() -> None:
    found = fitting(QRect(2000, 40, 1100, 800), [SCREEN])
    assert SCREEN.contains(found)
    assert found.size() == DEFAULT_SIZE


def test_that_a_window_too_large_for_the_screen_is_cut_to_it() -> None:
    assert fitting(QRect(0, 0, 3000, 2000), [SECOND.translated(-1920, 0)]).size() == SECOND.size()


def test_that_a_window_that_hangs_over_the_edge_is_moved_in() -> None:
    found = fitting(QRect(1500, 500, 800, 700), [SCREEN])
    assert SCREEN.contains(found)
    assert found.size().width() == 800


def test_that_the_first_start_fits_a_small_screen() -> None:
    small = QRect(0, 0, 1024, 768)
    assert fitting(None, [small]) == small
