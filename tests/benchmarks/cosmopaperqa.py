"""How often the key passage of a question is retrieved: CosmoPaperQA from `../shared/eval`.

`python -m tests.benchmarks.cosmopaperqa` adds the five papers to a fresh library and asks
each question that has a key passage which can be found in its paper. A question counts
as answered at a budget of N characters when at least 60 % of the key passage's words lie
in the first N characters of the hits. Prints one JSON document: shares per mode and budget.
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from rapidfuzz import fuzz

from app.application import Application
from app.services.searching import MODES

EVAL = Path(__file__).resolve().parents[3] / "shared" / "eval" / "cosmopaperqa"
BUDGETS = (4000, 8000, 16000)
_COVERED = 0.6
_ALIGNED = 75.0
_RUN = 5
"""Words in a row that must agree for them to count as retrieved."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question, and the words of its paper that answer it."""

    text: str
    gold: str


def questions(folder: Path) -> list[Question]:
    """Return the questions whose key passage is found in the paper's text."""
    found = []
    for line in (folder / "questions.jsonl").read_text(encoding="utf-8").splitlines():
        entry = json.loads(line)
        passage = _one_line(entry["key_passage"] or "")
        if len(passage) < 25:
            continue
        paper = next(folder.glob(f"{entry['arxiv_id']}*.md"))
        text = _one_line(paper.read_text(encoding="utf-8"))
        place = fuzz.partial_ratio_alignment(passage, text)
        if place is not None and place.score >= _ALIGNED:
            found.append(Question(entry["question"], text[place.dest_start : place.dest_end]))
    return found


def covered(gold: str, retrieved: str) -> bool:
    """Whether enough of the gold passage stands in what was retrieved, by runs of words."""
    words, text = gold.split(), f" {' '.join(retrieved.split())} "
    if len(words) < _RUN:
        return f" {gold} " in text
    seen: set[int] = set()
    for i in range(len(words) - _RUN + 1):
        if f" {' '.join(words[i : i + _RUN])} " in text:
            seen.update(range(i, i + _RUN))
    return len(seen) / len(words) >= _COVERED


async def shares(folder: Path) -> dict[str, dict[str, float]]:
    """Return the share of covered questions in per cent, by mode and budget."""
    asked = questions(folder)
    counts = {mode: dict.fromkeys(BUDGETS, 0) for mode in MODES}
    with tempfile.TemporaryDirectory() as home:
        async with Application.open(Path(home)) as application:
            async for result in application.importer.add(
                sorted(p for p in folder.glob("*.md") if p.stem != "SOURCES")
            ):
                print(f"{result.status}: {result.path.name}, {result.passages} passages", file=sys.stderr)
            for question in asked:
                for mode in MODES:
                    found = await application.searcher.search(question.text, mode=mode, limit=40)
                    quotes = [hit.quote for hit in found.hits]
                    for budget in BUDGETS:
                        counts[mode][budget] += covered(question.gold, _within(quotes, budget))
    return {
        mode: {str(budget): round(100 * n / len(asked), 1) for budget, n in by_budget.items()}
        | {"questions": float(len(asked))}
        for mode, by_budget in counts.items()
    }


def _within(quotes: Iterable[str], budget: int) -> str:
    return "\n".join(quotes)[:budget]


def _one_line(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()


if __name__ == "__main__":
    if not EVAL.is_dir():
        sys.exit("The benchmark is not here: ../shared/eval/cosmopaperqa")
    print(json.dumps(asyncio.run(shares(EVAL)), indent=2))
