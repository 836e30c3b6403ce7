"""Which models work: by the settings, with a notice wherever another one stands in."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from urllib.parse import urlsplit

from app.errors import ModelError
from app.events import Notice
from app.llm import weights
from app.llm.chat import ChatModel
from app.llm.embeddings import Embedder, LocalEmbedder
from app.llm.gguf_embedder import GgufEmbedder
from app.llm.local.client import SILENCE_S, LocalChatModel
from app.llm.remote import anthropic_chat
from app.llm.remote.address import is_this_computer
from app.llm.remote.carrier import Wiring
from app.llm.remote.openai_chat import OpenAIChatModel
from app.llm.remote.openai_embedder import BASE_URL as EMBEDDING_URL
from app.llm.remote.openai_embedder import OpenAIEmbedder
from app.llm.remote.profiles import PROFILES, profile_of
from app.llm.remote.reply import Timeouts
from app.services.passport import Passport
from app.services.secrets import Secrets
from app.settings import Settings, expanded
from app.workers.host import Worker

REMOTE_CONTEXT = 32_768
"""Tokens that a service is taken to read where the settings say nothing; nearly all read more."""
STATE_FOLDER = "model-state"
_IDLE_EXIT_S = 300.0
_TOOLS_OF_TINY, _TOOLS_UNTRIED = 6, 10


def chat_model(
    settings: Settings, secrets: Secrets, *, home: Path | None = None, passport: Passport | None = None
) -> tuple[ChatModel | None, list[Notice]]:
    """Return the chat model of the settings; None when there is none, and answers are then quotes.

    What is learnt of local models is kept in `home` (None: nowhere). `passport` is that of the local model.
    """
    notices: list[Notice] = []
    llm = settings.llm
    if llm.provider != "local":
        if refusal := _refusal(settings):
            notices.append(Notice("warning", f"{refusal} The local model is used, nothing is sent."))
        else:
            notices += _unknown_service(settings)
            return remote_model(settings, secrets), notices
    model = _local(settings, home, passport)
    try:
        model.info  # noqa: B018  reads the head of the file
    except ModelError as error:
        text = f"{error.message} Answers are the best passages, word for word. {error.hint}"
        return None, [*notices, Notice("warning", text)]
    return model, notices


@dataclass(frozen=True, slots=True)
class EmbeddingChoice:
    """An embedding model as the settings name it: enough to make it again when they name another one."""

    provider: str = "local"
    model: str = ""
    base_url: str = ""

    @classmethod
    def of(cls, settings: Settings) -> EmbeddingChoice:
        """Return the choice of the settings."""
        chosen = settings.embedding
        base_url = embedding_address(settings) if chosen.provider == "openai" else ""
        return cls(chosen.provider, chosen.model, base_url)

    @classmethod
    def from_json(cls, value: object) -> EmbeddingChoice:
        """Return a kept choice; whatever is missing is as delivered."""
        found = value if isinstance(value, Mapping) else {}
        return cls(**{key: str(found[key]) for key in ("provider", "model", "base_url") if key in found})

    def as_json(self) -> dict[str, str]:
        """Return what `from_json` reads."""
        return asdict(self)


def embedder(
    settings: Settings,
    secrets: Secrets,
    *,
    choice: EmbeddingChoice | None = None,
    agreed: Callable[[], bool] = lambda: True,
) -> tuple[Embedder | None, list[Notice]]:
    """Return the embedding model of the settings, or of an earlier `choice`; None when it cannot be used.

    `agreed` says (it is asked in a thread) whether passages may be sent to another computer.
    """
    choice = choice or EmbeddingChoice.of(settings)
    try:
        return _embedder(choice, settings, secrets, agreed), []
    except ModelError as error:
        return None, [Notice("warning", f"{error.message} Search finds words, not meanings. {error.hint}")]


def _embedder(
    choice: EmbeddingChoice, settings: Settings, secrets: Secrets, agreed: Callable[[], bool]
) -> Embedder:
    if choice.provider == "openai":
        here = is_this_computer(choice.base_url)
        if settings.offline and not here:
            raise ModelError("The program is offline, and the embedding model is not on this computer.")
        if not choice.model:
            raise ModelError("No embedding model is named for the service.", hint="Set embedding.model.")
        return OpenAIEmbedder(
            choice.model,
            base_url=choice.base_url,
            api_key=lambda: _embedding_key(choice.base_url, settings, secrets),
            allowed=(lambda: True) if here else agreed,
            wiring=wiring(settings),
        )
    if choice.model and choice.model != LocalEmbedder.model_id:
        path = weights.checked(expanded(choice.model), "embedding model")
        model = GgufEmbedder(Worker("embed", name="embedding", idle_exit_s=_IDLE_EXIT_S), path)
        model.model_id  # noqa: B018  reads the head of the file
        return model
    weights.checked(weights.embedding_onnx(), "embedding model")
    return LocalEmbedder(Worker("embed", idle_exit_s=_IDLE_EXIT_S))


def embedding_address(settings: Settings) -> str:
    """Return where the remote embedding model of the settings is asked."""
    if settings.embedding.base_url or settings.llm.provider != "openai":
        return settings.embedding.base_url or EMBEDDING_URL
    return service_address(settings)


def _embedding_key(base_url: str, settings: Settings, secrets: Secrets) -> str:
    """Return the key for the embedding service; that of the chat model goes nowhere but to its service."""
    if secret := secrets.get("embedding_key"):
        return secret.get_secret_value()
    asked, known = urlsplit(base_url), urlsplit(service_address(settings))
    return api_key(secrets) if (asked.scheme, asked.netloc) == (known.scheme, known.netloc) else ""


def tool_limit(model: ChatModel | None, passport: Passport | None) -> int | None:
    """Return how many tools a model is shown; None is all of them. Small local models get lost among many."""
    if model is None or model.info.provider != "local":
        return None
    if passport is not None:
        return passport.tool_limit
    return _TOOLS_OF_TINY if model.info.tiny else _TOOLS_UNTRIED


def service_address(settings: Settings) -> str:
    """Return where the remote model of the settings is asked."""
    llm = settings.llm
    if llm.provider == "anthropic":
        return llm.base_url or anthropic_chat.BASE_URL
    return llm.base_url or profile_of(llm.service, llm.base_url).base_url


def timeouts(settings: Settings) -> Timeouts:
    """Return the time-outs of the settings, where 0 stands for none."""
    llm = settings.llm
    return Timeouts(
        connect=llm.connect_timeout_s or None,
        first_token=llm.first_token_timeout_s or None,
        between_tokens=llm.between_tokens_timeout_s or None,
        total=llm.total_timeout_s or None,
    )


def wiring(settings: Settings) -> Wiring:
    """Return proxy and certificates of the settings."""
    return Wiring(settings.llm.proxy, settings.llm.ca_file)


def api_key(secrets: Secrets) -> str:
    """Return the key of the service, or ""; may ask the system's keyring: use a thread."""
    secret = secrets.get("api_key")
    return secret.get_secret_value() if secret else ""


def remote_model(
    settings: Settings, secrets: Secrets, *, key: str | None = None, attempts: int = 4
) -> ChatModel:
    """Return the remote model of the settings; `key` stands for the kept one while it is tried out."""
    llm = settings.llm
    chosen = "context_tokens" in llm.model_fields_set
    context = llm.context_tokens if chosen else REMOTE_CONTEXT

    def known() -> str:
        return api_key(secrets) if key is None else key

    if llm.provider == "anthropic":
        return anthropic_chat.AnthropicChatModel(
            llm.model,
            base_url=llm.base_url,
            api_key=known,
            context_tokens=context,
            thinking=llm.thinking,
            timeouts=timeouts(settings),
            attempts=attempts,
            wiring=wiring(settings),
        )
    return OpenAIChatModel(
        llm.model,
        base_url=llm.base_url,
        api_key=known,
        context_tokens=context,
        profile=profile_of(llm.service, llm.base_url),
        thinking=llm.thinking,
        timeouts=timeouts(settings),
        attempts=attempts,
        wiring=wiring(settings),
    )


def refusal_offline(settings: Settings) -> str:
    """Return why the service of the settings must not be asked now, or "".

    Offline, only this computer is asked: a private network is a network, and other names are asked of it.
    """
    if settings.offline and not is_this_computer(service_address(settings)):
        return "The program is offline, and the language model of the settings is not on this computer."
    return ""


def _local(settings: Settings, home: Path | None, passport: Passport | None) -> LocalChatModel:
    """Return the local model, spoken to as its passport says where the person has not said otherwise."""
    llm = settings.llm
    context, tools, family, silence_s = llm.context_tokens, llm.tools, "", SILENCE_S
    if passport is not None:
        family = passport.family
        silence_s = max(silence_s, passport.first_token_s)
        if "context_tokens" not in llm.model_fields_set:
            context = min(context, passport.context_tokens)
        if tools == "auto" and passport.tool_limit == 0:
            tools = "never"
    return LocalChatModel(
        Worker("llm", idle_exit_s=_IDLE_EXIT_S),
        llm.model_path,
        context,
        tools=tools,
        thinking=llm.thinking,
        family=family,
        state_folder=home / STATE_FOLDER if home else None,
        keep_state=llm.keep_state,
        silence_s=silence_s,
    )


def _refusal(settings: Settings) -> str:
    """Return why the remote model of the settings cannot be used, or ""."""
    if not settings.llm.model:
        return "No model is named for the service: set llm.model."
    return refusal_offline(settings)


def _unknown_service(settings: Settings) -> list[Notice]:
    name = settings.llm.service
    if not name or name in PROFILES or settings.llm.provider != "openai":
        return []
    text = f'llm.service is "{name}", which is not known; known are {", ".join(sorted(PROFILES))}.'
    return [Notice("warning", f"{text} It is told by the address instead.")]
