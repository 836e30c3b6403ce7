"""Titles: a normal form for comparing them, and which titles name no paper at all."""

from __future__ import annotations

import html
import re
import unicodedata

from rapidfuzz import fuzz


def normalise(title: str) -> str:
    """Return letters and digits alone, in lower case, without accents, TeX and HTML.

    Greek letters become their names, so that "Hα", "H-alpha" and `H$\\alpha$` agree.
    """
    text = re.sub(r"</?[a-zA-Z][^<>]*>", "", html.unescape(title))
    if "\\" in text or "$" in text:
        text = _without_tex(text)
    text = unicodedata.normalize("NFKD", text).casefold().translate(_LETTERS)
    return "".join(c for c in text if c.isalnum())


def is_generic(title: str) -> bool:
    """Whether the title could stand over any paper ("Erratum", "Introduction", "0")."""
    key = normalise(title)
    return len(key) < 4 or key in _GENERIC


def same_title(a: str, b: str) -> bool:
    """Whether two titles are one, down to case, accents, TeX, spaces and punctuation."""
    key = normalise(a)
    return bool(key) and key == normalise(b)


def similarity(a: str, b: str) -> float:
    """Return 0 to 1: how much of two titles agrees, letter by letter."""
    return fuzz.ratio(normalise(a), normalise(b)) / 100


def part(title: str) -> str:
    """Return the number of a companion paper ("iii" in "Title – III. More", "2" in "Paper 2"), or ""."""
    if match := _PART_WORD.search(title):
        return _ROMAN.get(match[1].casefold(), match[1].casefold())
    if match := _PART_ROMAN.search(title):
        return _ROMAN.get(match[1].casefold(), match[1].casefold())
    return ""


_ROMAN = {
    name: str(number)
    for number, name in enumerate(
        "i ii iii iv v vi vii viii ix x xi xii xiii xiv xv xvi xvii xviii xix xx".split(), start=1
    )
}
_PART_WORD = re.compile(r"\b(?:part|paper)\s+(\d{1,2}|[IVX]{1,5})\b", re.IGNORECASE)
_PART_ROMAN = re.compile(r"(?:^|[\s.:\u2013\u2014-])([IVX]{1,5})(?:[.:]|\s*[\u2013\u2014]|\s*$)")

_GREEK = {
    "α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "ε": "epsilon", "ϵ": "epsilon", "ζ": "zeta",
    "η": "eta", "θ": "theta", "ϑ": "theta", "ι": "iota", "κ": "kappa", "λ": "lambda", "μ": "mu", "ν": "nu",
    "ξ": "xi", "ο": "omicron", "π": "pi", "ρ": "rho", "σ": "sigma", "ς": "sigma", "τ": "tau",
    "υ": "upsilon", "φ": "phi", "ϕ": "phi", "χ": "chi", "ψ": "psi", "ω": "omega",
}  # fmt: skip
_LETTERS = str.maketrans(
    _GREEK | {"ø": "o", "ł": "l", "đ": "d", "ı": "i", "æ": "ae", "œ": "oe", "ð": "d", "þ": "th"}
)

_GENERIC = frozenset(
    normalise(title)
    for title in (
        "title, untitled, untitled document, document, paper, article, manuscript, draft, new document, "
        "abstract, introduction, conclusion, conclusions, summary, discussion, results, methods, references, "
        "contents, table of contents, index, preface, foreword, editorial, erratum, errata, corrigendum, "
        "addendum, corrections, reply, comment, letter, letters, letter to the editor, book review, "
        "book reviews, news, obituary, acknowledgements, acknowledgments, appendix, cover, front matter, "
        "back matter, research article, research paper, original article, review, review article, report, "
        "technical report, thesis, proposal, template, titlepage, title page, your title here, "
        "title of the paper, paper title, thesis title, project title, article title, insert title here, "
        "author name, full title"
    ).split(",")
)


def _without_tex(text: str) -> str:
    """Return what TeX would print. A title is not a TeX file: `%` starts no comment here."""
    from pylatexenc.latex2text import LatexNodes2Text

    text = re.sub(r"(?<!\\)([%#&])", r"\\\1", text)
    text = re.sub(r"\\ensuremath\b", "", text)
    converter = LatexNodes2Text(math_mode="text", strict_latex_spaces=False, keep_comments=True)
    return str(converter.latex_to_text(text, tolerant_parsing=True))
