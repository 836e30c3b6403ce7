"""Asking the person: what a permission request and a question are, and who answers them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

from app.events import PermissionRequest, Question

PermissionChoice = Literal["once", "session", "always", "deny", "cancelled"]


@dataclass(frozen=True, slots=True)
class PermissionReply:
    """What was answered, and by whom ("person", "option", "nobody")."""

    answer: PermissionChoice
    by: str = "person"

    @property
    def allowed(self) -> bool:
        """Whether the call may run."""
        return self.answer in ("once", "session", "always")


@dataclass(frozen=True, slots=True)
class QuestionReply:
    """`status` is "answered", "no_answer" or "cancelled"; `text` is what was answered."""

    status: Literal["answered", "no_answer", "cancelled"]
    text: str = ""


class Asker(Protocol):
    """Somebody who answers, or a stand-in where nobody can.

    The event of the request has been emitted before these are called; whoever calls emits the answer.
    Cancelling the waiting task withdraws the request.
    """

    @property
    def present(self) -> bool:
        """Whether a person can answer questions; where not, `ask_user` is not offered."""

    async def permission(self, request: PermissionRequest) -> PermissionReply:
        """Wait for the answer, without limit."""

    async def question(self, question: Question, timeout_s: float | None) -> QuestionReply:
        """Wait for the answer; "no_answer" when `timeout_s` runs out."""


@dataclass(frozen=True, slots=True)
class NobodyAsker:
    """Stands in where no one can answer: allows what would ask only if `yes` (`--yes`) said so before."""

    yes: bool = False

    @property
    def present(self) -> bool:
        """No one is."""
        return False

    async def permission(self, request: PermissionRequest) -> PermissionReply:
        """Answer by the option."""
        return PermissionReply("once", "option") if self.yes else PermissionReply("deny", "nobody")

    async def question(self, question: Question, timeout_s: float | None) -> QuestionReply:
        """Say that there is no answer; that is never a consent."""
        return QuestionReply("no_answer")
