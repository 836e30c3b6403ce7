from __future__ import annotations

import struct
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.errors import ModelError
from app.llm import weights
from app.llm.local.fit import ALL_LAYERS, MARGIN, Fit, bytes_needed, fitted, free_memory, largest_file
from app.llm.local.gguf import GgufModel, parameters_of, read_gguf


def text(value: str) -> bytes:
    return struct.pack("<Q", len(value.encode())) + value.encode()


def pair(key: str, value: str | int | list[int]) -> bytes:
    match value:
        case str():
            return text(key) + struct.pack("<I", 8) + text(value)
        case int():
            return text(key) + struct.pack("<IQ", 10, value)
    return text(key) + struct.pack("<IIQ", 9, 4, len(value)) + struct.pack(f"<{len(value)}I", *value)


def gguf(values: dict[str, str | int | list[int]], tensors: list[tuple[int, ...]] | None = None) -> bytes:
    tensors = tensors or []
    head = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(values))
    shapes = b"".join(
        text(f"t{n}") + struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape, 0, 0)
        for n, shape in enumerate(tensors)
    )
    return head + b"".join(pair(key, value) for key, value in values.items()) + shapes


LLAMA: dict[str, str | int | list[int]] = {
    "general.architecture": "llama",
    "general.name": "Some model",
    "llama.context_length": 131072,
    "llama.block_count": 32,
    "llama.embedding_length": 4096,
    "llama.attention.head_count": 32,
    "llama.attention.head_count_kv": [0, 8, 8],
}


def test_that_the_default_model_is_known_as_tiny() -> None:
    path = weights.chat_gguf()
    assert path is not None
    model = read_gguf(path)
    assert (model.label, model.tiny, model.context_tokens) == ("SmolLM2 135M", True, 8192)
    assert (model.layers, model.kv_width) == (30, 2 * 3 * 64)


def test_that_a_header_is_read(tmp_path: Path) -> None:
    path = tmp_path / "Llama-3.1-8B-Instruct-Q4_K_M.gguf"
    path.write_bytes(gguf({**LLAMA, "general.size_label": "8B"}))
    model = read_gguf(path)
    assert (model.label, model.parameters, model.tiny) == ("Llama 3 1 8B", 8_000_000_000, False)
    assert (model.context_tokens, model.layers, model.kv_width) == (131072, 32, 8 * 256)


def test_that_parameters_are_counted_where_nothing_says_them(tmp_path: Path) -> None:
    path = tmp_path / "mystery.gguf"
    path.write_bytes(gguf(LLAMA, [(4096, 32000), (4096,)]))
    assert read_gguf(path).parameters == 4096 * 32000 + 4096


@given(st.integers(0, 4000))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_that_a_file_cut_short_is_an_error_and_no_crash(tmp_path: Path, size: int) -> None:
    whole = gguf({**LLAMA, "tokenizer.chat_template": "x" * 900}, [(4096, 32000)])
    path = tmp_path / "cut.gguf"
    path.write_bytes(whole[: size % len(whole)])
    with pytest.raises(ModelError) as caught:
        read_gguf(path)
    assert caught.value.hint


@given(st.binary(max_size=300))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_that_rubbish_after_the_magic_is_an_error_and_no_crash(tmp_path: Path, rubbish: bytes) -> None:
    path = tmp_path / "rubbish.gguf"
    path.write_bytes(b"GGUF" + struct.pack("<IQQ", 3, 2**40, 2**40) + rubbish)
    with pytest.raises(ModelError):
        read_gguf(path)


@pytest.mark.parametrize(
    ("label", "number"),
    [("135M", 135e6), ("1.7B", 1.7e9), ("8x7B", 56e9), ("30B-A3B", 30e9), ("", 0), ("big", 0)],
)
def test_that_size_labels_are_understood(label: str, number: float) -> None:
    assert parameters_of(label) == number


def model(size: int = 4 * 2**30) -> GgufModel:
    return GgufModel(Path("m.gguf"), "M", "8B", 8 * 10**9, 131072, 32, 2048, size)


def test_that_the_context_is_what_was_asked_for_when_it_fits() -> None:
    assert fitted(model(), 8192, 32 * 2**30) == Fit(8192, 8192 + 2048, batch=128)
    assert fitted(model(), 8192, None).context == 8192
    assert fitted(model(), 10**9, None).context == 131072


def test_that_the_context_shrinks_before_the_model_is_refused() -> None:
    assert bytes_needed(model(), 8192) == 4 * 2**30 + 2**30 + 2**28 + MARGIN
    less = fitted(model(), 8192, bytes_needed(model(), 4096))
    assert (less.context, less.kv_type) == (4096, "f16")
    assert "instead of 8192" in less.notes[0]


def test_that_keys_and_values_get_eight_bits_when_the_smallest_context_does_not_fit() -> None:
    less = fitted(model(), 8192, bytes_needed(model(), 2048, "q8_0"))
    assert (less.context, less.kv_type) == (2048, "q8_0")


def test_that_a_model_that_does_not_fit_is_refused_with_the_size_that_does() -> None:
    with pytest.raises(ModelError, match=r"needs .* GB .* are free") as caught:
        fitted(model(), 8192, 3 * 2**30)
    assert "smaller model" in caught.value.hint
    assert "2.1 GB" in caught.value.hint
    assert largest_file(3 * 2**30) < 3 * 2**30


def test_that_a_gpu_takes_what_it_has_room_for_and_less_after_a_crash() -> None:
    assert fitted(model(), 8192, 2**36, gpu_free=2**36).gpu_layers == ALL_LAYERS
    some = fitted(model(), 8192, 2**36, gpu_free=3 * 2**30)
    assert 0 < some.gpu_layers < 32
    assert some.batch == 512
    assert fitted(model(), 8192, 2**36, gpu_free=3 * 2**30, rung=1).gpu_layers == some.gpu_layers // 2
    assert fitted(model(), 8192, 2**36, gpu_free=2**36, rung=2).gpu_layers == 0


def test_that_what_is_on_the_gpu_does_not_count_against_memory() -> None:
    assert fitted(model(), 8192, 2**30, gpu_free=2**36).context == 8192


def test_that_a_model_with_a_short_context_of_its_own_is_not_refused_for_it() -> None:
    short = GgufModel(Path("m.gguf"), "M", "", 10**6, 512, 2, 64, 1000)
    assert fitted(short, 8192, 2**30).context == 512


def test_that_free_memory_is_a_sensible_number_where_it_is_known() -> None:
    free = free_memory()
    assert free is None or 0 < free < 2**50
