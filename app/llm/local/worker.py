"""The `llm` worker: one GGUF model in llama.cpp, which no other process loads."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from app.llm.local.requests import Ask, Load
from app.workers.protocol import JSON
from app.workers.serve import Context, serve

if TYPE_CHECKING:
    from app.llm.local.model import Model

# Loading that is over by then is not worth a word.
_QUIET_S = 0.5
_STEP = 0.04


def main() -> None:
    """Serve `chat` (a stream), `describe`, `count_tokens`, `tokenize` and `save`."""
    # Read when llama.cpp loads OpenMP. Threads that spin while they wait for each other made an answer
    # five to fifteen times slower while an import kept the cores busy (measured; docs/adr/0001).
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    models = _Models()

    def tokenize(params: dict[str, JSON], _: list[bytes], context: Context) -> list[int]:
        return models.get(params, context).tokens(params["text"])

    serve(
        {
            "chat": lambda params, _, context: models.get(params, context).chat(Ask.of(params), context),
            "describe": lambda params, _, context: models.get(params, context).described(),
            "tokenize": tokenize,
            "count_tokens": lambda params, blobs, context: len(tokenize(params, blobs, context)),
            "save": lambda params, _, context: models.save(),
        }
    )


class _Models:
    """The one model that is loaded."""

    def __init__(self) -> None:
        self._load: Load | None = None
        self._model: Model | None = None

    def get(self, params: dict[str, JSON], context: Context) -> Model:
        """Return the model of a request; another one is loaded in place of the one that was.

        Emits {"loading": share} while it takes long.
        """
        from app.llm.local.model import Model

        wanted = Load.of(params)
        if self._model is not None and self._load is not None and _same(self._load, wanted):
            return self._model
        if self._model is not None:
            self._model.close()
            self._model = None
        model = Model(wanted, _teller(context))
        self._load, self._model = wanted, model
        return model

    def save(self) -> int:
        return self._model.save() if self._model else 0


def _same(loaded: Load, wanted: Load) -> bool:
    """Whether the loaded model will do; numbers of threads are no reason to load it again."""
    return (loaded.model, loaded.context_tokens, loaded.rung, loaded.state_folder) == (
        wanted.model,
        wanted.context_tokens,
        wanted.rung,
        wanted.state_folder,
    )


def _teller(context: Context) -> Callable[[float], bool]:
    """Return what tells how far the loading is, and ends it when nobody waits for it."""
    start, said = time.monotonic(), 0.0

    def tell(share: float) -> bool:
        nonlocal said
        # In few steps: whoever only wants tokens counted does not read them.
        if share - said >= _STEP and time.monotonic() - start > _QUIET_S:
            said = share
            context.emit({"loading": share})
        return not context.cancelled()

    return tell
