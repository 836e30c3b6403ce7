"""Qwen 3: the calls of Hermes, and thinking that its template can turn off."""

from __future__ import annotations

from app.llm.local.calls.families.hermes import Hermes


class Qwen3(Hermes):
    """Hermes with `<think>`; `enable_thinking` is its template's own variable."""

    name = "qwen3"

    def matches(self, template: str) -> bool:
        """Whether the template writes tagged calls and knows thinking."""
        return super().matches(template) and "<think>" in template and "reasoning_content" in template
