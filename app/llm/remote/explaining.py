"""Turns what the network and its libraries raise into our errors, with the key in none of them.

The libraries of OpenAI and Anthropic come from one generator: their errors have the same shape and names.
"""

from __future__ import annotations

import contextlib
import socket
import ssl
import sys
from collections.abc import Callable, Iterator
from typing import Any

from app.errors import ModelError
from app.llm.remote import failures
from app.llm.remote.address import shown
from app.llm.remote.chunks import error_of

ROOTS = (
    ("openai", "OpenAIError"),
    ("anthropic", "AnthropicError"),
    ("httpx2", "HTTPError"),
    ("httpx2", "StreamError"),
    ("httpx2", "InvalidURL"),
)
"""The libraries, and the classes that all their errors come of."""


_SECRET_CHARS = 8
"""Shorter keys ("none", "ollama") are no secrets, and words of a message."""


def hidden(message: str, key: str) -> str:
    """Return a message of a service without the key in it."""
    return message.replace(key, "…") if len(key) >= _SECRET_CHARS else message


def _nothing(_error: ModelError) -> None:
    """Leave the way out as it is."""


@contextlib.contextmanager
def explaining(key: str, address: str, way_out: Callable[[ModelError], None] = _nothing) -> Iterator[None]:
    """Raise ModelErrors only; `way_out` may give one a better hint. CancelledError passes."""
    try:
        yield
    except ModelError as error:
        way_out(error)
        raise
    except TimeoutError as error:
        raise failures.ModelTimeoutError("The model was silent for too long.") from error
    except (OSError, ValueError, RecursionError) as error:  # also what is no UTF-8 or no JSON in the stream
        raise failures.ModelServerError(
            f"The model service sent something that cannot be read ({type(error).__name__})."
        ) from error
    except _network_errors() as error:
        found = _of_network(error, key, address)
        way_out(found)
        raise found from None


def _network_errors() -> tuple[type[Exception], ...]:
    """Return the roots of what the loaded libraries raise; nothing is imported for it."""
    loaded = ((sys.modules.get(library), name) for library, name in ROOTS)
    return tuple(getattr(library, name) for library, name in loaded if library is not None)


def _of_network(error: Exception, key: str, address: str) -> ModelError:
    status = getattr(error, "status_code", None)
    if not hasattr(error, "body") or not (isinstance(status, int) or error.body):
        return _of_connection(error, address)
    code, message = error_of(error.body)
    message = hidden(message or str(getattr(error, "message", "")) or str(error), key)
    if isinstance(status, int) and status >= 300:
        return failures.of_status(status, code, message, _headers(error))
    return failures.of_stream(code, message)


def _of_connection(error: Exception, address: str) -> ModelError:
    """Return why there was no connection: by the first cause that says more than that."""
    where = shown(address)
    if type(error).__name__ == "InvalidURL":
        return failures.ModelMissingError(
            f"{where} is not an address of a model service.",
            hint="Write it like http://localhost:8080/v1 in the settings (llm.base_url).",
        )
    causes = list(_causes(error))
    for cause in causes:
        if isinstance(cause, ssl.SSLCertVerificationError):
            return failures.ModelCertificateError(
                f"The certificate of the model service at {where} is not trusted ({cause.verify_message})."
            )
        if isinstance(cause, ssl.SSLError):
            return failures.ModelCertificateError(
                f"No safe connection to the model service at {where} ({cause.reason or 'TLS'})."
            )
        if isinstance(cause, socket.gaierror):
            return failures.ModelUnreachableError(
                f"The name of the model service at {where} is not known.",
                hint="Check the network (is there any?) and the address of the model in the settings, or "
                "choose the local model.",
            )
    if any(type(cause).__name__ == "ProxyError" for cause in causes):
        return failures.ModelUnreachableError(
            f"The proxy does not let the request through to {where} ({causes[-1]}).",
            hint="Check the proxy in the settings (llm.proxy) or in the environment.",
        )
    said = next((text for cause in reversed(causes) if (text := str(cause)) and cause is not error), "")
    return failures.ModelUnreachableError(
        f"The model service at {where} cannot be reached{f' ({said})' if said else ''}."
    )


def _causes(error: BaseException) -> Iterator[BaseException]:
    """Yield the error and what it came of, the nearest first."""
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen:
        seen.add(id(current))
        yield current
        current = current.__cause__ or current.__context__


def _headers(error: Any) -> dict[str, str]:
    response = getattr(error, "response", None)
    return dict(response.headers) if response is not None else {}
