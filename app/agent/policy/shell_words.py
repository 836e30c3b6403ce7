"""Reads a shell command line far enough to know which programs it names. Pure.

It is no shell: where it is not sure it says so, and then nothing is allowed by a pattern. Everything
between separators counts as a command of its own, wherever it stands: behind `;`, `&&`, `|`, in
`$(…)`, in backticks, in a loop, in a function.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_SEPARATORS = frozenset(";&|()\n")
_RESERVED = frozenset(
    "if then else elif fi do done while until for case esac in function select coproc ! [[ ]]".split()
)
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*\+?=")
_DEPTH = 20
_LENGTH = 10_000
"""Longer lines are not read: this runs on the loop."""


@dataclass(frozen=True, slots=True)
class Word:
    """One word after quotes are taken away; not `literal` where the shell would put something else there."""

    text: str
    literal: bool = True


@dataclass(frozen=True, slots=True)
class CommandLine:
    """What a line runs: each command's words.

    `plain` means one simple command of literal words alone, without any operator, expansion,
    redirection, assignment or comment. Not `understood` means that there may be more than was found.
    """

    commands: tuple[tuple[Word, ...], ...]
    plain: bool
    understood: bool = True


def parse(text: str, depth: int = 0) -> CommandLine:
    """Read a command line for a POSIX shell."""
    if len(text) > _LENGTH:
        return CommandLine((), plain=False, understood=False)
    reader = _Reader(text.strip(), depth)
    try:
        reader.read_commands("")
    except _NotUnderstoodError:
        reader.finish_command()
        return CommandLine(tuple(reader.commands), plain=False, understood=False)
    plain = reader.plain and len(reader.commands) == 1 and all(word.literal for word in reader.commands[0])
    return CommandLine(tuple(reader.commands), plain, reader.understood)


class _NotUnderstoodError(Exception):
    """A quote, bracket or here-document has no end, or it is nested without end."""


class _Reader:
    """One pass over the text; `commands` fills up on the way."""

    def __init__(self, text: str, depth: int) -> None:
        self.text = text
        self.at = 0
        self.depth = depth
        self.commands: list[tuple[Word, ...]] = []
        self.plain = not re.search(r"[\x00-\x1f\x7f]", text)
        self.understood = "\0" not in text
        self._words: list[Word] = []
        self._word: list[str] = []
        self._begun = False
        self._quoted = False
        self._literal = True
        self._to_file = False
        self._here: list[tuple[str, bool]] = []
        self._here_next = False

    def read_commands(self, until: str) -> None:
        """Read up to the closing character `until`, or to the end."""
        if self.depth > _DEPTH:
            raise _NotUnderstoodError
        while self.at < len(self.text):
            character = self.text[self.at]
            if until and character == until:
                self.finish_command()
                self.at += 1
                return
            self._take(character)
        if until or self._here:
            raise _NotUnderstoodError
        self.finish_command()

    def finish_command(self) -> None:
        """End the word and the command that are being read."""
        self._finish_word()
        self._to_file = False
        words = self._words
        self._words = []
        while words and words[0].text in _RESERVED and (words[0].literal or words[0].text == "[["):
            self.plain = False
            words = words[1:]
        while words and _ASSIGNMENT.match(words[0].text):
            self.plain = False
            words = words[1:]
        if words:
            self.commands.append(tuple(words))

    def _take(self, character: str) -> None:
        self.at += 1
        if character in _SEPARATORS:
            self._separate(character)
        elif character in " \t\r":
            self._finish_word()
        elif character in "<>":
            self._redirect(character)
        elif character == "#" and not self._begun:
            self.plain = False
            end = self.text.find("\n", self.at)
            self.at = len(self.text) if end < 0 else end
        elif character in "{}" and self._stands_alone():
            self.plain = False
            self.finish_command()
        else:
            self._begun = True
            self._part_of_word(character)

    def _part_of_word(self, character: str) -> None:
        if character == "'":
            self._quoted = True
            self._word.append(self._up_to("'"))
        elif character == '"':
            self._quoted = True
            self._double_quoted()
        elif character == "\\":
            self._escaped()
        elif character == "$":
            self._expansion()
        elif character == "`":
            self._backticks()
        else:
            if character in "*?[{}~":
                self._literal = False
            self._word.append(character)

    def _separate(self, character: str) -> None:
        self.plain = False
        self.finish_command()
        if character == "(":
            self.depth += 1
            self.read_commands(")")
            self.depth -= 1
        elif character == ")":
            return  # of a `case` pattern
        elif character == "\n":
            self._skip_here_documents()

    def _redirect(self, character: str) -> None:
        self.plain = False
        if self._begun and "".join(self._word).isdigit():
            self._word, self._begun = [], False  # the number of a stream
        self._finish_word()
        if (
            character == "<"
            and self.text.startswith("<", self.at)
            and not self.text.startswith("<<", self.at)
        ):
            self.at += 1
            self._here_next = True
        while self.at < len(self.text) and self.text[self.at] in "<>&|-":
            self.at += 1
        self._to_file = True

    def _finish_word(self) -> None:
        if not self._begun:
            return
        word = Word("".join(self._word), self._literal)
        if self._here_next:
            self._here.append((word.text, self._quoted))
            self._here_next = self._to_file = False
        elif self._to_file:
            self._to_file = False
        else:
            self._words.append(word)
        self._word, self._begun, self._quoted, self._literal = [], False, False, True

    def _skip_here_documents(self) -> None:
        for end, quoted in self._here:
            body = re.compile(rf"(.*?)^\t*{re.escape(end)}$", re.DOTALL | re.MULTILINE).match(
                self.text, self.at
            )
            if body is None:
                raise _NotUnderstoodError
            if not quoted and re.search(r"[$`]", body[1]):
                self.understood = False
            self.at = body.end()
        self._here = []

    def _up_to(self, end: str) -> str:
        found = self.text.find(end, self.at)
        if found < 0:
            raise _NotUnderstoodError
        inside = self.text[self.at : found]
        self.at = found + 1
        return inside

    def _double_quoted(self) -> None:
        while self.at < len(self.text):
            character = self.text[self.at]
            self.at += 1
            if character == '"':
                return
            if character == "\\" and self.text[self.at : self.at + 1] in ("$", "`", '"', "\\", "\n"):
                self._escaped()
            elif character == "$":
                self._expansion()
            elif character == "`":
                self._backticks()
            else:
                self._word.append(character)
        raise _NotUnderstoodError

    def _escaped(self) -> None:
        character = self.text[self.at : self.at + 1]
        self.at += 1
        if not character:
            raise _NotUnderstoodError
        if character != "\n":
            self._quoted = True
            self._word.append(character)

    def _expansion(self) -> None:
        self._literal = False
        self._word.append("$")
        if self.text.startswith("(", self.at):
            self.at += 1
            self._nested(")")
        elif self.text.startswith("{", self.at):
            self.at += 1
            self._nested("}")

    def _backticks(self) -> None:
        self._literal = False
        inside = re.compile(r"((?:[^`\\]|\\.)*)`", re.DOTALL).match(self.text, self.at)
        if inside is None:
            raise _NotUnderstoodError
        self.at = inside.end()
        line = parse(re.sub(r"\\([`$\\])", r"\1", inside[1]), self.depth + 1)
        self.commands += line.commands
        self.understood = self.understood and line.understood

    def _nested(self, end: str) -> None:
        inner = _Reader(self.text, self.depth + 1)
        inner.at = self.at
        inner.read_commands(end)
        self.at = inner.at
        self.commands += inner.commands
        self.understood = self.understood and inner.understood

    def _stands_alone(self) -> bool:
        following = self.text[self.at : self.at + 1]
        return not self._begun and (not following or following.isspace() or following in _SEPARATORS)
