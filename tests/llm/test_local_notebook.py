from __future__ import annotations

from pathlib import Path

import pytest

from app.llm.chat import ToolSpec
from app.llm.local.notebook import Notebook, blames_nobody, tools_key


def test_that_tools_that_crashed_twice_are_set_aside_for_that_model_only(tmp_path: Path) -> None:
    """Bug 39: the pair of model and schema, not the model."""
    notes = Notebook("m", tmp_path / "notes.json")
    assert notes.crashed("k", "killed by SIGSEGV")
    assert not notes.set_aside("k")
    assert notes.crashed("k", "killed by SIGABRT")
    notes.save()
    assert Notebook("m", tmp_path / "notes.json").set_aside("k")
    assert not Notebook("other", tmp_path / "notes.json").set_aside("k")


@pytest.mark.parametrize("how", ["killed by SIGKILL", "killed by SIGTERM"])
def test_that_who_was_killed_from_outside_blames_nobody(how: str) -> None:
    notes = Notebook("m")
    assert blames_nobody(how)
    assert not notes.crashed("k", how)
    assert not notes.crashed("k", how)
    assert not notes.set_aside("k")


def test_that_threads_are_measured_once_a_machine(tmp_path: Path) -> None:
    notes = Notebook("m", tmp_path / "folder" / "notes.json")
    assert notes.threads == (0, 0)
    assert notes.measured((4, 8))
    assert not notes.measured((4, 8))
    notes.save()
    assert Notebook("m", tmp_path / "folder" / "notes.json").threads == (4, 8)


@pytest.mark.parametrize(
    "content", ["", "[]", '{"m": 3}', '{"m": {"threads": {"x": "y"}, "crashes": []}}', "{" * 9]
)
def test_that_notes_nobody_can_read_are_no_notes(tmp_path: Path, content: str) -> None:
    path = tmp_path / "notes.json"
    path.write_text(content)
    notes = Notebook("m", path)
    assert (notes.threads, notes.set_aside("k")) == ((0, 0), False)
    notes.measured((2, 2))
    notes.save()
    assert Notebook("m", path).threads == (2, 2)


def test_that_tools_have_one_name_in_any_order() -> None:
    one, two = ToolSpec("a", "first", {"type": "object"}), ToolSpec("b", "second", {})
    assert tools_key([one, two]) == tools_key([two, one])
    assert tools_key([one]) != tools_key([ToolSpec("a", "first", {"type": "string"})])
