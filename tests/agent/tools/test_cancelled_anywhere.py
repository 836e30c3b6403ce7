"""The agent's own tools, cancelled at every step: nothing is left half done, no question stays open."""

from __future__ import annotations

import asyncio

from app.agent.asking import QuestionReply
from app.agent.tools.ask_user import AskUser
from app.agent.tools.memory import SaveMemory
from app.agent.tools.todo import TodoWrite
from app.events import Question, QuestionAnswer
from app.library.tasks import TODO
from tests.fakes.agent_world import PersonAsker, World
from tests.harness.cancelling import at_every_step

PLANS = [
    [{"id": str(n), "content": f"Step {n}", "status": "pending"} for n in range(size)] for size in (2, 3)
]


async def test_that_no_question_stays_open_wherever_it_is_cancelled(world: World) -> None:
    """Bug 34: a cancel closes the question, whenever it comes."""

    async def think() -> None:
        for _ in range(3):
            await asyncio.sleep(0)

    world.asker = PersonAsker(QuestionReply("answered", "yes"), wait=think)

    def check() -> None:
        asked = [event.id for event in world.events if isinstance(event, Question)]
        closed = [event.id for event in world.events if isinstance(event, QuestionAnswer)]
        assert closed == asked
        world.events.clear()

    assert await at_every_step(lambda: world.run(AskUser(), question="Well?"), check) > 2


async def test_that_a_plan_is_the_old_or_the_new_one_whole(world: World) -> None:
    """Trap 0.9: no list is kept in half."""
    await world.run(TodoWrite(), items=PLANS[0])
    runs = 0

    def check() -> None:
        nonlocal runs
        (row,) = world.library.tasks.of_session(world.session, TODO)
        assert [item["id"] for item in row.payload["items"]] in (["0", "1"], ["0", "1", "2"])
        runs += 1

    await at_every_step(lambda: world.run(TodoWrite(), items=PLANS[1 - runs % 2]), check)
    assert runs > 2


async def test_that_a_memory_is_saved_once_or_not_at_all(world: World) -> None:
    """Trap 0.9: what is cancelled while it is written is written whole."""
    text = "The user prefers AB magnitudes in every table."

    def check() -> None:
        assert [row.content for row in world.library.memories.list()] in ([], [text])

    await at_every_step(lambda: world.run(SaveMemory(), content=text), check)
    assert len(world.library.memories.list()) == 1
