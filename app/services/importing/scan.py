"""Which files the given paths mean: a folder stands for the papers in it, at any depth."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

PAPER_SUFFIXES = frozenset({".pdf", ".md", ".markdown"})


def scan(paths: Iterable[Path]) -> list[Path]:
    """List the files to import, absolute, in the order given, folders sorted by name, each path once.

    A file named directly is taken whatever its name; inside folders only PDF and Markdown
    files count, and hidden ones do not. Links are followed, loops are not. What is missing
    or cannot be read is listed too, so that every path a person named gets an answer.
    """
    absolute = (Path(os.path.abspath(path)) for path in paths)  # noqa: PTH100  keeps links as they are
    return list(dict.fromkeys(found for path in absolute for found in _expand(path, frozenset())))


def _expand(path: Path, above: frozenset[tuple[int, int]]) -> Iterator[Path]:
    """Yield the file, or walk the folder; a link may lead back to the folders it lies in (`above`)."""
    if not path.is_dir():
        yield path
        return
    try:
        info = path.stat()
        names = sorted(os.listdir(path))  # noqa: PTH208  names alone, also undecodable ones
    except OSError:
        yield path
        return
    here = (info.st_dev, info.st_ino)
    if here in above:
        return
    for name in names:
        child = path / name
        if not name.startswith(".") and (child.suffix.lower() in PAPER_SUFFIXES or child.is_dir()):
            yield from _expand(child, above | {here})
