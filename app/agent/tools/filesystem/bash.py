"""run_bash: a shell command, in the folder of the conversation, of which nothing stays behind."""

from __future__ import annotations

import base64
import math
import os
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

from pydantic import Field

from app.agent.tools.context import ToolContext
from app.agent.tools.tool import AgentTool, Report, ToolArgs, ToolKind, ToolOutput
from app.services import commands
from app.services.commands import Ended
from app.services.program_environment import without_secrets
from app.services.program_output import readable
from app.services.threads import off_loop

_SHELL = "PowerShell" if sys.platform == "win32" else "sh"


class RunBashArgs(ToolArgs):
    """Arguments of run_bash."""

    command: str = Field(min_length=1, description=f"The command, for {_SHELL}.")
    timeout_s: float | None = Field(
        None, gt=0, le=3600, description="Seconds after which it is ended; left out: as in the settings."
    )


class RunBash(AgentTool):
    """Runs a command. Asks by default: what a program does is not confined to the sandbox."""

    name = "run_bash"
    description = (
        f"Run a {_SHELL} command in the project folder, or in the library's files folder where there is no "
        "project. It has no input to read and no terminal. Processes that it leaves in the background are "
        "ended with it. Use read_file, grep_files, glob_files, file_edit and file_write for files."
    )
    Args = RunBashArgs
    kind = ToolKind.SHELL
    timeout_s: ClassVar[float | None] = math.inf
    """Its own argument is the limit, and what was printed until then is kept."""

    async def execute(self, args: RunBashArgs, ctx: ToolContext) -> ToolOutput:
        """Run it."""
        return await self.execute_with_progress(args, ctx, _silent)

    async def execute_with_progress(self, args: RunBashArgs, ctx: ToolContext, report: Report) -> ToolOutput:
        """Run it and report the newest line."""
        limit_s = args.timeout_s or ctx.services.settings().agent.tool_timeout_s
        folder = ctx.conversation.project or ctx.services.home / "files"
        if ctx.conversation.project is None:
            await off_loop(folder.mkdir, parents=True, exist_ok=True)
        ended = await commands.run(
            shell(args.command),
            cwd=folder,
            env=environment(os.environ),
            timeout_s=limit_s,
            on_line=lambda line: report(None, readable(line)[:200]),
        )
        private = ctx.conversation.project is not None
        return replace(_output(ended, limit_s, folder), private=private)

    def causes_sibling_abort(self) -> bool:
        """What was meant to come after a command that failed may no longer make sense."""
        return True

    async def preview(self, args: RunBashArgs, ctx: ToolContext) -> tuple[str, str]:
        """Return the command as it will run."""
        return args.command, "command"


def shell(command: str, platform: str = sys.platform) -> list[str]:
    """Return the program and arguments that run a command line."""
    if platform != "win32":
        return ["/bin/sh", "-c", command]
    # Encoded: no quoting rules of Windows come between the model's command and PowerShell.
    script = (
        "$ProgressPreference = 'SilentlyContinue'; "
        "[Console]::OutputEncoding = [Text.UTF8Encoding]::new($false); "
        f"{command}\nexit $LASTEXITCODE"
    )
    encoded = base64.b64encode(script.encode("utf-16-le", "surrogatepass")).decode("ascii")
    options = ["-NoProfile", "-NonInteractive", "-OutputFormat", "Text", "-ExecutionPolicy", "Bypass"]
    return ["powershell.exe", *options, "-EncodedCommand", encoded]


def environment(inherited: Mapping[str, str]) -> dict[str, str]:
    """Return what a command finds: no secrets, no colours, no pager or editor that waits for a person."""
    quiet = {"TERM": "dumb", "NO_COLOR": "1", "PAGER": "cat", "GIT_PAGER": "cat", "GIT_TERMINAL_PROMPT": "0"}
    return {
        **without_secrets(inherited),
        **quiet,
        "EDITOR": "false" if sys.platform != "win32" else "cmd /c exit 1",
    }


def _output(ended: Ended, limit_s: float, folder: Path) -> ToolOutput:
    remarks = [_end(ended, limit_s)]
    if ended.left_behind:
        remarks.append(f"[{ended.left_behind} processes were left in the background and ended]")
    text = readable(ended.output.text).rstrip("\n") or "(no output)"
    return ToolOutput(
        "\n".join([text, *filter(None, remarks)]),
        is_error=ended.timed_out or ended.exit_code != 0,
        metadata={
            "exit_code": ended.exit_code,
            "timed_out": ended.timed_out,
            "left_behind": ended.left_behind,
            "seconds": round(ended.seconds, 3),
            "folder": str(folder),
        },
        untrusted=True,
    )


def _end(ended: Ended, limit_s: float) -> str:
    if ended.timed_out:
        return (
            f"[ended after {limit_s:g} s, before it was done: what it had done until then stays done. "
            "Give a longer timeout_s if it needs more time.]"
        )
    if ended.exit_code < 0:
        return f"[ended by signal {-ended.exit_code}]"
    return f"[exit code {ended.exit_code}]" if ended.exit_code else ""


def _silent(_share: float | None, _words: str) -> None:
    """Report to nobody."""
