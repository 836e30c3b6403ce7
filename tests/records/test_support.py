"""What counts as proof of a sentence, and what never does."""

from __future__ import annotations

import pytest

from app.records import support

SOURCE = (
    "We observed Lantern 42 on 86 nights. A Fourier fit to the light curve gives a pulsation period of "
    "331.4 ± 0.8 days and a full amplitude of 0.72 ± 0.02 mag. No correction for interstellar extinction was "
    "applied. The metallicity increases with the distance from the centre of M31."
)


@pytest.mark.parametrize(
    "claim",
    [
        "The pulsation period of Lantern 42 is 331.4 ± 0.8 days.",
        "Lantern 42 has a pulsation period of 331 days.",
        "No correction for interstellar extinction was applied.",
        "The metallicity increases with distance from the centre of M31.",
        "The light curve has a full amplitude of 0.72 mag.",
    ],
)
def test_that_what_the_source_says_is_proven(claim: str) -> None:
    found = support.best(claim, SOURCE)
    assert found is not None
    assert SOURCE[found.start : found.end].strip()


@pytest.mark.parametrize(
    "claim",
    [
        "The pulsation period of Lantern 42 is 313.4 ± 0.8 days.",
        "The pulsation period of Lantern 42 is 331.4 hours.",
        "The pulsation period of Lantern 43 is 331.4 days.",
        "The pulsation period of Mira is 331.4 days.",
        "A correction for interstellar extinction was applied.",
        "The metallicity decreases with distance from the centre of M31.",
        "The metallicity increases with distance from the centre of M33.",
        "The star was discovered by accident in an old survey of the northern sky.",
        "Therefore it is so.",
        "",
    ],
)
def test_that_what_the_source_does_not_say_is_not_proven(claim: str) -> None:
    assert support.best(claim, SOURCE) is None


def test_that_a_name_may_stand_in_the_title_but_a_number_may_not() -> None:
    stretch = "The pulsation period is 331.4 days."
    claim = "The pulsation period of Lantern is 331.4 days."
    assert support.best(claim, stretch) is None
    assert support.best(claim, stretch, context="Lantern: a variable star") is not None
    assert support.best("The pulsation period is 42 days.", stretch, context="42 days of Lantern") is None


def test_that_chinese_claims_are_checked_by_character() -> None:
    source = "傅里叶拟合给出脉动周期为331.4天。"
    assert support.best("脉动周期为331.4天。", source) is not None
    assert support.best("脉动周期为313.4天。", source) is None
