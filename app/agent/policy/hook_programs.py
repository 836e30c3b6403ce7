"""Asks one hook: a program in a process group of its own, or a Python function."""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import inspect
import json
import os
import threading
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import cast

from app.errors import AppError
from app.services import commands
from app.services.commands import ProgramError
from app.settings import ENV_PREFIX, Hook, expanded

ANSWER_BYTES = 1_000_000
"""Longer answers are faults."""

_WORDS = 300

Question = Mapping[str, object]
HookFunction = Callable[[dict[str, object]], object]


class HookFaultError(AppError):
    """A hook failed, was slow, or answered what cannot be understood; the message continues "A hook …"."""

    code = "hook"
    hint = "Correct the hook in settings.toml, or take it out."


async def ask_hook(hook: Hook, question: Question) -> Mapping[str, object]:
    """Return a hook's answer, an object of JSON values. Raises HookFaultError.

    A program is ended with all it started when it is slow or the caller is cancelled. A Python function
    cannot be: it is left alone in its thread, and nothing of what it returns is used.
    """
    # A copy: a function must not reach into the call it looks at.
    asked = json.dumps(question, default=str)
    if hook.entry:
        return await _from_function(hook, asked)
    if hook.command:
        return await _from_program(hook, asked)
    raise HookFaultError("has neither a command nor an entry.")


async def _from_program(hook: Hook, asked: str) -> Mapping[str, object]:
    try:
        ended = await commands.run(
            hook.command,
            cwd=await asyncio.to_thread(_folder),
            # Hooks are the person's own and may need what they set; our secrets are not theirs.
            env={
                name: value for name, value in os.environ.items() if not name.upper().startswith(ENV_PREFIX)
            },
            stdin=asked.encode("ascii"),
            timeout_s=hook.timeout_s,
            stderr="apart",
            limit=ANSWER_BYTES,
        )
    except ProgramError as error:
        raise HookFaultError(f"cannot be run: {error.message}") from error
    if ended.timed_out:
        raise _slow(hook)
    if ended.exit_code != 0:
        last = ended.errors.text.strip()[-_WORDS:]
        raise HookFaultError(f"failed (exit code {ended.exit_code}){': ' + last if last else '.'}")
    if ended.output.left_out:
        raise HookFaultError(f"answered with more than {ANSWER_BYTES:,} bytes.")
    return _object(ended.output.text)


async def _from_function(hook: Hook, asked: str) -> Mapping[str, object]:
    """Load and call it; blocking parts in a thread of their own, for a hanging one never gives it back."""
    loop = asyncio.get_running_loop()
    deadline = loop.time() + hook.timeout_s
    function = cast(HookFunction, await _within(_in_thread(lambda: _load(hook.entry)), hook, deadline))
    given: dict[str, object] = json.loads(asked)
    if inspect.iscoroutinefunction(function):
        answer = await _within(cast(Awaitable[object], function(given)), hook, deadline)
    else:
        answer = await _within(_in_thread(lambda: function(given)), hook, deadline)
    if inspect.iscoroutine(answer):
        answer.close()
    if not isinstance(answer, Mapping):
        raise HookFaultError(f"answered with {type(answer).__name__}, not with an object.")
    try:
        return _object(json.dumps(dict(answer), ensure_ascii=False))
    except (TypeError, ValueError) as error:
        raise HookFaultError(f"answered with what is no JSON: {error}.") from error


async def _within(work: Awaitable[object], hook: Hook, deadline: float) -> object:
    """Wait for a part of a hook until the deadline. Raises HookFaultError, whatever the hook raised."""
    loop = asyncio.get_running_loop()
    task = asyncio.ensure_future(work)
    try:
        await asyncio.wait({task}, timeout=max(0.0, deadline - loop.time()))
        if not task.done():
            raise _slow(hook)
        if task.cancelled():
            raise HookFaultError("was cancelled by itself.")
        if error := task.exception():
            raise HookFaultError(_failure(error)) from error
        return task.result()
    finally:
        if not task.done():
            task.cancel()
            await asyncio.wait({task}, timeout=1.0)


def _in_thread(work: Callable[[], object]) -> asyncio.Future[object]:
    loop = asyncio.get_running_loop()
    done: asyncio.Future[object] = loop.create_future()

    def settle(result: object, error: HookFaultError | None) -> None:
        if done.done():
            return  # nobody waits any more
        if error is not None:
            done.set_exception(error)
        else:
            done.set_result(result)

    def run() -> None:
        result, fault = None, None
        try:
            result = work()
        except BaseException as error:  # noqa: BLE001  the barrier: whatever a foreign function raises refuses
            fault = HookFaultError(_failure(error))
        with contextlib.suppress(RuntimeError):  # the loop was closed: nobody is left to tell
            loop.call_soon_threadsafe(settle, result, fault)

    threading.Thread(target=run, name="hook", daemon=True).start()
    return done


def _load(entry: str) -> HookFunction:
    module, _, name = entry.partition(":")
    if not module or not name:
        raise HookFaultError("is not of the form “module:function”.")
    found: object = importlib.import_module(module)
    for part in name.split("."):
        found = getattr(found, part)
    if not callable(found):
        raise HookFaultError("is not a function.")
    return found


def _object(text: str) -> dict[str, object]:
    try:
        answer = json.loads(text)
    except (ValueError, RecursionError) as error:
        said = text.strip()[:_WORDS] or "nothing"
        raise HookFaultError(f"answered with what is no JSON: {said}") from error
    if not isinstance(answer, dict):
        raise HookFaultError(f"answered with {type(answer).__name__}, not with an object.")
    return answer


def _failure(error: BaseException) -> str:
    if isinstance(error, HookFaultError):
        return error.message
    return f"failed: {type(error).__name__}: {str(error)[:_WORDS]}"


def _slow(hook: Hook) -> HookFaultError:
    return HookFaultError(f"did not answer within {hook.timeout_s:g} s.")


def _folder() -> Path:
    """Return where programs run: the person's folder, never where the application happens to be."""
    home = expanded("~")
    return home if home.is_dir() else Path(os.sep)
