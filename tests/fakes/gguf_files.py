"""Small GGUF files with a whole header and too few weights to run: for everything that only looks at them."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence

Value = str | int | bool | Sequence[int]

TEMPLATE = "{% for m in messages %}{{ m.role }}: {{ m.content }}\n{% endfor %}"


def gguf_file(
    *,
    architecture: str = "llama",
    name: str = "Some Model",
    size_label: str = "1.5B",
    template: str = TEMPLATE,
    layers: int = 4,
    context: int = 8192,
    shapes: Sequence[tuple[int, ...]] = ((64, 32), (32,)),
    extra: Mapping[str, Value] | None = None,
) -> bytes:
    """Return a file with tensors of 32-bit numbers of these shapes, all zero."""
    values: dict[str, Value] = {
        "general.architecture": architecture,
        "general.name": name,
        "general.size_label": size_label,
        f"{architecture}.context_length": context,
        f"{architecture}.block_count": layers,
        f"{architecture}.embedding_length": 64,
        f"{architecture}.attention.head_count": 4,
        f"{architecture}.attention.head_count_kv": 2,
        **(extra or {}),
    }
    if template:
        values["tokenizer.chat_template"] = template
    table, offset = b"", 0
    for number, shape in enumerate(shapes):
        table += _text(f"t{number}") + struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape, 0, offset)
        elements = 1
        for width in shape:
            elements *= width
        offset += -(-elements * 4 // 32) * 32
    pairs = b"".join(_text(key) + _value(value) for key, value in values.items())
    head = b"GGUF" + struct.pack("<IQQ", 3, len(shapes), len(values)) + pairs + table
    return head + bytes(-len(head) % 32 + offset)


def _text(value: str) -> bytes:
    data = value.encode()
    return struct.pack("<Q", len(data)) + data


def _value(value: Value) -> bytes:
    match value:
        case bool():
            return struct.pack("<I?", 7, value)
        case int():
            return struct.pack("<II", 4, value)
        case str():
            return struct.pack("<I", 8) + _text(value)
    return struct.pack("<IIQ", 9, 4, len(value)) + struct.pack(f"<{len(value)}I", *value)
