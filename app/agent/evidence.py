"""The passages that a conversation has brought before the model, numbered, so that it can cite them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from app.records.ids import FileId, PageIndex, PageLabel, PaperId, PassageId
from app.records.passage import Passage, PassageHit

LAST_NUMBER = 999
"""The largest number a citation mark may have (`app.services.verify`); passages beyond it get none."""


class Evidence:
    """A ledger of passages, counted from 1; a passage keeps its number as long as the session lives.

    Sub-agents write into the ledger of their parent, so that `[4]` in a summary means the same there.
    `hits` and `labels` are what `app.services.verify.check` takes: passage n is `hits[n - 1]`.
    Use from one loop.
    """

    def __init__(self) -> None:
        self._hits: list[PassageHit] = []
        self._labels: list[str] = []
        self._numbers: dict[PassageId, int] = {}

    def __len__(self) -> int:
        return len(self._hits)

    @property
    def hits(self) -> tuple[PassageHit, ...]:
        """All passages, by number."""
        return tuple(self._hits)

    @property
    def labels(self) -> tuple[str, ...]:
        """The short names of their papers, by number."""
        return tuple(self._labels)

    def add(self, hits: Sequence[PassageHit], labels: Sequence[str]) -> tuple[int, ...]:
        """Number the passages and return their numbers, in order; known ones keep what they have.

        Raises ValueError unless there is one label for each passage.
        """
        return tuple(self._number(hit, label) for hit, label in zip(hits, labels, strict=True))

    def metadata(self, numbers: Iterable[int]) -> dict[str, list[dict[str, object]]]:
        """Return what a tool result's metadata keeps of these numbers, for `restore`."""
        return {"evidence": [self._entry(number) for number in dict.fromkeys(numbers)]}

    def restore(
        self, metadata: Mapping[str, object], passage: Callable[[PassageId], PassageHit | None]
    ) -> None:
        """Put back what a tool result of this session brought in, under the same numbers.

        `passage` looks one up in the library and gives None for one that is gone: its number stays
        taken, and nothing can be proven by it. Results are restored in the order of the journal, those
        inside `Nested` events too. What is no such metadata is passed over.
        """
        entries = metadata.get("evidence")
        for entry in entries if isinstance(entries, list) else ():
            if not isinstance(entry, dict):
                continue
            number, key = entry.get("n"), entry.get("passage_id")
            if isinstance(number, int) and isinstance(key, int) and 0 < number <= LAST_NUMBER:
                found = passage(PassageId(key)) or _gone(entry, PassageId(key))
                self._put(number, found, str(entry.get("label") or ""))

    def _number(self, hit: PassageHit, label: str) -> int:
        known = self._numbers.get(hit.passage_id)
        if known is None:
            known = len(self._hits) + 1
            self._put(known, hit, label)
        return known

    def _put(self, number: int, hit: PassageHit, label: str) -> None:
        while len(self._hits) < number:
            # A result that was lost in a crash has left its numbers unused.
            self._hits.append(_gone({}, PassageId(0)))
            self._labels.append("")
        self._hits[number - 1] = hit
        self._labels[number - 1] = label
        self._numbers[hit.passage_id] = number

    def _entry(self, number: int) -> dict[str, object]:
        hit = self._hits[number - 1]
        return {
            "n": number,
            "passage_id": hit.passage_id,
            "paper_id": hit.paper_id,
            "label": self._labels[number - 1],
            "page": hit.passage.page,
            "page_label": hit.passage.page_label,
        }


def mark(number: int) -> str:
    """Return "[4]", what the model writes to cite the passage; empty beyond `LAST_NUMBER`."""
    return f"[{number}]" if number <= LAST_NUMBER else ""


def _gone(entry: Mapping[str, object], passage_id: PassageId) -> PassageHit:
    """Stand in for a passage that the library no longer has: it has no words, so it proves nothing."""
    page = entry.get("page")
    passage = Passage(
        PageIndex(page if isinstance(page, int) else 0),
        PageLabel(str(entry.get("page_label") or "")),
        start=0,
        end=0,
        text="",
        section="",
    )
    return PassageHit(passage_id, PaperId(str(entry.get("paper_id") or "")), FileId(0), "", passage, 0.0)
