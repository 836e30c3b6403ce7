"""File name patterns: `*` and `?` stay in one part of a path, `**` goes through folders. Pure."""

from __future__ import annotations

import re

from app.errors import AppError

MOST_BRACES = 64


class PatternError(AppError):
    """A pattern cannot be understood; the message says where."""

    code = "bad_pattern"


class Glob:
    """A pattern, matched with paths relative to where the search starts, with "/".

    One without a slash is for the name alone, at any depth. `{a,b}` and `[a-z]` work as in a shell.
    Raises PatternError.
    """

    def __init__(self, text: str) -> None:
        pattern = text.strip().removeprefix("./").replace("\\", "/")
        if not pattern or pattern.startswith("/") or ".." in pattern.split("/"):
            raise PatternError(
                f'"{text[:200]}" is no pattern below a folder.',
                hint="Give one like *.tex or notes/**/*.md, and the folder as path.",
            )
        if "/" not in pattern:
            pattern = f"**/{pattern}"
        try:
            self._regex = re.compile("|".join(_regex(choice) for choice in _choices(pattern)))
        except (re.error, RecursionError) as error:
            raise PatternError(f'"{text[:200]}" is not a file name pattern: {error}.') from error

    def matches(self, path: str) -> bool:
        """Whether a relative path fits the whole pattern."""
        return self._regex.fullmatch(path) is not None


def compiled(pattern: str, *, ignore_case: bool) -> re.Pattern[str]:
    """Return a regular expression for single lines. Raises PatternError that shows where it is wrong."""
    try:
        return re.compile(pattern, re.IGNORECASE if ignore_case else 0)
    except re.error as error:
        place = f" at character {error.pos + 1}" if error.pos is not None else ""
        raise PatternError(
            f"The pattern is not a regular expression: {error.msg}{place}.",
            hint=f"For these characters themselves write {re.escape(pattern)[:200]}",
        ) from error
    except (RecursionError, OverflowError) as error:
        raise PatternError("The pattern is too deep or too large.", hint="Give a simpler one.") from error


def _choices(pattern: str) -> list[str]:
    """Put every alternative of `{a,b}` in place; innermost first."""
    open_ones = [pattern]
    done: list[str] = []
    while open_ones:
        current = open_ones.pop()
        braces = re.search(r"\{([^{}]*,[^{}]*)\}", current)
        if braces is None:
            done.append(current)
        else:
            before, after = current[: braces.start()], current[braces.end() :]
            open_ones += [f"{before}{choice}{after}" for choice in braces[1].split(",")]
        if len(open_ones) + len(done) > MOST_BRACES:
            raise PatternError(f"The pattern has more than {MOST_BRACES} alternatives.")
    return done


def _regex(pattern: str) -> str:
    parts = re.findall(r"(?:^|(?<=/))\*\*/|/\*\*$|\*+|\?|\[[!^]?\]?[^\]]*\]|.", pattern, re.DOTALL)
    return "".join(_piece(part) for part in parts)


def _piece(part: str) -> str:
    match part:
        case "**/":
            return "(?:[^/]+/)*"
        case "/**":
            return "/.+"
        case "?":
            return "[^/]"
    if part.startswith("*"):
        return "[^/]*"
    if part.startswith("[") and len(part) > 2:
        inside = part[1:-1].replace("\\", r"\\").replace("[", r"\[")
        negated = inside[0] in "!^"
        inside = inside.lstrip("!^") if negated else inside
        return f"[^/{inside}]" if negated else f"[{inside}]"
    return re.escape(part)
