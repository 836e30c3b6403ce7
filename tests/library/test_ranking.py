from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.library.ranking import EXACT, PROSE, fuse, keyword_weight
from app.records.ids import FileId, PaperId, PassageId
from app.records.passage import PassageHit
from tests.library.samples import passage


def _hit(key: int, score: float) -> PassageHit:
    return PassageHit(PassageId(key), PaperId("p"), FileId(1), "title", passage("text"), score)


@st.composite
def _ranking(draw: st.DrawFn) -> list[PassageHit]:
    keys = draw(st.lists(st.integers(1, 40), unique=True, max_size=20))
    scores = draw(st.lists(st.floats(-1, 100), min_size=len(keys), max_size=len(keys)))
    return [_hit(key, score) for key, score in zip(keys, sorted(scores, reverse=True), strict=True)]


_weight = st.floats(0, 1)


@given(_ranking(), _ranking(), _weight, st.integers(0, 3))
def test_that_every_hit_of_either_list_comes_back_once(
    keyword: list[PassageHit], semantic: list[PassageHit], weight: float, kept: int
) -> None:
    fused = [f.hit.passage_id for f in fuse(keyword, semantic, weight=weight, kept=kept)]
    assert sorted(fused) == sorted({hit.passage_id for hit in (*keyword, *semantic)})


@given(_ranking(), _ranking(), _weight, st.integers(1, 3))
def test_that_the_first_keyword_hits_are_always_in_view(
    keyword: list[PassageHit], semantic: list[PassageHit], weight: float, kept: int
) -> None:
    shown = [f.hit.passage_id for f in fuse(keyword, semantic, weight=weight, kept=kept)[: 2 * kept]]
    assert all(hit.passage_id in shown for hit in keyword[:kept])


@given(_ranking(), _weight)
def test_that_one_list_alone_keeps_its_order(hits: list[PassageHit], weight: float) -> None:
    keys = [hit.passage_id for hit in hits]
    assert [f.hit.passage_id for f in fuse(hits, [], weight=max(weight, 0.01))] == keys
    assert [f.hit.passage_id for f in fuse([], hits, weight=min(weight, 0.99))] == keys


@given(_ranking(), _ranking(), _weight)
def test_that_scores_lie_between_nothing_and_one(
    keyword: list[PassageHit], semantic: list[PassageHit], weight: float
) -> None:
    assert all(0.0 <= f.score <= 1.0 + 1e-9 for f in fuse(keyword, semantic, weight=weight))


@given(_ranking(), _ranking())
def test_that_places_in_both_lists_are_told(keyword: list[PassageHit], semantic: list[PassageHit]) -> None:
    for f in fuse(keyword, semantic, weight=0.5):
        assert f.keyword_rank is None or keyword[f.keyword_rank].passage_id == f.hit.passage_id
        assert f.semantic_rank is None or semantic[f.semantic_rank].passage_id == f.hit.passage_id
        assert f.keyword_rank is not None or f.semantic_rank is not None


@pytest.mark.parametrize(
    "query", ['"dark matter halo"', "2016ApJ...826...56R", "HD 189733b", "H0", "NGC 4258 distance"]
)
def test_that_exact_names_weigh_keywords_more(query: str) -> None:
    assert keyword_weight(query) == EXACT


@pytest.mark.parametrize("query", ["why is the expansion accelerating?", "", "tip of the red giant branch"])
def test_that_prose_weighs_both_alike(query: str) -> None:
    assert keyword_weight(query) == PROSE
