"""The passport of a model: what a short battery of tests found it can do here, and what follows from that.

Kept as JSON in `<home>/passports/`, one file a model file (by size, date and head of the file) and machine.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path


class CallProtocol(StrEnum):
    """How a model calls tools."""

    NATIVE = "native"
    """The syntax of its own template."""
    GENERIC = "generic"
    """One that any model can follow, held to by a grammar."""
    FORCED = "forced"
    """One call of one chosen tool at a time."""
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Finding:
    """One test of the battery: `value` in `unit`, and what it means in a sentence."""

    name: str
    ok: bool
    value: float | None = None
    unit: str = ""
    message: str = ""


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


OnBattery = Callable[[float, str], None]
"""Takes a share from 0 to 1 and what is being tried; called on the loop."""


class PassportService:
    """Makes, keeps and finds passports. `application.passports`."""

    def kept(self, path: Path) -> Passport | None:
        """Return the passport of a model file if there is one for this machine; reads two small files."""
        raise NotImplementedError

    async def make(self, path: Path, on_progress: OnBattery = lambda _share, _what: None) -> Passport:
        """Run the battery (about a minute; cancel the task to stop it), keep the passport and return it.

        Raises ModelError when the model cannot be loaded.
        """
        raise NotImplementedError

    async def forget(self, path: Path) -> None:
        """Take the passport away, so that the next use makes one again."""
        raise NotImplementedError
