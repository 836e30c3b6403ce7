"""Decides how one request offers its tools to a local model and how its reply is read. Pure.

    plan = calls.plan.plan(template, tools)
    prompt = ChatTemplate(template, …).render(plan.messages(history, words), **plan.variables)
    watch, parser = plan.watch(), plan.parser()
    for each piece of text:
        items = parser.feed(piece)                       # ChatDelta, ThinkingChunk, CallDelta
        if started := watch.feed(piece): begin to hold plan.grammar, after accepting `started`
    items, reason = parser.finish(reason)

`template` is the GGUF's own chat template ("" where it has none: ChatML is meant). A family can be
forced by name (what the passport found); an unknown name means the one that the template speaks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

from app.llm.chat import ChatMessage, ToolSpec
from app.llm.local.calls.detect import detect
from app.llm.local.calls.families.syntax import (
    Grammar,
    Offer,
    Syntax,
    TemplateMessage,
    native_messages,
    safe_tool,
)
from app.llm.local.calls.families.told import alternating
from app.llm.local.calls.gbnf import GrammarError, parsed
from app.llm.local.calls.grammar import literal
from app.llm.local.calls.parser import ParsedItem, ProseReader, Reader
from app.llm.local.calls.probe import probed
from app.llm.local.calls.schema_simplify import arguments_shape
from app.llm.local.calls.shape import Anything
from app.llm.local.calls.thinking import Tags, ThinkingReader, tags_of
from app.llm.local.calls.watch import TriggerWatch
from app.llm.local.text import defused

EndReason = Literal["stop", "length", "tool_calls"]

LONGEST_OF_TINY = 120
"""Models below a billion parameters do not always find the end of a string."""


@dataclass(frozen=True, slots=True)
class CallPlan:
    """How one request is put to a model; the same for every request of a conversation with these tools."""

    family: str
    grammar: Grammar | None
    """None where nothing is to be held; else see `Grammar`: `text`, and `words` when it is lazy."""
    variables: Mapping[str, object]
    """What the chat template is given besides the messages: tools, whether to think."""
    shown: tuple[str, ...]
    """Control words that must be passed on as text (`[TOOL_CALLS]`): the parser lives on them."""
    starts_thinking: bool
    """Whether the prompt ends within thinking."""
    _syntax: Syntax
    _offer: Offer
    _tags: Tags | None
    _native: bool
    """Whether the template itself tells of tools and writes calls and results."""

    def messages(
        self, history: Sequence[ChatMessage], control_words: Iterable[str] = ()
    ) -> list[TemplateMessage]:
        """Return the history as the template takes it, with control words in its texts broken up."""
        safe: Callable[[str], str] = partial(defused, control_words=[*control_words, *self.shown])
        plain = not self._offer.tools and not any(message.calls or message.call_id for message in history)
        if self._native or plain:
            return native_messages(self._syntax.arranged(history), safe, self._syntax.id_length)
        rules = self._syntax.instructions(self._offer) if self._offer.tools else ""
        return alternating(history, rules, safe, self._syntax.written, self._syntax.result)

    def parser(self) -> CallParser:
        """Return what reads one reply."""
        reader: Reader = self._syntax.reader(self._offer) if self._offer.tools else ProseReader()
        if self._tags:
            reader = ThinkingReader(reader, self._tags, inside=self.starts_thinking)
        return CallParser(reader)

    def watch(self) -> TriggerWatch:
        """Return what says when the grammar begins to hold in one reply."""
        grammar = self.grammar or Grammar("")
        return TriggerWatch(grammar.words, grammar.at_start, self._tags, self.starts_thinking)


@dataclass(slots=True)
class CallParser:
    """Reads one reply in pieces cut anywhere."""

    _reader: Reader

    def feed(self, text: str) -> list[ParsedItem]:
        """Take the next piece; return what is certain now."""
        return self._reader.feed(text)

    def finish(self, reason: EndReason) -> tuple[list[ParsedItem], EndReason]:
        """Return what was held back, and why the reply ended: "tool_calls" where it holds any.

        "length" stays: a call that was cut there is set aside by the assembler, never run (bug 11).
        """
        items = self._reader.finish()
        return items, "tool_calls" if reason == "stop" and self._reader.calls else reason


def plan(
    template: str,
    tools: Sequence[ToolSpec],
    *,
    family: str = "",
    forced: str = "",
    thinking: bool | None = None,
    tiny: bool = False,
    control_words: Iterable[str] = (),
) -> CallPlan:
    """Return the plan for these tools; `forced` names the one tool that must be called.

    `thinking` asks for it or against it where the template can be told (None: as it is). `tiny` bounds
    what a small model may write at a stretch. `control_words` are broken up in what tools say of
    themselves, which may come from anybody. Raises nothing, whatever the schemas are.
    """
    syntax = detect(template, family)
    tags = tags_of(template)
    shown = (*syntax.shown, *((tags.opening.strip(), tags.closing) if tags else ()))
    safe = partial(defused, control_words=(*control_words, *shown))
    ordered = tuple(safe_tool(tool, safe) for tool in sorted(tools, key=lambda tool: tool.name))
    offer = Offer(
        tools=ordered,
        shapes={tool.name: arguments_shape(tool.parameters) for tool in ordered},
        forced=forced if any(tool.name == forced for tool in ordered) else "",
        longest=LONGEST_OF_TINY if tiny else None,
        most_calls=1 if tiny else 8,
    )
    # Two names are in use for the same thing; a template ignores what it does not know.
    asked = {} if thinking is None else {"enable_thinking": thinking, "thinking": thinking}
    facts = probed(template, asked)
    native = syntax.native and facts.tools
    inside = tags is not None and facts.ends_within(tags)
    grammar = _sound(syntax, offer) if ordered else None
    if grammar and not grammar.lazy and tags and (inside or thinking is not False):
        grammar = _behind_thinking(grammar, tags, inside=inside)
    return CallPlan(
        family=syntax.name,
        grammar=grammar,
        variables={**asked, **(syntax.variables(offer) if native and ordered else {})},
        shown=shown,
        starts_thinking=inside,
        _syntax=syntax,
        _offer=offer,
        _tags=tags,
        _native=native,
    )


def _behind_thinking(grammar: Grammar, tags: Tags, *, inside: bool) -> Grammar:
    """Return a grammar of whole replies that leaves room for thinking before them.

    Where the prompt opened the thinking it holds from its end on. Else the model may open it or not.
    """
    rules = grammar.text.removeprefix("root ::= ")
    closing = literal(tags.closing)
    if inside:
        return Grammar(f"root ::= {closing} [\\n]{{0,2}} reply\nreply ::= {rules}", (tags.closing,))
    first, second = (f"\\{each}" if each in "[]" else each for each in tags.closing[:2])
    thought = f'[^{first}\\x00] | "{tags.closing[0]}" [^{second}\\x00]'
    thinking = f"{literal(tags.opening)} thought* {closing} [\\n]{{0,2}}"
    return Grammar(f"root ::= ({thinking})? reply\nreply ::= {rules}thought ::= {thought}\n")


def _sound(syntax: Syntax, offer: Offer) -> Grammar | None:
    """Return a grammar that llama.cpp takes; a tool it breaks over is held to any object instead."""
    if _is_sound(grammar := syntax.grammar(offer)):
        return grammar
    shapes = dict(offer.shapes)
    for name in offer.callable:
        if not _is_sound(syntax.grammar(replace(offer, forced=name))):
            shapes[name] = Anything(record=True)
    grammar = syntax.grammar(replace(offer, shapes=shapes))
    return grammar if _is_sound(grammar) else None


def _is_sound(grammar: Grammar | None) -> bool:
    try:
        return grammar is None or bool(parsed(grammar.text))
    except GrammarError:
        return False
