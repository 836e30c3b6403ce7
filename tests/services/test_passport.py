"""Passports: kept with the model file and the machine, made by a battery over the real worker."""

from __future__ import annotations

import asyncio
import json
import shutil
from pathlib import Path

import pytest

from app.errors import ModelError, UsageError
from app.llm import weights
from app.llm.local.battery import CallProtocol, CallTrial, Measured
from app.llm.local.battery_rules import decided
from app.llm.local.gguf import read_gguf
from app.services import passport as passports
from app.services.passport import Passport, PassportService, key_of, passport_of
from app.services.passport_words import findings
from app.settings import Settings
from tests.fakes.gguf_files import gguf_file


@pytest.fixture
def gguf(tmp_path: Path) -> Path:
    path = tmp_path / "Model-1.5B.gguf"
    path.write_bytes(gguf_file())
    return path


def measured() -> Measured:
    return Measured(
        prefill_per_s=30.0,
        decode_per_s=3.0,
        tokens_per_char_en=0.26,
        tokens_per_char_zh=1.6,
        reuse=0.3,
        trials=[CallTrial(CallProtocol.NATIVE, "hermes", 4, 3, 2, ("one call: no JSON",))],
        recall_tokens=0,
        recall_tried=1000,
        left_out=["memory"],
    )


def made(path: Path) -> Passport:
    rules = decided(measured(), parameters=1_500_000_000, context_tokens=8192)
    return passport_of(read_gguf(path), key_of(path), measured(), rules, seconds=61.2, loaded=8192)


def service(tmp_path: Path) -> PassportService:
    return PassportService(tmp_path / "home", Settings.defaults)


async def test_that_a_passport_is_kept_for_the_file_wherever_it_is_moved(tmp_path: Path, gguf: Path) -> None:
    kept = service(tmp_path)
    assert kept.kept(gguf) is None
    kept._keep(made(gguf))
    before = kept.kept(gguf)
    moved = gguf.rename(tmp_path / "renamed.gguf")
    assert kept.kept(moved) == before is not None
    await kept.forget(moved)
    assert kept.kept(moved) is None


def test_that_another_file_or_machine_needs_another_passport(
    tmp_path: Path, gguf: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = service(tmp_path)
    kept._keep(made(gguf))
    monkeypatch.setattr(passports, "machine", lambda: "another computer")
    assert kept.kept(gguf) is None
    monkeypatch.undo()
    assert kept.kept(gguf) is not None
    gguf.write_bytes(gguf_file(name="Another"))
    assert kept.kept(gguf) is None


@pytest.mark.parametrize("spoilt", ["", "{", "[]", '{"version": 0}', '{"version": 1}', "null"])
def test_that_a_spoilt_passport_is_none(tmp_path: Path, gguf: Path, spoilt: str) -> None:
    kept = service(tmp_path)
    kept._keep(made(gguf))
    (file,) = (tmp_path / "home" / "passports").iterdir()
    file.write_text(spoilt)
    assert kept.kept(gguf) is None


def test_that_a_passport_comes_back_from_its_json_as_it_was(gguf: Path) -> None:
    passport = made(gguf)
    assert Passport.from_json(json.loads(json.dumps(passport.as_json()))) == passport
    assert (passport.protocol, passport.family, passport.calls_valid) == (CallProtocol.NATIVE, "hermes", 3)


def test_that_every_weakness_is_said_in_a_sentence(gguf: Path) -> None:
    rules = decided(measured(), parameters=1_500_000_000, context_tokens=8192, busy=False)
    said = {finding.name: finding for finding in findings(measured(), rules, 8192)}
    weak = {"reading", "writing", "calls native", "Chinese", "reuse", "memory", "context", "left out"}
    assert {name for name, finding in said.items() if not finding.ok} == weak
    assert all(finding.message.endswith((".", "JSON")) for finding in said.values())
    small = findings(measured(), rules, 8192, tiny=True)
    assert {finding.name for finding in small} == {*said, "tiny"}
    busy = decided(measured(), parameters=1_500_000_000, context_tokens=8192, busy=True)
    assert "busy" in {finding.name for finding in findings(measured(), busy, 8192)}


async def test_that_a_file_that_cannot_chat_gets_no_passport(tmp_path: Path, gguf: Path) -> None:
    embedding = tmp_path / "bge.gguf"
    embedding.write_bytes(gguf_file(architecture="bert"))
    with pytest.raises(ModelError):
        await service(tmp_path).make(embedding)
    with pytest.raises(ModelError):
        await service(tmp_path).make(tmp_path / "nowhere.gguf")
    with pytest.raises(ModelError):
        await service(tmp_path).make(gguf)
    assert service(tmp_path).kept(gguf) is None


@pytest.mark.slow
async def test_that_the_default_model_gets_its_passport_from_the_real_battery(tmp_path: Path) -> None:
    default = weights.chat_gguf()
    assert default is not None
    path = Path(shutil.copy(default, tmp_path / "SmolLM2-135M.gguf"))
    seen: list[str] = []
    passport = await service(tmp_path).make(path, lambda _share, what: seen.append(what))
    assert passport.protocol is not CallProtocol.NONE
    assert passport.calls_valid == passport.calls_asked > 0
    assert passport.tool_limit is not None
    assert 0 < passport.tool_limit <= 6
    assert passport.tokens_per_char_zh > passport.tokens_per_char_en > 0.1
    assert passport.reuse is not None
    assert passport.reuse > 0.9
    assert service(tmp_path).kept(path) == passport
    assert "Measuring speed" in seen


@pytest.mark.slow
async def test_that_a_battery_that_is_stopped_leaves_no_process_and_no_passport(tmp_path: Path) -> None:
    psutil = pytest.importorskip("psutil")
    path = weights.chat_gguf()
    assert path is not None
    measuring = asyncio.Event()
    kept = service(tmp_path)

    def tell(_share: float, what: str) -> None:
        if what == "Measuring speed":
            measuring.set()

    before = {child.pid for child in psutil.Process().children(recursive=True)}
    task = asyncio.ensure_future(kept.make(path, tell))
    async with asyncio.timeout(120):
        await measuring.wait()
    with pytest.raises(UsageError):
        await kept.make(path)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    after = {child.pid for child in psutil.Process().children(recursive=True)}
    assert after <= before
    assert kept.kept(path) is None
    assert kept._being_made == set()
