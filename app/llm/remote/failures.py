"""What a remote model's failures mean: typed errors with a way out, and whether to try again. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping

from app.errors import ModelError
from app.llm.chat import ContextOverflowError
from app.llm.remote.waiting import wait_of

MAX_WAIT_S = 60.0
"""The longest wait that is kept for the person; beyond it the error says how long it would be."""


class ModelUnreachableError(ModelError):
    """No connection, or it was lost."""

    code = "model_unreachable"
    hint = "Check the network and the address of the model in the settings, or choose the local model."


class ModelCertificateError(ModelError):
    """Whoever answers is not known to be the service: a wrong certificate, or one that reads along."""

    code = "model_certificate"
    hint = (
        "Where an institution's network reads along, set llm.ca_file to its certificate; otherwise do not "
        "use this network for it."
    )


class ModelTimeoutError(ModelError):
    """The model was silent for too long."""

    code = "model_timeout"
    hint = "Try again, or choose another model."


class ModelBusyError(ModelError):
    """Too many requests, or the service is overloaded; `wait_s` is what it asks for, if it says."""

    code = "model_busy"
    hint = "Wait a little and try again, or choose another model."

    def __init__(self, message: str, *, wait_s: float | None = None) -> None:
        super().__init__(message)
        self.wait_s = wait_s


class ModelServerError(ModelError):
    """The service itself failed."""

    code = "model_server"
    hint = "Try again; if it stays, look at the status page of the service or choose another model."


class ModelKeyError(ModelError):
    """No key, or one that is not accepted."""

    code = "model_key"
    hint = "Enter the key of this service in the settings, or set ASTRORESEARCH_LLM__API_KEY."


class ModelQuotaError(ModelError):
    """The account has nothing left to spend."""

    code = "model_quota"
    hint = "Look at the billing page of the service, or choose the local model."


class ModelMissingError(ModelError):
    """The service does not have this model, or this address is no chat service."""

    code = "model_missing"
    hint = "Choose another model in the settings, and check that the address ends as the service says (/v1)."


class ModelRefusedError(ModelError):
    """The service withheld the reply."""

    code = "model_refused"
    hint = "Put the question differently, or choose another model."


class ModelRequestError(ModelError):
    """The service does not take the request as it is."""

    code = "model_request"
    hint = "Choose another model; not every one can read tools or long conversations."


PASSING = (ModelUnreachableError, ModelTimeoutError, ModelBusyError, ModelServerError)
"""Errors that may be gone at the next try."""

_OVERFLOW = re.compile(
    r"context[ _](?:length|window|size)|maximum context|prompt is too long|input is too long"
    r"|too many (?:input )?tokens|reduce the length|exceeds? the (?:available|maximum|model)"
    r"|exceed context limit",
    re.IGNORECASE,
)
_ELSEWHERE = re.compile(r"region|country|territor|location|access to (?:the )?model", re.IGNORECASE)
_NO_MODEL = re.compile(
    r"model_not_found|(?:unknown|invalid|no such) model|model.{0,60}(?:not found|not exist)", re.IGNORECASE
)
_QUOTA = re.compile(
    r"insufficient[_ ](?:quota|balance|credit)|credit balance|billing|arrearage|exceeded your current quota",
    re.IGNORECASE,
)


def of_status(
    status: int, code: str, message: str, headers: Mapping[str, str], *, now: float | None = None
) -> ModelError:
    """Return the error of an HTTP answer. `code` and `message` are those of its JSON body, if it had any."""
    said = _sentence(message)
    about = f"{code} {message}"
    if found := _of_words(status, about, said):
        return found
    match status:
        case _ if 300 <= status < 400:
            return ModelMissingError("The address of the model leads elsewhere; nothing was sent there.")
        case 401 | 403:
            return ModelKeyError(f"The model service does not accept the key.{said}")
        case 402:
            return ModelQuotaError(f"The account of the model service cannot pay for the request.{said}")
        case 404:
            return ModelMissingError(f"The model service does not know the model or the address.{said}")
        case 407:
            return ModelUnreachableError(
                "The proxy wants a name and a password.",
                hint="Write them into the address of the proxy in the environment (HTTPS_PROXY).",
            )
        case 408:
            return ModelTimeoutError(f"The model service gave up waiting.{said}")
        case 409 | 425 | 429 | 503 | 529:
            return ModelBusyError(f"The model service is busy.{said}", wait_s=wait_of(headers, now=now))
    if status >= 500:
        return ModelServerError(f"The model service failed ({status}).{said}")
    return ModelRequestError(f"The model service refused the request ({status}).{said}")


def _of_words(status: int, about: str, said: str) -> ModelError | None:
    """Return the error that the words tell more exactly than the status does."""
    if status == 413 or (status in (400, 422, 500) and _OVERFLOW.search(about)):
        return ContextOverflowError(f"The conversation is longer than the model can read.{said}")
    if status in (400, 402, 403, 429) and _QUOTA.search(about):
        return ModelQuotaError(f"The account of the model service has no quota left.{said}")
    if status in (401, 403) and "expired" in about.lower():
        return ModelKeyError(f"The key of the model service has expired.{said}")
    if status == 403 and _ELSEWHERE.search(about):
        return ModelMissingError(f"The model service does not serve this account here.{said}")
    if status in (400, 422) and _NO_MODEL.search(about):
        return ModelMissingError(f"The model service does not know the model.{said}")
    return None


def of_stream(code: str, message: str) -> ModelError:
    """Return the error that a stream carried instead of a piece of the reply."""
    about = f"{code} {message}"
    if _OVERFLOW.search(about):
        return of_status(400, code, message, {})
    if re.search(r"rate.?limit|overloaded|\b429\b|busy", about, re.IGNORECASE):
        return of_status(429, code, message, {})
    return ModelServerError(f"The model service broke the reply off.{_sentence(message)}")


def of_empty(content_type: str, code: str, message: str) -> ModelError:
    """Return the error of an answer that held nothing of a reply.

    `code` and `message` are those of an error that came as plain JSON where a stream was due.
    """
    if message:
        return of_stream(code, message)
    if "html" in content_type:
        return ModelMissingError("The address of the model answers with a web page.")
    return ModelServerError("The model service answered without a reply.")


def retry_wait(error: ModelError, attempt: int, *, attempts: int = 4, chance: float = 0.5) -> float | None:
    """Return the seconds to wait before trying once more, or None to give up.

    `attempt` counts the tries made, `chance` is from 0 to 1: it spreads many clients. Half a second,
    doubled each time, at most eight; or what the service asks for, at most MAX_WAIT_S.
    """
    if attempt >= attempts or not isinstance(error, PASSING):
        return None
    if isinstance(error, ModelBusyError) and error.wait_s is not None:
        return error.wait_s + 0.1 * chance if error.wait_s <= MAX_WAIT_S else None
    return min(8.0, 2.0 ** (attempt - 2)) * (0.75 + 0.5 * chance)


def _sentence(message: str) -> str:
    text = "" if message.lstrip().startswith("<") else " ".join(message.split())[:300]  # no web page
    return f" It says: {text}" if text else ""
