"""Whether a GGUF file is whole and can be used: its whole header is read, none of its weights.

A download that was cut off passes every look at its beginning; where the last tensor ends tells.
"""

from __future__ import annotations

import mmap
import struct
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from app.errors import ModelError
from app.llm.local.gguf import GgufModel, HeaderReader, Value, read_gguf

# Numbers in a block and bytes of a block, by ggml's number of the type (ggml.h).
_TYPES = {
    0: (1, 4), 1: (1, 2), 2: (32, 18), 3: (32, 20), 6: (32, 22), 7: (32, 24), 8: (32, 34), 9: (32, 36),
    10: (256, 84), 11: (256, 110), 12: (256, 144), 13: (256, 176), 14: (256, 210), 15: (256, 292),
    16: (256, 66), 17: (256, 74), 18: (256, 98), 19: (256, 50), 20: (32, 18), 21: (256, 110), 22: (256, 82),
    23: (256, 136), 24: (1, 1), 25: (1, 2), 26: (1, 4), 27: (1, 8), 28: (1, 8), 29: (256, 56), 30: (1, 2),
    34: (256, 54), 35: (256, 66), 39: (32, 17),
}  # fmt: skip
_NO_MODELS = {"adapter": "an adapter", "mmproj": "a picture reader", "imatrix": "a table of importance"}


@dataclass(frozen=True, slots=True)
class Soundness:
    """What was found. `problem` says why the file cannot be used; `notes` what one should know of it."""

    model: GgufModel
    has_template: bool
    licence: str
    problem: str = ""
    notes: tuple[str, ...] = ()


def examined(path: Path) -> Soundness:
    """Read the whole header of a file; blocks for up to a second.

    Raises ModelError when there is no file, it is no GGUF, or its header is broken.
    """
    model = read_gguf(path)
    try:
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            header = _Header(data)
    except (OSError, ValueError, LookupError, struct.error, OverflowError) as error:
        raise ModelError(
            f"{path.name} is a damaged GGUF model: its table of contents cannot be read.",
            hint="Download it again; the file is probably incomplete.",
        ) from error
    template = bool(header.values.get("tokenizer.chat_template"))
    notes = []
    if not template and not model.embeds:
        notes.append("It has no chat template: a common one is used, and answers may be worse for it.")
    return Soundness(
        replace(model, parameters=model.parameters or header.parameters),
        template,
        str(header.values.get("general.license") or ""),
        _problem(model, header),
        tuple(notes),
    )


def _problem(model: GgufModel, header: _Header) -> str:
    kind = str(header.values.get("general.type") or "model")
    parts = header.values.get("split.count")
    if kind in _NO_MODELS or model.architecture == "clip":
        return f"This is {_NO_MODELS.get(kind, 'a picture reader')} for a model, not a model."
    if isinstance(parts, int) and parts > 1:
        return f"This is one of {parts} parts of a model: only models in one file can be used."
    if header.tensors == 0:
        return "It holds no weights."
    if header.end > model.file_size:
        missing = (header.end - model.file_size) / 1e6
        return f"It is cut off: {missing:.1f} MB are missing at its end."
    if not model.architecture or not model.layers:
        return "It does not say what kind of model it is."
    return ""


class _Header:
    """All key-value pairs, and where the last tensor ends."""

    def __init__(self, data: mmap.mmap) -> None:
        reader = HeaderReader(data)
        reader.scalar("I")
        self.tensors, pairs = int(reader.scalar("Q")), int(reader.scalar("Q"))
        values: dict[str, Value] = {}
        for _ in range(pairs):
            key = reader.string()
            values[key] = reader.value(int(reader.scalar("I")))
        self.values: Mapping[str, Value] = values
        self.parameters = 0
        last = 0
        for _ in range(self.tensors):
            reader.string()
            elements = 1
            for _ in range(int(reader.scalar("I"))):
                elements *= int(reader.scalar("Q"))
            block, size = _TYPES.get(int(reader.scalar("I")), (1, 0))
            last = max(last, int(reader.scalar("Q")) + elements // block * size)
            self.parameters += elements
        alignment = values.get("general.alignment")
        step = alignment if isinstance(alignment, int) and alignment > 0 else 32
        self.end = -(-reader.at // step) * step + last
