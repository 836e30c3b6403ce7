"""The services that are known: one file each, found by the name in the settings or by the address."""

from __future__ import annotations

from urllib.parse import urlsplit

from app.llm.remote.address import is_near
from app.llm.remote.profiles import (
    deepseek,
    llama_server,
    lmstudio,
    moonshot,
    ollama,
    openai,
    other,
    qwen,
    vllm,
)
from app.llm.remote.profiles.profile import Profile, Ways

__all__ = ["OTHER", "PROFILES", "Profile", "Ways", "profile_of"]

OTHER = other.PROFILE
PROFILES: dict[str, Profile] = {
    module.PROFILE.name: module.PROFILE
    for module in (openai, deepseek, qwen, moonshot, ollama, vllm, lmstudio, llama_server, other)
}


def profile_of(name: str, base_url: str) -> Profile:
    """Return the profile of a name; without one (or with an unknown one) that which fits the address."""
    if name in PROFILES:
        return PROFILES[name]
    if not base_url:
        return openai.PROFILE
    try:
        parts = urlsplit(base_url)
        host, port = (parts.hostname or "").rstrip("."), parts.port
    except ValueError:
        return OTHER
    for profile in PROFILES.values():
        if any(host == ending or host.endswith(f".{ending}") for ending in profile.hosts):
            return profile
        if profile.port is not None and profile.port == port and is_near(base_url):
            return profile
    return OTHER
