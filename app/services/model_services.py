"""The services behind remote models: which there are, whether the key is taken, which models they offer."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass

from app.errors import AppError, ModelError
from app.llm.chat import ChatMessage
from app.llm.remote import anthropic_chat
from app.llm.remote.failures import ModelMissingError
from app.llm.remote.listing import Listing, OfferedModel, offered_models
from app.llm.remote.profiles import PROFILES, profile_of
from app.services import models
from app.services.secrets import Secrets
from app.services.threads import off_loop
from app.settings import Settings


class OfflineError(AppError):
    """The program is offline, and the service is on another computer."""

    code = "offline"
    hint = "Switch offline off, or choose a model on this computer."


@dataclass(frozen=True, slots=True)
class ServiceKind:
    """A service to choose from; what the settings need for it."""

    provider: str
    service: str
    label: str
    base_url: str
    needs_key: bool


@dataclass(frozen=True, slots=True)
class ServiceCheck:
    """Whether the service of the settings can be used: what is wrong, and the way out.

    `models` are those it offers; empty where it has no list. `model_known` is None where that is not
    known either.
    """

    ok: bool
    message: str
    hint: str = ""
    code: str = ""
    models: tuple[OfferedModel, ...] = ()
    model_known: bool | None = None


def kinds() -> tuple[ServiceKind, ...]:
    """Return the services that are known, in the order of a menu; the last is any other."""
    found = [
        ServiceKind("openai", profile.name, profile.label, profile.base_url, profile.needs_key)
        for profile in PROFILES.values()
    ]
    anthropic = ServiceKind("anthropic", "", "Anthropic", anthropic_chat.BASE_URL, True)
    return (found[0], anthropic, *found[1:])


class ModelServices:
    """Asks the service of the settings, or of settings that are being tried out."""

    def __init__(self, settings: Callable[[], Settings], secrets: Secrets) -> None:
        self._settings = settings
        self._secrets = secrets

    async def models(
        self, settings: Settings | None = None, *, key: str | None = None
    ) -> tuple[OfferedModel, ...]:
        """Return the models that the service offers. Raises ModelError or OfflineError.

        `settings` and `key` are those on the screen before they are saved; by default the ones in use.
        """
        chosen = settings or self._settings()
        _stay_offline(chosen)
        known = await off_loop(models.api_key, self._secrets) if key is None else key
        return await offered_models(_listing(chosen), known, models.wiring(chosen))

    async def check(self, settings: Settings | None = None, *, key: str | None = None) -> ServiceCheck:
        """Try the address and the key, without cost where the service has a list; never raises AppError."""
        chosen = settings or self._settings()
        name = chosen.llm.model
        try:
            try:
                offered = await self.models(chosen, key=key)
            except ModelMissingError:
                if not name:
                    raise
                await self._say_a_word(chosen, key)  # a service without a list
                return ServiceCheck(True, f"The service answers; it has no list of models. {name} works.")
        except AppError as error:
            return ServiceCheck(False, error.message, error.hint, error.code)
        known = any(model.name == name for model in offered) if name and offered else None
        if known is False:
            message = f"The key works, but the service does not list {name}."
            return ServiceCheck(True, message, "Choose one that it lists.", "", offered, known)
        return ServiceCheck(True, f"The key works; {len(offered)} models.", "", "", offered, known)

    async def _say_a_word(self, settings: Settings, key: str | None) -> None:
        """Ask the model for one word. Raises ModelError."""
        model = models.remote_model(settings, self._secrets, key=key, attempts=1)
        try:
            async with contextlib.aclosing(
                model.stream([ChatMessage("user", "Say: yes")], max_tokens=16)
            ) as items:
                async for _ in items:
                    return
            raise ModelError("The model service answered without a reply.", code="model_server")
        finally:
            await model.close()


def _stay_offline(settings: Settings) -> None:
    if models.refusal_offline(settings):
        raise OfflineError("The program is offline, and the service is not on this computer.")


def _listing(settings: Settings) -> Listing:
    address = models.service_address(settings)
    if settings.llm.provider == "anthropic":
        return Listing(address, anthropic=True)
    return Listing(address, needs_key=profile_of(settings.llm.service, settings.llm.base_url).needs_key)
