from __future__ import annotations

import pytest

from app.errors import ModelError
from app.llm.local.prompt import Message, render, without_system

MESSAGES: list[Message] = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Why?"}]


def plain(messages: list[Message]) -> str:
    return "".join(f"[{message['role']}]{message['content']}" for message in messages)


def no_system(messages: list[Message]) -> str:
    if messages[0]["role"] == "system":
        raise ValueError("System role not supported")
    return plain(messages)


def test_that_a_template_gets_the_messages() -> None:
    assert render(plain, MESSAGES) == "[system]Be brief.[user]Why?"


def test_that_a_template_without_system_role_gets_it_in_the_question() -> None:
    assert render(no_system, MESSAGES) == "[user]Be brief.\n\nWhy?"


def test_that_a_template_that_takes_nothing_is_an_error() -> None:
    def broken(messages: list[Message]) -> str:
        raise KeyError("tools")

    with pytest.raises(ModelError, match="chat template"):
        render(broken, MESSAGES)


def test_that_messages_without_system_stay_as_they_are() -> None:
    assert without_system(MESSAGES[1:]) == MESSAGES[1:]
