"""Metadata written into the file: what of it is real, and what a program left there."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from app.records.titles import is_generic, normalise

_FILE_LIKE = re.compile(
    r"\.(?:pdf|eps|ps|dvi|tex|docx?|rtf|odt|indd|qxd|fm|url|txt|html?|xml|png|jpe?g|svg|tiff?|pptx?|xlsx?|p65|3d)\b"
    r"|[\\/]\w+[\\/]|^[A-Za-z]:\\|^file:|^https?:",
    re.IGNORECASE,
)
_PROGRAM = re.compile(
    r"^(?:microsoft\b|powerpoint presentation|latex(?: document| file)?|tex output|acrobat|adobe|doi:|pii:"
    r"|layout \d|slide \d|print|printing|scan(?:ned)?\b|image\b|full ?page photo|bitmap|untitled|unbenannt"
    r"|sans titre|proof|galley|s?\d{4}-\d{3}[\dx]|figure\b|gnuplot|matplotlib|idl\b|template"
    r"|graphics produced"
    r"|本文|无标题|新建|标题)",
    re.IGNORECASE,
)
_AUTHOR_JUNK = re.compile(
    r"^(?:name|authors?|first ?author|users?|admin(?:istrator)?|owner|unknown|anonymous|root|default|student|"
    r"guest|me|test|home|pc|dell|hp|lenovo|windows|edpsciences|elsevier.*|springer.*|wiley.*|iop.*|oup|mdpi.*|"
    r"the .*press|publisher|editor|typeset.*|gnuplot.*|tex|latex|\w{1,4}|\W*)$",
    re.IGNORECASE,
)


def is_junk_title(title: str) -> bool:
    """Whether a title in the metadata is a file name, a program's default or a placeholder."""
    text = " ".join(title.split())
    letters = sum(c.isalpha() for c in text)
    if is_generic(text) or _FILE_LIKE.search(text) or _PROGRAM.match(text):
        return True
    if letters < 0.5 * len(text.replace(" ", "")) or letters < 6:
        return True
    one_word = " " not in text and not re.search(r"[\u3400-\u9fff]", text)
    # identifiers, job numbers and variable names: a word with digits or underscores in it
    return one_word and bool(re.search(r"\d|_|[a-z][A-Z].*[a-z][A-Z]", text) or len(text) < 10)


def is_junk_author(author: str) -> bool:
    """Whether an author in the metadata is an account, a publisher or a placeholder."""
    text = " ".join(author.split())
    return not text or bool(_AUTHOR_JUNK.match(text)) or "@" in text or any(c.isdigit() for c in text)


def titles(info: Mapping[str, str], xmp: Mapping[str, tuple[str, ...]]) -> list[tuple[str, str]]:
    """Return the titles the metadata offers, with where each stands ("xmp", "info"), junk left out."""
    offered = [("xmp", value) for value in xmp.get("dc:title", ())[:1]] + [("info", info.get("title", ""))]
    return [
        (where, " ".join(title.split())) for where, title in offered if title and not is_junk_title(title)
    ]


def authors(info: Mapping[str, str], xmp: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    """Return the authors the metadata names, junk left out; XMP keeps them apart, Info in one text."""
    creators = xmp.get("dc:creator", ())
    if len(creators) <= 1:
        text = creators[0] if creators else info.get("author", "")
        pieces: Iterable[str] = re.split(r";|,? and |&|,(?!\s*(?:Jr|Sr|[IV]+\b))", text)
    else:
        pieces = creators
    names = [" ".join(piece.split()) for piece in pieces]
    return () if any(is_junk_author(name) for name in names) else tuple(names)


def doi_texts(info: Mapping[str, str], xmp: Mapping[str, tuple[str, ...]]) -> list[tuple[str, str]]:
    """Return the texts in which the metadata names the file's own DOI, with where each stands."""
    keys = (
        "prism:doi",
        "pdfx:doi",
        "crossmark:DOI",
        "pdfx:DOI",
        "prism:url",
        "dc:identifier",
        "pdfx:WPS-ARTICLEDOI",
    )
    found = [("xmp", value) for key in keys for value in xmp.get(key, ())]
    return found + [("info", value) for key, value in info.items() if key.casefold() in {"doi", "subject"}]


def stands_on_page(title: str, page_text: str) -> bool:
    """Whether a title's letters stand in a row on the page."""
    key = normalise(title)
    return len(key) >= 8 and key in normalise(page_text)
