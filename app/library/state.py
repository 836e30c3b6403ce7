"""Small values kept between runs: window state, reading positions."""

from __future__ import annotations

import json
from typing import Any

from app.library.store import Store
from app.library.tables import State


class StateTable:
    """The state table; thread rules as in `store`."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def get(self, key: str, default: Any = None) -> Any:
        """Return the JSON value stored under `key`, or `default`."""
        with self._store.read():
            rows = list(State.select().where(State.key == key).execute(self._store.db))
        return json.loads(rows[0].value) if rows else default

    def set(self, key: str, value: Any) -> None:
        """Store a JSON value; None removes the key."""
        with self._store.write():
            if value is None:
                State.delete().where(State.key == key).execute(self._store.db)
            else:
                text = json.dumps(value, ensure_ascii=False)
                State.insert(key=key, value=text).on_conflict_replace().execute(self._store.db)

    def matching(self, prefix: str) -> dict[str, Any]:
        """Return all values whose key starts with `prefix`."""
        with self._store.read():
            rows = State.select().where(_starts(prefix)).order_by(State.key).execute(self._store.db)
            return {row.key: json.loads(row.value) for row in rows}


def _starts(prefix: str) -> Any:
    """Keys from `prefix` up to the next possible one: exact about case, unlike LIKE."""
    return (State.key >= prefix) & (State.key < prefix + "\U0010ffff")
