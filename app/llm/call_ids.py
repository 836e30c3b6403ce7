"""Ids of tool calls. Ours are unique for ever; what a provider called a call is never used as a key.

Providers repeat ids from reply to reply, send them empty, late, or not at all (bug 4).
"""

from __future__ import annotations

import hashlib
import secrets
import time

_CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


def new_call_id() -> str:
    """Return "call_" and a ULID: 31 characters, in the order of their making to the millisecond."""
    return f"call_{ulid()}"


def ulid() -> str:
    """Return 26 characters: 48 bits of milliseconds since 1970, 80 bits of chance; safe as a file name."""
    number = (int(time.time() * 1000) & (1 << 48) - 1) << 80 | secrets.randbits(80)
    return "".join(_CROCKFORD[number >> shift & 31] for shift in range(125, -1, -5))


def wire_id(call_id: str, length: int | None = None) -> str:
    """Return the id as a provider takes it: as it is, or as `length` letters and digits.

    A call and its result are given the same id by the same rule. Shortening hashes the whole id:
    the head of two ULIDs of one reply is the same.
    """
    if length is None:
        return call_id
    number = int.from_bytes(hashlib.sha256(call_id.encode("utf-8", "replace")).digest(), "big")
    letters = []
    for _ in range(length):
        number, digit = divmod(number, len(_BASE62))
        letters.append(_BASE62[digit])
    return "".join(letters)
