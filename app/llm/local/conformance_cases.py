"""The cases of the conformance set: a conversation, the tools, and what a right reply does. Pure data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from app.llm.chat import CallPart, ChatMessage, ToolSpec


@dataclass(frozen=True, slots=True)
class Case:
    """One request. A right reply calls `tool` with `words` in its arguments; without one it only talks."""

    name: str
    messages: tuple[ChatMessage, ...]
    tools: tuple[ToolSpec, ...]
    tool: str = ""
    words: tuple[str, ...] = ()


def _tool(name: str, description: str, required: str = "", /, **properties: Mapping[str, object]) -> ToolSpec:
    schema = {
        "type": "object",
        "properties": dict(properties),
        "required": required.split(),
        "additionalProperties": False,
    }
    return ToolSpec(name, description, schema)


_WORDS = {"type": "string", "minLength": 1}

SEARCH = _tool(
    "search_papers",
    "Search the library for papers.",
    "query",
    query={**_WORDS, "description": "What to look for, in a few words."},
    limit={"type": "integer", "minimum": 1, "maximum": 20},
    sort={"type": "string", "enum": ["relevance", "date", "citations"]},
)
TARGET = _tool(
    "query_target",
    "Look up the coordinates and type of an object in the sky.",
    "name",
    name={**_WORDS, "description": "Name of the object, such as M 31."},
)
NOTE = _tool(
    "save_note",
    "Save a note on a paper.",
    "paper text",
    paper={**_WORDS, "description": "Id of the paper."},
    text={**_WORDS, "description": "The note."},
    anchor={
        "type": "object",
        "description": "Where the note belongs.",
        "properties": {"page": {"type": "integer", "minimum": 1, "maximum": 2000}, "quote": _WORDS},
        "required": ["page"],
        "additionalProperties": False,
    },
)
COMPARE = _tool(
    "compare_papers",
    "Compare papers with each other.",
    "papers",
    papers={"type": "array", "items": _WORDS, "minItems": 2, "maxItems": 6, "description": "Ids of papers."},
)
DATE = _tool("current_date", "Tell today's date.")

_ALL = (SEARCH, TARGET, NOTE, COMPARE, DATE)
_SYSTEM = ChatMessage("system", "You help an astronomer. Use a tool where one helps, else answer shortly.")


def _case(name: str, question: str, tool: str = "", *words: str, tools: tuple[ToolSpec, ...] = _ALL) -> Case:
    return Case(name, (_SYSTEM, ChatMessage("user", question)), tools, tool, words)


def _answered(name: str, question: str, call: CallPart, result: str, tool: str = "", *words: str) -> Case:
    messages = (
        _SYSTEM,
        ChatMessage("user", question),
        ChatMessage("assistant", "", calls=(call,)),
        ChatMessage("tool", result, call_id=call.id),
    )
    return Case(name, messages, _ALL, tool, words)


CASES: tuple[Case, ...] = (
    _case("one call", "Search for papers on the Hubble tension.", "search_papers", "hubble", tools=(SEARCH,)),
    _case("the right one of several", "Where in the sky is M 87?", "query_target", "87"),
    _case("no arguments", "Which date is it today?", "current_date"),
    _case("a number", "Search for papers on white dwarfs, 3 of them.", "search_papers", "white dwarf", "3"),
    _case(
        "a choice", "Search for papers on quasars and sort them by citations.", "search_papers", "citations"
    ),
    _case("a list", "Compare the papers 2019A and 2021B.", "compare_papers", "2019A", "2021B"),
    _case(
        "an object within",
        "Save the note 'check this' on paper 2020X, at page 7.",
        "save_note",
        "2020X",
        "7",
        "check this",
    ),
    _case("another script", "搜索关于快速射电暴的论文。", "search_papers", "快速射电暴"),
    _case(
        "characters to escape", 'Search for the phrase "dark \\ energy".', "search_papers", "dark", "energy"
    ),
    _case("no tool needed", "Say hello.", tools=(SEARCH, TARGET)),
    _case("JSON is not a call", "Write an example of a JSON object with two fields. Call nothing."),
    _answered(
        "after a result",
        "Where in the sky is M 31?",
        CallPart("call_conformance_1", "query_target", '{"name": "M 31"}'),
        "M 31: galaxy, RA 10.6847, Dec +41.2690.",
    ),
    _answered(
        "after an error",
        "Where in the sky is Messier 33?",
        CallPart("call_conformance_2", "query_target", '{"name": ""}'),
        "Error: name must have at least 1 character. Call query_target again with the object's name.",
        "query_target",
        "33",
    ),
    _case("two objects", "Look up both M 51 and M 101.", "query_target", "51"),
)
