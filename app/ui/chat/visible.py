"""Text that is to be judged by eye: what cannot be seen is written out. Pure.

A command with a character that reverses the reading order looks like another command; a person who
is asked whether it may run must see that it is there.
"""

from __future__ import annotations

import re

_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\U000e0000-\U000e007f]"
)


def visible(text: str) -> str:
    """Return `text` with each invisible or reordering character as ⟨U+202E⟩; line breaks stay."""
    return _HIDDEN.sub(lambda found: f"⟨U+{ord(found.group()):04X}⟩", text.replace("\r\n", "\n"))


def shortened(text: str, at_most: int) -> tuple[str, int, str]:
    """Return the beginning of a text, how many characters are left out after it, and its end."""
    if len(text) <= at_most:
        return text, 0, ""
    end = at_most // 4
    return text[: at_most - end], len(text) - at_most, text[len(text) - end :]
