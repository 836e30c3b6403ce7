"""What hypothesis draws of streamed tool calls: any call, in the style of any provider, cut anywhere."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from hypothesis import strategies as st

from app.llm.chat import CallDelta

NAMES = ("read_file", "grep_files", "run_bash", "todo_write", "ask_user")

# Characters that split lines, bytes or graphemes where something careless cuts them.
NASTY_TEXT = st.text(
    st.one_of(
        st.sampled_from('\n\r\x0b\x0c\x85\u2028\u2029"\\{}[]<>`$\x00\u200d\u0301\ufeff'),
        st.sampled_from("星系红移光谱é🔭👩‍🚀ａ"),
        st.characters(codec="utf-8"),
    ),
    max_size=40,
)
JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**6), 10**6) | NASTY_TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NASTY_TEXT, inner, max_size=3),
    max_leaves=8,
)


@dataclass(frozen=True, slots=True)
class Wanted:
    """A call as the model means it."""

    name: str
    arguments: str


@st.composite
def wanted_calls(draw: st.DrawFn, min_size: int = 1, max_size: int = 4) -> list[Wanted]:
    """Calls with any object as arguments, written with or without escapes and white space."""
    calls = []
    for name in draw(st.lists(st.sampled_from(NAMES), min_size=min_size, max_size=max_size)):
        value = draw(st.dictionaries(NASTY_TEXT, JSON_VALUES, max_size=3))
        text = json.dumps(
            value, ensure_ascii=draw(st.booleans()), indent=draw(st.sampled_from([None, None, 1]))
        )
        calls.append(Wanted(name, text))
    return calls


def cut(text: str, cuts: Sequence[int]) -> list[str]:
    """Return the text in pieces; `cuts` are taken modulo its length."""
    edges = sorted({0, len(text), *(at % (len(text) + 1) for at in cuts)})
    return [text[a:b] for a, b in itertools.pairwise(edges)] or [""]


# -- how providers stream calls -------------------------------------------------------------------

Style = Callable[[int, Wanted, list[str]], list[CallDelta]]


def _proper(place: int, call: Wanted, pieces: list[str]) -> list[CallDelta]:
    head = CallDelta(place, f"call_{place}x", call.name)
    return [head, *(CallDelta(place, arguments=piece) for piece in pieces)]


def _index_missing(place: int, call: Wanted, pieces: list[str]) -> list[CallDelta]:
    head = CallDelta(None, f"call_{place}x", call.name, pieces[0])
    return [head, *(CallDelta(None, arguments=piece) for piece in pieces[1:])]


def _index_always_0(place: int, call: Wanted, pieces: list[str]) -> list[CallDelta]:
    head = CallDelta(0, f"call_{place}x", call.name)
    return [head, *(CallDelta(0, arguments=piece) for piece in pieces)]


def _index_from_1(place: int, call: Wanted, pieces: list[str]) -> list[CallDelta]:
    return [
        CallDelta(place + 1, delta.id, delta.name, delta.arguments) for delta in _proper(place, call, pieces)
    ]


def _id_late(place: int, call: Wanted, pieces: list[str]) -> list[CallDelta]:
    rest = [CallDelta(place, f"call_{place}x", arguments=piece) for piece in pieces]
    return [CallDelta(place, name=call.name), *rest]


def _id_with_every_piece(place: int, call: Wanted, pieces: list[str]) -> list[CallDelta]:
    return [CallDelta(place, f"call_{place}x", call.name if n == 0 else "", p) for n, p in enumerate(pieces)]


def _id_and_name_with_every_piece(place: int, call: Wanted, pieces: list[str]) -> list[CallDelta]:
    return [CallDelta(place, f"call_{place}x", call.name, piece) for piece in pieces]


def _ids_all_the_same(place: int, call: Wanted, pieces: list[str]) -> list[CallDelta]:
    return [CallDelta(place, "call_0", call.name if n == 0 else "", p) for n, p in enumerate(pieces)]


def _id_empty(place: int, call: Wanted, pieces: list[str]) -> list[CallDelta]:
    return [CallDelta(place, "", call.name), *(CallDelta(place, arguments=piece) for piece in pieces)]


def _id_new_with_every_piece(place: int, call: Wanted, pieces: list[str]) -> list[CallDelta]:
    return [
        CallDelta(place, f"chat-{place}-{n}", call.name if n == 0 else "", p) for n, p in enumerate(pieces)
    ]


def _nothing_but_name(place: int, call: Wanted, pieces: list[str]) -> list[CallDelta]:
    return [CallDelta(None, name=call.name), *(CallDelta(None, arguments=piece) for piece in pieces)]


def _name_repeated_bare(place: int, call: Wanted, pieces: list[str]) -> list[CallDelta]:
    return [CallDelta(None, name=call.name, arguments=piece) for piece in pieces]


def _name_in_parts(place: int, call: Wanted, pieces: list[str]) -> list[CallDelta]:
    head = [CallDelta(place, f"call_{place}x", call.name[:4]), CallDelta(place, name=call.name[4:])]
    return [*head, *(CallDelta(place, arguments=piece) for piece in pieces)]


def _whole_then_repeated(place: int, call: Wanted, pieces: list[str]) -> list[CallDelta]:
    again = CallDelta(place, f"call_{place}x", call.name, call.arguments)
    return [*_proper(place, call, pieces), again]


def _empty_tail(place: int, call: Wanted, pieces: list[str]) -> list[CallDelta]:
    return [*_index_always_0(place, call, pieces), CallDelta(0, "", call.name, ""), CallDelta(0)]


STYLES: dict[str, Style] = {
    "proper": _proper,
    "index missing": _index_missing,
    "index always 0": _index_always_0,
    "index from 1": _index_from_1,
    "id late": _id_late,
    "id with every piece": _id_with_every_piece,
    "id and name with every piece": _id_and_name_with_every_piece,
    "ids all the same": _ids_all_the_same,
    "id empty": _id_empty,
    "id new with every piece": _id_new_with_every_piece,
    "nothing but the name": _nothing_but_name,
    "name repeated, nothing else": _name_repeated_bare,
    "name in parts": _name_in_parts,
    "whole call repeated at its end": _whole_then_repeated,
    "empty pieces at the end": _empty_tail,
}


@dataclass(frozen=True, slots=True)
class DeltaStream:
    """Pieces of calls in a provider's style, and the calls they stand for."""

    style: str
    calls: list[Wanted]
    deltas: list[CallDelta]


@st.composite
def delta_streams(draw: st.DrawFn) -> DeltaStream:
    """Streams of one to four calls in any style, cut anywhere."""
    style = draw(st.sampled_from(sorted(STYLES)))
    calls = draw(wanted_calls())
    if style == "name repeated, nothing else":  # the same call twice is one call sent twice there
        calls = [call for call, _ in itertools.groupby(calls)]
    deltas = []
    for place, call in enumerate(calls):
        pieces = cut(call.arguments, draw(st.lists(st.integers(0, 10_000), max_size=6)))
        deltas += STYLES[style](place, call, pieces)
    return DeltaStream(style, calls, deltas)
