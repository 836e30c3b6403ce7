"""The direct path: a question answered from the library, where there is no model that can call tools."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import replace
from typing import Any, cast

from app.agent.tools.context import Emit
from app.events import Event, ToolCall, ToolResult, TurnFinished, TurnStarted
from app.llm.call_ids import new_call_id
from app.records.ids import PaperId
from app.services.answering import Answerer


async def answer_directly(
    answerer: Answerer,
    emit: Emit,
    text: str,
    *,
    papers: Sequence[PaperId],
    stop: asyncio.Event | None,
) -> tuple[str, dict[str, Any]]:
    """Emit what happens between the rows that open and close the turn; returns its reason and usage.

    Setting `stop` ends it with what is proven by then. The search gets an id of its own and is marked
    as holding text of papers, because a model with tools may go on with this conversation later.
    """
    call_id, finished = new_call_id(), TurnFinished("failed")
    events = cast("AsyncGenerator[Event, None]", answerer.answer(text, papers=papers, stop=stop))
    async with aclosing(events):
        async for event in events:
            match event:
                case TurnStarted():
                    pass  # written by whoever runs the turn
                case TurnFinished():
                    finished = event
                case ToolCall():
                    await emit(replace(event, id=call_id))
                case ToolResult():
                    metadata = {**event.metadata, "untrusted": True}
                    await emit(replace(event, tool_call_id=call_id, metadata=metadata))
                case _:
                    await emit(event)
    return finished.reason, finished.usage
