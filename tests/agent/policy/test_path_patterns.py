"""Patterns on paths: by parts, as typed and as resolved."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.agent.policy.path_patterns import PathSubject, _fits
from app.agent.policy.patterns import Match

links = pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")


@pytest.fixture
def base(tmp_path: Path) -> Path:
    folder = tmp_path / "files"
    for name in ("notes", "secret", "notes-old"):
        (folder / name).mkdir(parents=True)
        (folder / name / "a.md").write_text("x")
    return folder


@pytest.mark.parametrize(
    ("pattern", "path", "covered"),
    [
        ("notes/**", "notes/a.md", True),
        ("notes/", "notes/deep/er/b.md", True),
        ("notes/*", "notes/a.md", True),
        ("notes/*", "notes/deep/b.md", False),
        ("notes/**", "notes-old/a.md", False),
        ("notes/**", "notes/../secret/a.md", False),
        ("notes/**", "../files/notes/a.md", True),
        ("**/*.md", "notes/a.md", True),
        ("*.md", "notes/a.md", True),
        ("*.md", "notes/a.txt", False),
        ("notes", "notes/a.md", False),
        ("./x.md", "x.md", True),
        ("/etc/**", "notes/a.md", False),
    ],
)
def test_that_allowing_compares_parts(base: Path, pattern: str, path: str, covered: bool) -> None:
    assert PathSubject.of(path, base).covered_by(pattern) is covered


@pytest.mark.parametrize(
    ("pattern", "path", "expected"),
    [
        ("secret/**", "secret/a.md", Match.YES),
        ("secret/", "secret", Match.YES),
        ("secret", "secret/a.md", Match.YES),
        ("./secret", "secret/a.md", Match.YES),
        ("secret/**", "notes/../secret/a.md", Match.YES),
        ("secret/**", "./secret//a.md", Match.YES),
        ("secret/**", "notes/a.md", Match.NO),
        ("secret/**", ".", Match.PERHAPS),
        ("*.key", "x/y.key", Match.YES),
        ("*.key", "notes", Match.PERHAPS),
        ("*.key", "notes/a.md", Match.NO),
        ("/etc/**", "/etc/passwd", Match.YES),
        ("~/.ssh/", "~/.ssh/id", Match.NO),  # `~` is a name in what a model types
    ],
)
def test_that_refusing_covers_all_in_a_folder_and_asks_before_searching_around_it(
    base: Path, pattern: str, path: str, expected: Match
) -> None:
    assert PathSubject.of(path, base).touched_by(pattern) is expected


@links
def test_that_links_do_not_lead_around_a_rule(base: Path, tmp_path: Path) -> None:
    """Bug 27: the typed and the resolved path are both compared; either refuses, both must allow."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "x.md").write_text("x")
    (base / "notes" / "file").symlink_to(base / "secret" / "a.md")
    (base / "notes" / "folder").symlink_to(base / "secret")
    (base / "notes" / "out").symlink_to(outside)
    (base / "notes" / "dangling").symlink_to(outside / "new.md")
    (base / "notes" / "chain").symlink_to(base / "notes" / "file")
    for name in ("file", "folder/a.md", "chain"):
        subject = PathSubject.of(f"notes/{name}", base)
        assert subject.touched_by("secret/**") is Match.YES
        assert not subject.covered_by("notes/**")
    for name in ("out/x.md", "dangling", "out/new/deep.md"):
        subject = PathSubject.of(f"notes/{name}", base)
        assert subject.touched_by(f"{outside.as_posix()}/**") is Match.YES
        assert not subject.covered_by("notes/**")


@links
def test_that_two_dots_behind_a_link_count_where_they_lead(base: Path, tmp_path: Path) -> None:
    """Bug 27: `link/..` is the parent of where the link leads."""
    (tmp_path / "far" / "away").mkdir(parents=True)
    (base / "notes" / "link").symlink_to(tmp_path / "far" / "away")
    subject = PathSubject.of("notes/link/../x.md", base)
    assert subject.real == (tmp_path / "far" / "x.md").resolve()
    assert not subject.covered_by("notes/**")


@links
def test_that_a_refused_folder_is_refused_where_it_really_is(base: Path, tmp_path: Path) -> None:
    """Bug 27: the rule names a link, the call the folder behind it."""
    (tmp_path / "alias").symlink_to(base / "secret")
    assert PathSubject.of("secret/a.md", base).touched_by(f"{tmp_path.as_posix()}/alias/**") is Match.YES


def test_that_the_exact_pattern_allows_the_path_alone(base: Path, tmp_path: Path) -> None:
    odd = base / "notes" / "a[1]*.md" if sys.platform != "win32" else base / "notes" / "a[1].md"
    for text in ("notes/a.md", "x.md", str(odd), str(tmp_path / "else" / "y.md")):
        subject = PathSubject.of(text, base)
        assert subject.covered_by(subject.exact)
    assert not PathSubject.of("notes/a1.md", base).covered_by(PathSubject.of(str(odd), base).exact)
    assert not PathSubject.of("notes/x.md", base).covered_by(PathSubject.of("x.md", base).exact)


parts = st.lists(st.sampled_from(["a", "b", "ab"]), max_size=5)
wilds = st.lists(st.sampled_from(["a", "b", "*", "**", "a*"]), max_size=5)


def _slowly(path: list[str], pattern: list[str]) -> bool:
    if not pattern:
        return not path
    if pattern[0] == "**":
        return any(_slowly(path[start:], pattern[1:]) for start in range(len(path) + 1))
    if not path:
        return False
    first = pattern[0] == "*" or (path[0].startswith("a") if pattern[0] == "a*" else path[0] == pattern[0])
    return first and _slowly(path[1:], pattern[1:])


@given(parts, wilds)
def test_that_parts_are_compared_as_by_the_book(path: list[str], pattern: list[str]) -> None:
    assert _fits(path, pattern) is _slowly(path, pattern)
