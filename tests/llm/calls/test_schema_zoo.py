from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from app.llm.chat import ToolSpec
from app.llm.local.calls.gbnf import GrammarError, parsed
from app.llm.local.calls.plan import plan
from tests.fakes.schema_zoo import SCHEMA_ZOO
from tests.harness.chat_templates import BY_FAMILY
from tests.harness.sentences import SentenceWriter

FAMILIES = ("generic", "hermes", "llama3", "mistral-list", "gemma4", "qwen3-coder")


def grammar_for(schema: Any, family: str, *, tiny: bool = False) -> str:
    tool = ToolSpec("probe", "A tool.", schema if isinstance(schema, dict) else {})
    grammar = plan(BY_FAMILY[family], [tool], family=family, tiny=tiny).grammar
    assert grammar is not None
    return grammar.text


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("name", SCHEMA_ZOO)
def test_that_any_schema_gives_a_grammar_that_is_taken(name: str, family: str) -> None:
    """Bug 39: the engine's own rules, without the engine."""
    assert parsed(grammar_for(SCHEMA_ZOO[name], family)).rules


@pytest.mark.slow
def test_that_no_schema_ends_the_process_of_llama_cpp(repo: Path) -> None:
    """Bug 39: the schema zoo in a child process; it takes every grammar, and all that is let through."""
    chance = random.Random(39)
    given: list[tuple[str, list[str]]] = []
    for place, schema in enumerate(SCHEMA_ZOO.values()):
        for family in FAMILIES[place % 2 :: 2]:
            grammar = grammar_for(schema, family, tiny=place % 3 == 0)
            writer = SentenceWriter(parsed(grammar))
            given.append((grammar, [writer.write(chance, 60) for _ in range(2)]))
    done = _child(repo, given)
    assert done.returncode == 0, done.stderr[-2000:]
    assert all(json.loads(done.stdout))


@pytest.mark.slow
def test_that_llama_cpp_takes_and_refuses_the_same(repo: Path) -> None:
    """Bug 39: the check is not stricter where that would cost a constraint for nothing."""
    refused = ['root ::= ("a"{1,100} "b"){1,100}', "root ::= missing", 'root ::= "open', 'root ::= root "a"']
    taken = [
        'root ::= "a"{1,100} "b"{1,100}',
        'root ::= ("a" [b-c]? "d"){0,400}',
        'root ::= a{0,2000}\na ::= "a"',
    ]
    assert all(parsed(grammar).rules for grammar in taken)
    for grammar in refused:
        with pytest.raises(GrammarError):
            parsed(grammar)
    done = _child(repo, [(grammar, []) for grammar in [*refused, *taken]])
    assert done.returncode == 0, done.stderr[-2000:]
    assert json.loads(done.stdout) == [False] * len(refused) + [True] * len(taken)


def _child(repo: Path, given: list[tuple[str, list[str]]]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tests.fakes.grammar_child"],
        input=json.dumps(given),
        capture_output=True,
        text=True,
        encoding="utf-8",
        cwd=repo,
        check=False,
        timeout=300,
    )
