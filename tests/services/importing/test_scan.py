"""Which files the given paths mean."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from app.services.importing.scan import scan


def _files(root: Path, *names: str) -> None:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"x")


def test_that_a_folder_stands_for_its_papers_at_any_depth_sorted(tmp_path: Path) -> None:
    _files(tmp_path, "b.pdf", "a/z.PDF", "a/y.md", "c.markdown", "data.csv", "a/figure.png")
    assert [p.relative_to(tmp_path).as_posix() for p in scan([tmp_path])] == [
        "a/y.md",
        "a/z.PDF",
        "b.pdf",
        "c.markdown",
    ]


def test_that_a_file_named_directly_is_taken_whatever_its_name(tmp_path: Path) -> None:
    _files(tmp_path, "paper.dat")
    assert scan([tmp_path / "paper.dat"]) == [tmp_path / "paper.dat"]


def test_that_hidden_files_and_folders_are_left_out_of_folders(tmp_path: Path) -> None:
    _files(tmp_path, "._paper.pdf", ".git/x.pdf", "paper.pdf")
    assert scan([tmp_path]) == [tmp_path / "paper.pdf"]


def test_that_a_path_given_twice_is_one_file(tmp_path: Path) -> None:
    _files(tmp_path, "a.pdf")
    assert scan([tmp_path / "a.pdf", tmp_path, tmp_path / "a.pdf"]) == [tmp_path / "a.pdf"]


def test_that_what_is_missing_is_listed_too(tmp_path: Path) -> None:
    assert scan([tmp_path / "no.pdf"]) == [tmp_path / "no.pdf"]


def test_that_paths_come_back_absolute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _files(tmp_path, "a.pdf")
    monkeypatch.chdir(tmp_path)
    assert scan([Path("a.pdf")]) == [tmp_path / "a.pdf"]


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights on Windows")
def test_that_links_are_followed_and_loops_are_not(tmp_path: Path) -> None:
    _files(tmp_path, "papers/a.pdf", "elsewhere/b.pdf")
    (tmp_path / "papers/loop").symlink_to(tmp_path / "papers")
    (tmp_path / "papers/more").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "elsewhere/back").symlink_to(tmp_path / "papers")
    names = [p.relative_to(tmp_path).as_posix() for p in scan([tmp_path / "papers"])]
    assert names == ["papers/a.pdf", "papers/more/b.pdf"]


@pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse such names")
def test_that_names_that_are_not_unicode_are_kept(tmp_path: Path) -> None:
    name = os.fsdecode(b"caf\xe9.pdf")
    _files(tmp_path, name)
    assert scan([tmp_path]) == [tmp_path / name]
