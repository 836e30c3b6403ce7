"""What an answer to a download says of the file."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import httpx2
import pytest

from app.sources.answers import range_start, refusal, retry_after, source_of, unencrypted, words

SHA = "a" * 64


def answer(url: str = "https://a.example/f", code: int = 200, **headers: str) -> httpx2.Response:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return httpx2.Response(code, headers=named, request=httpx2.Request("GET", url))


def test_that_a_step_without_encryption_anywhere_on_the_way_is_seen() -> None:
    plain, safe = answer("http://b.example/f"), answer("https://c.example/f")
    safe.history = [answer(code=302), answer("https://d.example/f", 302)]
    assert not unencrypted(safe)
    safe.history = [answer(code=302), plain]
    assert unencrypted(safe)
    plain.history = [answer(code=302)]
    assert unencrypted(plain)
    plain.history = [answer("http://local/f", 302)]
    assert not unencrypted(plain)


def test_that_length_version_and_checksum_are_read_from_all_that_answered() -> None:
    last = answer(content_length="70", etag='"v1"')
    last.history = [answer(code=302, x_linked_etag=f'"{SHA.upper()}"', content_length="3")]
    source = source_of(last, "https://a.example/f")
    assert (source.total, source.etag, source.sha256) == (70, '"v1"', SHA)


@pytest.mark.parametrize(
    ("headers", "code", "total"),
    [
        ({"content_range": "bytes 10-99/100"}, 206, 100),
        ({"content_range": "bytes 10-99/*"}, 206, None),
        ({"content_length": "5", "content_encoding": "gzip"}, 200, None),
        ({"content_length": "many"}, 200, None),
        ({}, 200, None),
    ],
)
def test_that_a_length_counts_only_where_it_is_that_of_the_file(
    headers: dict[str, str], code: int, total: int | None
) -> None:
    assert source_of(answer(code=code, **headers), "u").total == total


def test_that_the_start_of_a_piece_is_read_or_unknown() -> None:
    assert range_start({"content-range": "bytes 10-99/100"}) == 10
    assert range_start({"content-range": "lines 10-99/100"}) is None
    assert range_start({}) is None


def test_that_a_wait_is_read_as_seconds_or_as_a_date() -> None:
    assert retry_after({"retry-after": "12"}) == 12.0
    soon = retry_after({"retry-after": format_datetime(datetime.now(UTC) + timedelta(seconds=60))})
    assert soon is not None
    assert 50 < soon <= 60
    assert retry_after({"retry-after": "soon"}) is None
    assert retry_after({}) is None


def test_that_every_status_and_break_has_its_words() -> None:
    assert len({refusal(status) for status in (401, 404, 418, 451)}) == 4
    request = httpx2.Request("GET", "https://a.example")
    errors = [
        httpx2.ConnectTimeout("", request=request),
        httpx2.ReadTimeout("", request=request),
        httpx2.ProxyError("407", request=request),
        httpx2.ConnectError("[SSL: CERTIFICATE_VERIFY_FAILED]", request=request),
        httpx2.ConnectError("refused", request=request),
        httpx2.ReadError("", request=request),
    ]
    assert len({words(error) for error in errors}) == len(errors)
    assert "ca_file" in words(errors[3])
