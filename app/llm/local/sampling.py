"""Chooses the next token: by the model alone, or held to a grammar. Runs in the worker.

A grammar is its own sampler, asked about the one token that the model chose; only when it refuses that
one are all tokens of the vocabulary tried. What it is told has always been asked first: a token that
does not fit would end the process with a C++ exception. That is also why the lazy grammar of llama.cpp,
which tells itself what it was triggered by, is not used.
"""

from __future__ import annotations

import ctypes
from typing import Any

import llama_cpp
import numpy as np
import numpy.typing as npt

from app.llm.local.calls.gbnf import GrammarError
from app.llm.local.vocabulary import Vocabulary

SEED = 20_260
_LAST_TOKENS = 64
_CANDIDATE = np.dtype([("id", np.int32), ("logit", np.float32), ("p", np.float32)], align=True)


class Constraint:
    """A grammar and how far a reply has come in it."""

    def __init__(self, vocabulary: Vocabulary, grammar: str) -> None:
        """Raises GrammarError when the grammar does not parse."""
        self._vocabulary = vocabulary
        self._sampler = llama_cpp.llama_sampler_init_grammar(
            vocabulary.pointer, grammar.encode("utf-8", "replace"), b"root"
        )
        if not self._sampler:
            raise GrammarError("llama.cpp does not understand the grammar of these tools.")
        self._one = (llama_cpp.llama_token_data * 1)()
        self._asked = llama_cpp.llama_token_data_array(data=self._one, size=1, selected=-1, sorted=False)

    def allows(self, token: int) -> bool:
        """Whether the grammar goes on with this token."""
        self._one[0] = llama_cpp.llama_token_data(token, 1.0, 0.0)
        self._asked.size, self._asked.selected, self._asked.sorted = 1, -1, False
        llama_cpp.llama_sampler_apply(self._sampler, ctypes.byref(self._asked))
        return bool(np.isfinite(self._one[0].logit))

    def accept(self, token: int) -> None:
        """Go on with a token that is allowed."""
        llama_cpp.llama_sampler_accept(self._sampler, token)

    def accept_text(self, text: str) -> bool:
        """Go on with a text that was written before; False, somewhere in it, when it does not fit."""
        for token in self._vocabulary.tokens(text, True):
            if not self.allows(token):
                return False
            self.accept(token)
        return True

    def apply(self, candidates: Any) -> None:
        """Take away what the grammar does not go on with."""
        llama_cpp.llama_sampler_apply(self._sampler, candidates)

    def close(self) -> None:
        if self._sampler:
            llama_cpp.llama_sampler_free(self._sampler)
            self._sampler = None


class Sampler:
    """Chooses tokens for one reply; close it afterwards."""

    def __init__(self, vocabulary: Vocabulary, *, temperature: float, repeat_penalty: float) -> None:
        self._size = vocabulary.size
        self.constraint: Constraint | None = None
        # JSON repeats its quotes and keys for good reasons.
        self._free = _chain(vocabulary.size, temperature, repeat_penalty)
        self._held = _chain(vocabulary.size, temperature, 1.0)
        self._candidates: npt.NDArray[Any] = np.zeros(vocabulary.size, _CANDIDATE)
        self._ids = np.arange(vocabulary.size, dtype=np.int32)

    def next(self, context: Any) -> int:
        """Return the next token; raises GrammarError when the grammar leaves none."""
        if self.constraint is None:
            return int(llama_cpp.llama_sampler_sample(self._free, context, -1))
        logits = np.ctypeslib.as_array(llama_cpp.llama_get_logits_ith(context, -1), shape=(self._size,))
        token, _ = self._chosen(logits, None)
        if not self.constraint.allows(token):
            token, likelihood = self._chosen(logits, self.constraint)
            if not np.isfinite(likelihood):
                raise GrammarError("The grammar of these tools leaves the model no way on.")
        self.constraint.accept(token)
        llama_cpp.llama_sampler_accept(self._held, token)
        llama_cpp.llama_sampler_accept(self._free, token)
        return token

    def close(self) -> None:
        llama_cpp.llama_sampler_free(self._free)
        llama_cpp.llama_sampler_free(self._held)
        if self.constraint:
            self.constraint.close()

    def _chosen(self, logits: npt.NDArray[np.float32], constraint: Constraint | None) -> tuple[int, float]:
        self._candidates["id"] = self._ids
        self._candidates["logit"] = logits
        self._candidates["p"] = 0
        data = self._candidates.ctypes.data_as(llama_cpp.llama_token_data_p)
        array = llama_cpp.llama_token_data_array(data=data, size=self._size, selected=-1, sorted=False)
        if constraint:
            constraint.apply(ctypes.byref(array))
        llama_cpp.llama_sampler_apply(self._held, ctypes.byref(array))
        chosen = array.data[array.selected]
        return int(chosen.id), float(chosen.logit)


def _chain(size: int, temperature: float, repeat_penalty: float) -> Any:
    """Return the samplers that the Python binding takes by default, in its order."""
    chain = llama_cpp.llama_sampler_chain_init(llama_cpp.llama_sampler_chain_default_params())

    def add(sampler: Any) -> None:
        llama_cpp.llama_sampler_chain_add(chain, sampler)

    if repeat_penalty != 1.0:
        add(llama_cpp.llama_sampler_init_penalties(size, _LAST_TOKENS, repeat_penalty, 0.0, 0.0))
    if temperature <= 0:
        add(llama_cpp.llama_sampler_init_greedy())
        return chain
    add(llama_cpp.llama_sampler_init_top_k(40))
    add(llama_cpp.llama_sampler_init_top_p(0.95, 1))
    add(llama_cpp.llama_sampler_init_min_p(0.05, 1))
    add(llama_cpp.llama_sampler_init_temp(temperature))
    add(llama_cpp.llama_sampler_init_dist(SEED))
    return chain
