"""Passages keep their numbers: while a session lives, when it is opened again, and when text is lost."""

from __future__ import annotations

import json

import pytest

from app.agent.evidence import LAST_NUMBER, Evidence, mark
from app.records.ids import FileId, PageIndex, PageLabel, PaperId, PassageId
from app.records.passage import Passage, PassageHit
from app.services import verify

PERIOD = "A Fourier fit gives a pulsation period of 331.4 ± 0.8 days."


def hit(number: int, text: str = PERIOD) -> PassageHit:
    passage = Passage(PageIndex(4), PageLabel("5"), 0, len(text), text, "Results")
    return PassageHit(PassageId(number), PaperId("paper"), FileId(1), "Lantern 42", passage, 1.0)


def test_that_passages_are_counted_from_one_and_keep_their_numbers() -> None:
    evidence = Evidence()
    assert evidence.add([hit(70), hit(80)], ["A", "B"]) == (1, 2)
    assert evidence.add([hit(90), hit(80)], ["C", "B"]) == (3, 2)
    assert [h.passage_id for h in evidence.hits] == [70, 80, 90]
    assert evidence.labels == ("A", "B", "C")


def test_that_each_passage_needs_a_label() -> None:
    with pytest.raises(ValueError):
        Evidence().add([hit(1)], [])


def test_that_a_session_opened_again_has_the_same_numbers() -> None:
    before = Evidence()
    first = before.metadata(before.add([hit(70), hit(80)], ["A", "B"]))
    second = before.metadata(before.add([hit(80), hit(90)], ["B", "C"]))
    after = Evidence()
    for kept in (first, second):
        after.restore(json.loads(json.dumps(kept)), hit)
    assert [h.passage_id for h in after.hits] == [70, 80, 90]
    assert after.labels == before.labels
    assert after.add([hit(90), hit(100)], ["C", "D"]) == (3, 4)


def test_that_a_passage_that_is_gone_keeps_its_number_and_proves_nothing() -> None:
    before = Evidence()
    kept = before.metadata(before.add([hit(70), hit(80)], ["A", "B"]))
    after = Evidence()
    after.restore(kept, lambda key: hit(key) if key == 80 else None)
    assert after.add([hit(80)], ["B"]) == (2,)
    (sentence,) = verify.check(
        "The pulsation period of Lantern 42 is 331.4 ± 0.8 days [1].", after.hits, after.labels
    )
    assert [citation.passage_id for citation in sentence.citations] == [80]


def test_that_a_result_lost_in_a_crash_leaves_a_gap_and_moves_nothing() -> None:
    before = Evidence()
    before.add([hit(70)], ["A"])
    kept = before.metadata(before.add([hit(80)], ["B"]))
    after = Evidence()
    after.restore(kept, hit)
    assert after.add([hit(80), hit(70)], ["B", "A"]) == (2, 3)
    assert len(after.hits) == len(after.labels) == 3


@pytest.mark.parametrize(
    "metadata",
    [
        {},
        {"evidence": None},
        {"evidence": "x"},
        {"evidence": [None, 3, {}, {"n": "1", "passage_id": 2}, {"n": 0, "passage_id": 2}]},
        {"evidence": [{"n": 10**9, "passage_id": 2}]},
    ],
)
def test_that_what_is_no_evidence_is_passed_over(metadata: dict[str, object]) -> None:
    evidence = Evidence()
    evidence.restore(metadata, hit)
    assert len(evidence) == 0


def test_that_marks_end_where_citations_do() -> None:
    assert mark(LAST_NUMBER) == "[999]"
    assert mark(LAST_NUMBER + 1) == ""
