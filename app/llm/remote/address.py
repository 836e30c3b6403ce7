"""What is checked of an address and a key before anything is sent. Pure."""

from __future__ import annotations

import ipaddress
from urllib.parse import urlsplit

from app.llm.remote.failures import ModelKeyError, ModelMissingError


def check_address(base_url: str) -> None:
    """Raise ModelMissingError where the address is none; an empty one means the service's own."""
    try:
        parts = urlsplit(base_url)
        usable = not base_url or (parts.scheme in ("http", "https") and parts.hostname and parts.port != 0)
    except ValueError:
        usable = False
    if not usable:
        raise ModelMissingError(
            f"{base_url} is not an address of a model service.",
            hint="Write it like http://localhost:8080/v1 in the settings (llm.base_url).",
        )


def checked_key(key: str, *, needed: bool) -> str:
    """Return the key without white space around it; raises ModelKeyError, which never shows it."""
    key = key.strip()
    if needed and not key:
        raise ModelKeyError("There is no key for the model service.")
    if not (key.isascii() and key.isprintable()) or " " in key:
        raise ModelKeyError("The key of the model service holds characters that no key has.")
    return key


def shown(base_url: str) -> str:
    """Return the address for a message: without a name and password in it."""
    parts = urlsplit(base_url)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl() or "its own address"


def is_near(base_url: str) -> bool:
    """Whether the address is this machine or a private network."""
    try:
        host = urlsplit(base_url).hostname or ""
    except ValueError:
        return False
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host == "localhost" or host.endswith((".localhost", ".local", ".lan", ".internal"))
    return address.is_loopback or address.is_private
