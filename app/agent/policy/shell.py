"""Patterns on shell commands. Pure.

A pattern that allows speaks of a single simple command and nothing else. One that refuses is tried on
every command of the line, also on those that other programs start (`sudo`, `xargs`, `sh -c`, …); where
something could hide from it, the person is asked.
"""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from app.agent.policy.patterns import Match, literally
from app.agent.policy.shell_programs import Started, lends_itself, only_names, started_by
from app.agent.policy.shell_words import CommandLine, Word, parse

_UNKNOWN = "\N{OBJECT REPLACEMENT CHARACTER}"
"""Stands for a word that only the shell knows."""

_WORDS = 5_000
"""So many words of a line and of what it starts are looked at; a maze hides something."""

_PLAIN_POWERSHELL = re.compile(r"[\w .,:/\\=+-]+")


@dataclass(frozen=True, slots=True)
class CommandSubject:
    """A command line. `started` are all commands it runs, as far as that can be known."""

    text: str
    line: CommandLine
    started: tuple[tuple[Word, ...], ...]
    hides: bool
    """Something runs that cannot be seen here."""
    direct: bool
    """It is one plain command that starts no other program."""

    @classmethod
    def of(cls, text: str, platform: str = sys.platform) -> CommandSubject:
        """Read a command line of the shell of this platform."""
        line = _powershell(text) if platform == "win32" else parse(text)
        found = _unwrapped(line)
        return cls(
            text,
            line,
            found.commands,
            hides=found.hides,
            direct=line.plain and not _lends_itself(line.commands[0]),
        )

    @property
    def key(self) -> str:
        """The line itself."""
        return self.text.strip()

    @property
    def exact(self) -> str:
        """The pattern of exactly this command, if it is a simple one."""
        return literally(self._joined()) if self.line.plain else ""

    def covered_by(self, pattern: str) -> bool:
        """Return whether a pattern allows it: a simple command that starts no other and goes up no folder.

        A pattern without wildcards, that names the whole of a simple command, says yes to whatever it does.
        """
        if not self.line.plain:
            return False
        joined = self._joined()
        if pattern in (joined, literally(joined)):
            return True
        climbs = any(".." in re.split(r"[/\\=:]", word.text) for word in self.line.commands[0])
        return self.direct and not climbs and _glob(joined, _spaced(pattern))

    def touched_by(self, pattern: str) -> Match:
        """Return whether a pattern refuses any command of the line, or may."""
        wanted = _spaced(pattern).casefold()
        worst = Match.PERHAPS if self.hides else Match.NO
        if _glob(self.text.casefold(), wanted):
            return Match.YES
        return max((_touched(words, wanted) for words in self.started), default=worst) or worst

    def _joined(self) -> str:
        return shlex.join(word.text for word in self.line.commands[0])


def _touched(words: Sequence[Word], wanted: str) -> Match:
    """Compare one command with a pattern, as it is and in other ways of writing the same."""
    form = [word.text.casefold() if word.literal else _UNKNOWN for word in words]
    if form[0] == _UNKNOWN:
        return Match.PERHAPS
    program, *options = wanted.split(" ") or [""]
    names = {form[0], _name(form[0])}
    if any(_glob(" ".join([name, *form[1:]]), wanted) for name in names):
        return Match.YES
    if not any(fnmatchcase(name, program) for name in names):
        # A program that is not known here may start the one it is given.
        given = any(fnmatchcase(_name(word), program) for word in form[1:])
        return Match.PERHAPS if given and not any(map(only_names, names)) else Match.NO
    if not options or _same_options(form[1:], options):
        return Match.YES
    hidden = _UNKNOWN in form[1:]
    long_ones = any(word.startswith("--") for word in form[1:]) and any(o.startswith("-") for o in options)
    return Match.PERHAPS if hidden or long_ones or _in_order(form[1:], options) else Match.NO


def _same_options(arguments: Sequence[str], wanted: Sequence[str]) -> bool:
    """Return whether `-f -r x` is meant by `-rf *`: the same letters, the rest as in the pattern."""
    letters, rest = _letters(arguments)
    wanted_letters, wanted_rest = _letters(wanted)
    return bool(wanted_letters) and wanted_letters <= letters and _glob(" ".join(rest), " ".join(wanted_rest))


def _letters(words: Sequence[str]) -> tuple[set[str], list[str]]:
    clusters = [word for word in words if re.fullmatch(r"-[a-z0-9]+", word)]
    return set("".join(clusters)) - {"-"}, [word for word in words if word not in clusters]


def _in_order(arguments: Sequence[str], wanted: Sequence[str]) -> bool:
    """Return whether the words of a pattern occur in their order, with others between them."""
    rest = iter(arguments)
    return all(word == "*" or any(fnmatchcase(argument, word) for argument in rest) for word in wanted)


def _unwrapped(line: CommandLine) -> Started:
    """Return the commands of a line with all that they start in turn, as deep as anyone would nest them."""
    queue, hides, words_left = list(line.commands), not line.understood, _WORDS
    place = 0
    while place < len(queue):
        words = queue[place]
        place += 1
        words_left -= len(words)
        if words_left < 0:
            return Started(tuple(queue), hides=True)
        started = started_by(_name(words[0].text.casefold()), words[1:])
        hides = hides or started.hides or not words[0].literal
        queue += started.commands
        for code in started.code:
            inner = parse(code)
            queue += inner.commands
            hides = hides or not inner.understood
    return Started(tuple(queue), hides)


def _lends_itself(words: Sequence[Word]) -> bool:
    return lends_itself(_name(words[0].text.casefold()), words[1:])


def _powershell(text: str) -> CommandLine:
    """Read a line for PowerShell: a plain one, or pieces of one that is not claimed to be understood."""
    plain = _PLAIN_POWERSHELL.fullmatch(text.strip()) is not None
    pieces = (piece.split() for piece in re.split(r"[;|&(){}\r\n]+", re.sub(r"[`'\"]", "", text)))
    commands = tuple(tuple(map(Word, piece)) for piece in pieces if piece)
    return CommandLine(commands, plain and len(commands) == 1, understood=plain)


def _name(program: str) -> str:
    """Return a program's name without its folder and, on Windows, its ending."""
    return re.split(r"[/\\]", program)[-1].removesuffix(".exe")


def _spaced(pattern: str) -> str:
    return " ".join(pattern.split())


def _glob(text: str, pattern: str) -> bool:
    return fnmatchcase(text, pattern) or (pattern.endswith(" *") and text == pattern[:-2])
