"""Real processes on one library: killed at random moments, and writing side by side."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import textwrap
import threading
from pathlib import Path

import pytest

from app.library import Library
from app.records.ids import PaperId
from tests.library.samples import found_texts

pytestmark = [pytest.mark.slow, pytest.mark.skipif(os.name == "nt", reason="kills processes by signal")]

_IMPORTER = """
    import sys
    from pathlib import Path
    from app.library import Library
    from tests.library.samples import add_indexed
    library = Library.open(Path(sys.argv[1]))
    name = sys.argv[2]
    for number in range(int(sys.argv[3])):
        (item,) = library.imports.enqueue([Path(f"/{name}{number}.pdf")], batch=name)
        library.imports.start(item)
        texts = [f"{name}{number} page {page} 超新星" for page in range(4)]
        paper, file, ids = add_indexed(library, f"Title {name}{number}", texts)
        if number % 5 == 4:
            library.papers.set_tags([paper], [f"tag{number % 3}"])
            library.passages.delete(file)
            library.papers.trash([paper])
        library.imports.finish(item, "added", paper)
        print(f"{number} {paper}", flush=True)
    library.close()
"""


def _start(home: Path, name: str, count: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", textwrap.dedent(_IMPORTER), str(home), name, str(count)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=Path(__file__).parents[2])


def _run_and_kill(home: Path, name: str, after_lines: int, delay_s: float) -> list[str]:
    """Return the lines that a process printed before it was killed in the middle of its work."""
    process = _start(home, name, 10_000)
    assert process.stdout is not None
    lines = [process.stdout.readline() for _ in range(after_lines)]
    timer = threading.Timer(delay_s, process.send_signal, (signal.SIGKILL,))
    timer.start()
    lines += process.stdout.readlines()
    assert process.wait() == -signal.SIGKILL
    process.stdout.close()
    timer.join()
    return [line for line in lines if line.endswith("\n")]


def test_that_nothing_reported_done_is_lost_by_kill_9(home: Path) -> None:
    Library.open(home).close()
    chance = random.Random(2)
    for attempt in range(6):
        lines = _run_and_kill(home, f"r{attempt}x", 1 + chance.randrange(4), chance.random() * 0.1)
        with Library.open(home) as library:
            assert library.verify() == []
            for line in lines:
                number, paper = line.split()
                done = library.imports.of_batch(f"r{attempt}x")[int(number)]
                assert (done.state, done.paper_id) == ("done", paper)
                detail = library.papers.get(PaperId(paper))
                if int(number) % 5 == 4:
                    assert detail.trashed
                    assert detail.passage_count == 0
                else:
                    assert detail.passage_count == 4
                    assert len(found_texts(library, f"r{attempt}x{number}")) == 4
            unfinished = [item for item in library.imports.pending() if item.batch == f"r{attempt}x"]
            assert len(unfinished) <= 1


@pytest.mark.slow
def test_that_two_processes_write_without_getting_in_each_others_way(home: Path) -> None:
    Library.open(home).close()
    writers = [_start(home, name, 150) for name in ("a", "b")]
    outputs = [writer.communicate(timeout=120)[0].splitlines() for writer in writers]
    assert [writer.returncode for writer in writers] == [0, 0]
    assert [len(lines) for lines in outputs] == [150, 150]
    with Library.open(home) as library:
        assert library.papers.count() == 240
        assert library.papers.count("in:trash") == 60
        assert library.passages.count() == 240 * 4
        assert library.imports.pending() == []
        assert library.verify() == []
