"""Formulas as SVG by ziamath, kept by their TeX; None for what it cannot set."""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ziamath.zmath import Latex

_CJK = re.compile(r"[\u2e80-\u9fff\uff00-\uffef]")
_VIEW = re.compile(r'viewBox="\S+ (\S+) (\S+) (\S+)"')
LONGEST = 2000


@dataclass(frozen=True, slots=True)
class Drawn:
    """One formula; sizes in pixels, `ascent` above and `descent` below the baseline."""

    svg: bytes
    width: float
    ascent: float
    descent: float


NOTHING = Drawn(b"<svg xmlns='http://www.w3.org/2000/svg'/>", 0.0, 0.0, 0.0)


@lru_cache(maxsize=512)
def draw(tex: str, colour: str, px: float) -> Drawn | None:
    """Set a formula. Text that the maths font has no signs for is left to the reader as TeX."""
    if not tex or len(tex) > LONGEST or _CJK.search(tex):
        return None
    latex = _ziamath()
    try:
        svg = latex(tex, size=px, color=colour).svg()
    except (ValueError, KeyError, IndexError, TypeError, AttributeError, AssertionError, RuntimeError):
        return None  # a parser of foreign TeX fails in many ways; the TeX itself is shown then
    view = _VIEW.search(svg)
    if view is None:
        return None
    top, width, height = (float(number) for number in view.groups())
    return Drawn(svg.encode(), width, -top, height + top)


@cache
def _ziamath() -> type[Latex]:
    """Import ziamath on first use: a third of a second, and most answers hold no formula."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # it finds its fonts in an old way
        from ziamath.config import config
        from ziamath.zmath import Latex

    config.svg2 = False  # QtSvg cuts glyphs that come as <symbol> and <use>
    return Latex


def warm_up() -> None:
    """Do the slow import; meant for a thread, before the first formula comes."""
    _ziamath()
