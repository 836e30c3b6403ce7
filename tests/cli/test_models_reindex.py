"""`astroresearch models reindex`: from one embedding model to another, searching all the while."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pymupdf
import pytest

from tests.fakes.minilm_gguf import minilm_gguf

Run = Callable[..., Any]

TEXT = "The pulsation period of the variable star was measured in the infrared band. " * 8


@pytest.mark.slow
def test_that_a_library_changes_its_embedding_model(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = pymupdf.open()
    document.new_page().insert_textbox((72, 72, 520, 780), TEXT, fontsize=11)
    document.save(tmp_path / "paper.pdf")
    assert run("add", str(tmp_path / "paper.pdf")).code == 0

    def found() -> int:
        result = run("search", "how long does a star pulsate", "--mode", "semantic", "--json")
        return len(result.document["hits"])

    before = found()
    assert before
    monkeypatch.setenv("ASTRORESEARCH_EMBEDDING__MODEL", str(minilm_gguf(tmp_path / "minilm-f16.gguf")))
    assert found() == before
    made = run("models", "reindex", "--json")
    assert made.code == 0
    assert made.document["reindex"]["state"] == "finished"
    assert made.document["reindex"]["model"].startswith("minilm-f16-")
    assert found() == before
    again = run("models", "reindex")
    assert again.code == 0
    assert "minilm-f16-" in again.out


@pytest.mark.slow
def test_that_an_embedding_model_that_is_gone_is_said(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASTRORESEARCH_EMBEDDING__MODEL", "/nowhere/model.gguf")
    result = run("models", "reindex")
    assert result.code == 1
    assert "/nowhere/model.gguf" in result.err
