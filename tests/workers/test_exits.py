from __future__ import annotations

import sys

import pytest

from app.workers.exits import describe_exit


@pytest.mark.parametrize(
    ("code", "words"),
    [(3, "exit code 3"), (0, "exit code 0"), (3221225477, "access violation"), (None, "no exit code")],
)
def test_that_an_exit_is_said_in_words(code: int | None, words: str) -> None:
    assert describe_exit(code) == words


@pytest.mark.skipif(sys.platform == "win32", reason="signals are POSIX")
def test_that_a_signal_is_named() -> None:
    assert describe_exit(-11) == "killed by SIGSEGV"
    assert describe_exit(-200) == "killed by signal 200"
