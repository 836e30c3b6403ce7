"""One turn of an agent: ask the model, run what it calls, until it answers with words alone."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from app.agent.execution import faults
from app.agent.execution.duplicates import DuplicateDetector
from app.agent.execution.private_text import check_history
from app.agent.loop import prompt
from app.agent.loop.attempt import Attempt, most_chars
from app.agent.loop.compactor import Compactor
from app.agent.loop.sessions import Agent
from app.agent.tools.context import Conversation
from app.errors import AppError
from app.events import AnswerReady, ContextAdded, Notice
from app.llm.chat import ChatMessage, ChatModel, ChatOptions, ContextOverflowError, ToolSpec, Use
from app.records.answer import Answer
from app.services import verify
from app.services.threads import off_loop

if TYPE_CHECKING:
    from app.agent.execution import Executor, Round

Reason = Literal["done", "failed", "max_steps", "loop"]
RETRIES = 2
RETRY_PAUSE_S = 0.5
MAX_CUT_IN_A_ROW = 3


@dataclass(slots=True)
class Usage:
    """What a turn has taken; `context_tokens` is the length of the last request."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    context_tokens: int = 0
    steps: int = 0
    writing_s: float = 0.0

    def as_json(self) -> dict[str, float]:
        """Return what `TurnFinished` shows."""
        values: dict[str, float] = {
            "prompt_tokens": self.prompt_tokens,
            "completion_tokens": self.completion_tokens,
            "cached_tokens": self.cached_tokens,
            "context_tokens": self.context_tokens,
            "steps": self.steps,
        }
        if self.writing_s > 0:
            values["tokens_per_second"] = round(self.completion_tokens / self.writing_s, 1)
        return values


@dataclass(slots=True, kw_only=True)
class Turn:
    """Runs one turn. The rows that open and close it are written by whoever runs it.

    `deliver` brings in what waits from outside (background results, mail) and says whether anything
    did. `answer` is the last text of the model.
    """

    agent: Agent
    conversation: Conversation
    model: ChatModel
    executor: Executor
    max_steps: int
    deliver: Callable[[], Awaitable[bool]]
    question: str = ""
    answer: str = ""
    usage: Usage = field(default_factory=Usage)
    _nudged: bool = False
    _cut_in_a_row: int = 0

    async def run(self) -> Reason:
        """Return why the turn ended. Raises AppError (model, library, ContextFullError)."""
        settings = self.conversation.services.settings().agent
        detector = DuplicateDetector(settings.duplicate_threshold)
        tools = self.conversation.registry.definitions()
        while True:
            await self.deliver()
            if self.usage.steps >= self.max_steps:
                return await self._last_words()
            self.usage.steps += 1
            attempt = await self._step(tools, detector)
            if attempt.calls:
                if detector.looping:
                    return await self._given_up("loop", "The agent went round in circles and was stopped.")
                continue
            if reason := await self._without_calls(attempt):
                return reason

    async def _without_calls(self, attempt: Attempt) -> Reason | None:
        """Decide how to go on from a reply without calls; None to ask again."""
        emit = self.conversation.emit
        if attempt.cut:
            return None if self._cut_in_a_row < MAX_CUT_IN_A_ROW else await self._never_whole()
        if attempt.end is None:
            return await self._given_up("failed", "The model's reply broke off again and again.")
        if attempt.empty:
            if self._nudged:
                return await self._given_up("failed", "The model returned an empty reply twice.")
            self._nudged = True
            await emit(ContextAdded("runtime", prompt.EMPTY_REPLY))
            return None
        self.answer = "".join(attempt.text)
        if attempt.end.reason == "length":
            await emit(Notice("warning", "The reply reached its length limit; ask to go on for the rest."))
        await self._check_answer()
        return None if await self._more() else "done"

    async def _step(self, tools: tuple[ToolSpec, ...], detector: DuplicateDetector) -> Attempt:
        """Ask the model once, and wait for the results of what it calls."""
        emit, history = self.conversation.emit, self.agent.history
        compactor = Compactor(self.agent, self.conversation, self.agent.tokens(self.model), tools)
        await check_history(self.conversation, private=history.private)
        messages = await compactor.fit()
        round_ = self.executor.begin_round(
            self.conversation,
            self.usage.steps,
            detector=detector,
            tainted=lambda: history.tainted,
            max_result_bytes=compactor.room.tail * 4,
        )
        async with round_:
            attempt = await self._reply(messages, tools, round_, compactor)
            await round_.results()
        if attempt.cut:
            self._cut_in_a_row += 1
            at_limit = attempt.end is not None
            text = prompt.cut_calls([call.name for call in attempt.cut], at_limit=at_limit)
            await emit(ContextAdded("runtime", text))
        else:
            self._cut_in_a_row = 0
            if attempt.calls and attempt.end is None:
                await emit(ContextAdded("runtime", prompt.BROKEN))
        return attempt

    async def _reply(
        self,
        messages: list[ChatMessage],
        tools: tuple[ToolSpec, ...],
        round_: Round | None,
        compactor: Compactor,
    ) -> Attempt:
        """Return the reply; its row is committed. Tries again only where nothing has begun to run."""
        tries, shortened = 0, False
        while True:
            limit = compactor.room.reply
            attempt = Attempt(self.conversation.emit, round_, most_chars(limit))
            read_to = self.agent.history.last_row
            try:
                faults.reach("before_model_call")
                await attempt.take(
                    self.model.stream(messages, max_tokens=limit, tools=tools, options=self._options)
                )
            except asyncio.CancelledError:
                attempt.finish()
                await self._keep(attempt, read_to)
                raise
            except ContextOverflowError:
                attempt.finish()
                if attempt.calls or shortened:
                    await self._keep(attempt, read_to)
                    raise
                messages, shortened = await compactor.after_overflow(), True
                continue
            except AppError as error:
                attempt.finish()
                nothing_came = attempt.empty and not attempt.thinking
                if not attempt.calls and (nothing_came or tries >= RETRIES):
                    await self._keep(attempt, read_to)
                    raise
                trouble = error.message
            else:
                trouble = "" if attempt.end is not None else "It ended too early."
            if trouble and not attempt.calls and tries < RETRIES:
                tries += 1
                text = f"The model's reply broke off and is asked for again. {trouble}"
                await self.conversation.emit(Notice("warning", text))
                await asyncio.sleep(RETRY_PAUSE_S * tries)
                messages = self.agent.history.messages()
                continue
            await self._keep(attempt, read_to)
            self._count(attempt, compactor, messages, tools)
            return attempt

    @property
    def _options(self) -> ChatOptions:
        use = Use.SUBAGENT if self.conversation.depth else Use.TURN
        return ChatOptions(use, self.conversation.session_id)

    async def _keep(self, attempt: Attempt, read_to: int) -> None:
        if not attempt.empty or attempt.thinking:
            faults.reach("before_message_row")
            message = attempt.message(self.usage.steps, self.model.info.name, read_to)
            await self.conversation.emit(message, durable=True)
            faults.reach("after_message_row")

    def _count(
        self,
        attempt: Attempt,
        compactor: Compactor,
        messages: list[ChatMessage],
        tools: tuple[ToolSpec, ...],
    ) -> None:
        if (end := attempt.end) is not None:
            compactor.observed(messages, tools, end.prompt_tokens)
            self.usage.prompt_tokens += end.prompt_tokens
            self.usage.completion_tokens += end.completion_tokens
            self.usage.cached_tokens += end.cached_tokens
            self.usage.context_tokens = end.prompt_tokens + end.completion_tokens
            self.usage.writing_s += attempt.writing_s

    async def _more(self) -> bool:
        """Whether something came in while the model gave its last reply.

        When it says no, nothing has been awaited since it looked: what is typed from then on begins
        another turn.
        """
        while True:
            if await self.deliver():
                return True
            await self.agent.log.settled()
            if self.agent.history.wants_reply:
                return True
            if self.agent.something_waits:
                continue
            self.agent.running = False
            return False

    async def _last_words(self) -> Reason:
        """Ask for a summary without tools."""
        await self.conversation.emit(ContextAdded("runtime", prompt.LAST_WORDS))
        compactor = Compactor(self.agent, self.conversation, self.agent.tokens(self.model), ())
        attempt = await self._reply(await compactor.fit(), (), None, compactor)
        if attempt.empty:
            text = f"The turn ended after {self.max_steps} steps without a summary."
            return await self._given_up("max_steps", text)
        self.answer = "".join(attempt.text)
        await self._check_answer()
        return await self._given_up("max_steps", f"The turn ended after {self.max_steps} steps.")

    async def _check_answer(self) -> None:
        """Prove the citations of the answer, as the direct path does."""
        evidence = self.conversation.evidence
        if not evidence.hits or self.conversation.depth:
            return
        sentences = await off_loop(verify.check, self.answer, evidence.hits, evidence.labels)
        checked = Answer(self.question, "answer", sentences, self.model.info.label)
        # the words as they were written, with their paragraphs and lists
        await self.conversation.emit(AnswerReady({**checked.as_json(), "text": self.answer}))

    async def _never_whole(self) -> Reason:
        text = f"The model's calls were cut off {MAX_CUT_IN_A_ROW} times in a row; nothing of them was run."
        return await self._given_up("failed", text)

    async def _given_up(self, reason: Reason, text: str) -> Reason:
        await self.conversation.emit(Notice("warning", text))
        return reason
