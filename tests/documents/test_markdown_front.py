"""Title, authors, year and identifiers of Markdown papers."""

from __future__ import annotations

import pytest

from app.documents.markdown_front import markdown_record


@pytest.mark.parametrize(
    ("head", "authors"),
    [
        ("Ada Nakamura, Lin Wei", ("Ada Nakamura", "Lin Wei")),
        ("Ada Nakamura ${ }^{1,2, \\dagger}$, Lin Wei ${ }^{3}$ and Tomás Ferreira", None),
        ("Planck Collaboration: N. Aghanim ${ }^{54}$, Y. Akrami ${ }^{15}$", None),
        ("This paper is about stars and what they do.", ()),
        ("", ()),
    ],
)
def test_that_authors_are_read_below_the_title(head: str, authors: tuple[str, ...] | None) -> None:
    found = markdown_record(f"# A paper\n\n{head}\n\n## Abstract\n\nWords.", "A paper").authors
    if authors is None:
        assert len(found) == 3
        assert not any(mark in name for name in found for mark in "${^:")
    else:
        assert found == authors


def test_that_marks_are_taken_off_the_title() -> None:
    assert (
        markdown_record("# T ${ }^{1}$\n", "A $2.4 \\%$ Determination ${ }^{1}$").title
        == "A $2.4 \\%$ Determination"
    )


def test_that_the_year_comes_from_a_date_line_alone() -> None:
    text = "# T\n\nAda Nakamura\n\nAugust 10, 2021\n\n## Introduction\n\nIn 1999 it was."
    assert markdown_record(text, "T").year == 2021
    assert markdown_record("# T\n\nA survey of 2019 stars is given here in some detail.\n", "T").year is None


def test_that_only_an_identifier_above_the_first_section_counts() -> None:
    text = "# T\n\nAda Nakamura\n\nhttps://doi.org/10.1234/own\n\n## Introduction\n\n10.1234/other"
    assert [i.value for i in markdown_record(text, "T").identifiers] == ["10.1234/own"]


def test_that_a_surname_that_begins_like_a_country_is_no_address() -> None:
    found = markdown_record("# T\n\nE. Franceschi, L. Italyan, K. Ganga\n\n## I\n\nx", "T").authors
    assert found == ("E. Franceschi", "L. Italyan", "K. Ganga")
