"""One exact replacement, everything else untouched."""

from __future__ import annotations

import pytest
from hypothesis import assume, given

from app.services.files.editing import EditError, dominant_end, replaced
from tests.harness.strategies import EditCase, edits


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_that_line_ends_of_the_file_are_kept(end: str) -> None:
    """Bug 25: matched as the model writes them, written as the file has them."""
    text = end.join(["one", "two", "three", ""])
    assert replaced(text, "two\nthree", "2\n2½\n3").text == end.join(["one", "2", "2½", "3", ""])


def test_that_in_a_mixed_file_only_the_touched_part_changes() -> None:
    """Bug 25: a mixed file stays mixed."""
    text = "a\r\nb\r\nc\nd\ne\r\n"
    assert replaced(text, "c\nd", "c\nx\nd").text == "a\r\nb\r\nc\nx\nd\ne\r\n"
    assert replaced(text, "a\nb", "a\nnew\nb").text == "a\r\nnew\r\nb\r\nc\nd\ne\r\n"
    assert replaced(text, "b\nc\nd", "b\nc\nD").text == "a\r\nb\r\nc\nD\ne\r\n"


def test_that_old_text_with_carriage_returns_is_found_too() -> None:
    assert replaced("a\r\nb\r\n", "a\r\nb", "x\r\ny").text == "x\r\ny\r\n"


@pytest.mark.parametrize(
    ("old", "new"),
    [("x", r"\1"), ("x", "$&"), ("x", r"\g<0>"), ("x", "\\n"), ("x", "{0}%s"), ("x", "")],
)
def test_that_text_of_the_model_is_never_a_pattern(old: str, new: str) -> None:
    """Bug 26: a literal splice."""
    assert replaced("a.x.b", old, new).text == f"a.{new}.b"
    assert replaced(f"a.{new}.b", ".", "-", everywhere=True).text == f"a-{new}-b".replace(".", "-")


def test_that_several_places_are_an_error_that_names_the_lines() -> None:
    """Bug 26: the wrong place must not be hit."""
    with pytest.raises(EditError, match=r"2 times \(lines 1, 3\)"):
        replaced("ab\nc\nab\n", "ab", "x")
    assert replaced("ab\nc\nab\n", "ab", "x", everywhere=True).text == "x\nc\nx\n"
    assert replaced("ab\nc\nab\n", "ab", "x", everywhere=True).lines == (1, 3)


def test_that_places_that_overlap_are_not_unique() -> None:
    """Bug 26: in a run of dashes there is more than one place."""
    with pytest.raises(EditError, match="2 times"):
        replaced("---", "--", "x")
    assert replaced("-----", "--", "x", everywhere=True).text == "xx-"


@pytest.mark.parametrize(
    ("old", "new", "words"), [("", "x", "empty"), ("x", "x", "the same"), ("a\r\nb", "a\nb", "the same")]
)
def test_that_an_edit_without_sense_is_refused(old: str, new: str, words: str) -> None:
    """Bug 26: empty old text, and old the same as new."""
    with pytest.raises(EditError, match=words):
        replaced("a x b", old, new)


def test_that_a_near_text_is_suggested_and_never_taken() -> None:
    """Bug 26: fuzzy matching is a suggestion."""
    with pytest.raises(EditError) as caught:
        replaced("def f(a,  b):\n    return a\n", "def f(a, b):", "x")
    assert "Line 1" in caught.value.hint
    with pytest.raises(EditError) as caught:
        replaced("first\nthe mass function of halos\n", "the mass funktion of halos", "x")
    assert "line 2" in caught.value.hint
    with pytest.raises(EditError) as caught:
        replaced("first\n", "nothing alike at all", "x")
    assert "Read the file" in caught.value.hint


def test_that_an_edit_of_a_large_file_ends() -> None:
    text = "abc def\n" * 50_000
    edited = replaced(text, "abc", "x", everywhere=True)
    assert edited.count == 50_000
    assert edited.lines[-1] == 50_000
    with pytest.raises(EditError, match="and more"):
        replaced(text, "abc", "x")
    with pytest.raises(EditError):
        replaced(text, "abd deg", "x")


@given(edits())
def test_that_every_replacement_is_that_of_plain_text(case: EditCase) -> None:
    """Bug 25, 26: in a text with "\\n" alone it is what `str.replace` does."""
    text, old, new = (part.replace("\r\n", "\n") for part in (case.text, case.old, case.new))
    assume(old != new and old in text)
    assert replaced(text, old, new, everywhere=True).text == text.replace(old, new)


@given(edits())
def test_that_what_is_outside_of_the_place_stays_byte_for_byte(case: EditCase) -> None:
    """Bug 25: also where line ends are mixed."""
    try:
        edited = replaced(case.text, case.old, case.new)
    except EditError:
        return
    flat = case.text.replace("\r\n", "\n")
    old = case.old.replace("\r\n", "\n")
    before, _, after = flat.partition(old)
    assert edited.text.replace("\r\n", "\n").startswith(before)
    assert edited.text.replace("\r\n", "\n").endswith(after)
    raw_before = case.text[: _raw(case.text, len(before))]
    raw_after = case.text[_raw(case.text, len(before) + len(old)) :]
    assert edited.text.startswith(raw_before)
    assert edited.text.endswith(raw_after)


def _raw(text: str, place: int) -> int:
    """Return where in a text the place is that counts "\\r\\n" as one; slowly."""
    at = 0
    for _ in range(place):
        at += 2 if text.startswith("\r\n", at) else 1
    return at


def test_that_the_most_frequent_line_end_counts() -> None:
    assert dominant_end("a\r\nb\r\nc\n") == "\r\n"
    assert dominant_end("a\nb\nc\r\n") == "\n"
    assert dominant_end("a\rb") == "\r"
    assert dominant_end("abc") == "\n"
