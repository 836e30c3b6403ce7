"""Law 8: paper text is data. Once it has been read, what could act on it asks. Pure.

What is untrusted is said by each output (`ToolOutput.untrusted`); that it was read, by the history
(`tainted`), for good: no compaction cleans it, because the summary was made of it.
"""

from __future__ import annotations

from app.agent.tools.tool import ToolKind

ACTING = frozenset({ToolKind.WRITE, ToolKind.SHELL, ToolKind.NETWORK, ToolKind.OUTSIDE})
"""The classes that could carry out what a text asks for, or carry a secret away."""


def asks_when_tainted(kind: ToolKind) -> bool:
    """Return whether calls of this class ask once untrusted text has been read."""
    return kind in ACTING
