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


def mail_text(letters: Sequence[Letter]) -> str:
    """Return letters as they are shown to the one they are for."""
    return "\n\n".join(f"[Message from {letter.sender}]\n{letter.body}" for letter in letters)


def _line(name: str, letter: Letter, limit: int | None) -> str:
    head = f"[You to {letter.recipient}]" if letter.sender == name else f"[Message from {letter.sender}]"
    body = letter.body
    if limit is not None and len(body) > limit:
        body = f"{body[:limit]}… ({len(body) - limit} characters are left out)"
    return f"{head}\n{body}"
