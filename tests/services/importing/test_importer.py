"""Import from the outside: every file gets one result, and nothing stops the queue."""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Protocol

import pytest

from app.errors import ModelError, WorkerCrashedError
from app.library import Library
from app.services.changes import ImportProgress, ImportState, LibraryChanged, NoticeGiven
from app.services.importing import Importer, file_store
from app.services.importing.queue import MAX_STARTS

MakePdf = Callable[..., Path]


class Imports(Protocol):
    importer: Importer
    changes: list[object]

    async def add(self, *paths: Path, passwords: tuple[str, ...] = ()) -> list[tuple[str, str]]: ...


async def until(condition: Callable[[], bool]) -> None:
    """Look again and again: what is waited for happens in another process or thread."""
    while not condition():  # noqa: ASYNC110
        await asyncio.sleep(0.02)


Open = Callable[..., AbstractAsyncContextManager[Imports]]


async def test_that_a_paper_is_added_with_what_its_pages_say(
    imports: Imports, library: Library, home: Path, make_pdf: MakePdf
) -> None:
    path = make_pdf(title="The period of a variable star", extra="https://doi.org/10.3847/1538-4357/ab1234")
    (result,) = [r async for r in imports.importer.add([path])]
    assert (result.status, result.message) == ("added", "")
    assert result.record.title == "The period of a variable star"
    assert result.record.authors == ("Ada Nakamura",)
    assert (result.pages, result.passages > 0) == (2, True)
    assert result.as_json()["identifiers"] == {
        "doi": "10.3847/1538-4357/ab1234",
        "arxiv": None,
        "bibcode": None,
    }
    assert result.paper_id is not None
    (file,) = library.papers.get(result.paper_id).files
    assert (file.status, file.pages, file.indexed, file.passages) == ("added", 2, True, result.passages)
    assert (home / "files" / file.path).read_bytes() == path.read_bytes()
    hits = library.search.keyword("pulsation period", papers=None, limit=5)
    assert {hit.paper_id for hit in hits} == {result.paper_id}
    assert library.verify() == []


async def test_that_every_file_of_a_mixed_folder_gets_its_own_status(
    imports: Imports, make_pdf: MakePdf
) -> None:
    good = make_pdf("good.pdf")
    folder = good.parent
    make_pdf("scan.pdf", text="")
    make_pdf("locked.pdf", password="secret")
    shutil.copy(good, folder / "zz copy.pdf")
    (folder / "empty.pdf").write_bytes(b"")
    (folder / "page.pdf").write_text("<!DOCTYPE html><html><body>Please log in</body></html>")
    (folder / "cut.pdf").write_bytes(good.read_bytes()[:200])
    (folder / "parsed.md").write_text("# A parsed paper\n\n## Results\n\nThe star is bright and far away.\n")
    (folder / "empty.md").write_text("  \n")
    found = dict(await imports.add(folder))
    copies = sorted((found.pop("good.pdf"), found.pop("zz copy.pdf")))
    assert copies == ["added", "duplicate"]
    assert found == {
        "cut.pdf": "damaged",
        "empty.md": "damaged",
        "empty.pdf": "not_pdf",
        "locked.pdf": "needs_password",
        "page.pdf": "not_pdf",
        "parsed.md": "added",
        "scan.pdf": "no_text",
    }
    finished = [c for c in imports.changes if isinstance(c, ImportProgress) and c.finished]
    assert len(finished) == 9
    assert all(c.message for c in finished if c.status != "added")


async def test_that_what_is_no_paper_leaves_nothing_in_the_library(
    imports: Imports, library: Library, home: Path, tmp_path: Path
) -> None:
    (tmp_path / "a.pdf").write_bytes(b"\0" * 5000)
    assert await imports.add(tmp_path / "a.pdf") == [("a.pdf", "not_pdf")]
    assert library.papers.count() == 0
    assert [p for p in (home / "files").rglob("*") if p.is_file()] == []


async def test_that_a_file_that_is_known_is_a_duplicate_of_its_paper(
    imports: Imports, library: Library, make_pdf: MakePdf
) -> None:
    path = make_pdf()
    other = path.with_name("other name.pdf")
    shutil.copy(path, other)
    (first,) = [r async for r in imports.importer.add([path])]
    (second,) = [r async for r in imports.importer.add([other])]
    assert (second.status, second.paper_id) == ("duplicate", first.paper_id)
    assert (second.record, second.passages) == (first.record, first.passages)
    assert library.papers.count() == 1


async def test_that_another_file_of_a_work_joins_it(
    imports: Imports, library: Library, make_pdf: MakePdf
) -> None:
    one = make_pdf("v1.pdf", title="On one star", extra="arXiv:2101.00001v1 [astro-ph.SR] 1 Jan 2021")
    two = make_pdf("v2.pdf", title="On one star", extra="arXiv:2101.00001v2 [astro-ph.SR] 5 Feb 2021")
    (first,) = [r async for r in imports.importer.add([one])]
    (second,) = [r async for r in imports.importer.add([two])]
    assert (second.status, second.paper_id) == ("added", first.paper_id)
    assert "added to that paper" in second.message
    assert first.paper_id is not None
    assert len(library.papers.get(first.paper_id).files) == 2
    assert library.papers.count() == 1


async def test_that_files_of_one_work_that_come_together_make_one_paper(
    imports: Imports, library: Library, make_pdf: MakePdf
) -> None:
    paths = [
        make_pdf(f"v{n}.pdf", title="On one star", extra=f"arXiv:2101.00001v{n} [astro-ph.SR] {n} Jan 2021")
        for n in range(1, 5)
    ]
    assert {status for _, status in await imports.add(*paths)} == {"added"}
    assert library.papers.count() == 1


async def test_that_a_locked_file_is_kept_and_opened_once_its_password_comes(
    imports: Imports, library: Library, make_pdf: MakePdf
) -> None:
    path = make_pdf("locked.pdf", title="A secret star", password="sesame")
    (locked,) = [r async for r in imports.importer.add([path])]
    assert (locked.status, locked.record.title) == ("needs_password", "locked")
    assert await imports.add(path, passwords=("wrong",)) == [("locked.pdf", "needs_password")]
    (opened,) = [r async for r in imports.importer.add([path], passwords=("wrong", "sesame"))]
    assert (opened.status, opened.paper_id) == ("added", locked.paper_id)
    assert opened.record.title == "A secret star"
    assert opened.passages > 0
    assert library.papers.count() == 1


async def test_that_a_title_from_the_file_name_is_marked_and_gives_way(
    imports: Imports, library: Library, make_pdf: MakePdf
) -> None:
    (result,) = [r async for r in imports.importer.add([make_pdf("my_old  scan.pdf", text="")])]
    assert result.record.title == "my old scan"
    assert result.record.provenance["title"] == "file name"


async def test_that_a_paper_in_the_trash_comes_back(
    imports: Imports, library: Library, make_pdf: MakePdf
) -> None:
    path = make_pdf()
    (first,) = [r async for r in imports.importer.add([path])]
    assert first.paper_id is not None
    library.papers.trash([first.paper_id])
    (again,) = [r async for r in imports.importer.add([path])]
    assert (again.status, again.paper_id) == ("added", first.paper_id)
    assert library.papers.count() == 1


async def test_that_a_copy_that_was_lost_is_put_back(
    imports: Imports, library: Library, home: Path, make_pdf: MakePdf
) -> None:
    path = make_pdf()
    (first,) = [r async for r in imports.importer.add([path])]
    assert first.paper_id is not None
    kept = home / "files" / library.papers.get(first.paper_id).files[0].path
    kept.unlink()
    (again,) = [r async for r in imports.importer.add([path])]
    assert (again.status, "put back" in again.message) == ("duplicate", True)
    assert kept.read_bytes() == path.read_bytes()


async def test_that_a_missing_path_gets_its_result(imports: Imports, tmp_path: Path) -> None:
    (result,) = [r async for r in imports.importer.add([tmp_path / "no.pdf"])]
    assert (result.status, result.message) == ("failed", "There is no such file or folder.")


@pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse such names")
async def test_that_odd_names_are_imported(imports: Imports, home: Path, make_pdf: MakePdf) -> None:
    odd = [os.fsdecode(b"caf\xe9.pdf"), "two\nlines.pdf", "Z\u030cernov.pdf", "-rf.pdf"]
    paths = [make_pdf(f"p{n}.pdf").rename(home.parent / name) for n, name in enumerate(odd)]
    results = [r async for r in imports.importer.add(paths)]
    assert sorted(r.path.name for r in results) == sorted(odd)
    assert {r.status.value for r in results} == {"added"}
    kept = {p.name for p in (home / "files").rglob("*.pdf")}
    assert kept == {"caf_.pdf", "two_lines.pdf", "\u017dernov.pdf", "-rf.pdf"}


async def test_that_a_file_that_may_not_be_written_costs_only_itself(
    imports: Imports, library: Library, make_pdf: MakePdf, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = make_pdf("one.pdf"), make_pdf("two.pdf")

    copy = file_store._copy

    def full(source: Path, target: Path) -> str:
        if source.name == "one.pdf":
            raise OSError(28, "No space left on device")
        return copy(source, target)

    monkeypatch.setattr(file_store, "_copy", full)
    results = {r.path.name: r async for r in imports.importer.add([one, two])}
    assert results["one.pdf"].status == "failed"
    assert results["one.pdf"].message == "The disk is full; free some space and add it again."
    assert results["two.pdf"].status == "added"
    assert library.papers.count() == 1


async def test_that_progress_is_told_step_by_step(imports: Imports, make_pdf: MakePdf) -> None:
    await imports.add(make_pdf(pages=12))
    steps = [c for c in imports.changes if isinstance(c, ImportProgress)]
    states = list(dict.fromkeys(c.state for c in steps))
    assert states == [ImportState.WAITING, ImportState.READING, ImportState.INDEXING, ImportState.FINISHED]
    done = [(c.done, c.total) for c in steps if c.state is ImportState.INDEXING and c.total]
    assert done == sorted(done)
    assert done[-1] == (12, 12)
    assert len(done) > 1
    assert any(isinstance(c, LibraryChanged) for c in imports.changes)


class _BrokenEmbedder:
    model_id, dim = "broken", 384

    async def embed(self, texts: object, *, query: bool = False) -> list[bytes]:
        raise ModelError("The embedding model is damaged.")

    async def close(self) -> None: ...


class _CrashingOnce(_BrokenEmbedder):
    """A model whose worker is killed at the first request, as by the system when memory is short."""

    crashed = False

    async def embed(self, texts: object, *, query: bool = False) -> list[bytes]:
        if not self.crashed:
            self.crashed = True
            raise WorkerCrashedError("The embed worker ended.")
        assert isinstance(texts, list)
        return [bytes(self.dim) for _ in texts]


async def test_that_a_killed_embedding_worker_costs_no_vectors(
    open_importer: Open, make_pdf: MakePdf
) -> None:
    async with open_importer(_CrashingOnce()) as imports:
        assert {s for _, s in await imports.add(make_pdf("a.pdf"))} == {"added"}
        assert not [change for change in imports.changes if isinstance(change, NoticeGiven)]


async def test_that_without_embeddings_words_are_indexed_and_one_notice_is_given(
    open_importer: Open, library: Library, make_pdf: MakePdf
) -> None:
    async with open_importer(_BrokenEmbedder()) as imports:
        assert {s for _, s in await imports.add(make_pdf("a.pdf"), make_pdf("b.pdf"))} == {"added"}
        notices = [c for c in imports.changes if isinstance(c, NoticeGiven)]
    assert len(notices) == 1
    assert library.search.keyword("pulsation", papers=None, limit=5)


async def test_that_an_import_that_was_stopped_goes_on_at_the_next_start(
    open_importer: Open, library: Library, make_pdf: MakePdf
) -> None:
    paths = [make_pdf(f"p{n}.pdf", pages=6) for n in range(6)]
    async with open_importer() as imports:
        await imports.importer.enqueue(paths)
        await until(lambda: library.papers.count() >= 2)
    left = library.imports.pending()
    assert left
    assert all(item.attempts == 0 for item in left)
    async with open_importer() as imports:
        imports.importer.resume()
        await imports.importer.idle()
    assert library.imports.pending() == []
    assert library.papers.count() == 6
    rows = library.papers.rows(library.papers.order())
    assert all(file.indexed for row in rows for file in library.papers.get(row.paper_id).files)
    assert library.verify() == []


@pytest.mark.parametrize(("deaths", "status"), [(20, "added"), (MAX_STARTS, "failed")])
async def test_that_only_a_file_under_way_at_very_many_deaths_of_the_program_is_set_aside(
    imports: Imports, library: Library, make_pdf: MakePdf, deaths: int, status: str
) -> None:
    (item,) = library.imports.enqueue([make_pdf()], batch="before")
    for _ in range(deaths):
        library.imports.start(item)
    imports.importer.resume()
    await imports.importer.idle()
    assert library.imports.get(item).status == status


async def test_that_cancelling_drops_what_was_not_begun_and_finishes_the_rest(
    imports: Imports, library: Library, make_pdf: MakePdf
) -> None:
    paths = [make_pdf(f"p{n}.pdf") for n in range(8)]
    await imports.importer.enqueue(paths)
    await until(
        lambda: any(isinstance(c, ImportProgress) and c.state is ImportState.READING for c in imports.changes)
    )
    dropped = await imports.importer.cancel()
    await imports.importer.idle()
    finished = [c for c in imports.changes if isinstance(c, ImportProgress) and c.finished]
    assert len(finished) == 8
    assert 4 <= dropped <= 7
    assert library.papers.count() == 8 - dropped
    assert library.imports.pending() == []


async def test_that_a_caller_who_stops_early_drops_only_its_own_waiting_files(
    imports: Imports, library: Library, make_pdf: MakePdf
) -> None:
    paths = [make_pdf(f"p{n}.pdf") for n in range(6)]
    results = imports.importer.add(paths)
    first = await anext(results)
    await results.aclose()
    await imports.importer.idle()
    assert first.status == "added"
    assert 1 <= library.papers.count() < 6
    assert library.imports.pending() == []


async def test_that_a_queue_of_two_importers_gives_each_its_results(
    open_importer: Open, library: Library, make_pdf: MakePdf
) -> None:
    one = [make_pdf(f"a{n}.pdf") for n in range(4)]
    two = [make_pdf(f"b{n}.pdf") for n in range(4)]
    async with open_importer() as left, open_importer() as right:
        results = await asyncio.gather(left.add(*one), right.add(*two))
    assert [len(r) for r in results] == [4, 4]
    assert {status for part in results for _, status in part} == {"added"}
    assert library.papers.count() == 8
