"""What is marked on pages, and how it is painted over the picture of a page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen, QPolygonF

from app.documents.geometry import Affine, map_quad
from app.records.ids import NoteId
from app.records.passage import Point, Quad
from app.ui.theme import Tokens

CITATION_PEN = 1.5
_SELECTION_ALPHA = 70


class MarkKind(Enum):
    """Why a stretch is marked; the order is the order of painting."""

    NOTE = 1
    FOUND = 2
    FOUND_HERE = 3
    CITATION = 4


@dataclass(frozen=True, slots=True)
class Mark:
    """Quads of one page, in PDF user space."""

    kind: MarkKind
    page: int
    quads: tuple[Quad, ...]
    colour: str = "yellow"
    note_id: NoteId | None = None

    def holds(self, point: Point) -> bool:
        """Say whether a point in user space lies on the mark."""
        return any(_inside(quad, point) for quad in self.quads)


def outline(affine: Affine, quads: Iterable[Quad], grow: float = 0.0, radius: float = 0.0) -> QPainterPath:
    """Return the outline around the quads after mapping, touching ones made into one."""
    path = QPainterPath()
    path.setFillRule(Qt.FillRule.WindingFill)
    for quad in quads:
        corners = map_quad(affine, quad)
        xs, ys = [x for x, _ in corners], [y for _, y in corners]
        box = QRectF(min(xs), min(ys), max(xs) - min(xs), max(ys) - min(ys))
        box.adjust(-grow, -grow, grow, grow)
        piece = QPainterPath()
        if _upright(corners):
            piece.addRoundedRect(box, radius, radius)
        else:
            piece.addPolygon(QPolygonF([QPointF(x, y) for x, y in corners]))
            piece.closeSubpath()
        path = path.united(piece) if not path.isEmpty() else piece
    return path


def paint_mark(
    painter: QPainter, mark: Mark, affine: Affine, colours: Tokens, *, chosen: bool = False
) -> None:
    """Paint a mark; the words under it stay as dark (or, on a dark page, as bright) as they are."""
    match mark.kind:
        case MarkKind.NOTE:
            path = outline(affine, mark.quads, radius=2)
            _stain(painter, path, colours.highlight(mark.colour), colours)
            if chosen:
                _line(painter, path, colours.note_edge(mark.colour), 1.2)
        case MarkKind.FOUND:
            _stain(painter, outline(affine, mark.quads, 1, 2), colours.colour("warn_soft"), colours)
            _line(painter, outline(affine, mark.quads, 1, 2), _faint(colours.colour("warn"), 110), 1)
        case MarkKind.FOUND_HERE:
            path = outline(affine, mark.quads, 1.5, 2)
            _stain(painter, path, colours.highlight("orange"), colours)
            _line(painter, path, colours.colour("warn"), 1.5)
        case MarkKind.CITATION:
            path = outline(affine, mark.quads, 1.5, 2)
            _stain(painter, path, colours.colour("accent_soft"), colours)
            _line(painter, path, colours.colour("accent"), CITATION_PEN)


def paint_selection(painter: QPainter, quads: Sequence[Quad], affine: Affine, colours: Tokens) -> None:
    """Paint selected text."""
    painter.fillPath(outline(affine, quads), _faint(colours.colour("accent"), _SELECTION_ALPHA))


def _stain(painter: QPainter, path: QPainterPath, colour: QColor, colours: Tokens) -> None:
    """Colour the paper and leave the contrast of the words on it as it is: both modes are linear."""
    mode = QPainter.CompositionMode
    if colours.dark:
        paper = colours.colour("paper")
        painter.setCompositionMode(mode.CompositionMode_Plus)
        colour = QColor(
            max(0, colour.red() - paper.red()),
            max(0, colour.green() - paper.green()),
            max(0, colour.blue() - paper.blue()),
        )
    else:
        painter.setCompositionMode(mode.CompositionMode_Multiply)
    painter.fillPath(path, colour)
    painter.setCompositionMode(mode.CompositionMode_SourceOver)


def _line(painter: QPainter, path: QPainterPath, colour: QColor, width: float) -> None:
    painter.strokePath(path, QPen(colour, width))


def _faint(colour: QColor, alpha: int) -> QColor:
    colour.setAlpha(alpha)
    return colour


def _upright(corners: Sequence[Point]) -> bool:
    return len({round(x, 1) for x, _ in corners}) <= 2 and len({round(y, 1) for _, y in corners}) <= 2


def _inside(quad: Quad, point: Point) -> bool:
    corners = (quad.ul, quad.ur, quad.lr, quad.ll)
    sides = [
        (b[0] - a[0]) * (point[1] - a[1]) - (b[1] - a[1]) * (point[0] - a[0])
        for a, b in zip(corners, (*corners[1:], corners[0]), strict=True)
    ]
    return all(s >= 0 for s in sides) or all(s <= 0 for s in sides)
