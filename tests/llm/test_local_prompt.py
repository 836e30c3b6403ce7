from __future__ import annotations

from app.llm.local.prompt import without_system

MESSAGES = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Why?"}]


def test_that_system_text_goes_before_the_first_question() -> None:
    assert without_system(MESSAGES) == [{"role": "user", "content": "Be brief.\n\nWhy?"}]


def test_that_messages_without_system_stay_as_they_are() -> None:
    assert without_system(MESSAGES[1:]) == MESSAGES[1:]
