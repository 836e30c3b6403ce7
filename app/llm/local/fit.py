"""Whether a model fits into memory, and with which remedies. Pure but for `free_memory`.

The ladder, from what costs least: a smaller context, keys and values with 8 bits, fewer layers on the
GPU (none, then), and at last the advice how large a model may be.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from app.errors import ModelError
from app.llm.local.gguf import GgufModel

# What llama.cpp needs beside weights and context, and what we leave to everybody else.
MARGIN = 512 * 2**20
# Bytes a number of the keys and values takes; 8 bits come with a scale for each block of 32.
BYTES_PER_NUMBER = {"f16": 2.0, "q8_0": 34 / 32}
SMALLEST_CONTEXT = 2048
# Titles, summaries and sub-agents run beside the conversation in cells of their own.
SIDE_CELLS = 2048
_GPU_MARGIN = 768 * 2**20
ALL_LAYERS = 999

_CGROUP = Path("/sys/fs/cgroup")


@dataclass(frozen=True, slots=True)
class Fit:
    """How a model is loaded: tokens of a conversation, tokens of the whole memory, and how they are kept."""

    context: int
    cells: int
    kv_type: str = "f16"
    gpu_layers: int = 0
    batch: int = 512
    """Tokens of a decode: a computation is stopped between steps, and a step grows with it."""
    notes: tuple[str, ...] = ()
    """What was done to make it fit, in words."""


def fitted(
    model: GgufModel, wanted: int, free: int | None, gpu_free: int | None = None, *, rung: int = 0
) -> Fit:
    """Return how to load a model for a context of `wanted` tokens, never more than it was made for.

    `free` is the memory and `gpu_free` that of the GPU in bytes; `free` None means unknown: then nothing
    is refused; `gpu_free` None means no GPU. `rung` is how often loading has crashed: each time less is
    put on the GPU. Raises ModelError when nothing makes it fit.
    """
    asked = min(wanted, model.context_tokens) if model.context_tokens else wanted
    layers = _gpu_layers(model, asked, gpu_free, rung)
    on_cpu = 1 - min(1, layers / max(model.layers + 1, 1))
    context, kv_type = asked, "f16"
    while free is not None and bytes_needed(model, context, kv_type, on_cpu) > free:
        if context // 2 >= min(SMALLEST_CONTEXT, asked):
            context //= 2
        elif kv_type == "f16":
            # 8 bits halve the memory, so the context may be twice as long again
            kv_type, context = "q8_0", min(asked, context * 2)
        else:
            raise _too_large(model, context, free)
    notes = []
    if context < asked:
        notes.append(f"The context is {context} tokens instead of {asked}: there is not more memory.")
    if kv_type != "f16":
        notes.append("Keys and values are kept with 8 bits.")
    if gpu_free is not None and layers < model.layers:
        notes.append(f"{layers} of {model.layers} layers are on the GPU.")
    return Fit(
        context,
        context + side_cells(context),
        kv_type,
        ALL_LAYERS if layers >= model.layers > 0 else layers,
        _batch(model.parameters, gpu=layers > 0),
        tuple(notes),
    )


def bytes_needed(model: GgufModel, context_tokens: int, kv_type: str = "f16", share: float = 1.0) -> int:
    """Return the memory for weights, keys and values of all cells, and the margin; `share` of the layers."""
    cells = context_tokens + side_cells(context_tokens)
    kept = model.layers * model.kv_width * cells * BYTES_PER_NUMBER[kv_type]
    return int((model.file_size + kept) * share) + MARGIN


def side_cells(context_tokens: int) -> int:
    """Return the cells beside those of the conversation."""
    return min(SIDE_CELLS, context_tokens // 4)


def largest_file(free: int) -> int:
    """Return about how large a model file may be, in bytes."""
    return max(int((free - MARGIN) * 0.85), 0)


def free_memory() -> int | None:
    """Return the bytes this process may still take, or None when nobody can say."""
    try:
        import psutil
    except ImportError:  # comes with PyMuPDF, except on Intel Macs
        return None
    free = int(psutil.virtual_memory().available)
    try:
        limit = (_CGROUP / "memory.max").read_text().strip()
        used = int((_CGROUP / "memory.current").read_text())
    except (OSError, ValueError):
        return free
    return min(free, max(int(limit) - used, 0)) if limit.isdigit() else free


def _gpu_layers(model: GgufModel, context: int, gpu_free: int | None, rung: int) -> int:
    """Return how many layers the GPU holds with their keys and values."""
    if gpu_free is None or model.layers == 0 or rung > 1:
        return 0
    whole = bytes_needed(model, context) - MARGIN
    room = max(gpu_free - _GPU_MARGIN, 0)
    layers = model.layers if whole <= room else int(room / whole * model.layers)
    return layers // 2 if rung else layers


def _batch(parameters: int, *, gpu: bool) -> int:
    """Return the tokens of a decode; on a CPU few enough for a step of a large model to take < 100 ms."""
    if gpu or parameters < 1_000_000_000:
        return 512
    return 256 if parameters < 3_000_000_000 else 128


def _too_large(model: GgufModel, context: int, free: int) -> ModelError:
    need = bytes_needed(model, context, "q8_0")
    return ModelError(
        f"{model.label} needs {_gigabytes(need)} of memory and {_gigabytes(free)} are free.",
        hint="Close other programs, or choose a smaller model in the settings:"
        f" one of up to {_gigabytes(largest_file(free))} fits.",
        code="model_memory",
    )


def _gigabytes(size: int) -> str:
    return f"{size / 2**30:.1f} GB"
