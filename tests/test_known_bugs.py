"""Every bug and trap that the research lists for agent runtimes has a test that names it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

BUGS = frozenset(range(1, 41))
TRAPS = frozenset(range(1, 17))
LATER = {38: "the frozen program: the issue on installers"}
"""Bugs whose test cannot exist yet, and where it will come."""

_NAMED = re.compile(r"\b(Bugs?|Traps?)\s+((?:0\.)?\d+(?:(?:\s*,\s*|\s+and\s+)(?:0\.)?\d+)*)")


def named_in_tests() -> dict[tuple[str, int], list[str]]:
    """Return the tests that name each ("bug" or "trap", number) in their docstring."""
    found: dict[tuple[str, int], list[str]] = {}
    root = Path(__file__).parent
    for path in sorted(root.rglob("test_*.py")):
        for name, words in _docstrings(path):
            for kind, numbers in _NAMED.findall(words):
                for number in re.findall(r"(?:0\.)?(\d+)", numbers):
                    key = (kind.lower().rstrip("s"), int(number))
                    found.setdefault(key, []).append(f"{path.relative_to(root)}::{name}")
    return found


def _docstrings(path: Path) -> Iterator[tuple[str, str]]:
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_"):
            yield node.name, ast.get_docstring(node) or ""


def test_that_each_bug_has_a_test_that_names_it() -> None:
    covered = {number for kind, number in named_in_tests() if kind == "bug"}
    assert BUGS - covered == set(LATER)


def test_that_each_trap_has_a_test_that_names_it() -> None:
    covered = {number for kind, number in named_in_tests() if kind == "trap"}
    assert TRAPS - covered == set()
