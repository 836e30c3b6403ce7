"""Which embedding model is wanted, by the settings, and making one again that was wanted before."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from urllib.parse import urlsplit

from app.errors import ModelError
from app.events import Notice
from app.llm import weights
from app.llm.embeddings import Embedder, LocalEmbedder
from app.llm.gguf_embedder import GgufEmbedder
from app.llm.remote.address import is_this_computer
from app.llm.remote.openai_embedder import BASE_URL, OpenAIEmbedder
from app.services.models import api_key, service_address, wiring
from app.services.secrets import Secrets
from app.settings import Settings, expanded
from app.workers.host import Worker

_IDLE_EXIT_S = 300.0


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
        base_url = address_of(settings) if chosen.provider == "openai" else ""
        return cls(chosen.provider, chosen.model, base_url)

    @classmethod
    def from_json(cls, value: object) -> EmbeddingChoice:
        """Return a kept choice; whatever is missing is as delivered."""
        found = value if isinstance(value, Mapping) else {}
        return cls(**{key: str(found[key]) for key in ("provider", "model", "base_url") if key in found})

    def as_json(self) -> dict[str, str]:
        """Return what `from_json` reads."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Wanted:
    """The model of the settings; `embedder` is None when it cannot be used, and `notices` say why."""

    embedder: Embedder | None
    choice: EmbeddingChoice
    notices: tuple[Notice, ...] = ()


class EmbeddingModels:
    """Makes embedding models; nothing is loaded before they are asked.

    `agreed` says (it is asked in a thread) whether passages may be sent to another computer.
    """

    def __init__(
        self, settings: Callable[[], Settings], secrets: Secrets, agreed: Callable[[], bool] = lambda: True
    ) -> None:
        self._settings = settings
        self._secrets = secrets
        self._agreed = agreed

    def wanted(self) -> Wanted:
        """Return the model of the settings. Reads the head of its file."""
        choice = EmbeddingChoice.of(self._settings())
        try:
            return Wanted(self._made(choice), choice)
        except ModelError as error:
            text = f"{error.message} Search finds words, not meanings. {error.hint}".rstrip()
            return Wanted(None, choice, (Notice("warning", text),))

    def make(self, choice: EmbeddingChoice) -> Embedder | None:
        """Return the model of an earlier choice; None when it cannot be used any more."""
        try:
            return self._made(choice)
        except ModelError:
            return None

    def signature(self) -> object:
        """Return what a model depends on: while it stays equal, none needs to be made anew."""
        settings = self._settings()
        choice = EmbeddingChoice.of(settings)
        return (choice, settings.offline, wiring(settings)) if choice.base_url else choice

    def _made(self, choice: EmbeddingChoice) -> Embedder:
        if choice.provider == "openai":
            return self._remote(choice)
        if choice.model and choice.model != LocalEmbedder.model_id:
            path = weights.checked(expanded(choice.model), "embedding model")
            model = GgufEmbedder(Worker("embed", name="embedding", idle_exit_s=_IDLE_EXIT_S), path)
            model.model_id  # noqa: B018  reads the head of the file
            return model
        weights.checked(weights.embedding_onnx(), "embedding model")
        return LocalEmbedder(Worker("embed", name="embedding", idle_exit_s=_IDLE_EXIT_S))

    def _remote(self, choice: EmbeddingChoice) -> Embedder:
        settings = self._settings()
        here = is_this_computer(choice.base_url)
        if settings.offline and not here:
            raise ModelError("The program is offline, and the embedding model is not on this computer.")
        if not choice.model:
            raise ModelError("No embedding model is named for the service.", hint="Set embedding.model.")
        return OpenAIEmbedder(
            choice.model,
            base_url=choice.base_url,
            api_key=lambda: self._key(choice.base_url),
            allowed=(lambda: True) if here else self._agreed,
            wiring=wiring(settings),
        )

    def _key(self, base_url: str) -> str:
        """Return the key for the service; that of the chat model goes nowhere but to its own."""
        if secret := self._secrets.get("embedding_key"):
            return secret.get_secret_value()
        asked, known = urlsplit(base_url), urlsplit(service_address(self._settings()))
        same = (asked.scheme, asked.netloc) == (known.scheme, known.netloc)
        return api_key(self._secrets) if same else ""


def address_of(settings: Settings) -> str:
    """Return where the remote embedding model of the settings is asked."""
    if settings.embedding.base_url or settings.llm.provider != "openai":
        return settings.embedding.base_url or BASE_URL
    return service_address(settings)
