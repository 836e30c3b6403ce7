"""Asks one hook: a program in a process group of its own, or a Python function."""

from __future__ import annotations

from collections.abc import Mapping

from app.errors import AppError
from app.settings import Hook


class HookFaultError(AppError):
    """A hook failed, was slow, or answered what cannot be understood; the message continues "A hook …"."""

    code = "hook"
    hint = "Correct the hook in settings.toml, or take it out."


async def ask_hook(hook: Hook, question: Mapping[str, object]) -> Mapping[str, object]:
    """Return a hook's answer. Raises HookFaultError."""
    raise HookFaultError("cannot be run yet.")
