"""From the names that people and other floors use to the keys of the tables."""

from __future__ import annotations

from collections.abc import Iterable

import apsw

from app.errors import NotFoundError
from app.library import sql
from app.records.ids import PaperId


def work_id(connection: apsw.Connection, paper_id: PaperId) -> int:
    """Return the key of the work; the id of a paper that was merged away finds the one that was kept."""
    row = sql.first(
        connection,
        "SELECT id FROM works WHERE paper_id = :id UNION ALL"
        " SELECT work_id FROM paper_aliases WHERE paper_id = :id",
        {"id": paper_id},
    )
    if row is None:
        raise NotFoundError(
            f'No paper "{paper_id}" in the library.',
            hint="`astroresearch list` shows the papers and their ids.",
        )
    return int(row[0])


def work_ids(connection: apsw.Connection, papers: Iterable[PaperId]) -> list[int]:
    """Return the keys of several works, without repeats, in order."""
    return list(dict.fromkeys(work_id(connection, paper) for paper in papers))
