"""The calls of one reply of the model, from the first to the last result."""

from __future__ import annotations

from types import TracebackType
from typing import Self

from app.events import ToolResult
from app.llm.chat import CallPart


class Round:
    """Runs the calls of one reply while the model may still be streaming. Made by `Executor.begin_round`.

    async with executor.begin_round(conversation, step, detector=detector) as round_:
        round_.submit(part)  # for every complete call
        results = await round_.results()
    """

    def submit(self, part: CallPart) -> None:
        """Take a call; never blocks, never raises. It starts as soon as the gate lets it."""
        raise NotImplementedError

    @property
    def started(self) -> bool:
        """Whether a call of this round was accepted: from then on the reply must not be asked for again."""
        raise NotImplementedError

    def close(self) -> None:
        """Say that no more calls come."""
        raise NotImplementedError

    def cancel(self, reason: str = "The person stopped it.") -> None:
        """Let no further call start, then stop those that run. Returns at once; `results` waits."""
        raise NotImplementedError

    async def results(self) -> tuple[ToolResult, ...]:
        """Wait and return one result a call, in the order of the calls, which are then all in the journal.

        Closes the round. Cancelling the waiting task cancels the round, waits (bounded) until all calls
        have ended, then raises CancelledError. Raises the AppError of a journal that cannot be written, after
        all calls have ended.
        """
        raise NotImplementedError

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Cancel what still runs and wait for its end."""
        raise NotImplementedError
