"""Passages: their text, their place, their section."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path

import pymupdf
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from app.documents.batches import PageBatch, passage_as_json, passage_from_json
from app.documents.chunk import chunk_markdown
from app.documents.extraction import Extraction
from app.documents.opening import open_document
from app.documents.reading import DocumentReader
from app.records.passage import Passage, PassageKind
from tests.documents.made import prose, saved, write_lines


def read(path: Path) -> tuple[DocumentReader, PageBatch]:
    reader = DocumentReader(open_document(path))
    return reader, Extraction(reader).batch(0, reader.pages)


@pytest.fixture(scope="module")
def paper(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three pages: title, abstract, numbered sections, a table, a caption, references."""
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((150, 80), "A Study of Variable Stars", fontsize=17, fontname="tibo")
    page.insert_text((230, 110), "Jane Doe and John Roe", fontsize=10, fontname="tiro")
    page.insert_text((280, 150), "Abstract", fontsize=11, fontname="tibo")
    y = write_lines(page, 72, 175, prose("abstract", 8))
    page.insert_text((72, y + 20), "1 Introduction", fontsize=12, fontname="tibo")
    write_lines(page, 72, y + 45, prose("intro", 30))
    page = document.new_page()
    page.insert_text((72, 90), "2 Results", fontsize=12, fontname="tibo")
    y = write_lines(page, 72, 115, prose("results", 6))
    page.insert_text((72, y + 20), "2.1 Systematics", fontsize=11, fontname="tibo")
    y = write_lines(page, 72, y + 45, prose("systematics", 6))
    page.insert_text((72, y + 25), "Table 1. Magnitudes of the stars.", fontsize=9, fontname="tiro")
    for row in range(6):
        for column, cell in enumerate((f"HD {row}", f"{7 + row}.65", "0.01", "6091")):
            page.insert_text((90 + 90 * column, y + 45 + 12 * row), cell, fontsize=9, fontname="tiro")
    y += 45 + 12 * 6 + 30
    page.insert_text((72, y), "Figure 1. The light curve of the brightest star.", fontsize=9, fontname="tiro")
    y = write_lines(page, 72, y + 30, prose("after", 6))
    page = document.new_page()
    y = write_lines(page, 72, 90, prose("continued", 10))
    page.insert_text((72, y + 20), "References", fontsize=12, fontname="tibo")
    write_lines(page, 72, y + 45, [f"Author {i}, A. B. 20{i:02d}, ApJ, 8{i:02d}, 1" for i in range(20)])
    path = tmp_path_factory.mktemp("made") / "paper.pdf"
    return saved(document, path)


def with_text(passages: tuple[Passage, ...], part: str) -> Passage:
    return next(p for p in passages if part in p.text)


def test_that_the_text_of_a_passage_is_its_span_of_the_page(paper: Path) -> None:
    reader, batch = read(paper)
    for passage in batch.passages:
        page = reader.page_text(passage.page)
        assert page.text[passage.start : passage.end] == passage.text
        assert page.text[: passage.start].endswith(passage.prefix)
        assert page.text[passage.end :].startswith(passage.suffix)


def test_that_passages_of_a_page_do_not_overlap_and_have_lines(paper: Path) -> None:
    _, batch = read(paper)
    for a, b in pairwise(batch.passages):
        assert a.page < b.page or a.end <= b.start
    for passage in batch.passages:
        assert passage.lines
        assert all(0 <= line.start < line.end <= len(passage.text) for line in passage.lines)
        covered = "".join(passage.text[line.start : line.end] for line in passage.lines)
        assert "".join(covered.split()) == "".join(passage.text.split())


def test_that_the_section_path_goes_on_over_pages(paper: Path) -> None:
    _, batch = read(paper)
    assert with_text(batch.passages, "intro line 3").section == "1 Introduction"
    assert with_text(batch.passages, "results line 3").section == "2 Results"
    assert with_text(batch.passages, "systematics line 3").section == "2 Results > 2.1 Systematics"
    continued = with_text(batch.passages, "continued line 3")
    assert continued.page == 2
    assert continued.section == "2 Results > 2.1 Systematics"


def test_that_kinds_of_passages_are_told_apart(paper: Path) -> None:
    _, batch = read(paper)
    assert with_text(batch.passages, "abstract line 3").kind is PassageKind.ABSTRACT
    assert with_text(batch.passages, "Figure 1.").kind is PassageKind.CAPTION
    table = with_text(batch.passages, "Table 1.")
    assert table.kind is PassageKind.TABLE
    assert "HD 3\t10.65\t0.01\t6091" in table.text
    assert with_text(batch.passages, "Author 3,").kind is PassageKind.REFERENCES
    assert with_text(batch.passages, "intro line 3").kind is PassageKind.TEXT


def test_that_the_title_opens_no_section(paper: Path) -> None:
    _, batch = read(paper)
    assert not any("Variable Stars" in passage.section for passage in batch.passages)
    assert with_text(batch.passages, "A Study of Variable Stars").section == ""


def test_that_markdown_keeps_headings_and_tables(paper: Path) -> None:
    _, batch = read(paper)
    whole = "\n\n".join(batch.markdown)
    assert "## 2 Results" in whole
    assert "### 2.1 Systematics" in whole
    assert "| HD 3 | 10.65 | 0.01 | 6091 |" in whole


def test_that_reading_from_the_middle_knows_the_open_section(paper: Path) -> None:
    reader = DocumentReader(open_document(paper))
    extraction = Extraction(reader)
    extraction.catch_up(2)
    batch = extraction.batch(2, 3)
    _, whole = read(paper)
    assert batch.passages == tuple(p for p in whole.passages if p.page == 2)


def test_that_a_batch_survives_the_way_between_processes(paper: Path) -> None:
    _, batch = read(paper)
    again = PageBatch.from_json(batch.as_json())
    assert [p.text for p in again.passages] == [p.text for p in batch.passages]
    passage = batch.passages[2]
    back = passage_from_json(passage_as_json(passage))
    assert back.end == passage.end
    assert back.lines[0].quad.as_list() == pytest.approx(passage.lines[0].quad.as_list(), abs=0.01)


# -- Markdown papers


PAPER = """# Cosmology with *one* galaxy?

A. Author ${ }^{1}$, B. Author

#### Abstract
We do it with one galaxy.

## 1. INTRODUCTION

Galaxies are useful. They are many.

$$
\\Omega_m = 0.3
$$

where it is constant.

### 1.1. Data

Table 1. The sample.

| name | value |
| --- | --- |
| a | 1 |

Figure 1. A plot of it.

# 2. Methods

We use networks.

## REFERENCES

Author, A. 2020
"""


def test_that_a_markdown_paper_has_title_sections_and_kinds() -> None:
    title, passages = chunk_markdown(PAPER)
    assert title == "Cosmology with *one* galaxy?"
    found = {(p.section, p.kind) for p in passages}
    assert ("Abstract", PassageKind.ABSTRACT) in found
    assert ("1. INTRODUCTION", PassageKind.TEXT) in found
    assert ("1. INTRODUCTION > 1.1. Data", PassageKind.TABLE) in found
    assert ("1. INTRODUCTION > 1.1. Data", PassageKind.CAPTION) in found
    assert ("2. Methods", PassageKind.TEXT) in found
    assert ("REFERENCES", PassageKind.REFERENCES) in found
    table = next(p for p in passages if p.kind is PassageKind.TABLE)
    assert table.text.startswith("Table 1.")
    assert table.text.endswith("| a | 1 |")
    formula = next(p for p in passages if "Omega" in p.text)
    assert "where it is constant" in formula.text


MARKDOWN = st.lists(
    st.sampled_from(
        [
            "# Title",
            "## 2 Section",
            "### Sub",
            "",
            "some words here.",
            "| a | b |",
            "$$",
            "x = 1",
            "```",
            "Fig. 1. Caption",
            "![x](y)",
            "word " * 700,
            "#",
            "\r",
        ]
    ),
    max_size=40,
).map("\n".join)


FENCED = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
"""A heading sign inside is code, also where the limit of a passage has parted the block."""


@example("```\n" + "word " * 700 + "\n# Title\n```")
@given(MARKDOWN)
def test_that_a_markdown_passage_is_its_span_and_nothing_but_headings_is_lost(text: str) -> None:
    _, passages = chunk_markdown(text)
    fences = [match.span() for match in FENCED.finditer(text)]
    for passage in passages:
        assert text[passage.start : passage.end] == passage.text
        assert passage.text.strip()
        assert all(
            any(a < passage.start + at.start() < b for a, b in fences)
            for at in re.finditer("\n# ", passage.text)
        )
        assert len(passage.text) <= 4000
    for a, b in pairwise(passages):
        assert a.end <= b.start
    left = text
    for passage in reversed(passages):
        left = left[: passage.start] + left[passage.end :]
    assert all(not line.strip() or line.startswith("#") for line in left.replace("\r", "\n").split("\n"))


@pytest.mark.parametrize("text", ["", "\n\n", "no heading at all", "#", "# ", "$$", "|", "# only a title"])
def test_that_odd_markdown_is_taken(text: str) -> None:
    title, passages = chunk_markdown(text)
    assert isinstance(title, str)
    assert all(text[p.start : p.end] == p.text for p in passages)


def test_that_the_shared_markdown_papers_are_cut_by_their_sections(shared: Path) -> None:
    for path in (shared / "eval" / "cosmopaperqa").glob("2*.md"):
        text = path.read_text(encoding="utf-8")
        title, passages = chunk_markdown(text)
        assert len(title) > 20
        assert len({p.section for p in passages}) > 15
        assert max(len(p.text) for p in passages) <= 4000
        assert sum(len(p.text) for p in passages) > 0.95 * len(text) - 4000
