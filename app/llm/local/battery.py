"""The battery of a minute that tells what a model can do on this machine: speeds, tokens, calls, memory.

Everything is asked through the chat protocol, as conversations ask it. Only measures are taken here; what
follows from them is in `rules`. When time runs out the rest is left out and said to be.
"""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from enum import StrEnum

from app.errors import ModelError, WorkerError
from app.llm.chat import ChatDelta, ChatEnd, ChatItem, ChatMessage, ChatModel, ChatOptions, ThinkingChunk
from app.llm.local import battery_texts as texts
from app.llm.local.conformance import QUICK, Heard, Verdict, heard, judge
from app.llm.local.conformance_cases import Case

BUDGET_S = 60.0
_SESSION = "passport"
_ASKED_OF_SPEED = 48
_ASKED_OF_CALLS, _ASKED_OF_THINKERS = 160, 800
_READING_S = 5.0


class CallProtocol(StrEnum):
    """How a model calls tools."""

    NATIVE = "native"
    """The syntax of its own template."""
    GENERIC = "generic"
    """One that any model can follow, held to by a grammar."""
    FORCED = "forced"
    """One call of one chosen tool at a time."""
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Way:
    """A way of calling tools to be tried: `family` is the name of the syntax."""

    protocol: CallProtocol
    family: str
    model: ChatModel


@dataclass(frozen=True, slots=True)
class CallTrial:
    """How one way did: of `asked` replies so many were well formed, and so many what was wanted."""

    protocol: CallProtocol
    family: str
    asked: int
    valid: int
    right: int
    problems: tuple[str, ...] = ()


@dataclass(slots=True, kw_only=True)
class Measured:
    """What was found; what is None or empty was not tried."""

    tokens_per_char_en: float = 0.0
    tokens_per_char_zh: float = 0.0
    prefill_per_s: float = 0.0
    decode_per_s: float = 0.0
    reuse: float | None = None
    trials: list[CallTrial] = field(default_factory=list)
    recall_tokens: int | None = None
    """The length of a text in which a detail was found again; 0: in none that was tried."""
    recall_tried: int = 0
    seconds: float = 0.0
    left_out: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Timed:
    """A reply with its times: `first_s` until the first token, `rest_s` from there to the end."""

    items: tuple[ChatItem, ...]
    end: ChatEnd
    first_s: float
    rest_s: float

    @property
    def text(self) -> str:
        return "".join(item.text for item in self.items if isinstance(item, ChatDelta))


OnBattery = Callable[[float, str], None]
"""Takes a share from 0 to 1 and what is being tried."""


class Battery:
    """One run. `ways` are tried in this order until one is good; the first is used for everything else."""

    def __init__(
        self,
        ways: Sequence[Way],
        context_tokens: int,
        on_progress: OnBattery = lambda _share, _what: None,
        *,
        budget_s: float = BUDGET_S,
        clock: Callable[[], float] = time.perf_counter,
        cases: Sequence[Case] = QUICK,
    ) -> None:
        self._ways = ways
        self._model = ways[0].model
        self._context = context_tokens
        self._report = on_progress
        self._budget_s = budget_s
        self._clock = clock
        self._cases = cases
        self._found = Measured()
        self._began = 0.0

    async def run(self) -> Measured:
        """Measure. Raises ModelError and WorkerError when the model cannot be loaded or falls over."""
        self._began = self._clock()
        self._report(0.0, "Loading the model")
        self._found.tokens_per_char_en = await self._tokens_per_char(texts.ENGLISH)
        self._found.tokens_per_char_zh = await self._tokens_per_char(texts.CHINESE)
        self._began = self._clock()  # loading is not the model's fault
        self._report(0.1, "Measuring speed")
        await self._speeds()
        self._report(0.35, "Trying tool calls")
        await self._calls()
        self._report(0.85, "Looking for a detail in a long text")
        await self._recall()
        self._found.seconds = self._clock() - self._began
        self._report(1.0, "Done")
        return self._found

    @property
    def _left_s(self) -> float:
        return self._budget_s - (self._clock() - self._began)

    async def _tokens_per_char(self, text: str) -> float:
        return await self._model.count_tokens(text) / len(text)

    async def _speeds(self) -> None:
        """A short request tells how long the next may be, which is measured; a third one goes on with it."""
        trial = await self._ask([ChatMessage("user", texts.COUNT)], 16, session="passport-warm")
        guess = _rate(trial.end.prompt_tokens, trial.first_s)
        wanted = int(min(max(guess * _READING_S, 96), 1024, self._context // 2))
        question = self._filler(wanted) + "\n\n" + texts.COUNT
        first = await self._ask([ChatMessage("user", question)], _ASKED_OF_SPEED)
        read = first.end.prompt_tokens - first.end.cached_tokens
        self._found.prefill_per_s = _rate(read, first.first_s)
        self._found.decode_per_s = _rate(max(first.end.completion_tokens - 1, 1), first.rest_s)
        messages = [
            ChatMessage("user", question),
            ChatMessage("assistant", first.text),
            ChatMessage("user", "Go on."),
        ]
        if first.text:
            again = await self._ask(messages, 4)
            known = first.end.prompt_tokens + first.end.completion_tokens
            self._found.reuse = min(again.end.cached_tokens / known, 1.0)

    async def _calls(self) -> None:
        for number, way in enumerate(self._ways):
            if number and self._left_s < 0:
                self._found.left_out.append(f"calls: {way.protocol}")
                continue
            trial = await self._tried(way, number)
            self._found.trials.append(trial)
            if trial.asked and trial.valid == trial.asked and trial.right * 4 >= trial.asked * 3:
                break

    async def _tried(self, way: Way, number: int) -> CallTrial:
        asked = valid = right = 0
        problems: list[str] = []
        for place, case in enumerate(self._cases):
            if self._left_s < 0 and asked:
                self._found.left_out.append(f"calls: {case.name} ({way.protocol})")
                continue
            self._report(
                0.35 + 0.15 * number + 0.12 * place / len(self._cases), f"Trying tool calls ({way.protocol})"
            )
            verdict = await self._judged(way, case)
            asked += 1
            valid += verdict.valid
            right += verdict.right
            problems += [f"{case.name}: {problem}" for problem in verdict.problems]
        return CallTrial(way.protocol, way.family, asked, valid, right, tuple(problems))

    async def _judged(self, way: Way, case: Case) -> Verdict:
        """Ask a case; a model that was cut off while it thought is given more room once, if there is time."""
        options = ChatOptions(session=f"{_SESSION}-{way.protocol}-{case.name}", thinking=False)
        reply = Heard()
        try:
            for most in (_ASKED_OF_CALLS, _ASKED_OF_THINKERS):
                stream = way.model.stream(
                    case.messages, max_tokens=most, temperature=0.0, tools=case.tools, options=options
                )
                reply = heard(await _all(stream))
                lost_in_thought = reply.reason == "length" and reply.thinking and not reply.text
                if not lost_in_thought or self._left_s < 0:
                    break
        except (ModelError, WorkerError) as error:
            # this way of calling is not for this model; another may be
            return Verdict(case.name, valid=False, right=False, problems=(error.message,))
        return judge(case, reply)

    async def _recall(self) -> None:
        """Hide a detail in a text that can be read in the time that is left, and ask for it."""
        readable = int(self._found.prefill_per_s * min(max(self._left_s, 0.0), 12.0))
        size = min(readable, self._context - 256, 8192)
        if size < 256:
            self._found.left_out.append("memory")
            return
        for tokens in (size, size // 4):
            if tokens < 128 or (tokens != size and self._left_s < 0):
                continue
            self._found.recall_tried = max(self._found.recall_tried, tokens)
            question = f"{self._filler(tokens, texts.DETAIL)}\n\n{texts.DETAIL_QUESTION}"
            reply = await self._ask(
                [ChatMessage("user", question)], 48, session=f"{_SESSION}-recall-{tokens}"
            )
            if texts.DETAIL_ANSWER in reply.text.lower():
                self._found.recall_tokens = tokens
                return
        self._found.recall_tokens = 0

    def _filler(self, tokens: int, detail: str = "") -> str:
        """Return a text of about so many tokens, with a detail at a third of it."""
        length = int(tokens / max(self._found.tokens_per_char_en, 0.05))
        sentences = texts.filler(length)
        if detail:
            sentences.insert(len(sentences) // 3, detail)
        return " ".join(sentences)

    async def _ask(self, messages: Sequence[ChatMessage], most: int, session: str = _SESSION) -> _Timed:
        began = self._clock()
        first: float | None = None
        items: list[ChatItem] = []
        end = ChatEnd("stop", 0, 0)
        options = ChatOptions(session=session, thinking=False)
        stream = self._model.stream(messages, max_tokens=most, temperature=0.0, options=options)
        async with aclosing(stream):
            async for item in stream:
                if first is None and isinstance(item, ChatDelta | ThinkingChunk | ChatEnd):
                    first = self._clock()
                items.append(item)
                if isinstance(item, ChatEnd):
                    end = item
        ended = self._clock()
        first = ended if first is None else first
        return _Timed(tuple(items), end, first - began, ended - first)


async def _all(stream: AsyncGenerator[ChatItem, None]) -> list[ChatItem]:
    async with aclosing(stream):
        return [item async for item in stream]


def _rate(count: int, seconds: float) -> float:
    return count / seconds if seconds > 0 else 0.0
