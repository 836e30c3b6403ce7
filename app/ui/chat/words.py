"""What states, outcomes, sources and reasons are called on the screen."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from app.events import Outcome
from app.ui.chat.items import Ended, Permission, ToolState, ToolUse

translate = QCoreApplication.translate

CONSENT = "consent"
"""The form of a request that asks whether private text may be sent away."""


def state_words(use: ToolUse) -> str:
    """Return how a call stands, in a word or three."""
    if use.outcome is not None and use.state is not ToolState.DONE:
        return outcome_words(use.outcome)
    return {
        ToolState.ASKING: translate("Timeline", "waits for you"),
        ToolState.RUNNING: translate("Timeline", "running"),
        ToolState.DONE: translate("Timeline", "done"),
        ToolState.FAILED: translate("Timeline", "failed"),
        ToolState.STOPPED: translate("Timeline", "stopped"),
    }[use.state]


def outcome_words(outcome: Outcome) -> str:
    """Return how a call ended."""
    return {
        Outcome.SUCCEEDED: translate("Timeline", "failed"),  # it ran, and its result is an error
        Outcome.FAILED: translate("Timeline", "failed"),
        Outcome.DENIED: translate("Timeline", "denied"),
        Outcome.CANCELLED_BEFORE_START: translate("Timeline", "not started"),
        Outcome.INTERRUPTED: translate("Timeline", "interrupted"),
        Outcome.TIMED_OUT: translate("Timeline", "timed out"),
        Outcome.SIBLING_ABORTED: translate("Timeline", "ended with its neighbour"),
        Outcome.LOST_IN_CRASH: translate("Timeline", "lost in a crash"),
        Outcome.REJECTED: translate("Timeline", "rejected"),
    }[outcome]


def outcome_tip(outcome: Outcome) -> str:
    """Return what an outcome means for the world, or "" where the word says it all."""
    return {
        Outcome.CANCELLED_BEFORE_START: translate("Timeline", "Stopped before it ran: nothing was done."),
        Outcome.DENIED: translate("Timeline", "It was not allowed: nothing was done."),
        Outcome.REJECTED: translate("Timeline", "The call itself was wrong: nothing was done."),
        Outcome.INTERRUPTED: translate("Timeline", "Stopped while it ran: part of it may have been done."),
        Outcome.TIMED_OUT: translate("Timeline", "It took too long: part of it may have been done."),
        Outcome.SIBLING_ABORTED: translate(
            "Timeline", "A call beside it failed: part of it may have been done."
        ),
        Outcome.LOST_IN_CRASH: translate(
            "Timeline", "The program ended while it ran: part of it may have been done."
        ),
    }.get(outcome, "")


def source_words(source: str) -> str:
    """Return where a text that was put before the model came from."""
    return {
        "date": translate("Timeline", "date"),
        "papers": translate("Timeline", "papers"),
        "hook": translate("Timeline", "hook"),
        "background": translate("Timeline", "background task"),
        "mail": translate("Timeline", "teammates’ mail"),
        "memory": translate("Timeline", "memories"),
        "files": translate("Timeline", "files read last"),
        "skill": translate("Timeline", "skill"),
        "todo": translate("Timeline", "plan"),
        "system": translate("Timeline", "instructions"),
    }.get(source, source)


def request_words(item: Permission) -> str:
    """Return the question a request asks."""
    if item.form == CONSENT:
        return translate("Timeline", "Send private text to %1?").replace("%1", item.preview)
    return {
        "command": translate("Timeline", "Run this command?"),
        "diff": translate("Timeline", "Change this file?"),
        "path": translate("Timeline", "Use this path?"),
    }.get(item.form) or translate("Timeline", "Allow %1?").replace("%1", item.tool)


def reason_words(message: str) -> str:
    """Return why a request is asked; the agent's own reasons in the person's language."""
    return {
        "It writes a file.": translate("Timeline", "It writes a file."),
        "It runs a program.": translate("Timeline", "It runs a program."),
        "It belongs to an outside server.": translate("Timeline", "It belongs to an outside server."),
        "Text of papers or pages has been read in this conversation, so this is asked every time.": translate(
            "Timeline",
            "Text of papers or pages has been read in this conversation, so this is asked every time.",
        ),
    }.get(message, message)


def consent_words() -> str:
    """Return what is agreed to, and what follows."""
    return translate(
        "Timeline",
        "Notes, files of a project or unpublished papers would be sent to the language model there. "
        "Agreeing counts for this library from now on; you can take it back in the settings.",
    )


def permission_words(item: Permission) -> str:
    """Return what was decided about a request."""
    by_option = item.by == "option"
    if item.form == CONSENT and item.answer == "once" and not by_option:
        return translate("Timeline", "Agreed for this library")
    return {
        "once": translate("Timeline", "Allowed by --yes")
        if by_option
        else translate("Timeline", "Allowed once"),
        "session": translate("Timeline", "Allowed for this conversation"),
        "always": translate("Timeline", "Always allowed from now on"),
        "deny": translate("Timeline", "Denied: nobody could be asked")
        if item.by == "nobody"
        else translate("Timeline", "Denied"),
        "cancelled": translate("Timeline", "Withdrawn before it was answered"),
    }.get(item.answer, item.answer)


def end_words(item: Ended) -> tuple[str, str]:
    """Return what the end of a turn says, and the tone it is said in."""
    return {
        "stopped": (translate("Timeline", "Stopped."), "small-hint"),
        "failed": (translate("Timeline", "The turn ended with an error."), "bad"),
        "max_steps": (
            translate("Timeline", "The limit of steps for one turn was reached. Write “go on” to continue."),
            "warn",
        ),
        "loop": (
            translate("Timeline", "Ended because the same calls came again and again without anything new."),
            "warn",
        ),
        "context_full": (
            translate("Timeline", "The conversation no longer fits the model. Begin a new one, or fork it."),
            "warn",
        ),
    }.get(item.reason, (item.reason, "small-hint"))
