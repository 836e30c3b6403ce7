"""Words broken at the end of a line."""

from __future__ import annotations

import pytest

from app.documents.hyphens import Vocabulary, joint

PAPER = Vocabulary.of_lines(
    [
        "The information content of the power-law spectrum and the color-magnitude diagram",
        "observations of high-redshift galaxies",
        "self-consistent models of the period-luminosity relation",
        "we use metallicity dependent power and law, color and magnitude, well known constraints",
        "temperature distribution, background, non-linear growth, X-ray emission, follow-up",
    ]
)


def joined(first: str, second: str, words: Vocabulary = PAPER) -> str:
    meet = joint(first, second, words)
    return first[: len(first) - meet.drop] + meet.separator + second


@pytest.mark.parametrize(
    ("first", "second", "text"),
    [
        # broken words
        ("informa-", "tion", "information"),
        ("the tempera-", "ture of", "the temperature of"),
        ("distri-", "bution", "distribution"),
        ("obser-", "vations", "observations"),
        ("con-", "straints", "constraints"),
        ("back-", "ground", "background"),
        ("metal-", "licity", "metallicity"),
        ("spectro-", "scopic", "spectroscopic"),
        ("photo-", "metric", "photometric"),
        ("gravita-", "tional", "gravitational"),
        ("cos-", "mological", "cosmological"),
        ("simu-", "lations,", "simulations,"),
        ("be-", "cause", "because"),
        ("non-pa-", "rametric", "non-parametric"),
        ("(magni-", "tude)", "(magnitude)"),
        ("mea-", "sured", "measured"),
        ("H\u00e4ufig-", "keit", "H\u00e4ufigkeit"),
        ("infor\u00ad", "mation", "information"),
        ("Ein\u00ad", "Stein", "EinStein"),
        ("calcu\u2010", "lated", "calculated"),
        # hyphens that belong there
        ("the power-", "law index", "the power-law index"),
        ("color-", "magnitude", "color-magnitude"),
        ("high-", "redshift", "high-redshift"),
        ("self-", "consistent", "self-consistent"),
        ("period-", "luminosity", "period-luminosity"),
        ("non-", "linear", "non-linear"),
        ("follow-", "up", "follow-up"),
        ("X-", "ray", "X-ray"),
        ("Sunyaev-", "Zel'dovich", "Sunyaev-Zel'dovich"),
        ("Navarro-Frenk-", "White", "Navarro-Frenk-White"),
        ("Kennicutt-", "Schmidt", "Kennicutt-Schmidt"),
        ("NGC-", "4258", "NGC-4258"),
        ("Type-", "Ia", "Type-Ia"),
        ("10-", "m telescope", "10-m telescope"),
        ("z-", "band", "z-band"),
        ("low-", "surface", "low-surface"),
        # other line ends
        ("the end", "of a line", "the end of a line"),
        ("a sentence.", "The next", "a sentence. The next"),
        ("1990\u2013", "2000", "1990\u20132000"),
        ("a \u2013", "b", "a \u2013 b"),
        ("value of -", "3 mag", "value of - 3 mag"),
        ("https://doi.org/", "10.1000/x", "https://doi.org/10.1000/x"),
        ("km/", "and", "km/ and"),
        ("", "start", "start"),
    ],
)
def test_that_line_ends_are_joined_as_they_were_meant(first: str, second: str, text: str) -> None:
    assert joined(first, second) == text


def test_that_the_document_decides_between_two_readings() -> None:
    assert joined("re-", "creation", Vocabulary(["recreation"])) == "recreation"
    assert joined("re-", "creation", Vocabulary(["re-creation"])) == "re-creation"


def test_that_a_word_at_a_line_end_is_no_evidence() -> None:
    words = Vocabulary.of_lines(["a broken informa-", "tion here"])
    assert "informa" not in words
    assert "here" in words
