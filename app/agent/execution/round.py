"""The calls of one reply of the model, from the first to the last result."""

from __future__ import annotations

import asyncio
import logging
from types import TracebackType
from typing import Self

from app.agent.execution.call import CallState
from app.agent.execution.control import BLOCK_GRACE_S, CallControl
from app.agent.execution.gate import Gate
from app.agent.execution.outcomes import Stop
from app.agent.execution.pipeline import CallPipeline
from app.agent.execution.scope import Scope
from app.events import Outcome, ToolResult
from app.llm.chat import CallPart

DRAIN_S = BLOCK_GRACE_S + 30
"""So long the end of cancelled calls is waited for: their grace, and what hooks and the journal take."""

_log = logging.getLogger(__name__)


class Round:
    """Runs the calls of one reply while the model may still be streaming. Made by `Executor.begin_round`.

    async with executor.begin_round(conversation, step, detector=detector) as calls:
        calls.submit(part)  # for every complete call
        results = await calls.results()
    """

    def __init__(self, scope: Scope) -> None:
        self._scope = scope
        self._gate = Gate()
        self._calls: list[CallPipeline] = []
        self._tasks: list[asyncio.Task[ToolResult]] = []
        self._stop: Stop | None = None
        self._closed = False

    @property
    def started(self) -> bool:
        """Whether a call of this round was accepted: from then on the reply must not be asked for again."""
        return bool(self._calls)

    @property
    def states(self) -> tuple[CallState, ...]:
        """Where the calls are, in their order."""
        return tuple(call.state for call in self._calls)

    @property
    def looping(self) -> bool:
        """Whether the model goes round in circles: the turn should end with reason "loop"."""
        return self._scope.detector.looping

    def submit(self, part: CallPart) -> None:
        """Take a call; never blocks, never raises. It starts as soon as the gate lets it."""
        control = CallControl(self._scope.disown)
        if self._closed and self._stop is None:
            _log.error("%s was called in a round that is over", part.name)
            control.request(Stop(Outcome.INTERRUPTED, "It came after the end of the reply."))
        if self._stop is not None:
            control.request(self._stop)
        call = CallPipeline(part, self._scope, control, self._gate.enter(), self._abort_siblings)
        self._calls.append(call)
        task = asyncio.get_running_loop().create_task(call.run(), name=f"call {part.name} {part.id}")
        task.add_done_callback(self._on_end)
        self._tasks.append(task)

    def close(self) -> None:
        """Say that no more calls come."""
        self._closed = True

    def cancel(self, reason: str = "The person stopped it.") -> None:
        """Let no further call start, then stop those that run. Returns at once; `results` waits."""
        self._end_all(Stop(Outcome.INTERRUPTED, reason))

    async def results(self) -> tuple[ToolResult, ...]:
        """Wait and return one result a call, in the order of the calls, which are then all in the journal.

        Closes the round. Cancelling the waiting task cancels the round, waits (bounded) until all calls
        have ended, then raises CancelledError. Raises the AppError of a journal that cannot be written, after
        all calls have ended.
        """
        self.close()
        try:
            while pending := self._pending():
                await asyncio.wait(pending)
            await self._add_contexts()
        except asyncio.CancelledError:
            self.cancel()
            await self.ended()
            await self._add_contexts()
            raise
        return tuple(task.result() for task in self._tasks)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Cancel what still runs and wait for its end."""
        self.close()
        if self._pending():
            self.cancel("The step it belongs to was given up.")
            await self.ended()

    async def ended(self) -> None:
        """Wait (bounded) until all calls have ended, whatever happens to the waiting task meanwhile.

        A cancellation is swallowed: the caller passes it on, when all calls have their results.
        """
        loop = asyncio.get_running_loop()
        end = loop.time() + DRAIN_S
        while (pending := self._pending()) and loop.time() < end:
            try:
                await asyncio.wait(pending, timeout=end - loop.time())
            except asyncio.CancelledError:
                continue
        for task in self._pending():
            _log.error("%s did not end", task.get_name())
            task.cancel()

    def _pending(self) -> list[asyncio.Task[ToolResult]]:
        return [task for task in self._tasks if not task.done()]

    def _end_all(self, stop: Stop, *, but: CallPipeline | None = None) -> None:
        # Admission first: a call that is let in by the end of another must find the gate shut.
        self._stop = self._stop or stop
        for call in reversed(self._calls):
            if call is not but and call.state is not CallState.FINISHED:
                call.control.request(self._stop)

    def _abort_siblings(self, failed: CallPipeline) -> None:
        reason = f"{failed.part.name}, called in the same reply, failed."
        self._end_all(Stop(Outcome.SIBLING_ABORTED, reason), but=failed)

    def _on_end(self, task: asyncio.Task[ToolResult]) -> None:
        if not task.cancelled() and (error := task.exception()):
            _log.error("%s could not be recorded: %r", task.get_name(), error)
            self.cancel("The journal could not be written.")

    async def _add_contexts(self) -> None:
        """Put what hooks and we have to say behind all results: nothing stands between calls and results."""
        contexts = [context for call in self._calls for context in call.contexts]
        for call in self._calls:
            call.contexts.clear()
        for context in contexts:
            await self._scope.conversation.emit(context)
