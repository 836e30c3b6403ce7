"""The frame of the command line: exit codes, one document, errors once."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from app.cli.output import dumps, printable
from app.library import Library

Run = Callable[..., Any]


@pytest.mark.parametrize("command", ["export", "import", "notes"])
def test_that_a_command_of_later_says_so_and_exits_2(run: Run, command: str) -> None:
    plain = run(command, "list", "--anything", "x")
    assert (plain.code, plain.out) == (2, "")
    assert "not built yet" in plain.err
    asked = run(command, "--json")
    assert asked.code == 2
    assert set(asked.document["error"]) == {"code", "message", "hint"}


@pytest.mark.parametrize(
    "arguments",
    [
        ("nonsense",),
        ("list", "--limit", "-1"),
        ("list", "--no-such-option"),
        ("search",),
        ("add",),
        ("add", ""),
        ("show",),
        ("ask", " "),
        ("--home",),
        ("search", "x", "--mode", "psychic"),
    ],
)
def test_that_wrong_usage_exits_2_with_one_error(run: Run, arguments: tuple[str, ...]) -> None:
    assert run(*arguments).code == 2
    asked = run("--json", *arguments)
    assert asked.code == 2
    assert asked.document["error"]["message"]


def test_that_help_is_shown_and_exits_0(run: Run) -> None:
    shown = run("--help")
    assert shown.code == 0
    assert "add" in shown.out


def test_that_an_empty_library_lists_nothing(run: Run) -> None:
    assert run("list", "--json").document == {"total": 0, "papers": []}
    plain = run("list")
    assert (plain.code, plain.out) == (0, "")
    assert "empty" in plain.err


def test_that_an_unknown_paper_exits_1(run: Run) -> None:
    shown = run("show", "nothere1", "--json")
    assert (shown.code, shown.document["error"]["code"]) == (1, "not_found")


def test_that_a_home_that_is_a_file_is_a_clear_error(run: Run, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    shown = run("list", "--json", "--home", str(tmp_path / "file"))
    assert (shown.code, shown.document["error"]["code"]) == (1, "home")
    assert "--home" in shown.document["error"]["hint"]


def test_that_broken_settings_are_left_aside_with_a_notice(run: Run, home: Path) -> None:
    home.mkdir()
    (home / "settings.toml").write_text("offline = = true")
    listed = run("list", "--json")
    assert (listed.code, listed.document["total"]) == (0, 0)
    assert "settings.toml" in listed.err


def test_that_the_window_without_a_display_is_a_clear_error(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.cli.commands.gui.has_display", lambda: False)
    shown = run("--json")
    assert (shown.code, shown.document["error"]["code"]) == (1, "display")


def test_that_lone_surrogates_survive_json() -> None:
    path = "/x/caf\udce9.pdf"
    text = dumps({"path": path}).encode("utf-8", "backslashreplace").decode()
    assert json.loads(text) == {"path": path}


def test_that_a_json_line_is_one_line_for_everybody() -> None:
    """Bug 8: `str.splitlines` and others end lines at more than a line feed."""
    value = {"text": "".join(map(chr, [*range(0x20), 0x85, 0x2028, 0x2029])) + "星系"}
    (line,) = dumps(value).splitlines()
    assert json.loads(line) == value
    assert "星系" in line


def test_that_control_characters_do_not_reach_the_terminal() -> None:
    assert printable("a\x1b[31m\x9b\rb\n\t") == "a\\x1b[31m\\x9b\\x0db\n\t"
    assert printable("مرحبا \u202efdp.exe") == "مرحبا \\x202efdp.exe"


@pytest.mark.skipif(sys.platform == "win32", reason="signals differ")
@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_that_a_signal_exits_130_and_leaves_no_worker_and_no_blame(
    home: Path, tmp_path: Path, number: signal.Signals
) -> None:
    import psutil

    for n in range(40):
        (tmp_path / f"{n}.md").write_text(f"# Paper {n}\n\n" + f"## Part\n\nWords of {n}.\n" * 300)
    # whoever runs the tests in the background has Ctrl-C ignored, and that is inherited
    heard = "signal.signal(signal.SIGINT, signal.SIG_DFL)"
    start = f"import os, signal, sys; {heard}; os.execv(sys.executable, [sys.executable, *sys.argv[1:]])"
    program = [sys.executable, "-c", start, "-m", "app"]
    process = subprocess.Popen(
        [*program, "--home", str(home), "--json", "add", "--events", str(tmp_path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    assert process.stderr is not None
    process.stderr.readline()  # the first result
    workers = psutil.Process(process.pid).children(recursive=True)
    process.send_signal(number)
    out, _ = process.communicate(timeout=120)
    assert process.returncode == 130
    assert json.loads(out)["error"]["code"] == "interrupted"
    _gone, alive = psutil.wait_procs(workers, timeout=20)
    assert alive == []
    with Library.open(home) as library:
        assert not any(item.attempts for item in library.imports.pending())


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a device that is always full")
@pytest.mark.slow
@pytest.mark.parametrize("options", [["--json"], []])
def test_that_a_full_disk_under_the_output_is_told_without_a_traceback(
    home: Path, options: list[str]
) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "app", "--home", str(home), *options, "tool", "list"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=120,
            check=False,
        )
    assert done.returncode == 1
    assert "The system refused" in done.stderr
    assert "Traceback" not in done.stderr
    assert "Exception ignored" not in done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="pipes differ")
@pytest.mark.slow
def test_that_a_closed_pipe_is_no_error(home: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "app", "--home", str(home), "--json", "list"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    with process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        errors = process.stderr.read()
    assert (process.returncode, b"Traceback" in errors) == (0, False)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere names of files are Unicode")
def test_that_a_home_whose_name_is_no_text_is_refused(run: Run, tmp_path: Path) -> None:
    home = os.fsdecode(bytes(tmp_path) + b"/caf\xe9")
    asked = run("list", "--json", "--home", home)
    assert asked.code == 1
    assert asked.document["error"]["code"] == "home"


@pytest.mark.parametrize(
    "arguments",
    [
        ("show", "\udce9"),
        ("ask", "What is H0 in caf\udce9?"),
        ("ask", "What is H0?", "--session", "\udce9"),
        ("search", "caf\udce9", "--paper", "\udce9"),
        ("search", "x", "--limit", "9" * 30),
        ("list", "--limit", "9" * 30),
    ],
)
def test_that_words_that_are_no_text_and_numbers_without_end_do_no_harm(
    run: Run, arguments: tuple[str, ...]
) -> None:
    assert run(*arguments).code in (0, 1, 2)
