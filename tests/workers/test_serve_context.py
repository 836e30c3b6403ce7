from __future__ import annotations

from typing import cast

from app.workers.serve import Channel, Context


def context() -> Context:
    return Context(cast(Channel, None), 1, 1.0)


def test_that_a_cancel_acts_at_once() -> None:
    seen: list[str] = []
    request = context()
    request.on_cancel(lambda: seen.append("stop"))
    assert not seen
    request.cancel()
    assert seen == ["stop"]
    assert request.cancelled()


def test_that_a_cancel_that_came_before_acts_too() -> None:
    seen: list[str] = []
    request = context()
    request.cancel()
    request.on_cancel(lambda: seen.append("stop"))
    assert seen == ["stop"]


def test_that_a_request_that_is_done_stops_nothing() -> None:
    seen: list[str] = []
    request = context()
    request.on_cancel(lambda: seen.append("stop"))
    request.on_cancel(None)
    request.cancel()
    assert not seen
