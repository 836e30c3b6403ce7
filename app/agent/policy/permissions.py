"""Who may do what: the chain Deny > Allow > Ask > default of the tool's class.

The tool's own rules, those of the settings and the answers remembered in the conversation speak
together. A Deny is never overruled. After untrusted text (law 8) what could act on it asks, unless a
rule of the settings names the tool and what it may do; neither a default nor a wildcard nor an answer
that was given before is enough.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Literal

from pydantic import BaseModel

from app.agent.asking import PermissionChoice
from app.agent.policy.patterns import Match, Subject, is_wildcard
from app.agent.policy.rules import Allow, Ask, Deny, PermissionRule
from app.agent.policy.subjects import subject_of
from app.agent.policy.taint import asks_when_tainted
from app.agent.tools.tool import AgentTool, ToolKind
from app.errors import AppError
from app.events import PermissionRequest
from app.records.ids import SessionId
from app.settings import Permission, Settings

Action = Literal["allow", "ask", "deny"]
SaveRule = Callable[[Permission], Awaitable[None]]
"""Writes a rule into the settings; raises AppError when it cannot."""

_SEVERITY: dict[Action, int] = {"allow": 0, "ask": 1, "deny": 2}
_DEFAULT_ASKS: dict[ToolKind, str] = {
    ToolKind.WRITE: "It writes a file.",
    ToolKind.SHELL: "It runs a program.",
    ToolKind.OUTSIDE: "It belongs to an outside server.",
}
_TAINTED = "Text of papers or pages has been read in this conversation, so this is asked every time."


@dataclass(frozen=True, slots=True)
class Grant:
    """An answer that can be kept: the tool, what it acts on, and the very call it was given for."""

    tool: str
    key: str
    call: str
    tainted: bool


@dataclass(frozen=True, slots=True)
class Decision:
    """What the rules say of one call.

    `reason` is a sentence for the person and the model. `rule` is the rule that spoke, None for a
    default. `offer` goes into `PermissionRequest.rule`: what "always" would write, empty where it
    cannot be said safely. `grant` is what `remember` keeps.
    """

    action: Action
    reason: str
    rule: PermissionRule | None = None
    offer: Mapping[str, str] = field(default_factory=dict)
    grant: Grant | None = None

    def stricter(self, other: Decision) -> Decision:
        """Return the stricter of two decisions: on what the model asked, and on what a hook made of it."""
        return other if _SEVERITY[other.action] > _SEVERITY[self.action] else self


class PermissionChecker:
    """Decides. One for the application; `narrowed` views of it for sub-agents share what is remembered.

    `base` is the folder that relative paths are taken from. Deciding looks at the disk only to
    resolve paths.
    """

    def __init__(
        self,
        settings: Callable[[], Settings],
        *,
        base: Path | None = None,
        save_rule: SaveRule | None = None,
    ) -> None:
        self._settings = settings
        self._base = base
        self._save_rule = save_rule
        self._grants: dict[SessionId, set[Grant]] = {}
        self._layers: tuple[tuple[PermissionRule, ...], ...] = ()
        self._read: tuple[tuple[Permission, ...], tuple[PermissionRule, ...]] | None = None

    def decide(
        self,
        session_id: SessionId,
        tool: AgentTool,
        args: BaseModel,
        *,
        tainted: bool,
        base: Path | None = None,
        root: Path | None = None,
    ) -> Decision:
        """Return what the rules say of a call whose arguments are valid.

        `tainted` says that untrusted text has been read. `base` replaces the folder of relative paths;
        `root` is where a call looks that names no path, if not there.
        """
        base = base or self._base or Path(os.sep)
        kind = tool.kind_of(args)
        call = _Call.of(tool, args, kind, subject_of(tool, args, kind, base, root or base), tainted=tainted)
        decision = self._chain(session_id, call, tool.check_permissions(args))
        for layer in self._layers:
            decision = decision.stricter(call.under(call.named(layer)))
        return replace(decision, offer=call.offer(), grant=call.grant())

    async def remember(
        self,
        session_id: SessionId,
        request: PermissionRequest,
        choice: PermissionChoice,
        *,
        decision: Decision,
    ) -> str:
        """Keep an answer: "session" in memory, "always" in the settings as well.

        `decision` is the one that led to the request. Returns what went wrong when the rule could not be
        saved (it then counts in this conversation), else an empty string.
        """
        if choice not in ("session", "always") or decision.grant is None:
            return ""
        self._grants.setdefault(session_id, set()).add(decision.grant)
        if choice == "session" or not request.rule or self._save_rule is None:
            return ""
        rule = Permission(action="allow", tool=request.rule["tool"], match=request.rule.get("match", ""))
        try:
            await self._save_rule(rule)
        except AppError as error:
            return f"The rule holds for this conversation only: {error.message}"
        return ""

    def forget(self, session_id: SessionId) -> None:
        """Drop what was remembered in a conversation."""
        self._grants.pop(session_id, None)

    def narrowed(self, extra: Sequence[PermissionRule]) -> PermissionChecker:
        """Return a checker for a child: its parent's rights at most, and less by `extra`.

        An Allow in `extra` only exempts from an Ask in `extra`; it never overrules the parent. What is
        remembered is shared, because the same person answers.
        """
        child = PermissionChecker(self._settings, base=self._base, save_rule=self._save_rule)
        child._grants = self._grants
        child._layers = (*self._layers, tuple(extra))
        return child

    def _of_settings(self) -> tuple[PermissionRule, ...]:
        """Return the rules of the settings as they are now."""
        permissions = self._settings().agent.permissions
        if self._read is None or self._read[0] is not permissions:
            self._read = (permissions, tuple(_from_settings(permissions)))
        return self._read[1]

    def _chain(self, session_id: SessionId, call: _Call, own: Iterable[PermissionRule]) -> Decision:
        settings = call.named(self._of_settings())
        everything = (*call.named(own), *settings)
        if refusal := call.refusal(everything):
            return refusal
        doubt = call.doubt(everything)
        if call.tainted and asks_when_tainted(call.kind):
            exact = [rule for rule in settings if rule.tool == call.tool.name and not is_wildcard(rule.match)]
            allowed = call.permission(exact) or call.repeated(self._grants.get(session_id, ()))
            return doubt or allowed or Decision("ask", _TAINTED)
        if doubt:
            return doubt
        if allowed := call.permission(everything) or call.remembered(self._grants.get(session_id, ())):
            return allowed
        return call.question(everything) or call.default()


@dataclass(frozen=True, slots=True)
class _Call:
    """One call as the rules see it."""

    tool: AgentTool
    kind: ToolKind
    subject: Subject
    digest: str
    tainted: bool

    @classmethod
    def of(
        cls, tool: AgentTool, args: BaseModel, kind: ToolKind, subject: Subject, *, tainted: bool
    ) -> _Call:
        # Not pydantic's JSON, which fails on the broken characters that a model may write.
        written = json.dumps(args.model_dump(), sort_keys=True, default=str)
        digest = hashlib.sha256(written.encode("ascii")).hexdigest()
        return cls(tool, kind, subject, digest, tainted)

    def named(self, rules: Iterable[PermissionRule]) -> tuple[PermissionRule, ...]:
        """Return the rules that speak of this tool."""
        return tuple(rule for rule in rules if fnmatchcase(self.tool.name, rule.tool))

    def refusal(self, rules: Iterable[PermissionRule]) -> Decision | None:
        """Return the refusal of the first Deny that speaks of this call."""
        for rule in rules:
            if isinstance(rule, Deny) and self._touched(rule) is Match.YES:
                return Decision("deny", rule.reason or f"The rule {_shown(rule)} refuses it.", rule)
        return None

    def doubt(self, rules: Iterable[PermissionRule]) -> Decision | None:
        """Return a question where a Deny may speak of this call."""
        for rule in rules:
            if isinstance(rule, Deny) and self._touched(rule) is Match.PERHAPS:
                return Decision("ask", f"It cannot be ruled out that {_shown(rule)} refuses it.", rule)
        return None

    def permission(self, rules: Iterable[PermissionRule]) -> Decision | None:
        """Return the permission of the first Allow that speaks of all of this call."""
        for rule in rules:
            if isinstance(rule, Allow) and (not rule.match or self.subject.covered_by(rule.match)):
                return Decision("allow", f"The rule {_shown(rule)} allows it.", rule)
        return None

    def question(self, rules: Iterable[PermissionRule]) -> Decision | None:
        """Return the question of the first Ask that may speak of this call."""
        for rule in rules:
            if isinstance(rule, Ask) and self._touched(rule) is not Match.NO:
                return Decision("ask", rule.message or f"The rule {_shown(rule)} asks.", rule)
        return None

    def remembered(self, grants: Iterable[Grant]) -> Decision | None:
        """Return the permission that an answer for the conversation gave."""
        if any(grant.tool == self.tool.name and grant.key == self.subject.key for grant in grants):
            return Decision("allow", "It was allowed for this conversation.")
        return None

    def repeated(self, grants: Iterable[Grant]) -> Decision | None:
        """Return the permission of an answer that was given for this very call after the untrusted text."""
        if any(
            grant.tainted and grant.call == self.digest for grant in grants if grant.tool == self.tool.name
        ):
            return Decision("allow", "Exactly this was allowed for this conversation.")
        return None

    def default(self) -> Decision:
        """Return what the class of the call says."""
        reason = _DEFAULT_ASKS.get(self.kind)
        return Decision("ask", reason) if reason else Decision("allow", "Such calls are allowed.")

    def under(self, layer: Sequence[PermissionRule]) -> Decision:
        """Return what a child's own rules say."""
        return (
            self.refusal(layer)
            or self.doubt(layer)
            or self.permission(layer)
            or self.question(layer)
            or Decision("allow", "The sub-agent's rules allow it.")
        )

    def offer(self) -> dict[str, str]:
        """Return the rule that "always" would write, if there is one that would count the next time."""
        exact = self.subject.exact
        if not exact and (self.kind is ToolKind.SHELL or (self.tainted and asks_when_tainted(self.kind))):
            return {}
        return {"tool": self.tool.name, "match": exact}

    def grant(self) -> Grant:
        """Return what an answer for the conversation keeps."""
        return Grant(self.tool.name, self.subject.key, self.digest, self.tainted)

    def _touched(self, rule: PermissionRule) -> Match:
        return self.subject.touched_by(rule.match) if rule.match else Match.YES


def _from_settings(permissions: Sequence[Permission]) -> Iterator[PermissionRule]:
    for rule in permissions:
        match rule.action:
            case "deny":
                yield Deny(rule.tool, match=rule.match)
            case "allow":
                yield Allow(rule.tool, match=rule.match)
            case "ask":
                yield Ask(rule.tool, match=rule.match)


def _shown(rule: PermissionRule) -> str:
    name = type(rule).__name__.lower()
    return f"“{name} {rule.tool} {rule.match}”" if rule.match else f"“{name} {rule.tool}”"
