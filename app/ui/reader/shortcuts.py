"""All keys of the reader, in one place.

Keys of `ANYWHERE` work in the whole pane; those of `ON_PAGES` are letters and the like, which
are commands only while the pages themselves have the keyboard.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from app.ui.reader.page_scroll import ZOOM_STEP, Fit
from app.ui.reader.paper_tab import PaperTab

Command = Callable[[PaperTab], object]


def _note(tab: PaperTab) -> None:
    if tab.view.selection:
        tab.highlight(write=True)
    else:
        tab.desk.edit_chosen()


ANYWHERE: Mapping[str, Command] = {
    "Ctrl+=": lambda tab: tab.view.zoom_by(ZOOM_STEP),
    "Ctrl++": lambda tab: tab.view.zoom_by(ZOOM_STEP),
    "Ctrl+-": lambda tab: tab.view.zoom_by(1 / ZOOM_STEP),
    "Ctrl+0": lambda tab: tab.view.set_fit(Fit.WIDTH),
    "Ctrl+9": lambda tab: tab.view.set_fit(Fit.PAGE),
    "Ctrl+1": lambda tab: tab.view.set_zoom(1.0),
    "F3": lambda tab: tab.finder.step(True),
    "Shift+F3": lambda tab: tab.finder.step(False),
    "Alt+Left": PaperTab.go_back,
    "Alt+Right": PaperTab.go_ahead,
}

ON_PAGES: Mapping[str, Command] = {
    "Ctrl+C": PaperTab.copy,
    "Ctrl+Z": lambda tab: tab.desk.undo(),
    "H": PaperTab.highlight,
    "N": _note,
    "A": PaperTab.ask,
    "Del": lambda tab: tab.desk.delete(),
    "Esc": PaperTab.escape,
}
