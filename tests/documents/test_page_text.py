"""The place of words, whatever the page boxes say."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pymupdf
import pytest

from app.documents.opening import open_document
from app.documents.page_text import PageText
from app.documents.reading import DocumentReader
from app.records.passage import Quad
from tests.documents.made import minimal_pdf, saved, two_columns, write_lines

SIZE = 20.0
CONTENT = "BT /F1 20 Tf 200 400 Td (Hello Cepheid world) Tj ET"


def page_text(path: Path, page: int = 0) -> PageText:
    return DocumentReader(open_document(path)).page_text(page)


def box_of(quad: Quad) -> pymupdf.Rect:
    xs, ys = quad.as_list()[0::2], quad.as_list()[1::2]
    return pymupdf.Rect(min(xs), min(ys), max(xs), max(ys))


def true_box(before: str, word: str, x: float, baseline: float, size: float) -> pymupdf.Rect:
    font = pymupdf.Font("helv")
    start = x + font.text_length(before, size)
    return pymupdf.Rect(
        start,
        baseline + font.descender * size,
        start + font.text_length(word, size),
        baseline + font.ascender * size,
    )


def overlap(a: pymupdf.Rect, b: pymupdf.Rect) -> float:
    shared = pymupdf.Rect(a) & b
    return abs(shared) / max(abs(a), abs(b)) if not shared.is_empty else 0.0


@pytest.mark.parametrize("rotate", [0, 90, 180, 270])
@pytest.mark.parametrize(
    ("media", "crop"),
    [
        ((0, 0, 612, 792), None),
        ((100, 50, 712, 842), None),
        ((0, 0, 612, 792), (150, 300, 500, 700)),
        ((-50, -80, 562, 712), (120, 250, 520, 640)),
    ],
)
@pytest.mark.parametrize("unit", [1.0, 2.0])
def test_that_a_word_is_placed_in_user_space(
    tmp_path: Path, rotate: int, media: tuple[float, ...], crop: tuple[float, ...] | None, unit: float
) -> None:
    path = tmp_path / "page.pdf"
    path.write_bytes(minimal_pdf(CONTENT, media=media, crop=crop, rotate=rotate, unit=unit))
    page = page_text(path)
    start = page.text.index("Cepheid")
    (quad,) = page.quads(start, start + len("Cepheid"))
    assert overlap(box_of(quad), true_box("Hello ", "Cepheid", 200, 400, SIZE)) >= 0.95
    # As the text reads: the upper left corner is the upper left corner.
    assert quad.ul[0] < quad.ur[0]
    assert quad.ul[1] > quad.ll[1]


def test_that_text_set_sideways_keeps_its_reading_direction(tmp_path: Path) -> None:
    path = tmp_path / "sideways.pdf"
    path.write_bytes(minimal_pdf("BT /F1 20 Tf 0 1 -1 0 300 200 Tm (Hello Cepheid world) Tj ET"))
    page = page_text(path)
    start = page.text.index("Cepheid")
    (quad,) = page.quads(start, start + len("Cepheid"))
    assert quad.ul[1] < quad.ur[1]
    assert quad.ul[0] < quad.ll[0]


def test_that_part_of_a_word_has_part_of_its_quad(tmp_path: Path) -> None:
    path = tmp_path / "page.pdf"
    path.write_bytes(minimal_pdf(CONTENT))
    page = page_text(path)
    start = page.text.index("Cepheid")
    (quad,) = page.quads(start + 4, start + 7)
    assert overlap(box_of(quad), true_box("Hello Ceph", "eid", 200, 400, SIZE)) >= 0.9


def test_that_every_word_of_the_text_has_a_place(tmp_path: Path) -> None:
    page = page_text(two_columns(tmp_path / "two.pdf"))
    covered = "".join(page.text[word.start : word.end] for word in page.words)
    assert covered == "".join(page.text.split())
    assert all(a.end <= b.start for a, b in pairwise(page.words))
    assert all(a.end <= b.start for a, b in pairwise(page.lines))


def test_that_columns_are_read_one_after_the_other(tmp_path: Path) -> None:
    text = page_text(two_columns(tmp_path / "two.pdf", rows=40)).text
    places = [text.index(f"left line {i} ") for i in range(40)] + [
        text.index(f"right line {i} ") for i in range(40)
    ]
    assert places == sorted(places)
    assert text.index("right across") < places[0]


def test_that_page_numbers_follow_the_text_proper(tmp_path: Path) -> None:
    page = page_text(two_columns(tmp_path / "two.pdf"))
    assert page.text[page.body_end :].strip() == "7"


def test_that_a_word_broken_at_a_line_end_is_whole_in_the_text_and_in_two_places(tmp_path: Path) -> None:
    document = pymupdf.open()
    page = document.new_page()
    write_lines(
        page, 72, 200, ["We measure the informa-", "tion content of the sky and compare it with theory."]
    )
    read = page_text(saved(document, tmp_path / "hyphen.pdf"))
    start = read.text.index("information")
    assert len(read.words_in(start, start + len("information"))) == 2
    assert len(read.quads(start, start + len("information"))) == 2


def test_that_a_watermark_is_not_mixed_into_sentences(tmp_path: Path) -> None:
    document = pymupdf.open()
    page = document.new_page()
    lines = [f"This is sentence number {i} of a page about variable stars." for i in range(30)]
    write_lines(page, 72, 120, lines)
    mark = pymupdf.Point(150, 500)
    page.insert_text(mark, "DRAFT COPY", fontsize=60, morph=(mark, pymupdf.Matrix(45)))
    read = page_text(saved(document, tmp_path / "mark.pdf"))
    assert all(line in read.text[: read.body_end] for line in lines)
    assert "DRAFT" not in read.text[: read.body_end]
    assert "DRAFT" in read.text


def test_that_line_numbers_of_a_manuscript_are_left_out(tmp_path: Path) -> None:
    document = pymupdf.open()
    page = document.new_page()
    for i in range(30):
        y = 120 + i * 18
        page.insert_text((40, y), str(101 + i), fontsize=7)
        page.insert_text(
            (72, y), f"In 1998 we observed {20 + i} stars with the telescope on the hill.", fontsize=10
        )
    read = page_text(saved(document, tmp_path / "numbered.pdf"))
    body = read.text[: read.body_end]
    assert "110" not in body
    assert "we observed 29 stars" in body


def test_that_running_heads_are_found_over_the_pages(tmp_path: Path) -> None:
    document = pymupdf.open()
    for i in range(6):
        page = document.new_page()
        page.insert_text((72, 40), f"{i + 1}   A. Author et al.", fontsize=9)
        write_lines(
            page, 72, 100, [f"Page {i} sentence {j} is about clusters of galaxies." for j in range(40)]
        )
    read = page_text(saved(document, tmp_path / "heads.pdf"), 3)
    assert "Author" not in read.text[: read.body_end]
    assert "Page 3 sentence 0" in read.text[: read.body_end]


def test_that_letters_printed_twice_to_look_bold_are_read_once(tmp_path: Path) -> None:
    document = pymupdf.open()
    page = document.new_page()
    for shift in (0, 0.3):
        page.insert_text((72 + shift, 200), "Photometry of the supernova", fontsize=12)
    read = page_text(saved(document, tmp_path / "bold.pdf"))
    assert read.text.strip() == "Photometry of the supernova"


def test_that_a_page_survives_the_way_between_processes(tmp_path: Path) -> None:
    page = page_text(two_columns(tmp_path / "two.pdf", rows=10))
    again = PageText.from_json(json.loads(json.dumps(page.as_json())))
    assert again.text == page.text
    assert [w.start for w in again.words] == [w.start for w in page.words]
    start = page.text.index("left line 3")
    a, b = page.quads(start, start + 11)[0].as_list(), again.quads(start, start + 11)[0].as_list()
    assert a == pytest.approx(b, abs=0.05)
