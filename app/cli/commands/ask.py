"""`astroresearch ask`: a question to the library, answered with proven citations."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import typer

from app.agent.asking import NobodyAsker
from app.application import Application
from app.cli.answers import print_answer
from app.cli.context import Invocation, stopped_by_signals
from app.errors import UsageError
from app.events import AnswerReady, Event, Message, Notice, TurnFinished, TurnStarted
from app.records.ids import SessionId

_LATE_NEWS = 5


def ask(
    context: typer.Context,
    question: Annotated[str, typer.Argument(help="The question, in quotes.")],
    paper: Annotated[
        list[str] | None, typer.Option("--paper", help="Ask only this paper; may be repeated.")
    ] = None,
    session: Annotated[
        str | None, typer.Option("--session", help="Go on with this conversation, or begin it by this name.")
    ] = None,
    events: Annotated[bool, typer.Option("--events", help="Print JSON lines as things happen.")] = False,
    yes: Annotated[
        bool, typer.Option("--yes", help="Allow what would ask; without it, that is denied.")
    ] = False,
    project: Annotated[
        Path | None, typer.Option("--project", help="A folder of yours that file tools may work in.")
    ] = None,
) -> int:
    """Ask a question; every sentence of the answer carries the page that proves it."""
    if not question.strip():
        raise UsageError("The question is empty.", hint='For example: astroresearch ask "What is H0?"')
    invocation = Invocation.of(context)
    output = invocation.output
    asker = NobodyAsker(yes)

    async def work(application: Application) -> int:
        resolve = application.library.papers.resolve
        papers = [await asyncio.to_thread(resolve, name) for name in paper or ()]
        begin, title = application.library.journal.new_session, " ".join(question.split())[:80]
        session_id = await asyncio.to_thread(begin, title, SessionId(session) if session else None)
        heard, stop = _Heard(), asyncio.Event()

        def show(event: Event) -> None:
            if events:
                output.event(event.as_json(), aside=output.as_json)
            if isinstance(event, Notice):
                output.note(event.message)
            heard.take(event)

        turn = application.run_turn(
            question, papers=papers, session=session_id, stop=stop, asker=asker, project=project
        )
        await _listen(turn, show, stop)
        # What the turn left to others comes back before the program ends; so often at most.
        for _ in range(_LATE_NEWS):
            if heard.reason != "done" or not await application.settled(session_id):
                break
            turn = application.continue_turn(session_id, stop=stop, asker=asker, project=project)
            await _listen(turn, show, stop)
        output.document({**heard.as_json(), "session": session_id})
        if heard.answer is not None and not events:
            print_answer(output, heard.answer)
        elif not events:
            output.line(heard.text)
        return 0 if heard.reason == "done" else 1

    return invocation.with_application(work)


async def _listen(
    turn: AsyncGenerator[Event, None], show: Callable[[Event], None], stop: asyncio.Event
) -> None:
    """Show the events of a turn to its end, which Ctrl-C brings about. Raises CancelledError then."""
    with ExitStack() as until_end:
        async for event in turn:
            if isinstance(event, TurnStarted):  # before that nothing has begun that needs an end
                until_end.enter_context(stopped_by_signals(stop))
            show(event)
    if stop.is_set():
        raise asyncio.CancelledError


@dataclass(slots=True)
class _Heard:
    """What of the events goes into the document."""

    turn_id: str = ""
    reason: str = "failed"
    text: str = ""
    answer: dict[str, Any] | None = None
    notices: list[str] = field(default_factory=list)

    def take(self, event: Event) -> None:
        match event:
            case TurnStarted():
                self.turn_id = event.turn_id
            case Notice():
                self.notices.append(event.message)
            case Message():
                self.text = event.text
            case AnswerReady():
                self.answer = event.answer
            case TurnFinished():
                self.reason = event.reason

    def as_json(self) -> dict[str, Any]:
        spoken = {"kind": "text", "text": self.text} if self.text else {}
        about = {"turn_id": self.turn_id, "reason": self.reason, "notices": self.notices}
        return {**(self.answer or spoken), **about}
