"""The import as a person sees it in a terminal: one bar on stderr, results above it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING

from app.application import Application
from app.cli.output import Output, printable
from app.cli.words import one_line
from app.services.changes import Change, ImportProgress, NoticeGiven

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID


class ImportDisplay:
    """Follows the import queue of an application; without a terminal it shows no bar."""

    def __init__(self, application: Application, output: Output) -> None:
        self._application = application
        self._output = output
        self._progress: Progress | None = None
        self._tasks: dict[int, TaskID] = {}
        self._unsubscribe: Callable[[], None] = lambda: None
        if sys.stderr.isatty() and not output.as_json:
            self._progress = _bars()

    def __enter__(self) -> ImportDisplay:
        if self._progress is not None:
            self._progress.start()
        self._unsubscribe = self._application.subscribe(self._on_change)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._unsubscribe()
        if self._progress is not None:
            self._progress.stop()

    def print_line(self, text: str) -> None:
        """Print a result line on stdout, above the bar."""
        if self._progress is not None and sys.stdout.isatty():
            self._progress.console.print(printable(text), markup=False, highlight=False, soft_wrap=True)
        else:
            self._output.line(text)

    def _on_change(self, change: Change) -> None:
        match change:
            case NoticeGiven(message=message):
                self._output.note(message)
            case ImportProgress() if self._progress is not None:
                self._show(self._progress, change)

    def _show(self, progress: Progress, change: ImportProgress) -> None:
        if change.finished:
            if (task := self._tasks.pop(change.item_id, None)) is not None:
                progress.remove_task(task)
            return
        name = one_line(printable(change.path.name))[:40]
        if change.item_id not in self._tasks:
            self._tasks[change.item_id] = progress.add_task(name, total=None)
        progress.update(
            self._tasks[change.item_id],
            description=f"{name}  {change.state.value}",
            completed=change.done,
            total=change.total or None,
        )


def _bars() -> Progress:
    """Return bars on stderr; rich takes a while to load, which runs without a terminal need not wait for."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn

    return Progress(
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("pages"),
        console=Console(stderr=True),
        transient=True,
    )
