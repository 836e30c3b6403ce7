"""What an argument pattern of a permission rule says about a call. Pure."""

from __future__ import annotations

import glob
from dataclasses import dataclass
from enum import IntEnum
from fnmatch import fnmatchcase
from typing import Protocol


class Match(IntEnum):
    """Whether a pattern that refuses or asks speaks of a call."""

    NO = 0
    PERHAPS = 1
    """It cannot be ruled out: the person is asked."""
    YES = 2


class Subject(Protocol):
    """What a call acts on, as patterns see it.

    What refuses is read widely and what allows narrowly, so that no way of writing the same thing
    slips past one or sneaks under the other.
    """

    @property
    def key(self) -> str:
        """Return what makes two calls of a tool act on the same thing, for answers kept in memory."""

    @property
    def exact(self) -> str:
        """Return the pattern that allows exactly this; empty where no pattern can."""

    def touched_by(self, pattern: str) -> Match:
        """Return whether a pattern that refuses or asks speaks of this."""

    def covered_by(self, pattern: str) -> bool:
        """Return whether a pattern that allows speaks of this, all of it, surely."""


@dataclass(frozen=True, slots=True)
class TextSubject:
    """An argument that is only text: a query, a name, an address. `key` empty: any call of the tool."""

    text: str
    key: str = ""

    @property
    def exact(self) -> str:
        """No pattern: "always" for such a tool means the tool."""
        return ""

    def touched_by(self, pattern: str) -> Match:
        """Compare without regard to case: it refuses."""
        return Match.YES if fnmatchcase(self.text.casefold(), pattern.casefold()) else Match.NO

    def covered_by(self, pattern: str) -> bool:
        """Compare exactly."""
        return fnmatchcase(self.text, pattern)


def literally(text: str) -> str:
    """Return the pattern that matches this text and no other."""
    return glob.escape(text)


def is_wildcard(pattern: str) -> bool:
    """Return whether a pattern names nothing: it is empty or made of wildcards alone."""
    return not pattern.strip("*?/. ")
