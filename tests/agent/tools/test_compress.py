"""compress_context only sets a mark for the next step."""

from __future__ import annotations

from app.agent.tools.compress import CompressContext
from app.agent.tools.tool import NoArgs
from tests.fakes.agent_world import World


async def test_that_the_session_is_marked_for_its_next_step(world: World) -> None:
    output = await world.run(CompressContext())
    assert not output.is_error
    assert world.compactions == [world.session]
    assert CompressContext().is_concurrency_safe(NoArgs())
