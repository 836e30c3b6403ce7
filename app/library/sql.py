"""Short forms for queries with one answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import apsw

Values = Sequence[Any] | Mapping[str, Any]


def first(connection: apsw.Connection, statement: str, values: Values = ()) -> tuple[Any, ...] | None:
    """Return the first row, or None."""
    return connection.execute(statement, values).fetchone()


def row(connection: apsw.Connection, statement: str, values: Values = ()) -> tuple[Any, ...]:
    """Return the first row of a query that always has one."""
    found = first(connection, statement, values)
    if found is None:
        raise LookupError(f"no row for: {statement}")
    return found


def value(connection: apsw.Connection, statement: str, values: Values = ()) -> Any:
    """Return the one value of a query that always has one."""
    return row(connection, statement, values)[0]


def rows(connection: apsw.Connection, statement: str, values: Values = ()) -> list[tuple[Any, ...]]:
    """Return all rows."""
    return connection.execute(statement, values).fetchall()
