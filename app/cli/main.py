"""`astroresearch`: reads the command line, runs one command, turns what happened into an exit code."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import typer

from app.cli.arguments import split_common, with_default_command
from app.cli.commands import add, ask, demo, doctor, gui, later, library, mcp, models, search, tool
from app.cli.context import Invocation
from app.cli.output import ClosedOutputError, Output
from app.errors import AppError, UsageError

DONE, FAILED, USAGE, INTERRUPTED = 0, 1, 2, 130

_EPILOG = "Every command takes --home DIR (the library folder) and --json (one JSON document on stdout)."

cli = typer.Typer(
    name="astroresearch",
    help="A research assistant for astronomers: a library of papers that answers with page citations.",
    epilog=_EPILOG,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

_COMMANDS: dict[str, Callable[..., int]] = {
    "gui": gui.gui,
    "add": add.add,
    "list": library.list_papers,
    "show": library.show,
    "search": search.search,
    "ask": ask.ask,
    "doctor": doctor.doctor,
    "demo": demo.demo,
    "mcp": mcp.mcp,
}
_GROUPS = {"tool": tool.commands, "models": models.commands}
for _name, _command in _COMMANDS.items():
    cli.command(_name, epilog=_EPILOG)(_command)
for _name, _group in _GROUPS.items():
    cli.add_typer(_group, name=_name, epilog=_EPILOG)
for _name, _what in later.LATER.items():
    cli.command(
        _name,
        help=f"{_what} Not built yet.",
        context_settings={"allow_extra_args": True, "ignore_unknown_options": True},
    )(later.not_built)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return the exit code: 0 done, 1 failed, 2 usage, 130 interrupted."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    output = Output(as_json="--json" in arguments)
    try:
        return _coded(arguments, output)
    except ClosedOutputError:
        _silence_stdout()
        return DONE


def _coded(arguments: list[str], output: Output) -> int:
    """Run the command, show its error if there is one, and return the exit code."""
    try:
        code = _run(arguments, output)
        output.flush()
    except AppError as error:
        output.error(error)
        return USAGE if isinstance(error, UsageError) else FAILED
    except KeyboardInterrupt:
        output.error(AppError("Interrupted; what was reported as done is kept.", code="interrupted"))
        return INTERRUPTED
    except OSError as error:
        # Expected at the edge alone: a full disk or a lost folder under our own reads and writes.
        told = AppError(
            f"The system refused: {error}.", code="system", hint="Check disk space and permissions."
        )
        with contextlib.suppress(OSError):  # stdout itself may be what cannot be written
            output.error(told)
        _silence_stdout()
        return FAILED
    return code


def _run(arguments: list[str], output: Output) -> int:
    common, rest = split_common(arguments)
    output.as_json = common.json
    commands = [*_COMMANDS, *_GROUPS, *later.LATER]
    rest = with_default_command(rest, commands, os.path.lexists)
    home = Path(common.home) if common.home is not None else None
    try:
        result = cli(
            rest,
            prog_name="astroresearch",
            standalone_mode=False,
            obj=Invocation(home=home, output=output),
        )
    except typer.TyperException as error:
        if error.exit_code != USAGE:
            raise AppError(error.format_message()) from error
        raise UsageError(error.format_message(), hint="See `astroresearch --help`.") from error
    except typer.Abort as error:
        raise KeyboardInterrupt from error
    if result == INTERRUPTED:
        raise KeyboardInterrupt  # typer has turned Ctrl-C into this code
    return result if isinstance(result, int) else DONE


def _silence_stdout() -> None:
    """Point stdout at nothing, so that the flush at exit does not complain of the closed pipe."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
