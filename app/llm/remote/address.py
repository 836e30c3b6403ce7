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
    if not usable or not base_url.isprintable() or " " in base_url:
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
    """Whether the address is this computer or a private network: no key is needed, reading takes long.

    It is no promise that what is sent stays on this computer: that is `is_this_computer`.
    """
    host = _host(base_url)
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host == "localhost" or host.endswith((".localhost", ".local", ".lan", ".internal"))
    return address.is_loopback or address.is_private


def is_this_computer(base_url: str) -> bool:
    """Whether what is sent there cannot leave this computer: `localhost` or a loopback address.

    Other names are asked of the network before they mean an address, so none counts; an address in a
    private network is another computer.
    """
    host = _host(base_url)
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host == "localhost"
    mapped = getattr(address, "ipv4_mapped", None)
    return bool((mapped or address).is_loopback)


def _host(base_url: str) -> str:
    try:
        return urlsplit(base_url).hostname or ""
    except ValueError:
        return ""
