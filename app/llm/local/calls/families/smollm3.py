"""SmolLM3: the calls of Hermes; its template takes the tools under another name, or not at all."""

from __future__ import annotations

from app.llm.local.calls.families.hermes import Hermes
from app.llm.local.calls.families.syntax import Offer


class SmolLM3(Hermes):
    """Its own template tells of `xml_tools`; where a build left that out they go into the system message."""

    name = "smollm3"

    def matches(self, template: str) -> bool:
        """Whether the template is SmolLM3's, in any of its builds."""
        return "xml_tools" in template or "Reasoning Mode: " in template

    def variables(self, offer: Offer) -> dict[str, object]:
        """Return the tools under the name the template knows."""
        return {"xml_tools": super().variables(offer)["tools"]}
