from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from app.library import Library
from tests.fakes.orchestra import Orchestra


@pytest.fixture
async def orchestra(home: Path) -> AsyncIterator[Orchestra]:
    """A library with an agent's surroundings; nothing of it runs on when the test ends."""
    with Library.open(home) as library:
        made = Orchestra(library)
        try:
            yield made
        finally:
            await made.close()
        assert library.verify() == []
