"""Writes one reply, token by token, into a sequence that holds its prompt. Runs in the worker."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from app.llm.local.calls.gbnf import GrammarError, parsed
from app.llm.local.calls.plan import CallPlan
from app.llm.local.calls.watch import TriggerWatch
from app.llm.local.engine import Engine
from app.llm.local.sampling import Constraint, Sampler
from app.llm.local.text import TextStream

# Called with the tokens to read; checks for a cancel, and reads them into the sequence and its log.
Read = Callable[[list[int]], None]


@dataclass(slots=True)
class Limits:
    """What ends a reply besides the model."""

    tokens: int
    stop: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Outcome:
    """How a reply ended; `ids` are its tokens without the one that ends a turn."""

    reason: Literal["stop", "length"] = "length"
    ids: list[int] = field(default_factory=list)
    text: str = ""
    by_stop_word: bool = False
    problem: str = ""
    """Why the grammar was given up, if it was."""


class Writer:
    """One reply. `emit` gets its text in pieces; `outcome` is true at any moment, also after a cancel."""

    def __init__(
        self, engine: Engine, sampler: Sampler, plan: CallPlan, *, constrained: bool, inside_thinking: bool
    ) -> None:
        self._engine = engine
        self._sampler = sampler
        self._words = engine.vocabulary
        self._grammar = plan.grammar if constrained else None
        self._markup = bool(plan.shown) or plan.grammar is not None
        self._after = ""
        self._watch = self._watching(plan, inside_thinking)
        self.outcome = Outcome()

    def write(self, read: Read, limits: Limits, emit: Callable[[str], None]) -> None:
        """Write until the model, a stop word or a limit ends it."""
        text = TextStream(limits.stop)
        heard = TextStream()
        outcome = self.outcome
        if self._grammar and self._watch is None:
            self._hold("")
        while True:
            token = self._next()
            if self._words.is_end(token):
                outcome.reason = "stop"
                break
            step = [token]
            piece = self._words.piece(token, markup=self._markup)
            if self._watch and (started := self._watch.feed(heard.feed(piece))) is not None:
                self._watch = None
                if (kept := self._begin(started, piece)) is not None:
                    piece = kept
                    step = list(self._words.tokens(piece.decode("utf-8", "replace"), True))
            outcome.ids += step
            self._say(text.feed(piece), emit)
            if text.stopped:
                outcome.reason, outcome.by_stop_word = "stop", True
                break
            if len(outcome.ids) >= limits.tokens:
                break
            read(step)
        self._say(text.flush(), emit)

    def _next(self) -> int:
        try:
            return self._sampler.next(self._engine.context)
        except GrammarError as error:
            self._give_up(error)
            return self._sampler.next(self._engine.context)

    def _say(self, text: str, emit: Callable[[str], None]) -> None:
        if text:
            self.outcome.text += text
            emit(text)

    def _watching(self, plan: CallPlan, inside: bool) -> TriggerWatch | None:
        """Return what says when the grammar begins to hold; None where it does from the first token."""
        if self._grammar is None or (not self._grammar.lazy and not inside):
            return None
        watch = plan.watch()
        if not self._grammar.lazy and watch.tags:
            # The prompt opened the thinking: the grammar is for what comes behind it.
            self._after = watch.tags.closing
            return TriggerWatch((self._after,))
        watch.inside = watch.inside or inside
        return watch

    def _hold(self, begun: str) -> bool:
        """Hold the rest to the grammar, of which `begun` was written; False when that does not fit it."""
        grammar = self._grammar.text if self._grammar else ""
        constraint = None
        try:
            parsed(grammar)
            constraint = Constraint(self._words, grammar)
        except GrammarError as error:
            self._give_up(error)
            return True
        if begun and not constraint.accept_text(begun):
            constraint.close()
            return False
        self._sampler.constraint = constraint
        return True

    def _begin(self, started: str, piece: bytes) -> bytes | None:
        """Begin to hold what started with a call's word; return the piece without what does not fit.

        The piece that ends the word may go on behind it, with something the grammar does not know.
        """
        if self._hold(started[len(self._after) :]):
            return None
        words = (self._after,) if self._after else self._grammar.words if self._grammar else ()
        word = next(filter(started.startswith, words), "")
        behind = started[len(word) :].encode()
        if word and behind and piece.endswith(behind) and self._hold(word[len(self._after) :]):
            return piece[: len(piece) - len(behind)]
        return None

    def _give_up(self, error: GrammarError) -> None:
        self.outcome.problem = error.message
        if self._sampler.constraint:
            self._sampler.constraint.close()
            self._sampler.constraint = None
