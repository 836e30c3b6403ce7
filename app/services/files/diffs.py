"""What a change does to a text, as a unified diff for people. Pure, and quick for any size."""

from __future__ import annotations

import difflib

from app.services.files.encodings import for_display
from app.services.files.paging import lines_of, safe_cut

CONTEXT = 3
MOST_COMPARED = 2000
MOST_LINES = 400
WIDEST = 500


def unified(before: str, after: str, name: str) -> str:
    """Return the diff of two texts; long ones are cut in the middle of nothing but their own length.

    Where both differ over thousands of lines, the old lines are shown as removed and the new ones as added.
    """
    old, new = _lines(before), _lines(after)
    head = _common(old, new)
    tail = _common(old[head:][::-1], new[head:][::-1])
    first = max(0, head - CONTEXT)
    old_part = old[first : len(old) - max(0, tail - CONTEXT)]
    new_part = new[first : len(new) - max(0, tail - CONTEXT)]
    body = [f"--- {name}", f"+++ {name}"]
    if max(len(old_part), len(new_part)) > MOST_COMPARED:
        body.append(f"@@ -{first + 1},{len(old_part)} +{first + 1},{len(new_part)} @@")
        body += _shortened([f"-{line}" for line in old_part], MOST_LINES // 4)
        body += _shortened([f"+{line}" for line in new_part], MOST_LINES)
    else:
        compared = difflib.unified_diff(old_part, new_part, lineterm="", n=CONTEXT)
        body += _shortened([_moved(line, first) for line in compared][2:], MOST_LINES)
    return for_display("\n".join(body))


def _lines(text: str) -> list[str]:
    return lines_of(text) if text else []


def _common(one: list[str], other: list[str]) -> int:
    length = min(len(one), len(other))
    return next((i for i in range(length) if one[i] != other[i]), length)


def _moved(line: str, by: int) -> str:
    """Count the lines of a hunk's head from the beginning of the file."""
    if not line.startswith("@@") or not by:
        return line
    parts = line.split()
    for place in (1, 2):
        sign, (start, _, length) = parts[place][0], parts[place][1:].partition(",")
        parts[place] = f"{sign}{int(start) + by}{',' if length else ''}{length}"
    return " ".join(parts)


def _shortened(lines: list[str], most: int) -> list[str]:
    shown = [line if len(line) <= WIDEST else f"{line[: safe_cut(line, WIDEST)]}…" for line in lines[:most]]
    left = len(lines) - len(shown)
    return [*shown, f"… {left} more lines"] if left else shown
