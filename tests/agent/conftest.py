"""What every test of the agent gets besides: no process of any kind left behind."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.harness.leaks import no_process_left


@pytest.fixture(scope="module", autouse=True)
def _no_process_left() -> Iterator[None]:
    """A module whose tests leave a process running fails, whoever is its parent by then."""
    with no_process_left():
        yield
