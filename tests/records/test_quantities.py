"""Numbers of a claim must stand in what it cites."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from app.records import quantities

SOURCE = (
    "A Fourier fit gives 331.4 ± 0.8 days and 0.72 mag, M_K = −7.74, at 5.9 kpc, 7 per cent, on 86 nights."
)


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("331.4 days", SOURCE),
        ("the period is 331 days", SOURCE),
        ("−7.74", SOURCE),
        ("M = -7.74", "M = $-7.74$"),
        ("7%", SOURCE),
        ("73.24 ± 1.74", r"$73.24 \pm 1.74 \mathrm{~km}$"),
        ("1234 galaxies", "1,234 galaxies"),
        ("between 10 and 20", "10–20 pc"),
        ("1.5e9", r"1.5 \times 10^{9}"),
        ("two samples", "2 samples"),
        ("no number at all", "nor here"),
        ("2.40", "2.4"),
    ],
)
def test_that_true_numbers_are_accepted(claim: str, source: str) -> None:
    assert quantities.missing(claim, source) == []


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("331.5 days", SOURCE),
        ("332 days", SOURCE),
        ("331.4 hours", SOURCE),
        ("+7.74", SOURCE),
        ("7.74", SOURCE),
        ("5.9 Mpc", SOURCE),
        ("87 nights", SOURCE),
        ("0.27 mag", SOURCE),
        ("3314 days", SOURCE),
        ("three samples", "2 samples"),
        ("1.5e8", "1.5 × 10^9"),
    ],
)
def test_that_altered_numbers_are_caught(claim: str, source: str) -> None:
    assert quantities.missing(claim, source)


def test_that_dashes_in_names_and_ranges_are_not_signs() -> None:
    assert not any(q.signed for q in quantities.find("WASP-4 and a range 10-20"))


@given(
    st.decimals(min_value="0.01", max_value="99999", places=2, allow_nan=False), st.integers(0, 10), st.data()
)
def test_that_a_mutated_digit_is_never_accepted(value: Decimal, offset: int, data: st.DataObject) -> None:
    printed = str(value)
    places = [i for i, c in enumerate(printed) if c.isdigit()]
    place = data.draw(st.sampled_from(places))
    digit = data.draw(st.sampled_from([d for d in "0123456789" if d != printed[place]]))
    mutated = printed[:place] + digit + printed[place + 1 :]
    assume(Decimal(mutated) != value)
    assert quantities.missing(f"it is {mutated} mag", f"it is {printed} mag")
