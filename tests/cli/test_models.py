"""`astroresearch models`, from the command line to a model host on this machine."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from app.llm import weights
from app.llm.local.battery import CallProtocol, CallTrial, Measured
from app.llm.local.battery_rules import decided
from app.llm.local.gguf import read_gguf
from app.services import model_catalogue
from app.services.model_catalogue import parsed
from app.services.passport import Passport, PassportService, key_of, passport_of
from app.services.stored_files import BUILT_IN_CHAT, BUILT_IN_EMBEDDING
from tests.fakes.file_server import Cut, FileServer, Status
from tests.fakes.gguf_files import gguf_file

Run = Callable[..., Any]

DATA = gguf_file(name="Small", size_label="1.7B")
PATH = "/acme/small/resolve/main/Small.gguf"
SHAPE = {"name", "kind", "path", "size", "context", "fits", "active"}


@pytest.fixture(autouse=True)
def small_catalogue(monkeypatch: pytest.MonkeyPatch) -> None:
    """One small model on one host, which the test's settings replace by its own server."""
    host = {"name": "huggingface", "label": "HF", "url": "https://host.invalid/{repo}/resolve/{revision}/{file}",
            "revision": "main"}  # fmt: skip
    entry = {
        "name": "small", "label": "Small 1.7B", "kind": "chat", "parameters": 1_700_000_000, "licence": "MIT",
        "licence_url": "https://example.org", "size": len(DATA), "sha256": hashlib.sha256(DATA).hexdigest(),
        "kv_bytes": 1000, "context_tokens": 8192, "languages": ["en"], "calls_tools": True,
        "good_for": {"en": "Tests."}, "places": {"huggingface": {"repo": "acme/small", "file": "Small.gguf"}},
    }  # fmt: skip
    listed = parsed({"hosts": [host], "models": [entry]})
    monkeypatch.setattr("app.services.model_store.builtin_catalogue", lambda: listed)
    assert model_catalogue.builtin_catalogue().models


@pytest.fixture
def mirror(monkeypatch: pytest.MonkeyPatch) -> Callable[[FileServer], None]:
    def choose(server: FileServer) -> None:
        monkeypatch.setenv("ASTRORESEARCH_LLM__MODEL_HOSTS", json.dumps([server.url]))

    return choose


def test_that_models_are_listed_in_the_agreed_shape(run: Run) -> None:
    listed = run("models", "list", "--json")
    assert listed.code == 0
    models = {model["name"]: model for model in listed.document["models"]}
    assert set(models) == {BUILT_IN_CHAT, BUILT_IN_EMBEDDING}
    assert all(set(model) >= SHAPE for model in models.values())
    assert models[BUILT_IN_CHAT]["active"]
    assert (models[BUILT_IN_CHAT]["kind"], models[BUILT_IN_EMBEDDING]["kind"]) == ("chat", "embedding")
    assert [(offer["name"], offer["path"]) for offer in listed.document["catalogue"]] == [("small", None)]
    plain = run("models", "list")
    assert "small" in plain.out
    assert "MIT" in plain.out


def test_that_a_model_is_pulled_used_checked_and_deleted(
    run: Run, home: Path, mirror: Callable[[FileServer], None]
) -> None:
    with FileServer({PATH: DATA}, [Cut(900)]) as server:
        mirror(server)
        (pulled,) = run("models", "pull", "small", "--json").document["models"]
    assert (pulled["name"], pulled["active"], pulled["size"]) == ("small", False, len(DATA))
    assert Path(pulled["path"]).read_bytes() == DATA
    (used,) = run("models", "use", "small", "--json").document["models"]
    assert used["active"]
    assert "model_path" in (home / "settings.toml").read_text()
    checked = run("models", "check", "--json")
    assert (checked.code, {model["ok"] for model in checked.document["models"]}) == (0, {True})
    gone = run("models", "delete", "small", "--json").document
    assert gone == {"deleted": "small", "freed": len(DATA), "now_active": BUILT_IN_CHAT}
    assert not Path(pulled["path"]).exists()


def test_that_a_pull_goes_on_in_the_next_run(run: Run, mirror: Callable[[FileServer], None]) -> None:
    with FileServer({PATH: DATA}, [Cut(900), Status(404)]) as server:
        mirror(server)
        failed = run("models", "pull", "small", "--json")
        assert (failed.code, failed.document["error"]["code"]) == (1, "download_refused")
        assert run("models", "list", "--json").document["catalogue"][0]["downloaded"] == 900
        assert run("models", "pull", "small").code == 0
        assert server.asked[-1] == (PATH, "bytes=900-")


def test_that_a_file_is_added_and_a_bad_one_refused(run: Run, tmp_path: Path) -> None:
    good, bad = tmp_path / "Good.gguf", tmp_path / "bad.gguf"
    good.write_bytes(DATA)
    bad.write_bytes(DATA[:-9])
    (added,) = run("models", "add", str(good), "--json").document["models"]
    assert (added["name"], added["origin"]) == ("Good", "store")
    refused = run("models", "add", str(bad), "--json")
    assert (refused.code, refused.document["error"]["code"]) == (1, "model_damaged")
    assert "cut off" in refused.document["error"]["message"]
    spaced = tmp_path / "Two words.gguf"
    spaced.write_bytes(gguf_file(name="Other", layers=5))
    assert 'models use "Two words"`' in run("models", "add", str(spaced)).err


def test_that_a_damaged_model_fails_the_check(run: Run, home: Path) -> None:
    (home / "models").mkdir(parents=True)
    (home / "models" / "bad.gguf").write_bytes(DATA[:-9])
    checked = run("models", "check", "--json")
    assert checked.code == 1
    assert {m["name"]: m["ok"] for m in checked.document["models"]} == {
        BUILT_IN_CHAT: True,
        BUILT_IN_EMBEDDING: True,
        "bad": False,
    }
    assert "WRONG" in run("models", "check", "bad").out


@pytest.mark.parametrize(
    ("arguments", "code", "error"),
    [
        (("use", "nothing"), 1, "not_found"),
        (("use", "small"), 1, "not_found"),
        (("pull", "nothing"), 1, "not_found"),
        (("delete", BUILT_IN_CHAT), 2, "usage"),
        (("pull", "https://example.org/page.html"), 2, "usage"),
        (("add", "/no/such/file.gguf"), 1, "not_found"),
        (("add", "/"), 1, "not_found"),
        (("passport", BUILT_IN_EMBEDDING), 2, "usage"),
    ],
)
def test_that_a_wrong_name_is_one_clear_error(
    run: Run, arguments: tuple[str, ...], code: int, error: str
) -> None:
    asked = run("models", *arguments, "--json")
    assert (asked.code, asked.document["error"]["code"]) == (code, error)
    assert asked.document["error"]["hint"]


def test_that_nothing_is_pulled_offline(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASTRORESEARCH_OFFLINE", "true")
    asked = run("models", "pull", "small", "--json")
    assert (asked.code, asked.document["error"]["code"]) == (1, "offline")


def test_that_a_passport_is_shown_without_testing_again(
    run: Run, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = weights.chat_gguf()
    assert path is not None
    found = Measured(
        prefill_per_s=200.0, decode_per_s=20.0, trials=[CallTrial(CallProtocol.GENERIC, "generic", 4, 4, 3)]
    )
    rules = decided(found, parameters=135_000_000, context_tokens=8192)
    made = passport_of(read_gguf(path), key_of(path), found, rules, seconds=60.0, loaded=8192)

    async def make(self: PassportService, path: Path, _tell: object) -> Passport:
        self._keep(made)
        return made

    monkeypatch.setattr(PassportService, "make", make)
    first = run("models", "passport", "--json")
    assert (first.code, first.document["passport"]["tool_limit"]) == (0, 6)
    monkeypatch.undo()
    monkeypatch.setenv("ASTRORESEARCH_HOME", str(home))
    shown = run("models", "passport", BUILT_IN_CHAT)
    assert "generic calls, 6 tools at most" in shown.out
    monkeypatch.setenv("ASTRORESEARCH_LLM__PROVIDER", "openai")
    assert run("models", "passport").code == 2
