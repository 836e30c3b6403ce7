"""Notes: anchored where their words stand, told of when they change, found again in another file."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator
from pathlib import Path

import pymupdf
import pytest

from app.documents.client import PdfClient
from app.errors import NotFoundError, UsageError
from app.library.library import Library
from app.records.ids import FileId, PageIndex, PaperId
from app.records.paper import PaperRecord
from app.services.changes import LibraryChanged, LibraryChangeKind
from app.services.notes import NotesService, stored_path
from app.workers.host import Worker

SENTENCES = (
    "The first page speaks of parallaxes.",
    "Crowding is corrected star by star here.",
    "The last page speaks of supernovae.",
)


def paper(sentences: tuple[str, ...] = SENTENCES, left: float = 72) -> bytes:
    document = pymupdf.open()
    for sentence in sentences:
        document.new_page(width=612, height=792).insert_text((left, 100), sentence, fontsize=11)
    return bytes(document.tobytes())


class World:
    """A library with one paper, its notes, and what was told of changes."""

    def __init__(self, library: Library, render: Worker) -> None:
        self.library, self.changes = library, list[LibraryChanged]()
        self.notes = NotesService(library, PdfClient(render, render), self.changes.append)
        self.paper = library.papers.add(PaperRecord(title="On ladders"))

    def add_file(self, name: str, data: bytes, pages: int = 3) -> FileId:
        path = self.library.files_dir / name
        path.write_bytes(data)
        digest = hashlib.sha256(data).hexdigest()
        return self.library.files.add(
            self.paper,
            sha256=digest,
            path=name,
            original_name=name,
            size=len(data),
            pages=pages,
            status="added",
        )


@pytest.fixture
async def world(home: Path) -> AsyncIterator[World]:
    library, render = Library.open(home), Worker("render")
    yield World(library, render)
    await render.close()
    library.close()


async def test_that_a_quote_in_words_is_anchored_on_its_page(world: World) -> None:
    file = world.add_file("a.pdf", paper())
    note = await world.notes.add(
        world.paper, "crowding is  corrected", text="check", color="green", page=PageIndex(1)
    )
    assert (note.file_id, note.color, note.text) == (file, "green", "check")
    assert note.anchor.quote == "Crowding is corrected"
    assert note.anchor.suffix.startswith(" star by star")
    (quad,) = note.anchor.quads
    assert abs(quad.ul[0] - 72) < 1
    assert quad.ll[1] < 792 - 100 < quad.ul[1]
    assert await world.notes.of_paper(world.paper) == [note]
    assert world.changes[-1] == LibraryChanged(LibraryChangeKind.NOTES_CHANGED, (world.paper,))


@pytest.mark.parametrize("page", [0, None])
async def test_that_words_that_stand_nowhere_make_no_note(world: World, page: int | None) -> None:
    world.add_file("a.pdf", paper())
    with pytest.raises(NotFoundError):
        await world.notes.add(
            world.paper,
            "dark energy is a cosmological constant",
            page=None if page is None else PageIndex(page),
        )
    assert await world.notes.of_paper(world.paper) == []


async def test_that_a_note_needs_words_and_a_page_that_is_there(world: World) -> None:
    world.add_file("a.pdf", paper())
    with pytest.raises(UsageError):
        await world.notes.add(world.paper, "  ")
    with pytest.raises(UsageError):
        await world.notes.add(world.paper, "supernovae", page=PageIndex(9))
    with pytest.raises(NotFoundError):
        await world.notes.add(PaperId("nobodyyy"), "supernovae")


async def test_that_a_deleted_note_comes_back_as_it_was(world: World) -> None:
    world.add_file("a.pdf", paper())
    note = await world.notes.add(world.paper, "supernovae", text="bright", page=PageIndex(2))
    changed = await world.notes.update(note.note_id, text="very bright", color="red")
    gone = await world.notes.delete(note.note_id)
    assert await world.notes.of_paper(world.paper) == []
    back = await world.notes.restore(gone)
    assert (back.anchor, back.text, back.color) == (changed.anchor, "very bright", "red")


async def test_that_notes_move_to_a_new_version_or_are_named(world: World) -> None:
    old = world.add_file("v1.pdf", paper())
    kept = await world.notes.add(world.paper, "Crowding is corrected star by star", page=PageIndex(1))
    lost = await world.notes.add(world.paper, "speaks of parallaxes", page=PageIndex(0))
    new = world.add_file("v2.pdf", paper(("A new introduction.", "More words.", SENTENCES[1]), left=120))
    moved, left = await world.notes.reanchor(world.paper, new)
    assert [note.note_id for note in moved] == [kept.note_id]
    assert (moved[0].file_id, moved[0].anchor.page) == (new, 2)
    assert abs(moved[0].anchor.quads[0].ul[0] - 120) < 1
    assert [note.note_id for note in left] == [lost.note_id]
    assert [note.note_id for note in await world.notes.of_file(old)] == [lost.note_id]


async def test_that_a_markdown_paper_takes_notes_from_its_passages(world: World) -> None:
    from app.records.ids import PageLabel
    from app.records.passage import Passage

    file = world.add_file("a.md", b"# On ladders\n\nRungs are tied by Cepheids.\n", pages=1)
    passage = Passage(PageIndex(0), PageLabel(""), 14, 41, "Rungs are tied by Cepheids.", "On ladders")
    world.library.passages.write(
        file, [passage], None, model="", headers=["On ladders"], through_page=0, done=True
    )
    note = await world.notes.add(world.paper, "tied by Cepheids")
    assert note.anchor.quads == ()
    assert note.anchor.start == 14 + len("Rungs are ")


def test_that_files_are_found_by_either_kind_of_path(tmp_path: Path) -> None:
    files = tmp_path / "files"
    (files / "p").mkdir(parents=True)
    (files / "p" / "a.pdf").touch()
    assert stored_path(files, "p/a.pdf") == files / "p" / "a.pdf"
    assert stored_path(files, "files/p/a.pdf") == files / "p" / "a.pdf"
