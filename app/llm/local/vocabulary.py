"""The words of a loaded model: text to tokens and back. Runs in the worker."""

from __future__ import annotations

import ctypes
import functools
import re
from typing import Any

# A user-defined token that looks like markup (`<tool_call>`): llama.cpp takes it for one token wherever it
# stands, so that text of a paper must not hold it either. Others are runs of blanks and such.
_MARKUP = re.compile(r"[<\[][^\s<>\[\]]{2,40}[>\]]")


class Vocabulary:
    """The tokens of one model."""

    def __init__(self, model: Any) -> None:
        import llama_cpp

        self._api = llama_cpp
        self.pointer = llama_cpp.llama_model_get_vocab(model)
        self.size: int = llama_cpp.llama_vocab_n_tokens(self.pointer)
        self.begin: int = llama_cpp.llama_vocab_bos(self.pointer)
        self.adds_begin = bool(llama_cpp.llama_vocab_get_add_bos(self.pointer))
        self.begin_word = self.word(self.begin)
        self.end_word = self.word(llama_cpp.llama_vocab_eos(self.pointer))
        self.control_words, self.end_words = self._special_words()
        self._pieces: dict[tuple[int, bool], bytes] = {}
        # A conversation is put together anew for each request; its parts stay the same.
        self.tokens = functools.lru_cache(maxsize=32)(self._tokens)

    def is_end(self, token: int) -> bool:
        """Whether a token ends the model's turn."""
        return bool(self._api.llama_vocab_is_eog(self.pointer, token))

    def word(self, token: int) -> str:
        """Return the text of a token as the vocabulary has it; "" for none."""
        if token < 0:
            return ""
        return bytes(self._api.llama_vocab_get_text(self.pointer, token) or b"").decode("utf-8", "replace")

    def piece(self, token: int, *, markup: bool) -> bytes:
        """Return the bytes a token stands for; a control token is empty unless `markup`."""
        known = self._pieces.get((token, markup))
        if known is None:
            known = self._pieces[token, markup] = self._piece(token, markup)
        return known

    def _tokens(self, text: str, markup: bool = False) -> tuple[int, ...]:
        """Return the tokens of a text; only with `markup` control words become control tokens."""
        data = text.encode("utf-8", "replace")
        if not data:
            return ()
        room = len(data) + 8
        ids = (self._api.llama_token * room)()
        count = self._api.llama_tokenize(self.pointer, data, len(data), ids, room, False, markup)
        if count < 0:
            ids = (self._api.llama_token * -count)()
            count = self._api.llama_tokenize(self.pointer, data, len(data), ids, -count, False, markup)
        return tuple(ids[:count])

    def _piece(self, token: int, markup: bool) -> bytes:
        size = 64
        while True:
            buffer = ctypes.create_string_buffer(size)
            count = self._api.llama_token_to_piece(self.pointer, token, buffer, size, 0, markup)
            if count >= 0:
                return buffer.raw[:count]
            size = -count

    def _special_words(self) -> tuple[list[str], list[str]]:
        """Return the words that must not come from text, and among them those that end a turn."""
        api, special, ends = self._api, [], []
        for token in range(self.size):
            attributes = api.llama_vocab_get_attr(self.pointer, token)
            if not attributes & (api.LLAMA_TOKEN_ATTR_CONTROL | api.LLAMA_TOKEN_ATTR_USER_DEFINED):
                continue
            word = self.word(token)
            if len(word) > 1 and (attributes & api.LLAMA_TOKEN_ATTR_CONTROL or _MARKUP.fullmatch(word)):
                special.append(word)
                if self.is_end(token):
                    ends.append(word)
        return special, ends
