"""Bytes to text and back."""

from __future__ import annotations

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.services.files.encodings import (
    BinaryFileError,
    binary_kind,
    detect,
    for_display,
    has_surrogates,
)

CHINESE = "天文学文献助手：暗物质晕的质量函数与星系的金属丰度。\n"


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("plain ASCII\n", "utf-8"),
        (CHINESE, "utf-8"),
        (CHINESE, "utf-8-sig"),
        (CHINESE, "gb18030"),
        (CHINESE, "gbk"),
        ("中文", "gbk"),
        (CHINESE, "utf-16"),
        (CHINESE, "utf-16-be-bom"),
        ("naïve café, Ångström\n", "cp1252"),
        ("Привет, мир. Это текст на русском языке.\n", "cp1251"),
        ("これは日本語の文章です。カタカナ\n", "shift_jis"),
        ("これは日本語の文章です。カタカナ\n", "euc_jp"),
        ("", "utf-8"),
    ],
)
def test_that_a_text_is_read_as_it_was_written(text: str, encoding: str) -> None:
    """Bug 25: GBK and its kin as well."""
    if encoding == "utf-16-be-bom":
        data = codecs.BOM_UTF16_BE + text.encode("utf-16-be")
    else:
        data = text.encode(encoding)
    found = detect(data)
    assert found.decode(data) == text
    assert found.encode(text) == data


def test_that_a_few_broken_bytes_do_not_spoil_the_rest() -> None:
    data = CHINESE.encode() + b"\xff\xfe broken\n" + CHINESE.encode()
    found = detect(data)
    text = found.decode(data)
    assert found.lossy
    assert found.encode(text) == data
    assert for_display(text) == f"{CHINESE}\ufffd\ufffd broken\n{CHINESE}"
    assert not has_surrogates(for_display(text))


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"%PDF-1.7\n%abc", "PDF"),
        (b"SIMPLE  =                    T", "FITS"),
        (b"\x89PNG\r\n\x1a\n", "PNG"),
        (b"text with a \x00 byte", "binary"),
        (bytes(range(32)) * 8, "binary"),
    ],
)
def test_that_what_is_no_text_is_refused(data: bytes, kind: str) -> None:
    assert kind in (binary_kind(data) or "")
    with pytest.raises(BinaryFileError, match=kind):
        detect(data)


def test_that_the_beginning_of_a_text_may_end_inside_a_character() -> None:
    """Bug 24: a sample is not a whole text."""
    data = CHINESE.encode()
    assert all(detect(data[:end], whole=False).name == "utf-8" for end in range(1, len(data)))


@given(st.binary(max_size=200))
def test_that_any_bytes_are_refused_or_come_back(data: bytes) -> None:
    """Bug 25: an edit may rely on it, or refuses."""
    try:
        found = detect(data)
    except BinaryFileError:
        return
    text = found.decode(data)
    assert not has_surrogates(for_display(text))
    if not found.guessed:
        assert found.encode(text) == data


@given(st.text())
def test_that_every_text_in_utf8_comes_back(text: str) -> None:
    data = text.encode()
    if binary_kind(data) is None and not data.startswith((codecs.BOM_UTF8, b"\xff\xfe", b"\xfe\xff")):
        assert detect(data).decode(data) == text
