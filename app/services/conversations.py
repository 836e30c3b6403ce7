"""Conversations as documents: Markdown of what was said, done and proven."""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from app.errors import HomeError
from app.library import Library
from app.records.ids import SessionId
from app.services.threads import off_loop

OUTPUT_CHARACTERS = 1000
"""How much of a tool's output is written; the whole is in the journal, and often in a paper's rights."""

_TICKS = re.compile(r"`+")


class Conversations:
    """Writes conversations out."""

    def __init__(self, library: Library) -> None:
        self._library = library

    async def export_markdown(self, session: SessionId, path: Path | None = None) -> str:
        """Return a conversation as Markdown, and write it to a file if one is given, whole or not at all.

        Raises NotFoundError for an unknown session, HomeError where the file cannot be written.
        """
        return await off_loop(self._export, session, path)

    def _export(self, session: SessionId, path: Path | None) -> str:
        title = self._library.journal.session(session).title
        text = export_markdown(self._library.journal.rows(session), title)
        if path is not None:
            _write(path, text)
        return text


def export_markdown(rows: Iterable[tuple[int, Mapping[str, Any]]], title: str = "") -> str:
    """Return the journal rows of a conversation as one Markdown document; the same rows, the same bytes."""
    document = _Document()
    for _, event in rows:
        document.add(event)
    document.close_turn()
    head = f"# {_line(title) or 'Conversation'}"
    return "\n\n".join([head, *document.blocks]) + "\n"


@dataclass(slots=True)
class _Document:
    blocks: list[str] = field(default_factory=list)
    pieces: list[str] = field(default_factory=list)
    """Text that streamed and is in no whole reply: of turns of the first journals that were cut."""
    reply: int | None = None
    """The block of the last reply of the turn, which a checked answer replaces."""
    calls: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    questions: dict[str, str] = field(default_factory=dict)

    def add(self, event: Mapping[str, Any]) -> None:
        """Take the next event; kinds that are not written are passed over."""
        kind = event.get("type")
        if (write := _WRITERS.get(str(kind))) is not None:
            write(self, event)
        elif (line := _aside(event)) is not None:
            self.blocks.append(line)

    def close_turn(self) -> None:
        """End a turn; what streamed in it and was never written whole is written now."""
        if text := "".join(self.pieces).strip():
            self._say("AstroResearch", text)
        self.pieces.clear()
        self.reply = None

    def _asked(self, event: Mapping[str, Any]) -> None:
        self.close_turn()
        self._say("You", event["text"])

    def _steered(self, event: Mapping[str, Any]) -> None:
        self._say("You", event["text"])

    def _piece(self, event: Mapping[str, Any]) -> None:
        self.pieces.append(event["text"])

    def _message(self, event: Mapping[str, Any]) -> None:
        self.pieces.clear()
        if event["text"].strip():
            self._say("AstroResearch", event["text"])
            self.reply = len(self.blocks) - 1

    def _call(self, event: Mapping[str, Any]) -> None:
        self.calls[event["id"]] = event

    def _question(self, event: Mapping[str, Any]) -> None:
        self.questions[event["id"]] = event["text"]

    def _question_answer(self, event: Mapping[str, Any]) -> None:
        asked = self.questions.get(event["id"], "")
        self.blocks.append(f"> **Asked:** {_line(asked)}  \n> **{_answered(event)}**")

    def _finished(self, event: Mapping[str, Any]) -> None:
        self.close_turn()
        if (reason := event.get("reason", "done")) != "done":
            self.blocks.append(f"*The turn ended: {reason.replace('_', ' ')}.*")

    def _say(self, who: str, text: str) -> None:
        self.blocks.append(f"## {who}\n\n{text.strip()}")

    def _answer(self, event: Mapping[str, Any]) -> None:
        """Put the answer as it was checked in the place of the reply that it was checked from."""
        self.pieces.clear()
        text = f"## AstroResearch\n\n{_cited(event['answer'])}"
        if self.reply is None:
            self.blocks.append(text)
        else:
            self.blocks[self.reply] = text
        self.reply = None

    def _result(self, event: Mapping[str, Any]) -> None:
        call = self.calls.pop(event["tool_call_id"], {})
        arguments = json.dumps(call.get("arguments", {}), ensure_ascii=False)
        head = f"**{_line(event['name'])}** {_code(arguments)}: {str(event['outcome']).replace('_', ' ')}"
        self.blocks.append("\n\n".join(filter(None, (head, _fenced(event["output"])))))


_WRITERS: dict[str, Callable[[_Document, Mapping[str, Any]], None]] = {
    "turn_started": _Document._asked,
    "steering": _Document._steered,
    "text_delta": _Document._piece,
    "message": _Document._message,
    "answer": _Document._answer,
    "tool_call": _Document._call,
    "tool_result": _Document._result,
    "question": _Document._question,
    "question_answer": _Document._question_answer,
    "turn_finished": _Document._finished,
}


def _aside(event: Mapping[str, Any]) -> str | None:
    """Return the line of an event that belongs to nobody's words."""
    match event.get("type"):
        case "compaction":
            return "---\n\n*Earlier messages were summarised for the model here.*"
        case "notice":
            return f"*{_line(event['message'])}*"
    return None


def _cited(answer: Mapping[str, Any]) -> str:
    """Return the sentences with marks, and under them what the marks stand for."""
    sources: dict[str, int] = {}
    sentences = []
    for sentence in answer.get("sentences") or ():
        marks = []
        for citation in sentence.get("citations") or ():
            number = sources.setdefault(_source(citation), len(sources) + 1)
            marks.append(f"[{number}]")
        unproven = "" if sentence.get("supported", True) else " *(unproven)*"
        sentences.append(
            f"{sentence['text'].strip()}{''.join(f' {m}' for m in dict.fromkeys(marks))}{unproven}"
        )
    listed = "\n".join(f"{number}. {source}" for source, number in sources.items())
    text = " ".join(sentences) or str(answer.get("text") or "")
    return "\n\n".join(filter(None, (text, str(answer.get("message") or ""), listed)))


def _source(citation: Mapping[str, Any]) -> str:
    paper = _line(str(citation.get("label") or citation.get("title") or "?"))
    page = citation.get("page_label") or str(int(citation.get("page") or 0) + 1)
    quote = _line(str(citation.get("quote") or ""))
    return f"{paper}, p. {page}: “{quote}”" if quote else f"{paper}, p. {page}"


def _answered(event: Mapping[str, Any]) -> str:
    if event.get("status") == "answered":
        return f"Answered: {_line(str(event.get('text') or ''))}"
    return "No answer" if event.get("status") == "no_answer" else "Withdrawn"


def _line(text: str) -> str:
    return " ".join(text.split())


def _code(text: str) -> str:
    """Return the text as inline code, whatever backticks are in it."""
    text = _line(text)
    ticks = _ticks(text, 1)
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{ticks}{pad}{text}{pad}{ticks}"


def _fenced(text: str) -> str:
    """Return the text as a block that nothing in it can end."""
    text = text.strip("\n")
    if not text.strip():
        return ""
    left_out = len(text) - OUTPUT_CHARACTERS
    if left_out > 0:
        text = f"{text[:OUTPUT_CHARACTERS]}\n… ({left_out} characters are left out)"
    fence = _ticks(text, 3)
    return f"{fence}text\n{text}\n{fence}"


def _ticks(text: str, least: int) -> str:
    longest = max((len(run) for run in _TICKS.findall(text)), default=0)
    return "`" * max(least, longest + 1)


def _write(path: Path, text: str) -> None:
    try:
        handle, name = tempfile.mkstemp(prefix=f".{path.name}-", dir=path.parent)
        try:
            with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as stream:
                stream.write(text)
                stream.flush()
                os.fsync(stream.fileno())
            Path(name).replace(path)
        except OSError:
            Path(name).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise HomeError(
            f"{path} could not be written: {error.strerror or error}.",
            hint="Choose another folder, or free some space on that disk.",
        ) from error
