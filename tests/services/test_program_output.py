"""What programs print: bounds, characters, encodings, terminal controls."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.services.program_environment import without_secrets
from app.services.program_output import Capture, decoded, readable


def fed(data: bytes, limit: int, step: int) -> Capture:
    capture = Capture(limit)
    for start in range(0, len(data), step):
        capture.feed(data[start : start + step])
    return capture


@given(st.binary(max_size=300), st.integers(2, 120), st.integers(1, 50))
def test_that_what_is_kept_is_bounded_and_what_is_missing_is_counted(
    data: bytes, limit: int, step: int
) -> None:
    printed = fed(data, limit, step).printed()
    if len(data) <= (limit // 2) * 2:
        assert printed.left_out == 0
        assert printed.text == decoded(data)
    else:
        assert printed.left_out >= len(data) - limit


@pytest.mark.parametrize("limit", range(20, 60))
def test_that_halves_are_cut_between_characters(limit: int) -> None:
    """Bug 24: at every offset of a text in several scripts no character is broken."""
    printed = fed("α Cen 半人马座 🌌 η Car — naïve ".encode() * 40, limit, 7).printed()
    assert "\ufffd" not in printed.text
    assert printed.left_out > 0
    assert f"{printed.left_out:,} bytes left out" in printed.text


def test_that_halves_are_cut_at_lines_where_there_are_any() -> None:
    printed = fed("".join(f"line {n}\n" for n in range(1000)).encode(), 200, 11).printed()
    assert all(line.startswith("line ") for line in (printed.head + printed.tail).splitlines())
    assert printed.tail.endswith("line 999\n")


def test_that_gbk_is_read_among_utf8() -> None:
    """Bug 24: the output of an old program on a Chinese system."""
    data = "结果：半人马座的星系\n".encode("gb18030") + "第二行 utf-8\n".encode() + b"plain\n"
    assert decoded(data) == "结果：半人马座的星系\n第二行 utf-8\nplain\n"


def test_that_bytes_of_no_encoding_do_not_fail() -> None:
    assert "r" in decoded(b"r\xe9sum\xe9 \xff\n")
    assert decoded("caf\u00e9\r\n".encode()) == "café\n"


@given(st.binary(max_size=200))
def test_that_any_bytes_are_decoded(data: bytes) -> None:
    assert isinstance(decoded(data), str)


def test_that_colours_and_redrawn_lines_are_made_readable() -> None:
    assert readable("\x1b[1;31mred\x1b[0m\n10%\r50%\r100%\nend\r\n\x1b]0;title\x07x\0") == "red\n100%\nend\nx"


def test_that_programs_get_no_secrets() -> None:
    kept = {"PATH": "/bin", "HOME": "/home/a", "LANG": "C", "MONKEY": "x", "PWD": "/", "AUTHOR": "me"}
    secret = {
        "ADS_TOKEN": "x",
        "OPENAI_API_KEY": "x",
        "GH_PAT": "x",
        "DB_PASSWORD": "x",
        "SSH_AUTH_SOCK": "/tmp/s",
        "ASTRORESEARCH_HOME": "/h",
        "astroresearch_llm__api_key": "x",
        "https_proxy": "http://me:word@proxy:80",
        "aws_secret_access_key": "x",
    }
    assert without_secrets({**kept, **secret}) == kept
