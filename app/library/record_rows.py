"""The rows of a paper record: works, names and identifiers, inside the caller's transaction."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

import apsw

from app.errors import LibraryError
from app.library import cjk, sql
from app.library.clock import now
from app.library.storable import storable
from app.records import names, titles
from app.records.identifiers import Identifier
from app.records.ids import PaperId
from app.records.paper import PaperRecord


def write_record(connection: apsw.Connection, work: int, record: PaperRecord) -> None:
    """Store the record as the work's; inside the caller's transaction."""
    record = _storable(record)
    shown_authors = [" ".join(name.split()) for name in record.authors]
    connection.execute(
        "UPDATE works SET title=?, authors=?, year=?, journal=?, volume=?, pages=?, abstract=?, doctype=?,"
        " provenance=?, title_key=?, title_sort=?, author_sort=?, journal_sort=?, grams=?, updated_at=?"
        " WHERE id=?",
        (
            record.title,
            "\n".join(shown_authors),
            record.year,
            record.journal,
            record.volume,
            record.pages,
            record.abstract,
            record.doctype,
            json.dumps(record.provenance, ensure_ascii=False, sort_keys=True),
            titles.normalise(record.title),
            sortable(record.title),
            names.sort_key(shown_authors[0]) if shown_authors else "",
            sortable(record.journal),
            cjk.grams(" ".join((record.title, *shown_authors, record.abstract))),
            now(),
            work,
        ),
    )
    # rows that say the same are left alone, so that undo still knows them
    if sql.rows(connection, "SELECT name FROM names WHERE work_id = ? ORDER BY position", (work,)) != [
        (name,) for name in shown_authors
    ]:
        _write_names(connection, work, shown_authors)
    if _identifiers(connection, work) != record.identifiers:
        _write_identifiers(connection, work, record.identifiers)


def read_record(connection: apsw.Connection, work: int) -> PaperRecord:
    """Read what `write_record` stored."""
    title, authors, year, journal, volume, pages, abstract, doctype, provenance = sql.row(
        connection,
        "SELECT title, authors, year, journal, volume, pages, abstract, doctype, provenance FROM works"
        " WHERE id = ?",
        (work,),
    )
    return PaperRecord(
        title=title,
        authors=tuple(authors.split("\n")) if authors else (),
        year=year,
        journal=journal,
        volume=volume,
        pages=pages,
        abstract=abstract,
        doctype=doctype,
        identifiers=_identifiers(connection, work),
        provenance=json.loads(provenance),
    )


def owner_of(connection: apsw.Connection, identifier: Identifier) -> PaperId | None:
    """Return the paper that has this identifier, or None."""
    row = sql.first(
        connection,
        "SELECT paper_id FROM works JOIN identifiers ON work_id = works.id WHERE kind = ? AND value = ?",
        (identifier.kind, identifier.value),
    )
    return PaperId(row[0]) if row else None


def sortable(text: str) -> str:
    """Return a key without case, accents, punctuation and a leading article."""
    words = [key for word in text.split() if (key := names.ascii_key(word))]
    if len(words) > 1 and words[0] in ("the", "a", "an"):
        words = words[1:]
    return " ".join(words)[:120]


def _write_names(connection: apsw.Connection, work: int, authors: Sequence[str]) -> None:
    connection.execute("DELETE FROM names WHERE work_id = ?", (work,))
    connection.executemany(
        "INSERT INTO names(work_id, position, name, surname_key) VALUES (?, ?, ?, ?)",
        [(work, i, name, names.ascii_key(names.surname(name))) for i, name in enumerate(authors)],
    )


def _identifiers(connection: apsw.Connection, work: int) -> tuple[Identifier, ...]:
    rows = connection.execute("SELECT kind, value FROM identifiers WHERE work_id = ? ORDER BY id", (work,))
    return tuple(Identifier(kind, value) for kind, value in rows)


def _write_identifiers(connection: apsw.Connection, work: int, wanted: tuple[Identifier, ...]) -> None:
    connection.execute("DELETE FROM identifiers WHERE work_id = ?", (work,))
    for identifier in dict.fromkeys(wanted):
        owner = owner_of(connection, identifier)
        if owner is not None:
            raise LibraryError(
                f"{identifier.value} is already the identifier of paper {owner}.",
                hint="Merge the two papers, or correct the identifier.",
                code="identifier_taken",
            )
        connection.execute(
            "INSERT INTO identifiers(work_id, kind, value) VALUES (?, ?, ?)",
            (work, identifier.kind, identifier.value),
        )


def _storable(record: PaperRecord) -> PaperRecord:
    """Metadata of strange files holds characters that are none."""
    return replace(
        record,
        title=storable(record.title),
        authors=tuple(storable(name) for name in record.authors),
        journal=storable(record.journal),
        volume=storable(record.volume),
        pages=storable(record.pages),
        abstract=storable(record.abstract),
        doctype=storable(record.doctype),
        provenance={storable(key): storable(value) for key, value in record.provenance.items()},
    )
