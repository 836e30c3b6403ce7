"""A loaded model that answers requests: plan, prompt, memory and writing put together. In the worker."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from app.errors import ModelError
from app.llm.chat import ContextOverflowError, Use
from app.llm.local import threads
from app.llm.local.calls.plan import CallPlan, plan
from app.llm.local.calls.template import ChatTemplate, ChatTemplateError
from app.llm.local.calls.thinking import tags_of
from app.llm.local.disk_state import DiskStates, model_key
from app.llm.local.engine import NO_MEMORY, Engine
from app.llm.local.fit import SMALLEST_CONTEXT, fitted, free_memory
from app.llm.local.gguf import read_gguf
from app.llm.local.gpu import free_gpu_memory
from app.llm.local.memory import SequenceMemory
from app.llm.local.rendering import Prompt, Renderer
from app.llm.local.requests import Ask, Load
from app.llm.local.sampling import Sampler
from app.llm.local.slots import Slot
from app.llm.local.token_log import Replies, compose
from app.llm.local.writing import Limits, Writer
from app.workers.protocol import JSON
from app.workers.serve import Context

# Conversations without a name are taken for one: each goes on where the last one agrees with it.
_NAMELESS = "-"
# Less room than this for a reply is worth reading the conversation again without its thinking.
_ENOUGH = 256


class Model:
    """One model file in memory."""

    def __init__(self, load: Load, progress: Callable[[float], bool]) -> None:
        """Load it; raises ModelError. `progress` False ends the loading."""
        self.file = read_gguf(Path(load.model))
        if self.file.embeds:
            raise ModelError(
                f"{self.file.label} makes vectors of texts; it cannot chat.",
                hint="Choose it as the embedding model, and another one to chat with.",
                code="model_kind",
            )
        usual = threads.candidates()[0]
        self.threads = load.threads if all(load.threads) else (usual, usual)
        self._engine = self._opened(load, progress)
        if not all(load.threads) and len(threads.candidates()) > 1:
            self.threads = self._measured_threads()
        words = self._engine.vocabulary
        self._template, told = _template(self._engine)
        self._notes = [*self._engine.fit.notes, *told]
        self._renderer = Renderer(self._template, words.control_words, words.end_words)
        self._replies = Replies()
        self._memory = SequenceMemory(self._engine, self._disk(load))

    @property
    def context_tokens(self) -> int:
        """How many tokens a conversation may have."""
        return self._engine.fit.context

    def described(self) -> JSON:
        """Return what the application's side needs to know."""
        fit = self._engine.fit
        details = {"kv_type": fit.kv_type, "gpu_layers": fit.gpu_layers}
        return {"template": self._template.source, **details, **self.terms()}

    def terms(self) -> dict[str, JSON]:
        """Return what was settled when the model was loaded."""
        return {
            "context_tokens": self.context_tokens,
            "threads": list(self.threads),
            "notes": self._notes,
        }

    def tokens(self, text: str) -> list[int]:
        """Return the tokens of a text without any markup."""
        return list(self._engine.vocabulary.tokens(text))

    def chat(self, ask: Ask, context: Context) -> JSON:
        """Emit `begun`, `read` and `text`; return why the reply ended and what it took.

        Raises ContextOverflowError when the messages leave no room for a reply.
        """
        how = self._plan(ask)
        written = {place: reply for place, reply in ask.written.items() if reply.family in ("", how.family)}
        prompt = self._renderer.prompt(how, ask.messages, written)
        ids = self._ids(prompt)
        room = self.context_tokens - len(ids)
        if written and room < min(ask.max_tokens, _ENOUGH):
            # What the model thought is longer than what its template would repeat of it.
            prompt = self._renderer.prompt(how, ask.messages, {})
            ids = self._ids(prompt)
            room = self.context_tokens - len(ids)
        if room < 1:
            raise ContextOverflowError(
                f"The question and its passages are {len(ids)} tokens;"
                f" {self.file.label} reads {self.context_tokens}."
            )
        inside = _inside_thinking(prompt, self._template.source)
        sampler = self._sampler(ask)
        writer = Writer(self._engine, sampler, how, constrained=ask.constrained, inside_thinking=inside)
        slot, kept = self._memory.open(_owner(ask), ask.use, ids)
        begun = {
            "head": prompt.head,
            "inside": inside,
            "family": how.family,
            "template": self._template.source,
        }
        context.emit({"begun": begun, **self.terms()})
        whole = False
        try:
            with self._cancelled_by(context):
                self._read_prompt(slot, ids, kept, context)
                writer.write(
                    lambda step: self._memory.read(slot, step, context.check),
                    Limits(min(ask.max_tokens, room), list(ask.stop)),
                    lambda text: context.emit({"text": text}),
                )
            whole = True
        finally:
            sampler.close()
            outcome = writer.outcome
            if not outcome.by_stop_word:
                self._replies.remember(outcome.text, outcome.ids)
            if whole:  # a title that made way for a question is asked for again
                self._memory.close(slot)
        return {
            "reason": outcome.reason,
            "prompt_tokens": len(ids),
            "completion_tokens": len(outcome.ids),
            "cached_tokens": kept,
            "evaluated_tokens": len(ids) - kept,
            "problem": outcome.problem,
        }

    def save(self) -> int:
        """Write conversations to disk, where that is wanted; return how many."""
        return self._memory.save()

    def close(self) -> None:
        self._engine.close()

    def _opened(self, load: Load, progress: Callable[[float], bool]) -> Engine:
        """Load the model; with half the context as long as llama.cpp finds no memory for what should fit."""
        gpu_free, asked = free_gpu_memory(), load.context_tokens
        while True:
            fit = fitted(self.file, asked, free_memory(), gpu_free, rung=load.rung)
            if asked < load.context_tokens:
                fit = replace(fit, notes=(f"The context is {fit.context} tokens: there is not more memory.",))
            try:
                return Engine(self.file.path, fit, self.threads, progress)
            except ModelError as error:
                if error.code != NO_MEMORY or fit.context // 2 < SMALLEST_CONTEXT:
                    raise
                asked = fit.context // 2

    def _plan(self, ask: Ask) -> CallPlan:
        return plan(
            self._template.source,
            ask.tools,
            family=ask.family,
            forced=ask.forced,
            thinking=ask.thinking,
            tiny=self.file.tiny,
            control_words=self._renderer.control_words,
        )

    def _ids(self, prompt: Prompt) -> list[int]:
        words = self._engine.vocabulary
        parts = prompt.parts(self._replies, words.end_words)
        ids = compose(parts, lambda text: words.tokens(text, True), self._replies)
        if words.adds_begin and not prompt.text.startswith(words.begin_word):
            ids.insert(0, words.begin)
        return ids

    def _sampler(self, ask: Ask) -> Sampler:
        # Tiny models fall into repeating themselves.
        penalty = 1.1 if self.file.tiny else 1.0
        return Sampler(self._engine.vocabulary, temperature=ask.temperature, repeat_penalty=penalty)

    def _read_prompt(self, slot: Slot, ids: list[int], kept: int, context: Context) -> None:
        """Read what is new, batch by batch; say how far it is while it takes more than one."""
        size = self._engine.batch_size
        for start in range(kept, len(ids), size):
            self._memory.read(slot, ids[start : start + size], context.check)
            if start + size < len(ids):
                context.emit({"read": start + size - kept, "of": len(ids) - kept})

    @contextmanager
    def _cancelled_by(self, context: Context) -> Iterator[None]:
        """Let a cancel stop the decode that runs when it comes."""
        self._engine.abort.clear()
        context.on_cancel(self._engine.abort.set)
        try:
            yield
        finally:
            context.on_cancel(None)
            self._engine.abort.clear()

    def _measured_threads(self) -> tuple[int, int]:
        engine = self._engine
        scratch = 0

        def run(count: int, tokens: int) -> None:
            engine.set_threads(count, count)
            engine.cut(scratch, 0)
            engine.decode(scratch, [max(engine.vocabulary.begin, 0)] * min(tokens, engine.batch_size), 0)

        best = threads.measured(threads.candidates(), run)
        engine.cut(scratch, 0)
        engine.set_threads(*best)
        return best

    def _disk(self, load: Load) -> DiskStates | None:
        if not load.state_folder:
            return None
        import llama_cpp

        key = model_key(Path(load.model), self._engine.fit.kv_type, llama_cpp.__version__)
        return DiskStates(Path(load.state_folder), key)


def _template(engine: Engine) -> tuple[ChatTemplate, list[str]]:
    """Return the model's chat template, or the most common one and why."""
    words = engine.vocabulary
    source = engine.metadata.get("tokenizer.chat_template", "")
    common = ChatTemplate("", words.begin_word, words.end_word)
    if not source:
        return common, ["The model's file has no chat template: a common one is used, answers may suffer."]
    try:
        return ChatTemplate(source, words.begin_word, words.end_word), []
    except ChatTemplateError as error:
        return common, [f"{error.message} A common one is used, answers may suffer."]


def _owner(ask: Ask) -> str:
    """Return whose sequence a request runs in; titles and summaries stand on their own."""
    if ask.use in (Use.TITLE, Use.SUMMARY):
        return ""
    return ask.session or (_NAMELESS if ask.use is Use.TURN else "")


def _inside_thinking(prompt: Prompt, template: str) -> bool:
    tags = tags_of(template)
    return tags is not None and prompt.text.rstrip().endswith(tags.opening.strip())
