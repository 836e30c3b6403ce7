"""The environment of programs that the agent runs: that of the application without its secrets. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping

from app.settings import ENV_PREFIX

_SECRET_WORDS = frozenset(
    "TOKEN TOKENS SECRET SECRETS PASSWORD PASSWORDS PASSWD PASSPHRASE PASS PWD CREDENTIAL CREDENTIALS "
    "APIKEY KEY KEYS AUTH COOKIE COOKIES BEARER PAT DSN".split()
)
_HARMLESS = frozenset({"PWD", "OLDPWD"})
_WITH_PASSWORD = re.compile(r"://[^/@\s:]*:[^/@\s]+@")


def without_secrets(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that hold no secret by their name, and no address with a password in it.

    Our own settings go as well: a program has no business with them. So does the door to the SSH agent.
    """
    return {
        name: value
        for name, value in environment.items()
        if not name.upper().startswith(ENV_PREFIX) and not _is_secret(name, value)
    }


def _is_secret(name: str, value: str) -> bool:
    if name.upper() in _HARMLESS:
        return False
    words = set(re.split(r"[^A-Z0-9]+", name.upper()))
    return bool(words & _SECRET_WORDS) or _WITH_PASSWORD.search(value) is not None
