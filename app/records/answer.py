"""Answers: sentences, each with the passages that prove it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from app.records.ids import FileId, PageIndex, PageLabel, PaperId, PassageId
from app.records.passage import Quad


@dataclass(frozen=True, slots=True)
class Citation:
    """A quote that stands word for word (after normalisation) in the passage it names."""

    paper_id: PaperId
    file_id: FileId
    passage_id: PassageId
    title: str
    label: str
    """Short name of the paper for chips, such as "Riess+ 2016"."""
    page: PageIndex
    page_label: PageLabel
    quote: str
    quads: tuple[Quad, ...]

    def as_json(self) -> dict[str, Any]:
        """Return plain values; `quads` as lists of eight numbers."""
        return {
            "paper_id": self.paper_id,
            "file_id": self.file_id,
            "passage_id": self.passage_id,
            "title": self.title,
            "label": self.label,
            "page": self.page,
            "page_label": self.page_label,
            "quote": self.quote,
            "quads": [quad.as_json() for quad in self.quads],
        }

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> Citation:
        """Read what `as_json` gives; what is only for show may be missing."""
        return cls(
            paper_id=PaperId(value["paper_id"]),
            file_id=FileId(value.get("file_id") or 0),
            passage_id=PassageId(value.get("passage_id") or 0),
            title=str(value.get("title") or ""),
            label=str(value.get("label") or ""),
            page=PageIndex(int(value["page"])),
            page_label=PageLabel(str(value.get("page_label") or "")),
            quote=str(value.get("quote") or ""),
            quads=tuple(Quad.from_list(quad) for quad in value.get("quads") or ()),
        )


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence of an answer; without citations it is shown as unproven."""

    text: str
    citations: tuple[Citation, ...] = ()

    @property
    def supported(self) -> bool:
        """Whether at least one citation proves the sentence."""
        return bool(self.citations)


@dataclass(frozen=True, slots=True)
class Answer:
    """What `ask` gives back.

    `kind` is "answer" (written by a model, each sentence checked), "quotes" (the
    best passages, word for word, because no model could answer) or "not_found".
    """

    question: str
    kind: str
    sentences: tuple[Sentence, ...]
    model: str = ""
    message: str = ""
    """Why the answer has this kind, in one line for the person; empty when plain."""

    def citations(self) -> tuple[Citation, ...]:
        """All citations in order, without repeats."""
        return tuple(dict.fromkeys(c for s in self.sentences for c in s.citations))

    def as_json(self) -> dict[str, Any]:
        """Return plain values for `--json` and for the `answer` event."""
        return {
            "question": self.question,
            "kind": self.kind,
            "model": self.model,
            "message": self.message,
            "text": " ".join(s.text for s in self.sentences),
            "sentences": [
                {
                    "text": s.text,
                    "supported": s.supported,
                    "citations": [c.as_json() for c in s.citations],
                }
                for s in self.sentences
            ],
            "citations": [c.as_json() for c in self.citations()],
        }
