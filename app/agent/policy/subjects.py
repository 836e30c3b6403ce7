"""Finds what a call acts on: a command, a path, or only text."""

from __future__ import annotations

import contextlib
from pathlib import Path

from pydantic import BaseModel

from app.agent.policy.path_patterns import PathSubject
from app.agent.policy.path_shapes import MAX_LENGTH
from app.agent.policy.patterns import Subject, TextSubject
from app.agent.policy.shell import CommandSubject
from app.agent.tools.tool import AgentTool, ToolKind


def subject_of(tool: AgentTool, args: BaseModel, kind: ToolKind, base: Path, root: Path) -> Subject:
    """Return the subject of a call; relative paths are taken from `base`.

    A tool that reads or writes and has an argument `path` acts on that; left out, on `root`.
    """
    if kind is ToolKind.SHELL:
        return CommandSubject.of(tool.subject(args))
    if kind in (ToolKind.READ, ToolKind.WRITE) and "path" in type(args).model_fields:
        path = getattr(args, "path", None)
        text = path if isinstance(path, str) else str(root)
        if len(text) <= MAX_LENGTH:
            with contextlib.suppress(ValueError):  # what can be no path, the tool itself refuses
                return PathSubject.of(text, base)
    return TextSubject(tool.subject(args))
