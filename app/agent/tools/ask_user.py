"""ask_user: put a question to the person and wait for the answer."""

from __future__ import annotations

import asyncio
import math
import secrets

from pydantic import Field

from app.agent.tools.context import ToolContext
from app.agent.tools.tool import AgentTool, InterruptBehavior, ToolArgs, ToolKind, ToolOutput
from app.events import Question, QuestionAnswer

MAX_QUESTION = 2000
MAX_OPTIONS = 8

NO_ANSWER = (
    "No answer came in time. That is not a yes: take none of the options as chosen and do nothing that "
    "needed this answer. Go on with what does not depend on it, or end with what is open. The person may "
    "still answer later, as a message."
)
CANCELLED = "The question was withdrawn; there is no answer. That is not a yes."
NOBODY = (
    "Nobody can be asked here. Decide nothing in the person's place: choose what is safe and can be undone, "
    "or end with the question in your answer."
)


class AskUserArgs(ToolArgs):
    """Arguments of `ask_user`."""

    question: str = Field(
        min_length=1, max_length=MAX_QUESTION, description="One question that can be answered by itself."
    )
    options: tuple[str, ...] = Field(
        (), max_length=MAX_OPTIONS, description="Answers to choose from; the person may also write freely."
    )


class AskUser(AgentTool):
    """Asks, and waits outside of the tool's time limit. An unanswered question is never a consent."""

    name = "ask_user"
    description = (
        "Ask the person one question when you cannot go on well without their answer: a choice between "
        "readings of the request, a missing fact only they know. Do not ask for permission (that is asked "
        "by itself) nor what the library can tell."
    )
    Args = AskUserArgs
    kind = ToolKind.AGENT
    needs_person = True
    timeout_s = math.inf

    def interrupt_behavior(self) -> InterruptBehavior:
        """A question whose asker is gone is withdrawn, and that is written down first."""
        return InterruptBehavior.BLOCK

    async def execute(self, args: AskUserArgs, ctx: ToolContext) -> ToolOutput:
        """Show the question, wait, and say how it ended."""
        if ctx.silent:
            return ToolOutput.error(NOBODY, status="no_answer")
        talk = ctx.conversation
        options = tuple(dict.fromkeys(text for option in args.options if (text := " ".join(option.split()))))
        question = Question(
            secrets.token_hex(8), args.question.strip(), options, tool_call_id=ctx.call_id, agent=talk.agent
        )
        try:
            await talk.emit(question)
            async with ctx.waiting():
                reply = await talk.asker.question(question, ctx.services.settings().agent.ask_user_timeout_s)
        except asyncio.CancelledError:
            async with ctx.protected():
                await talk.emit(QuestionAnswer(question.id, "cancelled"))
            raise
        await talk.emit(QuestionAnswer(question.id, reply.status, reply.text))
        metadata = {"question": question.id, "status": reply.status}
        match reply.status:
            case "answered":
                return ToolOutput(f"The person answered: {reply.text}", metadata=metadata)
            case "no_answer":
                return ToolOutput(NO_ANSWER, metadata=metadata)
            case "cancelled":
                return ToolOutput(CANCELLED, metadata=metadata)
