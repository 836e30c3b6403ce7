"""The worker processes of PDF files."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from app.documents.worker import METHODS, PdfHandlers

LIGHT = """
import sys
from app.documents.worker import PdfHandlers
PdfHandlers()
heavy = {"onnxruntime", "pymupdf.layout", "pymupdf4llm", "numpy"} & set(sys.modules)
assert "pymupdf" in sys.modules
assert not heavy, heavy
"""
NO_NATIVE = """
import sys
import app.documents.client, app.documents.chunk
assert not {"pymupdf", "onnxruntime", "numpy"} & set(sys.modules)
"""


def run(code: str, repo: Path) -> None:
    done = subprocess.run([sys.executable, "-c", code], cwd=repo, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_that_a_worker_starts_without_the_models(repo: Path) -> None:
    run(LIGHT, repo)


def test_that_the_client_side_never_imports_native_code(repo: Path) -> None:
    run(NO_NATIVE, repo)


def test_that_every_method_has_a_handler() -> None:
    assert all(callable(getattr(PdfHandlers, name)) for name in METHODS)


RECOGNISE = """
import sys, psutil
from app.documents.worker import PdfHandlers
PdfHandlers().recognise({"path": sys.argv[1]}, (), None)
print([f.path for f in psutil.Process().open_files() if f.path.endswith(".pdf")])
"""


def test_that_a_recognised_file_is_let_go_so_that_it_can_be_moved(repo: Path) -> None:
    paper = repo / "resources" / "welcome" / "welcome.pdf"
    done = subprocess.run(
        [sys.executable, "-c", RECOGNISE, str(paper)], cwd=repo, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"
