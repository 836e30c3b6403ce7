"""`astroresearch demo`: from a paper to an answer that cites its page, offline."""

from __future__ import annotations

import tempfile
from pathlib import Path

import typer

from app.application import Application
from app.cli.answers import print_answer
from app.cli.context import Invocation, run_with_application
from app.cli.output import Output
from app.errors import AppError
from app.events import AnswerReady, Notice
from app.services import welcome


def demo(context: typer.Context) -> int:
    """Add the welcome paper to a fresh library, ask it a question offline, print the answer.

    The library is temporary unless --home names one. Exit code 1 if the answer came
    without a proven citation.
    """
    invocation = Invocation.of(context)
    if invocation.home is not None:
        return run_with_application(invocation.home, invocation.output, _Demo(invocation.output).run)
    with tempfile.TemporaryDirectory(prefix="astroresearch-demo-", ignore_cleanup_errors=True) as folder:
        return run_with_application(Path(folder), invocation.output, _Demo(invocation.output).run)


class _Demo:
    def __init__(self, output: Output) -> None:
        self._output = output

    async def run(self, application: Application) -> int:
        output = self._output
        output.note("Adding the welcome paper …")
        results = [result async for result in application.importer.add([welcome.paper()])]
        added = results[0]
        if added.paper_id is None:
            raise AppError(f"The welcome paper could not be added: {added.message}", code="demo")
        output.line(f"{added.status.value}: {added.record.title} ({added.pages} pages)")
        output.note("Asking with the local model (the first time takes some seconds) …")
        answer = None
        async for event in application.run_turn(welcome.QUESTION, papers=[added.paper_id]):
            match event:
                case Notice():
                    output.note(event.message)
                case AnswerReady():
                    answer = event.answer
        if answer is None:
            raise AppError("No answer came.", code="demo", hint="Run `astroresearch doctor`.")
        output.line(f"\nQuestion: {welcome.QUESTION}\n")
        print_answer(output, answer)
        output.document({"added": added.as_json(), **answer})
        return 0 if answer["citations"] else 1
