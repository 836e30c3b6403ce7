"""What is put before the agents of a team: names, briefings, mail. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from app.library.mail import Letter

LEAD = "lead"
"""The name of the main agent in its team."""

TeammateState = Literal["running", "idle", "dead", "finished"]
"""At work; waiting for mail; ended by a failure; done for good."""

HISTORY_CHARACTERS = 8000
"""How much of its earlier mail a teammate is given when it goes to work again."""

MAIL_CHARACTERS = 16_000
"""How much mail is shown at once; the rest comes in the next round."""

_LETTER_CHARACTERS = 2000
_NAME = re.compile(r"[a-z][a-z0-9_-]{0,23}")
_TAKEN = frozenset((LEAD, "all", "team", "user", "system", "subagent"))


@dataclass(frozen=True, slots=True)
class Teammate:
    """A member of a team as it stands; `unread` counts the letters it was not shown yet."""

    name: str
    role: str
    state: TeammateState
    unread: int = 0

    def line(self) -> str:
        """Return the member in one line."""
        waiting = f", {self.unread} unread" if self.unread else ""
        return f"{self.name} ({self.role}): {self.state}{waiting}"


def name_of(text: str) -> str | None:
    """Return the name of a teammate as it is used, or None where it cannot be one."""
    name = text.strip().casefold().replace(" ", "-")
    return name if _NAME.fullmatch(name) and name not in _TAKEN else None


def instructions(name: str, role: str, others: Iterable[str]) -> str:
    """Return what a teammate is told of itself."""
    colleagues = ", ".join(sorted(others)) or "none yet"
    return (
        f"You are {name}, a member of a team. Your role: {role}\n"
        f'The lead is called "{LEAD}". Your colleagues: {colleagues}.\n'
        "Your last message is sent to the lead by itself: let it hold all of your findings, for nothing "
        "else of your work is seen. Use send_teammate_message for what cannot wait until then."
    )


def briefing(name: str, earlier: Sequence[Letter], new: Sequence[Letter]) -> str:
    """Return the text a teammate goes to work with: what was written before, and what is new."""
    lines = [_line(name, letter, _LETTER_CHARACTERS) for letter in earlier]
    kept: list[str] = []
    room = HISTORY_CHARACTERS
    for line in reversed(lines):
        room -= len(line)
        if room < 0:
            kept.append(f"({len(lines) - len(kept)} earlier messages are left out)")
            break
        kept.append(line)
    parts = ["Your earlier messages, the oldest first:", *reversed(kept), "New messages:"] if kept else []
    return "\n\n".join([*parts, *(_line(name, letter, None) for letter in new)])


def shown_together(letters: Sequence[Letter]) -> list[Letter]:
    """Return the first of the letters: those of one authority, and not more than are read at once.

    What the lead writes speaks for the person; what a colleague says may rest on what papers say.
    """
    chosen: list[Letter] = []
    room = MAIL_CHARACTERS
    for letter in letters:
        room -= len(letter.body)
        if chosen and (room < 0 or (letter.sender == LEAD) != (chosen[0].sender == LEAD)):
            break
        chosen.append(letter)
    return chosen


def mail_text(letters: Sequence[Letter]) -> str:
    """Return letters as they are shown to the one they are for."""
    return "\n\n".join(
        f"[Message from {letter.sender}]\n{_cut(letter.body, MAIL_CHARACTERS)}" for letter in letters
    )


def _line(name: str, letter: Letter, limit: int | None) -> str:
    head = f"[You to {letter.recipient}]" if letter.sender == name else f"[Message from {letter.sender}]"
    return f"{head}\n{letter.body if limit is None else _cut(letter.body, limit)}"


def _cut(text: str, limit: int) -> str:
    left_out = len(text) - limit
    return text if left_out <= 0 else f"{text[:limit]}… ({left_out} characters are left out)"
