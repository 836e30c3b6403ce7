"""Choosing what of a paper to read: sections by name, number or part of a name; pages; never a guess."""

from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.agent.tools.astro import reading
from app.errors import NotFoundError, UsageError
from app.records.ids import FileId, PageIndex, PageLabel, PaperId, PassageId
from app.records.passage import Passage, PassageHit, PassageKind

SECTIONS = [
    ("Abstract", 0),
    ("1. Introduction", 0),
    ("1. Introduction", 1),
    ("2 Data", 1),
    ("2.1 Photometry", 2),
    ("2.2. Spectroscopy", 2),
    ("10. Discussion", 3),
    ("", 4),
    ("Appendix: Data tables", 5),
    ("References", 6),
]


def hits(sections: list[tuple[str, int]] = SECTIONS) -> list[PassageHit]:
    kinds = {"Abstract": PassageKind.ABSTRACT, "References": PassageKind.REFERENCES}
    return [
        PassageHit(
            PassageId(number),
            PaperId("p"),
            FileId(1),
            "T",
            Passage(
                PageIndex(page),
                PageLabel(""),
                0,
                9,
                "Some text",
                section,
                kinds.get(section, PassageKind.TEXT),
            ),
            0.0,
        )
        for number, (section, page) in enumerate(sections)
    ]


def numbers(chosen: list[PassageHit]) -> list[int]:
    return [hit.passage_id for hit in chosen]


def test_that_an_outline_has_a_line_a_section_in_order() -> None:
    lines = [heading.line() for heading in reading.outline(hits())]
    assert lines[1] == "- 1. Introduction (pages=0-1, 18 characters)"
    assert lines[6] == "- (no heading) (page=4, 9 characters)"
    assert len(lines) == 9


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ("Introduction", [1, 2]),
        ("1. introduction", [1, 2]),
        ("1", [1, 2]),
        ("2", [3, 4, 5]),
        ("2 Data", [3, 4, 5]),
        ("2.1", [4]),
        ("data", [3, 4, 5]),
        ("Spectroscopy", [5]),
        ("spectro", [5]),
        ("DISCUSSION", [6]),
        ("data tables", [8]),
        ("references", [9]),
    ],
)
def test_that_a_section_is_found_by_name_number_or_part(wanted: str, found: list[int]) -> None:
    assert numbers(reading.of_section(hits(), wanted)) == found


@pytest.mark.parametrize("wanted", ["Methods", "3", "Discusion", "", " . "])
def test_that_an_unknown_section_is_answered_with_those_like_it(wanted: str) -> None:
    with pytest.raises(NotFoundError) as raised:
        reading.of_section(hits(), wanted)
    assert "Sections most like it:" in raised.value.hint
    if wanted == "Discusion":
        assert "10. Discussion" in raised.value.hint


@pytest.mark.parametrize(
    ("wanted", "found"),
    [("0", [0, 1]), ("1-2", [2, 3, 4, 5]), ("0, 5-6", [0, 1, 8, 9]), ("[4,5]", [7, 8]), ("5–999999", [8, 9])],
)
def test_that_pages_are_counted_from_zero(wanted: str, found: list[int]) -> None:
    assert numbers(reading.of_pages(hits(), wanted, 7)) == found


@pytest.mark.parametrize("wanted", ["", "first", "-1", "1-", "3-1", ",", "1" * 30])
def test_that_what_names_no_page_is_a_usage_error(wanted: str) -> None:
    with pytest.raises(UsageError):
        reading.of_pages(hits(), wanted, 7)


def test_that_a_page_behind_the_last_names_how_many_there_are() -> None:
    with pytest.raises(NotFoundError) as raised:
        reading.of_pages(hits(), "7", 7)
    assert raised.value.message == "The paper has 7 pages."


REAL = [
    ("", 0),
    ("A B S T R AC T", 0),
    ("1 IN T ROD UCT I ON", 0),
    ("3 P HOTOM ETRY > 3.1 Hipparcos photometry", 7),
    ("3 P HOTOM ETRY > 3.2 Infrared photometry", 8),
    ("3 P HOTOM ETRY > 4.1 Pulsation periods", 9),
    ("6 CO LOUR S > 6.2 The SP-red stars", 17),
    ("6 CO LOUR S > 6.2 The SP-red stars > 6.2.1 Globular cluster Miras", 18),
    ("R E F E RE N CE S", 29),
]
"""Headings as they come out of a journal's pages."""


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ("abstract", [1]),
        ("Introduction", [2]),
        ("1. Introduction", [2]),
        ("Photometry", [3, 4, 5]),
        ("3", [3, 4, 5]),
        ("3.2", [4]),
        ("4", [5]),
        ("4.1 Pulsation periods", [5]),
        ("6.2", [6, 7]),
        ("6.2 The SP-red stars", [6, 7]),
        ("6 COLOURS > 6.2 The SP-red stars", [6, 7]),
        ("miras", [7]),
        ("References", [8]),
    ],
)
def test_that_sections_within_sections_and_spaced_headings_are_found(wanted: str, found: list[int]) -> None:
    assert numbers(reading.of_section(hits(REAL), wanted)) == found


def test_that_an_outline_is_indented_by_depth() -> None:
    lines = [heading.line() for heading in reading.outline(hits(REAL))]
    assert lines[6] == "  - 6.2 The SP-red stars (page=17, 9 characters)"
    assert lines[7] == "    - 6.2.1 Globular cluster Miras (page=18, 9 characters)"
    assert numbers(reading.abstract(hits(REAL))) == [1]


def test_that_abstract_and_references_are_told_from_the_text() -> None:
    assert numbers(reading.abstract(hits())) == [0]
    assert numbers(reading.without_references(hits())) == list(range(9))


@given(st.lists(st.sampled_from([s for s, _ in SECTIONS]), min_size=1, max_size=12), st.text(max_size=20))
def test_that_every_section_can_be_asked_for_by_its_own_name(names: list[str], other: str) -> None:
    made = hits([(name, 0) for name in names])
    for name in filter(None, names):
        chosen = reading.of_section(made, name)
        assert {hit.passage.section for hit in chosen} >= {name}
    with contextlib.suppress(NotFoundError):
        assert reading.of_section(made, other)
