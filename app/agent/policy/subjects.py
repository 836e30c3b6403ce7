"""Finds what a call acts on: a command, a path, or only text."""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel

from app.agent.policy.patterns import Subject, TextSubject
from app.agent.tools.tool import AgentTool, ToolKind


def subject_of(tool: AgentTool, args: BaseModel, kind: ToolKind, base: Path | None) -> Subject:
    """Return the subject of a call; relative paths are taken from `base`."""
    return TextSubject(tool.subject(args))
