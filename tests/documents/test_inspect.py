"""Inspection: each part of a file on its own, broken or not."""

from __future__ import annotations

import json
from pathlib import Path

import pymupdf
import pytest

from app.documents.inspect import FIRST_PAGES, SAMPLE, inspect
from app.documents.inspection import Inspection
from app.documents.labels import page_labels, parsed_rule
from app.documents.opening import open_document
from app.documents.xmp import xmp_fields
from app.errors import DocumentError


def made(folder: Path, pages: int = 1) -> pymupdf.Document:
    document = pymupdf.open()
    for number in range(pages):
        document.new_page().insert_text((72, 72), f"Page number {number + 1} of the test")
    document.save(folder / "made.pdf")
    return open_document(folder / "made.pdf")


def test_that_an_inspection_survives_json(tmp_path: Path) -> None:
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((72, 72), "Upright", fontsize=14, fontname="tibo")
    page.insert_text((30, 300), "Turned", rotate=90)
    document.set_toc([[1, "One", 1]])
    document.set_metadata({"title": "T", "author": "A"})
    document.save(tmp_path / "a.pdf")
    found = inspect(open_document(tmp_path / "a.pdf"))
    assert Inspection.from_json(json.loads(json.dumps(found.as_json()))) == found
    assert found.info["title"] == "T"
    assert [(item.level, item.title, item.page) for item in found.outline] == [(1, "One", 0)]
    upright, turned = found.pages[0].lines
    assert (upright.text, upright.upright, upright.spans[0].bold, upright.spans[0].size) == (
        "Upright",
        True,
        True,
        14,
    )
    assert (turned.text, turned.upright) == ("Turned", False)


def test_that_a_long_file_is_sampled_not_read(tmp_path: Path) -> None:
    found = inspect(made(tmp_path, 300))
    assert found.page_count == 300
    assert len(found.labels) == 300
    assert len(found.pages) == FIRST_PAGES
    assert len(found.text_lengths) <= SAMPLE + FIRST_PAGES
    assert {0, 299} <= set(found.text_lengths)
    assert all(length > 10 for length in found.text_lengths.values())


def test_that_labels_follow_the_numbering_rules() -> None:
    rules = [
        {"startpage": 0, "style": "r", "prefix": "", "firstpagenum": 1},
        {"startpage": 4, "style": "D", "prefix": "", "firstpagenum": 1},
        {"startpage": 6, "style": "D", "prefix": "L", "firstpagenum": 15},
        {"startpage": 8, "style": "A", "prefix": "", "firstpagenum": 26},
    ]
    assert page_labels(rules, 10) == ("i", "ii", "iii", "iv", "1", "2", "L15", "L16", "Z", "AA")


def test_that_labels_are_page_numbers_without_rules() -> None:
    assert page_labels([], 3) == ("1", "2", "3")
    assert page_labels([{"startpage": 1, "style": "D", "firstpagenum": 7}], 3) == ("1", "7", "8")
    assert page_labels([{"startpage": 0, "style": "", "prefix": "<FEFF00410042>"}], 1) == ("AB",)
    assert page_labels([{"startpage": 0, "style": "", "prefix": ""}], 2) == ("1", "2")


def test_that_xmp_fields_are_read_whatever_the_prefixes() -> None:
    packet = (
        '<?xpacket begin="x"?><m:xmpmeta xmlns:m="adobe:ns:meta/">'
        '<r:RDF xmlns:r="http://www.w3.org/1999/02/22-rdf-syntax-ns#">'
        '<r:Description xmlns:d="http://purl.org/dc/elements/1.1/"'
        ' xmlns:q="http://prismstandard.org/namespaces/basic/2.1/">'
        "<q:doi>10.1086/345794</q:doi>"
        "<d:creator><r:Seq><r:li>A B</r:li><r:li>C D</r:li></r:Seq></d:creator>"
        "</r:Description></r:RDF></m:xmpmeta>"
    )
    fields = xmp_fields(packet)
    assert fields["prism:doi"] == ("10.1086/345794",)
    assert fields["dc:creator"] == ("A B", "C D")


@pytest.mark.parametrize(
    "packet", ["", "not xml", "<a", "<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>", "<a/>" * 600_000]
)
def test_that_a_hostile_packet_gives_nothing(packet: str) -> None:
    assert xmp_fields(packet) == {}


def test_that_a_broken_page_tree_costs_its_pages_alone(shared: Path) -> None:
    found = inspect(open_document(shared / "corpus" / "nasty" / "Pages-tree-refs.pdf"))
    assert found.page_count == 2
    assert found.problems
    assert [page.index for page in found.pages] in ([], [0])


def test_that_outlines_with_loops_end(shared: Path) -> None:
    for name in ("circular-toc.pdf", "qpdf-outlines-with-loop.pdf"):
        assert inspect(open_document(shared / "corpus" / "nasty" / name)).page_count > 0


@pytest.mark.slow
def test_that_every_nasty_file_that_opens_can_be_inspected(shared: Path) -> None:
    entries = json.loads((shared / "corpus" / "truth.json").read_text(encoding="utf-8"))
    inspected = 0
    for entry in entries:
        # one page of drawings takes seconds and says nothing here
        if entry["kind"] != "nasty" or entry["category"] == "slow-render":
            continue
        try:
            document = open_document(shared / "corpus" / entry["file"], entry["password"])
        except DocumentError:
            continue
        assert inspect(document).page_count == entry["pages"]
        inspected += 1
    assert inspected > 40


def test_that_the_type_of_a_numbering_rule_is_no_prefix() -> None:
    assert parsed_rule(0, "<</Type/PageLabel/S/D/St 2>>") == {
        "startpage": 0,
        "prefix": "",
        "style": "D",
        "firstpagenum": 2,
    }
    assert parsed_rule(3, r"<</P(A\(b\)-)/Type /PageLabel /S /r>>")["prefix"] == "A(b)-"
    assert page_labels([parsed_rule(0, "<</P<FEFF004C>/S/D/St 15>>")], 2) == ("L15", "L16")
    assert page_labels([parsed_rule(0, "<</P<4C>/S/D>>")], 1) == ("L1",)
