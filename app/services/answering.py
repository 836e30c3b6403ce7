"""Answering a question from the library: retrieve, prompt, stream, check, and never invent."""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from typing import Any

from app.errors import AppError, UsageError
from app.events import (
    AnswerReady,
    Event,
    ModelProgress,
    Notice,
    Outcome,
    TextDelta,
    ToolCall,
    ToolResult,
    TurnFinished,
    TurnStarted,
)
from app.llm.chat import ChatDelta, ChatEnd, ChatModel, ChatProgress
from app.records import sentences, support
from app.records.answer import Answer, Sentence
from app.records.ids import PaperId
from app.records.passage import PassageHit
from app.services import prompting, quoting, verify
from app.services.searching import Searcher, SearchResult
from app.services.stopping import until

MAX_QUESTION = 4000
_PASSAGES = 8
_ANSWER_TOKENS = {True: 120, False: 400}
"""How long an answer may be, by whether the model is tiny."""
_TINY_PROMPT_TOKENS = 1200


@dataclass(slots=True)
class _Draft:
    """What the model has written so far, unchecked, and what came of the call."""

    text: str = ""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    writing_s: float = 0.0
    trouble: str = ""


@dataclass(frozen=True, slots=True)
class _Sources:
    """The passages given to the model, and the short names of their papers."""

    hits: tuple[PassageHit, ...]
    labels: tuple[str, ...]


class Answerer:
    """Answers from the passages that `searcher` finds, with the model that `chat_model` gives (or none)."""

    def __init__(self, searcher: Searcher, chat_model: Callable[[], ChatModel | None]) -> None:
        self._searcher = searcher
        self._chat_model = chat_model

    async def answer(
        self, question: str, *, papers: Sequence[PaperId] = (), stop: asyncio.Event | None = None
    ) -> AsyncIterator[Event]:
        """Yield the events of one turn, from `TurnStarted` to `TurnFinished`.

        `AnswerReady` holds the checked answer. Setting `stop` ends the turn at the
        next token; what was proven by then is kept. Raises `UsageError` for an
        empty question before anything is yielded.
        """
        asked = question.strip()
        if not asked:
            raise UsageError(
                "The question is empty.", hint="Type what you want to know, for example a value or an object."
            )
        stop = stop or asyncio.Event()
        draft, started = _Draft(), time.monotonic()
        yield TurnStarted(uuid.uuid4().hex, asked[:MAX_QUESTION])
        if len(asked) > MAX_QUESTION:
            yield Notice(
                "warning", f"The question has {len(asked):,} characters; the first {MAX_QUESTION:,} are used."
            )
            asked = asked[:MAX_QUESTION]
        call = ToolCall("call_1", "rag_search", {"question": asked, "papers": list(papers)}, 1)
        yield call
        try:
            found = await self._searcher.search(asked, papers=papers or None, limit=_PASSAGES)
        except AppError as error:
            yield ToolResult(call.id, call.name, error.message, True, Outcome.FAILED, 1)
            yield Notice("error", f"{error.message} {error.hint}".strip())
            yield TurnFinished("failed", _usage(draft, started))
            return
        yield ToolResult(
            call.id, call.name, _listing(found), False, Outcome.SUCCEEDED, 1, _metadata(found, started)
        )

        if not found.hits:
            result = Answer(asked, "not_found", (), message=found.nothing())
        else:
            model = self._chat_model()
            if model is None:
                result = _quoted(
                    asked,
                    _sources(found),
                    "",
                    "No language model is ready; these are the best passages, word for word.",
                )
            else:
                sources = _sources(found, budget_tokens=_budget(model))
                async for piece in self._write(asked, sources, model, draft, stop):
                    yield piece
                result = _checked(asked, sources, model, draft, stopped=stop.is_set())
        if result.kind != "answer":
            yield TextDelta(_as_text(result))
        yield AnswerReady(result.as_json())
        yield TurnFinished("stopped" if stop.is_set() else "done", _usage(draft, started))

    async def _write(
        self, question: str, sources: _Sources, model: ChatModel, draft: _Draft, stop: asyncio.Event
    ) -> AsyncIterator[TextDelta | ModelProgress]:
        """Fill `draft` while the model writes, yielding what may be shown at once.

        A tiny model's sentences are held back until a passage proves them.
        """
        tiny, first = model.info.tiny, 0.0
        chat = prompting.messages(question, sources.hits, sources.labels)
        stream = model.stream(chat, max_tokens=_ANSWER_TOKENS[tiny], temperature=0.0 if tiny else 0.2)
        try:
            async for delta in until(stop, stream):
                if isinstance(delta, ChatEnd):
                    draft.prompt_tokens = delta.prompt_tokens
                    draft.completion_tokens = delta.completion_tokens
                    draft.writing_s = time.monotonic() - first if first else 0.0
                    if delta.reason == "length":
                        draft.text = _whole_sentences(draft.text)
                    continue
                if isinstance(delta, ChatProgress):
                    yield ModelProgress(delta.share, delta.message, delta.wait_s)
                if not isinstance(delta, ChatDelta):
                    continue
                first = first or time.monotonic()
                draft.text += delta.text
                if not tiny:
                    yield TextDelta(delta.text)
        except AppError as error:
            draft.trouble = error.message
        if tiny:
            checked = verify.check(draft.text, sources.hits, sources.labels)
            for sentence in _worth_showing(question, checked, model):
                yield TextDelta(sentence.text + " ")


def _budget(model: ChatModel) -> int:
    room = model.info.context_tokens - _ANSWER_TOKENS[model.info.tiny] - 400
    return min(room, _TINY_PROMPT_TOKENS) if model.info.tiny else room


def _sources(found: SearchResult, *, budget_tokens: int | None = None) -> _Sources:
    hits = found.passages if budget_tokens is None else prompting.fitting(found.passages, budget_tokens)
    return _Sources(tuple(hits), tuple(found.labels[: len(hits)]))


def _checked(question: str, sources: _Sources, model: ChatModel, draft: _Draft, *, stopped: bool) -> Answer:
    """Return the answer that survives the check; quotes when nothing of it does."""
    checked = verify.check(draft.text, sources.hits, sources.labels)
    proven = _worth_showing(question, checked, model)
    if not proven:
        return _quoted(question, sources, model.info.label, _why_quotes(model, draft, stopped=stopped))
    if not model.info.tiny:
        return Answer(question, "answer", checked, model.info.label, draft.trouble)
    left_out = len(checked) - len(proven)
    message = f"{left_out} sentences that nothing proves were left out." if left_out > 1 else ""
    message = "One sentence that nothing proves was left out." if left_out == 1 else message
    return Answer(question, "answer", proven, model.info.label, message)


def _worth_showing(question: str, checked: Sequence[Sentence], model: ChatModel) -> tuple[Sentence, ...]:
    """Return the proven sentences; of a tiny model, none unless one of them answers the question."""
    proven = tuple(s for s in checked if s.supported)
    if model.info.tiny and not any(support.answers(s.text, question) for s in proven):
        return ()
    return proven


def _why_quotes(model: ChatModel, draft: _Draft, *, stopped: bool) -> str:
    if stopped:
        return "Stopped. These are the best passages so far, word for word."
    if draft.trouble:
        return f"The model failed ({draft.trouble.rstrip('.')}); these are the best passages, word for word."
    return f"{model.info.label} wrote no answer that a passage proves; these are the best passages, verbatim."


def _quoted(question: str, sources: _Sources, model: str, message: str) -> Answer:
    quotes = quoting.quotes(question, sources.hits, sources.labels)
    if not quotes:
        return Answer(
            question,
            "not_found",
            (),
            model,
            "Only reference lists match this question; nothing in the text does.",
        )
    return Answer(question, "quotes", quotes, model, message)


def _as_text(answer: Answer) -> str:
    """Return a not-found message, or the quotes with their pages, as plain text."""
    quotes = (f"“{s.text}” ({c.label}, p. {c.page_label})" for s in answer.sentences for c in s.citations)
    return "\n\n".join([answer.message, *quotes] if answer.message else quotes)


def _whole_sentences(text: str) -> str:
    """Leave out a last sentence that the limit of the answer's length has cut off."""
    spans = sentences.split(text)
    if not spans or text[spans[-1][0] : spans[-1][1]].rstrip("\"'”’)]").endswith((".", "!", "?", "。")):
        return text
    return text[: spans[-1][0]]


def _listing(found: SearchResult) -> str:
    """Return what a model would read of the search: one line a passage."""
    lines = (
        f"[{n}] {name}, p. {hit.passage.page_label}, {hit.passage.section}: {hit.passage.text}"
        for n, (hit, name) in enumerate(zip(found.passages, found.labels, strict=True), start=1)
    )
    return "\n\n".join(lines) or found.nothing()


def _metadata(found: SearchResult, started: float) -> dict[str, Any]:
    return {
        "stages": dict(found.stages),
        "mode": found.mode,
        "seconds": round(time.monotonic() - started, 3),
        "hits": [hit.as_json() for hit in found.hits],
    }


def _usage(draft: _Draft, started: float) -> dict[str, Any]:
    usage: dict[str, Any] = {
        "prompt_tokens": draft.prompt_tokens,
        "completion_tokens": draft.completion_tokens,
        "context_tokens": draft.prompt_tokens + draft.completion_tokens,
        "seconds": round(time.monotonic() - started, 3),
    }
    if draft.writing_s > 0:
        usage["tokens_per_second"] = round(draft.completion_tokens / draft.writing_s, 1)
    return usage
