"""The passport of a model: what a short battery of tests found it can do here, and what follows from that.

Kept as JSON in `<home>/passports/`, one file a model file (by length, head and tail) and machine.
"""

from __future__ import annotations

import hashlib
import json
import platform
import time
from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from app.errors import ModelError, UsageError
from app.llm import weights
from app.llm.local.battery import Battery, CallProtocol, Measured, OnBattery, Way
from app.llm.local.battery_rules import Decided, best_trial, decided
from app.llm.local.calls.detect import detect
from app.llm.local.client import LocalChatModel
from app.llm.local.gguf import GgufModel, read_gguf
from app.llm.local.notebook import machine
from app.services.passport_words import Finding, findings
from app.services.threads import off_loop
from app.settings import Settings
from app.sources.part_file import replace_text
from app.workers.host import Worker

__all__ = ["CallProtocol", "Finding", "OnBattery", "Passport", "PassportService"]

FOLDER = "passports"
VERSION = 1
"""Of the battery: an older passport counts no longer."""
_ENDS = 64 * 1024
_BUSY_PERCENT = 50.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Passport:
    """What is known of a model on this machine."""

    key: str
    """Names the model file and this machine: another file or machine needs another passport."""
    model: str
    label: str
    made_at: str
    """ISO 8601, UTC."""
    seconds: float
    """How long the battery took."""
    machine: str
    protocol: CallProtocol
    family: str
    """The name of the call syntax."""
    tool_limit: int | None
    """How many tools the model is shown: None is all of them, 0 none."""
    context_tokens: int
    """The context that is useful: fits into memory and is read in a bearable time."""
    first_token_s: float
    """How long to wait for the first token of a full context before it counts as hung."""
    between_tokens_s: float
    prefill_per_s: float
    decode_per_s: float
    tokens_per_char_en: float
    tokens_per_char_zh: float
    reuse: float | None
    """Share of a prompt that was not read again when a conversation went on; None: not told."""
    calls_asked: int
    calls_valid: int
    """Calls that parse and keep to the schema."""
    calls_right: int
    """Of those, calls of the right tool with the right arguments."""
    findings: tuple[Finding, ...] = ()
    version: int = VERSION

    def as_json(self) -> dict[str, Any]:
        """Return the shape in which it is kept, and which `models passport --json` prints."""
        return asdict(self)

    @classmethod
    def from_json(cls, values: dict[str, Any]) -> Passport:
        """Read what `as_json` wrote. Raises LookupError, TypeError or ValueError for anything else."""
        if values["version"] != VERSION:
            raise ValueError("made by another battery")
        known = {
            **values,
            "protocol": CallProtocol(values["protocol"]),
            "findings": tuple(Finding(**finding) for finding in values["findings"]),
        }
        return cls(**known)


OnMade = Callable[[Passport], Awaitable[None]]
"""Called on the loop with each passport that was made, so that the application goes by it."""


class PassportService:
    """Makes, keeps and finds passports. `application.passports`."""

    def __init__(self, home: Path, settings: Callable[[], Settings], on_made: OnMade | None = None) -> None:
        self._folder = home / FOLDER
        self._settings = settings
        self._on_made = on_made
        self._being_made: set[str] = set()

    def kept(self, path: Path) -> Passport | None:
        """Return the passport of a model file if there is one for this machine; reads two small files."""
        try:
            text = self._file(path).read_text("utf-8")
            return Passport.from_json(json.loads(text))
        except (OSError, ValueError, LookupError, TypeError):
            return None  # none was made yet, or by an older battery: it is made again

    def of_settings(self) -> Passport | None:
        """Return the passport of the local chat model of the settings; reads two small files."""
        path = self._settings().llm.model_path or weights.chat_gguf()
        return self.kept(path) if path is not None else None

    async def make(self, path: Path, on_progress: OnBattery = lambda _share, _what: None) -> Passport:
        """Run the battery (about a minute; cancel the task to stop it), keep the passport and return it.

        Raises ModelError when the model cannot be loaded or is none to chat with, WorkerError when it
        crashes, UsageError while its passport is being made already.
        """
        file = await off_loop(read_gguf, path)
        key = await off_loop(key_of, path)
        if file.embeds:
            raise ModelError(f"{file.label} makes vectors of texts; there is no passport for that.")
        if key in self._being_made:
            raise UsageError(f"{file.label} is being tested already.", code="busy")
        self._being_made.add(key)
        worker = Worker("llm", name="passport")
        try:
            passport = await self._examined(worker, file, key, on_progress)
        finally:
            self._being_made.discard(key)
            await worker.close()
        await off_loop(self._keep, passport)
        if self._on_made is not None:
            await self._on_made(passport)
        return passport

    async def forget(self, path: Path) -> None:
        """Take the passport away, so that the next use makes one again."""
        await off_loop(lambda: self._file(path).unlink(missing_ok=True))

    async def _examined(self, worker: Worker, file: GgufModel, key: str, on_progress: OnBattery) -> Passport:
        wanted = self._settings().llm.context_tokens

        def spoken(family: str) -> LocalChatModel:
            return LocalChatModel(worker, file.path, wanted, tools="always", family=family)

        began = time.monotonic()
        on_progress(0.0, "Loading the model")
        busy = await off_loop(is_busy)
        told = await spoken("").describe()
        context = int(told["context_tokens"])
        ways = ways_of(str(told["template"]), spoken)
        measured = await Battery(ways, context, on_progress).run()
        rules = decided(measured, parameters=file.parameters, context_tokens=context, busy=busy)
        return passport_of(file, key, measured, rules, seconds=time.monotonic() - began, loaded=context)

    def _file(self, path: Path) -> Path:
        return self._folder / f"{key_of(path)}.json"

    def _keep(self, passport: Passport) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        replace_text(self._folder / f"{passport.key}.json", json.dumps(passport.as_json(), indent=1))


def ways_of(template: str, spoken: Callable[[str], LocalChatModel]) -> list[Way]:
    """Return the ways of calling tools to try with a template, its own syntax first."""
    own = detect(template).name
    ways = [] if own in ("generic", "forced") else [Way(CallProtocol.NATIVE, own, spoken(own))]
    return [
        *ways,
        Way(CallProtocol.GENERIC, "generic", spoken("generic")),
        Way(CallProtocol.FORCED, "forced", spoken("forced")),
    ]


def passport_of(
    file: GgufModel, key: str, measured: Measured, rules: Decided, *, seconds: float, loaded: int
) -> Passport:
    """Put measures and decisions together; `loaded` is the context the model was loaded with."""
    best = best_trial(measured.trials) or (measured.trials[0] if measured.trials else None)
    return Passport(
        key=key,
        model=file.path.name,
        label=file.label,
        made_at=datetime.now(UTC).isoformat(timespec="seconds"),
        seconds=round(seconds, 1),
        machine=machine(),
        protocol=rules.protocol,
        family=rules.family,
        tool_limit=rules.tool_limit,
        context_tokens=rules.context_tokens,
        first_token_s=rules.first_token_s,
        between_tokens_s=rules.between_tokens_s,
        prefill_per_s=round(measured.prefill_per_s, 1),
        decode_per_s=round(measured.decode_per_s, 1),
        tokens_per_char_en=round(measured.tokens_per_char_en, 3),
        tokens_per_char_zh=round(measured.tokens_per_char_zh, 3),
        reuse=None if measured.reuse is None else round(measured.reuse, 3),
        calls_asked=best.asked if best else 0,
        calls_valid=best.valid if best else 0,
        calls_right=best.right if best else 0,
        findings=findings(measured, rules, loaded, tiny=file.tiny),
    )


def is_busy() -> bool:
    """Whether others take more than half of the processors at the moment; blocks for half a second."""
    try:
        import psutil
    except ImportError:  # comes with PyMuPDF, except on Intel Macs
        return False
    return bool(psutil.cpu_percent(interval=0.5) > _BUSY_PERCENT)


def key_of(path: Path) -> str:
    """Return what names a model file and this machine; moving or renaming the file changes nothing.

    Raises OSError where the file cannot be read.
    """
    digest = hashlib.blake2b(f"{platform.system()} {machine()}".encode(), digest_size=16)
    with path.open("rb") as file:
        size = file.seek(0, 2)
        digest.update(size.to_bytes(8, "big"))
        for place in (0, max(size - _ENDS, 0)):
            file.seek(place)
            digest.update(file.read(_ENDS))
    return digest.hexdigest()
