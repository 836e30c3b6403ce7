"""A world for each test: an open library and a conversation without a model."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fakes.agent_world import World


@pytest.fixture
def world(home: Path) -> Iterator[World]:
    """A library, a session and nothing in them."""
    made = World(home)
    yield made
    made.close()
