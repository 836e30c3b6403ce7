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


def shortened(text: str, at_most: int) -> tuple[str, int]:
    """Return the beginning of a long text, and how many characters are left out after it."""
    return (text, 0) if len(text) <= at_most else (text[:at_most], len(text) - at_most)
