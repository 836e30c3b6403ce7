"""A service of embeddings on 127.0.0.1, OpenAI-compatible, well or badly."""

from __future__ import annotations

import asyncio
import base64
import json
import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from tests.fakes.openai_server import FakeOpenAI, Http, _send

Vector = Sequence[float]


def vector_of(text: str) -> list[float]:
    """Return a vector of four numbers that tells texts apart: two letters, the length, a constant."""
    return [text.count("a") / 10, text.count("b") / 10, len(text) / 1000, 0.5]


@dataclass
class FakeEmbeddings(FakeOpenAI):
    """Answers with `vectors` of the texts; `trouble` is played first, one a request, None for none.

    `at_most` texts and `longest` characters are taken in one request; `form` is how vectors are sent;
    `change` may spoil the answer. `inputs` keeps what was asked.
    """

    vectors: Callable[[str], Vector] = vector_of
    trouble: list[Http | None] = field(default_factory=list)
    at_most: int = 10_000
    longest: int = 10**9
    form: str = "float"
    change: Callable[[dict[str, Any]], object] = lambda answer: answer
    hang: bool = False
    inputs: list[list[str]] = field(default_factory=list)

    path: ClassVar[str] = "/embeddings"

    async def _complete(
        self, body: Mapping[str, Any], headers: dict[str, str], writer: asyncio.StreamWriter
    ) -> bool:
        texts = body["input"]
        self.inputs.append(texts)
        self.headers.append(headers)
        self.requests.append(dict(body))
        if self.hang:
            await asyncio.Event().wait()
        trouble = self.trouble.pop(0) if self.trouble else None
        if len(texts) > self.at_most:
            trouble = Http(400, f"batch size is invalid, it should not be larger than {self.at_most}.")
        if any(len(text) > self.longest for text in texts):
            trouble = Http(400, "This model's maximum context length is exceeded")
        answer = {"object": "list", "data": [self._row(i, text) for i, text in enumerate(texts)]}
        await _send(writer, trouble or Http(200, body=json.dumps(self.change(answer))))
        return True

    def _row(self, index: int, text: str) -> dict[str, Any]:
        numbers: Any = list(self.vectors(text))
        if self.form == "base64":
            numbers = base64.b64encode(struct.pack(f"<{len(numbers)}f", *numbers)).decode()
        elif self.form == "nested":
            numbers = [numbers]
        return {"object": "embedding", "index": index, "embedding": numbers}
