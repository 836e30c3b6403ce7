from __future__ import annotations

from app.llm.chat import Use
from app.llm.local.slots import Slot, SlotTable


def taken(table: SlotTable, owner: str, use: Use, ids: list[int]) -> Slot:
    slot = table.claim(owner)
    table.give(slot, owner, use)
    slot.log.ids = ids
    return slot


def test_that_a_conversation_keeps_its_sequence() -> None:
    table = SlotTable(3)
    first = taken(table, "a", Use.TURN, [1, 2])
    taken(table, "b", Use.TURN, [1, 3])
    assert table.claim("a") is first


def test_that_a_title_never_takes_the_place_of_a_conversation() -> None:
    table = SlotTable(2)
    conversation = taken(table, "a", Use.TURN, [1, 2])
    title = taken(table, "", Use.TITLE, [3])
    assert table.claim("") is title
    assert table.spare(conversation) is title


def test_that_sub_agents_leave_before_conversations_and_the_oldest_first() -> None:
    table = SlotTable(4)
    newest = taken(table, "a", Use.TURN, [1])
    helper = taken(table, "h", Use.SUBAGENT, [2])
    older = taken(table, "b", Use.TURN, [3])
    table.give(newest, "a", Use.TURN)
    assert table.spare(newest) is helper
    helper.log.ids = []
    assert table.spare(newest) is older


def test_that_the_only_sequence_in_use_has_nobody_to_spare() -> None:
    table = SlotTable(2)
    assert table.spare(taken(table, "a", Use.TURN, [1])) is None


def test_that_a_new_conversation_starts_with_the_head_that_another_has_read() -> None:
    table = SlotTable(2)
    head = list(range(100))
    first = taken(table, "a", Use.TURN, [*head, 7])
    second = taken(table, "b", Use.TURN, [])
    claim = table.head(second, [*head, 8])
    assert (claim.source, claim.kept) == (first, 100)


def test_that_a_conversation_that_agrees_with_itself_stays_where_it_is() -> None:
    table = SlotTable(2)
    first = taken(table, "a", Use.TURN, list(range(100)))
    taken(table, "b", Use.TURN, list(range(110)))
    claim = table.head(first, list(range(120)))
    assert (claim.source, claim.kept) == (None, 100)


def test_that_only_conversations_and_sub_agents_last() -> None:
    lasting = [use for use in Use if Slot(0, use=use).lasting]
    assert lasting == [Use.TURN, Use.SUBAGENT]
