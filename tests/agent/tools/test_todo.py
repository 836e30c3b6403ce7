"""todo_write keeps the plan with the conversation and shows it; a wrong plan changes nothing."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from app.agent.tools.todo import TodoWrite, TodoWriteArgs
from app.events import Todo
from app.library.tasks import TODO
from app.records.ids import SessionId
from tests.fakes.agent_world import World

PLAN = [
    {"id": "1", "content": "Read  Riess", "status": "completed"},
    {"id": 2, "content": "Read Planck", "status": "in_progress", "blockedBy": [1]},
    {"id": "3", "content": "Compare", "status": "pending", "blockedBy": ["1", "2", "2"]},
]


def kept(world: World, session: SessionId | None = None) -> list[dict[str, object]]:
    rows = world.library.tasks.of_session(session or world.session, TODO)
    assert len(rows) <= 1
    return list(rows[0].payload["items"]) if rows else []


async def test_that_a_plan_is_kept_and_shown(world: World) -> None:
    output = await world.run(TodoWrite(), items=PLAN)
    assert not output.is_error
    (shown,) = [event for event in world.events if isinstance(event, Todo)]
    assert shown.items[1] == {
        "id": "2", "content": "Read Planck", "status": "in_progress", "blockedBy": ["1"]
    }  # fmt: skip
    assert kept(world) == list(shown.items)
    assert "[x] 1: Read Riess" in output.content


async def test_that_a_new_plan_replaces_the_old_one_in_its_session_alone(world: World) -> None:
    other = world.library.journal.new_session("another")
    await world.run(TodoWrite(), items=PLAN)
    await world.run(TodoWrite(), items=[{"id": "x", "content": "Rest", "status": "pending"}])
    assert [one["id"] for one in kept(world)] == ["x"]
    assert kept(world, other) == []
    await world.run(TodoWrite(), items=[])
    assert kept(world) == []


async def test_that_a_wrong_plan_changes_nothing(world: World) -> None:
    await world.run(TodoWrite(), items=PLAN)
    world.events.clear()
    circle = [
        {"id": "a", "content": "A", "status": "pending", "blockedBy": ["b"]},
        {"id": "b", "content": "B", "status": "pending", "blockedBy": ["a"]},
    ]
    output = await world.run(TodoWrite(), items=circle)
    assert output.is_error
    assert "a -> b -> a" in output.content
    assert world.events == []
    assert [one["id"] for one in kept(world)] == ["1", "2", "3"]


def test_that_two_plans_are_never_written_at_once() -> None:
    """Trap 0.7: a list is replaced whole, so it holds the gate alone."""
    assert not TodoWrite().is_concurrency_safe(TodoWriteArgs(items=()))


async def test_that_keeping_and_showing_is_one_protected_step(world: World) -> None:
    await world.run(TodoWrite(), items=PLAN)
    assert world.states == ["protected", "end of protected"]


@pytest.mark.parametrize(
    "bad",
    [
        {"id": "", "content": "x", "status": "pending"},
        {"id": "1", "content": "x", "status": "done"},
        {"id": "1", "content": "x", "status": "pending", "blockedBy": "1"},
        {"id": "1", "content": "x", "status": "pending", "priority": "high"},
        {"id": "1", "content": "x" * 401, "status": "pending"},
        {"id": True, "content": "x", "status": "pending"},
    ],
)
def test_that_items_of_another_shape_are_refused(bad: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        TodoWriteArgs.model_validate({"items": [bad]})


def test_that_models_see_the_name_of_the_contract() -> None:
    item = TodoWrite().parameters()["properties"]["items"]["items"]
    assert set(item["properties"]) == {"id", "content", "status", "blockedBy"}
    assert item["required"] == ["id", "content", "status"]
