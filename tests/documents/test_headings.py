"""Which rows are headings."""

from __future__ import annotations

from dataclasses import replace

import pytest

from app.documents.headings import (
    Heading,
    HeadingStyle,
    SectionPath,
    heading_level,
    is_abstract,
    is_references,
    number_depth,
    outline_key,
)

PLAIN = HeadingStyle(
    "", 10.0, bold=False, italic=False, other_font=False, centred=False, alone=True, short=True
)


def level(text: str, *, outline: dict[str, int] | None = None, **style: object) -> int | None:
    return heading_level(replace(PLAIN, text=text, **style), 10.0, outline or {})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "depth"),
    [
        ("1 Introduction", 1),
        ("1. INTRODUCTION", 1),
        ("2.3 Data reduction", 2),
        ("3.1.2. Milky Way Parallaxes", 3),
        ("IV. RESULTS", 1),
        ("A. Setup of equations", 1),
        ("B.2 More tables", 2),
        ("Appendix B: Simulations", 1),
        ("A study of stars", None),
        ("Introduction", None),
        ("2003 was a good year", None),
        ("1Department of Physics", None),
    ],
)
def test_that_numbers_give_the_depth(text: str, depth: int | None) -> None:
    assert number_depth(text) == depth


def test_that_a_usual_name_alone_is_a_heading() -> None:
    assert level("Abstract", bold=True) == 1
    assert level("ACKNOWLEDGEMENTS") == 1
    assert level("References") == 1


def test_that_numbered_rows_with_a_face_of_their_own_are_headings() -> None:
    assert level("2.1 Photometry of the host", bold=True, alone=False) == 2
    assert level("3. OBSERVATIONS OF CEPHEIDS", centred=True) == 1
    assert level("3.1. Data and methods", italic=True) == 2


@pytest.mark.parametrize(
    "text",
    [
        "1Department of Physics and Astronomy, Michigan, USA",
        "5 https://example.org/some/where",
        "[3] A. Becker et al, Report on late winter",
        "• Science pipelines of the survey",
        "value = 3",
        "4",
        "and so the sentence goes on",
    ],
)
def test_that_addresses_notes_and_items_are_no_headings(text: str) -> None:
    assert level(text) is None


def test_that_the_outline_names_headings_and_their_level() -> None:
    outline = {outline_key("The metallicity distribution"): 2}
    assert level("3.1 The metallicity distribution", outline=outline, alone=False) == 2
    assert level("The Metallicity Distribution", outline=outline, alone=False) == 2


def test_that_small_type_is_no_heading() -> None:
    assert level("3 Some note below the line", size=8.0) is None


def test_that_the_path_closes_what_a_heading_ends() -> None:
    path = SectionPath()
    for title, depth in (("3 Results", 1), ("3.1 Systematics", 2), ("3.1.1 Dust", 3), ("3.2 Errors", 2)):
        path.enter(Heading(title, depth))
    assert path.name == "3 Results > 3.2 Errors"
    path.enter(Heading("References", 1))
    assert path.name == "References"
    assert path.references
    path.enter(Heading("Appendix A: Tables", 1))
    assert not path.references


def test_that_names_of_special_sections_are_known() -> None:
    assert is_references("7. REFERENCES")
    assert is_abstract("A B S T R A C T")
    assert not is_references("Reference frames")
