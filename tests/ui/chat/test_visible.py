"""Nothing in a command or an output can hide from the person who judges it."""

from __future__ import annotations

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from app.ui.chat.visible import shortened, visible


def test_that_what_reverses_the_reading_order_is_written_out() -> None:
    """Bug 28: a command is judged by what runs, not by how it is made to look."""
    assert visible("rm \u202etxt.exe") == "rm ⟨U+202E⟩txt.exe"
    assert visible("a\u200bb\x1b[31m") == "a⟨U+200B⟩b⟨U+001B⟩[31m"


def test_that_ordinary_text_stays_as_it_is() -> None:
    words = "H₀ = 73.2 km/s — 天琴座\n\tالنجوم"
    assert visible(words) == words


@given(st.text(max_size=60))
def test_that_no_format_character_is_left(text: str) -> None:
    left = [c for c in visible(text) if unicodedata.category(c) in ("Cc", "Cf") and c not in "\n\t"]
    assert [c for c in left if not 0x600 <= ord(c) <= 0x8FF and ord(c) < 0x10000] == []


def test_that_a_cut_says_how_much_is_missing() -> None:
    assert shortened("abcdefgh", 4) == ("abc", 4, "h")
    assert shortened("abcd", 4) == ("abcd", 0, "")
