"""The model store: what is here, what can be had, and taking it, over real HTTP from a server of the test."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from app.errors import ModelError, NotFoundError, SettingsError, UsageError
from app.llm.embeddings import LocalEmbedder
from app.llm.local import fit
from app.services.home_lock import HomeLock
from app.services.model_catalogue import Catalogue, builtin_catalogue, parsed
from app.services.model_store import ModelStore
from app.services.stored_files import BUILT_IN_CHAT, BUILT_IN_EMBEDDING
from app.services.stored_models import ModelKind, Origin, SizeClass, StoredModel
from app.settings import Settings, save
from app.sources.transfer import DownloadDamagedError, DownloadRefusedError, TransferProgress
from tests.fakes.file_server import Cut, FileServer, Hold, Redirect, Status
from tests.fakes.gguf_files import gguf_file

DATA = gguf_file(name="Small", size_label="1.7B", extra={"general.license": "apache-2.0"})
PATH = "/acme/small-gguf/resolve/v1/Small-Q8_0.gguf"


def entry(data: bytes = DATA, **changes: Any) -> dict[str, Any]:
    return {
        "name": "small",
        "label": "Small 1.7B",
        "kind": "chat",
        "parameters": 1_700_000_000,
        "licence": "Apache-2.0",
        "licence_url": "https://example.org",
        "size": len(data),
        "sha256": hashlib.sha256(data).hexdigest(),
        "kv_bytes": 1000,
        "context_tokens": 8192,
        "languages": ["en"],
        "calls_tools": True,
        "good_for": {"en": "Tests.", "zh": "测试。"},
        "places": {"acme": {"repo": "acme/small-gguf", "file": "Small-Q8_0.gguf", "revision": "v1"}},
        **changes,
    }


def catalogue(url: str, *entries: Mapping[str, Any]) -> Catalogue:
    host = {
        "name": "acme",
        "label": "Acme",
        "url": url + "/{repo}/resolve/{revision}/{file}",
        "revision": "main",
    }
    return parsed({"hosts": [host], "models": [*entries] or [entry()]})


class World:
    """A home with settings that are saved as the application does it."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.overrides: dict[str, Any] = {}

    @property
    def settings(self) -> Settings:
        return Settings.load(self.home, **self.overrides)

    def store(self, listed: Catalogue | None = None) -> ModelStore:
        async def keep(changes: Mapping[str, Any]) -> None:
            save(self.home, changes)

        return ModelStore(self.home, lambda: self.settings, keep, listed or catalogue("http://127.0.0.1:9"))


@pytest.fixture
def world(tmp_path: Path) -> World:
    home = tmp_path / "home"
    home.mkdir()
    return World(home)


def named(models: tuple[StoredModel, ...], name: str) -> StoredModel:
    return next(model for model in models if model.name == name)


async def test_that_a_fresh_home_has_the_built_in_models_and_uses_them(world: World) -> None:
    models = await world.store().models()
    chat, embedding = named(models, BUILT_IN_CHAT), named(models, BUILT_IN_EMBEDDING)
    assert (chat.kind, chat.active, chat.origin) == (ModelKind.CHAT, True, Origin.BUILT_IN)
    assert chat.fit is not None
    assert chat.fit.fits
    assert (embedding.kind, embedding.active) == (ModelKind.EMBEDDING, True)
    assert chat.size_class is SizeClass.TINY


async def test_that_a_model_of_the_catalogue_is_pulled_chosen_and_deleted(world: World) -> None:
    seen: list[TransferProgress] = []
    with FileServer({PATH: DATA}) as server:
        store = world.store(catalogue(server.url))
        assert [offer.stored for offer in await store.offers()] == [None]
        model = await store.pull("small", seen.append)
        assert (model.name, model.label, model.licence) == ("small", "Small 1.7B", "Apache-2.0")
        assert (seen[-1].name, seen[-1].share) == ("small", 1.0)
        assert (await store.offers())[0].stored is not None
        assert (await store.pull("small")).path == model.path
        assert len(server.asked) == 1
    used = await store.use("small")
    assert used.active
    assert world.settings.llm.model_path == model.path
    assert not named(await store.models(), BUILT_IN_CHAT).active
    gone = await store.delete("small")
    assert (gone.name, gone.freed, gone.now_active) == ("small", len(DATA), BUILT_IN_CHAT)
    assert not model.path.exists()
    assert world.settings.llm.model_path is None


async def test_that_a_pull_that_was_stopped_goes_on_and_can_be_thrown_away(world: World) -> None:
    hold = Hold(len(DATA) // 2, threading.Event())
    with FileServer({PATH: DATA}, [hold]) as server:
        store = world.store(catalogue(server.url))
        task = asyncio.ensure_future(store.pull("small"))
        await asyncio.to_thread(hold.reached.wait, 20)
        assert "small" in store.pulling()
        with pytest.raises(UsageError):
            await store.pull("small")
        with pytest.raises(UsageError):
            await store.delete("small")
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        hold.go_on.set()
        assert store.pulling() == {}
        assert [model.origin for model in await store.models()] == [Origin.BUILT_IN] * 2
        (store._files.folder / "Small-Q8_0.gguf.part").write_bytes(DATA[:1000])
        assert (await store.offers())[0].partial == 1000
        assert (await store.delete("small")).freed == 1000
        assert (await store.offers())[0].partial == 0


async def test_that_another_process_is_not_interfered_with(world: World) -> None:
    with FileServer({PATH: DATA}) as server:
        store = world.store(catalogue(server.url))
        store._files.folder.mkdir()
        other = HomeLock(store._files.folder / ".Small-Q8_0.gguf.lock")
        assert other.acquire()
        with pytest.raises(UsageError):
            await store.pull("small")
        other.release()
        assert (await store.pull("small")).problem == ""


async def test_that_a_file_with_another_checksum_is_not_taken(world: World) -> None:
    with FileServer(
        {PATH: gguf_file(name="Smoll", size_label="1.7B", extra={"general.license": "apache-2.0"})}
    ) as server:
        store = world.store(catalogue(server.url))
        with pytest.raises(DownloadDamagedError):
            await store.pull("small")
    assert [model.origin for model in await store.models()] == [Origin.BUILT_IN] * 2


async def test_that_a_host_that_sends_a_truncated_model_is_found_out_without_a_checksum(world: World) -> None:
    with FileServer({PATH: DATA[:-100]}) as server:
        store = world.store(catalogue(server.url, entry(sha256="", size=len(DATA) - 100)))
        with pytest.raises(DownloadDamagedError) as caught:
            await store.pull("small")
    assert "cut off" in caught.value.message
    assert not (store._files.folder / "Small-Q8_0.gguf").exists()


async def test_that_the_newest_file_is_asked_for_where_the_pinned_one_is_gone(world: World) -> None:
    newest = PATH.replace("/v1/", "/main/")
    with FileServer({newest: DATA}) as server:
        assert (await world.store(catalogue(server.url)).pull("small")).problem == ""
        assert [path for path, _range in server.asked] == [PATH, newest]


async def test_that_a_damaged_file_gives_way_to_a_pull_and_another_one_does_not(world: World) -> None:
    path = world.home / "models" / "Small-Q8_0.gguf"
    path.parent.mkdir()
    path.write_bytes(DATA[:-20])
    with FileServer({PATH: DATA}) as server:
        store = world.store(catalogue(server.url))
        assert (await store.pull("small")).problem == ""
        other = gguf_file(name="Other", shapes=((64, 64),))
        path.write_bytes(other)
        with pytest.raises(UsageError):
            await store.pull("small")
    assert path.read_bytes() == other


async def test_that_a_mirror_of_the_settings_is_asked_and_nobody_else(world: World) -> None:
    world_path = PATH.replace("/v1/", "/main/")
    official = FileServer({PATH: DATA})
    with FileServer({}) as mirror, official:
        world.overrides = {"llm": {"model_hosts": [mirror.url]}}
        url = official.url + "/{repo}/resolve/{revision}/{file}"
        host = {"name": "huggingface", "label": "HF", "url": url, "revision": "main"}
        place = {"huggingface": entry()["places"]["acme"]}
        listed = parsed({"hosts": [host], "models": [entry(places=place)]})
        store = world.store(listed)
        with pytest.raises(DownloadRefusedError):
            await store.pull("small")
        assert [path for path, _range in mirror.asked] == [PATH, world_path]
        assert official.asked == []
        world.overrides = {"llm": {"model_hosts": [official.url + "/{repo}/resolve/v1/{file}"]}}
        assert (await store.pull("small")).name == "small"


async def test_that_any_gguf_is_pulled_by_repository_or_address(world: World) -> None:
    other = gguf_file(name="Other", size_label="7B")
    files = {"/who/repo/resolve/main/Other.gguf": other, "/x/Third.gguf": DATA}
    with FileServer(files, [Redirect("/x/Third.gguf", linked=False)]) as server:
        files["/go"] = b""
        store = world.store(catalogue(server.url))
        model = await store.pull(f"{server.url}/moved/Third.gguf?download=true")
        assert (model.name, model.problem) == ("Third", "")
        model = await store.pull("who/repo/Other.gguf")
        assert (model.name, model.size_class) == ("Other", SizeClass.MEDIUM)


@pytest.mark.parametrize(
    "name", ["nothing", "../../etc/passwd", "https://example.org/page.html", "a/b/../c.gguf", ""]
)
async def test_that_a_name_that_names_no_model_is_a_typed_error(world: World, name: str) -> None:
    with pytest.raises((NotFoundError, UsageError)) as caught:
        await world.store().pull(name)
    assert caught.value.hint


async def test_that_a_near_miss_is_named(world: World) -> None:
    with pytest.raises(NotFoundError) as caught:
        await world.store(builtin_catalogue()).find("qwen3-8")
    assert "qwen3-8b" in caught.value.hint


async def test_that_nothing_is_downloaded_offline_but_from_this_computer(world: World) -> None:
    world.overrides = {"offline": True}
    with pytest.raises(ModelError) as caught:
        await world.store(builtin_catalogue()).pull("qwen3-4b")
    assert caught.value.code == "offline"
    with FileServer({PATH: DATA}) as server:
        assert (await world.store(catalogue(server.url)).pull("small")).name == "small"


async def test_that_a_dropped_file_is_linked_once_and_outlives_a_delete(world: World, tmp_path: Path) -> None:
    mine = tmp_path / "My Model.gguf"
    mine.write_bytes(DATA)
    store = world.store()
    added = await store.add(mine)
    assert (added.origin, added.path.parent) == (Origin.STORE, world.home / "models")
    assert (await store.add(mine)).path == added.path
    copy = tmp_path / "copy.gguf"
    copy.write_bytes(DATA)
    assert (await store.add(copy)).path == added.path
    await store.delete(added.name)
    assert mine.read_bytes() == DATA


async def test_that_a_file_of_another_disk_is_copied_with_progress(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError("another disk")

    monkeypatch.setattr(os, "link", refuse)
    mine = tmp_path / "mine.gguf"
    mine.write_bytes(DATA)
    seen: list[TransferProgress] = []
    added = await world.store().add(mine, seen.append)
    assert added.path.read_bytes() == DATA
    assert seen[-1].share == 1.0
    assert [p.suffix for p in added.path.parent.iterdir() if not p.name.startswith(".")] == [".gguf"]


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("模型.gguf", "模型.gguf"),
        ("a b.GGUF", "a b.GGUF"),
        ("sha256-0af1", "sha256-0af1-1.5B.gguf"),
        ("Mine (2).gguf", "Mine-2-1.5B.gguf"),
        ("-.gguf", "Some-Model-1.5B.gguf"),
    ],
)
async def test_that_a_file_of_any_name_is_taken_under_one_that_is_safe(
    world: World, tmp_path: Path, name: str, kept: str
) -> None:
    path = tmp_path / name
    path.write_bytes(gguf_file(name="Some Model"))
    added = await world.store().add(path)
    assert added.path == world.home / "models" / kept
    assert added.path.read_bytes() == path.read_bytes()


@pytest.mark.parametrize(
    ("data", "word"),
    [
        (b"", "empty"),
        (b"<html>log in</html>", "not a GGUF"),
        (DATA[:200], "damaged"),
        (DATA[:-50], "cut off"),
        (gguf_file(extra={"split.count": 2}), "parts"),
        (gguf_file(extra={"general.type": "mmproj"}), "picture"),
    ],
)
async def test_that_a_file_that_is_no_usable_model_is_refused_with_its_reason(
    world: World, tmp_path: Path, data: bytes, word: str
) -> None:
    path = tmp_path / "bad.gguf"
    path.write_bytes(data)
    with pytest.raises(ModelError) as caught:
        await world.store().add(path)
    assert word in caught.value.message
    assert not (world.home / "models").exists()
    with pytest.raises(ModelError):
        await world.store().add(tmp_path / "nowhere.gguf")


async def test_that_a_damaged_file_in_the_store_is_listed_with_its_problem_and_cannot_be_used(
    world: World,
) -> None:
    (world.home / "models").mkdir()
    (world.home / "models" / "bad.gguf").write_bytes(DATA[:-50])
    store = world.store()
    bad = named(await store.models(), "bad")
    assert "cut off" in bad.problem
    with pytest.raises(ModelError):
        await store.use("bad")
    await store.delete("bad")
    assert [model.origin for model in await store.models()] == [Origin.BUILT_IN] * 2


async def test_that_the_settings_own_file_is_listed_and_not_ours_to_delete(
    world: World, tmp_path: Path
) -> None:
    mine = tmp_path / "mine.gguf"
    mine.write_bytes(DATA)
    world.overrides = {"llm": {"model_path": str(mine)}}
    store = world.store()
    model = named(await store.models(), "mine")
    assert (model.origin, model.active) == (Origin.OUTSIDE, True)
    with pytest.raises(UsageError):
        await store.delete("mine")
    with pytest.raises(UsageError):
        await store.delete(BUILT_IN_CHAT)
    mine.unlink()
    assert named(await store.models(), "mine").problem


async def test_that_a_choice_the_environment_overrides_is_said(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = tmp_path / "mine.gguf"
    mine.write_bytes(DATA)
    monkeypatch.setenv("ASTRORESEARCH_LLM__MODEL_PATH", str(mine))
    with pytest.raises(SettingsError) as caught:
        await world.store().use(BUILT_IN_CHAT)
    assert "ASTRORESEARCH_LLM__MODEL_PATH" in caught.value.hint


async def test_that_an_embedding_model_is_told_apart_and_chosen_as_one(world: World, tmp_path: Path) -> None:
    path = tmp_path / "bge.gguf"
    path.write_bytes(gguf_file(architecture="bert", template=""))
    store = world.store()
    added = await store.add(path)
    assert (added.kind, added.active) == (ModelKind.EMBEDDING, False)
    assert (await store.use(added.name)).active
    assert world.settings.llm.model_path is None
    assert not named(await store.models(), BUILT_IN_EMBEDDING).active
    assert (await store.delete(added.name)).now_active == BUILT_IN_EMBEDDING


async def test_that_what_does_not_fit_is_said_of_models_and_offers_and_refused(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "m.gguf"
    path.write_bytes(DATA)
    monkeypatch.setattr(fit, "free_memory", lambda: 100_000_000)
    store = world.store(builtin_catalogue())
    added = await store.add(path)
    assert added.fit is not None
    assert not added.fit.fits
    assert "memory" in added.fit.message
    assert not any(offer.fit.fits for offer in await store.offers())
    with pytest.raises(ModelError) as caught:
        await store.use(added.name)
    assert caught.value.code == "model_memory"


async def test_that_a_check_compares_the_whole_file_with_the_catalogue(world: World) -> None:
    with FileServer({PATH: DATA}) as server:
        store = world.store(catalogue(server.url))
        model = await store.pull("small")
        assert await store.check(model) == ""
        spoilt = bytearray(DATA)
        spoilt[-1] ^= 1
        model.path.write_bytes(spoilt)
        assert "checksum" in await store.check(await store.find("small"))


async def test_that_a_connection_that_breaks_is_resumed_within_a_pull(world: World) -> None:
    with FileServer({PATH: DATA}, [Cut(700), Status(500)]) as server:
        store = world.store(catalogue(server.url))
        assert (await store.pull("small")).problem == ""
        assert server.asked[2][1] == "bytes=700-"


def test_that_the_catalogue_of_the_program_is_whole_and_open() -> None:
    listed = builtin_catalogue()
    assert {host.name for host in listed.hosts} == {"huggingface", "modelscope"}
    names = [model.name for model in listed.models]
    assert len(set(names)) == len(names)
    assert {model.size_class for model in listed.models} == set(SizeClass)
    assert {model.kind for model in listed.models} == set(ModelKind)
    for model in listed.models:
        assert model.licence in {"Apache-2.0", "MIT"}
        assert len(model.sha256) == 64
        assert model.memory > model.size > 10**8
        assert set(model.good_for) == {"en", "zh"}
        urls = listed.addresses(model, ())
        assert urls
        assert all(url.startswith("https://") and url.endswith(".gguf") for url in urls)
        assert json.dumps(model.good_for)
    hosts = {url.split("/")[2] for model in listed.models for url in listed.addresses(model, ["modelscope"])}
    assert hosts == {"modelscope.cn"}
    mirrored = listed.addresses(listed.models[0], ["https://mirror.example/"])
    assert mirrored[0].startswith("https://mirror.example/Qwen/Qwen3-0.6B-GGUF/resolve/main/")


async def test_that_the_built_in_embedding_model_may_be_named_in_the_settings(world: World) -> None:
    world.overrides = {"embedding": {"model": LocalEmbedder.model_id}}
    models = await world.store().models()
    assert [model.name for model in models if model.active] == [BUILT_IN_CHAT, BUILT_IN_EMBEDDING]
    assert all(not model.problem for model in models)
