"""What embedding models want before a text: told by the name of the model. Pure.

Sources: the model cards of the families. A model that nobody here knows gets texts as they are.
"""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Prefixes:
    """What comes before a question and before a passage."""

    query: str = ""
    passage: str = ""


_RETRIEVE = "Represent this sentence for searching relevant passages: "
_FAMILIES = (
    (r"nomic-embed", Prefixes("search_query: ", "search_document: ")),
    (r"e5.*instruct|gte-qwen2|qwen3-embed", Prefixes(
        "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:")),
    (r"\be5\b", Prefixes("query: ", "passage: ")),
    (r"arctic-embed.*v2", Prefixes("query: ")),
    (r"mxbai-embed|arctic-embed|bge-(?:small|base|large)-en", Prefixes(_RETRIEVE)),
    (r"bge-(?:small|base|large)-zh", Prefixes("为这个句子生成表示以用于检索相关文章：")),
    (r"embeddinggemma", Prefixes("task: search result | query: ", "title: none | text: ")),
)  # fmt: skip


def prefixes_of(name: str) -> Prefixes:
    """Return the prefixes of a model by its name, file name or label."""
    plain = re.sub(r"[\s_.]+", "-", name.lower())
    return next((found for pattern, found in _FAMILIES if re.search(pattern, plain)), Prefixes())
