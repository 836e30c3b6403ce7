from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.llm.local.calls.thinking import THINK
from app.llm.local.calls.watch import TriggerWatch

WORDS = ("<tool_call>", "[TOOL_CALLS]")
CASES = [
    ("prose <tool_call>\n{", "<tool_call>\n{"),
    ("<tool_call>", "<tool_call>"),
    ("prose <tool_", None),
    ("a [TOOL_CALLS]x <tool_call>", "[TOOL_CALLS]x <tool_call>"),
    ("<think>maybe <tool_call>{} no</think> prose", None),
    ("<think>maybe <tool_call></think>\n<tool_call>{", "<tool_call>{"),
    ("<<tool_call>", "<tool_call>"),
    ("", None),
]


def seen(watch: TriggerWatch, text: str, size: int) -> str | None:
    """What the watch saw, with all that came behind it."""
    for start in range(0, len(text), size):
        if (started := watch.feed(text[start : start + size])) is not None:
            assert watch.feed("<tool_call>") is None
            return started + text[start + size :]
    return None


@pytest.mark.parametrize(("text", "started"), CASES)
@given(size=st.integers(1, 30))
def test_that_the_first_word_outside_of_thinking_counts(text: str, started: str | None, size: int) -> None:
    assert seen(TriggerWatch(WORDS, tags=THINK), text, size) == started


@pytest.mark.parametrize(
    ("text", "started"),
    [
        ('{"name": "x"', '{"name": "x"'),
        (' \n{"name": "x"', '{"name": "x"'),
        ('Such as {"name": "x"', None),
        ('<think>{"name":</think>\n\n{"name": "x"', '{"name": "x"'),
        ('<think>hm</think> prose {"name": "x"', None),
    ],
)
@given(size=st.integers(1, 30))
def test_that_a_bare_object_counts_only_at_the_head(text: str, started: str | None, size: int) -> None:
    assert seen(TriggerWatch(('{"name":',), at_start=True, tags=THINK), text, size) == started


def test_that_the_end_of_thinking_can_be_the_word() -> None:
    watch = TriggerWatch(("</think>",), tags=THINK, inside=True)
    assert seen(watch, "hm <tool_call>\n</think>\n\n{", 3) == "</think>\n\n{"


def test_that_without_words_nothing_is_seen() -> None:
    assert TriggerWatch(()).feed("<tool_call>") is None
