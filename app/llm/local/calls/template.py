"""Chat templates: Jinja as it comes with a model, from anybody, hence in a sandbox. Pure.

The names and filters are those that templates count on. The date they may print is fixed when the
template is made: a prompt whose head changes by the day is read again from its head (bug 40).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import NoReturn

from jinja2 import TemplateError, nodes
from jinja2.ext import Extension, loopcontrols
from jinja2.parser import Parser
from jinja2.sandbox import ImmutableSandboxedEnvironment

from app.errors import ModelError
from app.llm.local.calls.families.syntax import RawArguments, TemplateMessage
from app.llm.local.prompt import CHATML


class ChatTemplateError(ModelError):
    """A chat template that cannot be read, or does not take these messages."""

    code = "chat_template"
    hint = "The model's file may be damaged; another build of the same model may work."


class _Generation(Extension):
    """`{% generation %}`, which marks what training counts; here it is only its content."""

    def parse(self, parser: Parser) -> list[nodes.Node]:
        next(parser.stream)
        return parser.parse_statements(("name:endgeneration",), drop_needle=True)


_Generation.tags = {"generation"}


class ChatTemplate:
    """A chat template, ready to write prompts."""

    def __init__(self, source: str, begin: str = "", end: str = "", today: date | None = None) -> None:
        """Compile; `begin` and `end` are the words of the tokens around a text. Raises ChatTemplateError."""
        self.source = source or CHATML
        self._words = {"bos_token": begin, "eos_token": end}
        self._today = today or datetime.now().astimezone().date()
        environment = ImmutableSandboxedEnvironment(
            trim_blocks=True, lstrip_blocks=True, extensions=[loopcontrols, _Generation]
        )
        environment.filters["tojson"] = _json_text
        environment.globals["raise_exception"] = _refuse
        environment.globals["strftime_now"] = self._date
        # Jinja's own errors share no base with what an expression raises by itself.
        try:
            self._template = environment.from_string(self.source)
        except (TemplateError, RecursionError, SyntaxError) as error:
            raise ChatTemplateError(f"The model's chat template cannot be read: {error}.") from error

    def render(
        self,
        messages: Sequence[TemplateMessage],
        variables: Mapping[str, object] | None = None,
        *,
        reply: bool = True,
    ) -> str:
        """Return the prompt; with `reply` it ends where the model goes on. Raises ChatTemplateError."""
        given = {
            **self._words,
            **(variables or {}),
            "messages": list(messages),
            "add_generation_prompt": reply,
        }
        try:
            return self._template.render(given)
        except (
            TemplateError,
            ArithmeticError,
            AttributeError,
            LookupError,
            OSError,
            RecursionError,
            TypeError,
            ValueError,
        ) as error:
            raise ChatTemplateError(
                f"The model's chat template does not take these messages: {error}"
            ) from error

    def _date(self, form: str) -> str:
        return self._today.strftime(form)


def _json_text(value: object, indent: int | None = None, **_: object) -> str:
    """Return the value as JSON; arguments of a call as the model wrote them."""
    if isinstance(value, RawArguments):
        return value.raw
    if isinstance(value, Mapping) and any(isinstance(inner, RawArguments) for inner in value.values()):
        pairs = (f"{_json_text(str(key))}: {_json_text(inner)}" for key, inner in value.items())
        return "{" + ", ".join(pairs) + "}"
    return json.dumps(value, ensure_ascii=False, indent=indent, default=str)


def _refuse(message: str) -> NoReturn:
    raise TemplateError(message)
