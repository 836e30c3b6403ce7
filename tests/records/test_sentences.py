"""Sentence boundaries in scientific prose."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.records import sentences


def cut(text: str) -> list[str]:
    return [text[a:b] for a, b in sentences.split(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("We find a period. It is long.", ["We find a period.", "It is long."]),
        (
            "Riess et al. (2016) find 73.24. That is high.",
            ["Riess et al. (2016) find 73.24.", "That is high."],
        ),
        ("See Fig. 3 and Eq. 4. Then stop.", ["See Fig. 3 and Eq. 4.", "Then stop."]),
        ("The amplitude is 0.72 mag in K.", ["The amplitude is 0.72 mag in K."]),
        ("A. G. Riess wrote it. Yes.", ["A. G. Riess wrote it.", "Yes."]),
        ("It holds. [1] Then more.", ["It holds. [1]", "Then more."]),
        ("周期是331.4天。振幅是0.72。", ["周期是331.4天。", "振幅是0.72。"]),
        ("One\n\nTwo", ["One", "Two"]),
        ("List:\n- a thing\n- another", ["List:", "- a thing", "- another"]),
        ("", []),
    ],
)
def test_that_boundaries_are_where_a_reader_sees_them(text: str, expected: list[str]) -> None:
    assert cut(text) == expected


@given(st.text(max_size=300))
def test_that_no_visible_character_is_lost_or_doubled(text: str) -> None:
    spans = sentences.split(text)
    assert all(a < b for a, b in spans)
    assert all(first[1] <= second[0] for first, second in itertools.pairwise(spans))
    assert "".join("".join(text[a:b].split()) for a, b in spans) == "".join(text.split())
