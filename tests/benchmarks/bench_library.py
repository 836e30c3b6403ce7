"""The library against the same questions asked in plain SQL on a bare connection.

Sizes: 10,000 papers of 60 passages and 100,000 papers of 6. Values are medians in
seconds; library and baseline are timed in turn, query by query, so that both meet the
same load. The baseline fetches the same rows and builds nothing from them.
"""

from __future__ import annotations

import functools
import json
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import apsw
import numpy as np
import sqlite_vec

from app.library import Library, ranking, words
from app.library.library import DATABASE
from app.library.search import HEADER_WEIGHT, LEAST_RESCORED
from tests.benchmarks import synthetic
from tests.benchmarks.result import Bench, Result

LIMIT = 50
SCREEN = 60
ROUNDS = 3

QUERIES = (
    "cepheid parallax",
    "galaxy",
    "supernova",
    "what is the metallicity of the galaxy cluster halo?",
    "expansion cosmology orbit",
    '"galaxy cluster"',
    "wind corona plasma jet disk accretion merger neutron pulsar magnetic",
    "how does dust change the photometry of a distant quasar in a lensing survey",
    "asteroid comet",
    "velocity dispersion of dwarf galaxy",
    "NGC 4258",
    "giant",
)

_WORDS_SQL = f"""
    SELECT p.*, f.id, w.paper_id, w.title, found.score FROM
        (SELECT rowid, bm25(passages_fts, {HEADER_WEIGHT}, 1.0) AS score FROM passages_fts
         WHERE passages_fts MATCH :match ORDER BY score LIMIT :limit) found
    JOIN passages p ON p.id = found.rowid JOIN files f ON f.id = p.file_id
    JOIN manifestations m ON m.id = f.manifestation_id JOIN works w ON w.id = m.work_id
    WHERE w.trashed_at IS NULL ORDER BY found.score
"""
_VECTORS_SQL = """
    SELECT p.*, f.id, w.paper_id, w.title, found.distance FROM
        (SELECT v.passage_id, vec_distance_cosine(vec_int8(v.embedding), vec_int8(:vector)) AS distance FROM
            (SELECT passage_id FROM codes_1
             ORDER BY vec_distance_hamming(vec_bit(code), vec_quantize_binary(vec_int8(:vector)))
             LIMIT :candidates) c
         JOIN vectors_1 v ON v.passage_id = c.passage_id ORDER BY distance LIMIT :limit) found
    JOIN passages p ON p.id = found.passage_id JOIN files f ON f.id = p.file_id
    JOIN manifestations m ON m.id = f.manifestation_id JOIN works w ON w.id = m.work_id
    WHERE w.trashed_at IS NULL ORDER BY found.distance
"""
_ORDER_SQL = "SELECT id FROM works WHERE trashed_at IS NULL ORDER BY {} DESC"
_SCREEN_SQL = "SELECT * FROM works WHERE id IN (SELECT value FROM json_each(?))"


def bench_keyword(papers: int, passages_each: int) -> Result:
    """Words in, passages with their papers out."""
    home = synthetic.library(papers, passages_each)
    raw = _bare(home)

    def ask(library: Library, query: str) -> None:
        library.search.keyword(query, limit=LIMIT)

    def ask_raw(query: str) -> None:
        _raw_words(raw, query)

    with Library.open(home) as library:
        return _compare([functools.partial(ask, library, query) for query in QUERIES],
                        [functools.partial(ask_raw, query) for query in QUERIES], name="keyword")  # fmt: skip


def bench_hybrid(papers: int, passages_each: int) -> Result:
    """Words and a vector in, the fused ranking out."""
    home = synthetic.library(papers, passages_each)
    raw = _bare(home)
    random = np.random.default_rng(1)
    vectors = [random.integers(-127, 128, synthetic.DIM, dtype=np.int8).tobytes() for _ in QUERIES]

    def ask(library: Library, query: str, vector: bytes) -> None:
        found = library.search.keyword(query, limit=LIMIT)
        near = library.search.semantic(vector, model=synthetic.MODEL, limit=LIMIT)
        ranking.fuse(found, near, weight=ranking.keyword_weight(query))

    def ask_raw(query: str, vector: bytes) -> None:
        _raw_words(raw, query)
        values = {"vector": vector, "limit": LIMIT, "candidates": LEAST_RESCORED}
        raw.execute(_VECTORS_SQL, values).fetchall()

    pairs = list(zip(QUERIES, vectors, strict=True))
    with Library.open(home) as library:
        return _compare([functools.partial(ask, library, *pair) for pair in pairs],
                        [functools.partial(ask_raw, *pair) for pair in pairs], name="hybrid")  # fmt: skip


def bench_list(papers: int, passages_each: int) -> Result:
    """The order of the whole list by each sort key, and its first screen."""
    home = synthetic.library(papers, passages_each)
    raw = _bare(home)
    columns = {
        "title": "title_sort",
        "author": "author_sort",
        "year": "year",
        "journal": "journal_sort",
        "added": "added_at",
    }

    def show(library: Library, sort: str) -> None:
        order = library.papers.order("", f"-{sort}")
        library.papers.rows(order[:SCREEN])

    def show_raw(sort: str) -> None:
        order = [row for (row,) in raw.execute(_ORDER_SQL.format(columns[sort]))]
        raw.execute(_SCREEN_SQL, (json.dumps(order[:SCREEN]),)).fetchall()

    with Library.open(home) as library:
        return _compare([functools.partial(show, library, sort) for sort in columns],
                        [functools.partial(show_raw, sort) for sort in columns], name="list")  # fmt: skip


def _raw_words(raw: apsw.Connection, query: str) -> None:
    raw.execute(_WORDS_SQL, {"match": words.parse(query).match(), "limit": LIMIT}).fetchall()


def _bare(home: Path) -> apsw.Connection:
    connection = apsw.Connection(str(home / DATABASE))
    connection.enable_load_extension(True)
    connection.load_extension(sqlite_vec.loadable_path())
    return connection


def _compare(ours: Sequence[Callable[[], None]], raw: Sequence[Callable[[], None]], *, name: str) -> Result:
    """Time both sides in turn after one unmeasured round, and take the medians."""
    times: tuple[list[float], list[float]] = ([], [])
    for turn in range(ROUNDS + 1):
        for sides in zip(ours, raw, strict=True):
            for side, call in enumerate(sides):
                start = time.perf_counter()
                call()
                if turn:
                    times[side].append(time.perf_counter() - start)
    value, baseline = (statistics.median(side) for side in times)
    worst = max(times[0])
    print(f"  {name}: worst {worst * 1000:.0f} ms, plain SQL {max(times[1]) * 1000:.0f} ms", file=sys.stderr)
    return Result(value, "s", baseline, len(times[0]))


BENCHES: dict[str, Bench] = {
    f"library_{what}_{label}": functools.partial(bench, papers, passages_each)
    for label, papers, passages_each in (("10k", 10_000, 60), ("100k", 100_000, 6))
    for what, bench in (("keyword", bench_keyword), ("hybrid", bench_hybrid), ("list", bench_list))
}
