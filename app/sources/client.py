"""The HTTP client of downloads, and how long it waits for what."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from app.sources.transfer import DownloadError

if TYPE_CHECKING:
    import httpx2


@dataclass(frozen=True, slots=True)
class Patience:
    """How long is waited for what, in seconds, and how often a host may fail in a row."""

    connect_s: float = 20.0
    silence_s: float = 45.0
    tries: int = 5
    first_wait_s: float = 1.0
    longest_wait_s: float = 30.0
    longest_asked_s: float = 120.0
    """The longest `Retry-After` that is waited for."""


AS_USUAL = Patience()


def new_client(
    patience: Patience = AS_USUAL,
    *,
    proxy: str = "",
    ca_file: Path | None = None,
    direct: bool = False,
    user_agent: str = "AstroResearch",
) -> httpx2.AsyncClient:
    """Return a client for downloads; without `proxy` that of the environment is used unless `direct`."""
    import ssl

    import httpx2

    try:
        verify = ssl.create_default_context(cafile=str(ca_file)) if ca_file else httpx2.create_ssl_context()
    except (OSError, ssl.SSLError) as error:
        raise DownloadError(
            f"The certificates in {ca_file} cannot be read: {error}.", hint="Correct llm.ca_file."
        ) from error
    timeout = httpx2.Timeout(patience.silence_s, connect=patience.connect_s)
    headers = {"User-Agent": user_agent, "Accept-Encoding": "identity"}
    return httpx2.AsyncClient(
        timeout=timeout,
        follow_redirects=True,
        headers=headers,
        verify=verify,
        proxy=proxy or None,
        trust_env=not (proxy or direct),
    )
