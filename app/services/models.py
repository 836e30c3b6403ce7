"""Which models work: by the settings, with a notice wherever another one stands in."""

from __future__ import annotations

from app.errors import ModelError
from app.events import Notice
from app.llm import weights
from app.llm.chat import ChatModel
from app.llm.embeddings import Embedder, LocalEmbedder
from app.llm.local.client import LocalChatModel
from app.llm.remote.address import is_near
from app.llm.remote.openai_chat import OpenAIChatModel
from app.services.secrets import Secrets
from app.settings import Settings
from app.workers.host import Worker

REMOTE_CONTEXT = 32_768
"""Tokens that a service is taken to read where the settings say nothing; nearly all read more."""
_IDLE_EXIT_S = 300.0


def chat_model(settings: Settings, secrets: Secrets) -> tuple[ChatModel | None, list[Notice]]:
    """Return the chat model of the settings; None when there is none, and answers are then quotes."""
    notices: list[Notice] = []
    llm = settings.llm
    if llm.provider == "openai":
        if refusal := _refusal(settings):
            notices.append(Notice("warning", f"{refusal} The local model is used, nothing is sent."))
        else:
            return _remote(settings, secrets), notices
    elif llm.provider != "local":
        notices.append(_not_built("llm.provider", llm.provider))
    model = LocalChatModel(Worker("llm", idle_exit_s=_IDLE_EXIT_S), llm.model_path, llm.context_tokens)
    try:
        model.info  # noqa: B018  reads the head of the file
    except ModelError as error:
        text = f"{error.message} Answers are the best passages, word for word. {error.hint}"
        return None, [*notices, Notice("warning", text)]
    return model, notices


def embedder(settings: Settings) -> tuple[Embedder | None, list[Notice]]:
    """Return the local embedding model; None when there is none, and search then finds words alone."""
    notices = []
    if settings.embedding.provider != "local":
        notices.append(_not_built("embedding.provider", settings.embedding.provider))
    try:
        weights.checked(weights.embedding_onnx(), "embedding model")
    except ModelError as error:
        notices.append(Notice("warning", f"{error.message} Search finds words, not meanings."))
        return None, notices
    return LocalEmbedder(Worker("embed", idle_exit_s=_IDLE_EXIT_S)), notices


def _remote(settings: Settings, secrets: Secrets) -> ChatModel:
    llm = settings.llm

    def key() -> str:
        secret = secrets.get("api_key")
        return secret.get_secret_value() if secret else ""

    chosen = "context_tokens" in llm.model_fields_set
    context = llm.context_tokens if chosen else REMOTE_CONTEXT
    return OpenAIChatModel(llm.model, base_url=llm.base_url, api_key=key, context_tokens=context)


def _refusal(settings: Settings) -> str:
    """Return why the remote model of the settings cannot be used, or ""."""
    if not settings.llm.model:
        return "No model is named for the service: set llm.model."
    if settings.offline and not is_near(settings.llm.base_url):
        return "The program is offline, and the language model of the settings is not on this computer."
    return ""


def _not_built(key: str, provider: str) -> Notice:
    return Notice(
        "warning",
        f'{key} is "{provider}", which is not built yet: the local model is used, nothing is sent. '
        f'Set {key} to "local" to be rid of this message.',
    )
