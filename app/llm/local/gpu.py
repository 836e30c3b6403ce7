"""What the GPU can take, where the llama.cpp of this installation was built for one. Runs in the worker."""

from __future__ import annotations

import ctypes

_GPU, _INTEGRATED_GPU = 1, 2  # ggml_backend_dev_type


def free_gpu_memory() -> int | None:
    """Return the free bytes of the roomiest GPU; None without one, or without a build that uses it."""
    import llama_cpp
    from llama_cpp import _ggml

    if not llama_cpp.llama_supports_gpu_offload():
        return None
    ggml = _ggml.libggml
    try:
        ggml.ggml_backend_dev_count.restype = ctypes.c_size_t
        ggml.ggml_backend_dev_get.restype = ctypes.c_void_p
        ggml.ggml_backend_dev_get.argtypes = [ctypes.c_size_t]
        ggml.ggml_backend_dev_type.argtypes = [ctypes.c_void_p]
        size = ctypes.POINTER(ctypes.c_size_t)
        ggml.ggml_backend_dev_memory.argtypes = [ctypes.c_void_p, size, size]
        found = []
        for place in range(ggml.ggml_backend_dev_count()):
            device = ggml.ggml_backend_dev_get(place)
            if ggml.ggml_backend_dev_type(device) not in {_GPU, _INTEGRATED_GPU}:
                continue
            free, total = ctypes.c_size_t(), ctypes.c_size_t()
            ggml.ggml_backend_dev_memory(device, ctypes.byref(free), ctypes.byref(total))
            found.append(free.value)
    except AttributeError:  # a build that keeps these functions in another library
        return None
    return max(found, default=None)
