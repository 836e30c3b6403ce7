from __future__ import annotations

import apsw
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from app.library import cjk, words

_index = apsw.Connection(":memory:")
_index.execute("CREATE VIRTUAL TABLE fts USING fts5(text, tokenize='porter unicode61 remove_diacritics 2')")
_index.execute("CREATE VIRTUAL TABLE pairs USING fts5(grams, tokenize='unicode61')")
_index.execute("INSERT INTO fts VALUES ('The value of H0 for HD 189733b with [Fe/H] 10.1051/0004-6361:2005')")

_pieces = st.sampled_from(
    ['"', "'", "(", ")", "*", "^", ":", "-", "+", "AND", "OR", "NOT", "NEAR(", "{", "}", "\x00", "H0",
     "[Fe/H]", "HD 189733b", "超新星", "星", "\ud800", "10.1051/0004-6361:2005", " ", "text:",
     "\u201c", "\u201d", "ü", "\u0301"]
)  # fmt: skip


@given(st.one_of(st.text(), st.lists(_pieces, max_size=12).map("".join)))
@example('"')
@example("\x00")
@example('a " b')
@example('NEAR("a b", 3)')
def test_that_any_string_is_a_query(query: str) -> None:
    parsed = words.parse(query)
    for table, expression in (
        ("fts", parsed.match()),
        ("fts", parsed.loose().match()),
        ("pairs", parsed.match_runs()),
    ):
        if expression:
            _index.execute(f"SELECT rowid FROM {table} WHERE {table} MATCH ?", (expression,)).fetchall()


@pytest.mark.parametrize(
    "query",
    [
        "HD 189733b",
        "H0",
        "[Fe/H]",
        "10.1051/0004-6361:2005",
        '"value of H0"',
        "what is the value",
        "(h0",
        "VALUES",
    ],
)
def test_that_names_and_identifiers_are_found_as_printed(query: str) -> None:
    found = _index.execute(
        "SELECT rowid FROM fts WHERE fts MATCH ?", (words.parse(query).match(),)
    ).fetchall()
    assert found


def test_that_a_hundred_thousand_characters_become_a_query_of_bounded_size() -> None:
    parsed = words.parse(" ".join(f"word{i}" for i in range(20000)))
    assert len(parsed.terms) == words.MAX_TERMS


def test_that_stop_words_are_left_out_unless_there_is_nothing_else() -> None:
    assert words.parse("what is the mass of the Sun?").terms == ("mass", "Sun?")
    assert words.parse("to be or not to be").terms == ("to", "be", "or", "not")


def test_that_a_designation_is_also_searched_as_one_name() -> None:
    assert "NGC 4258" in words.parse("distance to NGC 4258").terms
    assert "PSR J0437-4715" in words.parse("timing of PSR J0437-4715").terms


def test_that_quoted_words_are_required_as_they_stand() -> None:
    assert words.parse('distance "parallax of Cepheids"').match().startswith('"parallax of Cepheids" AND')
    assert words.parse('distance "parallax of Cepheids"').loose().match().count("AND") == 0


@given(st.text(alphabet="超新星爆发abc 。", max_size=30), st.data())
def test_that_every_part_of_a_cjk_run_is_found_by_its_pairs(text: str, data: st.DataObject) -> None:
    for run in cjk.runs(text):
        start = data.draw(st.integers(0, len(run) - 1))
        stop = data.draw(st.integers(start + 1, len(run)))
        with _index:
            _index.execute("DELETE FROM pairs")
            _index.execute("INSERT INTO pairs VALUES (?)", (cjk.grams(text),))
            part = cjk.phrase(run[start:stop])
            assert _index.execute("SELECT 1 FROM pairs WHERE pairs MATCH ?", (part,)).fetchall()
