"""Secrets: environment, else the system keyring, else memory until the program ends.

Never written to a file of ours, a log, an event or a URL.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from pydantic import SecretStr

from app.settings import ENV_PREFIX, SECRETS, Settings

if TYPE_CHECKING:
    from keyring.backend import KeyringBackend

SERVICE = "AstroResearch"
"""The name under which the keyring lists our secrets."""


class Place(StrEnum):
    """Where a secret is kept."""

    ENVIRONMENT = "environment"
    KEYRING = "keyring"
    SESSION = "session"


@dataclass(frozen=True, slots=True)
class Stored:
    """Where a secret went, and what the person should know about it (empty: nothing)."""

    place: Place
    message: str = ""


class Secrets:
    """Looks secrets up and keeps them. Names are those of `app.settings.SECRETS`.

    `backend` is the keyring to use; by default the one the system offers, found when
    first needed, because starting a desktop keyring takes time.
    """

    def __init__(self, settings: Settings, backend: KeyringBackend | None = None) -> None:
        self._settings = settings
        self._backend = backend
        self._session: dict[str, SecretStr] = {}

    def get(self, name: str) -> SecretStr | None:
        """Return the secret, or None where nobody has set it."""
        found = self._settings.secret(name) or self._session.get(name)
        return found or self._from_keyring(name)

    def set(self, name: str, value: str) -> Stored:
        """Keep a secret; an empty value forgets it. The result says where it went."""
        _known(name)
        value = value.strip()
        if not value:
            self.forget(name)
            return Stored(Place.SESSION, "")
        self._session[name] = SecretStr(value)
        if self._settings.secret(name):
            return Stored(
                Place.ENVIRONMENT, f"{variable(name)} is set and is used instead until it is unset."
            )
        if problem := self._to_keyring(name, value):
            return Stored(Place.SESSION, f"Kept until the program is closed: {problem}. To keep it for good, "
                          f"set {variable(name)} in the environment.")  # fmt: skip
        return Stored(Place.KEYRING)

    def forget(self, name: str) -> None:
        """Take a secret out of memory and keyring; the environment is not ours to change."""
        from keyring.errors import KeyringError

        _known(name)
        self._session.pop(name, None)
        try:
            self._keyring().delete_password(SERVICE, name)
        except (KeyringError, OSError, RuntimeError):
            return  # nothing stored there, or no keyring: it is forgotten either way

    def available(self) -> str:
        """Return an empty string if a keyring runs, else why secrets cannot be kept for good."""
        backend = self._keyring()
        return "" if backend.priority > 0 else "no system keyring is running"

    def _keyring(self) -> KeyringBackend:
        if self._backend is None:
            import keyring

            self._backend = keyring.get_keyring()
        return self._backend

    def _from_keyring(self, name: str) -> SecretStr | None:
        from keyring.errors import KeyringError

        _known(name)
        try:
            value = self._keyring().get_password(SERVICE, name)
        except (KeyringError, OSError, RuntimeError):
            return None  # a locked or missing keyring holds nothing for us; `set` says so
        return SecretStr(value) if value else None

    def _to_keyring(self, name: str, value: str) -> str:
        """Return an empty string when stored, else why not (never with the value in it)."""
        from keyring.errors import KeyringError

        if missing := self.available():
            return missing
        try:
            self._keyring().set_password(SERVICE, name, value)
            kept = self._keyring().get_password(SERVICE, name) == value
        except (KeyringError, OSError, RuntimeError) as error:
            return f"the system keyring refused it ({type(error).__name__})"
        return "" if kept else "the system keyring did not keep it"


def variable(name: str) -> str:
    """Return the environment variable that sets this secret."""
    section, key = SECRETS[name]
    return f"{ENV_PREFIX}{section.upper()}__{key.upper()}"


def _known(name: str) -> None:
    if name not in SECRETS:
        raise KeyError(name)
