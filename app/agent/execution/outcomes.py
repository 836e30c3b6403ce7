"""How a call ended, and what the model is told of it: whether effects may exist is always said. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from app.agent.tools.tool import ToolKind, ToolOutput
from app.errors import AppError
from app.events import Outcome

_HARMLESS = (ToolKind.READ, ToolKind.SERVICE)


@dataclass(frozen=True, slots=True)
class Ending:
    """How a call ended. `detail` is for the audit log: a reason in a few words."""

    outcome: Outcome
    output: ToolOutput
    detail: str = ""
    started: bool = False
    """Whether the tool began to run."""

    @classmethod
    def error(
        cls, outcome: Outcome, text: str, *, detail: str = "", started: bool = False, **metadata: Any
    ) -> Ending:
        """Return an ending that the model reads as an error."""
        return cls(outcome, ToolOutput.error(text, **metadata), detail or text, started)


@dataclass(frozen=True, slots=True)
class Stop:
    """Why a call is to end before it has."""

    outcome: Outcome
    """INTERRUPTED, TIMED_OUT or SIBLING_ABORTED, for a call that runs."""
    reason: str


@dataclass(frozen=True, slots=True)
class Progress:
    """What is known of a call that was stopped while it ran."""

    kind: ToolKind
    committed: bool = False
    """It had finished a protected step."""
    ended: bool = True
    """It has ended; False: it did not listen."""
    last_words: str = ""
    """The last progress it reported."""
    output: str = ""
    """What it gave back when it was stopped."""
    metadata: Mapping[str, Any] = field(default_factory=dict)
    untrusted: bool = False


def rejected(reason: str) -> Ending:
    """Return the ending of a call that cannot be understood, or that goes round in circles."""
    return Ending.error(Outcome.REJECTED, reason)


def denied(reason: str, *, by_person: bool = False) -> Ending:
    """Return the ending of a call that may not be done."""
    said = "The person refused this call." if by_person else f"Not allowed: {_sentence(reason)}"
    return Ending.error(
        Outcome.DENIED,
        f"{said} It was not done; nothing was changed. Do not try to get the same done another way: "
        "go on without it, or ask.",
        detail=reason,
    )


def failed(error: AppError, *, started: bool, kind: ToolKind | None) -> Ending:
    """Return the ending of a call whose tool said what is wrong."""
    text = " ".join(part for part in (error.message, error.hint) if part)
    if not started:
        text += " Nothing was done."
    return Ending.error(
        Outcome.FAILED, text, detail=error.message, started=started, code=error.code, **_class(kind)
    )


def broken(fault: BaseException, name: str, *, started: bool, kind: ToolKind | None) -> Ending:
    """Return the ending of a call whose tool has a fault: it raised what it should not."""
    words = f"{type(fault).__name__}: {fault}" if str(fault) else type(fault).__name__
    return Ending.error(
        Outcome.FAILED,
        f"{name} has a fault and could not go on ({words[:500]}). {effects(kind, started=started)} "
        "The same call will probably fail again.",
        detail=words[:500],
        started=started,
        **_class(kind),
    )


def not_started(stop: Stop) -> Ending:
    """Return the ending of a call that was stopped before its tool began."""
    outcome = (
        Outcome.SIBLING_ABORTED if stop.outcome is Outcome.SIBLING_ABORTED else Outcome.CANCELLED_BEFORE_START
    )
    return Ending.error(
        outcome, f"Did not start: {_sentence(stop.reason)} Nothing was changed by it.", detail=stop.reason
    )


def stopped(stop: Stop, progress: Progress) -> Ending:
    """Return the ending of a call that was stopped while its tool ran."""
    said = {
        Outcome.TIMED_OUT: f"Took too long and was stopped: {_sentence(stop.reason)}",
        Outcome.SIBLING_ABORTED: f"Stopped while it ran: {_sentence(stop.reason)}",
    }.get(stop.outcome, f"Interrupted while it ran: {_sentence(stop.reason)}")
    parts = [said]
    if not progress.ended:
        parts.append("It did not stop when it was told to and may still be running.")
    if progress.committed:
        parts.append("A step that it does not leave half done was finished before: its effects exist.")
    else:
        parts.append(effects(progress.kind, started=True))
    if progress.last_words:
        parts.append(f"Its last progress: {_sentence(progress.last_words)}")
    text = " ".join(parts)
    if progress.output:
        text += f"\nWhat it gave until then:\n{progress.output}"
    output = ToolOutput(
        text,
        is_error=True,
        metadata={**progress.metadata, **_class(progress.kind)},
        untrusted=progress.untrusted,
    )
    return Ending(stop.outcome, output, stop.reason, started=True)


def effects(kind: ToolKind | None, *, started: bool) -> str:
    """Return one sentence on what a call that did not end well may have left behind."""
    if not started:
        return "Nothing was done."
    if kind in _HARMLESS:
        return "It only reads: nothing was changed."
    return "It may have changed something already: look before you do it again."


def _class(kind: ToolKind | None) -> dict[str, bool]:
    """Return what the screen is told: whether effects may exist."""
    return {} if kind is None or kind in _HARMLESS else {"effects_possible": True}


def _sentence(text: str) -> str:
    text = text.strip()
    return text if text.endswith((".", "!", "?", "…", "。")) else f"{text}."
