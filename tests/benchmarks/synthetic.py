"""Synthetic libraries of any size for benchmarks and for trying the window out.

    python -m tests.benchmarks.synthetic 10000 60 [FOLDER]

Words follow Zipf's law over an invented vocabulary, with the field's own names mixed in,
so that a search meets words of every frequency; vectors are random, which is the hardest
case for a search by codes. The same arguments always give the same library.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import apsw
import numpy as np

from app.library import Library, sql, vectors
from app.library.geometry import pack_lines
from app.library.library import DATABASE
from app.library.record_rows import sortable
from app.library.store import Store
from app.records import names, titles
from app.records.passage import Quad, TextLine

VERSION = 1
"""Raise it when what is written changes: older cached libraries are then made anew."""

MODEL = "synthetic"
DIM = 384

WORDS_A_PASSAGE = 150
_VOCABULARY = 40_000
_BATCH = 20_000
_JOURNALS = ("ApJ", "A&A", "MNRAS", "AJ", "PASP", "Nature", "ARA&A", "JCAP", "ApJS", "")
_FIELD = (
    "galaxy cluster supernova cepheid parallax redshift lensing quasar planet transit metallicity dust halo "
    "photometry spectrum luminosity calibration survey velocity dispersion magnetic pulsar neutron merger "
    "accretion disk jet plasma corona wind nebula dwarf giant binary asteroid comet orbit cosmology expansion"
).split()


def library(papers: int, passages_each: int) -> Path:
    """Return the home folder of a library of this size, made on first use (600,000 passages: 2-3 minutes)."""
    home = Path(tempfile.gettempdir(), "astroresearch-bench", f"v{VERSION}-{papers}x{passages_each}")
    if not home.exists():
        partial = home.with_name(f"{home.name}.partial")
        shutil.rmtree(partial, ignore_errors=True)
        start = time.monotonic()
        build(partial, papers, passages_each)
        partial.rename(home)
        print(f"  made {home} in {time.monotonic() - start:.0f} s", file=sys.stderr)
    return home


def build(home: Path, papers: int, passages_each: int, *, seed: int = 0) -> None:
    """Write a library of `papers` papers of `passages_each` passages each into an empty folder."""
    random = np.random.default_rng(seed)
    words = _Words(random)
    Library.open(home).close()
    store = Store(home / DATABASE)
    # nothing to lose yet: no journal, one pass over the disk
    store.connection().execute("PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA cache_size=-200000")
    with store.write() as connection:
        triggers = sql.rows(connection, "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'")
        for name, _ in triggers:
            connection.execute(f"DROP TRIGGER {name}")
        _write_papers(connection, words, papers)
        if passages_each:
            _write_passages(connection, words, papers, passages_each)
            _write_vectors(connection, random, papers * passages_each)
        for table in ("works_fts", "passages_fts"):
            connection.execute(f"INSERT INTO {table}({table}) VALUES ('rebuild')")
        for _, statement in triggers:
            connection.execute(statement)
        connection.execute("ANALYZE")
    store.connection().execute("PRAGMA journal_mode=WAL")
    store.close()


class _Words:
    """A vocabulary whose words come as often as Zipf's law says."""

    def __init__(self, random: np.random.Generator) -> None:
        self.random = random
        letters = np.array(list("etaoinsrhldcumfpgwybvk"))
        lengths = random.integers(3, 11, _VOCABULARY)
        made = ["".join(random.choice(letters, length)) for length in lengths]
        places = np.linspace(60, _VOCABULARY - 1, len(_FIELD)).astype(int)
        for place, word in zip(places, _FIELD, strict=True):
            made[place] = word
        self.words = np.array(made, dtype=object)
        weights = 1.0 / (np.arange(_VOCABULARY) + 2.7)
        self._cumulative = np.cumsum(weights / weights.sum())

    def texts(self, count: int, length: int) -> Iterator[str]:
        """Yield texts of about `length` words."""
        picks = np.searchsorted(self._cumulative, self.random.random((count, length)))
        for row in self.words[picks]:
            yield " ".join(row)


def _write_papers(connection: apsw.Connection, words: _Words, papers: int) -> None:
    random = words.random
    surnames = [word.capitalize() for word in words.words[1000:6000]]
    start = datetime(2020, 1, 1, tzinfo=UTC)
    for first in range(0, papers, _BATCH):
        count = min(_BATCH, papers - first)
        made_titles = [text.capitalize() for text in words.texts(count, 9)]
        abstracts = list(words.texts(count, 120))
        authors = [[f"{chr(65 + i % 26)}. {surnames[i]}" for i in random.integers(0, 5000, 1 + n % 9)]
                   for n in random.integers(0, 9, count)]  # fmt: skip
        years = random.integers(1970, 2027, count)
        rows = []
        for i in range(count):
            number = first + i
            added = (start + timedelta(minutes=number)).isoformat(timespec="microseconds")
            journal = _JOURNALS[number % len(_JOURNALS)]
            rows.append(
                (number + 1, f"s{number:07d}", made_titles[i], "\n".join(authors[i]), int(years[i]), journal,
                 str(number % 900), str(number % 5000), abstracts[i], titles.normalise(made_titles[i]),
                 sortable(made_titles[i]), names.sort_key(authors[i][0]), sortable(journal), added, added)
            )  # fmt: skip
        connection.executemany(
            "INSERT INTO works(id, paper_id, title, authors, year, journal, volume, pages, abstract,"
            " title_key, title_sort, author_sort, journal_sort, added_at, updated_at)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            rows,
        )
    connection.execute(
        "INSERT INTO identifiers(work_id, kind, value)"
        " SELECT id, 'arxiv', printf('%04d.%05d', 1501 + id % 12, id) FROM works"
    )
    connection.execute("INSERT INTO manifestations(id, work_id, label) SELECT id, id, 'arXiv v1' FROM works")
    connection.execute(
        "INSERT INTO files(id, manifestation_id, sha256, path, original_name, size, pages, status,"
        " next_page, indexed, added_at) SELECT id, id, printf('%064d', id), printf('%d.pdf', id),"
        " 'paper.pdf', 1000000, 20, 'added', 20, 1, added_at FROM works"
    )


def _write_passages(connection: apsw.Connection, words: _Words, papers: int, passages_each: int) -> None:
    lines = pack_lines(
        [TextLine(i * 90, i * 90 + 90, Quad((72, 700 - i), (300, 700 - i), (72, 690 - i), (300, 690 - i)))
         for i in range(12)]
    )  # fmt: skip
    shown: Sequence[str] = [title for (title,) in connection.execute("SELECT title FROM works ORDER BY id")]
    total = papers * passages_each
    for first in range(0, total, _BATCH):
        count = min(_BATCH, total - first)
        rows = []
        for i, text in enumerate(words.texts(count, WORDS_A_PASSAGE), start=first):
            paper, place = divmod(i, passages_each)
            page = place * 20 // passages_each
            section = ("Introduction", "Data", "Results")[place * 3 // passages_each]
            rows.append(
                (i + 1, paper + 1, page, str(page + 1), f"{shown[paper]} | {section}", text, section, lines)
            )
        connection.executemany(
            "INSERT INTO passages(id, file_id, page, page_label, start, stop, header, text, section, kind,"
            " lines, prefix, suffix) VALUES (?1, ?2, ?3, ?4, ?1, ?1, ?5, ?6, ?7, 'text', ?8, '', '')",
            rows,
        )


def _write_vectors(connection: apsw.Connection, random: np.random.Generator, total: int) -> None:
    for first in range(0, total, _BATCH):
        count = min(_BATCH, total - first)
        made = random.integers(-127, 128, (count, DIM), dtype=np.int8)
        vectors.insert(
            connection, MODEL, range(first + 1, first + count + 1), [row.tobytes() for row in made]
        )


if __name__ == "__main__":
    if len(sys.argv) == 4:
        build(Path(sys.argv[3]), int(sys.argv[1]), int(sys.argv[2]))
    else:
        print(library(int(sys.argv[1]), int(sys.argv[2])))
