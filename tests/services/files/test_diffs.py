"""The difference that a person is shown."""

from __future__ import annotations

from app.services.files.diffs import MOST_LINES, unified


def test_that_the_lines_around_a_change_are_shown_with_their_numbers() -> None:
    before = "".join(f"line {number}\n" for number in range(1, 101))
    shown = unified(before, before.replace("line 50\n", "fifty\n"), "a.txt")
    assert shown.splitlines()[:3] == ["--- a.txt", "+++ a.txt", "@@ -47,7 +47,7 @@"]
    assert "-line 50" in shown
    assert "+fifty" in shown
    assert "line 46" not in shown


def test_that_a_new_file_is_shown_as_added() -> None:
    assert unified("", "a\nb\n", "x").splitlines() == ["--- x", "+++ x", "@@ -0,0 +1,2 @@", "+a", "+b"]


def test_that_a_huge_change_is_short_to_show() -> None:
    before = "".join(f"{number}\n" for number in range(100_000))
    shown = unified(before, before.replace("1", "2"), "x")
    assert len(shown.splitlines()) < 2 * MOST_LINES
    assert "more lines" in shown
    assert len(unified("", "x" * 10_000_000, "x")) < 1000
