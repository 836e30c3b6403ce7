"""What is shown of models: those on this computer, those of the catalogue, and how far a download is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from app.sources.transfer import OnTransfer, TransferProgress, TransferState, ignore

__all__ = [
    "CatalogueModel", "Fit", "ModelKind", "Offer", "OnTransfer", "Origin", "Place", "Removed", "SizeClass",
    "StoredModel", "TransferProgress", "TransferState", "ignore",
]  # fmt: skip


_USUAL_CONTEXT = 8192
_MARGIN = 512 * 2**20


class ModelKind(StrEnum):
    """What a model is for."""

    CHAT = "chat"
    EMBEDDING = "embedding"


class SizeClass(StrEnum):
    """How large a model is, in the words people choose by. Limits are parameters."""

    TINY = "tiny"
    """Below 1 billion: to try things out."""
    SMALL = "small"
    """Below 5 billion: a laptop with 8 GB."""
    MEDIUM = "medium"
    """Below 16 billion: 16 GB."""
    LARGE = "large"
    """Above: 32 GB and more, or a graphics card."""

    @classmethod
    def of(cls, parameters: int) -> SizeClass:
        """Return the class of a model with so many parameters (0: unknown, taken for tiny)."""
        limits = ((10**9, cls.TINY), (5 * 10**9, cls.SMALL), (16 * 10**9, cls.MEDIUM))
        return next((size for limit, size in limits if parameters < limit), cls.LARGE)


class Origin(StrEnum):
    """Where a model comes from; only one of the store can be deleted."""

    BUILT_IN = "built-in"
    STORE = "store"
    OUTSIDE = "outside"
    """A file somewhere else that the settings point at."""


@dataclass(frozen=True, slots=True)
class Fit:
    """Whether a model fits into the memory that is free now; `free` None: unknown, nothing is refused."""

    fits: bool
    context_tokens: int
    """The context that fits: as the settings want it, or a shorter one."""
    needed: int
    """Bytes for weights, that context, and what llama.cpp needs besides."""
    free: int | None
    message: str = ""
    """Why it does not fit, or what had to be given up so that it does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where one host of the catalogue keeps a model's file."""

    repo: str
    file: str
    revision: str = ""
    """Empty: the newest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogueModel:
    """A model that can be downloaded; `size` is bytes of the file. Without `sha256` the host's counts."""

    name: str
    """What `models pull` takes."""
    label: str
    kind: ModelKind
    parameters: int
    licence: str
    licence_url: str
    size: int
    kv_bytes: int
    """What one token of context takes."""
    context_tokens: int
    languages: tuple[str, ...]
    calls_tools: bool
    good_for: Mapping[str, str]
    """One sentence, by language ("en", "zh")."""
    places: Mapping[str, Place]
    """By name of the host."""
    sha256: str = ""
    recommended: bool = False

    @property
    def memory(self) -> int:
        """Bytes that it needs with 8,192 tokens of context."""
        return self.size + self.kv_bytes * _USUAL_CONTEXT + _MARGIN

    @property
    def size_class(self) -> SizeClass:
        """How large it is, in words."""
        return SizeClass.of(self.parameters)

    @property
    def file(self) -> str:
        """The name of the file in the store."""
        return next(iter(self.places.values())).file.rpartition("/")[2]


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredModel:
    """A model on this computer. `problem` is why its file cannot be used, empty for one that can."""

    name: str
    """What `models use` and `models delete` take: unique."""
    label: str
    kind: ModelKind
    path: Path
    size: int
    origin: Origin
    parameters: int = 0
    context_tokens: int = 0
    """The most the model was made for; 0 where that has no meaning."""
    fit: Fit | None = None
    active: bool = False
    problem: str = ""
    notes: tuple[str, ...] = ()
    """What one should know though it works: no chat template, an unknown kind."""
    licence: str = ""
    entry: CatalogueModel | None = None

    @property
    def size_class(self) -> SizeClass:
        """How large it is, in words."""
        return SizeClass.of(self.parameters)

    def as_json(self) -> dict[str, Any]:
        """Return the shape that `models list --json` prints."""
        return {
            "name": self.name,
            "label": self.label,
            "kind": self.kind.value,
            "path": str(self.path),
            "size": self.size,
            "context": self.fit.context_tokens if self.fit else self.context_tokens,
            "fits": self.fit.fits if self.fit else not self.problem,
            "active": self.active,
            "origin": self.origin.value,
            "size_class": self.size_class.value,
            "licence": self.licence,
            "memory": self.fit.needed if self.fit else self.size,
            "message": self.problem or (self.fit.message if self.fit else ""),
            "notes": list(self.notes),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """A model of the catalogue as it stands here: is it here, or a part of it, and would it fit."""

    model: CatalogueModel
    fit: Fit
    stored: StoredModel | None = None
    partial: int = 0
    """Bytes of a download that was begun; `pull` goes on from there."""

    def as_json(self) -> dict[str, Any]:
        """Return the shape that `models list --json` prints under `catalogue`."""
        model = self.model
        return {
            "name": model.name,
            "label": model.label,
            "kind": model.kind.value,
            "path": str(self.stored.path) if self.stored else None,
            "size": model.size,
            "context": model.context_tokens,
            "fits": self.fit.fits,
            "active": self.stored.active if self.stored else False,
            "size_class": model.size_class.value,
            "licence": model.licence,
            "licence_url": model.licence_url,
            "recommended": model.recommended,
            "memory": model.memory,
            "languages": list(model.languages),
            "calls_tools": model.calls_tools,
            "good_for": dict(model.good_for),
            "downloaded": self.partial,
            "message": self.fit.message,
        }


@dataclass(frozen=True, slots=True)
class Removed:
    """What a delete did: bytes that are free again, and what works from now on if it was the active one."""

    name: str
    freed: int
    now_active: str = ""
    notices: tuple[str, ...] = field(default=())
