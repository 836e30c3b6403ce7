from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from app.library import Library
from app.records.identifiers import Identifier
from app.records.paper import PaperRecord
from app.services.consent import Consent, any_unpublished, question, unpublished
from app.settings import Settings

FAR = {"provider": "openai", "base_url": "https://me:secret@api.example.org/v1", "model": "m"}


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Library]:
    with Library.open(tmp_path) as opened:
        yield opened


def consent(library: Library, llm: dict) -> Consent:
    return Consent(library.state, lambda: Settings.model_validate({"llm": llm}))


@pytest.mark.parametrize("llm", [
    {}, {"provider": "openai", "base_url": "http://127.0.0.1:1/v1"},
    {"provider": "openai", "service": "ollama"},
])  # fmt: skip
def test_that_nothing_is_asked_while_the_model_is_on_this_computer(library: Library, llm: dict) -> None:
    assert consent(library, llm).needed_for() == ""


@pytest.mark.parametrize("llm", [
    FAR, {"provider": "anthropic"}, {"provider": "openai"}, {"provider": "openai", "base_url": "http://10.0.0.1"},
])  # fmt: skip
def test_that_any_other_computer_needs_consent(library: Library, llm: dict) -> None:
    asked = consent(library, llm).needed_for()
    assert asked.startswith("http")
    assert "secret" not in question(asked)


def test_that_other_services_are_asked_for_by_their_address(library: Library) -> None:
    local = consent(library, {})
    assert local.needed_for("https://embed.example.org/v1") == "https://embed.example.org/v1"
    assert local.needed_for("http://localhost:8080/v1") == ""


def test_that_it_is_asked_once_for_a_library_and_can_be_taken_back(tmp_path: Path) -> None:
    with Library.open(tmp_path / "a") as library:
        consent(library, FAR).agree()
    with Library.open(tmp_path / "a") as library:
        kept = consent(library, {"provider": "anthropic"})
        assert (kept.agreed(), kept.needed_for()) == (True, "")
        kept.withdraw()
        assert kept.needed_for()
    with Library.open(tmp_path / "b") as library:
        assert consent(library, FAR).needed_for()


def test_that_a_paper_without_a_public_identifier_is_unpublished(library: Library) -> None:
    published = library.papers.add(PaperRecord("A", identifiers=(Identifier("arxiv", "2101.00001"),)))
    draft = library.papers.add(PaperRecord("Draft of mine"))
    assert not any_unpublished(library, [published])
    assert any_unpublished(library, [published, draft])
    assert not any_unpublished(library, [])
    assert unpublished([Identifier("isbn", "1")])
