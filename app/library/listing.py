"""The library list: which papers, in which order, and what one screen of them shows.

`order` gives keys only and is quick at 100,000 papers because each sort has an index;
`rows` reads what is visible. Nothing is sorted or filtered outside SQLite.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from app.library import query as query_language
from app.library import sql
from app.library.clock import moment
from app.library.query import ListQuery
from app.library.store import Store
from app.records import names
from app.records.identifiers import Identifier
from app.records.ids import PaperId

SORTS = {
    "title": ("title_sort", "> ''", "= ''"),
    "author": ("author_sort", "> ''", "= ''"),
    "year": ("year", "IS NOT NULL", "IS NULL"),
    "journal": ("journal_sort", "> ''", "= ''"),
    "added": ("added_at", "> ''", "= ''"),
}
"""Sort key -> column, known values, unknown ones: these come last in both directions.

The conditions are such that SQLite walks the index of the column for either part.
"""

_SYNONYMS = {"authors": "author", "first_author": "author", "added_at": "added"}

_FILES_OF_WORK = "FROM files f JOIN manifestations m ON m.id = f.manifestation_id WHERE m.work_id = w.id"
_FLAG_SQL = {
    "has:pdf": f"EXISTS (SELECT 1 {_FILES_OF_WORK} AND f.path LIKE '%.pdf')",
    "has:file": f"EXISTS (SELECT 1 {_FILES_OF_WORK})",
    "has:notes": "EXISTS (SELECT 1 FROM notes n WHERE n.work_id = w.id)",
    "has:tags": "EXISTS (SELECT 1 FROM work_tags t WHERE t.work_id = w.id)",
    "has:abstract": "w.abstract <> ''",
    "is:unread": "w.unread = 1",
    "is:read": "w.unread = 0",
}
_FLAG_SQL |= {"has:note": _FLAG_SQL["has:notes"]}


@dataclass(frozen=True, slots=True)
class PaperRow:
    """One line of the list. `status` is that of the file that needs attention, "" without files."""

    paper_id: PaperId
    row_id: int
    title: str
    authors_short: str
    authors: tuple[str, ...]
    year: int | None
    journal_line: str
    identifiers: tuple[Identifier, ...]
    tags: tuple[str, ...]
    file_count: int
    has_pdf: bool
    note_count: int
    status: str
    added_at: datetime
    unread: bool


class Listing:
    """Reading the list; thread rules as in `store`."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def order(
        self, query: str = "", sort: str = "-added", collection: int | None = None, tag: str | None = None
    ) -> array[int]:
        """Return the row ids of the papers that match, sorted.

        `sort` is a key of `SORTS` or "relevance", with "-" before it for descending; an
        unknown one sorts by the time of adding. The trash is left out unless `in:trash` is asked.
        """
        wanted = query_language.parse(query)
        where, values = _conditions(wanted, collection, tag)
        key = sort.lstrip("-")
        if key == "relevance" and wanted.match:
            statements = [_by_relevance(where)]
            values["match"] = wanted.match
        else:
            column, known, unknown = SORTS[
                _SYNONYMS.get(key, key) if _SYNONYMS.get(key, key) in SORTS else "added"
            ]
            down = "DESC" if sort.startswith("-") else "ASC"
            of_known = f"{where} AND w.{column} {known} ORDER BY w.{column} {down}, w.id {down}"
            of_unknown = f"{where} AND w.{column} {unknown} ORDER BY w.id"
            statements = [f"SELECT w.id FROM works w WHERE {part}" for part in (of_known, of_unknown)]
        found = array("q")
        with self._store.read() as connection:
            for statement in statements:
                # one text of all ids is twice as quick to fetch as a row for each
                ids = sql.value(connection, f"SELECT json_group_array(id) FROM ({statement})", values)
                found.extend(json.loads(ids))
        return found

    def count(self, query: str = "", collection: int | None = None, tag: str | None = None) -> int:
        """Return how many papers match."""
        where, values = _conditions(query_language.parse(query), collection, tag)
        with self._store.read() as connection:
            return int(sql.value(connection, f"SELECT count(*) FROM works w WHERE {where}", values))

    def rows(self, row_ids: Sequence[int]) -> list[PaperRow]:
        """Return the lines of these row ids in the given order; papers deleted meanwhile are left out."""
        with self._store.read() as connection:
            found = {
                row[0]: _paper_row(row)
                for row in connection.execute(_ROWS, {"ids": json.dumps(list(row_ids))})
            }
        return [found[row_id] for row_id in row_ids if row_id in found]

    def row_ids(self, paper_ids: Sequence[PaperId]) -> list[int]:
        """Return the row ids of papers, in order; unknown ones are left out."""
        with self._store.read() as connection:
            found = dict(
                connection.execute(
                    "SELECT paper_id, id FROM works WHERE paper_id IN (SELECT value FROM json_each(?))",
                    (json.dumps(list(paper_ids)),),
                )
            )
        return [int(found[paper]) for paper in paper_ids if paper in found]


_ROWS = """
SELECT w.id, w.paper_id, w.title, w.authors, w.year, w.journal, w.volume, w.pages, w.added_at, w.unread,
    (SELECT json_group_array(json_array(kind, value)) FROM
        (SELECT kind, value FROM identifiers i WHERE i.work_id = w.id ORDER BY i.id)),
    (SELECT json_group_array(name) FROM
        (SELECT name FROM work_tags wt JOIN tags ON tags.id = wt.tag_id
         WHERE wt.work_id = w.id ORDER BY name)),
    (SELECT json_group_array(status) FROM
        (SELECT f.status FROM manifestations m JOIN files f ON f.manifestation_id = m.id
         WHERE m.work_id = w.id ORDER BY f.id)),
    (SELECT count(*) FROM notes n WHERE n.work_id = w.id),
    (SELECT count(*) FROM manifestations m JOIN files f ON f.manifestation_id = m.id
     WHERE m.work_id = w.id AND f.path LIKE '%.pdf')
FROM works w WHERE w.id IN (SELECT value FROM json_each(:ids))
"""


def _paper_row(row: tuple[Any, ...]) -> PaperRow:
    row_id, paper_id, title, author_lines, year, journal, volume, pages, added_at, unread, *rest = row
    *lists, notes, pdfs = rest
    known, tags, statuses = (json.loads(text) for text in lists)
    authors = tuple(author_lines.split("\n")) if author_lines else ()
    return PaperRow(
        paper_id=PaperId(paper_id),
        row_id=row_id,
        title=title,
        authors_short=names.short_authors(authors),
        authors=authors,
        year=year,
        journal_line=journal_line(journal, volume, pages),
        identifiers=tuple(Identifier(kind, value) for kind, value in known),
        tags=tuple(tags),
        file_count=len(statuses),
        has_pdf=pdfs > 0,
        note_count=notes,
        status=overall_status(statuses),
        added_at=moment(added_at),
        unread=bool(unread),
    )


def journal_line(journal: str, volume: str, pages: str) -> str:
    """Return "ApJ 826, 56" from its parts, whichever are known."""
    place = ", ".join(part for part in (volume, pages) if part)
    return f"{journal} {place}".strip()


def overall_status(statuses: Sequence[str]) -> str:
    """Return the status of the first file that is not fine, else of the first one, "" without files."""
    unwell = [status for status in statuses if status not in ("added", "duplicate")]
    return next(iter(unwell or statuses), "")


def _conditions(wanted: ListQuery, collection: int | None, tag: str | None) -> tuple[str, dict[str, Any]]:
    trash = "w.trashed_at IS NOT NULL" if "in:trash" in wanted.flags else "w.trashed_at IS NULL"
    parts, values = [trash], dict[str, Any]()
    if wanted.match:
        parts.append("w.id IN (SELECT rowid FROM works_fts WHERE works_fts MATCH :match)")
        values["match"] = wanted.match
    for i, (first, last) in enumerate(wanted.years):
        parts.append(f"w.year BETWEEN :first{i} AND :last{i}")
        values |= {f"first{i}": first, f"last{i}": last}
    for i, name in enumerate((*wanted.tags, *([tag] if tag is not None else []))):
        parts.append(
            "w.id IN (SELECT work_id FROM work_tags JOIN tags ON tags.id = tag_id"
            f" WHERE tags.name = :tag{i} COLLATE NOCASE)"
        )
        values[f"tag{i}"] = name
    for i, identifier in enumerate(wanted.identifiers):
        parts.append(f"w.id IN (SELECT work_id FROM identifiers WHERE kind = :kind{i} AND value = :value{i})")
        values |= {f"kind{i}": identifier.kind, f"value{i}": identifier.value}
    parts += [_FLAG_SQL[flag] for flag in sorted(wanted.flags) if flag in _FLAG_SQL]
    if collection is not None:
        parts.append(
            "w.id IN (SELECT work_id FROM collection_works WHERE collection_id IN ("
            " WITH RECURSIVE inside(id) AS (SELECT :collection UNION"
            "  SELECT c.id FROM collections c JOIN inside ON c.parent_id = inside.id) SELECT id FROM inside))"
        )
        values["collection"] = collection
    return " AND ".join(parts), values


def _by_relevance(where: str) -> str:
    return (
        "SELECT w.id FROM works_fts JOIN works w ON w.id = works_fts.rowid"
        f" WHERE works_fts MATCH :match AND {where}"
        " ORDER BY bm25(works_fts, 4.0, 2.0, 1.0, 2.0), w.id"
    )
