"""`astroresearch ask`: a question to the library, answered with proven citations."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from app.agent.asking import NobodyAsker
from app.application import Application
from app.cli.answers import print_answer
from app.cli.context import Invocation
from app.errors import UsageError
from app.events import AnswerReady, Message, Notice, TurnFinished, TurnStarted
from app.records.ids import SessionId


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
        turn_id, reason, text, answer, notices = "", "failed", "", None, []
        turn = application.run_turn(question, papers=papers, session=session_id, asker=asker, project=project)
        async for event in turn:
            if events:
                output.event(event.as_json(), aside=output.as_json)
            match event:
                case TurnStarted():
                    turn_id = event.turn_id
                case Notice():
                    notices.append(event.message)
                    output.note(event.message)
                case Message():
                    text = event.text
                case AnswerReady():
                    answer = event.answer
                case TurnFinished():
                    reason = event.reason
        about = {"session": session_id, "turn_id": turn_id, "reason": reason, "notices": notices}
        spoken = {"kind": "text", "text": text} if text else {}
        output.document({**(answer or spoken), **about})
        if answer is not None and not events:
            print_answer(output, answer)
        elif not events:
            output.line(text)
        return 0 if reason == "done" else 1

    return invocation.with_application(work)
