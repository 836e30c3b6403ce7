"""What each event does to a timeline. A new kind of event is one function and one line in `HANDLERS`. Pure.

Each event costs the same however long the conversation is: a call and a request are found by their
id, what still moves is kept in a set.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from app.events import (
    AnswerReady,
    Compaction,
    ContextAdded,
    Event,
    Message,
    ModelProgress,
    Nested,
    Notice,
    Outcome,
    PermissionAnswer,
    PermissionRequest,
    Question,
    QuestionAnswer,
    Steering,
    TextDelta,
    ThinkingDelta,
    Todo,
    ToolCall,
    ToolProgress,
    ToolResult,
    TurnFinished,
    TurnStarted,
)
from app.ui.chat.items import (
    STATES,
    Added,
    Answered,
    Asked,
    Asking,
    Compacted,
    ModelState,
    Noticed,
    Permission,
    Thought,
    ToolState,
    ToolUse,
    main_argument,
    plan_of,
)

if TYPE_CHECKING:
    from app.ui.chat.timeline import Timeline

Handler = Callable[["Timeline", Any, float], list[int]]


def _turn_started(line: Timeline, _event: TurnStarted, _now: float) -> list[int]:
    line.running = True
    line.begin()
    return []


def _turn_finished(line: Timeline, event: TurnFinished, _now: float) -> list[int]:
    return line.finish(event.reason, event.usage)


# -- the model's reply ------------------------------------------------------------------------


def _text(line: Timeline, event: TextDelta, now: float) -> list[int]:
    thoughts = [p for p in line.reply if isinstance(line.items[p], Thought) and _close(line, p, now)]
    place = line.answer
    if place is not None and place in line.moving and isinstance(item := line.items[place], Answered):
        line.put(place, text=item.text + event.text)
    else:
        place = line.answer = line.add(Answered(event.text), moves=True)
        line.reply.append(place)
    return [*thoughts, place]


def _model(line: Timeline, event: ModelProgress, now: float) -> list[int]:
    until = None if event.wait_s is None else now + event.wait_s
    line.progress = ModelState(event.share, event.message, until)
    return []


def _thinking(line: Timeline, event: ThinkingDelta, now: float) -> list[int]:
    if line.reply and isinstance(item := line.items[line.reply[-1]], Thought) and item.streaming:
        line.put(line.reply[-1], text=item.text + event.text)
    else:
        line.reply.append(line.add(Thought(event.text, started_at=now), moves=True))
    return [line.reply[-1]]


def _close(line: Timeline, place: int, now: float) -> bool:
    """Let a stream end. Return whether it was still going on."""
    if place not in line.moving:
        return False
    line.moving.discard(place)
    item = line.items[place]
    if isinstance(item, Thought) and now:
        line.put(place, streaming=False, seconds=now - item.started_at)
    else:
        line.put(place, streaming=False)
    return True


def _message(line: Timeline, reply: Message, now: float) -> list[int]:
    """Put the whole reply in the place of the pieces that streamed before it."""
    if not line.reply:  # read back from the journal: there were no pieces
        return _whole(line, reply)
    changed = [place for place in line.reply if _close(line, place, now)]
    texts = [p for p in line.reply if isinstance(line.items[p], Answered)]
    thoughts = [p for p in line.reply if isinstance(line.items[p], Thought)]
    if len(texts) == 1:
        line.put(texts[0], text=reply.text, partial=reply.partial, interim=bool(reply.calls))
        changed.append(texts[0])
    changed += _whole(line, reply, thinking=not thoughts, text=not texts)
    line.reply.clear()
    return changed


def _whole(line: Timeline, reply: Message, *, thinking: bool = True, text: bool = True) -> list[int]:
    """Add what of a reply is not there yet."""
    added = []
    if thinking and reply.thinking.strip():
        added.append(line.add(Thought(reply.thinking, streaming=False)))
    if text and reply.text.strip():
        line.answer = line.add(Answered(reply.text, None, False, reply.partial, bool(reply.calls)))
        added.append(line.answer)
    return added


def _checked(line: Timeline, event: AnswerReady, _now: float) -> list[int]:
    checked = Answered(str(event.answer.get("text", "")), event.answer, streaming=False)
    if line.answer is None:
        return [line.add(checked)]
    line.moving.discard(line.answer)
    line.items[line.answer] = checked
    return [line.answer]


# -- what is put before the model ---------------------------------------------------------------


def _steering(line: Timeline, event: Steering, _now: float) -> list[int]:
    for place in line.steered:
        if isinstance(item := line.items[place], Asked) and item.text == event.text:
            line.steered.remove(place)
            line.put(place, steering="read")
            return [place]
    return [line.add(Asked(event.text, steering="read"))]


def _context(line: Timeline, event: ContextAdded, _now: float) -> list[int]:
    part = (event.source, event.text, event.trusted)
    if line.items and isinstance(last := line.items[-1], Added):
        line.put(len(line.items) - 1, parts=(*last.parts, part))
        return [len(line.items) - 1]
    return [line.add(Added((part,)))]


def _compaction(line: Timeline, event: Compaction, _now: float) -> list[int]:
    freed = Compacted(event.tier, event.before_tokens, event.after_tokens, event.summary, len(event.cleared))
    return [line.add(freed)]


def _notice(line: Timeline, event: Notice, _now: float) -> list[int]:
    return [line.add(Noticed(event.level, event.message))]


def _todo(line: Timeline, event: Todo, _now: float) -> list[int]:
    line.plan = plan_of(event.items)
    return []


# -- calls --------------------------------------------------------------------------------------


def _call(line: Timeline, call: ToolCall, now: float) -> list[int]:
    changed = [place for place in line.reply if _close(line, place, now)]
    if call.step != line.step:
        line.step, line.steps = call.step, line.steps + 1
    line.answer = None
    use = ToolUse(call.id, call.name, main_argument(call.arguments), call.arguments, now)
    line.tools[call.id] = line.add(use, moves=True)
    return [*changed, line.tools[call.id]]


def _progress(line: Timeline, event: ToolProgress, _now: float) -> list[int]:
    place = line.tools.get(event.id)
    if place not in line.moving:
        return []  # it has ended, and this comes late
    return line.change_tool(event.id, progress=event.progress, message=event.message)


def _result(line: Timeline, event: ToolResult, now: float) -> list[int]:
    place = line.tools.get(event.tool_call_id)
    if place is None or not isinstance(use := line.items[place], ToolUse):
        return []
    taken = now - use.started_at if now and use.started_at else None
    state = STATES[event.outcome]
    if event.is_error and event.outcome is Outcome.SUCCEEDED:
        state = ToolState.FAILED
    line.moving.discard(place)
    return line.change_tool(
        use.id,
        state=state,
        outcome=event.outcome,
        seconds=event.metadata.get("seconds", taken),
        output=event.output,
        diff=str(event.metadata.get("diff", "")),
        progress=None,
    )


def _nested(line: Timeline, event: Nested, now: float) -> list[int]:
    from app.ui.chat.replay import event_of

    inside = event_of(event.event)
    place = line.tools.get(event.tool_call_id)
    if inside is None or place is None or not isinstance(use := line.items[place], ToolUse):
        return []
    if isinstance(inside, PermissionRequest | PermissionAnswer | Question | QuestionAnswer):
        return line.apply(inside, now)  # a question hidden in a folded card would never be seen
    inner = use.inner or type(line)()
    inner.apply(inside, now)
    return line.change_tool(use.id, inner=inner, inner_changes=use.inner_changes + 1)


# -- requests to the person ---------------------------------------------------------------------


def _permission(line: Timeline, event: PermissionRequest, _now: float) -> list[int]:
    item = Permission(
        event.id,
        event.tool_call_id,
        event.tool,
        event.message,
        event.preview,
        event.form,
        event.rule,
        event.agent,
    )
    return _asks(line, event.id, item)


def _question(line: Timeline, event: Question, _now: float) -> list[int]:
    item = Asking(event.id, event.text, tuple(event.options), event.tool_call_id, event.agent)
    return _asks(line, event.id, item)


def _asks(line: Timeline, id: str, item: Permission | Asking) -> list[int]:
    runs = line.tools.get(item.call_id) in line.moving
    call = line.change_tool(item.call_id, state=ToolState.ASKING) if runs else []
    line.requests[id] = line.add(item, moves=True)
    return [*call, line.requests[id]]


def _permitted(line: Timeline, event: PermissionAnswer, _now: float) -> list[int]:
    return line.answer_permission(event.id, event.answer, event.by)


def _answered(line: Timeline, event: QuestionAnswer, _now: float) -> list[int]:
    return line.answer_question(event.id, event.status, event.text)


HANDLERS: dict[type[Event], Handler] = {
    TurnStarted: _turn_started,
    TurnFinished: _turn_finished,
    TextDelta: _text,
    ThinkingDelta: _thinking,
    Message: _message,
    ModelProgress: _model,
    AnswerReady: _checked,
    Steering: _steering,
    ContextAdded: _context,
    Compaction: _compaction,
    Notice: _notice,
    Todo: _todo,
    ToolCall: _call,
    ToolProgress: _progress,
    ToolResult: _result,
    Nested: _nested,
    PermissionRequest: _permission,
    PermissionAnswer: _permitted,
    Question: _question,
    QuestionAnswer: _answered,
}
