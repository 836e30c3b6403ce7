from __future__ import annotations

import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from provision import lockfile

LOCK = """\
one==1.0 ; sys_platform == 'linux' \\
    --hash=sha256:aa \\
    --hash=sha256:bb
    # via two
one==0.9 ; sys_platform != 'linux' \\
    --hash=sha256:cc
Two_Words==2.0+cpu \\
    --hash=sha256:dd
    # via
    #   one
"""


def test_that_a_block_keeps_its_marker_and_hashes_and_drops_the_comments() -> None:
    found = lockfile.blocks(LOCK)
    assert found["one"] == [
        "one==1.0 ; sys_platform == 'linux' \\\n    --hash=sha256:aa \\\n    --hash=sha256:bb",
        "one==0.9 ; sys_platform != 'linux' \\\n    --hash=sha256:cc",
    ]
    assert found["two-words"] == ["Two_Words==2.0+cpu \\\n    --hash=sha256:dd"]


def test_that_a_lock_is_parted_without_loss() -> None:
    assert lockfile.version(LOCK, "two.words") == "2.0+cpu"
    assert lockfile.only(LOCK, ["Two-Words"]).startswith("Two_Words==2.0+cpu")
    assert "Two_Words" not in lockfile.without(LOCK, ["two_words"])
    assert lockfile.blocks(lockfile.without(LOCK, [])) == lockfile.blocks(LOCK)


@pytest.mark.parametrize("name", ["requirements.lock", "packaging/bootstrap.lock"])
def test_that_every_locked_package_has_hashes_and_no_address(repo: Path, name: str) -> None:
    text = (repo / name).read_text()
    assert "://" not in text
    for group in lockfile.blocks(text).values():
        for block in group:
            assert "--hash=sha256:" in block, block


def test_that_the_lock_satisfies_what_the_project_asks_for(repo: Path) -> None:
    project = tomllib.loads((repo / "pyproject.toml").read_text())["project"]
    lock = (repo / "requirements.lock").read_text()
    for text in [*project["dependencies"], *project["optional-dependencies"]["dev"]]:
        wanted = Requirement(text)
        versions = {
            re.split(r"==|[ ;\\]", block)[1]
            for block in lockfile.blocks(lock)[lockfile.normal_name(wanted.name)]
        }
        assert any(wanted.specifier.contains(version, prereleases=True) for version in versions), text


def test_that_no_file_names_an_index_host_or_a_machine_path(repo: Path) -> None:
    if shutil.which("git") is None:
        pytest.skip("no git here to list the files")
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=repo, capture_output=True, check=False)
    if listed.returncode != 0:
        pytest.skip("not a git checkout")
    hosts = ["pypi" + ".org", "python" + "hosted.org", "registry.npm" + "js.org", "deb.debian" + ".org"]
    paths = ["/" + "work/main", "/" + "root/", "/" + "opt/pypi", "/" + "opt/wheels"]
    for name in filter(None, listed.stdout.decode().split("\0")):
        data = (repo / name).read_bytes() if (repo / name).is_file() else b""
        if b"\0" in data:
            continue
        text = data.decode(errors="replace")
        assert not [word for word in hosts + paths if word in text], name
