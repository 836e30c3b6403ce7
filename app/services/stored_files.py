"""The model files on this computer: looked at, checked, copied and deleted. Blocks: call it off the loop."""

from __future__ import annotations

import hashlib
import os
import shutil
import time
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from pathlib import Path

from app.errors import ModelError
from app.llm import weights
from app.llm.embeddings import LocalEmbedder
from app.llm.local import fit as memory
from app.llm.local.gguf import GgufModel
from app.llm.local.soundness import Soundness, examined
from app.services.model_catalogue import Catalogue
from app.services.stored_models import CatalogueModel, Fit, ModelKind, Origin, StoredModel
from app.settings import Settings, expanded
from app.sources.part_file import PART, RESERVE, gigabytes, sync_folder
from app.sources.transfer import DiskFullError

FOLDER = "models"
BUILT_IN_CHAT = "smollm2-135m"
BUILT_IN_EMBEDDING = "all-minilm-l6-v2"
_BLOCK = 8 * 2**20
_BUILT_IN_NAMES = ("", LocalEmbedder.model_id)
"""What `embedding.model` says of the built-in model; anything else is the path of a GGUF file."""


@dataclass(frozen=True, slots=True)
class _Key:
    """What must not have changed for a file to be known still."""

    path: Path
    size: int
    changed_ns: int


class StoredFiles:
    """The folder `<home>/models`, the built-in files, and files elsewhere that the settings point at."""

    def __init__(self, home: Path, catalogue: Callable[[], Catalogue]) -> None:
        self.folder = home / FOLDER
        self._catalogue = catalogue
        self._seen: dict[_Key, Soundness] = {}

    def all(self, settings: Settings) -> list[StoredModel]:
        """Return every model here; those that cannot be used with their problem."""
        found = [*self._built_in(settings), *self._in_store(settings)]
        for path, kind in _chosen(settings):
            if path is not None and not any(_same(path, model.path) for model in found):
                found.append(self._described(path, Origin.OUTSIDE, settings, kind))
        return found

    def one(self, path: Path, settings: Settings, origin: Origin = Origin.STORE) -> StoredModel:
        """Describe one GGUF file; what is wrong with it is its `problem`."""
        return self._described(path, origin, settings, ModelKind.CHAT)

    def partial(self, model: CatalogueModel) -> int:
        """Return how many bytes of a download are here."""
        try:
            return (self.folder / (model.file + PART)).stat().st_size
        except OSError:
            return 0

    def destination(self, name: str) -> Path:
        """Return a name in the folder that is free, the wished one if possible."""
        self.folder.mkdir(parents=True, exist_ok=True)
        stem, number = Path(name).stem, 1
        path = self.folder / name
        while path.exists():
            number += 1
            path = self.folder / f"{stem}-{number}.gguf"
        return path

    def twin(self, path: Path) -> Path | None:
        """Return the file of the store that is the same as `path`: by inode, or byte for byte."""
        size = path.stat().st_size
        digest = ""
        for other in self._files():
            if _same(other, path):
                return other
            if other.stat().st_size == size:
                digest = digest or sha256_of(path)
                if sha256_of(other) == digest:
                    return other
        return None

    def _built_in(self, settings: Settings) -> Iterator[StoredModel]:
        if chat := weights.chat_gguf():
            yield self._described(chat, Origin.BUILT_IN, settings, ModelKind.CHAT, BUILT_IN_CHAT)
        if embedding := weights.embedding_onnx():
            size = embedding.stat().st_size
            yield StoredModel(
                name=BUILT_IN_EMBEDDING,
                label="all-MiniLM-L6-v2",
                kind=ModelKind.EMBEDDING,
                path=embedding,
                size=size,
                origin=Origin.BUILT_IN,
                parameters=22_700_000,
                context_tokens=256,
                fit=Fit(True, 256, size + 64 * 2**20, memory.free_memory()),
                active=settings.embedding.provider == "local" and settings.embedding.model in _BUILT_IN_NAMES,
                licence="Apache-2.0",
            )

    def _in_store(self, settings: Settings) -> Iterator[StoredModel]:
        for path in self._files():
            yield self._described(path, Origin.STORE, settings, ModelKind.CHAT)

    def _files(self) -> list[Path]:
        try:
            found = [path for path in self.folder.iterdir() if path.suffix.lower() == ".gguf"]
        except OSError:
            return []  # nothing was downloaded yet
        return sorted((path for path in found if path.is_file()), key=lambda path: path.name.lower())

    def _described(
        self, path: Path, origin: Origin, settings: Settings, kind: ModelKind, name: str = ""
    ) -> StoredModel:
        try:
            sound = self._examined(path)
        except ModelError as error:
            size = path.stat().st_size if path.is_file() else 0
            problem = f"{error.message} {error.hint}".strip()
            return StoredModel(
                name=name or path.stem,
                label=path.stem,
                kind=kind,
                path=path,
                size=size,
                origin=origin,
                problem=problem,
                active=_active(path, kind, origin, settings),
            )
        model = sound.model
        entry = self._catalogue().of_file(path.name, model.file_size)
        kind = ModelKind.EMBEDDING if model.embeds else ModelKind.CHAT
        return StoredModel(
            name=name or (entry.name if entry and origin is Origin.STORE else path.stem),
            label=entry.label if entry else model.label,
            kind=kind,
            path=path,
            size=model.file_size,
            origin=origin,
            parameters=model.parameters or (entry.parameters if entry else 0),
            context_tokens=model.context_tokens,
            fit=fit_of(model, kind, settings),
            active=_active(path, kind, origin, settings),
            problem=sound.problem,
            notes=sound.notes,
            licence=entry.licence if entry else sound.licence,
            entry=entry,
        )

    def _examined(self, path: Path) -> Soundness:
        try:
            status = path.stat()
        except OSError:
            return examined(path)
        key = _Key(path, status.st_size, status.st_mtime_ns)
        if key not in self._seen:
            self._seen = {k: v for k, v in self._seen.items() if k.path != path}
            self._seen[key] = examined(path)
        return self._seen[key]


def fit_of(model: GgufModel, kind: ModelKind, settings: Settings) -> Fit:
    """Return whether a model fits into the memory that is free now, and with which context."""
    free = memory.free_memory()
    if kind is ModelKind.EMBEDDING:
        return _plain_fit(model.file_size + memory.MARGIN, model.context_tokens, free)
    try:
        fitted = memory.fitted(model, settings.llm.context_tokens, free)
    except ModelError as error:
        needed = memory.bytes_needed(model, memory.SMALLEST_CONTEXT)
        return Fit(False, memory.SMALLEST_CONTEXT, needed, free, f"{error.message} {error.hint}")
    needed = memory.bytes_needed(model, fitted.context, fitted.kv_type)
    return Fit(True, fitted.context, needed, free, " ".join(fitted.notes))


def fit_of_entry(entry: CatalogueModel, settings: Settings) -> Fit:
    """Return whether a model of the catalogue would fit, perhaps with a shorter context."""
    free = memory.free_memory()
    if entry.kind is ModelKind.EMBEDDING:
        return _plain_fit(entry.size + memory.MARGIN, entry.context_tokens, free)
    heads = GgufModel(
        path=Path(entry.file),
        name=entry.label,
        size_label="",
        parameters=entry.parameters,
        context_tokens=entry.context_tokens,
        layers=1,
        kv_width=entry.kv_bytes // 2,
        file_size=entry.size,
    )
    return fit_of(heads, entry.kind, settings)


def check_room(folder: Path, size: int) -> None:
    """Raise DiskFullError when a copy of so many bytes leaves no room on the disk."""
    free = shutil.disk_usage(folder).free
    if size + RESERVE > free:
        raise DiskFullError(
            f"{gigabytes(size)} are needed, and {gigabytes(max(free - RESERVE, 0))} are free on this disk."
        )


def link(source: Path, destination: Path) -> bool:
    """Give a file a second name, which takes no room; False where the file system cannot."""
    try:
        os.link(source, destination)
    except OSError:
        return False
    sync_folder(destination.parent)
    return True


def copy_steps(source: Path, part: Path) -> Generator[int, None, None]:
    """Copy a file block by block and sync it; yields how much is done."""
    done = 0
    with source.open("rb") as given, part.open("wb") as taken:
        while block := given.read(_BLOCK):
            taken.write(block)
            done += len(block)
            yield done
        taken.flush()
        os.fsync(taken.fileno())


def unlinked(path: Path) -> None:
    """Delete a file. Windows keeps one that somebody has open: the worker may need a moment to end."""
    for wait_s in (0.0, 0.2, 0.5, 1.0, 2.0):
        time.sleep(wait_s)
        try:
            path.unlink(missing_ok=True)
        except PermissionError as error:
            last = error
        else:
            path.with_name(f".{path.name}.lock").unlink(missing_ok=True)
            return
    raise ModelError(
        f"{path.name} cannot be deleted: {last.strerror}.", hint="Close what has it open, then try again."
    ) from last


def hash_steps(path: Path) -> Generator[str, None, None]:
    """Read a file block by block, a moment each; the last thing it yields is the checksum of all of it."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(_BLOCK * 8):
            digest.update(block)
            yield ""
    yield digest.hexdigest()


def sha256_of(path: Path) -> str:
    """Return the checksum of a file; a second for each gigabyte or so."""
    return list(hash_steps(path))[-1]


def _plain_fit(needed: int, context: int, free: int | None) -> Fit:
    if free is None or needed <= free:
        return Fit(True, context, needed, free)
    return Fit(
        False, context, needed, free, f"It needs {gigabytes(needed)} of memory, {gigabytes(free)} are free."
    )


def _chosen(settings: Settings) -> list[tuple[Path | None, ModelKind]]:
    """Return the files that the settings point at, for chat and for embeddings."""
    named = settings.embedding.model if settings.embedding.provider == "local" else ""
    embedding = None if named in _BUILT_IN_NAMES else expanded(named)
    return [(settings.llm.model_path, ModelKind.CHAT), (embedding, ModelKind.EMBEDDING)]


def _active(path: Path, kind: ModelKind, origin: Origin, settings: Settings) -> bool:
    chat, embedding = (chosen for chosen, _kind in _chosen(settings))
    if kind is ModelKind.EMBEDDING:
        return embedding is not None and _same(embedding, path)
    if settings.llm.provider != "local":
        return False
    return _same(chat, path) if chat is not None else origin is Origin.BUILT_IN


def _same(one: Path, other: Path) -> bool:
    try:
        return one == other or one.samefile(other)
    except OSError:
        return False
