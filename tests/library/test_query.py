from __future__ import annotations

import apsw
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from app.library import query
from app.records.identifiers import Identifier

_index = apsw.Connection(":memory:")
_index.execute(
    "CREATE VIRTUAL TABLE works_fts USING fts5(title, authors, abstract, grams,"
    " tokenize='unicode61 remove_diacritics 2', prefix='2 3')"
)

_pieces = st.sampled_from(
    ["by:", "author:", "year:", "title:", "tag:", "has:", "in:", "is:", "pdf", "2016..2020", "2016", "..",
     '"', "x", " ", "*", "(", "foo:", "\x00", "超新星", "\ud800", "-", "AND", "1604.01424"]
)  # fmt: skip


@given(st.one_of(st.text(), st.lists(_pieces, max_size=12).map("".join)))
@example('by:"')
@example("year:")
@example('title:"unclosed phrase')
def test_that_any_string_is_a_list_query(text: str) -> None:
    parsed = query.parse(text)
    if parsed.match:
        _index.execute("SELECT rowid FROM works_fts WHERE works_fts MATCH ?", (parsed.match,)).fetchall()


@pytest.mark.parametrize(
    ("text", "years"),
    [
        ("year:2016", ((2016, 2016),)),
        ("year:2016..2020", ((2016, 2020),)),
        ("year:2020..2016", ((2016, 2020),)),
        ("year:2016..", ((2016, 9999),)),
        ("year:..2016", ((0, 2016),)),
        ("year:2016-2018", ((2016, 2018),)),
        ("year:soon", ()),
    ],
)
def test_that_years_are_one_or_a_span(text: str, years: tuple[tuple[int, int], ...]) -> None:
    assert query.parse(text).years == years


def test_that_filters_are_read_in_any_order_and_case() -> None:
    parsed = query.parse('HAS:PDF tag:"to read" By:Riess has:notes in:trash')
    assert parsed.flags == {"has:pdf", "has:notes", "in:trash"}
    assert parsed.tags == ("to read",)
    assert parsed.match == 'authors : "Riess"'


def test_that_an_unknown_filter_is_words() -> None:
    assert query.parse("H0: tension ").match == '"H0:" AND "tension"'
    assert query.parse("foo:bar ").match == '"foo bar"'


def test_that_only_the_last_unfinished_word_is_a_prefix() -> None:
    assert query.parse("hubble cons").match == '"hubble" AND "cons"*'
    assert query.parse("hubble cons ").match == '"hubble" AND "cons"'
    assert query.parse('hubble "cons"').match == '"hubble" AND "cons"'


def test_that_identifiers_are_looked_up_as_such() -> None:
    assert query.parse("arXiv:1604.01424v2").identifiers == (Identifier("arxiv", "1604.01424"),)
    assert query.parse("2016ApJ...826...56R").identifiers == (Identifier("bibcode", "2016ApJ...826...56R"),)
