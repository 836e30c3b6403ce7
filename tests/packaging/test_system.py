from __future__ import annotations

import shutil
import sys

import pytest
from provision import system
from provision.progress import SetupError
from provision.system import Facts, Missing, choose

if not sys.platform.startswith("linux"):
    pytest.skip("system packages are installed on Linux alone", allow_module_level=True)

ALL = frozenset({**system.QT_LIBRARIES, **system.DISPLAY_LIBRARIES, **system.OTHER_LIBRARIES})
BARE = Facts(ALL, has_venv=False, has_compiler=False, has_certificates=False, python_is_debians=True)
FULL = Facts(frozenset(), has_venv=True, has_compiler=True, has_certificates=True, python_is_debians=True)


def old(_package: str) -> bool:
    return False


def renamed(package: str) -> bool:
    return package.endswith("t64")


def test_that_a_bare_debian_gets_the_venv_module_qt_libraries_and_a_compiler() -> None:
    missing = choose(BARE, wants_compiler=True, exists=old)
    assert {"python3-venv", "libgl1", "libegl1", "libfontconfig1", "libglib2.0-0"} <= set(missing.needed)
    assert {"g++", "ca-certificates", "libxcb-cursor0", "libgomp1"} <= set(missing.useful)


def test_that_a_complete_machine_is_left_alone() -> None:
    assert choose(FULL, wants_compiler=True, exists=old) == Missing()


def test_that_no_compiler_is_installed_when_none_is_needed() -> None:
    assert "g++" not in choose(BARE, wants_compiler=False, exists=old).packages


def test_that_packages_get_the_names_of_newer_debians() -> None:
    assert "libglib2.0-0t64" in choose(BARE, wants_compiler=True, exists=renamed).needed
    assert "libgl1" in choose(BARE, wants_compiler=True, exists=renamed).needed


def test_that_another_python_does_not_get_debians_venv_module() -> None:
    facts = Facts(
        frozenset(), has_venv=False, has_compiler=True, has_certificates=True, python_is_debians=False
    )
    assert choose(facts, wants_compiler=True, exists=old) == Missing()


def test_that_without_root_the_needed_packages_are_named_with_the_command(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(system, "look", lambda: BARE)
    monkeypatch.setattr(system, "_become_root", lambda: None)
    monkeypatch.setattr(shutil, "which", lambda name: f"/usr/bin/{name}")
    with pytest.raises(SetupError, match=r"apt-get install -y --no-install-recommends python3-venv libgl1"):
        system.install(wants_compiler=True)


def test_that_without_root_what_is_only_useful_stops_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    facts = Facts(frozenset(system.DISPLAY_LIBRARIES), True, False, True, True)
    monkeypatch.setattr(system, "look", lambda: facts)
    monkeypatch.setattr(system, "_become_root", lambda: None)
    monkeypatch.setattr(shutil, "which", lambda name: f"/usr/bin/{name}")
    system.install(wants_compiler=True)
    assert "Going on without" in capsys.readouterr().err


def test_that_a_machine_without_apt_is_told_which_libraries_it_lacks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(system, "look", lambda: BARE)
    monkeypatch.setattr(shutil, "which", lambda _name: None)
    with pytest.raises(SetupError, match=r"libGL\.so\.1"):
        system.install(wants_compiler=True)
