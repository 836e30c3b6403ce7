"""Mistral: calls behind `[TOOL_CALLS]`, as a list of objects (2024) or as name and arguments (2025)."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import ClassVar, Literal

from app.llm.chat import CallDelta, ChatDelta, ChatMessage
from app.llm.local.calls.families.syntax import (
    Grammar,
    Offer,
    Syntax,
    call_object,
    described,
    one_of_the_calls,
)
from app.llm.local.calls.families.tagged import HEADS
from app.llm.local.calls.grammar import GrammarBuilder, literal, spelled
from app.llm.local.calls.parser import ObjectReader, ParsedItem, Reader, best_head, partial_end

OPENING, ARGUMENTS, CALL_ID = "[TOOL_CALLS]", "[ARGS]", "[CALL_ID]"


class Mistral(Syntax):
    """`[TOOL_CALLS]name[ARGS]{…}`, once or several times."""

    name = "mistral"
    shown: ClassVar[tuple[str, ...]] = (OPENING, ARGUMENTS, CALL_ID)
    id_length = 9

    def matches(self, template: str) -> bool:
        """Whether the template writes a call as its name, a mark and its arguments."""
        return OPENING in template and ARGUMENTS in template

    def grammar(self, offer: Offer) -> Grammar:
        """Return a grammar of calls from the first mark on."""
        build = GrammarBuilder(longest=offer.longest)
        one = one_of_the_calls(build, offer, lambda name: f"{name}{ARGUMENTS}")
        call = build.rule("call", f"{literal(OPENING)} {one}")
        more = f"{call}{{0,{offer.most_calls - 1}}}" if offer.most_calls > 1 else ""
        return Grammar(build.text(f"{call} {more}"), () if offer.forced else (OPENING,))

    def reader(self, offer: Offer) -> Reader:
        """Return a reader of both forms."""
        return MarkedReader()

    def instructions(self, offer: Offer) -> str:
        """Return the tools as these templates write them."""
        tools = json.dumps([described(tool) for tool in offer.tools], ensure_ascii=False)
        return f"[AVAILABLE_TOOLS]{tools}[/AVAILABLE_TOOLS]"

    def written(self, message: ChatMessage) -> str:
        """Return the text, and each call behind its mark."""
        calls = (f"{OPENING}{call.name}{ARGUMENTS}{call.arguments or '{}'}" for call in message.calls)
        return message.content + "".join(calls)


class MistralList(Mistral):
    """`[TOOL_CALLS][{"name": "…", "arguments": {…}}]`: Nemo and what came before 2025."""

    name = "mistral-list"
    shown: ClassVar[tuple[str, ...]] = (OPENING,)

    def matches(self, template: str) -> bool:
        """Whether the template knows the mark, but none before the arguments."""
        return OPENING in template and ARGUMENTS not in template

    def grammar(self, offer: Offer) -> Grammar:
        """Return a grammar of a list of calls from the mark on."""
        build = GrammarBuilder(longest=offer.longest)
        one = one_of_the_calls(build, offer, lambda name: f'{spelled(name)}, "arguments": ')
        id_ = '(", \\"id\\": \\"" [0-9A-Za-z]{9} "\\"")?'
        begin = literal('{"name": ')
        call = build.rule("call", f'{begin} {one} {id_} "}}"')
        more = f'(", " {call}){{0,{offer.most_calls - 1}}}' if offer.most_calls > 1 else ""
        root = f'{literal(OPENING)} " "? "[" {call} {more} "]"'
        return Grammar(build.text(root), () if offer.forced else (OPENING,))

    def written(self, message: ChatMessage) -> str:
        """Return the text, and the calls as one list."""
        calls = ", ".join(call_object(call) for call in message.calls)
        return message.content + (f"{OPENING}[{calls}]" if calls else "")


@dataclass(slots=True)
class MarkedReader:
    """Reads prose, and behind the mark `name[ARGS]{…}` or a list of objects, again and again."""

    calls: int = 0
    _state: Literal["text", "head", "arguments", "tail"] = "text"
    _held: str = ""
    _object: ObjectReader = field(default_factory=ObjectReader)

    @property
    def busy(self) -> bool:
        """Whether calls are being read."""
        return self._state != "text"

    def feed(self, text: str) -> list[ParsedItem]:
        """Take the next piece; return what is certain now."""
        found: list[ParsedItem] = []
        self._held += text
        before = None
        while before != (self._state, self._held):
            before = (self._state, self._held)
            found += self._step()
        return found

    def finish(self) -> list[ParsedItem]:
        """Return what was held back; a call that was cut before its arguments keeps what was written."""
        held, self._held = self._held.strip(), ""
        if self._state == "text":
            return [ChatDelta(held)] if held else []
        if self._state == "head" and held:
            self.calls += 1
            return [CallDelta(self.calls - 1, arguments=held)]
        return []

    def _step(self) -> list[ParsedItem]:
        match self._state:
            case "text":
                at = self._held.find(OPENING)
                end = at if at >= 0 else len(self._held) - partial_end(self._held, [OPENING])
                said = self._held[:end].rstrip()
                self._held = self._held[len(said) :] if at < 0 else self._held[at + len(OPENING) :]
                self._state = "head" if at >= 0 else "text"
                return [ChatDelta(said)] if said else []
            case "head":
                return self._head()
            case "arguments":
                inside, self._held = self._object.feed(self._held)
                self._state = "tail" if self._object.closed else "arguments"
                return [CallDelta(self.calls - 1, arguments=inside)] if inside else []
            case "tail":
                return self._tail()

    def _head(self) -> list[ParsedItem]:
        text = self._held.lstrip().removeprefix("[").lstrip()
        if text.startswith("{"):
            head = best_head(text, HEADS)
            if head and not head.whole:
                return []
            name, rest = (head.strings[0], text[head.end :]) if head else ("", text)
        else:
            at = text.find("{")
            if at < 0:
                return []
            name, rest = text[:at].partition(CALL_ID)[0].removesuffix(ARGUMENTS).strip(), text[at:]
        self.calls += 1
        self._state, self._object, self._held = "arguments", ObjectReader(), rest
        return [CallDelta(self.calls - 1, name=name)]

    def _tail(self) -> list[ParsedItem]:
        """Drop what stands between one call's arguments and the next call."""
        mark, comma = self._held.find(OPENING), self._held.find("{")
        if mark >= 0 and (comma < 0 or mark < comma):
            self._state, self._held = "head", self._held[mark + len(OPENING) :]
        elif comma >= 0:
            self._state, self._held = "head", self._held[comma:]
        else:
            keep = partial_end(self._held, [OPENING])
            self._held = self._held[len(self._held) - keep :]
        return []
