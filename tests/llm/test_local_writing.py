"""Where a grammar begins to hold: what the model writes freely is scripted, the rest is the real model's."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from typing import Any

import pytest

# As the worker has it: threads that spin while others work are ten times slower.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
pytest.importorskip("llama_cpp")

from app.llm import weights
from app.llm.chat import ToolSpec
from app.llm.local.calls.gbnf import GrammarError
from app.llm.local.calls.plan import CallPlan, plan
from app.llm.local.engine import Engine
from app.llm.local.fit import Fit
from app.llm.local.sampling import Constraint, Sampler
from app.llm.local.writing import Limits, Writer

TOOL = ToolSpec(
    "search",
    "Search.",
    {
        "type": "object",
        "properties": {"n": {"type": "integer"}, "open": {"type": "boolean"}},
        "required": ["n", "open"],
    },
)
THINKS = "{% if false %}</think>{% endif %}"


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    engine = Engine(weights.checked_gguf(weights.chat_gguf()), Fit(256, 256), (2, 2), lambda _: True)
    yield engine
    engine.close()


class Scripted(Sampler):
    """Writes a script while it is free."""

    def __init__(self, engine: Engine, script: str) -> None:
        super().__init__(engine.vocabulary, temperature=0.0, repeat_penalty=1.0)
        self.script = list(engine.vocabulary.tokens(script))
        self.end = next(t for t in range(engine.vocabulary.size) if engine.vocabulary.is_end(t))

    def next(self, context: Any) -> int:
        if self.constraint is None:
            return self.script.pop(0) if self.script else self.end
        return super().next(context)


def written(
    engine: Engine, how: CallPlan, script: str, *, inside: bool = False, limit: int = 60
) -> tuple[str, Writer]:
    """Return the text of a reply whose free part is scripted."""
    length = 0

    def read(ids: list[int]) -> None:
        nonlocal length
        engine.decode(0, ids, length)
        length += len(ids)

    engine.cut(0, 0)
    read(list(engine.vocabulary.tokens("The answer is")))
    sampler = Scripted(engine, script)
    writer = Writer(engine, sampler, how, constrained=True, inside_thinking=inside)
    pieces: list[str] = []
    writer.write(read, Limits(limit), pieces.append)
    sampler.close()
    assert "".join(pieces) == writer.outcome.text
    return writer.outcome.text, writer


def arguments_in(text: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(text[text.rindex('{"n"') : text.index("}", text.rindex('{"n"')) + 1])
    return found


def hermes() -> CallPlan:
    return plan("", [TOOL], family="hermes")


def test_that_text_before_a_call_is_free_and_the_call_is_held(engine: Engine) -> None:
    text, writer = written(engine, hermes(), "I look it up.\n<tool_call>")
    assert text.startswith("I look it up.\n<tool_call>")
    assert set(arguments_in(text)) == {"n", "open"}
    assert writer.outcome.problem == ""


@pytest.mark.parametrize("behind", ["[1]", " {'name'", ">>", "\n\n\n\n", "no"])
def test_that_what_does_not_fit_behind_the_word_is_taken_back(engine: Engine, behind: str) -> None:
    """Bug 39: a token that goes on behind the word with something else would end the process."""
    text, writer = written(engine, hermes(), f"<tool_call>{behind}")
    assert set(arguments_in(text)) == {"n", "open"}
    assert b"".join(engine.vocabulary.piece(t, markup=True) for t in writer.outcome.ids).decode() == text


def test_that_a_word_within_thinking_is_no_call(engine: Engine) -> None:
    how = plan(THINKS, [TOOL], family="hermes")
    text, _ = written(engine, how, "Perhaps <tool_call> helps.</think>No.", inside=True)
    assert text == "Perhaps <tool_call> helps.</think>No."


def test_that_a_grammar_of_whole_replies_waits_for_the_end_of_the_thinking(engine: Engine) -> None:
    how = plan(THINKS, [TOOL], family="forced", forced="search")
    text, _ = written(engine, how, "Let me see.</think>", inside=True)
    head, _, reply = text.partition("</think>")
    assert head == "Let me see."
    assert set(arguments_in(reply)) == {"n", "open"}


def test_that_a_reply_cut_at_the_limit_says_so(engine: Engine) -> None:
    _, writer = written(engine, hermes(), "<tool_call>", limit=8)
    assert writer.outcome.reason == "length"


def test_that_a_grammar_that_does_not_parse_never_reaches_a_sampler(engine: Engine) -> None:
    with pytest.raises(GrammarError):
        Constraint(engine.vocabulary, 'root ::= "a" (')


def test_that_a_grammar_is_only_told_what_it_allows(engine: Engine) -> None:
    constraint = Constraint(engine.vocabulary, 'root ::= "a" [0-9]+')
    (letter,) = engine.vocabulary.tokens("b")
    assert not constraint.allows(letter)
    assert constraint.accept_text("a1")
    assert not constraint.accept_text("x")
    constraint.close()
    constraint.close()
