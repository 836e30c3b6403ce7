"""Citations are kept only where the passage they name proves the sentence."""

from __future__ import annotations

import random

from app.records.ids import FileId, PageIndex, PageLabel, PaperId, PassageId
from app.records.passage import Passage, PassageHit, Quad, TextLine
from app.services import quoting, verify

PERIOD = "A Fourier fit gives a pulsation period of 331.4 ± 0.8 days. The full amplitude is 0.72 ± 0.02 mag."
PLANCK = "The Hubble constant inferred from the cosmic microwave background is 67.4 ± 0.5 km s−1 Mpc−1."
LABELS = ["Nakamura+ 2026", "Planck 2020"]


def hit(number: int, text: str, title: str, page: int) -> PassageHit:
    box = Quad((72, 700), (300, 700), (72, 688), (300, 688))
    passage = Passage(
        PageIndex(page),
        PageLabel(str(page + 1)),
        0,
        len(text),
        text,
        "Results",
        lines=(TextLine(0, len(text), box),),
    )
    return PassageHit(PassageId(number), PaperId(f"paper{number}"), FileId(number), title, passage, 1.0)


HITS = [hit(1, PERIOD, "Lantern 42", 1), hit(2, PLANCK, "Planck results", 0)]


def test_that_a_true_sentence_is_cited_with_page_quote_and_quads() -> None:
    (sentence,) = verify.check("The pulsation period of Lantern 42 is 331.4 ± 0.8 days [1].", HITS, LABELS)
    (citation,) = sentence.citations
    assert sentence.text == "The pulsation period of Lantern 42 is 331.4 ± 0.8 days."
    assert (citation.paper_id, citation.page, citation.label) == ("paper1", 1, "Nakamura+ 2026")
    assert citation.quote in PERIOD
    assert citation.quads


def test_that_a_fabricated_quote_is_dropped_and_the_sentence_marked() -> None:
    text = 'The star explodes in 2031 [1: "the star will explode within five years"].'
    (sentence,) = verify.check(text, HITS, LABELS)
    assert not sentence.supported


def test_that_a_quote_stitched_from_two_places_is_dropped() -> None:
    text = 'Both were published together elsewhere [1: "A Fourier fit gives the full amplitude"].'
    (sentence,) = verify.check(text, HITS, LABELS)
    assert not sentence.supported


def test_that_right_words_from_the_wrong_paper_are_cited_to_the_right_one() -> None:
    text = "The Hubble constant inferred from the cosmic microwave background is 67.4 ± 0.5 km s−1 Mpc−1 [1]."
    (sentence,) = verify.check(text, HITS, LABELS)
    assert [c.paper_id for c in sentence.citations] == ["paper2"]


def test_that_a_true_quote_beside_an_unrelated_claim_proves_nothing() -> None:
    text = 'Dark matter is made of axions [1: "The full amplitude is 0.72"].'
    (sentence,) = verify.check(text, HITS, LABELS)
    assert not sentence.supported


def test_that_numbers_beyond_the_list_are_ignored() -> None:
    (sentence,) = verify.check("Dark matter is made of axions [9].", HITS, LABELS)
    assert not sentence.supported
    assert sentence.text == "Dark matter is made of axions."


def test_that_nearly_every_mutated_digit_is_caught() -> None:
    rng = random.Random(42)
    claim = "The pulsation period is 331.4 ± 0.8 days and the full amplitude is 0.72 ± 0.02 mag."
    places = [i for i, c in enumerate(claim) if c.isdigit()]
    caught = 0
    for _ in range(200):
        place = rng.choice(places)
        digit = rng.choice([d for d in "0123456789" if d != claim[place]])
        (sentence,) = verify.check(claim[:place] + digit + claim[place + 1 :], HITS, LABELS)
        caught += not sentence.supported
    assert caught >= 198


def test_that_quotes_are_word_for_word_and_speak_to_the_question() -> None:
    first, *_ = quoting.quotes("What is the pulsation period of Lantern 42?", HITS, LABELS)
    assert first.text in PERIOD
    assert "331.4" in first.text
    assert first.citations[0].page == 1


def test_that_a_mark_may_name_any_of_a_thousand_passages() -> None:
    hits = [hit(n, f"Passage {n} is about clusters of galaxies.", "Clusters", 0) for n in range(1, 1000)]
    hits[345] = hit(346, PERIOD, "Lantern 42", 1)
    (sentence,) = verify.check(
        "The pulsation period of Lantern 42 is 331.4 ± 0.8 days [3, 346].", hits, ["label"] * len(hits)
    )
    assert sentence.text == "The pulsation period of Lantern 42 is 331.4 ± 0.8 days."
    assert [citation.passage_id for citation in sentence.citations] == [346]


def test_that_a_year_in_brackets_is_no_mark() -> None:
    (sentence,) = verify.check("The amplitude is given in the catalogue of 1998 [1998].", HITS, LABELS)
    assert sentence.text == "The amplitude is given in the catalogue of 1998 [1998]."


def test_that_a_mark_of_nothing_names_nothing() -> None:
    (sentence,) = verify.check("The moon is made of green cheese [0].", HITS, LABELS)
    assert not sentence.supported
