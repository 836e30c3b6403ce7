"""One exact replacement in a text, in which every other character stays as it is. Pure.

Matching is done with line ends as "\\n", as models write them; the places found are carried back to the
text as it is, and of what is replaced only the part that differs is touched.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from app.errors import AppError

MOST_PLACES = 20
_SUGGESTION_LINES = 20_000
_WIDEST = 200


class EditError(AppError):
    """The replacement cannot be made as it was asked for; nothing was changed."""

    code = "edit"


@dataclass(frozen=True, slots=True)
class Edited:
    """The new text, how often the old one was replaced, and in which lines (from 1)."""

    text: str
    lines: tuple[int, ...]

    @property
    def count(self) -> int:
        """How many places were changed."""
        return len(self.lines)


def replaced(text: str, old: str, new: str, *, everywhere: bool = False) -> Edited:
    """Replace `old`, which must be there exactly once, or `everywhere`, by `new`, taken word for word.

    Line ends of inserted text are those of the lines it touches. Raises EditError.
    """
    old, new = _with_plain_ends(old), _with_plain_ends(new)
    if not old:
        raise EditError(
            "old_string is empty.", hint="Give the text to replace, or use file_write for a new file."
        )
    if old == new:
        raise EditError("old_string and new_string are the same.", hint="Nothing has to be changed.")
    flat = _Flat(text)
    starts = list(_places(flat.text, old, overlapping=not everywhere))
    if not starts:
        raise EditError("old_string is not in the file.", hint=_nearest(flat.text, old))
    if len(starts) > 1 and not everywhere:
        shown = ", ".join(map(str, flat.lines(starts[:MOST_PLACES])))
        more = " and more" if len(starts) > MOST_PLACES else ""
        raise EditError(
            f"old_string is in the file {len(starts)} times (lines {shown}{more}).",
            hint="Give more of the text around the place you mean, or set replace_all.",
        )
    return Edited(_spliced(flat, starts, old, new), tuple(flat.lines(starts)))


def dominant_end(text: str, default: str = "\n") -> str:
    r"""Return the line end that a text has most often: "\n", "\r\n" or "\r"; `default` without any."""
    crlf = text.count("\r\n")
    counts = {"\r\n": crlf, "\n": text.count("\n") - crlf, "\r": text.count("\r") - crlf}
    best = max(counts, key=lambda end: counts[end])
    return best if counts[best] else default


class _Flat:
    """A text with "\\n" for every line end, and the way back."""

    def __init__(self, raw: str) -> None:
        self.raw = raw
        self.text = _with_plain_ends(raw)
        # where in `text` a pair became one character
        self._pairs: list[int] = []
        place = raw.find("\r\n")
        while place >= 0:
            self._pairs.append(place - len(self._pairs))
            place = raw.find("\r\n", place + 2)
        self._end = dominant_end(raw)

    def raw_place(self, place: int) -> int:
        """Return the place in the text as it is; never between the two characters of a line end."""
        return place + bisect_left(self._pairs, place)

    def lines(self, places: Sequence[int]) -> list[int]:
        """Return the numbers of the lines of places in rising order, from 1."""
        numbers = []
        number, done = 1, 0
        for place in places:
            number += self.text.count("\n", done, place)
            done = place
            numbers.append(number)
        return numbers

    def end_at(self, start: int, stop: int) -> str:
        """Return the line end to write between two places: of the lines there, else of the whole text."""
        first = self.text.rfind("\n", 0, start) + 1
        last = self.text.find("\n", stop)
        region = self.raw[self.raw_place(first) : self.raw_place(last + 1) if last >= 0 else len(self.raw)]
        return dominant_end(region, "") or self._end


def _spliced(flat: _Flat, starts: list[int], old: str, new: str) -> str:
    head = _common(old, new)
    tail = _common(old[head:][::-1], new[head:][::-1])
    middle = new[head : len(new) - tail]
    parts = []
    done = 0
    for start in starts:
        first, last = start + head, start + len(old) - tail
        end = flat.end_at(first, last) if "\n" in middle else "\n"
        parts += [flat.raw[done : flat.raw_place(first)], middle.replace("\n", end)]
        done = flat.raw_place(last)
    return "".join([*parts, flat.raw[done:]])


def _places(text: str, wanted: str, *, overlapping: bool) -> Iterator[int]:
    place = text.find(wanted)
    while place >= 0:
        yield place
        place = text.find(wanted, place + (1 if overlapping else len(wanted)))


def _common(one: str, other: str) -> int:
    """Return how many characters two texts begin with alike."""
    length = min(len(one), len(other))
    return next((i for i in range(length) if one[i] != other[i]), length)


def _with_plain_ends(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _nearest(text: str, wanted: str) -> str:
    """Say what is in the file that `wanted` may have meant; a suggestion, never applied."""
    lines = text.split("\n")
    loose = {" ".join(line.split()): number for number, line in reversed(list(enumerate(lines, 1)))}
    first = next((line for line in wanted.split("\n") if line.strip()), "")
    if (number := loose.get(" ".join(first.split()))) and first.strip():
        return f"Line {number} looks alike but for white space. Read the file there and copy it exactly."
    from rapidfuzz import fuzz, process  # for a mistake alone

    choices = [line[:_WIDEST] for line in islice(lines, _SUGGESTION_LINES)]
    near = process.extractOne(first[:_WIDEST], choices, scorer=fuzz.ratio, score_cutoff=70) if first else None
    if near:
        text, _, index = near
        return f"The nearest is line {index + 1}: {text.strip()!r}. Read the file there and copy it exactly."
    return "Read the file and copy the text to replace exactly, without line numbers."
