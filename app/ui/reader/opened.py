"""Find the file of a paper, and open it: what a tab needs before there is anything to show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from app.documents.inspection import OutlineItem
from app.errors import DocumentError, NotFoundError
from app.records.ids import FileId, PaperId
from app.records.names import label
from app.services.notes import stored_path
from app.services.threads import off_loop

if TYPE_CHECKING:
    from app.application import Application
    from app.library.files import FileRow
    from app.library.papers import PaperDetail

HEADING_PAGES_AT_MOST = 400


@dataclass(frozen=True, slots=True)
class OpenFile:
    """Which file of which paper a tab shows."""

    paper_id: PaperId
    file_id: FileId
    label: str
    title: str
    path: Path

    @property
    def is_pdf(self) -> bool:
        """Whether it has pages; the other kind is a Markdown text."""
        return self.path.suffix.lower() != ".md"


async def find_file(application: Application, paper_id: PaperId, file_id: FileId | None) -> OpenFile:
    """Return the file to show. Raises NotFoundError when the paper has none or the file is gone."""
    detail = await off_loop(application.library.papers.get, paper_id)
    row = _choose(detail, file_id)
    path = stored_path(application.library.files_dir, row.path)
    record = detail.record
    found = OpenFile(
        detail.paper_id,
        row.file_id,
        (label(record.authors, record.year) if record.authors else "") or record.title or row.original_name,
        record.title or row.original_name,
        path,
    )
    if not await off_loop(path.exists):
        raise DocumentError(
            f"The file of “{found.title}” is not where it was kept.",
            code="missing",
            hint=f"It should be at {path}. Put it back, or add the paper again.",
        )
    return found


def _choose(detail: PaperDetail, file_id: FileId | None) -> FileRow:
    rows = [row for row in detail.files if file_id is None or row.file_id == file_id]
    if not rows:
        raise NotFoundError(
            f"“{detail.record.title}” has no file in the library.",
            code="no_file",
            hint="Drop its PDF on the window.",
        )
    # PDFs before Markdown texts of the same paper
    return min(rows, key=lambda row: row.path.lower().endswith(".md"))


async def headings(application: Application, file_id: FileId, pages: int) -> Sequence[OutlineItem]:
    """Return an outline made of the sections of the indexed passages, for files that have none."""
    if pages > HEADING_PAGES_AT_MOST:
        return ()
    hits = await off_loop(application.library.passages.of_file, file_id)
    items: list[OutlineItem] = []
    for hit in hits:
        section = hit.passage.section.split("|")[-1].strip()
        if section and (not items or items[-1].title != section):
            items.append(OutlineItem(1, section, hit.passage.page))
    return items if len(items) > 1 else ()


def read_markdown(path: Path) -> str:
    """Return the text of a Markdown paper. Raises DocumentError."""
    try:
        return path.read_text("utf-8", "replace")
    except OSError as error:
        raise DocumentError(f"{path.name} cannot be read: {error.strerror}.", code="failed") from error


@dataclass(frozen=True, slots=True)
class Position:
    """Where a person stopped reading: a page and a share of its height, the zoom, what it follows."""

    page: int
    down: float
    zoom: float
    fit: str

    @classmethod
    def load(cls, application: Application, file_id: FileId) -> Position | None:
        """Return what was kept for a file; None for one never opened, or when it makes no sense."""
        kept = application.library.state.get(_position_key(file_id))
        try:
            position = cls(int(kept["page"]), float(kept["down"]), float(kept["zoom"]), str(kept["fit"]))
        except (TypeError, KeyError, ValueError):
            return None
        return position if position.fit in {"free", "width", "page"} and position.page >= 0 else None

    def save(self, application: Application, file_id: FileId) -> None:
        """Keep it for the next time."""
        application.library.state.set(_position_key(file_id), asdict(self))


def _position_key(file_id: FileId) -> str:
    return f"reader.position.{file_id}"
