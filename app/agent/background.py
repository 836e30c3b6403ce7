"""Background tasks: calls that outlive the turn that began them, and the news of their end.

A task is a row from its beginning on. It ends in exactly one state; its row waits until the
agent was told, and the mark that it was told is committed together with the journal row that
told it. So the news survives any end of the turn, of the program, and of the machine.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, cast

from app.agent.background_task import ENDINGS, BgState, BgTask, number_of, task_id, told_together
from app.agent.tools.context import Conversation, Via
from app.errors import AppError, LibraryError, NotFoundError, UsageError
from app.events import ContextAdded, Event, Nested, ToolProgress
from app.library import Library
from app.library.tasks import BACKGROUND, RUNNING, TaskRow
from app.records.ids import SessionId
from app.services.owners import Owner
from app.services.threads import off_loop

BACKGROUND_TOOLS = ("download_paper", "parse_paper")
"""What may run in the background: it takes long, and does nothing that cannot be done again."""

AT_ONCE = 3
"""Tasks under way at the same time; the others wait."""

MAX_OPEN = 20
"""Tasks of one conversation that have not ended; a model in a loop begins no more."""

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class _Work:
    """A task under way in this process."""

    number: int
    session: SessionId
    payload: dict[str, Any]
    job: asyncio.Task[None] | None = None
    progress: float | None = None
    message: str = ""
    ended: bool = False
    """Whether it has an end, which may not be saved yet."""


class BgNotificationQueue:
    """Runs background tasks and keeps the news of their end until it is told. Use from one loop.

    `owner` is released by whoever made it, after `close`.
    """

    def __init__(self, library: Library, owner: Owner) -> None:
        self._library = library
        self._owner = owner
        self._slots = asyncio.Semaphore(AT_ONCE)
        self._running: dict[int, _Work] = {}
        self._unsaved: dict[int, tuple[SessionId, BgState, dict[str, Any]]] = {}
        self._ready: list[Callable[[SessionId], None]] = []
        self._closed = False

    def on_ready(self, callback: Callable[[SessionId], None]) -> None:
        """Call on the loop with every session whose task has ended, after that is in the database."""
        self._ready.append(callback)

    async def recover(self) -> list[SessionId]:
        """Mark what died with its process as lost; returns the sessions that have news to be told."""
        await off_loop(self._library.tasks.lost_at_start, self._owner.alive, BACKGROUND)
        return await off_loop(self._library.tasks.waiting_sessions)

    async def start(
        self, conversation: Conversation, tool: str, arguments: Mapping[str, object], *, call_id: str = ""
    ) -> str:
        """Begin a task and return its id; the same call that is already under way is not begun again.

        What happens in it goes out as `Nested` under `call_id`. Raises UsageError for a tool that
        may not run in the background, or too many tasks.
        """
        session = conversation.session_id
        self._check(conversation, tool)
        payload: dict[str, Any] = {"tool": tool, "arguments": dict(arguments)}
        for work in self._of(session):
            if not work.ended and all(work.payload[key] == payload[key] for key in payload):
                return task_id(work.number)
        number = await self._written(session, payload)
        work = _Work(number, session, payload)
        self._running[number] = work
        work.job = asyncio.create_task(self._run(work, conversation, call_id), name=task_id(number))
        work.job.add_done_callback(_report_mistake)
        return task_id(number)

    async def tasks(self, session: SessionId) -> list[BgTask]:
        """Return all tasks of a conversation, in order."""
        rows = await off_loop(self._library.tasks.of_session, session, BACKGROUND)
        return [self._shown(row) for row in rows]

    async def pending(self, session: SessionId) -> list[BgTask]:
        """Return the tasks that have ended and of which the agent was not told yet."""
        await self._save_again()
        rows = await off_loop(self._library.tasks.undelivered, session)
        return [self._shown(row) for row in rows]

    async def deliver(self, conversation: Conversation) -> int:
        """Tell the agent of ended tasks, and return of how many; call between complete rounds.

        The event and the marks are one transaction. What is too much at once comes with the next call.
        Raises LibraryError.
        """
        session = conversation.session_id
        told = told_together(await self.pending(session))
        if not told:
            return 0
        numbers = [number_of(task.task_id) for task in told]
        text = "\n\n".join(f"[Background task {task.line()}]\n{task.result}".rstrip() for task in told)
        event = ContextAdded("background", text, trusted=not any(task.untrusted for task in told))

        def write(into: SessionId, row: dict[str, Any]) -> int:
            return self._library.tasks.deliver(into, numbers, row)

        try:
            await conversation.emit(event, durable=True, via=write)
        except LibraryError as error:
            if error.code != "already_delivered":
                raise
            return 0
        return len(told)

    def running(self, session: SessionId) -> bool:
        """Whether a task of a session is under way in this process."""
        return any(work.job is not None for work in self._of(session))

    async def settled(self, session: SessionId) -> None:
        """Wait until no task of a session is under way."""
        while jobs := [work.job for work in self._of(session) if work.job is not None]:
            await asyncio.wait(jobs)

    async def cancel(self, session: SessionId, task: str) -> None:
        """End a task. Raises NotFoundError where none of this id is under way."""
        work = self._running.get(number_of(task))
        if work is None or work.session != session or work.job is None:
            raise NotFoundError(f"No task {task} is running.", hint="bg_task_check lists the tasks.")
        await self._end((work,))

    async def close(self) -> None:
        """Cancel what runs and wait until that is in the database."""
        self._closed = True
        await self._end(tuple(self._running.values()))

    def _check(self, conversation: Conversation, tool: str) -> None:
        if self._closed:
            raise UsageError("The program is closing.", hint="Open it again.")
        if tool not in BACKGROUND_TOOLS or tool not in conversation.registry:
            offered = [name for name in BACKGROUND_TOOLS if name in conversation.registry]
            raise UsageError(
                f"{tool} does not run in the background.",
                hint=f"Those that do: {', '.join(offered) or 'none'}. Call {tool} directly.",
            )
        if len(self._of(conversation.session_id)) >= MAX_OPEN:
            raise UsageError(
                f"{MAX_OPEN} background tasks are under way.",
                hint="Wait until some have ended: you will be told.",
            )

    async def _written(self, session: SessionId, payload: dict[str, Any]) -> int:
        """Write the row of a new task; one whose caller is cancelled meanwhile is not begun."""
        made: list[int] = []

        def write() -> None:
            owner = self._owner.claim()
            made.append(self._library.tasks.create(session, BACKGROUND, RUNNING, payload, owner=owner))

        try:
            await off_loop(write)
        except asyncio.CancelledError:
            for number in made:
                self._put_down(_Work(number, session, payload))
            await self._save_again()
            raise
        return made[0]

    async def _end(self, works: tuple[_Work, ...]) -> None:
        jobs = [work.job for work in works if work.job is not None]
        for job in jobs:
            job.cancel()
        if jobs:
            await asyncio.wait(jobs)
        for work in works:
            if work.number in self._running:  # cancelled before its first step
                self._put_down(work)
        await self._save_again()

    def _put_down(self, work: _Work) -> None:
        payload = {**work.payload, "result": ENDINGS["cancelled"]}
        self._unsaved[work.number] = (work.session, "cancelled", payload)
        self._running.pop(work.number, None)

    def _of(self, session: SessionId) -> list[_Work]:
        return [work for work in self._running.values() if work.session == session]

    async def _run(self, work: _Work, conversation: Conversation, call_id: str) -> None:
        state: BgState = "failed"
        payload = {**work.payload, "result": ENDINGS["failed"]}
        inside = replace(conversation, emit=_Nesting(conversation, call_id, work))
        try:
            async with self._slots:
                output = await conversation.services.calls.run_call(
                    inside, work.payload["tool"], work.payload["arguments"]
                )
            state = "failed" if output.is_error else "done"
            untrusted = output.untrusted or bool(output.metadata.get("untrusted"))
            payload |= {"result": output.content, "untrusted": untrusted}
        except AppError as error:
            payload["result"] = f"{error.message} {error.hint}".strip()
        except asyncio.CancelledError:
            state = "cancelled"
            payload["result"] = ENDINGS[state]
            raise
        finally:
            work.ended = True
            self._unsaved[work.number] = (work.session, state, payload)
            try:
                await self._save_again()
            finally:
                del self._running[work.number]  # only now is it settled: its end can be told

    async def _save_again(self) -> None:
        """Write how tasks ended; what cannot be written now (disk full) is tried again later."""
        for number, (session, state, payload) in list(self._unsaved.items()):
            try:
                await off_loop(self._library.tasks.set_state, number, state, payload, owner="")
            except NotFoundError:
                self._unsaved.pop(number, None)  # its conversation was deleted
                continue
            except AppError as error:
                _log.error("the end of %s was not saved: %s", task_id(number), error.message)
                return
            if self._unsaved.pop(number, None) is not None and not self._closed:
                for callback in self._ready:
                    callback(session)

    def _shown(self, row: TaskRow) -> BgTask:
        payload, state = row.payload, cast("BgState", row.state)
        if row.id in self._unsaved:
            _, state, payload = self._unsaved[row.id]
        work = self._running.get(row.id)
        return BgTask(
            task_id=task_id(row.id),
            tool=str(payload.get("tool", "")),
            arguments=dict(payload.get("arguments", {})),
            state=state,
            progress=work.progress if work else None,
            message=work.message if work else "",
            result=str(payload.get("result", ENDINGS.get(state, ""))),
            untrusted=bool(payload.get("untrusted")),
            delivered=row.delivered_row is not None,
        )


@dataclass(frozen=True, slots=True)
class _Nesting:
    """Sends events out as having happened inside the call that began the task, and notes its progress."""

    conversation: Conversation
    call_id: str
    work: _Work

    async def __call__(self, event: Event, *, durable: bool | None = None, via: Via | None = None) -> int:
        if isinstance(event, ToolProgress):
            self.work.progress, self.work.message = event.progress, event.message
        return await self.conversation.emit(Nested(self.call_id, event.as_json()), durable=durable, via=via)


def _report_mistake(job: asyncio.Task[None]) -> None:
    """Log what no task should raise; its state says so already."""
    if not job.cancelled() and (error := job.exception()) is not None:
        _log.error("%s met a mistake", job.get_name(), exc_info=error)
