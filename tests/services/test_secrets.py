"""Secrets: environment first, keyring next, memory with a message where no keyring runs."""

from __future__ import annotations

from pathlib import Path

import pytest
from keyring.backend import KeyringBackend
from keyring.backends.fail import Keyring as NoKeyring
from keyring.errors import KeyringLocked, PasswordDeleteError

from app.services.secrets import Place, Secrets
from app.settings import Settings


class MemoryKeyring(KeyringBackend):
    """Behaves as a desktop keyring does, with its store in a dictionary."""

    priority = 5

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.store: dict[tuple[str, str], str] = {}

    def get_password(self, service: str, username: str) -> str | None:
        return self.store.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.store[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        if self.store.pop((service, username), None) is None:
            raise PasswordDeleteError("not stored")


class LockedKeyring(MemoryKeyring):
    """A keyring whose person closed the unlock window."""

    def get_password(self, service: str, username: str) -> str | None:
        raise KeyringLocked("locked")

    def set_password(self, service: str, username: str, password: str) -> None:
        raise KeyringLocked("locked")


def test_that_the_keyring_keeps_a_secret_for_the_next_start() -> None:
    keyring = MemoryKeyring()
    stored = Secrets(Settings(), keyring).set("ads_token", " abc ")
    assert (stored.place, stored.message) == (Place.KEYRING, "")
    found = Secrets(Settings(), keyring).get("ads_token")
    assert found is not None
    assert found.get_secret_value() == "abc"
    assert "abc" not in repr(found)


@pytest.mark.parametrize("keyring", [NoKeyring(), LockedKeyring()])  # type: ignore[no-untyped-call]
def test_that_without_a_keyring_a_secret_lasts_for_the_session_and_says_so(keyring: KeyringBackend) -> None:
    secrets = Secrets(Settings(), keyring)
    assert secrets.get("api_key") is None
    stored = secrets.set("api_key", "abc")
    assert stored.place is Place.SESSION
    assert "ASTRORESEARCH_LLM__API_KEY" in stored.message
    assert "abc" not in stored.message
    found = secrets.get("api_key")
    assert found is not None
    assert found.get_secret_value() == "abc"


def test_that_the_environment_wins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASTRORESEARCH_LLM__API_KEY", "from-env")
    secrets = Secrets(Settings.load(tmp_path), MemoryKeyring())
    assert secrets.set("api_key", "typed").place is Place.ENVIRONMENT
    found = secrets.get("api_key")
    assert found is not None
    assert found.get_secret_value() == "from-env"


def test_that_an_empty_value_forgets() -> None:
    keyring = MemoryKeyring()
    secrets = Secrets(Settings(), keyring)
    secrets.set("ads_token", "abc")
    secrets.set("ads_token", "")
    assert secrets.get("ads_token") is None
    secrets.forget("ads_token")
    assert keyring.store == {}


def test_that_only_known_secrets_are_kept() -> None:
    with pytest.raises(KeyError):
        Secrets(Settings(), MemoryKeyring()).set("password", "x")
