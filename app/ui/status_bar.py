"""The line at the foot: what is imported, downloaded or tested, errors not seen yet, speed of the model."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QPushButton, QWidget

from app.ui.library.imports import ImportList
from app.ui.theme import CHIP_PX, STATUS_HEIGHT, M, interface_font
from app.ui.widgets.basics import button, icon_button, label

SLOWEST_SHOWN = 0.1


class StatusBar(QWidget):
    """Shows figures; says what was pressed."""

    queue_wanted = Signal()
    cancel_wanted = Signal()
    errors_wanted = Signal()
    models_wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("pane", "bar")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setFixedHeight(STATUS_HEIGHT)
        self._imports = self._link(self.queue_wanted)
        self._bar = QProgressBar()
        self._bar.setTextVisible(False)
        self._bar.setRange(0, 1000)
        self._bar.setFixedWidth(120)
        self._cancel = icon_button("close", self.tr("Cancel the rest of the import"), self.cancel_wanted.emit)
        self._cancel.setFixedSize(20, 20)
        self._models = self._link(self.models_wanted)
        self._errors = self._link(self.errors_wanted)
        self._speed = label("", "small-hint")
        row = QHBoxLayout(self)
        row.setContentsMargins(M, 0, M, 0)
        row.setSpacing(M)
        row.addWidget(self._imports)
        row.addWidget(self._bar)
        row.addWidget(self._cancel)
        row.addWidget(self._models)
        row.addStretch(1)
        row.addWidget(self._errors)
        row.addWidget(self._speed)
        self.show_imports(ImportList())
        self.show_models("")
        self.show_errors(0)
        self.show_usage({})

    def show_imports(self, imports: ImportList) -> None:
        """Show how far the import is; afterwards, whether something needs the person."""
        running = imports.running()
        done, total = imports.figures()
        self._bar.setVisible(running)
        self._cancel.setVisible(running)
        self._bar.setValue(round(imports.share() * 1000))
        attention = sum(
            1 for item in imports.items.values() if item.finished and item.status == "needs_password"
        )
        failed = len(imports.failures())
        if running:
            words = (
                self.tr("Importing %1 of %2")
                .replace("%1", str(min(done + 1, total)))
                .replace("%2", str(total))
            )
        elif failed:
            words = self.tr("%n file(s) not imported", None, failed)
        elif attention:
            words = self.tr("%n file(s) need a password", None, attention)
        elif total:
            words = self.tr("%n file(s) imported", None, total)
        else:
            words = ""
        self._imports.setText(words)
        self._imports.setVisible(bool(words))

    def show_errors(self, unread: int) -> None:
        """Show how many errors were not looked at."""
        self._errors.setText(
            self.tr("%n unread error(s)", None, unread) if unread else self.tr("No unread errors")
        )
        self._errors.setEnabled(unread > 0)

    def show_models(self, words: str) -> None:
        """Show what goes on with models, if anything does."""
        self._models.setText(words)
        self._models.setVisible(bool(words))

    def show_usage(self, usage: dict[str, object]) -> None:
        """Show how fast a model wrote the last answer; nothing where that was not measured."""
        measured = usage.get("tokens_per_second")
        speed = measured if isinstance(measured, int | float) and measured >= SLOWEST_SHOWN else 0
        figure = f"{speed:.0f}" if speed >= 9.95 else f"{speed:.1f}"
        self._speed.setText(self.tr("%1 tok/s").replace("%1", figure) if speed else "")
        self._speed.setVisible(bool(speed))

    def _link(self, signal: object) -> QPushButton:
        made = button("", kind="link")
        made.setFont(interface_font(CHIP_PX, tabular=True))
        made.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        made.setProperty("kind", "status")
        made.clicked.connect(signal)
        return made
