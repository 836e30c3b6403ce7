"""Notes: stretches of pages marked in a colour, with the words a person added."""

from __future__ import annotations

import json
import secrets
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from app.errors import NotFoundError, UsageError
from app.library import lookup
from app.library.clock import moment, now
from app.library.store import Store
from app.library.tables import Notes
from app.records.anchor import Anchor
from app.records.ids import FileId, NoteId, PageIndex, PaperId
from app.records.passage import Quad

COLORS = ("yellow", "green", "blue", "pink", "orange", "purple", "red", "gray")


@dataclass(frozen=True, slots=True)
class Note:
    """One note. `file_id` is None when its file is gone; `color` is one of `COLORS`."""

    note_id: NoteId
    paper_id: PaperId
    file_id: FileId | None
    anchor: Anchor
    color: str
    text: str
    created_at: datetime
    updated_at: datetime


class NoteTable:
    """The notes table; thread rules as in `store`. What these return is on the disk."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def add(
        self, paper_id: PaperId, file_id: FileId | None, anchor: Anchor, color: str = "yellow", text: str = ""
    ) -> Note:
        """Add a note. Raises `NotFoundError` for an unknown paper, `UsageError` for an unknown colour."""
        note_id = NoteId(secrets.token_hex(8))
        at = now()
        with self._store.write(durable=True) as connection:
            Notes.insert(
                note_id=note_id,
                work_id=lookup.work_id(connection, paper_id),
                file_id=file_id,
                color=_checked(color),
                text=text,
                created_at=at,
                updated_at=at,
                **_anchor_columns(anchor),
            ).execute(self._store.db)
            return self.get(note_id)

    def update(
        self,
        note_id: NoteId,
        *,
        color: str | None = None,
        text: str | None = None,
        anchor: Anchor | None = None,
        file_id: FileId | None = None,
    ) -> Note:
        """Change what is given, keep the rest. Raises `NotFoundError`, `UsageError`."""
        changed: dict[str, Any] = {"updated_at": now()}
        if color is not None:
            changed["color"] = _checked(color)
        if text is not None:
            changed["text"] = text
        if anchor is not None:
            changed |= _anchor_columns(anchor)
        if file_id is not None:
            changed["file_id"] = file_id
        with self._store.write(durable=True):
            Notes.update(changed).where(Notes.note_id == note_id).execute(self._store.db)
            return self.get(note_id)

    def delete(self, note_id: NoteId) -> None:
        """Remove a note. Raises `NotFoundError`."""
        with self._store.write(durable=True):
            self.get(note_id)
            Notes.delete().where(Notes.note_id == note_id).execute(self._store.db)

    def get(self, note_id: NoteId) -> Note:
        """Return one note. Raises `NotFoundError`."""
        with self._store.read() as connection:
            found = _select(connection, "n.note_id = ?", note_id)
        if not found:
            raise NotFoundError(f"No note {note_id} in the library.", hint="It may have been deleted.")
        return found[0]

    def of_paper(self, paper_id: PaperId) -> list[Note]:
        """Return the notes of a paper in reading order, file by file."""
        with self._store.read() as connection:
            return _select(connection, "n.work_id = ?", lookup.work_id(connection, paper_id))

    def of_file(self, file_id: FileId) -> list[Note]:
        """Return the notes in a file in reading order."""
        with self._store.read() as connection:
            return _select(connection, "n.file_id = ?", file_id)


def _select(connection: Any, where: str, value: object) -> list[Note]:
    rows = connection.execute(
        "SELECT n.note_id, w.paper_id, n.file_id, n.page, n.start, n.stop, n.quads, n.quote, n.prefix,"
        " n.suffix, n.color, n.text, n.created_at, n.updated_at FROM notes n JOIN works w ON w.id = n.work_id"
        f" WHERE {where} ORDER BY n.file_id, n.page, n.start, n.id",
        (value,),
    )
    return [_note(row) for row in rows]


def _note(row: tuple[Any, ...]) -> Note:
    (
        note_id,
        paper_id,
        file_id,
        page,
        start,
        stop,
        quads,
        quote,
        prefix,
        suffix,
        color,
        text,
        made,
        changed,
    ) = row
    anchor = Anchor(
        page=PageIndex(page),
        start=start,
        end=stop,
        quads=tuple(Quad.from_list(corners) for corners in json.loads(quads)),
        quote=quote,
        prefix=prefix,
        suffix=suffix,
    )
    file = FileId(file_id) if file_id is not None else None
    return Note(NoteId(note_id), PaperId(paper_id), file, anchor, color, text, moment(made), moment(changed))


def _anchor_columns(anchor: Anchor) -> dict[str, object]:
    return {
        "page": anchor.page,
        "start": anchor.start,
        "stop": anchor.end,
        "quads": json.dumps([quad.as_list() for quad in anchor.quads]),
        "quote": anchor.quote,
        "prefix": anchor.prefix,
        "suffix": anchor.suffix,
    }


def _checked(color: str) -> str:
    if color not in COLORS:
        raise UsageError(f'"{color}" is not a colour for notes.', hint=f"Use one of: {', '.join(COLORS)}.")
    return color
