"""Take the README's pictures from the program itself: `.venv/bin/python packaging/pictures.py`.

A fresh library with the welcome paper and a few invented ones, a highlight with a note, a
question with its answer; once in light and once in dark. Writes `docs/pictures/`.
"""

from __future__ import annotations

import asyncio
import os
import tempfile
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtWidgets import QApplication

from app.application import Application
from app.records.ids import PaperId
from app.services import welcome
from app.ui import i18n
from app.ui.loop import Loop
from app.ui.main_window import MainWindow
from app.ui.picture import take_picture
from app.ui.theme import Scheme, theme
from tests.fakes.openai_server import Answer, FakeOpenAI
from tests.fakes.scripted_chat import Call, Say

PICTURES = Path(__file__).resolve().parent.parent / "docs" / "pictures"
SIZE = (1440, 900)
HIGHLIGHTS = {
    "The scatter of the relation is 0.14 mag": ("yellow", "Compare with the scatter in two bands."),
    "No correction for interstellar extinction was applied": ("green", ""),
}
TASK = "Collect what my papers say about the period of Lantern 42 and write it into a table."
_PLAN = ("Find what the papers say", "Check each value on its page", "Write the table")
SCRIPT: list[Answer] = [
    [
        Say("I look for the values first, then check each on its page."),
        Call(
            "todo_write",
            {
                "items": [
                    {"id": str(n), "content": words, "status": "in_progress" if n == 1 else "pending"}
                    for n, words in enumerate(_PLAN, 1)
                ]
            },
        ),
        Call("search_papers", {"query": "Lantern"}),
        Call("rag_search", {"question": "pulsation period of Lantern 42"}),
    ],
    [
        Call(
            "todo_write",
            {
                "items": [
                    {"id": str(n), "content": words, "status": "completed" if n < 3 else "in_progress"}
                    for n, words in enumerate(_PLAN, 1)
                ]
            },
        ),
        Call(
            "file_write",
            {
                "path": "lantern-42.csv",
                "content": "object,period_d,source\nLantern 42,331.4,welcome paper p. 2\n",
            },
        ),
    ],
]
INVENTED = {
    "A second look at Lantern 42: the amplitude in two bands": "Lin Wei, Ada Nakamura",
    "Period changes of imagined long-period variables. I": "Tomás Ferreira, Jun Park, Mira Olsen, Lin Wei",
    "Dust around oxygen-rich giants and what it does to their distances": "Mira Olsen",
    "The Observatory of the Open Window: ten years of nights": "The Open Window Collaboration",
}


async def fill(application: Application, folder: Path) -> PaperId:
    """Add the papers and the highlights; return the welcome paper."""
    for number, (title, authors) in enumerate(INVENTED.items()):
        path = folder / f"{number}.md"
        path.write_text(
            f"# {title}\n\n{authors}\n\n## Results\n\nNothing is measured here.\n", encoding="utf-8"
        )
    paths = [*sorted(folder.glob("*.md")), welcome.paper()]
    results = [result async for result in application.importer.add(paths)]
    (shown,) = [result.paper_id for result in results if result.pages == 2 and result.paper_id]
    (file,) = application.library.papers.get(shown).files
    for quote, (colour, text) in HIGHLIGHTS.items():
        await application.notes.add(shown, quote, color=colour, text=text, file_id=file.file_id)
    return shown


async def take_agent(application: Application, window: MainWindow) -> None:
    """Let a scripted model work until it asks for permission, and take that picture.

    The model is a script; the agent, its tools and the window are the program itself.
    """
    with FakeOpenAI(SCRIPT) as server:
        model = {"provider": "openai", "base_url": server.url, "model": "scripted model"}
        await application.change_settings({"llm": model})
        window.desk.show()
        window.timeline.new_conversation()
        window.timeline.ask(TASK)
        while not application.desk.pending():  # noqa: ASYNC110  a script may poll
            await asyncio.sleep(0.1)
        await asyncio.sleep(2)
        # It waits for an answer, so it is never idle.
        window.grab().save(str(PICTURES / "agent-light.png"), "PNG")
        window.timeline.stop()
        await asyncio.sleep(4)


async def take(app: QApplication, home: Path, folder: Path) -> None:
    """Fill a library and take both pictures."""
    async with Application.open(home) as application:
        shown = await fill(application, folder)
        i18n.speak(app, "en")
        theme().apply(app, Scheme.LIGHT)
        window = MainWindow(application)
        window.resize(*SIZE)
        window.show()
        window.open_paper(shown)
        window.timeline.ask(welcome.QUESTION)
        answered = asyncio.Event()
        window.timeline.turn_ended.connect(answered.set)
        await answered.wait()
        (conversation,) = application.library.journal.sessions()
        for event in application.library.journal.events(conversation.session_id):
            if event["type"] == "answer":
                window.open_citation(
                    max(event["answer"]["citations"], key=lambda c: (c["page"], len(c["quote"])))
                )
        for scheme in (Scheme.LIGHT, Scheme.DARK):
            theme().apply(app, scheme)
            await asyncio.sleep(2)
            await take_picture(window, PICTURES / f"window-{scheme.value}.png")
        theme().apply(app, Scheme.LIGHT)
        await take_agent(application, window)
        await window.shut_down()
        window.close()


def main() -> None:
    """Write `window-light.png`, `window-dark.png` and `agent-light.png` into `docs/pictures`."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    app = QApplication(["astroresearch"])
    app.setQuitOnLastWindowClosed(False)
    loop = Loop(app)
    asyncio.set_event_loop(loop)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "papers"
        folder.mkdir()
        loop.run_until_complete(take(app, Path(scratch) / "home", folder))
    loop.close()


if __name__ == "__main__":
    main()
