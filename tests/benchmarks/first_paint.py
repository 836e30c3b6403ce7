"""A child of the start-up bench: print "ready" when the window shows its papers, then end at once.

`python -m tests.benchmarks.first_paint bare` opens a QMainWindow with nothing in it; with a home folder
instead of `bare` it opens ours and waits for the first paint that has a paper in the list.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path


def bare() -> None:
    """Open an empty window of Qt's own."""
    from PySide6.QtCore import QEvent
    from PySide6.QtWidgets import QApplication, QMainWindow

    class Window(QMainWindow):
        def event(self, event: QEvent) -> bool:
            done = super().event(event)
            if event.type() == QEvent.Type.Paint:
                _ready()
            return done

    app = QApplication(["bare"])
    window = Window()
    window.resize(1440, 900)
    window.show()
    app.exec()


def ours(home: Path) -> None:
    """Open our window on a library, as the program does."""
    from PySide6.QtCore import QEvent, QObject, Qt
    from PySide6.QtWidgets import QAbstractItemView

    from app.ui import start
    from app.ui.file_open import Program

    class Watch(QObject):
        """Looks at every paint of the list."""

        def eventFilter(self, watched: QObject, event: QEvent) -> bool:
            if event.type() == QEvent.Type.Paint:
                table = watched.parent()
                if isinstance(table, QAbstractItemView) and table.objectName() == "libraryTable":
                    model = table.model()
                    if model.index(0, 0).data(Qt.ItemDataRole.DisplayRole):
                        _ready()
            return False

    app = Program(["astroresearch"])
    watch = Watch()
    app.installEventFilter(watch)
    with tempfile.TemporaryDirectory() as folder:
        start.run(home, (), Path(folder, "never written.png"))


def _ready() -> None:
    os.write(1, b"ready\n")
    os._exit(0)


if __name__ == "__main__":
    bare() if sys.argv[1] == "bare" else ours(Path(sys.argv[1]))
