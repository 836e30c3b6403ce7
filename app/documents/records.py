"""Paper records as plain values, for the way between processes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from app.records.identifiers import Identifier
from app.records.paper import PaperRecord


def record_as_json(record: PaperRecord) -> dict[str, Any]:
    """Return plain values that `record_from_json` reads."""
    return {**asdict(record), "identifiers": [[i.kind, i.value] for i in record.identifiers]}


def record_from_json(values: Mapping[str, Any]) -> PaperRecord:
    """Read what `record_as_json` gives."""
    return PaperRecord(
        **{
            **values,
            "authors": tuple(values["authors"]),
            "identifiers": tuple(Identifier(kind, value) for kind, value in values["identifiers"]),
        }
    )
