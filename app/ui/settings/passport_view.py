"""The passport of a model as a card: what a battery of tests found it can do on this machine."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QDateTime, QLocale, Qt
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from app.services.passport import CallProtocol, Finding, Passport
from app.ui.icons import icon_pixmap
from app.ui.models.findings import finding_words
from app.ui.models.words import duration, protocol_words
from app.ui.theme import CHIP_PX, XS, L, S, interface_font, theme
from app.ui.widgets.basics import label, rule

translate = QCoreApplication.translate


def summary(passport: Passport) -> str:
    """Return a passport in one line."""
    parts = [protocol_words(passport.protocol)[0], tools_words(passport)]
    speed = translate("Passport", "%1 tokens a second")
    parts.append(speed.replace("%1", figure(passport.decode_per_s)))
    return " · ".join(filter(None, parts))


def tools_words(passport: Passport) -> str:
    """Return how many tools the model is shown."""
    if passport.protocol is CallProtocol.NONE or passport.tool_limit == 0:
        return ""
    if passport.tool_limit is None:
        return translate("Passport", "all tools")
    return translate("Passport", "%n tool(s) at most", "", passport.tool_limit)


def figure(value: float) -> str:
    """Return a number with as many digits as mean something."""
    return f"{value:,.0f}" if value >= 9.95 else f"{value:.1f}"


class PassportView(QWidget):
    """Figures in two columns, then what each test found."""

    def __init__(self, passport: Passport) -> None:
        super().__init__()
        self.setObjectName("passportCard")
        self._signs: list[tuple[QLabel, bool]] = []
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, XS, 0, 0)
        layout.setSpacing(S)
        layout.addWidget(rule())
        layout.addLayout(self._grid(passport))
        if passport.findings:
            layout.addWidget(rule())
            for finding in passport.findings:
                layout.addLayout(self._finding(finding))
        layout.addWidget(label(self._made(passport), "small-hint", wrap=True))
        theme().changed.connect(self._tint)
        self._tint()

    def _grid(self, passport: Passport) -> QGridLayout:
        grid = QGridLayout()
        grid.setHorizontalSpacing(L)
        grid.setVerticalSpacing(XS)
        grid.setColumnStretch(1, 1)
        grid.setColumnStretch(3, 1)
        for place, (name, value, tip) in enumerate(self._figures(passport)):
            row, column = divmod(place, 2)
            grid.addWidget(label(name, "meta"), row, 2 * column, Qt.AlignmentFlag.AlignTop)
            shown = label(value, wrap=True)
            shown.setFont(interface_font(CHIP_PX + 0.5, tabular=True))
            shown.setToolTip(tip)
            grid.addWidget(shown, row, 2 * column + 1, Qt.AlignmentFlag.AlignTop)
        return grid

    def _figures(self, p: Passport) -> list[tuple[str, str, str]]:
        protocol, means = protocol_words(p.protocol)
        calls = self.tr("%1 of %2 valid, %3 right")
        for place, count in enumerate((p.calls_valid, p.calls_asked, p.calls_right), 1):
            calls = calls.replace(f"%{place}", str(count))
        per_s = self.tr("%1 tokens a second")
        per_char = self.tr("%1 English, %2 Chinese")
        per_char = per_char.replace("%1", f"{p.tokens_per_char_en:.2f}")
        per_char = per_char.replace("%2", f"{p.tokens_per_char_zh:.2f}")
        reuse = self.tr("not told") if p.reuse is None else f"{100 * p.reuse:.0f} %"
        waits = self.tr("%1 for the first word, %2 between words")
        waits = waits.replace("%1", duration(p.first_token_s)).replace("%2", duration(p.between_tokens_s))
        return [
            (self.tr("Tools"), protocol, means),
            (self.tr("Calls"), calls if p.calls_asked else self.tr("none tried"), ""),
            (
                self.tr("Shown"),
                tools_words(p) or self.tr("no tools"),
                self.tr("A small model is shown few tools, the most important ones first."),
            ),
            (
                self.tr("Context"),
                self.tr("%1 tokens").replace("%1", f"{p.context_tokens:,}"),
                self.tr("As long as fits into memory and is read in a bearable time."),
            ),
            (self.tr("Reads"), per_s.replace("%1", figure(p.prefill_per_s)), ""),
            (self.tr("Writes"), per_s.replace("%1", figure(p.decode_per_s)), ""),
            (self.tr("Tokens a character"), per_char, self.tr("Fewer means that more text fits.")),
            (
                self.tr("Kept of a prompt"),
                reuse,
                self.tr("How much of a conversation need not be read again at the next step."),
            ),
            (self.tr("Waits"), waits, self.tr("Longer than that, and it counts as hung.")),
        ]

    def _finding(self, finding: Finding) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(S)
        sign = QLabel()
        self._signs.append((sign, finding.ok))
        row.addWidget(sign, alignment=Qt.AlignmentFlag.AlignTop)
        said = finding_words(finding)
        words = label(said, "meta", wrap=True)
        words.setToolTip(finding.message)
        words.setAccessibleName(f"{self.tr('good') if finding.ok else self.tr('weak')}: {said}")
        row.addWidget(words, 1)
        return row

    def _made(self, passport: Passport) -> str:
        when = QDateTime.fromString(passport.made_at, Qt.DateFormat.ISODate).toLocalTime()
        day = (
            QLocale().toString(when.date(), QLocale.FormatType.ShortFormat)
            if when.isValid()
            else passport.made_at
        )
        words = self.tr("Tested %1 in %2 on %3")
        for place, said in enumerate((day, duration(passport.seconds), passport.machine), 1):
            words = words.replace(f"%{place}", said)
        return words

    def _tint(self) -> None:
        for sign, ok in self._signs:
            sign.setPixmap(icon_pixmap("check" if ok else "alert", "ok" if ok else "warn", 14))
