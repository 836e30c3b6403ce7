"""A conversation as the text of a prompt, in which the model's own replies stand as it wrote them. Pure.

Chat templates rewrite the past: they drop thinking, space JSON in their own way, add a newline. So the
replies whose text is known are rendered as a mark, and the stretch from the head of that turn to the word
that ends it is replaced by what was written. Where a template does something unforeseen with a mark, its
own rendering is used as it is, and the model reads again what differs.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from app.llm.chat import ChatMessage
from app.llm.local.calls.families.syntax import TemplateMessage
from app.llm.local.calls.plan import CallPlan
from app.llm.local.calls.template import ChatTemplate, ChatTemplateError
from app.llm.local.prompt import without_system
from app.llm.local.text import defused
from app.llm.local.token_log import Part, Reply


@dataclass(frozen=True, slots=True)
class Written:
    """A reply as the model wrote it, behind the `head` of its turn that the prompt ended with.

    `family` is the call syntax it was written in: among replies in another it would only confuse.
    """

    head: str
    text: str
    family: str = ""


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt, and its last words (`head`), behind which the model goes on."""

    text: str
    head: str
    heads: tuple[str, ...]

    def parts(self, known: Mapping[str, object], end_words: Sequence[str]) -> list[Part]:
        """Return the prompt cut at the replies whose tokens are known."""
        if not known or not end_words:
            return [self.text]
        ends = "|".join(map(re.escape, end_words))
        heads = "|".join(map(re.escape, sorted(filter(None, self.heads), key=len, reverse=True)))
        pattern = rf"(?P<head>{heads})(?P<reply>.*?)(?={ends})" if heads else _replies(known, ends)
        parts: list[Part] = []
        at = 0
        for found in re.finditer(pattern, self.text, re.DOTALL):
            if found["reply"] in known:
                parts += [self.text[at : found.start("reply")], Reply(found["reply"])]
                at = found.end("reply")
        return [*parts, self.text[at:]]


@dataclass(frozen=True, slots=True)
class Renderer:
    """Writes prompts for one model: its template, and the words that text must not hold."""

    template: ChatTemplate
    control_words: Sequence[str]
    end_words: Sequence[str]

    def prompt(
        self, plan: CallPlan, history: Sequence[ChatMessage], written: Mapping[int, Written]
    ) -> Prompt:
        """Return the prompt; `written` are replies by their place in the history.

        Raises ChatTemplateError when the template does not take the messages.
        """
        heads = {reply.head for reply in written.values()}
        text = self._with_marks(plan, history, written) if written and self.end_words else None
        messages = plan.messages(history, self.control_words)
        plain, messages = self._rendered(messages, plan)
        text = text or plain
        head = self._head(plain, messages, plan)
        return Prompt(text, head, tuple({*heads, head}))

    def _head(self, plain: str, messages: Sequence[TemplateMessage], plan: CallPlan) -> str:
        """Return what the prompt has behind the last message."""
        try:
            without = self.template.render(messages, plan.variables, reply=False)
        except ChatTemplateError:
            return ""
        return plain[len(without) :] if plain.startswith(without) else ""

    def _rendered(self, messages: list[TemplateMessage], plan: CallPlan) -> tuple[str, list[TemplateMessage]]:
        """Return the prompt; templates that know no system role get it at the head of the first question."""
        try:
            return self.template.render(messages, plan.variables), messages
        except ChatTemplateError:
            folded = without_system(messages)
            if folded == messages:
                raise
        return self.template.render(folded, plan.variables), folded

    def _with_marks(
        self, plan: CallPlan, history: Sequence[ChatMessage], written: Mapping[int, Written]
    ) -> str | None:
        nonce = secrets.token_hex(8)
        marks = {place: f"({nonce} {place})" for place in written}
        marked = [
            replace(message, content=marks[place], thinking="") if place in marks else message
            for place, message in enumerate(history)
        ]
        try:
            text, _ = self._rendered(plan.messages(marked, self.control_words), plan)
        except ChatTemplateError:
            return None
        pieces: list[str] = []
        at = 0
        for place in sorted(marks):
            span = self._turn(text, marks[place], written[place].head, at)
            if span is None or sum(mark in text[at : span[1]] for mark in marks.values()) != 1:
                return None
            pieces += [text[at : span[0]], written[place].head, self._safe(written[place].text)]
            at = span[1]
        return "".join([*pieces, text[at:]])

    def _turn(self, text: str, mark: str, head: str, after: int) -> tuple[int, int] | None:
        """Return from where to where a marked reply goes, with the head of its turn."""
        middle = text.find(mark, after)
        if middle < 0:
            return None
        ends = [end for word in self.end_words if (end := text.find(word, middle)) >= 0]
        opening = next((word for word in self.control_words if head.startswith(word)), "")
        start = text.rfind(opening, after, middle) if opening else middle - len(head)
        if not ends or start < after or (not opening and text[start:middle] != head):
            return None
        return start, min(ends)

    def _safe(self, text: str) -> str:
        return defused(text, self.end_words)


def _replies(known: Mapping[str, object], ends: str) -> str:
    """Return a pattern of the known replies themselves, for turns that have no head."""
    longest_first = sorted(known, key=len, reverse=True)
    return rf"(?P<reply>{'|'.join(map(re.escape, longest_first))})(?={ends})"
