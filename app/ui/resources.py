"""Where icons and translations lie: in a checkout, in an installed wheel, or frozen."""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path


@cache
def resources() -> Path:
    """Return the folder that holds `icons/` and `translations/`."""
    package = Path(__file__).resolve().parents[1]
    frozen = Path(getattr(sys, "_MEIPASS", package)) / "resources"
    for folder in (frozen, package / "_resources", package.parent / "resources"):
        if (folder / "icons").is_dir():
            return folder
    return package.parent / "resources"
