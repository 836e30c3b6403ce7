"""The one card with a warn border: what a call is about to do, and whether it may."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication, QKeyEvent
from PySide6.QtWidgets import QApplication, QLabel, QPushButton

from app.agent.asking import PermissionChoice
from app.ui.chat.cards import Chips
from app.ui.chat.deeds import Deeds
from app.ui.chat.foldable import LONGEST, SIGN, Foldable
from app.ui.chat.items import Permission
from app.ui.chat.preview import Preview
from app.ui.chat.visible import visible
from app.ui.chat.words import CONSENT, consent_words, permission_words, reason_words, request_words
from app.ui.icons import icon_pixmap
from app.ui.theme import XS, S, theme
from app.ui.widgets.basics import ElidedLabel, button, label, restyle, tip


class PermissionCard(Foldable):
    """Open with its buttons while it waits; one line of what was decided afterwards."""

    def __init__(self, item: Permission, deeds: Deeds) -> None:
        super().__init__(framed=True)
        self._item, self._deeds = item, deeds
        self.choices: dict[PermissionChoice, QPushButton] = {}
        self._sign = QLabel()
        self._title = label("", "heading", wrap=True)
        self._decided = ElidedLabel("", "meta")
        self._count = label("", "small-hint")
        for part, stretch in ((self._sign, 0), (self._title, 1), (self._decided, 1), (self._count, 0)):
            self.head_row.addWidget(part, stretch)
        self._buttons = Chips()
        theme().changed.connect(self._show)
        self.set_open(item.waits)
        self._show()

    def show_item(self, item: Permission) -> None:
        """Show the newest state."""
        was, self._item = self._item, item
        if was.waits and not item.waits:
            had_focus = self.isAncestorOf(QApplication.focusWidget() or self)
            self.set_open(False)
            if had_focus:
                self._deeds.leave()
        self._show()

    def set_count(self, number: int, of: int) -> None:
        """Say that this is one of several that wait."""
        words = self.tr("%1 of %2").replace("%1", str(number)).replace("%2", str(of))
        self._count.setText(words if self._item.waits and of > 1 else "")

    def take_focus(self) -> None:
        """Give the keyboard to the first choice."""
        self.choices["once"].setFocus(Qt.FocusReason.ShortcutFocusReason)

    def fill(self) -> None:
        item, column = self._item, self.body_column
        column.setContentsMargins(11, 9, 11, 11)
        column.setSpacing(S)
        self._who = label(self._who_words(), "meta", wrap=True)
        column.addWidget(self._who)
        if item.preview and item.form != CONSENT:
            column.addWidget(Preview(item.form, item.preview))
        if len(item.preview) > LONGEST:  # nobody has to allow what cannot be read to its end
            copy = button(self.tr("Copy all of it"), self._copy, kind="link")
            column.addWidget(copy, alignment=Qt.AlignmentFlag.AlignLeft)
        for place, (choice, words) in enumerate(self._offered().items()):
            made = button(words, partial(self._choose, choice), kind="primary" if not place else "plain")
            made.setToolTip(self.tr("Key %1").replace("%1", str(place + 1)))
            self.choices[choice] = made
        self._buttons.set_chips(list(self.choices.values()))
        column.addWidget(self._buttons)
        self._rule_words = label("", "small-hint", wrap=True)
        if item.rule:
            rule = f"{item.rule.get('tool', item.tool)}  {item.rule.get('match', '')}".strip()
            self._rule_words.setText(self.tr("“Always” allows: %1").replace("%1", visible(rule)))
        column.addWidget(self._rule_words)

    def refresh_body(self) -> None:
        self._buttons.setVisible(self._item.waits)
        self._rule_words.setVisible(self._item.waits and bool(self._item.rule))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        waits = self._item.waits
        number = event.key() - Qt.Key.Key_1.value
        pressed = next((made for made in self.choices.values() if made.hasFocus()), None)
        if waits and not event.isAutoRepeat() and 0 <= number < len(self.choices):
            list(self.choices.values())[number].click()
        elif waits and pressed and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            pressed.click()
        elif event.key() == Qt.Key.Key_Escape:
            self._deeds.leave()
        else:
            super().keyPressEvent(event)

    def _offered(self) -> dict[PermissionChoice, str]:
        """Return the choices with their words, in order."""
        if self._item.form == CONSENT:
            return {"once": self.tr("Agree for this library"), "deny": self.tr("Do not send it")}
        choices: dict[PermissionChoice, str] = {
            "once": self.tr("Allow once"),
            "session": self.tr("For this conversation"),
        }
        if self._item.rule:
            choices["always"] = self.tr("Always")
        return {**choices, "deny": self.tr("Deny")}

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self._item.preview)

    def _choose(self, choice: PermissionChoice) -> None:
        if self._item.waits:
            self._deeds.permit(self._item.id, choice)

    def _who_words(self) -> str:
        item = self._item
        by = self.tr("asked by %1").replace("%1", item.agent) if item.agent else ""
        if item.form == CONSENT:
            return " · ".join(filter(None, (consent_words(), visible(by))))
        return " · ".join(
            filter(None, (visible(item.tool), visible(by), visible(reason_words(item.message))))
        )

    def _show(self) -> None:
        item = self._item
        title = visible(request_words(item))
        allowed = item.answer in ("once", "session", "always")
        icon, tint = (
            ("alert", "warn") if item.waits else (("check", "ok") if allowed else ("close", "text_3"))
        )
        self._sign.setPixmap(icon_pixmap(icon, tint, SIGN))
        self._title.setText(title)
        self._title.setVisible(item.waits)
        line = " ".join(visible(item.preview or item.message)[:300].split())
        self._decided.setText(f"{permission_words(item)} · {item.tool}  {line}" if item.answer else "")
        self._decided.setVisible(not item.waits)
        self._decided.setToolTip(tip(visible(item.message)))
        restyle(self, "frame", "warn" if item.waits else "line")
        down = 9 if item.waits else 2
        self.head_row.setContentsMargins(11 if item.waits else 4, down, 11, down)
        if self.is_open():
            self.refresh_body()
        self.setAccessibleName(title if item.waits else self._decided.text())
        self.body_column.setSpacing(XS if not item.waits else S)
