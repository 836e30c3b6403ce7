"""The normal form in which quotes are compared, with the way back to the raw text."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache


def fold(text: str) -> str:
    """Return the text as quotes are compared: see `FoldedText`."""
    return FoldedText(text).text


class FoldedText:
    """A text in normal form and, for every character of it, its place in the raw text.

    NFKC (ligatures, full-width forms), no case, one kind of dash, quote and space,
    no soft hyphens, control or zero-width characters. A dash between two letters is
    left out, with the line break behind it: thus a word broken over lines, a word with
    a true hyphen and a line broken at a true hyphen all compare equal.
    """

    __slots__ = ("_ends", "_starts", "text")

    def __init__(self, raw: str) -> None:
        parts: list[str] = []
        starts: list[int] = []
        ends: list[int] = []
        last = " "
        for match in _CLUSTER.finditer(raw):
            if match.lastgroup == "plain":
                start, end = match.span()
                parts.append(match[0].lower())
                starts.extend(range(start, end))
                ends.extend(range(start + 1, end + 1))
                last = ""
                continue
            for c in _fold_cluster(match[0]):
                if c == " " and last == " ":
                    continue
                parts.append(c)
                starts.append(match.start())
                ends.append(match.end())
                last = c
        self.text = "".join(parts)
        self._starts, self._ends = starts, ends
        self._drop([m.span() for m in _INNER_DASH.finditer(self.text)])
        if self.text.endswith(" "):
            self._drop([(len(self.text) - 1, len(self.text))])

    def raw_span(self, start: int, end: int) -> tuple[int, int]:
        """Return the raw span of a folded span `[start, end)`."""
        if start >= end:
            at = self._starts[start] if start < len(self._starts) else (self._ends or [0])[-1]
            return at, at
        return self._starts[start], self._ends[end - 1]

    def _drop(self, spans: list[tuple[int, int]]) -> None:
        for start, end in reversed(spans):
            del self._starts[start:end], self._ends[start:end]
            self.text = self.text[:start] + self.text[end:]


_CLUSTER = re.compile(
    # runs of plain letters in one go; a line broken at a hyphen is one hyphen; accents stay with their letter
    r"(?P<plain>[A-Za-z0-9]+(?![\u0300-\u036f\u1ab0-\u1aff\u20d0-\u20ff]))"
    r"|[-\u00ad\u2010\u2011\u2012\u2013\ufffe][ \t]*\r?\n\s*(?=[^\W\d_])"
    r"|.[\u0300-\u036f\u1ab0-\u1aff\u20d0-\u20ff]*",
    re.DOTALL,
)
_INNER_DASH = re.compile(r"(?<=[^\W\d_])-(?=[^\W\d_])")
_SAME = (
    dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212\u2043\ufe58\ufe63\uff0d", "-")
    | dict.fromkeys("\u2018\u2019\u201a\u201b\u2032\u00b4`\u02bc\u02b9\uff07", "'")
    | dict.fromkeys("\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb\uff02", '"')
    | dict.fromkeys("\u2044\u2215", "/")
    | dict.fromkeys("\u223c\u02dc\uff5e", "~")
    | dict.fromkeys("\u00b7\u22c5\u2219\u2027", "\u00b7")
)


@lru_cache(maxsize=8192)
def _fold_cluster(cluster: str) -> str:
    if len(cluster) > 1 and "\n" in cluster:
        return "-"
    if same := _SAME.get(cluster):
        return same
    if len(cluster) == 1 and unicodedata.category(cluster) == "Sk":
        return cluster if cluster == "^" else ""
    text = unicodedata.normalize("NFKC", cluster)
    text = unicodedata.normalize("NFKC", text.casefold())
    return "".join(_one(c) for c in text)


def _one(c: str) -> str:
    if c.isspace():
        return " "
    if unicodedata.category(c) in {"Cc", "Cf", "Co", "Cn", "Cs"}:
        return ""
    return _SAME.get(c, c)
