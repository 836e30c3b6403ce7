from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.llm.local.calls.gbnf import GrammarError, Matcher, parsed


def accepts(grammar: str, text: str) -> bool:
    matcher = Matcher(parsed(grammar))
    return matcher.feed(text) and matcher.complete


@pytest.mark.parametrize(
    ("grammar", "texts", "others"),
    [
        ('root ::= "ab" | "c"\n', ["ab", "c"], ["", "a", "abc"]),
        ('root ::= "a"* "b"+ "c"?', ["b", "aabbc"], ["", "c", "acb"]),
        ('root ::= "a"{2} | "b"{1,3} | "c"{2,}', ["aa", "b", "bbb", "cccc"], ["a", "aaa", "bbbb", "c"]),
        ("root ::= [a-c] [^\\x00-\\x1F0-9]", ["ax", "c—"], ["dx", "a1", "a\n"]),
        ("root ::= ( [-+] [\\]\\[\\\\] )+", ["-]", "+[-\\"], ["-", "a]"]),
        ('root ::= list\nlist ::= "[" (list ("," list)*)? "]" # nested\n', ["[]", "[[],[[]]]"], ["[", "[,]"]),
        ('root ::= ("x" |\n  "y") other\nother ::= "z"', ["xz", "yz"], ["x"]),
        ('root ::= "\\u661f\\x41"', ["星A"], ["星"]),
        ("root ::= . .", ["ab", "星\n"], ["a"]),
        ('root ::= "a" |', ["", "a"], ["aa"]),
    ],
)
def test_that_a_grammar_is_followed(grammar: str, texts: list[str], others: list[str]) -> None:
    assert [text for text in texts if not accepts(grammar, text)] == []
    assert [text for text in others if accepts(grammar, text)] == []


@pytest.mark.parametrize(
    "grammar",
    [
        "",
        "no rules",
        'start ::= "a"',
        "root ::= missing",
        'root ::= "open',
        "root ::= [open",
        'root ::= ("a"',
        'root ::= "\\q"',
        'root ::= "\\x1"',
        'root ::= "a"{3,1}',
        'root ::= "a"{10000}',
        'root ::= "a"{0,10000}',
        'root ::= ("a"{1,100} "b")*{0,30}',
        'root ::= ("a"{1,100} "b"){1,100}',
        'root ::= "\\x00"',
        "root ::= [\\x00-a]",
        "root ::= *",
        'root ::= root "a"',
        'root ::= a\na ::= b "x"\nb ::= "y"? a | "z"',
        'root ::= ("a"? )* root',
        'root ::= "\udc80"',
        'root ::= "a" }',
    ],
)
def test_that_what_ends_the_process_is_refused_before(grammar: str) -> None:
    """Bug 39: grammars that do not parse, that repeat too much, or that never end."""
    with pytest.raises(GrammarError):
        parsed(grammar)


def test_that_a_text_is_followed_in_pieces() -> None:
    matcher = Matcher(parsed('root ::= "<tool_call>" [\\n]? "{" [a-z]* "}"'))
    assert matcher.feed("<tool_")
    assert not matcher.complete
    assert matcher.feed("call>{ab")
    assert not matcher.feed("\n")
    assert not matcher.alive


def test_that_what_may_follow_is_known() -> None:
    matcher = Matcher(parsed('root ::= "a" ([0-9] | "b")'))
    matcher.feed("a")
    assert sorted(each.ranges for each in matcher.next_characters()) == [((48, 57),), ((98, 98),)]


@given(st.text(max_size=60))
def test_that_any_text_is_read_or_refused(text: str) -> None:
    for grammar in (text, f"root ::= {text}"):
        with contextlib.suppress(GrammarError):
            assert "root" in parsed(grammar).rules
