"""What is known of a document before any page of it is judged: body size, words, running heads, outline.

Made from the same pages whatever is asked later, so that a character span in a page's
text means the same to the import, the reader and a note made years ago.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from app.documents.furniture import running_patterns
from app.documents.glyphs import PageGlyphs
from app.documents.headings import outline_key
from app.documents.hyphens import Vocabulary

SAMPLE_PAGES = 24
"""Most papers are read whole; of a long document the first pages and some others."""
_FIRST_PAGES = 10


@dataclass(frozen=True, slots=True)
class DocumentProfile:
    """Evidence from the whole document for decisions about one page."""

    body_size: float = 10.0
    body_font: str = ""
    words: Vocabulary = field(default_factory=Vocabulary)
    running: frozenset[str] = frozenset()
    outline: Mapping[str, int] = field(default_factory=dict)
    """Level (1, 2, …) by `headings.outline_key` of the bookmark's title."""


def sample_pages(count: int) -> list[int]:
    """Return the page indices that a profile is made from."""
    if count <= SAMPLE_PAGES:
        return list(range(count))
    rest = SAMPLE_PAGES - _FIRST_PAGES
    step = (count - _FIRST_PAGES) / rest
    return [*range(_FIRST_PAGES), *(_FIRST_PAGES + int(i * step) for i in range(rest))]


def profile_of(pages: Sequence[PageGlyphs], outline: Sequence[tuple[int, str]]) -> DocumentProfile:
    """Build the profile from the sampled pages and the document's outline (level, title)."""
    sizes: Counter[float] = Counter()
    fonts: Counter[str] = Counter()
    for page in pages:
        for line in page.lines:
            if line.upright:
                sizes[line.size] += len(line.text)
                fonts[line.font] += len(line.text)
    titles: dict[str, int] = {}
    for level, title in outline:
        key = outline_key(title)
        if len(key) > 2:
            titles.setdefault(key, level)
    return DocumentProfile(
        body_size=sizes.most_common(1)[0][0] if sizes else 10.0,
        body_font=fonts.most_common(1)[0][0] if fonts else "",
        words=Vocabulary.of_lines(line.text for page in pages for line in page.lines),
        running=running_patterns((page.lines, page.height) for page in pages),
        outline=titles,
    )
