from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from app.errors import HomeError, NotFoundError
from app.events import (
    AnswerReady,
    Compaction,
    Event,
    Message,
    Notice,
    Outcome,
    Question,
    QuestionAnswer,
    Steering,
    TextDelta,
    ToolCall,
    ToolResult,
    TurnFinished,
    TurnStarted,
)  # fmt: skip
from app.library import Library
from app.records.ids import SessionId
from app.services.conversations import OUTPUT_CHARACTERS, Conversations, export_markdown


def exported(*events: Event, title: str = "T") -> str:
    return export_markdown([(i + 1, event.as_json()) for i, event in enumerate(events)], title)


CITATION = {"paper_id": "p", "label": "Riess+ 2016", "page": 3, "page_label": "L4", "quote": "H0 is\n73.2"}
ANSWER: dict[str, Any] = {
    "text": "It is 73. Or not.",
    "sentences": [
        {"text": "It is 73.", "supported": True, "citations": [CITATION, CITATION]},
        {"text": "Or not.", "supported": False, "citations": []},
    ],
}


def test_that_a_conversation_reads_as_it_went() -> None:
    text = exported(
        TurnStarted("t", "What is H0?"),
        Message("Let me look.", 1),
        ToolCall("c", "rag_search", {"question": "H0"}, 1),
        ToolResult("c", "rag_search", "[1] 73.2", False, Outcome.SUCCEEDED, 1),
        Steering("In km/s/Mpc please"),
        Question("q", "Which distance?", ("near", "far")),
        QuestionAnswer("q", "answered", "near"),
        Compaction("auto", 9, 3),
        Notice("info", "The index is old."),
        Message("It is 73. Or not.", 2),
        AnswerReady(ANSWER),
        TurnFinished("done"),
        title="Hubble\nconstant",
    )
    assert text == (
        "# Hubble constant\n\n## You\n\nWhat is H0?\n\n## AstroResearch\n\nLet me look.\n\n"
        '**rag_search** `{"question": "H0"}`: succeeded\n\n```text\n[1] 73.2\n```\n\n'
        "## You\n\nIn km/s/Mpc please\n\n> **Asked:** Which distance?  \n> **Answered: near**\n\n"
        "---\n\n*Earlier messages were summarised for the model here.*\n\n*The index is old.*\n\n"
        "## AstroResearch\n\nIt is 73. [1] Or not. *(unproven)*\n\n1. Riess+ 2016, p. L4: “H0 is 73.2”\n"
    )


def test_that_a_checked_answer_replaces_the_reply_it_was_checked_from() -> None:
    text = exported(TurnStarted("t", "q"), Message("It is 73 or so.", 1), AnswerReady(ANSWER))
    assert "or so" not in text
    assert text.count("## AstroResearch") == 1


def test_that_an_answer_without_a_reply_is_written_and_pieces_of_it_are_not() -> None:
    text = exported(TurnStarted("t", "q"), TextDelta("It is"), AnswerReady(ANSWER), TurnFinished("done"))
    assert text.count("It is") == 1


def test_that_what_streamed_before_a_turn_was_cut_is_kept() -> None:
    text = exported(TurnStarted("t", "q"), TextDelta("It "), TextDelta("is"), TurnFinished("stopped"))
    assert "## AstroResearch\n\nIt is\n\n*The turn ended: stopped.*" in text


def test_that_a_long_output_is_cut_and_says_so() -> None:
    text = exported(
        ToolCall("c", "read_file", {}, 1),
        ToolResult("c", "read_file", "x" * (OUTPUT_CHARACTERS + 7), True, Outcome.TIMED_OUT, 1),
    )
    assert "timed out" in text
    assert "(7 characters are left out)" in text


@given(st.text(alphabet=st.sampled_from("`~\n a#*>超"), min_size=1))
def test_that_no_output_can_end_its_block(output: str) -> None:
    call = ToolCall("c", "read_file", {"path": output}, 1)
    text = exported(
        call, ToolResult("c", "read_file", output, False, Outcome.SUCCEEDED, 1), Notice("info", "after")
    )
    tokens = MarkdownIt().parse(text)
    fences = [token for token in tokens if token.type == "fence"]
    assert [token.content.strip("\n") for token in fences] == ([output.strip("\n")] if output.strip() else [])
    assert [token.type for token in tokens[:3]] == ["heading_open", "inline", "heading_close"]
    assert sum(token.type == "heading_open" for token in tokens) == 1


async def test_that_a_conversation_is_written_to_a_file_whole(home: Path, tmp_path: Path) -> None:
    with Library.open(home) as library:
        session = library.journal.new_session("超新星")
        library.journal.append(session, TurnStarted("t", "问题").as_json())
        conversations = Conversations(library)
        target = tmp_path / "out.md"
        target.write_text("old", "utf-8")
        text = await conversations.export_markdown(session, target)
        assert target.read_text("utf-8") == text == "# 超新星\n\n## You\n\n问题\n"
        assert await conversations.export_markdown(session) == text
        with pytest.raises(HomeError):
            await conversations.export_markdown(session, tmp_path / "no folder" / "out.md")
        with pytest.raises(NotFoundError):
            await conversations.export_markdown(SessionId("none"))
        assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []
