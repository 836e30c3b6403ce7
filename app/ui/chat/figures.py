"""What events say beside the items: that the model speaks, and what the conversation has taken. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.events import (
    AnswerReady,
    Event,
    Message,
    Nested,
    TextDelta,
    ThinkingDelta,
    ToolCall,
    TurnFinished,
)

if TYPE_CHECKING:
    from app.ui.chat.timeline import Timeline

_SPEAKS = (TextDelta, ThinkingDelta, ToolCall, Message, AnswerReady, TurnFinished)


def watch(line: Timeline, event: Event) -> None:
    """Take one event."""
    if isinstance(event, _SPEAKS):
        line.progress = None
    match event:  # only what the meter looks at: whole events as JSON would be felt in long conversations
        case Message(model=model):
            line.meter.feed({"type": event.type, "model": model})
        case AnswerReady(answer=answer):
            line.meter.feed({"type": event.type, "answer": answer})
        case TurnFinished(usage=usage):
            line.meter.feed({"type": event.type, "usage": usage})
        case Nested(event=inside):
            line.meter.feed({"type": event.type, "event": inside})
        case _:
            pass
