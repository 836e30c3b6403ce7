"""Chinese, Japanese and Korean text for a full-text index: pairs of neighbouring characters.

These scripts put no spaces between words, so a run of them is one token to FTS5.
Indexed as overlapping pairs, any word of two or more characters is a phrase of pairs.
"""

from __future__ import annotations

import re

_RUN = re.compile(
    "[\u3005\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff]+"
)


def runs(text: str) -> list[str]:
    """Return the stretches of CJK characters in the text, in order."""
    return _RUN.findall(text)


def without_runs(text: str) -> str:
    """Return the text with every stretch of CJK characters replaced by a space."""
    return _RUN.sub(" ", text)


def grams(text: str) -> str:
    """Return what to index: the pairs of every run, then its last character alone.

    "超新星爆发" gives "超新 新星 星爆 爆发 发"; empty when there is no CJK text.
    """
    return " ".join(_pairs(run) + " " + run[-1] for run in runs(text))


def phrase(run: str) -> str:
    """Return the FTS5 expression that finds the run within indexed `grams`."""
    return f'"{run}"*' if len(run) == 1 else f'"{_pairs(run)}"'


def _pairs(run: str) -> str:
    return " ".join(run[i : i + 2] for i in range(len(run) - 1))
