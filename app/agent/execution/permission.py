"""The checks between understood arguments and the run: rules, hooks, and the person."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field, replace
from typing import Any

from app.agent.asking import PermissionReply
from app.agent.execution.call import PreparedCall
from app.agent.execution.cutting import cut_before
from app.agent.execution.outcomes import Ending, Stop, denied, not_started
from app.agent.execution.prepare import BadCallError, validate
from app.agent.policy.hooks import HookCall, HookRunner
from app.agent.policy.permissions import Decision, PermissionChecker
from app.agent.tools.context import Conversation, ToolContext
from app.events import Notice, Outcome, PermissionAnswer, PermissionRequest
from app.library.storable import storable
from app.llm.call_ids import ulid

_PREVIEW_CHARS = 200_000


@dataclass(slots=True)
class Permissions:
    """Decides over the calls of one round, and asks the person about one of them at a time."""

    checker: PermissionChecker
    hooks: HookRunner
    conversation: Conversation
    tainted: Callable[[], bool]
    _asking: asyncio.Lock = field(default_factory=asyncio.Lock)

    async def hooked(self, call: PreparedCall) -> Hooked:
        """Show the call to the guards.

        Arguments that one of them changed are validated again; ones that do not fit refuse the call.
        """
        said = await self.hooks.pre(hook_call(self.conversation, call))
        if said.block is not None:
            return Hooked(call, call, said.contexts, refusal=denied(said.block))
        if said.arguments is None or said.arguments == dict(call.arguments):
            return Hooked(call, call, said.contexts, ask=said.ask)
        try:
            args = validate(call.tool, said.arguments)
        except BadCallError as error:
            reason = f"A hook changed the arguments to what {call.tool.name} cannot take. {error.message}"
            return Hooked(call, call, said.contexts, refusal=denied(reason))
        changed = PreparedCall.of(call.id, call.tool, args, said.arguments)
        return Hooked(changed, call, said.contexts, ask=said.ask)

    async def settled(self, hooked: Hooked, ctx: ToolContext) -> Ending | None:
        """Return None for a call that may run, after asking where the rules ask; else its ending.

        Cancelling withdraws the question.
        """
        async with self._asking:
            decision = self.decision(hooked)  # the last answer may have been for this call too
            if decision.action == "allow":
                return None
            if decision.action == "deny":
                return denied(decision.reason)
            return await self._asked(hooked.call, decision, ctx)

    def decision(self, hooked: Hooked) -> Decision:
        """Return what the rules and the hooks say; of the arguments before and after a hook the stricter."""
        decision = self._decide(hooked.call)
        if hooked.original is hooked.call and hooked.ask is None:
            return decision
        strictest = decision.stricter(self._decide(hooked.original))
        if hooked.ask is not None and strictest.action == "allow":
            strictest = replace(strictest, action="ask", reason=hooked.ask)
        # A kept answer would be for other arguments than those shown, or not keep the hook from asking.
        return replace(strictest, offer={}, grant=None) if strictest is not decision else decision

    def _decide(self, call: PreparedCall) -> Decision:
        return self.checker.decide(
            self.conversation.whole,
            call.tool,
            call.args,
            tainted=self.tainted(),
            base=self.conversation.sandbox.base,
            root=self.conversation.sandbox.search_root,
        )

    async def _asked(self, call: PreparedCall, decision: Decision, ctx: ToolContext) -> Ending | None:
        preview, form = await call.tool.preview(call.args, ctx)
        request = PermissionRequest(
            id=f"perm_{ulid()}",
            tool_call_id=call.id,
            tool=call.tool.name,
            message=storable(decision.reason),
            preview=_shown(preview),
            form=form,
            rule={key: storable(text) for key, text in decision.offer.items()},
            agent=self.conversation.agent,
        )
        emit = self.conversation.emit
        reply = PermissionReply("cancelled")
        # It waits before it is shown: whoever answers in the moment of seeing it must not come too early.
        waiting = asyncio.ensure_future(self.conversation.asker.permission(request))
        try:
            await asyncio.sleep(0)
            try:
                await _whole(emit(request))
                reply = await waiting
            finally:
                await _whole(emit(PermissionAnswer(request.id, call.id, reply.answer, reply.by)))
        finally:
            waiting.cancel()
            await asyncio.wait([waiting])
            if not waiting.cancelled():
                waiting.exception()  # seen
        if reply.allowed:
            warning = await self.checker.remember(
                self.conversation.whole, request, reply.answer, decision=decision
            )
            if warning:
                await emit(Notice("warning", warning))
            return None
        if reply.answer == "cancelled":
            return not_started(Stop(Outcome.INTERRUPTED, "The question for permission was withdrawn."))
        if reply.by == "person":
            return denied(decision.reason, by_person=True)
        return denied(f"{decision.reason} It would have to be asked, and there is nobody who can answer.")


@dataclass(frozen=True, slots=True)
class Hooked:
    """A call after the guards: as it will run, as the model asked for it, and what they want besides."""

    call: PreparedCall
    original: PreparedCall
    contexts: tuple[str, ...] = ()
    ask: str | None = None
    refusal: Ending | None = None


def hook_call(conversation: Conversation, call: PreparedCall) -> HookCall:
    """Return the call as hooks see it."""
    return HookCall(
        session_id=conversation.session_id,
        call_id=call.id,
        tool=call.tool.name,
        kind=call.kind.value,
        arguments=call.arguments,
        agent=conversation.agent,
    )


def _shown(preview: str) -> str:
    """Return what the person is shown: all of it, within what a screen can hold."""
    if len(preview) > _PREVIEW_CHARS:
        cut = cut_before(preview, _PREVIEW_CHARS)
        preview = f"{preview[:cut]}\n[… {len(preview) - cut:,} more characters are not shown here …]"
    return storable(preview)


async def _whole(emitting: Coroutine[Any, Any, int]) -> None:
    """Emit to the end also when cancelled, so that a request and its answer are both there or neither."""
    task = asyncio.ensure_future(emitting)
    try:
        await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait([task])
        raise
