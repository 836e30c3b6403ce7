"""From a model's bytes to the text that may be shown. Pure."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Sequence


class TextStream:
    """Joins pieces of UTF-8 into text and ends at the first stop sequence, which is never shown."""

    def __init__(self, stop: Sequence[str] = ()) -> None:
        self._stop = [word for word in stop if word]
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._held = ""
        self.stopped = False

    def feed(self, piece: bytes) -> str:
        """Return what can be shown now; text that may be the start of a stop sequence is held back."""
        return self._release(self._decoder.decode(piece), last=False)

    def flush(self) -> str:
        """Return what is left at the end."""
        return self._release(self._decoder.decode(b"", final=True), last=True)

    def _release(self, text: str, *, last: bool) -> str:
        if self.stopped:
            return ""
        self._held += text
        found = [at for word in self._stop if (at := self._held.find(word)) >= 0]
        if found:
            self.stopped = True
            shown, self._held = self._held[: min(found)], ""
            return shown
        keep = 0 if last else self._possible_start()
        shown, self._held = self._held[: len(self._held) - keep], self._held[len(self._held) - keep :]
        return shown

    def _possible_start(self) -> int:
        """Return the length of the longest end of the held text that begins a stop sequence."""
        longest = max((len(word) for word in self._stop), default=1) - 1
        for size in range(min(longest, len(self._held)), 0, -1):
            end = self._held[-size:]
            if any(word.startswith(end) for word in self._stop):
                return size
        return 0


def defused(text: str, control_words: Iterable[str]) -> str:
    """Return the text with the model's control words broken up.

    Text of a paper must not be able to end its message and speak as the system or the user.
    """
    words = sorted((re.escape(word) for word in control_words if word in text), key=len, reverse=True)
    if not words:
        return text
    return re.sub("|".join(words), lambda found: f"{found[0][0]} {found[0][1:]}", text)
