"""The timeline: how soon a long conversation is on the screen, and whether a fast model makes it stutter."""

from __future__ import annotations

import json
from collections.abc import Callable

from tests.benchmarks.bench_window import run
from tests.benchmarks.result import Result

ROUNDS = 5
MESSAGES = 10_000
CHUNKS_PER_S, STREAM_S = 2000, 4.0

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


STREAM = """
import asyncio, json, sys, tempfile, time
from pathlib import Path
from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QApplication
from app.application import Application
from app.llm.chat import ChatDelta, ChatEnd, ChatProgress, ModelInfo
from app.ui.loop import Loop
from app.ui.main_window import MainWindow
from app.ui.theme import Scheme, theme
speed, seconds = int(sys.argv[1]), float(sys.argv[2])
app = QApplication([]); app.setQuitOnLastWindowClosed(False)
loop = Loop(app); asyncio.set_event_loop(loop)
WORDS = ("It ", "is ", "**far** ", "away, ", "as ", "one ", "knows. ", "\\n\\n")
class Fast:
    info = ModelInfo("fast", "Fast", False, 8192, "local", tools=True, exact_tokens=False)
    said = 0
    async def stream(self, messages, **options):
        for n in range(50):
            yield ChatProgress(n / 50)
        begun = time.perf_counter()
        while (passed := time.perf_counter() - begun) < seconds:
            while self.said < passed * speed:
                yield ChatDelta(WORDS[self.said % 7 if self.said % 140 else 7]); self.said += 1
            await asyncio.sleep(0.001)
        yield ChatEnd("stop", 100, self.said)
    async def count_tokens(self, text): return len(text) // 4
    async def close(self): pass
class Gaps:
    def __init__(self):
        self.worst = 0.0; self.last = time.perf_counter()
        self.timer = QTimer(); self.timer.setTimerType(Qt.TimerType.PreciseTimer)
        self.timer.timeout.connect(self.tick); self.timer.start(2)
    def tick(self):
        now = time.perf_counter(); self.worst = max(self.worst, now - self.last); self.last = now
    def take(self):
        worst, self.worst = self.worst, 0.0; return worst
async def asked(window):
    window.timeline.ask("How far is it?")
    while window.timeline.running: await asyncio.sleep(0.01)
async def main():
    with tempfile.TemporaryDirectory() as home:
        async with Application.open(Path(home, "home")) as application:
            theme().apply(app, Scheme.LIGHT)
            window = MainWindow(application); window.resize(1440, 900); window.show()
            application.chat = Fast()
            await asked(window)  # the slow imports of the first answer
            await asyncio.sleep(1)
            gaps = Gaps(); await asyncio.sleep(0.2); gaps.take()
            await asyncio.sleep(seconds); idle = gaps.take()
            application.chat = model = Fast()
            await asked(window)
            print(json.dumps([idle, gaps.take(), model.said]), flush=True)
            await window.shut_down(); window.close()
loop.run_until_complete(main())
"""


def stream_gap() -> Result:
    """Milliseconds of the worst gap of the main loop at 2,000 chunks a second, beside idling."""
    idle, busy, chunks = json.loads(run(STREAM, str(CHUNKS_PER_S), str(STREAM_S)))
    return Result(busy * 1000, "ms", idle * 1000, int(chunks))


def session_open() -> Result:
    """Milliseconds until a conversation of 10,000 messages is painted, beside one of ten."""
    long, short = json.loads(run(OPEN, str(ROUNDS), str(MESSAGES)))
    return Result(long * 1000, "ms", short * 1000, ROUNDS)


BENCHES: dict[str, Callable[[], Result]] = {"session_open": session_open, "stream_gap": stream_gap}
