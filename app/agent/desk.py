"""The desk: where requests of agents wait for the person at the window.

Sub-agents and teammates ask at the same desk under their names. The request's event was emitted before
it comes here, so the window shows it from the event; the answer comes back through `answer_…`.
"""

from __future__ import annotations

import asyncio
from typing import Generic, TypeVar

from app.agent.asking import PermissionChoice, PermissionReply, QuestionReply
from app.events import Event, PermissionRequest, Question

Reply = TypeVar("Reply")


class Desk:
    """An Asker with a person. Belongs to one event loop; nothing here blocks."""

    def __init__(self) -> None:
        self._permissions: _Waiting[PermissionReply] = _Waiting()
        self._questions: _Waiting[QuestionReply] = _Waiting()

    @property
    def present(self) -> bool:
        """Somebody sits at the window."""
        return True

    async def permission(self, request: PermissionRequest) -> PermissionReply:
        """Wait for the answer, without limit."""
        return await self._permissions.wait(request.id, request) or PermissionReply("cancelled")

    async def question(self, question: Question, timeout_s: float | None) -> QuestionReply:
        """Wait for the answer; when the time runs out there is none, which is never a consent."""
        return await self._questions.wait(question.id, question, timeout_s) or QuestionReply("no_answer")

    def answer_permission(self, request_id: str, choice: PermissionChoice) -> bool:
        """Answer a request. False when it waits no more: it was answered, withdrawn, or its turn is over."""
        return self._permissions.answer(request_id, PermissionReply(choice))

    def answer_question(self, question_id: str, text: str) -> bool:
        """Answer a question. False when it waits no more: what was typed is then a message of its own."""
        return self._questions.answer(question_id, QuestionReply("answered", text))

    def pending(self) -> list[Event]:
        """Return what waits, for a window that opens late: permissions, then questions, oldest first."""
        return [*self._permissions.shown(), *self._questions.shown()]

    def cancel_all(self) -> None:
        """Answer everything that waits with "cancelled"."""
        self._permissions.answer_all(PermissionReply("cancelled"))
        self._questions.answer_all(QuestionReply("cancelled"))


class _Waiting(Generic[Reply]):
    """Requests of one kind and the futures of those who wait for them."""

    def __init__(self) -> None:
        self._open: dict[str, tuple[Event, asyncio.Future[Reply]]] = {}

    async def wait(self, request_id: str, event: Event, timeout_s: float | None = None) -> Reply | None:
        if request_id in self._open:
            raise ValueError(f"the request {request_id} waits already")
        future: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
        self._open[request_id] = (event, future)
        try:
            # Not asyncio.timeout: it can drop an answer that arrives in the same moment.
            await asyncio.wait({future}, timeout=timeout_s)
            return future.result() if future.done() else None
        finally:
            del self._open[request_id]

    def answer(self, request_id: str, reply: Reply) -> bool:
        found = self._open.get(request_id)
        if found is None or found[1].done():
            return False  # done: the same answer came twice before the one who waits could run
        found[1].set_result(reply)
        return True

    def answer_all(self, reply: Reply) -> None:
        for request_id in tuple(self._open):
            self.answer(request_id, reply)

    def shown(self) -> list[Event]:
        return [event for event, future in self._open.values() if not future.done()]
