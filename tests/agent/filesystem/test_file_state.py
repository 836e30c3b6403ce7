"""What an agent knows of files, over compactions."""

from __future__ import annotations

from pathlib import Path

from app.agent.tools.filesystem.state import FileStateCache, FileVersion, PageKey

FILE = Path("/library/files/a.txt")


def page(digest: str = "a", offset: int = 1, limit: int | None = None, mtime: int = 1) -> PageKey:
    return PageKey(FILE, offset, limit, FileVersion(mtime, 5, digest))


def test_that_a_page_is_seen_until_it_was_asked_for_again() -> None:
    """Bug 22: who asks again after the stub has lost the text, and gets it."""
    cache = FileStateCache()
    assert not cache.take_seen(page())
    cache.note_read(page())
    assert cache.take_seen(page())
    assert not cache.take_seen(page())


def test_that_another_page_or_version_is_not_seen() -> None:
    cache = FileStateCache()
    cache.note_read(page())
    assert not cache.take_seen(page(offset=2))
    assert not cache.take_seen(page(limit=10))
    assert not cache.take_seen(page(digest="b"))
    assert not cache.take_seen(page(mtime=2))


def test_that_a_compaction_takes_the_text_and_leaves_the_version() -> None:
    """Trap 0.3: the key holds the generation of the context."""
    cache = FileStateCache()
    cache.note_read(page())
    cache.bump_generation()
    assert not cache.take_seen(page())
    assert cache.version(FILE) == page().version
    assert cache.recent(5) == [(FILE, 1, None)]


def test_that_the_newest_pages_come_first() -> None:
    cache = FileStateCache()
    for offset in (1, 100, 200, 1):
        cache.note_read(page(offset=offset))
    assert cache.recent(2) == [(FILE, 1, None), (FILE, 200, None)]


def test_that_writing_over_somebody_elses_change_does_not_count_as_having_seen_it() -> None:
    """Bug 13: an edit may pass over a change elsewhere in the file; a whole write may not."""
    cache = FileStateCache()
    cache.note_read(page("a"))
    cache.note_written(FILE, FileVersion(3, 5, "c"), knew=FileVersion(2, 5, "b"))
    version = cache.version(FILE)
    assert version is not None
    assert version.digest == "a"
    cache.note_written(FILE, FileVersion(4, 5, "d"), knew=FileVersion(9, 5, "a"))
    version = cache.version(FILE)
    assert version is not None
    assert version.digest == "d"


def test_that_a_new_file_is_known_to_its_writer() -> None:
    cache = FileStateCache()
    cache.note_written(FILE, FileVersion(3, 5, "c"), knew=None)
    assert cache.version(FILE) == FileVersion(3, 5, "c")


def test_that_it_does_not_grow_for_ever() -> None:
    cache = FileStateCache()
    for number in range(3000):
        cache.note_read(PageKey(Path(f"/{number}"), 1, None, FileVersion(1, 1, "a")))
    assert len(cache.recent(10_000)) == 1000


def test_that_a_touched_file_is_the_same_version() -> None:
    assert FileVersion(1, 5, "a").same_as(FileVersion(2, 5, "a"))
    assert not FileVersion(1, 5, "a").same_as(FileVersion(1, 5, "b"))
    assert FileVersion(1, 5).same_as(FileVersion(1, 5, "b"))
    assert not FileVersion(1, 5).same_as(FileVersion(2, 5))
