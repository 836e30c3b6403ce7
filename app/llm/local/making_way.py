"""Titles and summaries make way for a question, and are asked for again. Pure but for the event loop.

One request runs in the worker at a time. While a title's prompt is being read, which takes seconds on a
slow machine, somebody may ask something; what has been read is kept, so that stopping costs little.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Iterator
from typing import Protocol, TypeVar

from app.llm.chat import Use

T = TypeVar("T")

_MAKES_WAY = (Use.TITLE, Use.SUMMARY)


class Given(Protocol):
    """Something that knows whether anything of it was passed on."""

    given: bool


class MakeWayError(Exception):
    """A question came: stop, and ask again."""


class MakingWay:
    """Who asks one worker."""

    def __init__(self) -> None:
        self._sides: set[_Side] = set()

    @contextlib.contextmanager
    def taken_by(self, use: Use) -> Iterator[_Side]:
        """Tell titles and summaries that a question comes, or be told."""
        side = _Side(use in _MAKES_WAY)
        if use is Use.TURN:
            for other in self._sides:
                other.asked.set()
        self._sides.add(side)
        try:
            yield side
        finally:
            self._sides.discard(side)


class _Side:
    """One request."""

    def __init__(self, makes_way: bool) -> None:
        self._makes_way = makes_way
        self.asked = asyncio.Event()

    async def items(self, items: AsyncGenerator[T, None], reply: Given) -> AsyncGenerator[T, None]:
        """Yield the items; raises MakeWayError when a question comes before anything was given."""
        if not self._makes_way:
            async for item in items:
                yield item
            return
        while True:
            following = asyncio.ensure_future(anext(items))
            asked = asyncio.ensure_future(self.asked.wait())
            try:
                await asyncio.wait({following, asked}, return_when=asyncio.FIRST_COMPLETED)
                if not following.done() and not reply.given:
                    self.asked.clear()
                    raise MakeWayError
                item = await following
            except StopAsyncIteration:
                return
            finally:
                asked.cancel()
                if not following.done():
                    following.cancel()
                    with contextlib.suppress(asyncio.CancelledError, StopAsyncIteration):
                        await following
            yield item
