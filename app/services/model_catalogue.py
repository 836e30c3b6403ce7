"""The catalogue of models that can be downloaded (`resources/model_catalogue.toml`), and their addresses."""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

from app.errors import ModelError, NotFoundError, UsageError
from app.services.stored_models import CatalogueModel, ModelKind, Place

FILE_NAME = "model_catalogue.toml"
_SAFE_FILE = re.compile(r"[\w][\w.+ -]*\.gguf", re.IGNORECASE)
_PLACE = re.compile(
    r"(?P<repo>[\w.-]+/[\w.-]+)/(?P<file>[^@]+\.gguf)(?:@(?P<revision>[\w.-]+))?", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Host:
    """A service that gives model files; `url` has `{repo}`, `{file}` and `{revision}` in it."""

    name: str
    label: str
    url: str
    revision: str

    def addresses(self, place: Place) -> list[str]:
        """Return the address of the pinned file, then that of the newest one."""
        revisions = dict.fromkeys(r for r in (place.revision, self.revision) if r)
        return [
            self.url.replace("{repo}", quote(place.repo))
            .replace("{file}", quote(place.file))
            .replace("{revision}", quote(revision))
            for revision in revisions
        ]


@dataclass(frozen=True, slots=True)
class Catalogue:
    """What can be downloaded, and from where."""

    hosts: tuple[Host, ...]
    models: tuple[CatalogueModel, ...]

    def find(self, name: str) -> CatalogueModel | None:
        """Return the model of this name."""
        return next((model for model in self.models if model.name == name.lower()), None)

    def of_file(self, file: str, size: int) -> CatalogueModel | None:
        """Return the model whose file has this name and length."""
        return next((m for m in self.models if m.file.lower() == file.lower() and m.size == size), None)

    def addresses(self, model: CatalogueModel, chosen: Sequence[str]) -> tuple[str, ...]:
        """Return where the file of a model may be, best first; `chosen` are the hosts of the settings."""
        urls: list[str] = []
        for host in self.used(chosen):
            known = model.places.get(host.name) or model.places.get("huggingface")
            # a mirror keeps the layout of the host it mirrors; a host of the catalogue only what is there
            if known and (host.name in model.places or host.name not in {h.name for h in self.hosts}):
                urls += host.addresses(known)
        return tuple(dict.fromkeys(urls))

    def used(self, chosen: Sequence[str]) -> list[Host]:
        """Return the hosts to ask: those of the settings alone where there are any."""
        if not chosen:
            return list(self.hosts)
        return [self._host(entry) for entry in chosen]

    def _host(self, entry: str) -> Host:
        for host in self.hosts:
            if entry.lower() == host.name or entry.rstrip("/") == _origin(host.url):
                return host
        if "{file}" in entry:
            return Host(entry, entry, entry, "main")
        layout = self.hosts[0].url.removeprefix(_origin(self.hosts[0].url))
        return Host(entry, entry, entry.rstrip("/") + layout, self.hosts[0].revision)


@dataclass(frozen=True, slots=True)
class Order:
    """What a name asks for: the file it is kept under, and where it may be; `entry` where it is listed."""

    name: str
    file: str
    urls: tuple[str, ...]
    entry: CatalogueModel | None = None


def ordered(name: str, catalogue: Catalogue, chosen: Sequence[str]) -> Order:
    """Find out what a name asks for: a model of the catalogue, `owner/repo/file.gguf`, or an address.

    `chosen` are the hosts of the settings. Raises NotFoundError or UsageError.
    """
    if entry := catalogue.find(name):
        return Order(entry.name, entry.file, catalogue.addresses(entry, chosen), entry)
    if name.startswith(("https://", "http://")):
        return Order(file_name_of(name).rpartition(".")[0], file_name_of(name), (name,))
    if place := place_of(name):
        urls = [url for host in catalogue.used(chosen) for url in host.addresses(place)]
        file = file_name_of(place.file)
        return Order(file.rpartition(".")[0], file, tuple(dict.fromkeys(urls)))
    raise unknown(name, catalogue)


def place_of(name: str) -> Place | None:
    """Return what `owner/repo/file.gguf`, perhaps with `@revision`, names; None for anything else."""
    found = _PLACE.fullmatch(name)
    if found is None or any(part in {"", ".", ".."} for part in name.split("/")):
        return None
    return Place(repo=found["repo"], file=found["file"], revision=found["revision"] or "")


def file_name_of(path: str) -> str:
    """Return the name under which a downloaded file is kept. Raises UsageError for one that is no GGUF."""
    name = urlsplit(path).path.rpartition("/")[2] if "://" in path else path.rpartition("/")[2]
    if not _SAFE_FILE.fullmatch(name):
        raise UsageError(
            f"{name or path} is not the name of a GGUF file.",
            hint="Name a model of `astroresearch models list`, owner/repo/file.gguf, or its address.",
        )
    return name


def stored_name(name: str, label: str) -> str:
    """Return the name under which a file of the person is kept: its own, or one made of the model's label."""
    if _SAFE_FILE.fullmatch(name):
        return name
    plain = re.sub(r"[^\w.+-]+", "-", label).strip("-.") or "model"
    return f"{plain}.gguf"


@cache
def builtin_catalogue() -> Catalogue:
    """Read the catalogue that comes with the program. Raises ModelError when it is missing or broken."""
    path = _path()
    try:
        return parsed(tomllib.loads(path.read_text("utf-8")))
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise ModelError(
            f"The catalogue of models cannot be read: {error}.", hint="Install the program again."
        ) from error


def parsed(values: Mapping[str, Any]) -> Catalogue:
    """Return the catalogue of a parsed file. Raises LookupError or TypeError for what is no catalogue."""
    hosts = tuple(Host(h["name"], h["label"], h["url"], h["revision"]) for h in values["hosts"])
    return Catalogue(hosts, tuple(_model(entry) for entry in values["models"]))


def unknown(name: str, catalogue: Catalogue) -> NotFoundError:
    """Return the error for a name that names no model."""
    from rapidfuzz import process

    near = process.extractOne(name.lower(), [model.name for model in catalogue.models], score_cutoff=60)
    return NotFoundError(
        f"There is no model {name} here or in the catalogue.",
        hint=(f"Did you mean {near[0]}? " if near else "")
        + "`astroresearch models list` shows what there is.",
    )


def _model(entry: Mapping[str, Any]) -> CatalogueModel:
    places = {
        host: Place(repo=place["repo"], file=place["file"], revision=place.get("revision", ""))
        for host, place in entry["places"].items()
    }
    return CatalogueModel(
        name=entry["name"],
        label=entry["label"],
        kind=ModelKind(entry["kind"]),
        parameters=entry["parameters"],
        licence=entry["licence"],
        licence_url=entry["licence_url"],
        size=entry["size"],
        kv_bytes=entry["kv_bytes"],
        context_tokens=entry["context_tokens"],
        languages=tuple(entry["languages"]),
        calls_tools=entry["calls_tools"],
        good_for=dict(entry["good_for"]),
        places=places,
        sha256=entry.get("sha256", ""),
        recommended=entry.get("recommended", False),
    )


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"


def _path() -> Path:
    package = Path(__file__).resolve().parents[1]
    frozen = Path(getattr(sys, "_MEIPASS", package)) / "resources"
    folders = (frozen, package / "_resources", package.parent / "resources")
    return next((f / FILE_NAME for f in folders if (f / FILE_NAME).is_file()), folders[-1] / FILE_NAME)
