from __future__ import annotations

from datetime import date

import pytest

from app.llm.local.calls.families.syntax import RawArguments, TemplateMessage
from app.llm.local.calls.template import ChatTemplate, ChatTemplateError
from tests.harness.chat_templates import BROKEN, RAISES

USER: list[TemplateMessage] = [{"role": "user", "content": "Q"}]


def test_that_no_template_means_chatml() -> None:
    assert ChatTemplate("").render(USER) == "<|im_start|>user\nQ<|im_end|>\n<|im_start|>assistant\n"


@pytest.mark.parametrize(
    "source",
    [
        RAISES,
        BROKEN,
        "{{ 1 / 0 }}",
        "{{ messages[0].content + 1 }}",
        "{{ nothing.at.all }}",
        "{% for i in range(10 ** 9) %}{% endfor %}",
        "{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}",
        "{{ ''.__class__.__mro__[1].__subclasses__()[0].__init__.__globals__ }}",
        "{{ messages.clear() }}",
        "{% import 'os' as os %}",
        "{{ 'x' | no_such_filter }}",
    ],
)
def test_that_a_template_that_fails_says_so(source: str) -> None:
    with pytest.raises(ChatTemplateError):
        ChatTemplate(source).render(USER)


def test_that_the_date_does_not_change_with_the_clock() -> None:
    """Bug 40: a clock in the system prompt."""
    template = ChatTemplate("{{ strftime_now('%d %b %Y') }}", today=date(2024, 7, 26))
    assert template.render(USER) == "26 Jul 2024"


def test_that_arguments_are_written_as_the_model_wrote_them() -> None:
    call = {"function": {"name": "f", "arguments": RawArguments('{"a":1,  "b": "星"}')}}
    text = ChatTemplate("{{ c.function.arguments | tojson }} {{ c.function | tojson }}").render(
        [], {"c": call}
    )
    assert text == '{"a":1,  "b": "星"} {"name": "f", "arguments": {"a":1,  "b": "星"}}'


@pytest.mark.parametrize("raw", ["", "{broken", "[1]", "3"])
def test_that_arguments_that_are_no_object_are_kept_as_text(raw: str) -> None:
    arguments = RawArguments(raw)
    assert dict(arguments) == {}
    assert arguments.raw == (raw or "{}")


def test_that_what_training_marks_is_only_its_content() -> None:
    source = (
        "{% for m in messages %}{% generation %}{{ m.content }}{% endgeneration %}{% break %}{% endfor %}"
    )
    assert ChatTemplate(source).render([*USER, *USER]) == "Q"


def test_that_json_keeps_its_letters() -> None:
    assert ChatTemplate("{{ {'a': 'é<b>'} | tojson }}").render([]) == '{"a": "é<b>"}'
