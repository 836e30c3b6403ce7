"""Pages of whole lines, and cuts between characters."""

from __future__ import annotations

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from app.services.files.paging import LONG_LINE, around, lines_of, page_of, safe_cut, split_line

MIXED = "e\u0301" + "星系" + "👩\u200d🚀" + "👍🏽" + "🇨🇳🇫🇷" + "นี่" + "a" + "\ufe0f"


def test_that_only_line_ends_end_lines() -> None:
    r"""Bug 8: U+2028, U+0085, \x0b and \f are characters of a line."""
    assert lines_of("a\u2028b\x85c\x0bd\x0ce\nf\r\ng\rh") == ["a\u2028b\x85c\x0bd\x0ce", "f", "g", "h"]
    assert lines_of("a\n") == ["a"]
    assert lines_of("") == []
    assert lines_of("\n\n") == ["", ""]


def test_that_a_page_says_where_the_next_begins() -> None:
    text = "".join(f"line {number}\n" for number in range(1, 101))
    page = page_of(text, 1, 30, 10_000)
    assert (page.first, page.last, page.total, page.next_offset) == (1, 30, 100, 31)
    assert page_of(text, 91, 30, 10_000).next_offset is None


@given(
    st.lists(st.text(alphabet="ab星 🔭", max_size=30), max_size=40), st.integers(1, 200), st.integers(1, 50)
)
def test_that_following_the_hints_reads_every_line_once(lines: list[str], budget: int, limit: int) -> None:
    """Trap 0.1: a reader that follows "read on with offset" reaches the end."""
    text = "\n".join([*lines, ""])
    read: list[str] = []
    offset: int | None = 1
    while offset is not None:
        page = page_of(text, offset, limit, budget)
        read += page.lines
        assert page.next_offset is None or page.next_offset > offset
        offset = page.next_offset
    assert read == lines_of(text)


def test_that_one_line_of_40_megabytes_is_read_in_pieces() -> None:
    """Bug 6: no page is larger than its budget, however long a line is."""
    text = "星" * 1_000_000 + "\nlast"
    page = page_of(text, 1, 2000, 40_000)
    assert page.pieces
    assert sum(len(line.encode()) for line in page.lines) <= 40_000
    assert page_of(text, page.total, 1, 4000).lines == ("last",)


def test_that_numbers_count_too() -> None:
    """Bug 6: a page of empty lines is no longer than others once they have numbers."""
    page = page_of("\n" * 10_000, 1, 10_000, 4000)
    assert sum(len(f"{number}\t\n") for number in range(page.first, page.last + 1)) <= 4000


def test_that_a_page_holds_one_line_at_least() -> None:
    assert page_of("abc\n" * 3, 1, 10, 1).lines == ("abc",)
    assert page_of("", 1, 10, 100).lines == ()
    assert page_of("a", 5, 10, 100).lines == ()


def test_that_no_cut_parts_a_character() -> None:
    """Bug 24: at every place of a text with combining marks, emoji and flags."""
    text = MIXED * 3
    for place in range(len(text) + 1):
        cut = safe_cut(text, place)
        assert cut <= place
        if 0 < cut < len(text):
            assert not unicodedata.combining(text[cut])
            assert text[cut] not in "\u200d\ufe0f🏽"
            assert text[cut - 1] != "\u200d"
            flags = [sign for sign in text[:cut] if "\U0001f1e6" <= sign <= "\U0001f1ff"]
            assert len(flags) % 2 == 0


def test_that_pieces_make_up_the_line() -> None:
    line = MIXED * 1000
    pieces = split_line(line, LONG_LINE)
    assert "".join(pieces) == line
    assert max(map(len, pieces)) <= LONG_LINE


def test_that_an_endless_cluster_is_cut_all_the_same() -> None:
    pieces = split_line("a" + "\u0301" * 10_000, 100)
    assert max(map(len, pieces)) <= 100
    assert sum(map(len, pieces)) == 10_001


@given(st.text(alphabet="ab星\u0301🇨", max_size=400), st.integers(0, 400), st.integers(0, 20))
def test_that_an_excerpt_shows_the_match_and_is_short(text: str, start: int, length: int) -> None:
    start = min(start, len(text))
    end = min(start + length, len(text))
    shown = around(text, start, end, 60)
    assert len(shown) <= 62
    if len(text) <= 60:
        assert shown == text
