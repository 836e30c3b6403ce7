"""Names: surnames with particles, collaborations, Chinese names, short forms."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.records.names import given_names, label, natural, short_authors, sort_key, surname


@pytest.mark.parametrize(
    ("name", "family"),
    [
        ("Adam G. Riess", "Riess"),
        ("Riess, Adam G.", "Riess"),
        ("A. G. Riess", "Riess"),
        ("R. P. van der Marel", "van der Marel"),
        ("van der Marel, R. P.", "van der Marel"),
        ("L. A. C. van Son", "van Son"),
        ("Alejandra de la Torre", "de la Torre"),
        ("Edgard Rivera-Valentín", "Rivera-Valentín"),
        ("Martin Luther King Jr.", "King"),
        ("Planck Collaboration", "Planck Collaboration"),
        ("The LIGO Scientific Collaboration", "The LIGO Scientific Collaboration"),
        ("Collaboration, Planck", "Collaboration, Planck"),
        ("罗兴武", "罗兴武"),
        ("孙 萌", "孙萌"),
        ("Can Cui (崔璨)", "Cui"),
        ("Saurabh", "Saurabh"),
        ("  Zhen   Pan ", "Pan"),
    ],
)
def test_that_the_surname_is_found(name: str, family: str) -> None:
    assert surname(name) == family


def test_that_given_names_are_the_rest() -> None:
    assert given_names("Adam G. Riess") == "Adam G."
    assert given_names("Riess, Adam G.") == "Adam G."
    assert given_names("Planck Collaboration") == ""


def test_that_names_turn_to_reading_order() -> None:
    assert natural("Riess, Adam G.") == "Adam G. Riess"
    assert natural("Adam G. Riess") == "Adam G. Riess"


def test_that_sorting_ignores_accents_and_case() -> None:
    names = ["Zhen Pan", "Śliwa, K.", "Anton Åkerman", "Ørsted, H."]
    assert sorted(names, key=sort_key) == ["Anton Åkerman", "Ørsted, H.", "Zhen Pan", "Śliwa, K."]


def test_that_long_lists_are_shortened_with_a_count() -> None:
    authors = ["Adam G. Riess", "Lucas Macri", "Samantha Hoffmann", "Dan Scolnic", "Stefano Casertano"]
    assert short_authors(authors) == "Riess, Macri, Hoffmann … +2"
    assert short_authors(authors[:3]) == "Riess, Macri, Hoffmann"
    assert short_authors([]) == ""


@pytest.mark.parametrize(
    ("authors", "year", "text"),
    [
        (["Adam Riess"], 2016, "Riess 2016"),
        (["Adam Riess", "Lucas Macri"], 2016, "Riess & Macri 2016"),
        (["Adam Riess", "Lucas Macri", "X Y"], 2016, "Riess+ 2016"),
        (["Adam Riess"], None, "Riess"),
        ([], 2016, "2016"),
        ([], None, ""),
    ],
)
def test_that_the_label_is_short(authors: list[str], year: int | None, text: str) -> None:
    assert label(authors, year) == text


@given(st.text(max_size=60))
def test_that_any_text_has_a_surname_within_it(name: str) -> None:
    assert len(surname(name)) <= len(name)
    sort_key(name)
