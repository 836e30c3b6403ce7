"""Bytes to text and back, such that what was not changed comes back byte for byte. Pure.

UTF-8 is tried first, then the encodings of Chinese texts, which guessers mistake for others, then a guess.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

from app.errors import AppError

SAMPLE_BYTES = 1 << 18
"""How much of the beginning is looked at to tell text from other data, and to guess an encoding."""

_BOMS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark is its beginning
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_KINDS = (
    (b"%PDF-", "a PDF file"),
    (b"SIMPLE  =", "a FITS file"),
    (b"\x89PNG", "a picture (PNG)"),
    (b"\xff\xd8\xff", "a picture (JPEG)"),
    (b"GIF8", "a picture (GIF)"),
    (b"PK\x03\x04", "a ZIP archive or an office document"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"SQLite format 3", "a database"),
    (b"\x89HDF", "an HDF5 file"),
)
_GUESSED_BYTES = 1 << 14
_CONTROLS = re.compile(rb"[\x00-\x06\x0e-\x1a\x1c-\x1f]")
_GB_PAIR = re.compile(rb"[\x81-\xfe][\x30-\x39][\x81-\xfe][\x30-\x39]|[\x81-\xfe][\x40-\xfe]")


class BinaryFileError(AppError):
    """The file holds no text. `kind` says in words what it is."""

    code = "binary_file"

    def __init__(
        self, message: str, *, hint: str | None = None, code: str | None = None, kind: str = ""
    ) -> None:
        super().__init__(message, hint=hint, code=code)
        self.kind = kind or "data"


@dataclass(frozen=True, slots=True)
class Encoding:
    """How a text was written. `name` is a codec; `bom` the mark before it; `guessed` that it may be another.

    `lossy` marks UTF-8 with broken bytes, which are kept as lone surrogates and shown as U+FFFD.
    """

    name: str
    bom: bytes = b""
    guessed: bool = False
    lossy: bool = False

    @property
    def shown(self) -> str:
        """The name for people and models."""
        mark = " with BOM" if self.bom else ""
        guessed = ", guessed" if self.guessed else ""
        return f"{self.name}{mark}{guessed}{', some bytes broken' if self.lossy else ''}"

    def decode(self, data: bytes) -> str:
        """Return the text of bytes that begin with the mark."""
        return data[len(self.bom) :].decode(self.name, "surrogateescape" if self.lossy else "strict")

    def encode(self, text: str) -> bytes:
        """Return the bytes of a text with the mark. Raises UnicodeEncodeError for what it cannot hold."""
        return self.bom + text.encode(self.name, "surrogateescape" if self.lossy else "strict")


UTF8 = Encoding("utf-8")


def detect(data: bytes, *, whole: bool = True) -> Encoding:
    """Return the encoding of a text from all of its bytes, or from the first ones (`whole` False).

    Raises BinaryFileError for what is no text.
    """
    for bom, name in _BOMS:
        if data.startswith(bom) and (found := _if_decodes(data, Encoding(name, bom), whole=whole)):
            return found
    if kind := binary_kind(data):
        raise BinaryFileError(f"This is {kind}, not a text.", kind=kind)
    if found := _if_decodes(data, UTF8, whole=whole):
        return found
    if _mostly_utf8(data):
        return Encoding("utf-8", lossy=True)
    for choose in (_of_pairs, _guess, lambda _data: "cp1252"):
        choice = choose(data)
        if choice and (found := _if_decodes(data, Encoding(choice, guessed=True), whole=whole)):
            return found
    return Encoding("iso8859-1", guessed=True)  # takes every byte


def binary_kind(data: bytes) -> str | None:
    """Return what data without a byte order mark is, if it is no text; None for text."""
    for magic, kind in _KINDS:
        if data.startswith(magic):
            return kind
    sample = data[:SAMPLE_BYTES]
    controls = len(_CONTROLS.findall(sample))
    return "binary data" if b"\0" in sample or controls * 20 > len(sample) + 20 else None


def for_display(text: str) -> str:
    """Return a decoded text with its broken bytes as U+FFFD: lone surrogates go into no message."""
    return _SURROGATE.sub("\N{REPLACEMENT CHARACTER}", text)


def has_surrogates(text: str) -> bool:
    """Whether a text holds what no file can: half of a character."""
    return _SURROGATE.search(text) is not None


_SURROGATE = re.compile("[\ud800-\udfff]")


def _if_decodes(data: bytes, encoding: Encoding, *, whole: bool) -> Encoding | None:
    decoder = codecs.getincrementaldecoder(encoding.name)("strict")
    try:
        decoder.decode(data[len(encoding.bom) :], final=whole)
    except UnicodeDecodeError:
        return None
    return encoding


def _mostly_utf8(data: bytes) -> bool:
    """Whether UTF-8 explains many more characters of several bytes than it leaves unexplained."""
    text = data[:SAMPLE_BYTES].decode("utf-8", "surrogateescape")
    broken = len(_SURROGATE.findall(text))
    return sum(1 for character in text if character > "\x7f") - broken >= 3 * broken


def _of_pairs(data: bytes) -> str | None:
    """Tell GB 18030 and EUC-JP, whose pairs have two high bytes; in other texts the second often is not."""
    pairs = _GB_PAIR.findall(data[:SAMPLE_BYTES])
    common = [pair for pair in pairs if len(pair) == 2 and 0xA1 <= pair[0] <= 0xF7 and pair[1] >= 0xA1]
    if not pairs or len(common) < 0.85 * len(pairs):
        return None
    kana = sum(1 for pair in common if pair[0] in (0xA4, 0xA5))
    if kana > 0.2 * len(common):
        return "euc_jp"
    # Cyrillic in one byte a letter looks like pairs too, of characters that are rare in Chinese.
    everyday = sum(1 for pair in common if pair[0] <= 0xD7)
    return "gb18030" if everyday > 0.6 * len(common) else None


def _guess(data: bytes) -> str | None:
    sample = data[:_GUESSED_BYTES]
    if sum(1 for byte in sample if byte > 0x7F) * 3 < len(sample):
        return None  # a few accents: no evidence to guess from
    from charset_normalizer import from_bytes  # 40 ms, for few files

    best = from_bytes(sample).best()
    return None if best is None else codecs.lookup(best.encoding).name
