"""The commands over a small library: shapes of the contract, and words for a person."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from app.library import Library
from app.records.anchor import Anchor
from app.records.ids import PageIndex
from app.records.passage import Quad

pytestmark = pytest.mark.slow

Run = Callable[..., Any]

PAPER = """# The period of Lantern 42

arXiv:2101.00001

## Results

A Fourier fit to the light curve gives a pulsation period of 331.4 days and an amplitude of 0.72 mag.
The distance of the star is 5.9 kpc.
"""


@pytest.fixture
def paper(tmp_path: Path) -> Path:
    """A small paper in Markdown, which needs no PDF worker."""
    path = tmp_path / "papers" / "lantern.md"
    path.parent.mkdir()
    path.write_text(PAPER)
    return path


@pytest.fixture
def added(run: Run, paper: Path) -> dict[str, Any]:
    """The paper in the library; the result of adding it."""
    (result,) = run("add", str(paper), "--json").document["results"]
    assert isinstance(result, dict)
    return result


def test_that_add_gives_one_result_a_file_in_the_shape_of_the_contract(run: Run, paper: Path) -> None:
    (paper.parent / "broken.pdf").write_bytes(b"hello")
    done = run("add", str(paper.parent), str(paper.parent / "missing.pdf"), "--json")
    results = {Path(r["path"]).name: r for r in done.document["results"]}
    assert done.code == 1  # one failed
    assert {name: r["status"] for name, r in results.items()} == {
        "lantern.md": "added",
        "broken.pdf": "not_pdf",
        "missing.pdf": "failed",
    }
    assert all(r["message"] for r in results.values() if r["status"] != "added")
    lantern = results["lantern.md"]
    assert lantern["title"] == "The period of Lantern 42"
    assert lantern["identifiers"] == {"doi": None, "arxiv": "2101.00001", "bibcode": None}
    assert set(lantern) >= {"paper_id", "authors", "year", "pages", "passages", "message"}
    assert "3 files" in done.err


def test_that_add_for_a_person_prints_a_line_a_file(run: Run, paper: Path) -> None:
    done = run("add", str(paper))
    assert done.code == 0
    assert done.out.startswith("added")
    assert "Lantern 42" in done.out


def test_that_add_events_are_json_lines(run: Run, paper: Path) -> None:
    done = run("add", str(paper), "--events")
    (event,) = [json.loads(line) for line in done.out.splitlines()]
    assert (event["type"], event["status"]) == ("import_result", "added")
    both = run("add", str(paper), "--events", "--json")
    assert both.document["results"][0]["status"] == "duplicate"


def test_that_a_folder_without_papers_is_no_failure(run: Run, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    done = run("add", str(tmp_path / "empty"), "--json")
    assert (done.code, done.document) == (0, {"results": []})


def test_that_list_and_show_find_the_paper(run: Run, added: dict[str, Any]) -> None:
    listed = run("list", "--query", "lantern", "--sort", "title", "--json").document
    assert listed["total"] == 1
    assert listed["papers"][0] == {
        "paper_id": added["paper_id"],
        "title": "The period of Lantern 42",
        "authors": [],
        "year": None,
        "identifiers": {"doi": None, "arxiv": "2101.00001", "bibcode": None},
        "tags": [],
        "files": 1,
        "notes": 0,
    }
    for name in (added["paper_id"], "arXiv:2101.00001", "https://arxiv.org/abs/2101.00001v2"):
        shown = run("show", name, "--json").document
        assert (shown["paper_id"], shown["passages"]) == (added["paper_id"], added["passages"])
        assert shown["files"][0]["original_name"] == "lantern.md"
    assert "Lantern 42" in run("show", added["paper_id"]).out
    assert run("list", "--query", "nothing at all", "--json").document == {"total": 0, "papers": []}


def test_that_show_gives_the_notes_themselves(run: Run, added: dict[str, Any], home: Path) -> None:
    quad = Quad((60, 700), (200, 700), (60, 690), (200, 690))
    anchor = Anchor(page=PageIndex(0), start=0, end=5, quads=(quad,), quote="331.4")
    with Library.open(home) as library:
        note = library.notes.add(added["paper_id"], None, anchor, color="green", text="check this")
    shown = run("show", added["paper_id"], "--json").document
    assert shown["notes"] == [
        {
            "note_id": note.note_id,
            "page": 0,
            "quads": [[60, 700, 200, 700, 60, 690, 200, 690]],
            "quote": "331.4",
            "text": "check this",
            "color": "green",
        }
    ]
    assert "p. 1: “331.4” check this" in run("show", added["paper_id"]).out


def test_that_a_limit_of_nothing_is_not_told_as_an_empty_library(run: Run, added: dict[str, Any]) -> None:
    listed = run("list", "--limit", "0", "--json")
    assert listed.document == {"total": 1, "papers": []}
    assert "empty" not in listed.err
    assert "0 of 1 papers" in listed.err


@pytest.mark.parametrize("mode", ["hybrid", "keyword", "semantic"])
def test_that_search_prints_passages_with_their_pages(run: Run, added: dict[str, Any], mode: str) -> None:
    found = run("search", "pulsation", "period", "--mode", mode, "--json").document
    assert found["mode"] == mode
    assert set(found["stages"]) == {"keyword", "semantic"}
    hit = found["hits"][0]
    assert (hit["paper_id"], hit["page"], hit["section"]) == (added["paper_id"], 0, "Results")
    assert "331.4" in hit["quote"]
    assert "331.4" in run("search", "pulsation period", "--mode", mode).out
    only = run("search", "period", "--paper", added["paper_id"], "--mode", mode, "--json")
    assert only.document["hits"]


def test_that_ask_cites_and_its_events_are_json_lines(
    run: Run, added: dict[str, Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("ASTRORESEARCH_LLM__MODEL_PATH", str(tmp_path / "none.gguf"))
    question = "What is the pulsation period of Lantern 42?"
    answer = run("ask", question, "--json").document
    assert (answer["kind"], answer["reason"]) == ("quotes", "done")
    assert answer["citations"][0]["paper_id"] == added["paper_id"]
    assert "331.4" in answer["text"]
    plain = run("ask", question, "--paper", added["paper_id"])
    assert "[1] The period of Lantern 42, p. 1" in plain.out
    lines = [json.loads(line) for line in run("ask", question, "--events").out.splitlines()]
    assert (lines[0]["type"], lines[-1]["type"]) == ("turn_started", "turn_finished")
    assert "answer" in {line["type"] for line in lines}


def test_that_ask_begins_the_conversation_it_is_given_and_goes_on_with_it(
    run: Run, added: dict[str, Any], home: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("ASTRORESEARCH_LLM__MODEL_PATH", str(tmp_path / "none.gguf"))
    question = "What is the pulsation period?"
    first = run("ask", question, "--session", "thesis", "--json")
    assert (first.code, first.document["session"]) == (0, "thesis")
    assert run("ask", question, "--session", "thesis", "--json").document["session"] == "thesis"
    unnamed = run("ask", question, "--json").document["session"]
    assert run("ask", question, "--session", unnamed, "--json").document["session"] == unnamed
    with Library.open(home) as library:
        turns = {
            row.session_id: sum(e["type"] == "turn_started" for e in library.journal.events(row.session_id))
            for row in library.journal.sessions()
        }
    assert turns == {"thesis": 2, unnamed: 2}


def test_that_a_question_of_100_000_characters_is_answered_or_refused_plainly(
    run: Run, added: dict[str, Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("ASTRORESEARCH_LLM__MODEL_PATH", str(tmp_path / "none.gguf"))
    asked = run("ask", "period " * 15_000, "--json")
    assert asked.code in (0, 2)
    assert "characters" in asked.err


def test_that_doctor_checks_what_the_application_needs(run: Run) -> None:
    done = run("doctor", "--json")
    checks = {check["name"]: check for check in done.document["checks"]}
    needed = ("python", "disk space", "window", "library folder", "settings", "database", "keyring")
    parts = ("full-text search", "vector search", "pdf worker", "embeddings", "chat model")
    assert {*needed, *parts} <= set(checks)
    assert all(checks[name]["ok"] for name in ("python", "database", "full-text search", "vector search"))
    assert all(check["ok"] or check["hint"] for check in checks.values())
    assert done.code == (0 if all(c["ok"] or not c["essential"] for c in checks.values()) else 1)


def test_that_doctor_works_where_the_home_does_not(run: Run, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    done = run("doctor", "--json", "--home", str(tmp_path / "file"))
    (folder,) = [c for c in done.document["checks"] if c["name"] == "library folder"]
    assert (done.code, folder["ok"]) == (1, False)
