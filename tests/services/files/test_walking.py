"""Which files a search looks at."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from app.services.files.globbing import Glob, PatternError, compiled
from app.services.files.walking import walk


def made(root: Path, *paths: str) -> Path:
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text("x")
    return root


def found(root: Path, closed: list[str] | None = None) -> list[str]:
    return [file.relative for file in walk(root, closed or ())]


def test_that_files_come_in_a_fixed_order(tmp_path: Path) -> None:
    made(tmp_path, "b/2.txt", "b/1.txt", "a/c/3.txt", "a/0.txt", "z.txt")
    assert found(tmp_path) == ["z.txt", "a/0.txt", "a/c/3.txt", "b/1.txt", "b/2.txt"]


def test_that_gitignore_is_heeded_at_every_depth(tmp_path: Path) -> None:
    made(
        tmp_path,
        "a.log",
        "keep.log",
        "build/x.txt",
        "src/build.txt",
        "src/a.tmp",
        "src/deep/b.tmp",
        "src/c.log",
    )
    (tmp_path / ".gitignore").write_text("*.log\n!keep.log\nbuild/\n[\n")
    (tmp_path / "src" / ".gitignore").write_text("/a.tmp\n!c.log\n")
    assert found(tmp_path) == [
        ".gitignore",
        "keep.log",
        "src/.gitignore",
        "src/build.txt",
        "src/c.log",
        "src/deep/b.tmp",
    ]


def test_that_the_rules_of_the_repository_hold_in_its_folders(tmp_path: Path) -> None:
    made(tmp_path, ".git/config", "sub/deep/a.log", "sub/deep/a.txt")
    (tmp_path / ".gitignore").write_text("*.log\n")
    assert found(tmp_path / "sub" / "deep") == ["a.txt"]


def test_that_machinery_is_passed_over(tmp_path: Path) -> None:
    made(tmp_path, ".git/config", "node_modules/a.js", "__pycache__/a.pyc", ".venv/x", ".hidden/a", "a")
    made(tmp_path, ".astroresearch-0123.tmp")
    assert found(tmp_path) == ["a", ".hidden/a"]


def test_that_closed_folders_are_passed_over(tmp_path: Path) -> None:
    made(tmp_path, "home/library.sqlite3", "home/files/a", "b")
    assert found(tmp_path, [str(tmp_path / "home")]) == ["b"]


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege there")
def test_that_links_are_not_followed(tmp_path: Path) -> None:
    """Bug 27: a search stays in its folder, and ends."""
    made(tmp_path, "in/a", "out/secret")
    (tmp_path / "in" / "folder").symlink_to(tmp_path / "out")
    (tmp_path / "in" / "file").symlink_to(tmp_path / "out" / "secret")
    (tmp_path / "in" / "circle").symlink_to(tmp_path / "in")
    assert found(tmp_path / "in") == ["a"]


def test_that_a_deep_tree_is_walked(tmp_path: Path) -> None:
    folder = tmp_path
    for _ in range(300):
        folder /= "d"
    folder.mkdir(parents=True)
    (folder / "a").write_text("x")
    assert len(found(tmp_path)) == 1


def test_that_a_file_is_its_own_search(tmp_path: Path) -> None:
    assert found(made(tmp_path, "a.txt") / "a.txt") == ["a.txt"]
    assert found(tmp_path / "missing") == []


@pytest.mark.parametrize(
    ("pattern", "path", "fits"),
    [
        ("*.tex", "a.tex", True),
        ("*.tex", "deep/er/a.tex", True),
        ("./*.tex", "a.tex", True),
        ("*.tex", "a.text", False),
        ("src/*.py", "src/a.py", True),
        ("src/*.py", "src/b/a.py", False),
        ("src/**/*.py", "src/a.py", True),
        ("src/**/*.py", "src/b/c/a.py", True),
        ("**/*.py", "a.py", True),
        ("src/**", "src/b/c", True),
        ("src/**", "srcs/b", False),
        ("*.{tex,bib}", "a.bib", True),
        ("{a,{b,c}}.txt", "c.txt", True),
        ("[ab].txt", "b.txt", True),
        ("[!ab].txt", "b.txt", False),
        ("[!ab].txt", "c.txt", True),
        ("a?c", "abc", True),
        ("a?c", "a/c", False),
        ("a+(b).txt", "a+(b).txt", True),
        ("论文*.md", "论文一.md", True),
        ("a[.txt", "a[.txt", True),
    ],
)
def test_that_patterns_mean_what_they_do_in_a_shell(pattern: str, path: str, fits: bool) -> None:
    assert Glob(pattern).matches(path) is fits


@pytest.mark.parametrize("pattern", ["", "/etc/*", "../*", "a/../../b", "{a,b}" * 8, "[z-a]"])
def test_that_patterns_that_lead_out_or_explode_are_refused(pattern: str) -> None:
    with pytest.raises(PatternError):
        Glob(pattern)


def test_that_a_wrong_expression_is_explained() -> None:
    with pytest.raises(PatternError, match="at character") as caught:
        compiled("f(x", ignore_case=False)
    assert r"f\(x" in caught.value.hint
    assert compiled("ABC", ignore_case=True).search("abc")
