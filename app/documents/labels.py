"""Page labels: what is printed on a page ("iv", "L15"), from the numbering rules of the file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from itertools import pairwise
from typing import Any


def page_labels(rules: Iterable[Mapping[str, Any]], count: int) -> tuple[str, ...]:
    """Return a label for each of `count` pages.

    Rules are as PyMuPDF gives them: `startpage`, `prefix`, `style` (D, r, R, a, A or
    none) and `firstpagenum`. Pages before the first rule are numbered from 1.
    """
    ordered = sorted(rules, key=lambda rule: int(rule.get("startpage", 0)))
    if not ordered or int(ordered[0].get("startpage", 0)) > 0:
        ordered.insert(0, {"startpage": 0, "style": "D", "firstpagenum": 1})
    starts = [min(count, max(0, int(rule.get("startpage", 0)))) for rule in ordered] + [count]
    labels: list[str] = []
    for rule, (start, end) in zip(ordered, pairwise(starts), strict=True):
        prefix = _decoded(str(rule.get("prefix") or ""))
        first = int(rule.get("firstpagenum") or 1)
        style = str(rule.get("style") or "")
        labels += [prefix + _number(first + i, style) for i in range(end - start)]
    return tuple(label or str(index + 1) for index, label in enumerate(labels))


_STYLE = re.compile(r"/S\s*/([DrRaA])\b")
_START = re.compile(r"/St\s+(\d+)")
_PREFIX = re.compile(r"/P\s*(?:\((?P<text>(?:\\.|[^\\)])*)\)|(?P<hex><[0-9A-Fa-f\s]*>))", re.DOTALL)


def parsed_rule(page: int, rule: str) -> dict[str, Any]:
    """Read one numbering rule from its PDF source, such as `<</Type/PageLabel/S/r/P(A-)>>`.

    PyMuPDF's own reader takes the `/PageLabel` of `/Type` for a prefix "ageLabel".
    """
    style, start, prefix = _STYLE.search(rule), _START.search(rule), _PREFIX.search(rule)
    text = ""
    if prefix:
        text = re.sub(r"\s", "", prefix["hex"]) if prefix["hex"] else re.sub(r"\\(.)", r"\1", prefix["text"])
    return {
        "startpage": page,
        "prefix": text,
        "style": style[1] if style else "",
        "firstpagenum": int(start[1]) if start else 1,
    }


def _decoded(prefix: str) -> str:
    """Some writers give the prefix as a hexadecimal string, of UTF-16 (`<FEFF0031>`) or of bytes."""
    if match := re.fullmatch(r"<(?:FEFF)((?:[0-9A-F]{4})*)>", prefix, re.IGNORECASE):
        return bytes.fromhex(match[1]).decode("utf-16-be", errors="replace")
    if match := re.fullmatch(r"<((?:[0-9A-F]{2})*)>", prefix, re.IGNORECASE):
        return bytes.fromhex(match[1]).decode("latin-1")
    return prefix


def _number(number: int, style: str) -> str:
    match style:
        case "D":
            return str(number)
        case "r":
            return _roman(number).lower()
        case "R":
            return _roman(number)
        case "a":
            return _letters(number).lower()
        case "A":
            return _letters(number)
        case _:
            return ""


_ROMAN = (
    (1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"),
    (50, "L"), (40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I"),
)  # fmt: skip


def _roman(number: int) -> str:
    text = ""
    for value, letters in _ROMAN:
        text += letters * (number // value)
        number %= value
    return text


def _letters(number: int) -> str:
    """A to Z, then AA to ZZ, as the PDF standard has it."""
    return chr(ord("A") + (number - 1) % 26) * ((number - 1) // 26 + 1) if number > 0 else ""
