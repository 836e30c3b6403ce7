from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from app.library import Library


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    """A fresh library; after every test nothing in it may contradict itself."""
    with Library.open(tmp_path / "home") as opened:
        yield opened
        assert opened.verify() == []
