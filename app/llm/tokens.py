"""How many tokens a prompt is, where the model's own tokenizer is out of reach. Pure.

One estimator serves every caller. It anchors on what the provider last reported and estimates only
what was added since; what it gets wrong it learns, separately for Latin text and for wide scripts,
with no bounds: a bounded factor could never follow a tokenizer that differs by more (bug 20).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from app.llm.chat import ChatMessage, ToolSpec

MESSAGE_TOKENS = 4
"""The markup around a message, and around a call in it."""

# Tokens a character, from the tokenizers of Qwen, Llama, GPT and SmolLM on abstracts, tables and JSON.
_LETTER, _DIGIT, _SIGN = 0.2, 0.7, 0.55
_TWO_BYTE, _WIDE, _ASTRAL = 0.6, 1.0, 2.0

_DIGITS = b"0123456789"
_SIGNS = bytes(code for code in range(128) if not (chr(code).isalnum() or chr(code) == " "))
_CONTINUING = bytes(range(0x80, 0xC0))
_TWO_LEAD, _THREE_LEAD, _FOUR_LEAD = (
    bytes(range(0xC0, 0xE0)),
    bytes(range(0xE0, 0xF0)),
    bytes(range(0xF0, 256)),
)
_FADING = 0.7
"""How much an observation counts after each further one."""
_BELIEF = 0.05
"""How much the weights as delivered count, as a share of one observation."""
# General punctuation, arrows, mathematical signs (U+2000 to U+2FFF) belong to Latin text.
_SYMBOL_LEAD = b"\xe2"


@dataclass(frozen=True, slots=True)
class Weight:
    """Tokens before calibration: of Latin text with its digits and signs, and of everything wider."""

    latin: float = 0.0
    wide: float = 0.0

    def __add__(self, other: Weight) -> Weight:
        return Weight(self.latin + other.latin, self.wide + other.wide)

    def __sub__(self, other: Weight) -> Weight:
        return Weight(self.latin - other.latin, self.wide - other.wide)


def weight_of(text: str) -> Weight:
    """Return the weight of a text; looks at bytes, some hundred megabytes a second."""
    data = text.encode("utf-8", "replace")
    digits, signs = _count(data, _DIGITS), _count(data, _SIGNS)
    if len(data) == len(text):
        return Weight(_LETTER * (len(data) - digits - signs) + _DIGIT * digits + _SIGN * signs)
    two, three, four = _count(data, _TWO_LEAD), _count(data, _THREE_LEAD), _count(data, _FOUR_LEAD)
    symbols = _count(data, _SYMBOL_LEAD)
    letters = len(data) - digits - signs - two - three - four - _count(data, _CONTINUING)
    latin = _LETTER * letters + _DIGIT * digits + _SIGN * signs + _WIDE * symbols
    return Weight(latin, _TWO_BYTE * two + _WIDE * (three - symbols) + _ASTRAL * four)


def weight_of_messages(messages: Sequence[ChatMessage], tools: Sequence[ToolSpec] = ()) -> Weight:
    """Return the weight of a prompt with its markup, calls, thinking and tool schemas."""
    total = Weight()
    for message in messages:
        total += weight_of(message.content) + weight_of(message.thinking) + Weight(MESSAGE_TOKENS)
        for call in message.calls:
            total += weight_of(call.name) + weight_of(call.arguments) + Weight(MESSAGE_TOKENS)
    for tool in tools:
        total += weight_of(tool.name + tool.description + json.dumps(tool.parameters, ensure_ascii=False))
        total += Weight(MESSAGE_TOKENS)
    return total


def count_messages(
    messages: Sequence[ChatMessage],
    tools: Sequence[ToolSpec] = (),
    *,
    count: Callable[[str], int] | None = None,
) -> int:
    """Return the tokens of a prompt, by `count` for each text in it, else by the uncalibrated weights."""
    if count is None:
        weight = weight_of_messages(messages, tools)
        return round(weight.latin + weight.wide)
    total = sum(count(json.dumps(tool.parameters) + tool.name + tool.description) for tool in tools)
    for message in messages:
        texts = [message.content, message.thinking, *(call.name + call.arguments for call in message.calls)]
        total += MESSAGE_TOKENS * (1 + len(message.calls)) + sum(count(text) for text in texts if text)
    return total + MESSAGE_TOKENS * len(tools)


@dataclass(slots=True)
class _Anchor:
    messages: tuple[ChatMessage, ...]
    tools: tuple[ToolSpec, ...]
    tokens: int


class TokenEstimator:
    """Estimates for one model; `observe` what it reports after every request."""

    def __init__(self) -> None:
        self._fit = _Fit()
        self._anchor: _Anchor | None = None

    def text(self, text: str) -> int:
        """Return the tokens of a text without markup; at least 1 where there is any."""
        return max(1, round(self._fit.tokens(weight_of(text)))) if text else 0

    def message(self, message: ChatMessage) -> int:
        """Return the tokens of a message with its markup."""
        return round(self._fit.tokens(weight_of_messages([message])))

    def prompt(self, messages: Sequence[ChatMessage], tools: Sequence[ToolSpec] = ()) -> int:
        """Return the tokens of a prompt: those reported for its beginning, and an estimate of the rest."""
        anchor = self._anchor
        if anchor and self._continues(anchor, messages, tools):
            added = weight_of_messages(messages[len(anchor.messages) :])
            return anchor.tokens + round(self._fit.tokens(added))
        return round(self._fit.tokens(weight_of_messages(messages, tools)))

    def observe(self, messages: Sequence[ChatMessage], tools: Sequence[ToolSpec], prompt_tokens: int) -> None:
        """Take what the provider reported for a prompt; 0 or less means that it reported nothing."""
        if prompt_tokens <= 0:
            return
        anchor = self._anchor
        whole = weight_of_messages(messages, tools)
        self._fit.learn(whole, prompt_tokens)
        if anchor and self._continues(anchor, messages, tools) and prompt_tokens > anchor.tokens:
            before = weight_of_messages(anchor.messages, anchor.tools)
            self._fit.learn(whole - before, prompt_tokens - anchor.tokens)
        self._anchor = _Anchor(tuple(messages), tuple(tools), prompt_tokens)

    @staticmethod
    def _continues(anchor: _Anchor, messages: Sequence[ChatMessage], tools: Sequence[ToolSpec]) -> bool:
        same_tools = anchor.tools == tuple(tools)
        return same_tools and anchor.messages == tuple(messages[: len(anchor.messages)])


@dataclass(slots=True)
class _Fit:
    """Least squares of tokens on the two weights; older observations count less and less."""

    latin: float = 1.0
    wide: float = 1.0
    # Sums of latin², latin·wide, wide², latin·tokens, wide·tokens.
    _sums: tuple[float, float, float, float, float] = (0.0, 0.0, 0.0, 0.0, 0.0)

    def tokens(self, weight: Weight) -> float:
        return self.latin * weight.latin + self.wide * weight.wide

    def learn(self, weight: Weight, tokens: int) -> None:
        latin, wide = weight.latin, weight.wide
        scale = max(latin + wide, 1.0)  # every observation counts the same, long or short
        x, y, t = latin / scale, wide / scale, tokens / scale
        new = (x * x, x * y, y * y, x * t, y * t)
        old = self._sums
        a, b, d, p, q = (_FADING * old[n] + new[n] for n in range(5))
        self._sums = (a, b, d, p, q)
        a, d, p, q = a + _BELIEF, d + _BELIEF, p + _BELIEF, q + _BELIEF
        determinant = a * d - b * b
        self.latin, self.wide = (p * d - q * b) / determinant, (q * a - p * b) / determinant
        if min(self.latin, self.wide) <= 0:  # two mixtures too alike to tell apart
            self.latin = self.wide = tokens / scale


def _count(data: bytes, kind: bytes) -> int:
    return len(data) - len(data.translate(None, kind))
