from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from app.agent import team as team_module
from app.agent import team_work
from app.agent.loop import event_log
from app.agent.team import MAX_MEMBERS
from app.agent.team_roster import MAX_RUNS, MAX_UNREAD
from app.agent.team_words import MAIL_CHARACTERS
from app.agent.team_work import TEAM_TOOLS
from app.agent.tools.context import Conversation
from app.errors import ModelError, NotFoundError, UsageError
from app.library.mail import Letter
from app.records.ids import SessionId
from tests.fakes import orchestra as orchestra_module
from tests.fakes.orchestra import Child, Orchestra, until
from tests.harness.cancelling import at_every_step


def mail(orchestra: Orchestra, session: SessionId) -> list[dict[str, Any]]:
    """Return what mail an agent was shown."""
    return [event for event in orchestra.library.journal.events(session) if event.get("source") == "mail"]


def sent_to_lead(orchestra: Orchestra, session: SessionId) -> list[Letter]:
    """Return all letters that wait for the lead."""
    return orchestra.library.mail.unread(session, "lead", 1000)


async def states(orchestra: Orchestra, session: SessionId) -> dict[str, str]:
    return {member.name: member.state for member in await orchestra.team.status(session)}


async def quiet(orchestra: Orchestra, session: SessionId) -> dict[str, str]:
    """Wait until no teammate is at work, and return how they stand."""

    async def nobody_works() -> bool:
        return "running" not in (await states(orchestra, session)).values()

    await until(nobody_works)
    return await states(orchestra, session)


async def spawn(orchestra: Orchestra, lead: Conversation, name: str = "ann", task: str = "read it") -> None:
    await orchestra.use(lead, "spawn_teammate", name=name, role="reader", task=task)


async def test_that_a_teammate_works_beside_the_lead_and_its_last_text_comes_by_mail(
    orchestra: Orchestra,
) -> None:
    """Bug 33: a teammate's final text is always sent to the lead, which is woken for it."""
    lead = orchestra.lead()
    await spawn(orchestra, lead)
    assert await states(orchestra, lead.session_id) == {"ann": "running"}
    assert await quiet(orchestra, lead.session_id) == {"ann": "idle"}
    assert orchestra.woken == [lead.session_id]
    (child,) = orchestra.children
    assert (child.name, child.kind, child.parent.call_id) == ("ann", "teammate", "call_1")
    assert child.task == "[Message from lead]\nread it"
    assert "You are ann" in child.instructions
    assert await orchestra.team.deliver(lead) == 1
    (event,) = mail(orchestra, lead.session_id)
    assert event["text"] == "[Message from ann]\nann did: [Message from lead]\nread it"
    assert event["trusted"] is False
    assert await orchestra.team.deliver(lead) == 0


async def test_that_an_idle_teammate_goes_to_work_on_new_mail_and_knows_the_old(orchestra: Orchestra) -> None:
    lead = orchestra.lead()
    await spawn(orchestra, lead)
    await quiet(orchestra, lead.session_id)
    output = await orchestra.use(lead, "send_teammate_message", to="Ann", message="and now this")
    assert "running" in output.content
    await quiet(orchestra, lead.session_id)
    earlier, new = orchestra.children[1].task.split("New messages:")
    assert "[Message from lead]\nread it" in earlier
    assert "[You to lead]\nann did:" in earlier
    assert new.strip() == "[Message from lead]\nand now this"
    assert len(sent_to_lead(orchestra, lead.session_id)) == 2


async def test_that_a_teammate_at_work_is_shown_mail_between_its_rounds(orchestra: Orchestra) -> None:
    """Bug 33: mail does not wait for the end of a turn, and is marked with the row that shows it."""
    lead = orchestra.lead()
    asked, go = asyncio.Event(), asyncio.Event()

    async def work(child: Child) -> str:
        asked.set()
        await go.wait()
        shown = await orchestra.team.deliver(child.conversation)
        return f"{shown} letter: {mail(orchestra, child.conversation.session_id)[0]['text']}"

    orchestra.works = work
    await spawn(orchestra, lead)
    await asked.wait()
    await orchestra.use(lead, "send_teammate_message", to="ann", message="hurry")
    go.set()
    await quiet(orchestra, lead.session_id)
    assert len(orchestra.children) == 1
    (letter,) = sent_to_lead(orchestra, lead.session_id)
    assert letter.body == "1 letter: [Message from lead]\nhurry"
    session = orchestra.children[0].conversation.session_id
    assert mail(orchestra, session)[0]["trusted"] is True  # the lead speaks for the person


@pytest.fixture
def in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let what runs in threads run in the loop, so that every step comes at the same place each time."""

    async def inline(work: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
        await asyncio.sleep(0)
        result = work(*args, **kwargs)
        await asyncio.sleep(0)
        return result

    for module in (team_module, team_work, event_log, orchestra_module):
        monkeypatch.setattr(module, "off_loop", inline)


@pytest.mark.usefixtures("in_order")
async def test_that_a_letter_at_any_step_of_going_idle_is_worked_on(orchestra: Orchestra) -> None:
    """Bug 33, trap 0.12: no wake is lost between busy and idle, wherever the letter comes."""
    after_idle = 0
    for step in range(40):
        lead = orchestra.lead()
        orchestra.children.clear()
        await spawn(orchestra, lead)
        for _ in range(step):
            await asyncio.sleep(0)
        after_idle += (await states(orchestra, lead.session_id))["ann"] == "idle"
        await orchestra.team.send(lead, "ann", "extra")
        await quiet(orchestra, lead.session_id)
        assert sum("extra" in child.task.split("New messages:")[-1] for child in orchestra.children) == 1
        assert orchestra.library.mail.unread(lead.session_id, "ann") == []
    assert 2 < after_idle < 38  # letters came before, during and after


async def test_that_a_delivery_cancelled_anywhere_shows_each_letter_once(orchestra: Orchestra) -> None:
    """Bug 33: read and not shown, or shown and not marked, cannot be."""
    lead = orchestra.lead()
    sent: list[str] = []

    async def send_and_deliver() -> None:
        sent.append(f"<{len(sent)}>")
        orchestra.library.mail.send(lead.session_id, "ann", "lead", sent[-1])
        await orchestra.team.deliver(lead)

    async def all_shown() -> None:
        await orchestra.team.deliver(lead)
        texts = "\n".join(event["text"] for event in mail(orchestra, lead.session_id))
        assert [texts.count(letter) for letter in sent] == [1] * len(sent)

    assert await at_every_step(send_and_deliver, all_shown) > 3


async def test_that_a_letter_whose_sender_is_cancelled_anywhere_is_worked_on(orchestra: Orchestra) -> None:
    """Bug 33: stopping the lead while it writes leaves no letter lying."""
    lead = orchestra.lead()
    await spawn(orchestra, lead)
    sent: list[str] = []

    async def send() -> None:
        sent.append(f"<{len(sent)}>")
        await orchestra.team.send(lead, "ann", sent[-1])

    async def worked_on() -> None:
        await quiet(orchestra, lead.session_id)
        assert orchestra.library.mail.unread(lead.session_id, "ann") == []
        new = "\n".join(child.task.split("New messages:")[-1] for child in orchestra.children)
        kept = orchestra.library.mail.between(lead.session_id, "ann", 1000)
        letters = {letter.body for letter in kept if letter.recipient == "ann"}
        assert [new.count(letter) for letter in sent] == [int(letter in letters) for letter in sent]
        if len(orchestra.children) >= MAX_RUNS - 2:
            orchestra.team._teams[lead.session_id]["ann"].runs = 0

    assert await at_every_step(send, worked_on) > 3


async def test_that_a_teammate_whose_beginning_is_cancelled_anywhere_works_or_is_dead(
    orchestra: Orchestra,
) -> None:
    """Bug 33: nobody is left who looks idle and was never woken."""
    count, lead = 0, orchestra.lead()

    async def begin() -> None:
        nonlocal count
        count += 1
        await spawn(orchestra, lead, f"ann-{count}")

    async def settled() -> None:
        nonlocal lead
        await quiet(orchestra, lead.session_id)
        for member in orchestra.team._roster.status(lead.session_id):
            assert (member.state, member.unread) in (("idle", 0), ("dead", 0))
        lead = orchestra.lead()

    assert await at_every_step(begin, settled) > 3


async def test_that_teammates_write_to_each_other_and_to_all(orchestra: Orchestra) -> None:
    lead = orchestra.lead()
    go = asyncio.Event()

    async def work(child: Child) -> str:
        if child.name == "ann" and not go.is_set():
            await orchestra.use(child.conversation, "send_teammate_message", to="bob", message="from ann")
            await orchestra.use(child.conversation, "send_teammate_message", to="lead", message="a question")
            await orchestra.use(child.conversation, "team_broadcast", message="hello all")
            go.set()
        else:
            await go.wait()
        return "done"

    orchestra.works = work
    await spawn(orchestra, lead, "bob")
    await spawn(orchestra, lead, "ann")
    await quiet(orchestra, lead.session_id)
    bob = "\n".join(child.task for child in orchestra.children if child.name == "bob")
    assert "[Message from ann]\nfrom ann" in bob
    assert "[Message from ann]\nhello all" in bob
    bodies = [letter.body for letter in sent_to_lead(orchestra, lead.session_id)]
    assert {"a question", "hello all", "done"} <= set(bodies)
    output = await orchestra.use(lead, "team_broadcast", message="thank you")
    assert sorted(output.metadata["to"]) == ["ann", "bob"]
    await quiet(orchestra, lead.session_id)


async def test_that_the_inbox_shows_mail_as_rows_and_how_the_team_stands(orchestra: Orchestra) -> None:
    lead = orchestra.lead()
    empty = await orchestra.use(lead, "check_team_inbox")
    assert empty.content == "No new messages.\nThe team has no teammates."
    await spawn(orchestra, lead)
    await quiet(orchestra, lead.session_id)
    output = await orchestra.use(lead, "check_team_inbox")
    assert output.content == "1 new message(s), shown as team mail.\nann (reader): idle"
    assert output.metadata == {"letters": 1, "team": {"ann": "idle"}}
    assert len(mail(orchestra, lead.session_id)) == 1


async def test_that_a_teammate_that_fails_is_dead_and_the_lead_knows(orchestra: Orchestra) -> None:
    """Bug 33: dead is not idle; who writes to a dead one is told."""
    lead = orchestra.lead()

    async def fail(child: Child) -> str:
        raise ModelError("The model is gone.", hint="Choose another one.")

    orchestra.works = fail
    await spawn(orchestra, lead)
    assert await quiet(orchestra, lead.session_id) == {"ann": "dead"}
    await until(lambda: orchestra.woken == [lead.session_id])
    (letter,) = sent_to_lead(orchestra, lead.session_id)
    assert "The model is gone." in letter.body
    assert "dead" in letter.body
    with pytest.raises(UsageError) as refused:
        await orchestra.team.send(lead, "ann", "hello?")
    assert "dead" in refused.value.message
    orchestra.works = orchestra_module.echo
    await spawn(orchestra, lead, "ann", "again")
    assert await quiet(orchestra, lead.session_id) == {"ann": "idle"}
    assert "again" in orchestra.children[-1].task


async def test_that_a_mistake_of_ours_ends_one_teammate(
    orchestra: Orchestra, caplog: pytest.LogCaptureFixture
) -> None:
    lead = orchestra.lead()

    async def stumble(child: Child) -> str:
        raise LookupError("a mistake")

    orchestra.works = stumble
    await spawn(orchestra, lead)
    assert await quiet(orchestra, lead.session_id) == {"ann": "dead"}
    await until(lambda: "met a mistake" in caplog.text)
    assert len(sent_to_lead(orchestra, lead.session_id)) == 1


async def test_that_a_teammate_without_a_last_text_says_so(orchestra: Orchestra) -> None:
    lead = orchestra.lead()

    async def say_nothing(child: Child) -> str:
        return " "

    orchestra.works = say_nothing
    await spawn(orchestra, lead)
    await quiet(orchestra, lead.session_id)
    assert [letter.body for letter in sent_to_lead(orchestra, lead.session_id)] == [
        "(It ended without a text.)"
    ]


async def test_that_a_stopped_teammate_is_dead_and_the_lead_knows(orchestra: Orchestra) -> None:
    lead = orchestra.lead()

    async def for_ever(child: Child) -> str:
        await asyncio.Event().wait()
        return ""

    orchestra.works = for_ever
    for started in (False, True):
        await spawn(orchestra, lead)
        if started:
            await until(lambda: bool(orchestra.children))
        await orchestra.team.stop(lead.session_id, "ann")
        assert await states(orchestra, lead.session_id) == {"ann": "dead"}
    assert len(sent_to_lead(orchestra, lead.session_id)) == 2
    with pytest.raises(NotFoundError):
        await orchestra.team.stop(lead.session_id, "ann")


async def test_that_a_closed_program_has_no_teammate_at_work(orchestra: Orchestra) -> None:
    lead = orchestra.lead()
    started = asyncio.Event()

    async def for_ever(child: Child) -> str:
        started.set()
        await asyncio.Event().wait()
        return ""

    orchestra.works = for_ever
    await spawn(orchestra, lead)
    await started.wait()
    await orchestra.close()
    orchestra.open()
    assert await states(orchestra, lead.session_id) == {"ann": "dead"}
    assert await orchestra.team.recover() == []
    assert await orchestra.team.deliver(orchestra.lead(lead.session_id)) == 1


async def test_that_teammates_of_a_dead_process_are_dead_and_idle_ones_go_on(orchestra: Orchestra) -> None:
    """Bug 33: after a crash the lead is told who died; who only waited for mail still does."""
    lead = orchestra.lead()
    await spawn(orchestra, lead, "bob")
    await quiet(orchestra, lead.session_id)
    started = asyncio.Event()

    async def for_ever(child: Child) -> str:
        started.set()
        await asyncio.Event().wait()
        return ""

    orchestra.works = for_ever
    await spawn(orchestra, lead, "ann")
    await started.wait()
    dead = orchestra.team
    orchestra.die()
    orchestra.works = orchestra_module.echo
    orchestra.open()
    assert await orchestra.team.recover() == [lead.session_id]
    assert await states(orchestra, lead.session_id) == {"bob": "idle", "ann": "dead"}
    again = orchestra.lead(lead.session_id)
    await orchestra.team.deliver(again)
    assert "ann was lost when the program ended" in mail(orchestra, lead.session_id)[-1]["text"]
    await orchestra.team.send(again, "bob", "still there?")
    await quiet(orchestra, lead.session_id)
    assert "still there?" in orchestra.children[-1].task
    await dead.close()


async def test_that_mail_that_came_while_nobody_worked_is_worked_on(orchestra: Orchestra) -> None:
    """Bug 33: a program that ended between a letter and the wake for it makes up for it."""
    lead = orchestra.lead()
    await spawn(orchestra, lead)
    await quiet(orchestra, lead.session_id)
    orchestra.die()
    orchestra.library.mail.send(lead.session_id, "lead", "ann", "the last words before the end")
    orchestra.open()
    await orchestra.team.deliver(orchestra.lead(lead.session_id))
    await quiet(orchestra, lead.session_id)
    assert "the last words" in orchestra.children[-1].task


async def test_that_two_who_only_write_to_each_other_come_to_an_end(orchestra: Orchestra) -> None:
    lead = orchestra.lead()

    async def write_back(child: Child) -> str:
        other = {"ann": "bob", "bob": "ann"}[child.name]
        try:
            await orchestra.team.send(child.conversation, other, "your turn")
        except UsageError:
            return "it reads no more"
        return "wrote"

    orchestra.works = write_back
    await spawn(orchestra, lead, "ann")
    await spawn(orchestra, lead, "bob")
    ended = await quiet(orchestra, lead.session_id)
    assert "finished" in ended.values()
    assert len(orchestra.children) <= 2 * MAX_RUNS
    assert any("is finished" in letter.body for letter in sent_to_lead(orchestra, lead.session_id))


async def test_that_a_mailbox_nobody_reads_gets_full_and_says_so(orchestra: Orchestra) -> None:
    """Trap 0.12: no mailbox grows without end."""
    lead = orchestra.lead()
    go = asyncio.Event()

    async def wait(child: Child) -> str:
        await go.wait()
        return "done"

    orchestra.works = wait
    await spawn(orchestra, lead)
    await until(lambda: bool(orchestra.children))
    with orchestra.library.transaction():
        for i in range(MAX_UNREAD):
            orchestra.library.mail.send(lead.session_id, "lead", "ann", str(i))
    with pytest.raises(UsageError) as refused:
        await orchestra.team.send(lead, "ann", "one more")
    assert "wait to be read" in refused.value.message
    await orchestra.team.stop(lead.session_id, "ann")


async def test_that_much_mail_is_shown_in_parts_and_a_huge_letter_is_cut(orchestra: Orchestra) -> None:
    """Bug 6: mail cannot fill the whole context at once."""
    lead = orchestra.lead()
    for size in (10_000, 10_000, 40_000):
        orchestra.library.mail.send(lead.session_id, "ann", "lead", "x" * size)
    assert [await orchestra.team.deliver(lead) for _ in range(4)] == [1, 1, 1, 0]
    texts = [event["text"] for event in mail(orchestra, lead.session_id)]
    assert max(map(len, texts)) < MAIL_CHARACTERS + 100
    assert texts[2].endswith("(24000 characters are left out)")


async def test_that_one_can_wait_until_nobody_works(orchestra: Orchestra) -> None:
    lead = orchestra.lead()
    await orchestra.team.settled(lead.session_id)
    await spawn(orchestra, lead)
    await orchestra.team.settled(lead.session_id)
    assert await states(orchestra, lead.session_id) == {"ann": "idle"}


async def test_that_names_and_numbers_of_teammates_are_checked(orchestra: Orchestra) -> None:
    lead = orchestra.lead()
    orchestra.works = orchestra_module.echo
    for name in ("lead", "all", "", "../x", "a/b", "ÄNN", "x" * 40, "subagent"):
        with pytest.raises(UsageError):
            await orchestra.team.spawn(orchestra.call(lead), name, "r", "t")
    for i in range(MAX_MEMBERS):
        await spawn(orchestra, lead, f"reader {i}")
    with pytest.raises(UsageError):
        await spawn(orchestra, lead, "one-more")
    with pytest.raises(UsageError):
        await spawn(orchestra, lead, "Reader 0")
    for to in ("nobody", "lead"):
        with pytest.raises(UsageError):
            await orchestra.team.send(lead, to, "x")
    with pytest.raises(UsageError):
        await orchestra.team.broadcast(orchestra.lead(), "is anybody there?")
    await quiet(orchestra, lead.session_id)


async def test_that_a_teammate_has_no_more_tools_than_it_should(orchestra: Orchestra) -> None:
    """Bug 29: what the lead may not, its team may not; and only the lead begins agents."""
    lead = orchestra.lead()
    narrow = Conversation(
        **{name: getattr(lead, name) for name in lead.__dataclass_fields__ if name != "registry"},
        registry=lead.registry.without(lambda tool: tool.name == "run_bash"),
    )
    await spawn(orchestra, narrow)
    await quiet(orchestra, lead.session_id)
    (child,) = orchestra.children
    assert set(TEAM_TOOLS) <= set(child.registry.names())
    forbidden = {"run_bash", "spawn_teammate", "subagent", "ask_user", "bg_task_run", "todo_write"}
    assert not forbidden & set(child.registry.names())
    assert "read_file" in child.registry
    with pytest.raises(UsageError):
        await orchestra.team.spawn(orchestra.call(child.conversation), "bob", "r", "t")


async def test_that_a_sub_agent_has_no_mailbox(orchestra: Orchestra) -> None:
    lead = orchestra.lead()
    await spawn(orchestra, lead)
    await quiet(orchestra, lead.session_id)
    seen: list[int] = []

    async def look(child: Child) -> str:
        seen.append(await orchestra.team.deliver(child.conversation))
        with pytest.raises(UsageError):
            await orchestra.team.send(child.conversation, "ann", "psst")
        with pytest.raises(UsageError):
            await orchestra.team.check(child.conversation)
        return "nothing"

    orchestra.works = look
    await orchestra.run_child(orchestra.call(lead), "look", name="subagent", max_steps=1)
    assert seen == [0]
    assert len(sent_to_lead(orchestra, lead.session_id)) == 1


async def test_that_teams_of_two_conversations_do_not_mix(orchestra: Orchestra) -> None:
    one, other = orchestra.lead(), orchestra.lead()
    await spawn(orchestra, one)
    await spawn(orchestra, other)
    await quiet(orchestra, one.session_id)
    await quiet(orchestra, other.session_id)
    await orchestra.team.send(one, "ann", "only for the one")
    await quiet(orchestra, one.session_id)
    assert len(sent_to_lead(orchestra, one.session_id)) == 2
    assert len(sent_to_lead(orchestra, other.session_id)) == 1
