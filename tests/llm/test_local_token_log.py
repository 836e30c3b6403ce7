from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from app.llm.local.token_log import MAX_REPLIES, Part, Replies, Reply, TokenLog, common_prefix, compose

IDS = st.lists(st.integers(0, 3), max_size=12)


def letters(text: str) -> tuple[int, ...]:
    return tuple(map(ord, text))


@given(IDS, IDS)
def test_that_the_common_head_is_the_longest(first: list[int], second: list[int]) -> None:
    size = common_prefix(first, second)
    assert first[:size] == second[:size]
    assert size == min(len(first), len(second)) or first[size] != second[size]


def test_that_a_reply_is_put_in_as_it_was_sampled() -> None:
    """Bug 40: the same text cut into other tokens would be read again."""
    parts: list[Part] = ["ab", Reply("cd"), "e"]
    assert compose(parts, letters, {"cd": [900, 901]}) == [*letters("ab"), 900, 901, *letters("e")]


def test_that_an_unknown_reply_is_text_among_its_neighbours() -> None:
    seen: list[str] = []

    def tokens(text: str) -> tuple[int, ...]:
        seen.append(text)
        return letters(text)

    assert compose(["ab", Reply("cd"), "e"], tokens, {}) == list(letters("abcde"))
    assert seen == ["abcde"]


def test_that_a_log_knows_what_of_a_prompt_was_read() -> None:
    assert TokenLog([1, 2, 3]).shared([1, 2, 4, 5]) == 2


def test_that_the_oldest_replies_are_forgotten() -> None:
    replies = Replies()
    for number in range(MAX_REPLIES + 2):
        replies.remember(str(number), [number])
    replies.remember("", [1])
    assert len(replies) == MAX_REPLIES
    assert "1" not in replies
    assert replies[str(MAX_REPLIES)] == (MAX_REPLIES,)
