"""Which embedding model the settings mean, and where keys and passages may go."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from app.llm.embeddings import LocalEmbedder
from app.llm.gguf_embedder import GgufEmbedder
from app.llm.remote.openai_embedder import EmbeddingConsentError
from app.services.embedding_models import EmbeddingChoice, EmbeddingModels
from app.services.secrets import Secrets
from app.settings import Settings
from tests.fakes.embedding_server import FakeEmbeddings
from tests.fakes.gguf_files import gguf_file

ELSEWHERE = "https://example.org/v1"


def models_of(settings: Settings, *, agreed: bool = True) -> EmbeddingModels:
    return EmbeddingModels(lambda: settings, Secrets(settings), lambda: agreed)


def settings_of(embedding: dict[str, Any], **more: Any) -> Settings:
    return Settings(**{"embedding": embedding, **more})


def test_that_the_settings_name_the_model(tmp_path: Path) -> None:
    path = tmp_path / "bge.gguf"
    path.write_bytes(gguf_file(architecture="bert", template=""))
    assert isinstance(models_of(settings_of({})).wanted().embedder, LocalEmbedder)
    gguf = models_of(settings_of({"model": str(path)})).wanted().embedder
    assert isinstance(gguf, GgufEmbedder)
    assert gguf.model_id.startswith("bge-")
    service = models_of(settings_of({"provider": "openai", "model": "m", "base_url": ELSEWHERE})).wanted()
    assert service.embedder is not None
    assert service.embedder.model_id == "m@example.org"


def test_that_a_choice_can_be_kept_and_made_again() -> None:
    settings = settings_of({"provider": "openai", "model": "m", "base_url": ELSEWHERE})
    choice = EmbeddingChoice.from_json(EmbeddingChoice.of(settings).as_json())
    again = models_of(Settings()).make(choice)
    assert again is not None
    assert again.model_id == "m@example.org"
    assert EmbeddingChoice.from_json(None) == EmbeddingChoice()
    assert models_of(Settings()).make(EmbeddingChoice(model="/nowhere.gguf")) is None


def test_that_a_model_to_chat_with_is_refused_with_a_notice(tmp_path: Path) -> None:
    path = tmp_path / "chat.gguf"
    path.write_bytes(gguf_file())
    wanted = models_of(settings_of({"model": str(path)})).wanted()
    assert wanted.embedder is None
    (notice,) = wanted.notices
    assert "makes no vectors" in notice.message


def test_that_without_an_address_the_service_of_the_chat_model_is_asked() -> None:
    llm = {"provider": "openai", "model": "chat", "base_url": "http://localhost:8080/v1"}
    choice = EmbeddingChoice.of(settings_of({"provider": "openai", "model": "m"}, llm=llm))
    assert choice.base_url == "http://localhost:8080/v1"
    alone = EmbeddingChoice.of(settings_of({"provider": "openai", "model": "m"}))
    assert alone.base_url == "https://api.openai.com/v1"


@pytest.mark.parametrize(
    ("chat_url", "own_key", "sent"),
    [
        ("same", "", "sk-chat"),
        (ELSEWHERE, "", ""),
        (ELSEWHERE, "sk-own", "sk-own"),
        ("same", "sk-own", "sk-own"),
    ],
)
async def test_that_the_key_of_the_chat_model_goes_to_its_own_service_alone(
    chat_url: str, own_key: str, sent: str
) -> None:
    with FakeEmbeddings() as server:
        llm = {
            "provider": "openai",
            "model": "chat",
            "base_url": server.url if chat_url == "same" else chat_url,
            "api_key": SecretStr("sk-chat"),
        }
        embedding: dict[str, Any] = {"provider": "openai", "model": "m", "base_url": server.url}
        if own_key:
            embedding["api_key"] = SecretStr(own_key)
        embedder = models_of(settings_of(embedding, llm=llm)).wanted().embedder
        assert embedder is not None
        await embedder.embed(["text"])
        await embedder.close()
        assert server.headers[0]["authorization"] == f"Bearer {sent or 'none'}"


async def test_that_passages_go_to_another_computer_only_with_consent() -> None:
    embedding = {"provider": "openai", "model": "m", "base_url": ELSEWHERE}
    embedder = models_of(settings_of(embedding), agreed=False).wanted().embedder
    assert embedder is not None
    with pytest.raises(EmbeddingConsentError):
        await embedder.embed(["a passage"])


async def test_that_a_service_on_this_computer_needs_no_consent() -> None:
    with FakeEmbeddings() as server:
        embedding = {"provider": "openai", "model": "m", "base_url": server.url}
        embedder = models_of(settings_of(embedding), agreed=False).wanted().embedder
        assert embedder is not None
        assert len(await embedder.embed(["a passage"])) == 1
        await embedder.close()


def test_that_offline_only_this_computer_is_asked() -> None:
    far = settings_of({"provider": "openai", "model": "m", "base_url": ELSEWHERE}, offline=True)
    near = settings_of(
        {"provider": "openai", "model": "m", "base_url": "http://127.0.0.1:9/v1"}, offline=True
    )
    assert models_of(far).wanted().embedder is None
    assert models_of(near).wanted().embedder is not None


def test_that_only_what_matters_makes_a_model_anew() -> None:
    here = models_of(settings_of({}))
    assert here.signature() == models_of(settings_of({}, offline=True, llm={"model": "other"})).signature()
    assert here.signature() != models_of(settings_of({"model": "/a.gguf"})).signature()
