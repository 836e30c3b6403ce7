from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import apsw
import pytest

from app.errors import HomeError, LibraryBusyError, LibraryError
from app.library import Library, sql
from app.library.library import DATABASE
from app.library.store import Store, error_for
from tests.library.samples import add_indexed, record


def test_that_the_file_is_written_ahead_with_references_kept(library: Library) -> None:
    with library.store.read() as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert connection.execute("PRAGMA foreign_keys").fetchone() == (1,)
        assert connection.execute("PRAGMA synchronous").fetchone() == (1,)


def test_that_a_durable_write_is_synced_and_the_next_one_is_not(library: Library) -> None:
    with library.store.write(durable=True) as connection:
        assert connection.execute("PRAGMA synchronous").fetchone() == (2,)
    with library.store.write() as connection:
        assert connection.execute("PRAGMA synchronous").fetchone() == (1,)


def test_that_a_failed_write_is_taken_back_whole(library: Library) -> None:
    def add_and_fail() -> None:
        with library.store.write():
            library.papers.add(record())
            raise RuntimeError

    with pytest.raises(RuntimeError):
        add_and_fail()
    assert library.papers.count() == 0


def test_that_a_reader_sees_one_moment(library: Library) -> None:
    library.papers.add(record("First"))
    with library.store.read() as connection:
        before = sql.value(connection, "SELECT count(*) FROM works")
        writer = threading.Thread(target=library.papers.add, args=(record("Second"),))
        writer.start()
        writer.join()
        assert connection.execute("SELECT count(*) FROM works").fetchone() == (before,)
    assert library.papers.count() == 2


def test_that_many_threads_read_and_write_at_once(library: Library) -> None:
    def work(number: int) -> int:
        add_indexed(library, f"Paper {number}", [f"shared text {number}"])
        library.papers.rows(library.papers.order("paper"))
        return len(library.search.keyword("shared"))

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(work, range(40)))
    assert library.papers.count() == 40
    assert all(found)


def test_that_a_closed_library_says_so(home: Path) -> None:
    library = Library.open(home)
    with ThreadPoolExecutor(2) as pool:
        pool.submit(library.papers.count).result()
        library.close()
    with pytest.raises(LibraryError):
        library.papers.count()
    assert not (home / f"{DATABASE}-wal").exists()


def test_that_closing_does_not_wait_for_a_long_read(home: Path) -> None:
    library = Library.open(home)
    begun = threading.Event()

    def read_for_ever() -> None:
        with library.store.read() as connection:
            begun.set()
            endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
            connection.execute(endless).fetchall()

    with ThreadPoolExecutor(1) as pool:
        reader = pool.submit(read_for_ever)
        begun.wait()
        library.close()
        with pytest.raises(LibraryError) as refused:
            reader.result()
    assert refused.value.code == "library_closed"


def test_that_a_full_disk_is_told_and_loses_nothing_before(library: Library) -> None:
    paper, _, _ = add_indexed(library, "Before", ["before"])
    with library.store.read() as connection:
        pages = sql.value(connection, "PRAGMA page_count")
        connection.execute(f"PRAGMA max_page_count={pages + 2}")
    with pytest.raises(LibraryError) as refused:
        add_indexed(library, "After", [f"text {i} " * 500 for i in range(50)])
    assert refused.value.code == "disk_full"
    assert refused.value.hint
    with library.store.read() as connection:
        connection.execute("PRAGMA max_page_count=1000000")
    assert library.papers.get(paper).passage_count == 1
    add_indexed(library, "Later", ["later"])


def test_that_a_writer_that_never_ends_is_told_to_the_person(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.library.store.BUSY_TIMEOUT_S", 0.1)
    with Library.open(home) as library:
        other = apsw.Connection(str(home / DATABASE))
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(LibraryBusyError):
            library.papers.add(record())
        assert library.papers.count() == 0
        other.execute("ROLLBACK")
        library.papers.add(record())
        other.close()


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (apsw.FullError(), LibraryError),
        (apsw.BusyError(), LibraryBusyError),
        (apsw.CorruptError(), LibraryError),
        (apsw.NotADBError(), LibraryError),
        (apsw.ReadOnlyError(), HomeError),
        (apsw.CantOpenError(), HomeError),
        (apsw.IOError(), LibraryError),
    ],
)
def test_that_every_trouble_with_the_file_has_a_way_out(error: apsw.Error, kind: type[Exception]) -> None:
    told = error_for(error, Path("home/library.sqlite3"))
    assert isinstance(told, kind)
    assert told.hint


def test_that_a_mistake_of_ours_is_not_hidden(library: Library) -> None:
    assert error_for(apsw.SQLError(), Path("x")) is None
    with pytest.raises(apsw.SQLError), library.store.write() as connection:
        connection.execute("SELEC nonsense")


def test_that_two_libraries_can_be_open_in_one_process(tmp_path: Path) -> None:
    with Library.open(tmp_path / "a") as a, Library.open(tmp_path / "b") as b:
        a.state.set("key", 1)
        assert b.state.get("key") is None
        assert isinstance(a.store, Store)


def test_that_a_library_without_its_database_is_not_begun_anew(tmp_path: Path) -> None:
    with Library.open(tmp_path) as library:
        (library.files_dir / "abcdefgh").mkdir()
    (tmp_path / DATABASE).unlink()
    for state in ("gone", "empty"):
        if state == "empty":
            (tmp_path / DATABASE).touch()
        with pytest.raises(LibraryError) as refused:
            Library.open(tmp_path)
        assert refused.value.code == "library_damaged"
        assert "backups" in refused.value.hint


def test_that_a_missing_table_is_told_as_damage(tmp_path: Path) -> None:
    with Library.open(tmp_path) as library:
        library.papers.add(record())
    with apsw.Connection(str(tmp_path / DATABASE)) as connection:
        connection.execute("DROP TABLE notes")
    with Library.open(tmp_path) as library, pytest.raises(LibraryError) as told:
        library.papers.rows(list(library.papers.order()))
    assert told.value.code == "library_damaged"
