"""Private text reaches a model on another computer only once the person agreed (`app.services.consent`)."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from app.agent.asking import PermissionReply
from app.agent.tools.context import Conversation
from app.agent.tools.tool import ToolOutput
from app.events import PermissionAnswer, PermissionRequest
from app.llm.call_ids import ulid
from app.services.consent import ConsentNeededError, question
from app.services.threads import off_loop

if TYPE_CHECKING:
    from app.services.consent import Consent

WITHHELD = (
    "This holds private or unpublished text, and the person has not agreed that such text is sent to a "
    "language model on another computer. Nothing of it is shown to you. Go on without it, and say so."
)


async def released(output: ToolOutput, conversation: Conversation, call_id: str, tool: str) -> ToolOutput:
    """Return the output, or words in its stead where it must not be sent and the person says no."""
    consent = conversation.services.consent
    if not output.private or consent is None or await _may_go(consent, conversation, call_id, tool):
        return output
    return ToolOutput.error(WITHHELD, withheld=True)


async def check_history(conversation: Conversation, *, private: bool) -> None:
    """Raise ConsentNeededError where a conversation with private text would now be sent away.

    That is one which began with a model on this computer.
    """
    consent = conversation.services.consent
    if not private or consent is None or await _may_go(consent, conversation, "", "language model"):
        return
    raise ConsentNeededError(
        f"This conversation holds private or unpublished text, which is not sent to {consent.service}."
    )


async def _may_go(consent: Consent, conversation: Conversation, call_id: str, tool: str) -> bool:
    async with consent.asking:
        service = await off_loop(consent.needed_for)
        if not service:
            return True
        if consent.refused(conversation.whole):
            return False
        reply = await _asked(conversation, service, call_id, tool)
        if reply.allowed and reply.by == "person":
            await off_loop(consent.agree)
        elif not reply.allowed and reply.answer != "cancelled":
            consent.refuse(conversation.whole)
        return reply.allowed


async def _asked(conversation: Conversation, service: str, call_id: str, tool: str) -> PermissionReply:
    request = PermissionRequest(
        id=f"perm_{ulid()}",
        tool_call_id=call_id,
        tool=tool,
        message=question(service),
        preview=service,
        form="consent",
        agent=conversation.agent,
    )
    reply = PermissionReply("cancelled")
    # It waits before it is shown: whoever answers in the moment of seeing it must not come too early.
    waiting = asyncio.ensure_future(conversation.asker.permission(request))
    try:
        await asyncio.sleep(0)
        await conversation.emit(request)
        try:
            reply = await waiting
        finally:
            answer = PermissionAnswer(request.id, call_id, reply.answer, reply.by)
            await asyncio.shield(asyncio.ensure_future(conversation.emit(answer)))
    finally:
        waiting.cancel()
        await asyncio.wait([waiting])
    return reply
