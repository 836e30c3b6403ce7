"""Which package index to use: the one pip is configured with, for uv too, which does not read pip's files."""

from __future__ import annotations

import ast
from collections.abc import Mapping

# pip's setting → what uv calls it
_SAME = {
    "index-url": "UV_DEFAULT_INDEX",
    "extra-index-url": "UV_INDEX",
    "find-links": "UV_FIND_LINKS",
    "trusted-host": "UV_INSECURE_HOST",
    "proxy": "ALL_PROXY",
    "cert": "SSL_CERT_FILE",
}


def settings_of_pip(config_list: str) -> dict[str, str]:
    """Read the output of `pip config list`; the environment wins over files, as in pip."""
    found: dict[str, tuple[int, str]] = {}
    for line in config_list.splitlines():
        name, separator, value = line.partition("=")
        scope, _, key = name.rpartition(".")
        if not separator or scope not in ("global", "install", "user", "site", ":env:"):
            continue
        rank = {":env:": 2, "install": 1}.get(scope, 0)
        if key not in found or rank >= found[key][0]:
            found[key] = (rank, _unquote(value))
    return {key: value for key, (_rank, value) in found.items()}


def uv_environment(pip: Mapping[str, str], environ: Mapping[str, str]) -> dict[str, str]:
    """Return what to add to uv's environment so that it looks where pip looks.

    What the person has set for uv stands. Hashes in the lock make it safe to take a file from any of the
    indexes, which is what pip does.
    """
    if any(name in environ for name in ("UV_DEFAULT_INDEX", "UV_INDEX_URL", "UV_INDEX", "UV_CONFIG_FILE")):
        return {}
    added = {
        theirs: " ".join(pip[ours].split())
        for ours, theirs in _SAME.items()
        if pip.get(ours) and theirs not in environ
    }
    if "UV_FIND_LINKS" in added:
        added["UV_FIND_LINKS"] = added["UV_FIND_LINKS"].replace(" ", ",")
    if "UV_INDEX" in added:
        added["UV_INDEX_STRATEGY"] = "unsafe-best-match"
    if pip.get("no-index", "").lower() in ("1", "true", "yes", "on"):
        added["UV_NO_INDEX"] = "1"
    return added


def _unquote(value: str) -> str:
    try:
        return str(ast.literal_eval(value))
    except (ValueError, SyntaxError):
        return value
