"""What hypothesis draws for the agent's tests: conversations, paths, edits; streams are in `streams`."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import strategies as st

from app.llm.call_ids import new_call_id
from app.llm.chat import CallPart, ChatMessage
from tests.harness.streams import NASTY_TEXT, DeltaStream, delta_streams, wanted_calls

__all__ = ["NASTY_TEXT", "DeltaStream", "damaged", "delta_streams", "edits", "histories", "nasty_paths"]


# -- conversations --------------------------------------------------------------------------------


@st.composite
def histories(draw: st.DrawFn, max_turns: int = 4) -> list[ChatMessage]:
    """Whole conversations in which every call is answered, in order: turns of rounds of calls."""
    messages = [ChatMessage("system", "You help astronomers.")]
    for _ in range(draw(st.integers(1, max_turns))):
        messages.append(ChatMessage("user", draw(NASTY_TEXT) or "?"))
        for _ in range(draw(st.integers(0, 3))):
            parts = tuple(
                CallPart(new_call_id(), call.name, call.arguments) for call in draw(wanted_calls(1, 3))
            )
            thinking = draw(st.sampled_from(["", "let me see"]))
            messages.append(ChatMessage("assistant", draw(NASTY_TEXT), thinking=thinking, calls=parts))
            messages += [ChatMessage("tool", draw(NASTY_TEXT), call_id=part.id) for part in parts]
        messages.append(ChatMessage("assistant", draw(NASTY_TEXT) or "done."))
    return messages


@st.composite
def damaged(draw: st.DrawFn, conversations: st.SearchStrategy[list[ChatMessage]]) -> list[ChatMessage]:
    """A conversation as a crash or a bug leaves it: messages lost, doubled, or out of their order."""
    messages = list(draw(conversations))
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(1, max(1, len(messages) - 1)))
        match draw(st.sampled_from(["lose", "double", "swap", "end"])):
            case "lose" if len(messages) > 2:
                del messages[at]
            case "double" if at < len(messages):
                messages.insert(at, messages[at])
            case "swap" if at + 1 < len(messages):
                messages[at], messages[at + 1] = messages[at + 1], messages[at]
            case "end" if at > 1:
                del messages[at:]
    return messages


# -- files ----------------------------------------------------------------------------------------

_NAMES = "a files .. . ... a..b.pdf ~ ~root PROGRA~1 CON nul.txt a:b C: -rf 星系 é %2e%2e $(id) settings.toml"
_PATH_PARTS = st.sampled_from([*_NAMES.split(), "e\u0301", " ", "a ", "a.", "\x00", "\n", "\\\\?\\C:\\"])


@st.composite
def nasty_paths(draw: st.DrawFn) -> str:
    """Paths as a model or an attacker writes them: climbing, absolute, with odd names and separators."""
    parts = draw(st.lists(_PATH_PARTS, min_size=1, max_size=6))
    head = draw(st.sampled_from(["", "", "", "/", "//", "./", "../", "\\", "file://"]))
    separator = draw(st.sampled_from(["/", "/", "/", "\\", "//"]))
    return head + separator.join(parts) + draw(st.sampled_from(["", "", "/"]))


@dataclass(frozen=True, slots=True)
class EditCase:
    """A file's text and an edit; `count` says how often `old` is found in the text, without overlap."""

    text: str
    old: str
    new: str
    count: int


@st.composite
def edits(draw: st.DrawFn) -> EditCase:
    """Edits with text that a careless replacement would read as a pattern."""
    alphabet = st.sampled_from(
        ["a", "b", "\n", "\r\n", "--", "\\1", "$&", "星", "🔭", "\t", " ", ".*", "\\n"]
    )
    words = st.lists(alphabet, max_size=12).map("".join)
    old = draw(st.lists(alphabet, min_size=1, max_size=3).map("".join))
    between = draw(st.lists(words, min_size=1, max_size=4))
    text = old.join(between)
    return EditCase(text, old, draw(words), text.count(old))
