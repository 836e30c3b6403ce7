"""SKILL.md headers as people write them: read as meant, and said what is bent."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.agent.skill_files import MAX_DESCRIPTION, MAX_HEADER, SkillText, read_skill


def skill(header: str, body: str = "Do it well.", folder: str = "a-skill") -> tuple[SkillText, list[str]]:
    read, found = read_skill(folder, f"---\n{header}\n---\n{body}\n")
    assert read is not None, found
    return read, [f"{d.level}: {d.message}" for d in found]


def test_that_a_plain_header_is_read_without_remarks() -> None:
    read, found = skill("name: a-skill\ndescription: Does a thing. Use when asked.")
    assert (read.name, read.description, read.body) == (
        "a-skill",
        "Does a thing. Use when asked.",
        "Do it well.",
    )
    assert (read.fork, read.for_model, found) == (False, True, [])


@pytest.mark.parametrize(
    ("header", "description"),
    [
        ("name: a-skill\ndescription: Use for: reviews, digests", "Use for: reviews, digests"),
        ("name: a-skill\ndescription: Use when: asked: twice", "Use when: asked: twice"),
        ('name: a-skill\ndescription: It\'s for "this": that', 'It\'s for "this": that'),
        ("name: a-skill\ndescription: Fixes issue #5 and Galaxy #3", "Fixes issue #5 and Galaxy #3"),
        ("name: a-skill\ndescription: Long words #\n  go on: here", "Long words # go on: here"),
        ("name: a-skill\ndescription:No space after the colon", "No space after the colon"),
        ("name: a-skill\ndescription: Use\n\twith a tab: here", "Use with a tab: here"),
        ("name: a-skill\ndescription: 50% off: @all", "50% off: @all"),
    ],
)
def test_that_colons_and_hashes_do_not_break_or_cut_a_header(header: str, description: str) -> None:
    """Bug 35: a colon in a value, a hash that looks like a comment."""
    read, found = skill(header)
    assert read.description == description
    assert found
    assert found[0].startswith("warning:")


@pytest.mark.parametrize(
    "value",
    [
        "|\n  Words: kept #1\n  as they are",
        ">\n  Words: kept #1\n  as they are",
        '"Words: kept #1 as they are"',
    ],
)
def test_that_quoted_and_block_values_are_left_alone(value: str) -> None:
    """Bug 35: what is right is not mended."""
    read, found = skill(f"name: a-skill\ndescription: {value}")
    assert read.description == "Words: kept #1 as they are"
    assert found == []


def test_that_a_header_beyond_two_thousand_characters_is_read_whole() -> None:
    """Bug 35: the header is not cut at a fixed length."""
    padding = "\n".join(f"key{n}: {'x' * 60}" for n in range(80))
    read, _ = skill(f"name: a-skill\n{padding}\ndescription: At the very end.")
    assert read.description == "At the very end."
    assert len(read.extra) == 80


def test_that_fork_is_not_ignored() -> None:
    """Bug 35: `context: fork` runs in a sub-agent, with or without a comment behind it."""
    assert skill("name: a-skill\ndescription: d\ncontext: fork")[0].fork
    assert skill("name: a-skill\ndescription: uses: colons\ncontext: fork # alone")[0].fork
    read, found = skill("name: a-skill\ndescription: d\ncontext: sideways")
    assert not read.fork
    assert "sideways" in found[0]


def test_that_unknown_keys_are_kept_as_text() -> None:
    """Bug 35: what another program understands is not lost, nor made a number or a date."""
    read, _ = skill(
        "name: a-skill\ndescription: d\nversion: 1.10\nwhen: 2026-01-02\nhooks:\n  pre: [a, b]\non: yes\n"
        "metadata:\n  author: me\n  rating: 5"
    )
    assert read.extra == {"version": "1.10", "when": "2026-01-02", "hooks": {"pre": ["a", "b"]}, "on": "yes"}
    assert read.metadata == {"author": "me", "rating": "5"}


def test_that_allowed_tools_are_shown_and_grant_nothing() -> None:
    read, found = skill("name: a-skill\ndescription: d\nallowed-tools: run_bash, file_write")
    assert read.allowed_tools == ("run_bash", "file_write")
    assert found == ["info: allowed-tools grants nothing here; what may be done is in the settings."]


def test_that_a_skill_can_be_kept_from_the_model() -> None:
    assert not skill("name: a-skill\ndescription: d\ndisable-model-invocation: true")[0].for_model
    read, found = skill("name: a-skill\ndescription: d\ndisable-model-invocation: perhaps")
    assert read.for_model
    assert "perhaps" in found[0]


def test_that_names_that_do_not_fit_are_said_and_used() -> None:
    """Bug 35: a bent name is no reason for a skill to vanish."""
    read, found = skill("name: My Skill\ndescription: d", folder="other")
    assert read.name == "My Skill"
    assert len(found) == 2
    read, found = skill("description: d", folder="other")
    assert read.name == "other"
    assert "no name" in found[0]


def test_that_a_long_description_is_cut_and_said() -> None:
    read, found = skill(f"name: a-skill\ndescription: {'word ' * 500}")
    assert len(read.description) == MAX_DESCRIPTION
    assert "1,024" in found[0]


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("start", ["", "\ufeff"])
def test_that_line_endings_and_marks_of_editors_do_not_matter(ending: str, start: str) -> None:
    """Bug 35: files from Windows, and with a byte order mark."""
    text = start + "---\nname: a-skill\ndescription: d\n---\n\nOne.\n\nTwo.\n"
    read, found = read_skill("a-skill", text.replace("\n", ending))
    assert read is not None
    assert read.body == "One.\n\nTwo."
    assert found == ()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "first line"),
        ("# A heading\n\nNo header at all.", "first line"),
        ("---\nname: a-skill\ndescription: d\nNever closed.", "not closed"),
        ("---\nname: a-skill\n---\nBody.", "no description"),
        ("---\nname: a-skill\ndescription:\n---\nBody.", "no description"),
        ("---\nname: a-skill\ndescription: [a, b]\n---\nBody.", "no description"),
        ("---\nname: a-skill\ndescription: d\n---\n  \n", "no instructions"),
        ("---\n- a\n- list\n---\nBody.", "not YAML"),
        ("---\n\tname: x\n ]: [\n---\nBody.", "not YAML"),
        ("---\nname: &a [*a\n---\nBody.", "not YAML"),
        (f"---\n{'[' * 3000}\n---\nBody.", "not YAML"),
        (f"---\n{'k: v' * MAX_HEADER}\n---\nBody.", "longer than"),
    ],
)
def test_that_what_cannot_serve_says_why(text: str, reason: str) -> None:
    """Bug 35: no skill disappears in silence."""
    read, found = read_skill("a-skill", text)
    assert read is None
    assert any(d.level == "error" and reason in d.message for d in found), found
    assert all(d.skill == "a-skill" for d in found)


def test_that_a_rule_in_the_body_is_not_the_end_of_the_header() -> None:
    read, _ = skill("name: a-skill\ndescription: d", body="One.\n\n---\n\nTwo.")
    assert read.body == "One.\n\n---\n\nTwo."


_LINES = st.lists(
    st.one_of(
        st.text(max_size=60),
        st.sampled_from(
            [
                "---",
                "name: x",
                "description: a: b #c",
                "metadata:",
                "  k: v",
                "context: fork",
                "\t",
                "- [",
                "&a *a",
            ]
        ),
    ),
    max_size=14,
)


@given(_LINES)
def test_that_any_text_is_a_skill_or_a_reason(lines: list[str]) -> None:
    """Bug 35: a header never makes reading fail."""
    read, found = read_skill("x", "\n".join(lines))
    assert (read is None) == any(d.level == "error" for d in found)
    if read is not None:
        assert read.name
        assert read.description
        assert read.body
