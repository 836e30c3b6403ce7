"""What a conversation has taken: how full the context is, tokens, and what they cost."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtWidgets import QLabel, QWidget

from app.llm.usage import Cost, Meter
from app.settings import Price
from app.ui.theme import META_PX, interface_font
from app.ui.widgets.basics import restyle

translate = QCoreApplication.translate

FULL = 0.8
"""Share of the context from which on it is said in warn."""


class MeterLabel(QLabel):
    """One short line; its tooltip has every figure."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("tokenMeter")
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setProperty("tone", "small-hint")
        self.setFont(interface_font(META_PX, tabular=True))
        self.hide()

    def show_meter(self, meter: Meter, context: int, room: int, prices: Mapping[str, Price]) -> None:
        """Show the sums of a conversation; `context` tokens of `room` were in the last request."""
        costs = meter.costs(prices)
        self.setText(short(meter, context, room, costs))
        self.setToolTip(whole(meter, context, room, costs))
        self.setAccessibleName(self.toolTip().replace("\n", ", "))
        full = room > 0 and context >= FULL * room
        restyle(self, "tone", "warn" if full else "small-hint")
        self.setVisible(bool(self.text()))


def short(meter: Meter, context: int, room: int, costs: list[Cost]) -> str:
    """Return the line: "18 % of context · 12.4k tokens · $0.02"."""
    parts = []
    if context and room:
        share = min(100, max(1, round(100 * context / room)))
        parts.append(translate("Meter", "%1 % of context").replace("%1", str(share)))
    elif meter.tokens.total:
        parts.append(translate("Meter", "%1 tokens").replace("%1", rounded(meter.tokens.total)))
    parts += [money(cost) for cost in costs]
    return " · ".join(parts)


def whole(meter: Meter, context: int, room: int, costs: list[Cost]) -> str:
    """Return every figure, a line each."""
    lines = []
    if context and room:
        said = translate("Meter", "Context: %1 of %2 tokens")
        lines.append(said.replace("%1", f"{context:,}").replace("%2", f"{room:,}"))
    for model, tokens in meter.by_model.items():
        said = translate("Meter", "%1: %2 tokens read (%3 of them from the cache), %4 written")
        for place, count in enumerate((tokens.prompt, tokens.cached, tokens.completion), 2):
            said = said.replace(f"%{place}", f"{count:,}")
        lines.append(said.replace("%1", model or translate("Meter", "Model")))
    if costs:
        words = translate("Meter", "Cost of this conversation: %1")
        lines.append(words.replace("%1", ", ".join(money(cost) for cost in costs)))
    return "\n".join(lines)


def rounded(count: int) -> str:
    """Return a count in a few characters: "850", "12.4k", "1.2M"."""
    if count < 1000:
        return str(count)
    if count < 999_950:
        return f"{count / 1000:.1f}k" if count < 99_950 else f"{count / 1000:.0f}k"
    return f"{count / 1_000_000:.1f}M"


def money(cost: Cost) -> str:
    """Return a sum of money; what is less than a cent is not shown as nothing."""
    sign = {"USD": "$", "EUR": "€", "CNY": "¥", "GBP": "£"}.get(cost.currency, f"{cost.currency} ")
    if 0 < cost.amount < 0.01:
        return f"< {sign}0.01"
    return f"{sign}{cost.amount:,.2f}"
