"""Which models a service offers: asked without its library, which takes a second to import."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.llm.remote.address import check_address, checked_key, is_near
from app.llm.remote.carrier import Wiring, make_carrier
from app.llm.remote.chunks import error_of, mapping_in, mappings_in, number_in, text_in
from app.llm.remote.explaining import explaining, hidden
from app.llm.remote.failures import ModelMissingError, of_status

if TYPE_CHECKING:
    import httpx2

TIMEOUT_S = 30.0
MOST = 2000
_WINDOWS = ("max_model_len", "context_length", "context_window", "max_input_tokens", "loaded_context_length")
"""Under which names services tell how much a model reads."""


@dataclass(frozen=True, slots=True)
class OfferedModel:
    """A model of a service; `context_tokens` is what it reads, 0 where the service does not say."""

    name: str
    label: str
    context_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Listing:
    """How a list is asked for: `anthropic` speaks that protocol, else that of OpenAI."""

    base_url: str
    anthropic: bool = False
    needs_key: bool = True


async def offered_models(listing: Listing, key: str, wiring: Wiring) -> tuple[OfferedModel, ...]:
    """Return the models by name. Raises ModelError: the key, the address, the network."""
    check_address(listing.base_url)
    key = checked_key(key, needed=listing.needs_key and not is_near(listing.base_url))
    carrier = await asyncio.to_thread(make_carrier, listing.base_url, wiring, TIMEOUT_S)
    try:
        with explaining(key, listing.base_url):
            async with asyncio.timeout(TIMEOUT_S):
                response = await carrier.get(_address(listing), headers=_headers(listing, key))
            return _models(response, key)
    finally:
        await carrier.aclose()


def _address(listing: Listing) -> str:
    base = listing.base_url.rstrip("/")
    return f"{base.removesuffix('/v1')}/v1/models?limit=1000" if listing.anthropic else f"{base}/models"


def _headers(listing: Listing, key: str) -> dict[str, str]:
    version = {"anthropic-version": "2023-06-01"} if listing.anthropic else {}
    return {"Authorization": f"Bearer {key or 'none'}", **version}


def _models(response: httpx2.Response, key: str) -> tuple[OfferedModel, ...]:
    try:
        body: object = response.json()
    except (ValueError, RecursionError):  # a web page, nothing at all, or no UTF-8
        body = None
    if response.status_code >= 300:
        code, message = error_of(body)
        raise of_status(response.status_code, code, hidden(message, key), response.headers)
    if not isinstance(body, Mapping) or not isinstance(body.get("data"), list):
        raise ModelMissingError("The address of the model answers, but not with a list of models.")
    rows = mappings_in(body["data"])[:MOST]
    models = [OfferedModel(name, _label(row) or name, _window(row)) for row in rows if (name := _name(row))]
    return tuple(sorted(models, key=lambda model: model.name.lower()))


def _name(row: Mapping[str, object]) -> str:
    return text_in(row.get("id")).strip()


def _label(row: Mapping[str, object]) -> str:
    return text_in(row.get("display_name"))


def _window(row: Mapping[str, object]) -> int:
    said = [number_in(row.get(name)) for name in _WINDOWS]
    # llama-server tells what it reads now, and what the model was made for
    meta = mapping_in(row.get("meta"))
    said += [number_in(meta.get("n_ctx")), number_in(meta.get("n_ctx_train"))]
    return next((number for number in said if number > 0), 0)
