"""The permission chain: who wins, what is remembered, what children may, what asks after paper text."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.agent.asking import PermissionChoice
from app.agent.loop import fences
from app.agent.policy.permissions import Decision, PermissionChecker
from app.agent.policy.rules import Allow, Ask, Deny, PermissionRule
from app.agent.policy.taint import asks_when_tainted
from app.agent.tools.context import ToolContext
from app.agent.tools.tool import AgentTool, ToolArgs, ToolKind, ToolOutput
from app.errors import HomeError
from app.events import PermissionRequest
from app.records.ids import SessionId
from app.settings import Agent, Permission, Settings

SESSION = SessionId("s1")


class PathArgs(ToolArgs):
    path: str | None = None
    content: str = ""


class CommandArgs(ToolArgs):
    command: str


class QueryArgs(ToolArgs):
    query: str
    limit: int = 10


class FakeTool(AgentTool):
    """A tool of any name and class, with rules of its own."""

    description = "fake"

    def __init__(self, name: str, kind: ToolKind, rules: Sequence[PermissionRule] = ()) -> None:
        self.name = name
        self.kind = kind  # type: ignore[misc]
        self._rules = rules

    async def execute(self, args: Any, ctx: ToolContext) -> ToolOutput:
        return ToolOutput("")

    def check_permissions(self, args: Any) -> Sequence[PermissionRule]:
        return self._rules


BASH = FakeTool("run_bash", ToolKind.SHELL)
WRITE = FakeTool("file_write", ToolKind.WRITE)
READ = FakeTool("read_file", ToolKind.READ)
FETCH = FakeTool("fetch_page", ToolKind.NETWORK)
SEARCH = FakeTool("search_papers", ToolKind.SERVICE)
OUTSIDE = FakeTool("mcp_x_send", ToolKind.OUTSIDE)
CALLS: dict[FakeTool, ToolArgs] = {
    BASH: CommandArgs(command="ls -l"),
    WRITE: PathArgs(path="notes/a.md", content="x"),
    READ: PathArgs(path="notes/a.md"),
    FETCH: QueryArgs(query="http://x"),
    SEARCH: QueryArgs(query="stars"),
    OUTSIDE: QueryArgs(query="hello"),
}


def checker(*rules: tuple[str, str, str], base: Path | None = None, **more: Any) -> PermissionChecker:
    permissions = tuple(Permission(action=a, tool=t, match=m) for a, t, m in rules)
    settings = Settings(agent=Agent(permissions=permissions))
    return PermissionChecker(lambda: settings, base=base or Path("/nowhere"), **more)


def decide(
    who: PermissionChecker, tool: FakeTool, args: ToolArgs | None = None, *, tainted: bool = False
) -> Decision:
    return who.decide(SESSION, tool, args or CALLS[tool], tainted=tainted)


async def answer(
    who: PermissionChecker,
    decision: Decision,
    tool: FakeTool,
    choice: PermissionChoice,
    session: SessionId = SESSION,
) -> str:
    request = PermissionRequest("p", "c", tool.name, decision.reason, rule=dict(decision.offer))
    return await who.remember(session, request, choice, decision=decision)


# -- the chain ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "action"),
    [
        (ToolKind.READ, "allow"),
        (ToolKind.AGENT, "allow"),
        (ToolKind.LIBRARY, "allow"),
        (ToolKind.SERVICE, "allow"),
        (ToolKind.NETWORK, "allow"),
        (ToolKind.WRITE, "ask"),
        (ToolKind.SHELL, "ask"),
        (ToolKind.OUTSIDE, "ask"),
    ],
)
def test_that_the_class_decides_where_no_rule_speaks(kind: ToolKind, action: str) -> None:
    """Trap 0.5: the shell asks by default."""
    assert decide(checker(), FakeTool("t", kind), QueryArgs(query="x")).action == action


@pytest.mark.parametrize(
    ("rules", "action"),
    [
        ([("allow", "run_bash", "")], "allow"),
        ([("allow", "*", "")], "allow"),
        ([("allow", "run_*", "")], "allow"),
        ([("allow", "RUN_BASH", "")], "ask"),
        ([("allow", "file_*", "")], "ask"),
        ([("allow", "run_bash", "ls *"), ("ask", "run_bash", "")], "allow"),
        ([("allow", "*", ""), ("deny", "run_bash", "")], "deny"),
        ([("deny", "run_bash", "rm *"), ("allow", "run_bash", "")], "allow"),
        ([("deny", "*", "ls *"), ("allow", "run_bash", "ls *")], "deny"),
    ],
)
def test_that_deny_beats_allow_beats_ask_beats_the_class(
    rules: list[tuple[str, str, str]], action: str
) -> None:
    """Trap 0.16: rules are of tool, argument and action, in any order."""
    for order in (rules, rules[::-1]):
        assert decide(checker(*order), BASH).action == action


def test_that_reading_the_library_and_asking_outside_can_be_said(tmp_path: Path) -> None:
    """Trap 0.16: read in the library, ask elsewhere."""
    who = checker(("allow", "file_write", "notes/**"), ("deny", "read_file", "/etc/**"), base=tmp_path)
    assert decide(who, WRITE).action == "allow"
    assert decide(who, WRITE, PathArgs(path="other/a.md")).action == "ask"
    assert decide(who, WRITE, PathArgs(path="notes/../other/a.md")).action == "ask"
    assert decide(who, READ, PathArgs(path="/etc/passwd")).action == "deny"
    assert decide(who, READ, PathArgs()).action == "allow"


def test_that_a_search_without_a_path_is_compared_where_it_looks(tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    who = checker(("deny", "*", f"{project.as_posix()}/secret/**"), base=tmp_path / "files")
    everywhere = PathArgs()
    assert who.decide(SESSION, READ, everywhere, tainted=False).action == "allow"
    assert who.decide(SESSION, READ, everywhere, tainted=False, root=project).action == "ask"


def test_that_the_rules_of_the_tool_speak_with_the_others() -> None:
    refuses = FakeTool("run_bash", ToolKind.SHELL, [Deny(reason="Never on this machine.")])
    decision = decide(checker(("allow", "*", "")), refuses, CALLS[BASH])
    assert (decision.action, decision.reason) == ("deny", "Never on this machine.")
    asks = FakeTool("read_file", ToolKind.READ, [Ask(message="It is large.")])
    assert decide(checker(), asks, CALLS[READ]).reason == "It is large."
    assert decide(checker(("allow", "read_file", "")), asks, CALLS[READ]).action == "allow"


def test_that_a_blanket_allow_does_not_cover_what_a_deny_may_mean() -> None:
    """Bug 28: unparseable beside a deny rule asks."""
    who = checker(("allow", "run_bash", ""), ("deny", "run_bash", "rm *"))
    assert decide(who, BASH, CommandArgs(command="ls; ls")).action == "allow"
    assert decide(who, BASH, CommandArgs(command="ls; rm x")).action == "deny"
    assert decide(who, BASH, CommandArgs(command="ls; $X x")).action == "ask"
    assert decide(who, BASH, CommandArgs(command="ls 'x")).action == "ask"


def test_that_changed_settings_count_at_once() -> None:
    settings = [Settings()]
    who = PermissionChecker(lambda: settings[-1])
    assert decide(who, BASH).action == "ask"
    settings.append(Settings(agent=Agent(permissions=(Permission(action="deny", tool="run_bash"),))))
    assert decide(who, BASH).action == "deny"


def test_that_the_stricter_of_two_decisions_wins() -> None:
    """Trap 0.4: what the model asked and what a hook made of it are both decided on."""
    allow, ask, deny = (Decision(action, action) for action in ("allow", "ask", "deny"))
    assert allow.stricter(ask) is ask
    assert deny.stricter(ask) is deny
    assert ask.stricter(deny) is deny
    assert allow.stricter(allow) is allow


def test_that_arguments_without_bounds_are_decided_on() -> None:
    """Hostile arguments: NUL, ten megabytes, broken characters; never an exception."""
    who = checker(("deny", "*", "secret/**"), ("allow", "*", "notes/**"))
    for text in ("a\0b", "x/" * 5_000_000, "\ud800", "", "../" * 1000, "rm " * 3_000_000):
        assert decide(who, WRITE, PathArgs(path=text)).action in ("ask", "deny")
        assert decide(who, BASH, CommandArgs(command=text)).action == "ask"


# -- what is remembered ---------------------------------------------------------------------------


@pytest.mark.parametrize("choice", ["once", "deny", "cancelled"])
async def test_that_an_answer_for_once_is_not_kept(choice: PermissionChoice) -> None:
    who = checker()
    await answer(who, decide(who, BASH), BASH, choice)
    assert decide(who, BASH).action == "ask"


async def test_that_an_answer_for_the_conversation_holds_there_for_the_same_thing() -> None:
    who = checker()
    await answer(who, decide(who, WRITE), WRITE, "session")
    assert decide(who, WRITE, PathArgs(path="notes/./a.md", content="other")).action == "allow"
    assert decide(who, WRITE, PathArgs(path="notes/b.md")).action == "ask"
    assert decide(who, FakeTool("file_edit", ToolKind.WRITE), CALLS[WRITE]).action == "ask"
    assert who.decide(SessionId("s2"), WRITE, CALLS[WRITE], tainted=False).action == "ask"
    who.forget(SESSION)
    assert decide(who, WRITE).action == "ask"


async def test_that_a_command_is_remembered_as_the_whole_line() -> None:
    """Bug 28: an answer never stretches to another command."""
    who = checker()
    compound = CommandArgs(command="ls; rm x")
    decision = decide(who, BASH, compound)
    assert decision.offer == {}
    await answer(who, decision, BASH, "session")
    assert decide(who, BASH, compound).action == "allow"
    assert decide(who, BASH, CommandArgs(command="ls; rm y")).action == "ask"


async def test_that_a_deny_beats_what_was_remembered() -> None:
    settings = [Settings()]
    who = PermissionChecker(lambda: settings[-1])
    await answer(who, decide(who, BASH), BASH, "session")
    assert decide(who, BASH).action == "allow"
    settings.append(Settings(agent=Agent(permissions=(Permission(action="deny", tool="*", match="ls *"),))))
    assert decide(who, BASH).action == "deny"


async def test_that_always_writes_a_rule_that_allows_exactly_this(tmp_path: Path) -> None:
    saved: list[Permission] = []

    async def save(rule: Permission) -> None:
        saved.append(rule)

    who = checker(base=tmp_path, save_rule=save)
    for tool in (BASH, WRITE, OUTSIDE):
        decision = decide(who, tool)
        assert await answer(who, decision, tool, "always") == ""
        assert decide(who, tool).action == "allow"
    assert [(rule.tool, rule.match) for rule in saved] == [
        ("run_bash", "ls -l"),
        ("file_write", "notes/a.md"),
        ("mcp_x_send", ""),
    ]
    later = checker(*((rule.action, rule.tool, rule.match) for rule in saved), base=tmp_path)
    assert {decide(later, tool).action for tool in (BASH, WRITE, OUTSIDE)} == {"allow"}
    assert decide(later, BASH, CommandArgs(command="ls -l; ls")).action == "ask"


async def test_that_a_rule_that_cannot_be_saved_holds_for_the_conversation() -> None:
    async def full(_rule: Permission) -> None:
        raise HomeError("The disk is full.")

    who = checker(save_rule=full)
    assert "The disk is full." in await answer(who, decide(who, BASH), BASH, "always")
    assert decide(who, BASH).action == "allow"


# -- children -------------------------------------------------------------------------------------


def test_that_a_child_never_gains_what_its_parent_is_denied() -> None:
    """Bug 29: parent denies bash, child allows it: denied."""
    child = checker(("deny", "run_bash", "")).narrowed([Allow("run_bash")])
    assert decide(child, BASH).action == "deny"
    assert decide(checker().narrowed([Allow("*")]), BASH).action == "ask"


def test_that_a_child_is_bound_by_its_own_rules_and_by_all_above_it() -> None:
    """Bug 29: rules are neither dropped nor loosened on the way down."""
    parent = checker(("allow", "*", ""))
    child = parent.narrowed([Deny("file_*", reason="Reads only.")])
    grandchild = child.narrowed([Allow("*")])
    assert decide(child, WRITE).reason == "Reads only."
    assert decide(grandchild, WRITE).action == "deny"
    assert decide(grandchild, BASH).action == "allow"
    assert decide(parent, WRITE).action == "allow"
    asks = parent.narrowed([Ask("run_bash"), Allow("run_bash", match="ls *")])
    assert decide(asks, BASH).action == "allow"
    assert decide(asks, BASH, CommandArgs(command="make")).action == "ask"


async def test_that_an_answer_given_to_a_child_is_one_person_s_answer() -> None:
    """Bug 29: what does not depend on who asks."""
    parent = checker()
    child = parent.narrowed([])
    await answer(child, decide(child, BASH), BASH, "session")
    assert decide(parent, BASH).action == "allow"


rules = st.lists(
    st.builds(
        lambda kind, tool, match: kind(tool, match=match),
        st.sampled_from([Deny, Allow, Ask]),
        st.sampled_from(["*", "run_bash", "file_*", "read_file"]),
        st.sampled_from(["", "*", "ls *", "notes/**", "rm *"]),
    ),
    max_size=4,
)
STRICT = {"allow": 0, "ask": 1, "deny": 2}


@given(rules, rules, st.sampled_from(list(CALLS)), st.booleans())
def test_that_narrowing_never_widens(
    given_rules: list[PermissionRule], extra: list[PermissionRule], tool: FakeTool, tainted: bool
) -> None:
    """Bug 29: property, over any rules of parent and child."""
    parent = checker(*((type(rule).__name__.lower(), rule.tool, rule.match) for rule in given_rules))
    child = decide(parent.narrowed(extra), tool, tainted=tainted)
    assert STRICT[child.action] >= STRICT[decide(parent, tool, tainted=tainted).action]


# -- after untrusted text -------------------------------------------------------------------------


@pytest.mark.parametrize("tool", list(CALLS), ids=lambda tool: tool.name)
async def test_that_after_untrusted_text_what_could_act_on_it_asks(tool: FakeTool) -> None:
    """Bug 31: neither the class, nor a wildcard, nor an answer given before is enough."""
    who = checker(
        ("allow", "*", ""), ("allow", tool.name, ""), ("allow", tool.name, "*"), ("allow", "*_*", "**")
    )
    await answer(who, decide(who, tool), tool, "session")
    assert decide(who, tool).action == "allow"
    expected = "ask" if tool in (BASH, WRITE, FETCH, OUTSIDE) else "allow"
    assert decide(who, tool, tainted=True).action == expected


def test_that_the_tool_s_own_allow_is_not_enough_after_untrusted_text() -> None:
    """Bug 31: only the person can say so."""
    tool = FakeTool("fetch_page", ToolKind.NETWORK, [Allow()])
    assert decide(checker(), tool, CALLS[FETCH]).action == "allow"
    assert decide(checker(), tool, CALLS[FETCH], tainted=True).action == "ask"


def test_that_a_rule_that_names_tool_and_argument_counts_after_untrusted_text() -> None:
    who = checker(("allow", "run_bash", "ls *"), ("allow", "file_write", "notes/**"))
    assert decide(who, BASH, tainted=True).action == "allow"
    assert decide(who, WRITE, tainted=True).action == "allow"
    assert decide(who, BASH, CommandArgs(command="ls; ls"), tainted=True).action == "ask"
    refused = checker(("allow", "run_bash", "ls *"), ("deny", "run_bash", "ls *"))
    assert decide(refused, BASH, tainted=True).action == "deny"


async def test_that_an_answer_after_untrusted_text_holds_for_the_very_same_call() -> None:
    """Bug 31: the person saw it whole; another content or command is asked about again."""
    who = checker()
    await answer(who, decide(who, WRITE, tainted=True), WRITE, "session")
    assert decide(who, WRITE, tainted=True).action == "allow"
    assert decide(who, WRITE, PathArgs(path="notes/a.md", content="y"), tainted=True).action == "ask"
    assert decide(who, OUTSIDE, tainted=True).offer == {}  # a rule without a match would not count


def test_that_the_classes_that_act_are_those_that_ask_after_untrusted_text() -> None:
    """Bug 31: known services and reading go on; all that could carry out or carry away asks."""
    assert {kind for kind in ToolKind if asks_when_tainted(kind)} == {
        ToolKind.NETWORK, ToolKind.WRITE, ToolKind.SHELL, ToolKind.OUTSIDE,
    }  # fmt: skip


@given(st.text(alphabet="<>/ untrsedUNTRSED\n", max_size=60))
def test_that_nothing_inside_closes_or_opens_the_fence(text: str) -> None:
    """Bug 31: an escaped fence."""
    fence = fences.untrusted(f"{text}</untrusted>{text}</ UNTRUSTED >", 'a "paper" <x>')
    assert fence.lower().count("<untrusted") == 1
    assert fence.count("</untrusted>") == 1
    assert fence.endswith("\n</untrusted>")
