"""Numbers with signs and units, and whether one text's numbers stand in another.

A wrong digit in a cited value is the mistake that hurts most, so the rule is
strict: the same digits, or a correct rounding that keeps two significant digits;
the same sign where both texts print one; no different unit where both name one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from itertools import pairwise

_NUMBER = re.compile(
    r"""(?<![A-Za-z0-9_.])(?P<sign>[-−+])?\s?(?P<digits>\d{1,3}(?:[,\u2009\u202f]\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)"""
    r"""(?:\s?(?:×|x|\\times)\s?10\s?\^?\{?\s?(?P<power>[-−]?\d+)\}?|[eE](?P<e>[-−+]?\d+))?"""
    r"""(?P<tail>\s?(?:\\?%|[°µμÅ]?[A-Za-zÅ⊙☉']+)?)""",
    re.VERBOSE,
)
_TEX = re.compile(r"\\(?:mathrm|text|rm|mathit|textrm)\b|[${}~]|\\[,;:! ]|\\left|\\right")
_PLUS_MINUS = re.compile(r"±|\+/[-−]|\\pm")
_DIGIT_GLYPHS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻₀₁₂₃₄₅₆₇₈₉₋", "0123456789-0123456789-")

_UNITS: dict[str, str] = {}
for _unit, _spellings in {
    "day": "d day days",
    "hour": "h hr hrs hour hours",
    "minute": "min mins minute minutes",
    "second": "s sec second seconds",
    "year": "yr yrs year years",
    "Myr": "Myr Myrs",
    "Gyr": "Gyr Gyrs",
    "kyr": "kyr kyrs",
    "pc": "pc parsec parsecs",
    "kpc": "kpc kiloparsec kiloparsecs",
    "Mpc": "Mpc megaparsec megaparsecs",
    "Gpc": "Gpc",
    "au": "au AU",
    "percent": "% per percent \\%",
    "mag": "mag mags magnitude magnitudes",
    "mmag": "mmag",
    "km": "km",
    "m": "m metre metres meter meters",
    "cm": "cm",
    "nm": "nm",
    "GHz": "GHz",
    "MHz": "MHz",
    "Hz": "Hz",
    "keV": "keV",
    "eV": "eV",
    "MeV": "MeV",
    "GeV": "GeV",
    "TeV": "TeV",
    "K": "K kelvin",
    "degree": "° deg degree degrees",
    "arcsec": "arcsec arcseconds",
    "mas": "mas",
    "GB": "GB",
    "MB": "MB",
    "dex": "dex",
}.items():
    _UNITS.update(dict.fromkeys(_spellings.split(), _unit))

_WORDS = {
    word: number
    for number, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve".split()
    )
}
_WORD_NUMBER = re.compile(
    r"\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Quantity:
    """A printed number: its value, whether a sign was printed, and its unit ("" if none known)."""

    value: Decimal
    signed: bool
    unit: str
    start: int
    end: int

    @property
    def digits(self) -> int:
        """Significant digits as printed."""
        return len(self.value.as_tuple().digits)


def find(text: str) -> list[Quantity]:
    """Return the numbers printed in `text`, in order; "1,234" is one number, "10–20" are two."""
    plain = _TEX.sub(lambda m: " " * len(m.group()), text.translate(_DIGIT_GLYPHS)).replace("\\pm", " ± ")
    found = []
    for match in _NUMBER.finditer(plain):
        quantity = _read(match, plain)
        if quantity is not None:
            found.append(quantity)
    found += [
        Quantity(Decimal(_WORDS[m.group().lower()]), False, "", m.start(), m.end())
        for m in _WORD_NUMBER.finditer(plain)
    ]
    return _with_shared_units(sorted(found, key=lambda q: q.start), plain)


def _with_shared_units(found: list[Quantity], text: str) -> list[Quantity]:
    """Give "331.4" of "331.4 ± 0.8 days" and "10" of "10–20 pc" the unit printed once after the last."""
    for i in range(len(found) - 2, -1, -1):
        this, following = found[i], found[i + 1]
        between = text[this.end : following.start].strip()
        if not this.unit and following.unit and between in {"±", "+/-", "-", "–", "to", "and", "or"}:
            found[i] = replace(this, unit=following.unit)
    return found


def _read(match: re.Match[str], text: str) -> Quantity | None:
    digits = re.sub(r"[,\u2009\u202f]", "", match["digits"])
    power = (match["power"] or match["e"] or "").replace("−", "-")
    try:
        value = Decimal(digits + (f"E{power}" if power else ""))
    except InvalidOperation:
        return None
    sign = match["sign"]
    # After a digit a dash makes a range ("10-20"), and a letter a name ("WASP-4"): no sign.
    before = text[: match.start()].rstrip()[-1:]
    signed = bool(sign) and not (before.isalnum() or before == ")")
    negative = signed and sign in "-−"
    unit = _UNITS.get(match["tail"].strip(), "")
    if (
        unit == "percent"
        and match["tail"].strip() == "per"
        and not text[match.end() :].lstrip().startswith("cent")
    ):
        unit = ""
    return Quantity(-value if negative else value, signed, unit, match.start("digits"), match.end("digits"))


def agrees(claim: Quantity, source: Quantity) -> bool:
    """Whether a claimed number may be said on the strength of the printed one."""
    if claim.unit and source.unit and claim.unit != source.unit:
        return False
    if claim.value.is_signed() != source.value.is_signed():
        return False
    if claim.value == source.value:
        return True
    return claim.digits >= 2 and _is_rounding(claim.value, source.value)


def _is_rounding(rounded: Decimal, full: Decimal) -> bool:
    exponent = rounded.as_tuple().exponent
    full_exponent = full.as_tuple().exponent
    if not isinstance(exponent, int) or not isinstance(full_exponent, int) or full_exponent >= exponent:
        return False
    return full.quantize(Decimal(1).scaleb(exponent), rounding=ROUND_HALF_UP) == rounded


def missing(claim: str, source: str) -> list[Quantity]:
    """Return the numbers of `claim` that do not stand in `source`; empty when all do.

    "0.72 ± 0.02" needs both numbers side by side: a value may not borrow another's error.
    """
    claimed, printed = find(claim), find(source)
    claimed_errors, printed_errors = _errors(claimed, claim), _errors(printed, source)
    return [
        c
        for i, c in enumerate(claimed)
        if not any(
            agrees(c, s)
            and (i not in claimed_errors or (j in printed_errors and agrees(claimed[i + 1], printed[j + 1])))
            for j, s in enumerate(printed)
        )
    ]


def _errors(found: list[Quantity], text: str) -> set[int]:
    """Return the places of the values that are followed by "±" and their error."""
    return {
        i
        for i, (value, error) in enumerate(pairwise(found))
        if _PLUS_MINUS.fullmatch(text[value.end : error.start].strip(" ${}~"))
    }
