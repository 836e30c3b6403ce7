"""What an answer to a download says of the file: length, version, checksum, or why there is none. Pure."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING

from app.sources.part_file import Source

if TYPE_CHECKING:
    import httpx2

TRY_AGAIN = {408, 409, 423, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524, 529}
"""Answers that another try may not get."""

_SHA256 = re.compile(r"[0-9a-f]{64}")
_RANGE = re.compile(r"bytes (\d+)-(\d+)/(\d+|\*)")


def range_start(headers: Mapping[str, str]) -> int | None:
    """Return where the piece that was sent begins; None when that is not said."""
    told = _RANGE.fullmatch(headers.get("content-range", ""))
    return int(told[1]) if told else None


def unencrypted(response: httpx2.Response) -> bool:
    """Whether a request that began encrypted was sent on to an address without encryption."""
    schemes = [answer.url.scheme for answer in (*response.history, response)]
    return schemes[0] == "https" and any(scheme != "https" for scheme in schemes)


def source_of(response: httpx2.Response, url: str) -> Source:
    """Read length, version and checksum off the answer, and off those that sent us there."""
    etag = response.headers.get("etag", "")
    sha256 = ""
    total: int | None = None
    for answer in (*response.history, response):
        linked = answer.headers.get("x-linked-etag", "").strip('"').lower()
        if _SHA256.fullmatch(linked):
            sha256 = linked
    if told := _RANGE.fullmatch(response.headers.get("content-range", "")):
        total = int(told[3]) if told[3] != "*" else None
    elif response.status_code == 200 and not response.headers.get("content-encoding"):
        length = response.headers.get("content-length", "")
        total = int(length) if length.isdigit() else None
    return Source(url, etag, sha256, total)


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds that a host asks us to wait, None where it says nothing."""
    said = headers.get("retry-after", "").strip()
    if said.isdigit():
        return float(said)
    try:
        return parsedate_to_datetime(said).timestamp() - time.time() if said else None
    except ValueError:
        return None


def refusal(status: int) -> str:
    """Say what a status means for somebody who wants a file."""
    match status:
        case 401 | 403:
            return f"It does not give the file to everybody ({status}): its terms may have to be agreed to."
        case 404 | 410:
            return f"It does not have the file ({status})."
        case 451:
            return "It may not give the file to this country (451)."
        case _:
            return f"It answered {status}."


def words(error: Exception) -> str:
    """Say what broke, for people; names of errors are for programmers."""
    import httpx2

    match error:
        case httpx2.ConnectTimeout():
            return "It does not answer."
        case httpx2.TimeoutException():
            return "It has fallen silent."
        case httpx2.ProxyError():
            return f"The proxy refuses: {error}."
        case httpx2.ConnectError() if "CERTIFICATE" in str(error).upper():
            return "Its certificate is not trusted: somebody may stand between (llm.ca_file names your own)."
        case httpx2.ConnectError():
            return "It cannot be reached."
        case _:
            return "The connection broke."
