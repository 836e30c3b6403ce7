"""The one entry point: a worker process when started with `--worker KIND`, else the command line.

Workers are told apart before anything else is imported, so that they start quickly and never load Qt,
also in the frozen application, where this file is all there is to start.
"""

from __future__ import annotations

import multiprocessing
import sys

WORKERS = {
    "pdf": "app.documents.worker:serve_extract",
    "render": "app.documents.worker:serve_render",
    "llm": "app.llm.local.worker:main",
    "embed": "app.llm.embedding_worker:main",
    "files": "app.services.files.search_worker:main",
    "selftest": "app.workers.selftest:main",
}


def main() -> int:
    """Run what the arguments ask for and return the exit code."""
    multiprocessing.freeze_support()
    match sys.argv[1:]:
        case ["--worker", kind, *_]:
            return _run_worker(kind)
    from app.cli.main import main as run_command_line

    return run_command_line()


def _run_worker(kind: str) -> int:
    if kind not in WORKERS:
        print(f"There is no worker called {kind!r}; there are {', '.join(WORKERS)}.", file=sys.stderr)
        return 2
    from app.workers.serve import run

    return run(WORKERS[kind])


if __name__ == "__main__":
    sys.exit(main())
