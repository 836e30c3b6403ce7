"""A right reply to every case of the conformance set, for servers that replay them in every shape."""

from __future__ import annotations

import json

from tests.harness.streams import Wanted

SAYS = {
    "no tool needed": "Hello — 你好，星系 🔭!",
    "JSON is not a call": 'Here: {"name": "search_papers", "arguments": {"query": "x"}}',
    "after a result": "M 31 is at RA 10.6847, Dec +41.2690.\u2028It is a galaxy.",
}


def _call(name: str, /, **arguments: object) -> Wanted:
    return Wanted(name, json.dumps(arguments, ensure_ascii=False))


CALLS: dict[str, list[Wanted]] = {
    "one call": [_call("search_papers", query="Hubble tension")],
    "the right one of several": [_call("query_target", name="M 87")],
    "no arguments": [_call("current_date")],
    "a number": [_call("search_papers", query="white dwarf", limit=3)],
    "a choice": [_call("search_papers", query="quasars", sort="citations")],
    "a list": [_call("compare_papers", papers=["2019A", "2021B"])],
    "an object within": [_call("save_note", paper="2020X", text="check this", anchor={"page": 7})],
    "another script": [_call("search_papers", query="快速射电暴\u2028👩‍🚀")],
    "characters to escape": [_call("search_papers", query='"dark \\ energy"\n{}]')],
    "after an error": [_call("query_target", name="Messier 33")],
    "two objects": [_call("query_target", name="M 51"), _call("query_target", name="M 101")],
}
