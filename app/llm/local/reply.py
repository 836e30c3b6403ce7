"""What the parts of the worker's answer to one request mean. Pure."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from app.llm.chat import ChatEnd, ChatItem, ChatProgress
from app.llm.local.calls.plan import CallParser, plan
from app.llm.local.echoes import Heard
from app.llm.local.requests import Ask
from app.workers.protocol import JSON

LOADING = "The model is being loaded."

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class Reply:
    """One attempt at a reply. `given` says whether anything of it was passed on."""

    ask: Ask
    tiny: bool
    heard: Heard = field(default_factory=Heard)
    parser: CallParser | None = None
    begun: bool = False
    given: bool = False

    def items(self, part: JSON) -> list[ChatItem]:
        """Return what a part of the worker's answer means."""
        match part:
            case {"loading": float() | int() as share}:
                return [ChatProgress(float(share), LOADING)]
            case {"begun": {"head": str(head), "template": str(template), "family": str(family)} as begun}:
                self.begun, self.heard.head, self.heard.family = True, head, family
                self.parser = self._parser(template, family, inside=bool(begun.get("inside")))
                return []
            case {"read": int(read), "of": int(whole)}:
                return [ChatProgress(read / max(whole, 1))]
            case {"text": str(text)} if self.parser:
                self.heard.raw.append(text)
                return self._heard(self.parser.feed(text))
            case {"reason": "stop" | "length" as reason, "prompt_tokens": int(read)} if self.parser:
                items, why = self.parser.finish(reason)
                end = ChatEnd(why, read, int(part["completion_tokens"]), int(part["cached_tokens"]))
                if problem := part.get("problem"):
                    _log.warning("%s", problem)
                return [*self._heard(items), end]
        return []

    def _heard(self, items: Sequence[ChatItem]) -> list[ChatItem]:
        for item in items:
            self.given = True
            self.heard.take(item)
        return list(items)

    def _parser(self, template: str, family: str, *, inside: bool) -> CallParser:
        how = plan(
            template,
            self.ask.tools,
            family=family,
            forced=self.ask.forced,
            thinking=self.ask.thinking,
            tiny=self.tiny,
        )
        return replace(how, starts_thinking=how.starts_thinking or inside).parser()
