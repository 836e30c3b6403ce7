"""Which embedding model searches: the one wanted, or the one before while the index of that is not complete.

What serves is kept in the library's state, with what is needed to make the model again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from app.library import Library
from app.llm.embeddings import Embedder
from app.services.embedding_models import EmbeddingChoice, Wanted

_KEY = "embedding.serving"

MakeEmbedder = Callable[[EmbeddingChoice], Embedder | None]
"""Makes a model of an earlier choice; None when it cannot be used any more."""


class ServingIndex:
    """The model that is wanted, and the one whose index is searched and written. Methods block."""

    wanted: Embedder | None
    serving: Embedder | None
    _choice: EmbeddingChoice
    _serving_choice: EmbeddingChoice

    def __init__(self, library: Library, wanted: Wanted, make: MakeEmbedder) -> None:
        self._library = library
        self._make = make
        self._want(wanted)
        self._decide(make)

    @property
    def embedders(self) -> list[Embedder]:
        """The models in use: one, two while an index is made, or none."""
        known = {id(model): model for model in (self.wanted, self.serving) if model is not None}
        return list(known.values())

    def choose(self, wanted: Wanted) -> None:
        """Want another model from now on; what served goes on serving until its index is complete."""
        self.keep()
        before = {model.model_id: model for model in self.embedders}
        self._want(wanted)
        self._decide(lambda kept: before.get(self._kept_id()) or self._make(kept))

    def keep(self) -> None:
        """Write down what serves."""
        if self.serving is not None:
            record = {"id": self.serving.model_id, "choice": self._serving_choice.as_json()}
            if self._record() != record:
                self._library.state.set(_KEY, record)

    def complete(self) -> bool:
        """Let the wanted model serve and drop every other index; False when passages lack its vectors.

        One transaction: no passage can come in between.
        """
        if self.wanted is None:
            return False
        model = self.wanted.model_id
        with self._library.transaction(durable=True):
            if not self._whole(model):
                return False
            record = {"id": model, "choice": self._choice.as_json()}
            if self._record() != record:
                self._library.state.set(_KEY, record)
            for other in self._library.search.indexed_with():
                if other != model:
                    self._library.search.drop_model(other)
        self.serving, self._serving_choice = self.wanted, self._choice
        return True

    def settled(self) -> bool:
        """Whether the wanted model serves, no passage lacks its vector, and no other index is left over."""
        if self.wanted is None or self.serving is not self.wanted:
            return False
        model = self.wanted.model_id
        return self._library.search.indexed_with() in ([], [model]) and self._whole(model)

    def _whole(self, model: str) -> bool:
        # a vector has a passage, and a passage one vector of a model: equal numbers are the same passages
        return self._library.search.models().get(model, 0) >= self._library.passages.count()

    def _want(self, wanted: Wanted) -> None:
        self.wanted = self.serving = wanted.embedder
        self._choice = self._serving_choice = wanted.choice

    def _decide(self, make: MakeEmbedder) -> None:
        """Find the model whose index is to be searched."""
        kept_id = self._kept_id()
        if not kept_id or (self.wanted and self.wanted.model_id == kept_id):
            return
        choice = EmbeddingChoice.from_json(self._record().get("choice"))
        before = make(choice)
        # the same name may mean another model by now; then a beginning of the new index is better than none
        if before is not None and before.model_id == kept_id:
            self.serving, self._serving_choice = before, choice

    def _kept_id(self) -> str:
        """Return the model whose index is complete, as far as is known; "" when there is no index."""
        indexed = self._library.search.indexed_with()
        kept = str(self._record().get("id", ""))
        # in a library that never wrote it down, the first index is the one that was searched
        return kept if kept in indexed else (indexed[0] if indexed else "")

    def _record(self) -> dict[str, Any]:
        found = self._library.state.get(_KEY)
        return found if isinstance(found, dict) else {}
