"""The library's copies: names that every system takes, whole files or none."""

from __future__ import annotations

import hashlib
import os
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.records.ids import PaperId
from app.services.importing.file_store import (
    FileChangedError,
    FileStore,
    fingerprint,
    free_name,
    safe_name,
)

PAPER = PaperId("abcdefgh")


@pytest.mark.parametrize(
    ("original", "expected"),
    [
        ("Riess 2016.pdf", "Riess 2016.pdf"),
        ("Z\u030cernov \u2013 U\u0308bersicht.PDF", "\u017dernov \u2013 \u00dcbersicht.pdf"),
        ("what? a:b/c\\d*.pdf", "what_ a_b_c_d_.pdf"),
        ("line\nbreak\x1b[31m.pdf", "line_break_[31m.pdf"),
        ("caf\udce9.pdf", "caf_.pdf"),
        ("con.pdf", "_con.pdf"),
        ("NUL.tar.pdf", "_NUL.tar.pdf"),
        ("...pdf", "paper.pdf"),
        (" . .pdf", "paper.pdf"),
        ("paper", "paper.pdf"),
        ("download.php", "download.php.pdf"),
    ],
)
def test_that_names_are_made_safe(original: str, expected: str) -> None:
    assert safe_name(original, ".pdf") == expected


@given(st.text(max_size=400))
def test_that_any_name_becomes_one_that_every_system_takes(original: str) -> None:
    name = safe_name(original, ".pdf")
    assert name.endswith(".pdf")
    assert len(name.encode()) <= 150
    assert not set(name) & set('<>:"/\\|?*\0\n')
    assert safe_name(name, ".pdf") == name


@given(st.lists(st.text(alphabet="aAé漢", min_size=1, max_size=80), max_size=5))
def test_that_a_free_name_is_free_in_any_case(stems: list[str]) -> None:
    taken: list[str] = []
    for stem in stems:
        name = free_name(safe_name(stem, ".pdf"), taken)
        assert name.casefold() not in {t.casefold() for t in taken}
        assert len(name.encode()) <= 150
        taken.append(name)


def test_that_a_file_goes_through_staging_to_its_paper_whole(home: Path, tmp_path: Path) -> None:
    source = tmp_path / "a.pdf"
    source.write_bytes(b"%PDF-" + os.urandom(3_000_000))
    store, seen = _store(home), fingerprint(source)
    assert seen.sha256 == hashlib.sha256(source.read_bytes()).hexdigest()
    assert (seen.size, seen.head[:5]) == (3_000_005, b"%PDF-")
    staged = store.stage(source, seen.sha256, ".pdf")
    assert store.settle(staged, PAPER) == f"{PAPER}/a.pdf"
    assert store.path(f"{PAPER}/a.pdf").read_bytes() == source.read_bytes()
    assert _all_files(home) == [f"files/{PAPER}/a.pdf"]


def test_that_two_files_of_one_name_are_both_kept(home: Path, tmp_path: Path) -> None:
    store = _store(home)
    source = tmp_path / "A.pdf"
    for content, expected in ((b"1", "A.pdf"), (b"2", "A (2).pdf")):
        source.write_bytes(content)
        staged = store.stage(source, fingerprint(source).sha256, ".pdf")
        assert store.settle(staged, PAPER) == f"{PAPER}/{expected}"


def test_that_a_file_that_changes_meanwhile_is_refused_and_leaves_nothing(home: Path, tmp_path: Path) -> None:
    source = tmp_path / "a.pdf"
    source.write_bytes(b"one")
    seen = fingerprint(source)
    source.write_bytes(b"one and more")
    with pytest.raises(FileChangedError):
        _store(home).stage(source, seen.sha256, ".pdf")
    assert _all_files(home) == []


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_that_a_full_disk_leaves_nothing_half_written(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = tmp_path / "a.pdf"
    source.write_bytes(b"x" * 100_000)
    monkeypatch.setattr("app.services.importing.file_store.safe_name", lambda name, suffix: "full.pdf")
    real_open = Path.open

    def open_full(self: Path, mode: str = "r") -> object:
        return real_open(Path("/dev/full") if self.name == "full.pdf" else self, mode)

    monkeypatch.setattr(Path, "open", open_full)
    with pytest.raises(OSError, match="No space left"):
        _store(home).stage(source, fingerprint(source).sha256, ".pdf")
    assert _all_files(home) == []


def test_that_what_is_no_plain_file_is_refused_without_waiting(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="plain file"):
        fingerprint(tmp_path)
    if sys.platform != "win32":
        os.mkfifo(tmp_path / "pipe.pdf")
        with pytest.raises(OSError, match="plain file"):
            fingerprint(tmp_path / "pipe.pdf")


def test_that_leftovers_of_an_interrupted_import_are_cleared(home: Path, tmp_path: Path) -> None:
    source = tmp_path / "a.pdf"
    source.write_bytes(b"one")
    store = _store(home)
    store.stage(source, fingerprint(source).sha256, ".pdf")
    store.clear_incoming()
    assert _all_files(home) == []


def _store(home: Path) -> FileStore:
    (home / "files").mkdir(parents=True)
    return FileStore(home)


def _all_files(home: Path) -> list[str]:
    return sorted(p.relative_to(home).as_posix() for p in home.rglob("*") if p.is_file())
