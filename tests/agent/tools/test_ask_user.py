"""ask_user: a question is shown, waited for without hurry, and an answer that did not come is no yes."""

from __future__ import annotations

import asyncio

import pytest
from pydantic import ValidationError

from app.agent.asking import QuestionReply
from app.agent.tools.ask_user import NO_ANSWER, AskUser, AskUserArgs
from app.events import Question, QuestionAnswer
from tests.fakes.agent_world import PersonAsker, World


def asked(world: World) -> Question:
    (question,) = [event for event in world.events if isinstance(event, Question)]
    return question


def answers(world: World) -> list[QuestionAnswer]:
    return [event for event in world.events if isinstance(event, QuestionAnswer)]


async def test_that_the_answer_reaches_the_model_and_the_journal(world: World) -> None:
    world.asker = PersonAsker(QuestionReply("answered", "the anchor NGC 4258"))
    output = await world.run(AskUser(), question=" Which anchor? ", options=["LMC", " NGC  4258", "LMC"])
    question = asked(world)
    assert (question.text, question.options) == ("Which anchor?", ("LMC", "NGC 4258"))
    assert question.tool_call_id == "call_1"
    assert answers(world) == [QuestionAnswer(question.id, "answered", "the anchor NGC 4258")]
    assert output.content == "The person answered: the anchor NGC 4258"
    assert output.metadata == {"question": question.id, "status": "answered"}


async def test_that_a_question_is_shown_before_it_is_waited_for_and_has_an_id_of_its_own(
    world: World,
) -> None:
    seen: list[int] = []

    async def look() -> None:
        seen.append(len(world.events))

    world.asker = PersonAsker(wait=look)
    await world.run(AskUser(), question="One?")
    await world.run(AskUser(), question="Two?")
    assert seen == [1, 3]
    ids = [event.id for event in world.events if isinstance(event, Question)]
    assert len(set(ids)) == 2


async def test_that_waiting_does_not_count_against_the_tool(world: World) -> None:
    """Bug 34: the clock of the timeout stands still while the person thinks."""
    world.asker = PersonAsker()
    await world.run(AskUser(), question="Well?")
    assert world.states == ["waiting", "end of waiting"]
    assert AskUser.timeout_s == float("inf")


async def test_that_no_answer_is_never_a_consent(world: World) -> None:
    """Trap 0.13: time ran out, and nothing is taken as chosen."""
    world.asker = PersonAsker(QuestionReply("no_answer"))
    world.overrides = {"agent": {"ask_user_timeout_s": 12.5}}
    output = await world.run(AskUser(), question="Overwrite?", options=["yes", "no"])
    assert world.asker.timeouts == [12.5]
    assert output.content == NO_ANSWER
    assert "not a yes" in output.content
    assert output.metadata["status"] == "no_answer"
    assert "yes" not in {word.strip(".,:") for word in output.content.replace("not a yes", "").split()}
    assert answers(world)[0].status == "no_answer"


async def test_that_a_withdrawn_question_is_told_as_one(world: World) -> None:
    """Bug 34: cancelled by the person's side."""
    world.asker = PersonAsker(QuestionReply("cancelled"))
    output = await world.run(AskUser(), question="Well?")
    assert output.metadata["status"] == "cancelled"
    assert "no answer" in output.content
    assert answers(world)[0].status == "cancelled"


async def test_that_a_cancel_closes_the_question_and_goes_on(world: World) -> None:
    """Bug 34: a stopped turn leaves no question open."""
    waiting = asyncio.Event()

    async def forever() -> None:
        waiting.set()
        await asyncio.Event().wait()

    world.asker = PersonAsker(wait=forever)
    task = asyncio.create_task(world.run(AskUser(), question="Well?"))
    await waiting.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert [answer.status for answer in answers(world)] == ["cancelled"]
    assert answers(world)[0].id == asked(world).id
    assert world.states == ["waiting", "end of waiting", "protected", "end of protected"]


async def test_that_nobody_is_asked_where_nobody_can_answer(world: World) -> None:
    """Bug 34: headless, it neither waits nor decides, and it is not offered."""
    output = await world.run(AskUser(), question="Well?")
    assert output.is_error
    assert world.events == []
    assert AskUser.needs_person


@pytest.mark.parametrize(
    "bad", [{"question": ""}, {"question": "x" * 2001}, {"question": "x", "options": ["a"] * 9}]
)
def test_that_questions_have_a_size(bad: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        AskUserArgs.model_validate(bad)
