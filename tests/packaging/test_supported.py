from __future__ import annotations

import pytest
from provision.supported import Machine, problem, this_machine


@pytest.mark.parametrize("python", [(3, 11), (3, 12), (3, 13), (3, 14)])
def test_that_current_systems_are_supported(python: tuple[int, int]) -> None:
    assert problem(Machine("linux", "x86_64", python, ("glibc", "2.36"))) == ""
    assert problem(Machine("linux", "aarch64", python, ("glibc", "2.41"))) == ""
    assert problem(Machine("darwin", "aarch64", python, macos="14.5")) == ""
    assert problem(Machine("win32", "x86_64", python)) == ""


@pytest.mark.parametrize(
    ("machine", "says"),
    [
        (Machine("linux", "x86_64", (3, 11), ("glibc", "2.31")), "Debian 12"),
        (Machine("linux", "aarch64", (3, 11), ("glibc", "2.36")), "Debian 13"),
        (Machine("linux", "x86_64", (3, 12), ("", "")), "glibc"),
        (Machine("linux", "riscv64", (3, 12), ("glibc", "2.41")), "riscv64"),
        (Machine("darwin", "aarch64", (3, 12), macos="13.6"), "macOS 14"),
        (Machine("darwin", "x86_64", (3, 14), macos="15.0"), "3.13"),
        (Machine("win32", "aarch64", (3, 13)), "Intel build"),
    ],
)
def test_that_other_machines_are_told_what_would_work(machine: Machine, says: str) -> None:
    assert says in problem(machine)


def test_that_this_machine_is_supported() -> None:
    assert problem(this_machine()) == ""
