"""Set the welcome paper: `resources/welcome/welcome.typ` to PDF (needs the dev dependencies)."""

from __future__ import annotations

from pathlib import Path

import typst

WELCOME = Path(__file__).resolve().parent.parent / "resources" / "welcome"


def main() -> None:
    """Write `welcome.pdf` beside its source, with only the fonts inside the typesetter."""
    typst.compile(str(WELCOME / "welcome.typ"), output=str(WELCOME / "welcome.pdf"), ignore_system_fonts=True)


if __name__ == "__main__":
    main()
