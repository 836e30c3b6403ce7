"""What of a passage is embedded."""

from __future__ import annotations

import pytest

from app.records.ids import PageIndex, PageLabel
from app.records.passage import Passage, PassageKind
from app.services.importing.indexing import header, meaning_of


def passage(kind: PassageKind, text: str) -> Passage:
    return Passage(PageIndex(0), PageLabel("1"), 0, len(text), text, "Results", kind)


def test_that_the_header_names_title_and_section() -> None:
    assert header("Lantern 42", passage(PassageKind.TEXT, "x")) == "Lantern 42 | Results"


@pytest.mark.parametrize("kind", [PassageKind.TEXT, PassageKind.ABSTRACT, PassageKind.CAPTION])
def test_that_prose_is_embedded_whole(kind: PassageKind) -> None:
    text = "words " * 200
    assert meaning_of("head", text, kind) == f"head\n{text}"


@pytest.mark.parametrize("kind", [PassageKind.TABLE, PassageKind.REFERENCES])
def test_that_of_lists_the_beginning_is_embedded(kind: PassageKind) -> None:
    embedded = meaning_of("head", "Table 1. Periods. " + "331.4 0.8 " * 200, kind)
    assert embedded.startswith("head\nTable 1. Periods.")
    assert len(embedded) < 300
