"""The way of one call: announced, checked, let in, run, kept, recorded. It ends in exactly one result."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from app.agent.execution import faults
from app.agent.execution.call import CallState, PreparedCall
from app.agent.execution.control import CallControl, StoppedError
from app.agent.execution.duplicates import Watch
from app.agent.execution.gate import Ticket
from app.agent.execution.metadata import plain_metadata
from app.agent.execution.outcomes import Ending, broken, denied, failed, not_started, rejected
from app.agent.execution.permission import Hooked, hook_call
from app.agent.execution.prepare import BadCallError, as_shown, find_tool, parse, validate
from app.agent.execution.private_text import WITHHELD, released
from app.agent.execution.running import run_tool
from app.agent.execution.scope import Scope
from app.agent.tools.context import ToolContext
from app.agent.tools.tool import AgentTool, ToolKind, ToolOutput
from app.errors import AppError
from app.events import ContextAdded, Notice, Outcome, ToolCall, ToolResult
from app.library.storable import storable
from app.llm.chat import CallPart

_log = logging.getLogger(__name__)
_ONLY_READS = (ToolKind.READ, ToolKind.SERVICE, ToolKind.AGENT)


@dataclass(slots=True, eq=False)
class CallPipeline:
    """One call. `on_failed` is told when its failure is to end its neighbours."""

    part: CallPart
    scope: Scope
    control: CallControl
    ticket: Ticket
    on_failed: Callable[[CallPipeline], None]
    state: CallState = CallState.VALIDATING
    hooked: Hooked | None = None
    contexts: list[ContextAdded] = field(default_factory=list)
    """What the model should read behind the results of the reply."""
    _details: dict[str, Any] = field(default_factory=dict)
    _audit_words: list[str] = field(default_factory=list)

    async def run(self) -> ToolResult:
        """Go the whole way. Raises AppError when the journal cannot be written."""
        part, tool = self.part, self._tool
        # In the order of calls, because tasks begin in the order in which they are made.
        watch = self.scope.detector.enter(part.name, part.arguments, polls=tool is not None and tool.polls)
        try:
            faults.reach("before_tool_call_row")
            await self.scope.conversation.emit(
                ToolCall(part.id, storable(part.name), as_shown(part.arguments), self.scope.step),
                durable=self._durable,
            )
            faults.reach("after_tool_call_row")
            return await self._recorded(await self._ending(watch))
        finally:
            self.state = CallState.FINISHED
            self.ticket.leave()

    async def _ending(self, watch: Watch) -> Ending:
        """Check, run, finish. Whatever goes wrong on this way is an ending, not an error of the turn."""
        try:
            return await self._finished(await self._tried(watch), watch)
        except Exception as fault:  # noqa: BLE001
            # The fault barrier. Tools, their schemas, rules and previews are written by many hands: a mistake
            # in one costs one call, never the turn. What `execute` raises has become an ending before.
            _log.exception("the call of %s met a fault", self.part.name)
            ending = broken(fault, self.part.name, started=self.state is CallState.RUNNING, kind=self._kind)
            watch.ended(ending.output.content)
            return ending

    async def _tried(self, watch: Watch) -> Ending:
        try:
            return await self._refusal(watch) or await self._run()
        except StoppedError as stopped:
            return not_started(stopped.stop)
        except BadCallError as bad:
            return rejected(bad.message)
        except AppError as error:
            return failed(error, started=False, kind=self._kind)

    async def _refusal(self, watch: Watch) -> Ending | None:
        """Return None when the call has been let in and may run; else its ending."""
        permissions, control = self.scope.permissions, self.control
        control.check()
        if watch.refusal is not None:
            return rejected(watch.refusal)
        call = self._understood()
        self.hooked = Hooked(call, call)
        decision = permissions.decision(self.hooked)
        if decision.action == "deny":
            return denied(decision.reason)
        waited = False
        if permissions.hooks.any_for(call.tool.name):
            waited, self.hooked = True, await control.guard(permissions.hooked(call))
            self.contexts.extend(ContextAdded("hook", storable(text)) for text in self.hooked.contexts)
            if self.hooked.refusal:
                return self.hooked.refusal
        self.state = CallState.QUEUED
        self.ticket.classify(shared=self.hooked.call.concurrency_safe)
        if watch.pause_s:
            waited = True
            await control.guard(asyncio.sleep(watch.pause_s))
        if not self.ticket.open:
            waited = True
            await control.guard(self.ticket.turn())
        if waited:
            # Calls that ran meanwhile may have changed where a path leads to.
            decision = permissions.decision(self.hooked)
        if decision.action == "allow":
            return None
        self.state = CallState.AWAITING_PERMISSION
        return await control.guard(permissions.settled(self.hooked, self._context()))

    def _understood(self) -> PreparedCall:
        tool = find_tool(self.scope.conversation.registry, self.part.name)
        arguments = parse(tool, self.part.arguments)
        args = validate(tool, arguments)
        if tool.needs_person and not self.scope.conversation.asker.present:
            raise BadCallError(f"Nobody can answer here, so {tool.name} is of no use: decide by yourself.")
        return PreparedCall.of(self.part.id, tool, args, arguments)

    async def _run(self) -> Ending:
        call = self._call
        if call is None:
            raise RuntimeError("a call that was not understood cannot run")
        self.control.check()
        await self._audit("running")
        self.control.check()
        self.state = CallState.RUNNING
        limit = call.tool.timeout_s or self.scope.settings().agent.tool_timeout_s
        ending = await run_tool(call, self._context(), self.control, limit)
        if ending.outcome in (Outcome.FAILED, Outcome.TIMED_OUT) and call.tool.causes_sibling_abort():
            self.on_failed(self)
        return ending

    async def _finished(self, ending: Ending, watch: Watch) -> Ending:
        """Keep what is large, show the rest to the hooks, and add what the model should be reminded of."""
        output, tool, call = ending.output, self._tool, self._call
        if output.private:
            output = await self._released(output)
        bad = ending.outcome is Outcome.REJECTED
        reminder = watch.ended(output.content, bad=bad and watch.refusal is None)
        content = await self._kept(output.content, pages=tool is not None and tool.pages)
        output = replace(output, content=content)
        hooks = self.scope.permissions.hooks
        if call is not None and ending.started and hooks.any_for(call.tool.name):
            seen = await hooks.post(hook_call(self.scope.conversation, call), output)
            for notice in seen.notices:
                await self.scope.conversation.emit(Notice("warning", notice))
            self._audit_words.extend(seen.audit)
            if seen.metrics:
                self._details["metrics"] = dict(seen.metrics)
            output = seen.output
            if output.content != content:
                output = replace(output, content=await self._kept(output.content, pages=True))
        if reminder and output.untrusted:
            self.contexts.append(ContextAdded("runtime", reminder))  # within the fence nobody heeds it
        elif reminder:
            output = replace(output, content=f"{output.content}\n\n{reminder}")
        return replace(ending, output=output)

    async def _released(self, output: ToolOutput) -> ToolOutput:
        """Return private output if it may be sent to the model; a stop while the person is asked is a no."""
        asking = released(output, self.scope.conversation, self.part.id, storable(self.part.name))
        try:
            return await self.control.guard(asking)
        except StoppedError:
            return ToolOutput.error(WITHHELD, withheld=True)

    async def _kept(self, content: str, *, pages: bool) -> str:
        kept = await self.scope.outputs.keep(
            content,
            max_chars=self.scope.settings().agent.max_output_chars,
            pages=pages,
            max_bytes=self.scope.max_result_bytes,
        )
        if kept.path:
            self._details["persisted"] = {"path": str(kept.path), "chars": len(content)}
        return kept.content

    async def _recorded(self, ending: Ending) -> ToolResult:
        output, details = ending.output, self._details
        if self.hooked and self.hooked.call is not self.hooked.original:
            details["arguments"] = dict(self.hooked.call.arguments)
        metadata = {**plain_metadata(output.metadata), **plain_metadata(details)}
        if output.untrusted:
            metadata["untrusted"] = True
        if output.private:
            metadata["private"] = True
        result = ToolResult(
            self.part.id,
            storable(self.part.name),
            storable(output.content),
            is_error=output.is_error or ending.outcome is not Outcome.SUCCEEDED,
            outcome=ending.outcome,
            step=self.scope.step,
            metadata=metadata,
        )
        faults.reach("before_result_row")
        await self.scope.conversation.emit(result, durable=self._durable)
        faults.reach("after_result_row")
        words = [ending.detail, *self._audit_words]
        await self._audit(ending.outcome.value, " | ".join(word for word in words if word))
        return result

    async def _audit(self, outcome: str, detail: str = "") -> None:
        """Note how the call stands; wait for the row only where the call can leave something behind."""
        call, part = self._call, self.part
        arguments = plain_metadata(call.arguments) if call else as_shown(part.arguments)
        self.scope.audit.note(
            (
                self.scope.conversation.session_id,
                part.id,
                storable(part.name),
                json.dumps(arguments, ensure_ascii=False),
                outcome,
                storable(detail),
            )
        )
        if self._only_reads:
            self.scope.audit.write_soon()
        else:
            await self.scope.audit.write()

    def _context(self) -> ToolContext:
        return ToolContext(
            conversation=self.scope.conversation,
            call_id=self.part.id,
            step=self.scope.step,
            waiting=self.control.waiting,
            protected=self.control.protected,
            arguments=dict(self._call.arguments) if self._call else {},
            tainted=self.scope.permissions.tainted(),
        )

    @property
    def _tool(self) -> AgentTool | None:
        return self.scope.conversation.registry.get(self.part.name)

    @property
    def _call(self) -> PreparedCall | None:
        """The call as it runs, once it is understood."""
        return self.hooked.call if self.hooked else None

    @property
    def _kind(self) -> ToolKind | None:
        return self._call.kind if self._call else None

    @property
    def _only_reads(self) -> bool:
        kind = self._kind or (self._tool.kind if self._tool else ToolKind.READ)
        return kind in _ONLY_READS

    @property
    def _durable(self) -> bool | None:
        """A power cut may take rows of calls that only read; the next row that must stay takes them along."""
        return False if self._only_reads else None
