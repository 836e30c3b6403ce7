"""The header of a GGUF file: what a model is, read without llama.cpp and without its weights."""

from __future__ import annotations

import mmap
import re
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from app.errors import ModelError
from app.llm.weights import checked_gguf

TINY_PARAMETERS = 1_000_000_000

Value: TypeAlias = int | float | bool | str | None

# With these the rest of the header need not be read.
_WANTED = {
    "size_label",
    "context_length",
    "block_count",
    "embedding_length",
    "attention.head_count",
    "attention.head_count_kv",
}

_STRING, _ARRAY = 8, 9
_SCALARS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_SUFFIX = {"K": 1e3, "M": 1e6, "B": 1e9, "T": 1e12}


@dataclass(frozen=True, slots=True)
class GgufModel:
    """A model file: numbers for its label, its context, and whether it fits into memory."""

    path: Path
    name: str
    size_label: str
    parameters: int
    context_tokens: int
    layers: int
    kv_width: int
    """Numbers a token keeps in one layer for keys and values together."""
    file_size: int
    architecture: str = ""
    embeds: bool = False
    """Whether it makes vectors of texts, and cannot chat."""

    @property
    def tiny(self) -> bool:
        return self.parameters < TINY_PARAMETERS

    @property
    def label(self) -> str:
        """Return a name for people, e.g. "SmolLM2 135M"."""
        name = re.sub(
            r"[-_ ]*(instruct|chat|it|gguf|q\d\w*|f16|bf16)\b", "", self.path.stem, flags=re.IGNORECASE
        )
        name = re.sub(r"[-_. ]+", " ", name).strip(" .") or self.name or self.path.stem
        return (
            name
            if not self.size_label or self.size_label.lower() in name.lower()
            else f"{name} {self.size_label}"
        )


def read_gguf(path: Path) -> GgufModel:
    """Read the header; raises ModelError when the file is missing, no GGUF, or cut off within the header."""
    checked_gguf(path)
    try:
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            values, parameters = HeaderReader(data).header()
    except (OSError, ValueError, LookupError, struct.error, OverflowError) as error:
        raise ModelError(
            f"{path.name} is a damaged GGUF model: its header cannot be read.",
            hint="Download it again; the file is probably incomplete.",
        ) from error
    return _described(path, values, parameters)


def _described(path: Path, values: dict[str, Value], parameters: int) -> GgufModel:
    architecture = str(values.get("general.architecture") or "")

    def number(key: str, default: int = 0) -> int:
        value = values.get(f"{architecture}.{key}")
        return int(value) if isinstance(value, int | float) else default

    heads = max(number("attention.head_count", 1), 1)
    head_width = number("embedding_length") // heads
    key_width = number("attention.key_length", head_width)
    value_width = number("attention.value_length", head_width)
    return GgufModel(
        path=path,
        name=str(values.get("general.name") or path.stem),
        size_label=str(values.get("general.size_label") or ""),
        parameters=parameters,
        context_tokens=number("context_length", 2048),
        layers=number("block_count"),
        kv_width=number("attention.head_count_kv", heads) * (key_width + value_width),
        file_size=path.stat().st_size,
        architecture=architecture,
        embeds=_embeds(architecture, values),
    )


def _embeds(architecture: str, values: dict[str, Value]) -> bool:
    """Return whether a model pools its vectors (1 mean, 2 first, 3 last, 4 ranks) or sees all at once."""
    pooling = values.get(f"{architecture}.pooling_type")
    return bool(pooling) or values.get(f"{architecture}.attention.causal") is False or "bert" in architecture


def parameters_of(label: str) -> int:
    """Return the number a size label says, e.g. 135_000_000 for "135M", 0 when it says none."""
    experts = re.fullmatch(r"(\d+)x([\d.]+)([KMBT])", label)
    if experts:
        return int(int(experts[1]) * float(experts[2]) * _SUFFIX[experts[3]])
    plain = re.match(r"([\d.]+)([KMBT])\b", label)
    return int(float(plain[1]) * _SUFFIX[plain[2]]) if plain else 0


class HeaderReader:
    """Walks through the key-value pairs and tensor shapes of one file."""

    def __init__(self, data: mmap.mmap) -> None:
        self._data = data
        self._at = 4

    @property
    def at(self) -> int:
        """The place of the next byte."""
        return self._at

    def header(self) -> tuple[dict[str, Value], int]:
        version = self.scalar("I")
        if version not in {2, 3}:
            raise ValueError(f"version {version}")
        tensors, pairs = int(self.scalar("Q")), int(self.scalar("Q"))
        values: dict[str, Value] = {}
        for _ in range(pairs):
            key = self.string()
            if key.startswith("tokenizer.ggml.") and _WANTED.issubset(
                name.partition(".")[2] for name in values
            ):
                break  # the vocabulary is long, and nothing of interest follows it
            values[key] = self.value(int(self.scalar("I")))
        said = parameters_of(str(values.get("general.size_label") or ""))
        counted = values.get("general.parameter_count")
        if isinstance(counted, int):
            said = counted
        return values, said or self._count(tensors)

    def _count(self, tensors: int) -> int:
        total = 0
        for _ in range(tensors):
            self.string()
            elements = 1
            for _ in range(int(self.scalar("I"))):
                elements *= int(self.scalar("Q"))
            self.scalar("I")
            self.scalar("Q")
            total += elements
        return total

    def value(self, kind: int) -> Value:
        """Read a value of a kind; of an array of numbers the largest, of one of strings nothing."""
        if kind == _STRING:
            return self.string()
        if kind == _ARRAY:
            return self._array()
        if kind in _SCALARS:
            return self.scalar(_SCALARS[kind])
        raise ValueError(f"a value of kind {kind}")

    def _array(self) -> Value:
        """Skip over an array; of one of numbers (heads by layer), return the largest."""
        kind, count = int(self.scalar("I")), int(self.scalar("Q"))
        if kind == _STRING:
            for _ in range(count):
                (size,) = struct.unpack_from("<Q", self._data, self._at)
                self._at += 8 + size
            return None
        code = _SCALARS[kind]
        start, self._at = self._at, self._at + count * struct.calcsize("<" + code)
        if count == 0 or count > 4096:
            return None
        numbers: tuple[int | float | bool, ...] = struct.unpack_from(f"<{count}{code}", self._data, start)
        return max(numbers)

    def scalar(self, code: str) -> int | float | bool:
        """Read a number of a `struct` code."""
        value: int | float | bool = struct.unpack_from("<" + code, self._data, self._at)[0]
        self._at += struct.calcsize("<" + code)
        return value

    def string(self) -> str:
        """Read a string. Raises ValueError where the file ends before it."""
        size = int(self.scalar("Q"))
        end = self._at + size
        if end > len(self._data):
            raise ValueError("cut off")
        text = self._data[self._at : end].decode("utf-8", "replace")
        self._at = end
        return text
