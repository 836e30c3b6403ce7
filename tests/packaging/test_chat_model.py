from __future__ import annotations

from pathlib import Path

import pytest
from provision import chat_model
from provision.chat_model import Build
from provision.compiler import target


def test_that_the_cache_key_tells_versions_flags_and_compilers_apart() -> None:
    keys = {
        chat_model.cache_key("1.0", Build(("-DGGML_NATIVE=OFF",))),
        chat_model.cache_key("1.1", Build(("-DGGML_NATIVE=OFF",))),
        chat_model.cache_key("1.0", Build(("-DGGML_NATIVE=OFF", "-DGGML_AVX=OFF"))),
        chat_model.cache_key("1.0", Build(("-DGGML_NATIVE=OFF",), with_zig=True)),
    }
    assert len(keys) == 4
    assert not [key for key in keys if set(key) & set("/\\=:* ")]


def test_that_the_persons_cmake_flags_are_kept_and_the_build_stays_portable(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("CMAKE_ARGS", "-DGGML_CUDA=ON")
    for build in chat_model._builds().values():
        assert "-DGGML_NATIVE=OFF" in build.flags
        assert "-DGGML_CUDA=ON" in build.flags


def test_that_the_cache_can_be_moved(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ASTRORESEARCH_BUILD_CACHE", str(tmp_path / "wheels"))
    assert chat_model.cache_root() == tmp_path / "wheels"


def test_that_a_cached_wheel_needs_no_compiler(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ASTRORESEARCH_BUILD_CACHE", str(tmp_path))
    assert not chat_model.is_at_hand("1.0", tmp_path / ".venv")
    folder = tmp_path / chat_model.cache_key("1.0", chat_model._builds()["normal"])
    folder.mkdir()
    (folder / "llama_cpp_python-1.0-py3-none-any.whl").touch()
    assert chat_model.is_at_hand("1.0", tmp_path / ".venv")


def test_that_an_installed_model_needs_no_compiler(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ASTRORESEARCH_BUILD_CACHE", str(tmp_path / "empty"))
    (tmp_path / ".venv/lib/python3/site-packages/llama_cpp_python-1.0.dist-info").mkdir(parents=True)
    assert chat_model.is_at_hand("1.0", tmp_path / ".venv")
    assert not chat_model.is_at_hand("1.1", tmp_path / ".venv")


def test_that_zig_compiles_for_any_processor_of_the_family() -> None:
    assert target("linux", "x86_64") == "x86_64-linux-gnu.2.31"
    assert target("darwin", "arm64") == "aarch64-macos"
    assert target("win32", "AMD64") == "x86_64-windows-gnu"
