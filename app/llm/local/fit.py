"""Whether a model fits into memory, and how long its context may then be. Pure but for `free_memory`."""

from __future__ import annotations

from pathlib import Path

from app.errors import ModelError
from app.llm.local.gguf import GgufModel

# What llama.cpp needs beside weights and context, and what we leave to everybody else.
MARGIN = 512 * 2**20
BYTES_PER_NUMBER = 2
SMALLEST_CONTEXT = 2048

_CGROUP = Path("/sys/fs/cgroup")


def bytes_needed(model: GgufModel, context_tokens: int) -> int:
    """Return the memory for the weights, keys and values of the context, and the margin."""
    return model.file_size + model.layers * model.kv_width * context_tokens * BYTES_PER_NUMBER + MARGIN


def fitting_context(model: GgufModel, wanted: int, free: int | None) -> int:
    """Return the context to use: as wanted if the model allows, halved until it fits into `free` bytes.

    Raises ModelError when not even the smallest fits. `free` None means unknown: then nothing is refused.
    """
    context = min(wanted, model.context_tokens) if model.context_tokens else wanted
    while free is not None and bytes_needed(model, context) > free:
        if context // 2 < min(SMALLEST_CONTEXT, context):
            raise ModelError(
                f"{model.label} needs {_gigabytes(bytes_needed(model, context))} of memory"
                f" and {_gigabytes(free)} are free.",
                hint="Close other programs, or choose a smaller model in the settings.",
            )
        context //= 2
    return context


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


def _gigabytes(size: int) -> str:
    return f"{size / 2**30:.1f} GB"
