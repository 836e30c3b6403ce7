"""Every string of the window is translated, and none is built where the translator cannot see it."""

from __future__ import annotations

import ast
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QApplication

from app.ui import i18n

PLACES = re.compile(r"%n|%\d|\{\w+\}")


def sources(repo: Path) -> Iterator[tuple[str, ast.Call]]:
    for path in sorted((repo / "app" / "ui").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if not isinstance(node, ast.Call):
                continue
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            owner = getattr(getattr(node.func, "value", None), "id", "")
            if name == "tr" or (name == "translate" and owner in ("", "QCoreApplication")):
                yield f"{path.relative_to(repo)}:{node.lineno}", node


def messages(repo: Path, locale: str) -> list[ET.Element]:
    path = repo / "resources" / "translations" / f"astroresearch_{locale}.ts"
    return list(ET.parse(path).getroot().iter("message"))


def test_that_every_translated_string_is_a_literal(repo: Path) -> None:
    bad = []
    for where, call in sources(repo):
        wanted = call.args[0 if getattr(call.func, "attr", "") == "tr" else 1]
        if not (isinstance(wanted, ast.Constant) and isinstance(wanted.value, str)):
            bad.append(where)
    assert bad == []


def test_that_the_chinese_translation_is_whole(repo: Path) -> None:
    known = {message.findtext("source") for message in messages(repo, "zh_CN")}
    used = {
        node.value
        for _, call in sources(repo)
        for node in call.args
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value
    }
    assert used - known == set()
    unfinished = [
        message.findtext("source")
        for message in messages(repo, "zh_CN")
        if message.find("translation") is None or message.find("translation").get("type")  # type: ignore[union-attr]
    ]
    assert unfinished == []


def test_that_a_string_translated_in_a_context_is_known_in_that_context(repo: Path) -> None:
    path = repo / "resources" / "translations" / "astroresearch_zh_CN.ts"
    known = {
        (context.findtext("name"), message.findtext("source"))
        for context in ET.parse(path).getroot().iter("context")
        for message in context.iter("message")
    }
    used = {
        tuple(arg.value for arg in call.args[:2] if isinstance(arg, ast.Constant))
        for _, call in sources(repo)
        if getattr(call.func, "attr", "") != "tr"
    }
    assert used - known == set()


@pytest.mark.parametrize("locale", ["zh_CN", "en"])
def test_that_translations_keep_the_places_of_values(repo: Path, locale: str) -> None:
    for message in messages(repo, locale):
        source = message.findtext("source") or ""
        translation = message.find("translation")
        assert translation is not None
        forms = [form.text or "" for form in translation.iter("numerusform")] or [translation.text or ""]
        for form in forms:
            assert set(PLACES.findall(form)) == set(PLACES.findall(source)), source


def test_that_the_compiled_translations_are_those_of_the_sources(qapp: QApplication, repo: Path) -> None:
    try:
        assert i18n.speak(qapp, "zh") == "zh_CN"
        assert QCoreApplication.translate("LibraryPane", "Library") == "文献库"
        assert QCoreApplication.translate("StatusBar", "%n file(s) imported", "", 3) == "已导入 3 个文件"
        i18n.speak(qapp, "en")
        assert QCoreApplication.translate("StatusBar", "%n file(s) imported", "", 1) == "1 file imported"
        assert QCoreApplication.translate("StatusBar", "%n file(s) imported", "", 2) == "2 files imported"
    finally:
        i18n.speak(qapp, "en")
