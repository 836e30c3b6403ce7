"""The connections to a service: through which proxy, trusting whom, and never led elsewhere."""

from __future__ import annotations

import ssl
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from app.llm.remote.address import is_this_computer
from app.llm.remote.failures import ModelUnreachableError

if TYPE_CHECKING:
    import httpx2

NO_PROXY = "none"
HEAD_BYTES = 4096


@dataclass(frozen=True, slots=True)
class Wiring:
    """`proxy` is an address, "none", or empty: then the environment decides. `ca_file` is trusted besides
    what the system trusts: the certificate of whoever reads along in an institution's network.
    """

    proxy: str = ""
    ca_file: Path | None = None
    transport: httpx2.AsyncBaseTransport | None = None


def make_carrier(base_url: str, wiring: Wiring, connect_s: float | None) -> httpx2.AsyncClient:
    """Return a client without a time-out of its own, save that for connecting. Reads files: use a thread.

    A service on this computer is asked directly, whatever the environment says of proxies. Redirections
    are not followed: the conversation goes to the address of the settings and to no other. Raises
    ModelUnreachableError when proxy or certificate cannot be used.
    """
    import httpx2

    here = is_this_computer(base_url)
    proxy = None if here or wiring.proxy in ("", NO_PROXY) else wiring.proxy
    verify: ssl.SSLContext | bool = True
    if wiring.ca_file is not None and not here:
        try:
            verify = httpx2.create_ssl_context()
            verify.load_verify_locations(wiring.ca_file)
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            raise ModelUnreachableError(
                f"The certificate file {wiring.ca_file} cannot be used: {reason}.",
                hint="Name a file with certificates in PEM form in the settings (llm.ca_file).",
            ) from error
    try:
        return httpx2.AsyncClient(
            transport=wiring.transport,
            proxy=proxy,
            verify=verify,
            trust_env=not here and wiring.proxy != NO_PROXY,
            follow_redirects=False,
            timeout=httpx2.Timeout(None, connect=connect_s),
            limits=httpx2.Limits(max_connections=100, max_keepalive_connections=20),
        )
    except (ImportError, ValueError, httpx2.InvalidURL) as error:  # SOCKS without its package; no address
        raise ModelUnreachableError(
            "The proxy for the model service cannot be used.",
            hint="Write it like http://proxy.example.org:3128 in the settings (llm.proxy), or unset the "
            "proxy in the environment.",
        ) from error


def watch(response: httpx2.Response, on_bytes: Callable[[], None]) -> bytearray:
    """Call `on_bytes` whenever something of the body comes; returns where its beginning is kept.

    The libraries drop pings and comments, by which services say that they still work, and whatever is no
    stream, such as an error that comes as plain JSON.
    """
    import httpx2

    head = bytearray()

    class Watched(httpx2.AsyncByteStream):
        def __init__(self, inner: httpx2.AsyncByteStream) -> None:
            self._inner = inner

        async def __aiter__(self) -> AsyncIterator[bytes]:
            async for data in self._inner:
                on_bytes()
                head.extend(data[: max(0, HEAD_BYTES - len(head))])
                yield data

        async def aclose(self) -> None:
            await self._inner.aclose()

    if isinstance(response.stream, httpx2.AsyncByteStream):
        response.stream = Watched(response.stream)
    return head
