"""The timeline: how soon a conversation of 10,000 messages is on the screen, beside one of ten."""

from __future__ import annotations

import json
from collections.abc import Callable

from tests.benchmarks.bench_window import run
from tests.benchmarks.result import Result

ROUNDS = 5
MESSAGES = 10_000

OPEN = """
import asyncio, json, statistics, sys, tempfile, time
from pathlib import Path
from PySide6.QtWidgets import QApplication
from app.application import Application
from app.events import Message, Outcome, ToolCall, ToolResult, TurnFinished, TurnStarted
from app.ui.loop import Loop
from app.ui.main_window import MainWindow
from app.ui.theme import Scheme, theme
rounds, wanted = int(sys.argv[1]), int(sys.argv[2])
app = QApplication([]); app.setQuitOnLastWindowClosed(False)
loop = Loop(app); asyncio.set_event_loop(loop)
def conversation(journal, messages):
    session = journal.new_session("long")
    for n in range(0, messages, 5):
        call = {"id": f"call_{n}", "name": "rag_search", "arguments": "{}"}
        for event in (
            TurnStarted(str(n), f"Question {n}?"),
            ToolCall(call["id"], "rag_search", {"question": "How far is it?", "limit": 8}, 1),
            ToolResult(call["id"], "rag_search", "[1] It is far. " * 80, False, Outcome.SUCCEEDED, 1),
            Message("I look first.", 1, "Hm.", (call,)),
            Message("It is **far**, as one knows. " * 12, 2),
        ):
            journal.append(session, event.as_json(), durable=False)
    return session
async def opened(pane, session):
    pane.new_conversation()
    await asyncio.sleep(1)  # until what was opened before is whole
    start = time.perf_counter()
    await pane.open_conversation(session)
    pane.grab()
    return time.perf_counter() - start
async def main():
    with tempfile.TemporaryDirectory() as home:
        async with Application.open(Path(home, "home")) as application:
            theme().apply(app, Scheme.LIGHT)
            window = MainWindow(application); window.resize(1440, 900); window.show()
            journal = application.library.journal
            short, long = conversation(journal, 10), conversation(journal, wanted)
            await opened(window.timeline, short)  # the slow imports of the first answer
            times = [(await opened(window.timeline, long), await opened(window.timeline, short))
                     for _ in range(rounds)]
            print(json.dumps([statistics.median(pair) for pair in zip(*times)]), flush=True)
            await window.shut_down(); window.close()
loop.run_until_complete(main())
"""


def session_open() -> Result:
    """Milliseconds until a conversation of 10,000 messages is painted, beside one of ten."""
    long, short = json.loads(run(OPEN, str(ROUNDS), str(MESSAGES)))
    return Result(long * 1000, "ms", short * 1000, ROUNDS)


BENCHES: dict[str, Callable[[], Result]] = {"session_open": session_open}
