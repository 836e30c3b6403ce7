"""Errors a person can act on: every one carries a code, a message and a hint.

Raised where the cause is known and shown once, at the edge (the command line or
the window). `code` is stable and machine readable; `message` says what happened
and what was kept; `hint` names the way out.
"""

from __future__ import annotations


class AppError(Exception):
    """Base of all expected failures. `str(error)` is the message alone."""

    code = "failed"
    hint = ""

    def __init__(self, message: str, *, hint: str | None = None, code: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        if hint is not None:
            self.hint = hint
        if code is not None:
            self.code = code

    def as_json(self) -> dict[str, dict[str, str]]:
        """Return the shape that `--json` prints: `{"error": {"code", "message", "hint"}}`."""
        return {"error": {"code": self.code, "message": self.message, "hint": self.hint}}


class UsageError(AppError):
    """The command or call was given something it cannot take (exit code 2)."""

    code = "usage"


class SettingsError(AppError):
    """`settings.toml` or an environment override cannot be understood."""

    code = "settings"


class HomeError(AppError):
    """The library folder cannot be created, read or written."""

    code = "home"


class LibraryError(AppError):
    """The database cannot be opened, migrated or written."""

    code = "library"


class LibraryBusyError(LibraryError):
    """Another instance holds the library."""

    code = "library_busy"


class NotFoundError(AppError):
    """Nothing in the library answers to this name."""

    code = "not_found"


class DocumentError(AppError):
    """A file that cannot be read as a paper; `code` is the file's import status."""

    code = "damaged"


class WorkerError(AppError):
    """A worker process could not do what it was asked."""

    code = "worker"


class WorkerCrashedError(WorkerError):
    """The worker process ended while it held this request; `how` is what `describe_exit` says of it."""

    code = "worker_crashed"
    how = ""


class WorkerTimeoutError(WorkerError):
    """The worker did not answer in time and was replaced."""

    code = "worker_timeout"


class ModelError(AppError):
    """A model is missing, is not what it says it is, or cannot be loaded."""

    code = "model"
