"""What a grammar can hold a value to: a JSON schema without all that grammars cannot say. Pure values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

Scalar: TypeAlias = str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class Text:
    """A string of at least `least` characters and at most `most` (None: as long as it likes)."""

    least: int = 0
    most: int | None = None


@dataclass(frozen=True, slots=True)
class Number:
    """A number; without `signed` it has no minus."""

    signed: bool = True


@dataclass(frozen=True, slots=True)
class Whole:
    """An integer from `low` to `high`; None is no limit."""

    low: int | None = None
    high: int | None = None


@dataclass(frozen=True, slots=True)
class OneOf:
    """One of these values."""

    values: tuple[Scalar, ...]


@dataclass(frozen=True, slots=True)
class Items:
    """An array of `least` to `most` values of one shape."""

    item: Shape
    least: int = 0
    most: int | None = None


@dataclass(frozen=True, slots=True)
class Field:
    """A named value of an object."""

    name: str
    shape: Shape
    required: bool = False


@dataclass(frozen=True, slots=True)
class Record:
    """An object with these fields in this order; the optional ones may be left out."""

    fields: tuple[Field, ...] = ()


@dataclass(frozen=True, slots=True)
class Dictionary:
    """An object with any names, all values of one shape."""

    value: Shape


@dataclass(frozen=True, slots=True)
class Either:
    """A value of one of these shapes."""

    options: tuple[Shape, ...]


@dataclass(frozen=True, slots=True)
class Anything:
    """Any JSON value; `record` any JSON object."""

    record: bool = False


Shape: TypeAlias = Text | Number | Whole | OneOf | Items | Record | Dictionary | Either | Anything

BOOLEAN = OneOf((True, False))
NULL = OneOf((None,))
