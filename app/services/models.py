"""Which models work: by the settings, with a notice wherever another one stands in."""

from __future__ import annotations

from pathlib import Path

from app.errors import ModelError
from app.events import Notice
from app.llm.chat import ChatModel
from app.llm.local.client import SILENCE_S, LocalChatModel
from app.llm.remote import anthropic_chat
from app.llm.remote.address import is_this_computer
from app.llm.remote.carrier import Wiring
from app.llm.remote.openai_chat import OpenAIChatModel
from app.llm.remote.profiles import PROFILES, profile_of
from app.llm.remote.reply import Timeouts
from app.services.passport import Passport
from app.services.secrets import Secrets
from app.settings import Settings
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
