"""Gemma 2 and 3: no syntax of their own; the object of the generic protocol in the words they know."""

from __future__ import annotations

from app.llm.local.calls.families.generic import Generic, Keys


class Gemma(Generic):
    """`{"name": …, "parameters": {…}}` or `{"answer": …}`."""

    name = "gemma"
    keys = Keys(tool="name", arguments="parameters")

    def matches(self, template: str) -> bool:
        """Whether the template is that of Gemma before 4."""
        return "<start_of_turn>" in template and "<|tool_call>" not in template
