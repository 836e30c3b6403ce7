"""Running the tool itself, and what its end means."""

from __future__ import annotations

import logging
from typing import Any

from app.agent.execution import faults
from app.agent.execution.call import PreparedCall
from app.agent.execution.control import BLOCK_GRACE_S, STOP_GRACE_S, CallControl
from app.agent.execution.outcomes import Ending, Progress, broken, failed, stopped
from app.agent.execution.progress import ProgressPump
from app.agent.tools.context import ToolContext
from app.agent.tools.tool import InterruptBehavior, ToolOutput
from app.errors import AppError
from app.events import Outcome

_log = logging.getLogger(__name__)


async def run_tool(call: PreparedCall, ctx: ToolContext, control: CallControl, limit_s: float) -> Ending:
    """Run it in a task of its own, so that what it does to its task is its own affair; never raises."""
    pump = ProgressPump(ctx.conversation.emit, call.id)

    async def work() -> ToolOutput:
        faults.reach("after_tool_start")
        return await call.tool.execute_with_progress(call.args, ctx, pump.report)

    block = call.tool.interrupt_behavior() is InterruptBehavior.BLOCK
    control.start_clock(limit_s)
    task = await control.attend(work(), grace_s=BLOCK_GRACE_S if block else STOP_GRACE_S)
    await pump.finish()
    faults.reach("after_tool_end")
    error = _single(task.exception()) if task.done() and not task.cancelled() else None
    output: Any = task.result() if task.done() and not task.cancelled() and error is None else None
    if control.stop is not None and (control.told or not task.done()):
        if error is not None:
            _log.info("%s answered a stop with an error: %r", call.tool.name, error)
        partial = output if isinstance(output, ToolOutput) else ToolOutput("")
        return stopped(
            control.stop,
            Progress(
                call.kind,
                committed=control.committed,
                ended=task.done(),
                last_words=pump.last_words,
                output=partial.content,
                metadata=partial.metadata,
                untrusted=partial.untrusted,
            ),
        )
    if task.cancelled():
        return broken(RuntimeError("it cancelled itself"), call.tool.name, started=True, kind=call.kind)
    if isinstance(error, AppError):
        return failed(error, started=True, kind=call.kind)
    if error is None and not isinstance(output, ToolOutput):
        error = TypeError(f"it gave back {type(output).__name__}, not ToolOutput")
    if error is not None:
        _log.error("the tool %s has a fault", call.tool.name, exc_info=error)
        return broken(error, call.tool.name, started=True, kind=call.kind)
    return Ending(_outcome(output), output, started=True)


def _outcome(output: ToolOutput) -> Outcome:
    """Return how a tool that came to its end says it ended; one that keeps its own time may have run out."""
    if not output.is_error:
        return Outcome.SUCCEEDED
    return Outcome.TIMED_OUT if output.metadata.get("timed_out") is True else Outcome.FAILED


def _single(error: BaseException | None) -> BaseException | None:
    """Return the one error inside a task group's wrapping."""
    while isinstance(error, BaseExceptionGroup) and len(error.exceptions) == 1:
        error = error.exceptions[0]
    return error
