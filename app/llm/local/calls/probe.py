"""What a chat template can do, found by trying it: some speak of tools and do not tell of them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from app.llm.chat import CallPart, ChatMessage, ToolSpec
from app.llm.local.calls.families.syntax import TemplateMessage, described, native_messages
from app.llm.local.calls.thinking import Tags

_TOOL, _ARGUMENT, _RESULT = "probe_tool", "probe argument", "probe result"


@dataclass(frozen=True, slots=True)
class TemplateFacts:
    """Whether the template tells of tools, writes calls and writes results; and how its prompt ends."""

    tools: bool = False
    prompt_end: str = ""

    def ends_within(self, tags: Tags) -> bool:
        """Whether the prompt leaves thinking open, so that the reply begins within it."""
        opened = self.prompt_end.rfind(tags.opening.strip())
        return opened >= 0 and self.prompt_end.find(tags.closing, opened) < 0


UNTRIED = TemplateFacts()


def probed(template: str, variables: Mapping[str, object]) -> TemplateFacts:
    """Return what the template does with a tool, a call and a result."""
    return _probed(template, json.dumps(variables, sort_keys=True))


@lru_cache(maxsize=16)
def _probed(source: str, variables: str) -> TemplateFacts:
    # Jinja costs a tenth of a second, which is for the first request, not for starting up.
    from app.llm.local.calls.template import ChatTemplate, ChatTemplateError

    given = json.loads(variables)
    try:
        template = ChatTemplate(source)
        end = template.render([{"role": "user", "content": "probe"}], given)
    except ChatTemplateError:
        return UNTRIED
    try:
        prompt = template.render(_dialogue(), {**given, **_offered()})
    except ChatTemplateError:
        prompt = ""
    tools = all(word in prompt for word in (_TOOL, _ARGUMENT, _RESULT))
    return TemplateFacts(tools=tools, prompt_end=end[-200:])


def _offered() -> dict[str, object]:
    parameters = {"type": "object", "properties": {"word": {"type": "string", "description": "A word."}}}
    tool = described(ToolSpec(_TOOL, "A tool.", {**parameters, "required": ["word"]}))
    return {"tools": [tool], "xml_tools": [tool]}


def _dialogue() -> list[TemplateMessage]:
    call = CallPart("probe0000", _TOOL, json.dumps({"word": _ARGUMENT}))
    history = [
        ChatMessage("system", "probe"),
        ChatMessage("user", "probe"),
        ChatMessage("assistant", "", calls=(call,)),
        ChatMessage("tool", _RESULT, call_id=call.id),
    ]
    return native_messages(history, str, id_length=9)
