"""When a conversation is no longer shortened by itself."""

from __future__ import annotations

from app.agent.loop.breaker import CompactionCircuitBreaker


def test_that_success_without_room_opens_it() -> None:
    """Trap 0.14: the common loop is success without progress; it is measured with the next real request."""
    breaker = CompactionCircuitBreaker()
    for _ in range(2):
        assert not breaker.open
        breaker.done()
        breaker.measured(900, threshold=800)
    assert breaker.open


def test_that_failures_in_a_row_open_it_and_a_request_of_the_person_closes_it() -> None:
    """Bug 19: a summariser that always fails is not asked for ever."""
    breaker = CompactionCircuitBreaker()
    for _ in range(3):
        assert not breaker.open
        breaker.failed()
    assert breaker.open
    breaker.reset()
    assert not breaker.open


def test_that_room_won_back_starts_the_count_again() -> None:
    breaker = CompactionCircuitBreaker()
    breaker.done()
    breaker.measured(900, threshold=800)
    breaker.measured(900, threshold=800)  # growth since then is no fault of a compaction
    breaker.done()
    breaker.measured(300, threshold=800)
    breaker.done()
    breaker.measured(900, threshold=800)
    assert not breaker.open
