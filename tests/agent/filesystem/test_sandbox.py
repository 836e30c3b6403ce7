"""What is open to the agent, and the six shapes of links that try to change that."""

from __future__ import annotations

import sys
from pathlib import Path, PureWindowsPath

import pytest
from hypothesis import HealthCheck, given, settings

from app.agent.policy.path_shapes import MAX_LENGTH, key_of, shape_problem
from app.agent.policy.paths import PathRefused, Sandbox
from tests.agent.filesystem.conftest import Place
from tests.harness.strategies import nasty_paths

links = pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege there")


def refused(place: Place, text: str | Path, *, project: bool = True) -> bool:
    """Whether both reading and writing are refused."""
    sandbox = place.sandbox(project=project)
    hints = []
    for check in (sandbox.readable, sandbox.writable):
        try:
            check(str(text))
        except PathRefused as error:
            hints.append(error.hint)
    assert len(hints) in (0, 2)
    assert all(str(place.files) in hint or "Name the file" in hint for hint in hints)
    return bool(hints)


def test_that_relative_paths_start_at_the_files_of_the_library(place: Place) -> None:
    sandbox = place.sandbox()
    assert sandbox.readable("a/b.txt") == place.files / "a" / "b.txt"
    assert sandbox.writable("neu/ä.md") == place.files / "neu" / "ä.md"


def test_that_names_that_only_look_dangerous_are_taken() -> None:
    """Trap 0.6: dots, tildes and 8.3 names are legal; only where they lead counts."""
    for name in ("a..b.pdf", "PROGRA~1", "..hidden", "~", "~root", "x/../y.txt", "...", "-rf", "a b.txt"):
        assert shape_problem(name, windows=False) is None, name
    assert shape_problem("PROGRA~1", windows=True) is None


def test_that_a_tilde_is_a_name_and_not_a_home_folder(place: Place) -> None:
    assert place.sandbox().readable("~/x") == place.files / "~" / "x"


def test_that_a_file_that_does_not_exist_yet_can_be_written(place: Place) -> None:
    """Trap 0.6: a path is resolved as far as it exists."""
    assert place.sandbox().writable("new/deep/file.txt") == place.files / "new/deep/file.txt"


@pytest.mark.parametrize(
    "path",
    ["library.sqlite3", "library.sqlite3-wal", "settings.toml", "import.lock", "backups/library-1.sqlite3",
     "logs/x.log", "files/.incoming/x", "", ".", "elsewhere/x"],
)  # fmt: skip
def test_that_the_library_itself_is_closed(place: Place, path: str) -> None:
    assert refused(place, place.home / path)
    assert refused(place, f"../{path}")


def test_that_climbing_out_is_refused(place: Place) -> None:
    for path in (
        "../../outside/secret.txt",
        "a/../../../outside",
        "/etc/passwd",
        place.outside / "secret.txt",
    ):
        assert refused(place, path)


def test_that_a_folder_with_the_same_beginning_is_another_folder(place: Place) -> None:
    """Trap 0.6: components are compared, never string prefixes."""
    (place.root / "project-old").mkdir()
    assert refused(place, place.root / "project-old" / "x.txt")
    assert refused(place, place.home / "files2" / "x.txt")


def test_that_skills_and_tool_results_are_open_as_they_should_be(place: Place) -> None:
    sandbox = place.sandbox()
    for path in (place.skills / "a/SKILL.md", place.home / "tool-results" / "x.txt"):
        assert sandbox.readable(str(path)) == path
        with pytest.raises(PathRefused):
            sandbox.writable(str(path))
    assert sandbox.writable(str(place.home / "skills/mine/SKILL.md")) == place.home / "skills/mine/SKILL.md"


def test_that_the_project_folder_is_open_only_when_one_was_chosen(place: Place) -> None:
    path = str(place.project / "paper.tex")
    assert place.sandbox().writable(path) == place.project / "paper.tex"
    assert refused(place, path, project=False)


def test_that_a_project_around_the_library_does_not_open_it(place: Place) -> None:
    sandbox = Sandbox.for_home(place.home, place.skills, place.root)
    assert sandbox.writable(str(place.outside / "x.txt")) == place.outside / "x.txt"
    for name in ("settings.toml", "library.sqlite3", "backups/library-1.sqlite3"):
        with pytest.raises(PathRefused):
            sandbox.readable(str(place.home / name))
    assert sandbox.readable(str(place.files / "x")) == place.files / "x"
    closed = sandbox.closed_below(place.root)
    assert place.home in closed
    assert place.files / ".incoming" in closed


def test_that_the_files_of_papers_are_read_and_never_written(place: Place) -> None:
    place.managed.add("abcd2345/paper.pdf")
    sandbox = place.sandbox()
    assert sandbox.readable("abcd2345/paper.pdf") == place.files / "abcd2345/paper.pdf"
    with pytest.raises(PathRefused, match="file of a paper"):
        sandbox.writable("abcd2345/paper.pdf")
    with pytest.raises(PathRefused):
        sandbox.writable("x/../abcd2345/./paper.pdf")
    assert sandbox.writable("abcd2345/remarks.md") == place.files / "abcd2345/remarks.md"


# -- the six shapes of links ----------------------------------------------------------------------


@links
def test_that_a_link_to_a_file_outside_is_refused(place: Place) -> None:
    """Bug 27: the final component leads out."""
    (place.files / "link.txt").symlink_to(place.outside / "secret.txt")
    assert refused(place, "link.txt")


@links
def test_that_a_link_in_the_middle_of_a_path_is_refused(place: Place) -> None:
    """Bug 27: an intermediate folder leads out."""
    (place.files / "folder").symlink_to(place.outside)
    assert refused(place, "folder/secret.txt")
    assert refused(place, "folder/new.txt")


@links
def test_that_a_dangling_link_is_refused(place: Place) -> None:
    """Bug 27: the target does not exist yet; writing would make it."""
    (place.files / "dangling").symlink_to(place.outside / "new.txt")
    assert refused(place, "dangling")


@links
def test_that_a_chain_of_links_is_followed_to_its_end(place: Place) -> None:
    """Bug 27: each link leads inside but the last."""
    (place.files / "third").symlink_to(place.outside / "secret.txt")
    (place.files / "second").symlink_to("third")
    (place.files / "first").symlink_to("second")
    assert refused(place, "first")


@links
def test_that_a_link_that_climbs_is_refused(place: Place) -> None:
    """Bug 27: a relative link, and `..` behind a link."""
    (place.files / "up").symlink_to("../../outside")
    assert refused(place, "up/secret.txt")
    (place.project / "deep").mkdir()
    (place.files / "jump").symlink_to(place.project / "deep")
    assert place.sandbox().readable("jump/../x.txt") == place.files / "x.txt"  # as it was typed


@links
def test_that_a_circle_of_links_is_refused(place: Place) -> None:
    """Bug 27: it leads nowhere."""
    (place.files / "one").symlink_to("two")
    (place.files / "two").symlink_to("one")
    assert refused(place, "one")


@links
def test_that_a_link_inside_is_read_through_and_not_written_through(place: Place) -> None:
    """Bug 27: on writing the final component must be no link, wherever it leads."""
    (place.files / "real.txt").write_text("x")
    (place.files / "link.txt").symlink_to("real.txt")
    sandbox = place.sandbox()
    assert sandbox.readable("link.txt") == place.files / "real.txt"
    with pytest.raises(PathRefused, match="is a link"):
        sandbox.writable("link.txt")


@links
def test_that_a_link_to_a_paper_or_the_database_is_refused(place: Place) -> None:
    """Bug 27: rules hold for the typed and the resolved path, either refuses."""
    place.managed.add("abcd2345/paper.pdf")
    (place.project / "folder").symlink_to(place.files / "abcd2345")
    with pytest.raises(PathRefused):
        place.sandbox().writable(str(place.project / "folder/paper.pdf"))
    (place.files / "db").symlink_to(place.home / "library.sqlite3")
    assert refused(place, "db")
    (place.home / "elsewhere").symlink_to(place.files)
    assert refused(place, place.home / "elsewhere" / "x")


@links
def test_that_a_library_reached_through_a_link_works(tmp_path: Path) -> None:
    real = tmp_path / "disk" / "home"
    (real / "files").mkdir(parents=True)
    (tmp_path / "short").symlink_to(tmp_path / "disk")
    sandbox = Sandbox.for_home(tmp_path / "short" / "home", tmp_path / "skills")
    assert sandbox.readable("x.txt") == real / "files" / "x.txt"
    assert sandbox.readable(str(tmp_path / "short/home/files/x.txt")) == real / "files" / "x.txt"
    assert sandbox.readable(str(real / "files/x.txt")) == real / "files" / "x.txt"


# -- shapes ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text", ["", "  ", "a\0b", "a\nb", "\ud800", "x" * (MAX_LENGTH + 1), "y" * 10_000_000]
)
def test_that_text_that_is_no_path_is_refused(place: Place, text: str) -> None:
    with pytest.raises(PathRefused) as caught:
        place.sandbox().readable(text)
    assert len(caught.value.message) < 400


@pytest.mark.parametrize(
    "text",
    [r"\\?\C:\x", r"\\.\PhysicalDrive0", r"\\server\share\x", "//server/share", r"\??\C:\x",
     "file.txt:stream", "file.txt::$DATA", "C:relative", "con", "NUL.txt", "a/Com1", "LPT¹.log",
     "aux .txt", "settings.toml.", "settings.toml ", "folder./x"],
)  # fmt: skip
def test_that_what_windows_takes_for_more_than_a_name_is_refused(text: str) -> None:
    """Bug 27: device paths, shares, streams, devices and lost endings."""
    assert shape_problem(text, windows=True)


@pytest.mark.parametrize("text", [r"C:\x\y.txt", "C:/x", "a/b..c", "..", "../x", "console.txt", "a.b.c", "."])
def test_that_plain_windows_paths_are_taken(text: str) -> None:
    assert shape_problem(text, windows=True) is None


def test_that_case_does_not_open_a_second_door() -> None:
    """Trap 0.6: on Windows and macOS upper and lower case are the same file, there also é and é."""
    windows = [
        key_of(PureWindowsPath(path), "win32")
        for path in (r"C:\Home\SETTINGS.TOML", r"c:\home\settings.toml")
    ]
    assert windows[0] == windows[1]
    macs = [key_of(Path(path), "darwin") for path in ("/Home/caf\u00e9", "/home/cafe\u0301")]
    assert macs[0] == macs[1]
    assert key_of(Path("/A"), "linux") != key_of(Path("/a"), "linux")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=nasty_paths())
def test_that_no_path_leads_out(place: Place, text: str) -> None:
    """Bug 27: whatever is typed, what comes back lies in an open folder."""
    sandbox = place.sandbox()
    for check, roots in ((sandbox.readable, sandbox.read_roots), (sandbox.writable, sandbox.write_roots)):
        try:
            path = check(text)
        except PathRefused:
            continue
        assert path.is_absolute()
        assert any(path.is_relative_to(root) for root in roots)
        assert not path.is_relative_to(place.files / ".incoming")
