"""Colours, sizes and fonts of the window (VISUAL.md); nothing else names a colour or a size.

`tokens()` gives the set in use. `theme().changed` fires after a switch between light and dark;
widgets that paint by hand read `tokens()` while they paint and need no more than an update.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import cache

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontDatabase, QGuiApplication, QPalette
from PySide6.QtWidgets import QApplication

XXS, XS, S, M, L, XL = 4, 6, 8, 12, 16, 24
"""Space, in pixels."""

RADIUS_CONTROL, RADIUS_CARD, RADIUS_MESSAGE = 6, 9, 12
CONTROL_HEIGHT, BUTTON_HEIGHT, ICON_TARGET, ICON_SIZE = 24, 28, 24, 16
HEAD_HEIGHT, TOP_HEIGHT, STATUS_HEIGHT = 38, 44, 26
LIBRARY_WIDTH, TIMELINE_WIDTH, FOLD_BELOW = 332, 444, 1100

TEXT_PX, META_PX, CHIP_PX = 13.0, 12.0, 11.5

NOTE_COLOURS = ("yellow", "green", "blue", "pink", "orange", "purple", "red", "gray")


@dataclass(frozen=True, slots=True)
class Tokens:
    """One set of colours as `#RRGGBB`."""

    dark: bool
    window: str
    surface: str
    sunken: str
    line: str
    line_strong: str
    text: str
    text_2: str
    text_3: str
    accent: str
    accent_soft: str
    on_accent: str
    ok: str
    ok_soft: str
    warn: str
    warn_soft: str
    bad: str
    bad_soft: str
    paper: str
    shadow: str
    highlights: dict[str, str]
    note_edges: dict[str, str]

    def colour(self, name: str) -> QColor:
        """Return the token `name` (such as "accent") as a QColor."""
        return QColor(getattr(self, name))

    def highlight(self, colour: str) -> QColor:
        """Return the marker of a note colour; an unknown one is yellow."""
        return QColor(self.highlights.get(colour, self.highlights["yellow"]))

    def note_edge(self, colour: str) -> QColor:
        """Return the strong shade of a note colour, for edges and swatches on cards."""
        return QColor(self.note_edges.get(colour, self.note_edges["yellow"]))


_EDGES = dict(
    zip(
        NOTE_COLOURS,
        ("#E8B800", "#3FA34D", "#3D8BD4", "#D6568E", "#E0802B", "#8A63D2", "#D64A42", "#8A8F9C"),
        strict=True,
    )
)

LIGHT = Tokens(
    dark=False,
    window="#F6F6F4",
    surface="#FFFFFF",
    sunken="#EEEEEB",
    line="#E1E0DC",
    line_strong="#C9C8C3",
    text="#1E2230",
    text_2="#5A6072",
    text_3="#868B9A",
    accent="#3A4FC4",
    accent_soft="#E6E9FA",
    on_accent="#FFFFFF",
    ok="#1F7A4D",
    ok_soft="#E0F1E8",
    warn="#9A5B00",
    warn_soft="#FBEFD9",
    bad="#B3261E",
    bad_soft="#FBE5E3",
    paper="#FFFFFF",
    shadow="#141828",
    highlights=dict(
        zip(
            NOTE_COLOURS,
            ("#FFE58A", "#BFE8C3", "#BFDCF7", "#F7C6DA", "#FFD3A8", "#DCCDF5", "#F8BDB8", "#DADCE2"),
            strict=True,
        )
    ),
    note_edges=_EDGES,
)

DARK = Tokens(
    dark=True,
    window="#14161D",
    surface="#1B1E27",
    sunken="#101218",
    line="#2A2E3A",
    line_strong="#3B4050",
    text="#E6E8EF",
    text_2="#A3A9BA",
    text_3="#7B8193",
    accent="#8FA0FF",
    accent_soft="#252B48",
    on_accent="#12141C",
    ok="#6CCB9A",
    ok_soft="#17332A",
    warn="#E7B25C",
    warn_soft="#3A2E17",
    bad="#F28B82",
    bad_soft="#421F1E",
    paper="#22252F",
    shadow="#000000",
    highlights=dict(
        zip(
            NOTE_COLOURS,
            ("#6B5A12", "#1F5130", "#1F4668", "#652A48", "#6B4114", "#46336E", "#6A2825", "#3F434F"),
            strict=True,
        )
    ),
    note_edges=_EDGES,
)


class Scheme(StrEnum):
    """What the person asked for."""

    SYSTEM = "system"
    LIGHT = "light"
    DARK = "dark"


class Theme(QObject):
    """The colours in use; one instance, from `theme()`."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.scheme = Scheme.SYSTEM
        self.tokens = LIGHT
        self._following = False

    def apply(self, app: QApplication, scheme: Scheme) -> None:
        """Set palette, style sheet and font of the whole program and tell who paints."""
        from app.ui.style import style_sheet

        self.scheme = scheme
        self.tokens = _resolve(scheme)
        if not self._following:
            self._following = True
            app.styleHints().colorSchemeChanged.connect(lambda _: self._follow_system(app))
        app.setStyle("Fusion")
        app.setFont(interface_font())
        app.setPalette(palette(self.tokens))
        app.setStyleSheet(style_sheet(self.tokens))
        self.changed.emit()

    def _follow_system(self, app: QApplication) -> None:
        if self.scheme is Scheme.SYSTEM and _resolve(self.scheme) is not self.tokens:
            self.apply(app, self.scheme)


@cache
def theme() -> Theme:
    """Return the program's theme."""
    return Theme()


def tokens() -> Tokens:
    """Return the colours in use."""
    return theme().tokens


def _resolve(scheme: Scheme) -> Tokens:
    if scheme is Scheme.SYSTEM:
        wish = QGuiApplication.styleHints().colorScheme()
        return DARK if wish is Qt.ColorScheme.Dark else LIGHT
    return DARK if scheme is Scheme.DARK else LIGHT


def palette(t: Tokens) -> QPalette:
    """Return the palette for Fusion; the style sheet does the rest."""
    p = QPalette()
    group, role = QPalette.ColorGroup, QPalette.ColorRole
    for which, name in {
        role.Window: t.window,
        role.WindowText: t.text,
        role.Base: t.surface,
        role.AlternateBase: t.sunken,
        role.Text: t.text,
        role.PlaceholderText: t.text_3,
        role.Button: t.surface,
        role.ButtonText: t.text,
        role.BrightText: t.bad,
        role.Highlight: t.accent_soft,
        role.HighlightedText: t.text,
        role.ToolTipBase: t.surface,
        role.ToolTipText: t.text,
        role.Link: t.accent,
        role.LinkVisited: t.accent,
        role.Accent: t.accent,
        role.Light: t.surface,
        role.Midlight: t.line,
        role.Mid: t.line_strong,
        role.Dark: t.line_strong,
        role.Shadow: t.shadow,
    }.items():
        p.setColor(which, QColor(name))
    for which in (role.WindowText, role.Text, role.ButtonText):
        p.setColor(group.Disabled, which, QColor(t.text_3))
    return p


@cache
def families() -> tuple[str, ...]:
    """Return the chain of interface fonts: Inter where it is installed, the system's, then CJK."""
    known = set(QFontDatabase.families())
    system = QFontDatabase.systemFont(QFontDatabase.SystemFont.GeneralFont).family()
    wanted = (
        "Inter",
        "Inter Variable",
        system,
        "Noto Sans",
        "Noto Sans CJK SC",
        "PingFang SC",
        "Microsoft YaHei",
        "WenQuanYi Micro Hei",
        "DejaVu Sans",
    )
    return tuple(dict.fromkeys(f for f in wanted if f in known)) or (system,)


@cache
def mono_families() -> tuple[str, ...]:
    """Return the chain of fixed-width fonts."""
    known = set(QFontDatabase.families())
    system = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont).family()
    wanted = ("JetBrains Mono", "SF Mono", "Noto Sans Mono", "Cascadia Mono", "Consolas", "DejaVu Sans Mono")
    return tuple(dict.fromkeys((*(f for f in wanted if f in known), system)))


def interface_font(px: float = TEXT_PX, weight: int = 400, *, tabular: bool = False) -> QFont:
    """Return the interface font; half pixels are kept (`px * 0.75` points at 96 dpi are not used)."""
    font = QFont()
    font.setFamilies(list(families()))
    _set_px(font, px)
    font.setWeight(QFont.Weight(weight))
    font.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
    if tabular:
        font.setFeature(QFont.Tag("tnum"), 1)
    return font


def mono_font(px: float = META_PX, weight: int = 400) -> QFont:
    """Return the fixed-width font."""
    font = QFont()
    font.setFamilies(list(mono_families()))
    _set_px(font, px)
    font.setWeight(QFont.Weight(weight))
    return font


def _set_px(font: QFont, px: float) -> None:
    """Qt's pixel sizes are whole numbers; points are not, and 11.5 px matters in chips."""
    if px == int(px):
        font.setPixelSize(int(px))
        return
    dpi = QGuiApplication.primaryScreen().logicalDotsPerInchY() if QGuiApplication.screens() else 96.0
    font.setPointSizeF(px * 72.0 / dpi)
