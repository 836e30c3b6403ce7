"""An answer on the terminal: text with numbered marks, then the citations with their pages."""

from __future__ import annotations

from typing import Any

from app.cli.output import Output
from app.cli.words import one_line, page_words


def print_answer(output: Output, answer: dict[str, Any]) -> None:
    """Print an answer (shape of `Answer.as_json`) for a person; silent with `--json`."""
    citations = answer["citations"]
    numbers = {_key(c): n for n, c in enumerate(citations, 1)}
    if answer["message"]:
        output.note(answer["message"])
    for sentence in answer["sentences"]:
        marks = "".join(f"[{numbers[_key(c)]}]" for c in sentence["citations"])
        output.line(f"{sentence['text']} {marks or '[unproven]'}")
    if citations:
        output.line()
    for number, c in enumerate(citations, 1):
        output.line(f"[{number}] {one_line(c['title'])}, {page_words(c['page'], c['page_label'])}")
        output.line(f"    “{one_line(c['quote'])}”")
    if answer["model"]:
        output.line()
        output.line(f"Model: {answer['model']}")


def _key(citation: dict[str, Any]) -> tuple[int, str]:
    return citation["passage_id"], citation["quote"]
