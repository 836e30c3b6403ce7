"""The library folder before anything is opened in it: made, tried, and its settings read."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from app.errors import HomeError, SettingsError
from app.events import Notice
from app.settings import Settings, expanded


def prepared_home(home: Path) -> Path:
    """Return the absolute library folder, made if it is new. Raises HomeError if it cannot be written."""
    home = expanded(home).absolute()
    try:
        str(home).encode()  # SQLite takes names in Unicode alone
        home.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=home):
            pass
    except UnicodeEncodeError as error:
        raise HomeError(
            f"The library folder {home} cannot be used: its name is not Unicode text.",
            hint="Rename the folder, or pick another one with --home.",
        ) from error
    except OSError as error:
        raise HomeError(
            f"The library folder {home} cannot be used: {error.strerror or error}.",
            hint="Give your account write permission for it, or pick another folder with --home.",
        ) from error
    return home


def usable_settings(home: Path, overrides: dict[str, Any], notices: list[Notice]) -> Settings:
    """Return the settings of a home folder; what cannot be read is left aside with a notice, never silently.

    Offline is then taken for granted: a broken file may have said so.
    """
    try:
        return Settings.load(home, **overrides)
    except SettingsError as error:
        notices.append(Notice("warning", f"{error.message} It is left aside. {error.hint}"))
    try:
        # environment and overrides still count
        return Settings.load(home / "no settings here", **{"offline": True, **overrides})
    except SettingsError:
        return Settings.defaults().model_copy(update={"offline": True})
