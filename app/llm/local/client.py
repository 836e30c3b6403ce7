"""The local chat model as the application sees it; the model itself is in the `llm` worker."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import asdict, replace
from functools import cached_property
from pathlib import Path
from typing import Literal

from app.errors import ModelError, WorkerCrashedError, WorkerError
from app.llm import weights
from app.llm.chat import (
    AS_USUAL,
    ChatItem,
    ChatMessage,
    ChatOptions,
    ChatProgress,
    ModelInfo,
    ToolSpec,
    Use,
)
from app.llm.local.disk_state import forget
from app.llm.local.echoes import Echoes
from app.llm.local.gguf import read_gguf
from app.llm.local.making_way import MakeWayError, MakingWay
from app.llm.local.notebook import Notebook, blames_nobody, tools_key
from app.llm.local.reply import Reply
from app.llm.local.requests import Ask, Load
from app.workers.host import Worker
from app.workers.protocol import JSON

DEFAULT_CONTEXT = 8192
# The longest silence while a model is loaded or reads one batch of a prompt; a slow disk and a large
# model need minutes.
SILENCE_S = 600.0
NOTES = "notes.json"

_SAVE_AFTER_S = 20.0
_SAVING_S = 30.0
_MOST_CRASHES = 3
# Somebody waits for a turn; a sub-agent works for a turn; titles and summaries are for later.
_PRIORITY = {Use.TURN: 0, Use.SUBAGENT: 2, Use.TITLE: 4, Use.SUMMARY: 6}

ToolUse = Literal["auto", "always", "never"]


class LocalChatModel:
    """A GGUF model: the default one, or `model_path`. Nothing is loaded before the first question.

    `tools` says who may call tools: "auto" is every model that is not tiny. `family` is a call syntax that
    is known to work, "" the one of its template; `thinking` is what requests are that say nothing of it.
    `state_folder` is where notes about models are kept (None:
    nowhere), and with `keep_state` what was read of conversations.
    """

    def __init__(
        self,
        worker: Worker,
        model_path: Path | None = None,
        context_tokens: int = DEFAULT_CONTEXT,
        *,
        tools: ToolUse = "auto",
        family: str = "",
        thinking: bool | None = None,
        state_folder: Path | None = None,
        keep_state: bool = False,
        silence_s: float = SILENCE_S,
    ) -> None:
        self._worker = worker
        self._path = model_path or weights.chat_gguf()
        self._context_tokens = context_tokens
        self._tools = tools
        self._family = family
        self._thinking = thinking
        self._state_folder = state_folder
        self._keep_state = keep_state and state_folder is not None
        self._silence_s = silence_s
        self._echoes = Echoes()
        self._way = MakingWay()
        self._rung = 0
        self._fitting = 0
        self._told: set[str] = set()
        self._saver: asyncio.Task[None] | None = None

    @property
    def info(self) -> ModelInfo:
        """What is known of the model; raises ModelError when there is none or it is no chat model.

        Once it is loaded, the context is the one that fits into memory.
        """
        return replace(self._said, context_tokens=self._fitting or self._said.context_tokens)

    @cached_property
    def _said(self) -> ModelInfo:
        """What the file says of itself."""
        file = read_gguf(weights.checked_gguf(self._path))
        if file.embeds:
            raise ModelError(
                f"{file.label} makes vectors of texts; it cannot chat.",
                hint="Choose it as the embedding model, and another one to chat with.",
                code="model_kind",
            )
        context = min(self._context_tokens, file.context_tokens)
        tools = self._tools == "always" or (self._tools == "auto" and not file.tiny)
        return ModelInfo(
            file.path.name, file.label, file.tiny, context, "local", tools=tools, exact_tokens=True
        )

    @cached_property
    def _notes(self) -> Notebook:
        path = weights.checked_gguf(self._path)
        folder = self._state_folder
        return Notebook(f"{path.name}:{path.stat().st_size}", folder / NOTES if folder else None)

    async def stream(
        self,
        messages: Sequence[ChatMessage],
        *,
        max_tokens: int,
        temperature: float = 0.2,
        stop: Sequence[str] = (),
        tools: Sequence[ToolSpec] = (),
        options: ChatOptions = AS_USUAL,
        forced: str = "",
    ) -> AsyncGenerator[ChatItem, None]:
        """Yield deltas, then a ChatEnd; see `ChatModel.stream`. `forced` names a tool that must be called.

        A worker that crashes before anything was said is asked once more.
        """
        ask = Ask(
            messages=messages,
            max_tokens=max_tokens,
            temperature=temperature,
            stop=stop,
            tools=tools,
            family=self._family,
            forced=forced,
            thinking=self._thinking if options.thinking is None else options.thinking,
            use=options.use,
            session=options.session,
        )
        crashes = 0
        with self._way.taken_by(options.use) as way:
            while True:
                reply = Reply(self._prepared(ask), self.info.tiny)
                try:
                    async with contextlib.aclosing(self._attempt(reply)) as items:
                        async for item in way.items(items, reply):
                            yield item
                    break
                except MakeWayError:
                    continue
                except WorkerCrashedError as crash:
                    crashes += 1
                    if not self._may_ask_again(reply, crash) or crashes == _MOST_CRASHES:
                        raise
                finally:
                    if options.use in (Use.TURN, Use.SUBAGENT):
                        self._echoes.keep(options.session, reply.heard)
        self._save_later(options)

    async def count_tokens(self, text: str) -> int:
        """Return how many tokens the text is; waits while an answer is being written."""
        params = {**self._load(), "text": text}
        with self._way.taken_by(Use.TURN):  # a turn begins with counting
            reply = await self._worker.call("count_tokens", params, timeout=self._silence_s, priority=1)
        if not isinstance(reply.value, int):
            raise ModelError("The model counted no tokens.")
        return reply.value

    async def describe(self) -> dict[str, JSON]:
        """Load the model and return what the worker says of it: template, context, threads, notes."""
        reply = await self._worker.call("describe", self._load(), timeout=self._silence_s, priority=1)
        return dict(reply.value)

    async def forget(self, session: str) -> None:
        """Take away what is kept on disk of a conversation that is deleted."""
        if self._state_folder:
            await asyncio.to_thread(forget, self._state_folder, session)

    async def close(self) -> None:
        """Keep what should be kept, and close the worker."""
        if self._saver:
            self._saver.cancel()
            await asyncio.gather(self._saver, return_exceptions=True)
        if self._keep_state and self._worker.pid is not None:
            with contextlib.suppress(WorkerError):
                await self._save()
        await self._worker.close()

    async def _attempt(self, reply: Reply) -> AsyncGenerator[ChatItem, None]:
        params = {**self._load(), **reply.ask.as_json()}
        parts = self._worker.stream(
            "chat", params, timeout=self._silence_s, priority=_PRIORITY[reply.ask.use]
        )
        async with contextlib.aclosing(parts):
            async for part in parts:
                if "begun" in (part or ()):
                    for note in await self._settled(part):
                        yield ChatProgress(None, note)
                for item in reply.items(part):
                    yield item

    async def _settled(self, part: Mapping[str, JSON]) -> list[str]:
        """Take what was settled when the model was loaded; return what the person has not been told."""
        match part:
            case {"threads": [int(writing), int(reading)], "context_tokens": int(context)}:
                self._fitting = context
                if self._notes.measured((writing, reading)):
                    await asyncio.to_thread(self._notes.save)
        news = [note for note in part.get("notes") or () if note not in self._told]
        self._told.update(news)
        return news

    def _prepared(self, ask: Ask) -> Ask:
        """Return the request with what has been learnt since it was made."""
        constrained = not (ask.tools and self._notes.set_aside(tools_key(ask.tools)))
        return replace(ask, constrained=constrained, written=self._echoes.of(ask.session, ask.messages))

    def _may_ask_again(self, reply: Reply, crash: WorkerCrashedError) -> bool:
        """Learn from a crash; return whether asking again repeats nothing."""
        if not reply.begun:
            self._rung += bool(crash.how) and not blames_nobody(crash.how)
        elif (
            reply.ask.tools
            and reply.ask.constrained
            and self._notes.crashed(tools_key(reply.ask.tools), crash.how)
        ):
            self._notes.save()
        return not reply.given

    def _load(self) -> dict[str, JSON]:
        path = weights.checked_gguf(self._path)
        load = Load(
            model=str(path.resolve()),
            context_tokens=self._context_tokens,
            threads=self._notes.threads,
            rung=self._rung,
            state_folder=str(self._state_folder) if self._keep_state else "",
        )
        return asdict(load)

    def _save_later(self, options: ChatOptions) -> None:
        if not self._keep_state or options.use is not Use.TURN or not options.session:
            return
        if self._saver:
            self._saver.cancel()
        self._saver = asyncio.create_task(self._save_when_idle(), name="save-model-state")

    async def _save_when_idle(self) -> None:
        await asyncio.sleep(_SAVE_AFTER_S)
        if self._worker.pid is not None:  # otherwise there is nothing to save, and no reason to start it
            with contextlib.suppress(WorkerError):
                await self._save()

    async def _save(self) -> None:
        await self._worker.call("save", {}, timeout=_SAVING_S, priority=8)
