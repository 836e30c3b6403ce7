from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import apsw
import pytest

from app.errors import HomeError, LibraryError
from app.library import Library, backup, sql, tables
from app.library.library import DATABASE
from app.library.migrations import STEPS, migrate
from app.library.store import Store
from tests.library.samples import add_indexed, found_texts, record

NEXT_STEP = "ALTER TABLE works ADD COLUMN rating INTEGER; CREATE TABLE extra (id INTEGER PRIMARY KEY) STRICT;"


def _version(home: Path) -> int:
    connection = apsw.Connection(str(home / DATABASE))
    try:
        return int(sql.value(connection, "PRAGMA user_version"))
    finally:
        connection.close()


def _migrated(home: Path, *steps: str) -> Path | None:
    store = Store(home / DATABASE)
    try:
        return migrate(store, home / "backups", steps=steps)
    finally:
        store.close()


def test_that_a_new_library_has_the_newest_schema_and_needs_no_backup(home: Path) -> None:
    Library.open(home).close()
    assert _version(home) == len(STEPS)
    assert not (home / "backups").exists()
    Library.open(home).close()
    assert not (home / "backups").exists()


def test_that_an_old_library_is_backed_up_and_brought_forward_with_its_papers(home: Path) -> None:
    with Library.open(home) as library:
        add_indexed(library, "Old paper", ["old words"])
    copy = _migrated(home, *STEPS, NEXT_STEP)
    assert copy is not None
    assert _version(home) == len(STEPS) + 1
    restored = home / "restored"
    restored.mkdir()
    copy.rename(restored / DATABASE)
    with Library.open(restored) as library:
        assert found_texts(library, "old") == ["old words"]
        assert library.verify() == []


def test_that_each_release_migrates_from_the_first_schema(home: Path) -> None:
    home.mkdir()
    _migrated(home, STEPS[0])
    store = Store(home / DATABASE)
    with store.write() as connection:
        connection.execute(
            "INSERT INTO works(paper_id, title, added_at, updated_at) VALUES"
            " ('first111', 'From version 1', '2026-12-01T00:00:00+00:00', '2026-12-01T00:00:00+00:00')"
        )
    store.close()
    with Library.open(home) as library:
        (row,) = library.papers.rows(library.papers.order("version"))
        assert row.title == "From version 1"
        assert library.verify() == []


def test_that_a_step_that_fails_changes_nothing(home: Path) -> None:
    with Library.open(home) as library:
        add_indexed(library, "Kept", ["kept"])
    with pytest.raises(apsw.SQLError):
        _migrated(home, *STEPS, NEXT_STEP, "CREATE TABLE broken (")
    assert _version(home) == len(STEPS)
    with Library.open(home) as library:
        assert found_texts(library, "kept") == ["kept"]


@pytest.mark.skipif(os.name == "nt", reason="kills a process by signal")
def test_that_a_migration_killed_halfway_leaves_the_old_library(home: Path) -> None:
    with Library.open(home) as library:
        add_indexed(library, "Kept", ["kept"])
    code = f"""
        import os, signal
        from pathlib import Path
        from app.library import migrations
        from app.library.store import Store
        home = Path({str(home)!r})
        store = Store(home / "library.sqlite3")
        store.connection().create_scalar_function("die", lambda: os.kill(os.getpid(), signal.SIGKILL), 0)
        step = {NEXT_STEP!r} + "INSERT INTO extra SELECT die();"
        migrations.migrate(store, home / "backups", steps=(*migrations.STEPS, step))
    """
    ended = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], check=False, cwd=Path.cwd())
    assert ended.returncode == -signal.SIGKILL
    assert _version(home) == len(STEPS)
    assert len(backup.backups(home / "backups")) == 1
    with Library.open(home) as library:
        assert found_texts(library, "kept") == ["kept"]
        assert library.verify() == []


def test_that_a_newer_library_is_refused_and_left_alone(home: Path) -> None:
    Library.open(home).close()
    _migrated(home, *STEPS, NEXT_STEP)
    with pytest.raises(LibraryError) as refused:
        Library.open(home)
    assert refused.value.code == "library_newer"
    assert _version(home) == len(STEPS) + 1


def test_that_the_database_of_another_program_is_refused(home: Path) -> None:
    home.mkdir()
    connection = apsw.Connection(str(home / DATABASE))
    connection.execute("CREATE TABLE cookies (id INTEGER)")
    connection.close()
    with pytest.raises(LibraryError) as refused:
        Library.open(home)
    assert refused.value.code == "library_foreign"


@pytest.mark.parametrize(
    "content", [b"this is no database at all" * 100, b"SQLite format 3\x00" + b"\xff" * 8000]
)
def test_that_a_damaged_file_is_named_with_the_way_to_the_backups(home: Path, content: bytes) -> None:
    home.mkdir()
    (home / DATABASE).write_bytes(content)
    with pytest.raises(LibraryError) as refused:
        Library.open(home)
    assert refused.value.code == "library_damaged"
    assert str(home / "backups") in refused.value.hint
    assert (home / DATABASE).read_bytes() == content


def test_that_damage_inside_is_found_by_verify_and_refused_by_the_backup(home: Path) -> None:
    with Library.open(home) as library:
        for i in range(30):
            add_indexed(library, f"Paper {i}", ["words " * 200])
        with library.store.read() as connection:
            page = sql.value(connection, "SELECT rootpage FROM sqlite_schema WHERE name = 'passages'")
    file = home / DATABASE
    content = bytearray(file.read_bytes())
    content[(page - 1) * 4096 : page * 4096] = b"\xaa" * 4096
    file.write_bytes(content)
    with Library.open(home) as library:
        assert library.verify() != []
        with pytest.raises(LibraryError):
            library.back_up()
        assert backup.backups(library.backups_dir) == []


def test_that_a_folder_in_the_way_is_a_home_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(HomeError):
        Library.open(tmp_path / "file" / "home")
    (tmp_path / "home" / DATABASE).mkdir(parents=True)
    with pytest.raises(HomeError):
        Library.open(tmp_path / "home")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere")
def test_that_a_home_without_write_permission_is_a_home_error(tmp_path: Path) -> None:
    home = tmp_path / "home"
    Library.open(home).close()
    home.chmod(0o500)
    try:
        with pytest.raises(HomeError):
            Library.open(home)
    finally:
        home.chmod(0o700)


def test_that_backups_hold_everything_and_only_the_newest_are_kept(library: Library) -> None:
    add_indexed(library, "Safe", ["safe words"])
    copies = [library.back_up() for _ in range(backup.KEPT + 2)]
    assert backup.backups(library.backups_dir) == copies[: -backup.KEPT - 1 : -1]
    assert list(library.backups_dir.glob("*.partial*")) == []


def test_that_a_copy_with_fewer_rows_is_no_backup(library: Library) -> None:
    library.papers.add(record())
    copy = library.back_up()
    backup.verify(copy, at_least={"works": 1})
    with pytest.raises(LibraryError) as refused:
        backup.verify(copy, at_least={"works": 2})
    assert refused.value.code == "backup_failed"


def test_that_the_models_have_the_columns_of_the_schema(library: Library) -> None:
    with library.store.read() as connection:
        for model in tables.MODELS:
            name = model._meta.table_name
            columns = [row[1] for row in connection.execute(f"PRAGMA table_info({name})")]
            assert columns == list(model._meta.columns), name
