"""Whether a GGUF file is whole, told from its header."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.errors import ModelError
from app.llm import weights
from app.llm.local.soundness import examined
from tests.fakes.gguf_files import Value, gguf_file

WHOLE = gguf_file()


def test_that_the_default_model_is_sound_and_names_its_licence() -> None:
    path = weights.chat_gguf()
    assert path is not None
    sound = examined(path)
    assert (sound.problem, sound.has_template, sound.licence) == ("", True, "apache-2.0")


def test_that_a_whole_file_is_sound(tmp_path: Path) -> None:
    path = tmp_path / "m.gguf"
    path.write_bytes(WHOLE)
    assert examined(path).problem == ""
    assert examined(path).notes == ()


def test_that_a_file_cut_off_within_its_weights_is_told(tmp_path: Path) -> None:
    path = tmp_path / "m.gguf"
    path.write_bytes(WHOLE[:-1])
    assert "cut off" in examined(path).problem


@pytest.mark.parametrize(
    ("extra", "word"),
    [
        ({"general.type": "adapter"}, "adapter"),
        ({"general.type": "mmproj"}, "picture reader"),
        ({"split.count": 3}, "one of 3 parts"),
    ],
)
def test_that_what_is_no_model_by_itself_is_told(
    tmp_path: Path, extra: Mapping[str, Value], word: str
) -> None:
    path = tmp_path / "m.gguf"
    path.write_bytes(gguf_file(extra=extra))
    assert word in examined(path).problem


def test_that_a_file_without_weights_is_told(tmp_path: Path) -> None:
    path = tmp_path / "vocab.gguf"
    path.write_bytes(gguf_file(shapes=()))
    assert "no weights" in examined(path).problem


def test_that_a_missing_template_is_a_note_for_chat_models_alone(tmp_path: Path) -> None:
    chat, embedding = tmp_path / "chat.gguf", tmp_path / "embedding.gguf"
    chat.write_bytes(gguf_file(template=""))
    embedding.write_bytes(gguf_file(architecture="bert", template=""))
    assert "template" in examined(chat).notes[0]
    assert examined(embedding).model.embeds
    assert examined(embedding).notes == ()


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(at=st.integers(4, len(WHOLE) - 8), junk=st.binary(min_size=1, max_size=8), cut=st.integers(0, 400))
def test_that_a_damaged_header_is_a_typed_error_or_a_problem_and_never_a_crash(
    tmp_path: Path, at: int, junk: bytes, cut: int
) -> None:
    path = tmp_path / "m.gguf"
    data = WHOLE[:at] + junk + WHOLE[at + len(junk) :]
    path.write_bytes(data[: len(data) - cut])
    try:
        told = examined(path).model.path
    except ModelError as error:
        told = path if error.hint else Path()
    assert told == path
