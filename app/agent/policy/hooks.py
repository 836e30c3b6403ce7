"""Hooks: what looks at a call before it runs and at its output afterwards, in the order of the settings.

A hook is a program (`command`: JSON on stdin, JSON on stdout) or a Python function (`entry`, plain or
async), both given the same object and answering with one:

    {"event": "PreToolUse" | "PostToolUse", "session_id", "call_id", "tool", "kind", "agent", "arguments"}
    and, after the call:  "output": {"content", "is_error", "metadata"}

A PreToolUse hook answers an object with any of

    "block": "why"                    Block: the call is refused
    "mutate_input": {…}               MutateInput: these arguments in place of the model's, checked again
    "append_context": "text"          AppendContext: the model reads this before its next step
    "permission_required": "why"      PermissionRequired: the person is asked, whatever the rules say

and `{}` for nothing. It is a guard: one that fails, is slow, or answers anything else refuses the call.
A PostToolUse hook answers an object with any of

    "metrics": {"name": number}       MetricsData: added to the call's metadata
    "mutate_output": "text"           MutateOutput: this in place of what the model would have read
    "audit": "text"                   kept in the audit log

It cannot undo what has happened: one that fails leaves the output as it was, and a notice.
"""

from __future__ import annotations

import json
import math
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase

from app.agent.policy.hook_programs import HookFaultError, ask_hook
from app.agent.tools.tool import ToolOutput
from app.records.ids import SessionId
from app.settings import Hook


@dataclass(frozen=True, slots=True, kw_only=True)
class HookCall:
    """The call that hooks look at; `arguments` are JSON values, already validated."""

    session_id: SessionId
    call_id: str
    tool: str
    kind: str
    arguments: Mapping[str, object]
    agent: str = ""


@dataclass(frozen=True, slots=True)
class PreOutcome:
    """What the hooks before a call said together.

    `block` is why it is refused (None: it is not), `arguments` are to be used instead (None: no hook
    changed them), `contexts` go to the model, `ask` is why the person must be asked (None: no hook says so).
    """

    block: str | None = None
    arguments: dict[str, object] | None = None
    contexts: tuple[str, ...] = ()
    ask: str | None = None


@dataclass(frozen=True, slots=True)
class PostOutcome:
    """The output after the hooks, what they measured, what they say for the audit log, and what failed."""

    output: ToolOutput
    metrics: Mapping[str, float] = field(default_factory=dict)
    audit: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()


class HookRunner:
    """Runs the hooks of the settings. Cancelling ends the hook that runs, with all it started."""

    def __init__(self, hooks: Sequence[Hook]) -> None:
        self._hooks = tuple(hooks)

    def any_for(self, tool: str) -> bool:
        """Return whether a hook looks at calls of this tool."""
        return any(fnmatchcase(tool, hook.tool) for hook in self._hooks)

    async def pre(self, call: HookCall) -> PreOutcome:
        """Ask the guards in order, each shown what those before it made of the arguments."""
        said = PreOutcome()
        for hook in self._of("PreToolUse", call.tool):
            shown = call if said.arguments is None else replace(call, arguments=said.arguments)
            try:
                answer = await ask_hook(hook, _question(hook, shown))
                said = _heard(said, answer)
            except HookFaultError as fault:
                return replace(said, block=f"A guarding hook ({_name(hook)}) {fault.message}")
            if said.block is not None:
                return said
        return said

    async def post(self, call: HookCall, output: ToolOutput) -> PostOutcome:
        """Show the output to the hooks in order, each shown what those before it made of it."""
        result = PostOutcome(output)
        for hook in self._of("PostToolUse", call.tool):
            try:
                answer = await ask_hook(hook, _question(hook, call, result.output))
                result = _measured(result, answer)
            except HookFaultError as fault:
                notice = f"A hook ({_name(hook)}) {fault.message}"
                result = replace(result, notices=(*result.notices, notice))
        return result

    def _of(self, event: str, tool: str) -> list[Hook]:
        return [hook for hook in self._hooks if hook.event == event and fnmatchcase(tool, hook.tool)]


def _question(hook: Hook, call: HookCall, output: ToolOutput | None = None) -> dict[str, object]:
    question: dict[str, object] = {
        "event": hook.event,
        "session_id": call.session_id,
        "call_id": call.call_id,
        "tool": call.tool,
        "kind": call.kind,
        "agent": call.agent,
        "arguments": dict(call.arguments),
    }
    if output is not None:
        question["output"] = {
            "content": output.content,
            "is_error": output.is_error,
            "metadata": dict(output.metadata),
        }
    return question


def _heard(said: PreOutcome, answer: Mapping[str, object]) -> PreOutcome:
    """Add a guard's answer; a later guard takes nothing back of what an earlier one asked for."""
    _only(answer, {"block", "mutate_input", "append_context", "permission_required"})
    block, ask = _text(answer, "block"), _text(answer, "permission_required")
    context = _text(answer, "append_context")
    changed = answer.get("mutate_input")
    if changed is not None and not isinstance(changed, dict):
        raise HookFaultError("answered “mutate_input” with something that is not an object.")
    return PreOutcome(
        block=block,
        arguments=said.arguments if changed is None else dict(changed),
        contexts=(*said.contexts, context) if context else said.contexts,
        ask=said.ask if ask is None else ask,
    )


def _measured(result: PostOutcome, answer: Mapping[str, object]) -> PostOutcome:
    _only(answer, {"metrics", "mutate_output", "audit"})
    content, note = _text(answer, "mutate_output"), _text(answer, "audit")
    metrics = answer.get("metrics")
    if metrics is None:
        metrics = {}
    if not isinstance(metrics, dict) or not all(_is_number(value) for value in metrics.values()):
        raise HookFaultError("answered “metrics” with something that is not an object of numbers.")
    return PostOutcome(
        # What was untrusted stays so, whatever a hook makes of it.
        result.output if content is None else replace(result.output, content=content),
        {**result.metrics, **{str(name): value for name, value in metrics.items()}},
        (*result.audit, note) if note else result.audit,
        result.notices,
    )


def _only(answer: Mapping[str, object], known: set[str]) -> None:
    """Refuse keys we do not know: a misspelt “block” must not be passed over."""
    if unknown := sorted(set(map(str, answer)) - known):
        raise HookFaultError(f"answered {json.dumps(unknown[0])}, which means nothing here.")


def _text(answer: Mapping[str, object], key: str) -> str | None:
    value = answer.get(key)
    if value is not None and not isinstance(value, str):
        raise HookFaultError(f"answered “{key}” with something that is not text.")
    return value


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _name(hook: Hook) -> str:
    return hook.entry or shlex.join(hook.command)[:80] or "nothing to run"
