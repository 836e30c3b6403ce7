"""What stands before the commands: the common options, wherever they are written, and the default command."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from app.errors import UsageError


@dataclass(frozen=True, slots=True)
class Common:
    """The options that every command takes, before or after its name."""

    home: str | None = None
    json: bool = False


def split_common(arguments: Sequence[str]) -> tuple[Common, list[str]]:
    """Take `--home DIR`, `--home=DIR` and `--json` out of the arguments, up to a `--`.

    Raises UsageError for a `--home` without a folder.
    """
    home: str | None = None
    json = False
    rest: list[str] = []
    words = iter(arguments)
    for word in words:
        if word == "--":
            rest.extend([word, *words])
        elif word == "--json":
            json = True
        elif word == "--home":
            home = next(words, "")
            _check_home(home)
        elif word.startswith("--home="):
            home = word.removeprefix("--home=")
            _check_home(home)
        else:
            rest.append(word)
    return Common(home, json), rest


def with_default_command(
    arguments: Sequence[str], commands: Collection[str], exists: Callable[[str], bool]
) -> list[str]:
    """Put `gui` in front when no command is named: nothing at all, files, or `--screenshot`.

    A name that is both a command and a file is the command.
    """
    if not arguments:
        return ["gui"]
    first = arguments[0]
    if first in commands:
        return list(arguments)
    if first.split("=", 1)[0] == "--screenshot" or (not first.startswith("-") and exists(first)):
        return ["gui", *arguments]
    return list(arguments)


def _check_home(home: str) -> None:
    if not home or home.startswith("--"):
        raise UsageError("--home needs a folder.", hint="For example: --home ~/papers")
