"""The common options and the default command."""

from __future__ import annotations

import pytest

from app.cli.arguments import Common, split_common, with_default_command
from app.errors import UsageError

COMMANDS = ("gui", "add", "list")


@pytest.mark.parametrize(
    ("arguments", "common", "rest"),
    [
        ([], Common(), []),
        (["--json", "list"], Common(json=True), ["list"]),
        (["list", "--json"], Common(json=True), ["list"]),
        (["--home", "/x", "list"], Common(home="/x"), ["list"]),
        (["list", "--home=/x", "--limit", "3"], Common(home="/x"), ["list", "--limit", "3"]),
        (["search", "--", "--json", "--home"], Common(), ["search", "--", "--json", "--home"]),
    ],
)
def test_that_common_options_stand_before_or_after_the_command(
    arguments: list[str], common: Common, rest: list[str]
) -> None:
    assert split_common(arguments) == (common, rest)


@pytest.mark.parametrize("arguments", [["--home"], ["--home="], ["--home", "--json"]])
def test_that_home_needs_a_folder(arguments: list[str]) -> None:
    with pytest.raises(UsageError):
        split_common(arguments)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ([], ["gui"]),
        (["paper.pdf"], ["gui", "paper.pdf"]),
        (["--screenshot", "x.png"], ["gui", "--screenshot", "x.png"]),
        (["--screenshot=x.png"], ["gui", "--screenshot=x.png"]),
        (["list"], ["list"]),
        (["add", "paper.pdf"], ["add", "paper.pdf"]),
        (["nonsense"], ["nonsense"]),
        (["--help"], ["--help"]),
    ],
)
def test_that_the_window_is_the_default_command(arguments: list[str], expected: list[str]) -> None:
    assert with_default_command(arguments, COMMANDS, lambda name: name in ("paper.pdf", "list")) == expected
