"""What the services demand of a conversation with calls: the fakes refuse what the real ones refuse."""

from __future__ import annotations

from collections.abc import Sequence

from app.llm.chat import ChatMessage


def problem(messages: Sequence[ChatMessage]) -> str:
    """Return what is wrong with the conversation, or an empty string.

    Every call of an assistant message is answered by exactly one tool message before anything else
    comes; nothing is answered that was not called; ids are short and there is something to answer to.
    """
    waiting: set[str] = set()
    for number, message in enumerate(messages):
        where = f"messages[{number}]"
        if message.role == "tool":
            if message.call_id not in waiting:
                return (
                    f"{where}: role 'tool' must follow a message with 'tool_calls' of id {message.call_id!r}"
                )
            waiting.discard(message.call_id)
            continue
        if waiting:
            return f"{where}: tool_call_ids {sorted(waiting)} have no response messages"
        ids = [call.id for call in message.calls]
        if len(set(ids)) != len(ids) or any(not (0 < len(id_) <= 64) for id_ in ids):
            return f"{where}: tool call ids {ids} are not unique, empty or too long"
        if any(not call.name for call in message.calls):
            return f"{where}: a tool call has no name"
        waiting = set(ids)
    if waiting:
        return f"tool_call_ids {sorted(waiting)} have no response messages"
    if not any(message.role in ("user", "tool") for message in messages):
        return "there is no user message"
    return ""
