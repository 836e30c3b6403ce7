from __future__ import annotations

from pathlib import Path

import pytest

from app.llm.local.disk_state import MAX_FILES, DiskStates, State, forget, model_key

STATE = State([1, 2, 3], b"keys and values")


def test_that_a_state_comes_back_for_its_owner_and_model(tmp_path: Path) -> None:
    states = DiskStates(tmp_path / "states", "m")
    assert states.save("a", STATE)
    assert DiskStates(tmp_path / "states", "m").load("a") == STATE
    assert states.load("b") is None


def test_that_a_state_of_another_model_is_none(tmp_path: Path) -> None:
    DiskStates(tmp_path, "m").save("a", STATE)
    assert DiskStates(tmp_path, "other").load("a") is None


@pytest.mark.parametrize("place", [0, 8, 60, -1])
def test_that_a_damaged_state_is_thrown_away(tmp_path: Path, place: int) -> None:
    states = DiskStates(tmp_path, "m")
    states.save("a", STATE)
    (path,) = tmp_path.glob("*.state")
    content = bytearray(path.read_bytes())
    content[place] ^= 0x55
    path.write_bytes(content)
    assert states.load("a") is None
    assert not path.exists()


@pytest.mark.parametrize("size", [0, 5, 40])
def test_that_a_state_cut_short_is_thrown_away(tmp_path: Path, size: int) -> None:
    states = DiskStates(tmp_path, "m")
    states.save("a", STATE)
    (path,) = tmp_path.glob("*.state")
    path.write_bytes(path.read_bytes()[:size])
    assert states.load("a") is None


def test_that_the_folder_stays_small(tmp_path: Path) -> None:
    states = DiskStates(tmp_path, "m", max_bytes=10_000)
    assert not states.save("huge", State([1], bytes(10_001)))
    for number in range(MAX_FILES + 5):
        assert states.save(str(number), State([1], bytes(30)))
    assert len(list(tmp_path.glob("*.state"))) == MAX_FILES
    for number in range(5):
        assert states.save(f"large {number}", State([1], bytes(4000)))
    assert sum(path.stat().st_size for path in tmp_path.glob("*.state")) < 10_500


def test_that_a_folder_that_cannot_be_made_keeps_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert not DiskStates(tmp_path / "file", "m").save("a", STATE)


def test_that_a_deleted_conversation_leaves_no_state_whatever_the_model(tmp_path: Path) -> None:
    states = DiskStates(tmp_path, "m")
    states.save("a", STATE)
    states.save("b", STATE)
    forget(tmp_path, "a")
    forget(tmp_path, "a")
    assert states.load("a") is None
    assert states.load("b") == STATE


def test_that_one_file_a_conversation_is_kept_also_when_the_model_changes(tmp_path: Path) -> None:
    DiskStates(tmp_path, "m").save("a", STATE)
    DiskStates(tmp_path, "other").save("a", STATE)
    assert len(list(tmp_path.glob("*.state"))) == 1


def test_that_the_key_depends_on_the_file_and_the_details(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    one.write_bytes(b"GGUF1")
    two.write_bytes(b"GGUF2")
    keys = {model_key(one), model_key(two), model_key(one, "q8_0")}
    assert len(keys) == 3
    assert model_key(one) in keys
