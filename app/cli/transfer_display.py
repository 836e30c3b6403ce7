"""A download as a person sees it in a terminal: a bar on stderr, or a line now and then."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import TYPE_CHECKING, Self

from app.cli.output import Output, printable
from app.services.stored_models import TransferProgress, TransferState

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

_STEP = 10
"""Without a terminal every tenth percent is told."""


class TransferDisplay:
    """Shows the progress of one transfer at a time; call it with each report."""

    def __init__(self, output: Output) -> None:
        self._output = output
        self._bars: Progress | None = _new_bars() if sys.stderr.isatty() and not output.as_json else None
        self._task: TaskID | None = None
        self._told = -1
        self._message = ""

    def __enter__(self) -> Self:
        if self._bars is not None:
            self._bars.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bars is not None:
            self._bars.stop()

    def __call__(self, progress: TransferProgress) -> None:
        """Show one report."""
        if progress.state is TransferState.WAITING and progress.message != self._message:
            self._message = progress.message
            self._output.note(progress.message)
        if self._bars is not None:
            self._show(self._bars, progress)
            return
        percent = int((progress.share or 0) * 100) // _STEP * _STEP
        if progress.state is TransferState.RUNNING and percent > self._told:
            self._told = percent
            self._output.note(f"{progress.name}: {percent} %")

    def _show(self, bars: Progress, progress: TransferProgress) -> None:
        words = f"{printable(progress.name)}  {progress.state.value}"
        if self._task is None:
            self._task = bars.add_task(words, total=progress.total)
        bars.update(self._task, description=words, completed=progress.done, total=progress.total)


def _new_bars() -> Progress:
    """Return a bar on stderr; rich takes a while to load, which runs without a terminal need not wait for."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        DownloadColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
        TransferSpeedColumn,
    )

    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        DownloadColumn(),
        TransferSpeedColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )
