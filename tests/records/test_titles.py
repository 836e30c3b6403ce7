"""Titles: one normal form for accents, TeX, HTML, Greek, spaces and punctuation."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.records.titles import is_generic, normalise, part, same_title, similarity


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("The H$\\alpha$ line", "The Hα line"),
        ("The Hα line", "The H-alpha line"),
        ("Galaxies at $z\\sim6$", "Galaxies at z ∼ 6"),
        ("A 10 $M_\\odot$ star", "A 10 M⊙ star"),
        ("H\\,{\\sc ii} regions", "H II regions"),
        ("<sup>13</sup>CO in <i>M31</i>", "13CO in M31"),
        ("{Planck} 2018 results", "PLANCK 2018 RESULTS"),
        ("Schr\\\"odinger's café", "Schrodinger’s cafe"),
        ("50% of low–mass stars", "50% of low-mass stars"),
        ("50\\% of stars", "50% of stars"),
        ("Stars &amp; planets", "Stars & planets"),
        ("eﬃcient ﬁts", "efficient fits"),
        ("Ørsted and Łódź", "Orsted and Lodz"),
        ("A very     long\ntitle", "A Very Long Title."),
        ("Le\\'on and Mu\\~noz", "León and Muñoz"),
        ("$\\Lambda$CDM", "ΛCDM"),
    ],
)
def test_that_writings_of_one_title_agree(a: str, b: str) -> None:
    assert same_title(a, b)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("WASP-4 is accelerating towards the Earth", "WASP-4 is accelerating toward the Earth"),
        ("Mira variables. I. Data", "Mira variables. II. Data"),
        ("Erratum: Mira variables", "Mira variables"),
        ("", ""),
        ("Planck 2013 results", "Planck 2015 results"),
    ],
)
def test_that_different_titles_stay_different(a: str, b: str) -> None:
    assert not same_title(a, b)


@pytest.mark.parametrize(
    "title", ["Erratum", "Introduction", "0", "", "untitled", "Title", "ABSTRACT", "Book Review"]
)
def test_that_titles_of_no_paper_are_generic(title: str) -> None:
    assert is_generic(title)


@pytest.mark.parametrize(
    "title", ["Ideology as ritual", "Mira variables in the OGLE bulge fields", "数字拟人品"]
)
def test_that_titles_of_papers_are_not_generic(title: str) -> None:
    assert not is_generic(title)


@pytest.mark.parametrize(
    ("title", "number"),
    [
        ("Low-mass stars. III. A consistent age", "3"),
        ("Force-free jets – III: uniform field", "3"),
        ("Cepheids: Paper II", "2"),
        ("Cepheids, Part 2", "2"),
        ("A survey of H II regions", ""),
        ("Type I supernovae", ""),
        ("Stars", ""),
    ],
)
def test_that_companion_numbers_are_read(title: str, number: str) -> None:
    assert part(title) == number


def test_that_similarity_falls_with_edits() -> None:
    assert similarity("Mira variables in the bulge", "Mira variables in the bulge") == 1
    assert 0.9 < similarity("WASP-4 accelerates towards Earth", "WASP-4 accelerates toward Earth") < 1
    assert similarity("Mira variables", "Quasars at noon") < 0.5


@given(st.text(max_size=80))
def test_that_the_normal_form_is_its_own_normal_form(title: str) -> None:
    once = normalise(title)
    assert normalise(once) == once
    assert once.isalnum() or once == ""
