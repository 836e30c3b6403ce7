"""Downloads of large files over real HTTP: resumed, checked, cancelled, from hosts that misbehave."""

from __future__ import annotations

import asyncio
import hashlib
import json
import random
import shutil
import threading
from pathlib import Path
from typing import NamedTuple

import pytest

from app.sources.client import Patience, new_client
from app.sources.downloads import Downloaded, Wanted, download
from app.sources.transfer import (
    DiskFullError,
    DownloadDamagedError,
    DownloadError,
    DownloadNetworkError,
    DownloadRefusedError,
    TransferProgress,
    TransferState,
)
from tests.fakes.file_server import (
    Behaviour,
    Cut,
    FileServer,
    Hold,
    NoRange,
    Other,
    Redirect,
    Status,
    Unsized,
    WrongPiece,
)

DATA = random.Random(4).randbytes(3_000_000)
SHA = hashlib.sha256(DATA).hexdigest()
NOW = Patience(connect_s=5, silence_s=5, tries=3, first_wait_s=0.0)
FILE = "/m/model.gguf"


async def fetched(
    server: FileServer,
    path: Path,
    *,
    sha256: str = SHA,
    size: int | None = len(DATA),
    seen: list[TransferProgress] | None = None,
    patience: Patience = NOW,
    also: tuple[str, ...] = (),
) -> Downloaded:
    wanted = Wanted(name="m", urls=(server.url + FILE, *also), path=path, sha256=sha256, size=size)
    return await download(wanted, (seen if seen is not None else []).append, patience=patience)


async def test_that_a_file_comes_whole_with_progress_and_nothing_else_is_left(tmp_path: Path) -> None:
    seen: list[TransferProgress] = []
    with FileServer({FILE: DATA}) as server:
        done = await fetched(server, tmp_path / "store" / "model.gguf", seen=seen)
    assert done.path.read_bytes() == DATA
    assert (done.size, done.sha256, done.checked) == (len(DATA), SHA, True)
    assert [path.name for path in done.path.parent.iterdir()] == ["model.gguf"]
    assert (seen[0].state, seen[-1].state, seen[-1].share) == (
        TransferState.CONNECTING,
        TransferState.DONE,
        1.0,
    )
    assert [item.done for item in seen if item.state is TransferState.RUNNING] == sorted(
        item.done for item in seen if item.state is TransferState.RUNNING
    )


@pytest.mark.parametrize(
    "script",
    [
        [Cut(1_000_000), Cut(500_000), Cut(1)],
        [Status(503), Status(429, {"Retry-After": "0"}), Cut(10)],
        [Cut(1_500_000), NoRange()],
        [Cut(1_500_000), WrongPiece()],
        [Cut(0), Cut(0)],
        [Cut(2_000_000), Status(502), Cut(200_000), Status(500)],
    ],
    ids=["cut", "busy", "no-range", "wrong-piece", "at-once", "mixed"],
)
async def test_that_a_connection_that_breaks_costs_only_time(tmp_path: Path, script: list[Behaviour]) -> None:
    with FileServer({FILE: DATA}, script) as server:
        done = await fetched(server, tmp_path / "model.gguf")
        assert len(server.asked) >= len(script)
    assert done.path.read_bytes() == DATA


async def test_that_a_resumed_download_asks_only_for_the_rest(tmp_path: Path) -> None:
    with FileServer({FILE: DATA}, [Cut(2_000_000)] + [Status(503)] * 3) as server:
        with pytest.raises(DownloadNetworkError):
            await fetched(server, tmp_path / "model.gguf")
        assert not (tmp_path / "model.gguf").exists()
        have = (tmp_path / "model.gguf.part").stat().st_size
        done = await fetched(server, tmp_path / "model.gguf")
        assert have > 0
        assert server.asked[-1] == (FILE, f"bytes={have}-")
    assert done.path.read_bytes() == DATA


async def test_that_a_cancel_stops_at_once_and_keeps_the_part(tmp_path: Path) -> None:
    hold = Hold(2_000_000, threading.Event())
    with FileServer({FILE: DATA}, [hold]) as server:
        task = asyncio.ensure_future(fetched(server, tmp_path / "model.gguf"))
        await asyncio.to_thread(hold.reached.wait, 20)
        part = tmp_path / "model.gguf.part"
        async with asyncio.timeout(20):
            while not part.exists() or part.stat().st_size < 1_000_000:  # noqa: ASYNC110  a file has no event
                await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asyncio.wait_for(task, 20)
        hold.go_on.set()
        have = (tmp_path / "model.gguf.part").stat().st_size
        done = await fetched(server, tmp_path / "model.gguf")
        assert server.asked[-1] == (FILE, f"bytes={have}-")
    assert done.path.read_bytes() == DATA


async def test_that_a_silent_host_is_left_and_asked_again(tmp_path: Path) -> None:
    hold = Hold(1_200_000, threading.Event())
    with FileServer({FILE: DATA}, [hold]) as server:
        done = await fetched(
            server, tmp_path / "model.gguf", patience=Patience(silence_s=0.3, first_wait_s=0)
        )
        hold.go_on.set()
        assert server.asked[1][1].startswith("bytes=")
    assert done.path.read_bytes() == DATA


async def test_that_a_changed_file_is_refused_and_deleted(tmp_path: Path) -> None:
    other = bytes(len(DATA))
    with FileServer({FILE: DATA}, [Other(other)]) as server, pytest.raises(DownloadDamagedError) as caught:
        await fetched(server, tmp_path / "model.gguf")
    assert "checksum" in caught.value.message
    assert list(tmp_path.iterdir()) == []


async def test_that_a_part_of_another_file_is_thrown_away_once_and_all_is_well(tmp_path: Path) -> None:
    (tmp_path / "model.gguf.part").write_bytes(bytes(1_000_000))
    with FileServer({FILE: DATA}) as server:
        done = await fetched(server, tmp_path / "model.gguf")
        assert [asked for _path, asked in server.asked] == ["bytes=1000000-", ""]
    assert done.path.read_bytes() == DATA


async def test_that_a_file_of_the_wrong_length_is_refused_before_it_is_downloaded(tmp_path: Path) -> None:
    with FileServer({FILE: DATA}) as server, pytest.raises(DownloadDamagedError) as caught:
        await fetched(server, tmp_path / "model.gguf", size=len(DATA) + 1)
    assert str(len(DATA)) in caught.value.message


async def test_that_the_next_host_gives_what_the_first_one_lacks_and_goes_on_with_the_part(
    tmp_path: Path,
) -> None:
    good = FileServer({FILE: DATA})
    with FileServer({FILE: DATA}, [Cut(2_000_000), Status(404)]) as bad, good:
        done = await fetched(bad, tmp_path / "model.gguf", also=(good.url + FILE,))
        assert good.asked[0][1].startswith("bytes=")
        assert done.url.startswith(good.url)
    assert done.path.read_bytes() == DATA


async def test_that_a_host_with_another_file_does_not_cost_the_part_of_the_first(tmp_path: Path) -> None:
    other = FileServer({FILE: DATA + b"more"})
    with FileServer({FILE: DATA}, [Cut(2_000_000), Status(404)]) as first, other:
        with pytest.raises(DownloadDamagedError):
            await fetched(first, tmp_path / "model.gguf", also=(other.url + FILE,))
        have = (tmp_path / "model.gguf.part").stat().st_size
        done = await fetched(first, tmp_path / "model.gguf")
        assert first.asked[-1] == (FILE, f"bytes={have}-")
    assert done.path.read_bytes() == DATA


@pytest.mark.parametrize(
    ("answer", "kind", "word"),
    [
        (Status(404), DownloadRefusedError, "404"),
        (Status(401), DownloadRefusedError, "terms"),
        (Status(403), DownloadRefusedError, "terms"),
        (Status(451), DownloadRefusedError, "451"),
        (Status(200, body=b"<html>log in</html>", kind="text/html"), DownloadRefusedError, "web page"),
        (Status(503), DownloadNetworkError, "503"),
    ],
)
async def test_that_a_refusal_is_a_typed_error_that_names_the_way_out(
    tmp_path: Path, answer: Status, kind: type[DownloadError], word: str
) -> None:
    with FileServer({FILE: DATA}, [answer] * 9) as server, pytest.raises(kind) as caught:
        await fetched(server, tmp_path / "model.gguf")
    assert word in caught.value.message
    assert caught.value.hint
    assert not (tmp_path / "model.gguf").exists()


async def test_that_nobody_there_is_a_network_error(tmp_path: Path) -> None:
    with FileServer({}) as server:
        gone = server.url
    wanted = Wanted(name="m", urls=(gone + FILE,), path=tmp_path / "model.gguf")
    with pytest.raises(DownloadNetworkError) as caught:
        await download(wanted, patience=NOW)
    assert "model_hosts" in caught.value.hint


async def test_that_a_full_disk_is_said_before_the_first_byte(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = shutil.disk_usage(tmp_path)
    monkeypatch.setattr(shutil, "disk_usage", lambda _path: usage._replace(free=1_000_000))
    with FileServer({FILE: DATA}) as server, pytest.raises(DiskFullError) as caught:
        await fetched(server, tmp_path / "model.gguf")
    assert "3.0 MB" in caught.value.message
    assert not (tmp_path / "model.gguf.part").exists()


async def test_that_the_checksum_a_host_tells_on_the_way_counts_where_none_is_known(tmp_path: Path) -> None:
    files = {FILE: DATA, "/cdn/blob": DATA}
    script: list[Behaviour] = [Redirect("/cdn/blob"), Other(bytes(len(DATA)))]
    with FileServer(files, script) as server, pytest.raises(DownloadDamagedError):
        await fetched(server, tmp_path / "model.gguf", sha256="", size=None)
    with FileServer(files, [Redirect("/cdn/blob")]) as server:
        done = await fetched(server, tmp_path / "model.gguf", sha256="", size=None)
    assert (done.checked, done.sha256) == (True, SHA)


async def test_that_a_file_without_length_and_checksum_is_taken_and_said_to_be_unchecked(
    tmp_path: Path,
) -> None:
    with FileServer({FILE: DATA}, [Unsized()]) as server:
        done = await fetched(server, tmp_path / "model.gguf", sha256="", size=None)
    assert done.path.read_bytes() == DATA
    assert not done.checked


async def test_that_a_part_without_any_checksum_is_appended_to_only_when_the_version_is_the_same(
    tmp_path: Path,
) -> None:
    changed = DATA[::-1]
    server = FileServer({FILE: DATA}, [Cut(2_000_000), Status(404)])
    with server:
        with pytest.raises(DownloadRefusedError):
            await fetched(server, tmp_path / "model.gguf", sha256="", size=None)
        server.files = {FILE: changed}
        done = await fetched(server, tmp_path / "model.gguf", sha256="", size=None)
    assert done.path.read_bytes() == changed


async def test_that_a_part_that_was_whole_already_only_gets_its_name(tmp_path: Path) -> None:
    (tmp_path / "model.gguf.part").write_bytes(DATA)
    note = {"url": "x", "etag": "", "sha256": "", "total": len(DATA)}
    (tmp_path / "model.gguf.part.json").write_text(json.dumps(note))
    with FileServer({FILE: DATA}) as server:
        done = await fetched(server, tmp_path / "model.gguf")
        assert server.asked == [(FILE, f"bytes={len(DATA)}-")]
    assert done.path.read_bytes() == DATA


async def test_that_an_unreadable_file_of_certificates_is_a_typed_error(tmp_path: Path) -> None:
    (tmp_path / "ca.pem").write_text("no certificate")
    with pytest.raises(DownloadError) as caught:
        new_client(NOW, ca_file=tmp_path / "ca.pem")
    assert "ca_file" in caught.value.hint


class Seen(NamedTuple):
    """A place in a download that was broken off, and what came of it."""

    at: int
    whole: bool


async def test_that_wherever_it_breaks_the_whole_file_comes_in_the_end(tmp_path: Path) -> None:
    small = DATA[:20_000]
    sha = hashlib.sha256(small).hexdigest()
    results = []
    for number, at in enumerate(range(0, len(small), 1_777)):
        path = tmp_path / f"{number}.gguf"
        with FileServer({FILE: small}, [Cut(at)]) as server:
            done = await fetched(server, path, sha256=sha, size=len(small))
        results.append(Seen(at, done.path.read_bytes() == small))
    assert all(seen.whole for seen in results), results


def behaviours(chance: random.Random, data: bytes) -> list[Behaviour]:
    """Return some misbehaviours in a row, as bad as hosts and proxies can be together."""
    kinds: list[Behaviour] = [
        Cut(chance.randrange(len(data))),
        Cut(0),
        NoRange(),
        WrongPiece(),
        Other(chance.randbytes(len(data))),
        Other(data[: chance.randrange(1, len(data))]),
        Status(503),
        Status(429, {"Retry-After": "0"}),
        Status(416),
        Status(404),
        Status(200, body=b"<html></html>", kind="text/html"),
        Unsized(),
    ]
    return chance.choices(kinds, k=chance.randrange(1, 7))


@pytest.mark.parametrize("known", [True, False], ids=["checksum", "length"])
async def test_that_whatever_hosts_do_no_wrong_file_gets_the_name(tmp_path: Path, known: bool) -> None:
    small = DATA[:30_000]
    wrong: list[int] = []
    came = 0
    for seed in range(30):
        chance = random.Random(seed)
        path = tmp_path / f"{seed}.gguf"
        with FileServer({FILE: small}, behaviours(chance, small)) as server:
            for _ in range(3):
                try:
                    await fetched(
                        server,
                        path,
                        sha256=hashlib.sha256(small).hexdigest() if known else "",
                        size=len(small),
                    )
                except DownloadError:
                    continue
                came += 1
                break
        # without a checksum a host that lies about a file of the right length cannot be found out
        if path.exists() and (path.read_bytes() != small if known else path.stat().st_size != len(small)):
            wrong.append(seed)
    assert wrong == []
    assert came > 20
