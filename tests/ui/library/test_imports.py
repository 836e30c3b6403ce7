"""What the window knows of an import."""

from __future__ import annotations

from pathlib import Path

from app.records.ids import PaperId
from app.services.changes import ImportProgress, ImportState
from app.ui.library.imports import ImportList


def step(
    number: int, state: ImportState, status: str = "", *, done: int = 0, total: int = 0
) -> ImportProgress:
    paper = PaperId(f"p{number}")
    return ImportProgress(number, Path(f"{number}.pdf"), state, status, paper, done, total)


def listed(*steps: ImportProgress) -> ImportList:
    made = ImportList()
    for one in steps:
        made.apply(one)
    return made


def test_that_figures_count_the_files_of_the_running_round() -> None:
    imports = listed(
        step(1, ImportState.WAITING),
        step(2, ImportState.WAITING),
        step(1, ImportState.FINISHED, "added"),
    )
    assert imports.figures() == (1, 2)
    assert imports.running()


def test_that_a_new_drop_counts_from_one_again() -> None:
    imports = listed(step(1, ImportState.FINISHED, "added"), step(2, ImportState.WAITING))
    assert imports.figures() == (0, 1)
    assert len(imports.items) == 2


def test_that_pages_of_a_file_under_way_count() -> None:
    imports = listed(step(1, ImportState.WAITING), step(2, ImportState.INDEXING, done=5, total=10))
    assert imports.share() == 0.25
    assert imports.indexing() == {"p2"}


def test_that_what_needs_the_person_comes_first() -> None:
    imports = listed(
        step(1, ImportState.FINISHED, "added"),
        step(2, ImportState.WAITING),
        step(3, ImportState.FINISHED, "needs_password"),
        step(4, ImportState.READING),
        step(5, ImportState.FINISHED, "damaged"),
    )
    assert [item.item_id for item in imports.in_order()] == [5, 3, 4, 2, 1]
    assert [item.item_id for item in imports.failures()] == [5]


def test_that_finished_files_can_be_cleared() -> None:
    imports = listed(step(1, ImportState.WAITING), step(2, ImportState.FINISHED, "added"))
    imports.clear_finished()
    assert list(imports.items) == [1]
