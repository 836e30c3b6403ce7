"""Runs the command line in this process, with its output taken apart."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from app.cli.main import main


@dataclass(frozen=True, slots=True)
class Run:
    """What one command did."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> dict[str, Any]:
        """The one JSON document on stdout."""
        value = json.loads(self.out)
        assert isinstance(value, dict)
        return value


RunCommand = Callable[..., Run]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> RunCommand:
    """Run `astroresearch` with these arguments on the test's own home."""

    def command(*arguments: str) -> Run:
        capsys.readouterr()
        code = main(arguments)
        captured = capsys.readouterr()
        return Run(code, captured.out, captured.err)

    return command
