"""Downloads one large file: resumed where it ended, checked, from the first host that gives it.

A download is a task: cancelling it stops at once and keeps the part. Nothing is put under the final name
before its length and checksum are right.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ParamSpec, TypeVar
from urllib.parse import urlsplit

from app.sources.answers import TRY_AGAIN, range_start, refusal, retry_after, source_of, unencrypted, words
from app.sources.client import AS_USUAL, Patience, new_client
from app.sources.part_file import PartFile, Source
from app.sources.transfer import (
    DownloadDamagedError,
    DownloadError,
    DownloadNetworkError,
    DownloadRefusedError,
    OnTransfer,
    Pace,
    TransferState,
    ignore,
)

if TYPE_CHECKING:
    import httpx2

P = ParamSpec("P")
T = TypeVar("T")

_BLOCK = 2**20


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """A file to download. `urls` are tried in order; an empty `sha256` and `size` None are not known."""

    name: str
    urls: tuple[str, ...]
    path: Path
    sha256: str = ""
    size: int | None = None


@dataclass(frozen=True, slots=True)
class Downloaded:
    """A whole file. `checked` says whether a checksum vouches for it (the catalogue's or the host's)."""

    path: Path
    size: int
    sha256: str
    url: str
    checked: bool


class _BadPartError(DownloadDamagedError):
    """What lies on the disk is not the file: it has to go."""


class _AgainError(Exception):
    """This try broke off; another may not."""

    def __init__(self, why: str, after_s: float | None = None, *, weight: int = 1) -> None:
        super().__init__(why)
        self.after_s = after_s
        self.weight = weight
        """How many tries it counts for: a host that is not there is not waited for as long."""


async def download(
    wanted: Wanted,
    on_progress: OnTransfer = ignore,
    *,
    client: httpx2.AsyncClient | None = None,
    patience: Patience = AS_USUAL,
) -> Downloaded:
    """Download, going on from a part that is there. Raises the kinds of DownloadError."""
    run = _Run(wanted, Pace(wanted.name, on_progress, time.monotonic), patience)
    if client is not None:
        return await run.all_hosts(client)
    async with new_client(patience) as own:
        return await run.all_hosts(own)


class _Run:
    """One download."""

    def __init__(self, wanted: Wanted, pace: Pace, patience: Patience) -> None:
        self._wanted = wanted
        self._pace = pace
        self._patience = patience
        self._file = PartFile(wanted.path)

    async def all_hosts(self, client: httpx2.AsyncClient) -> Downloaded:
        """Try host after host; the error of the last one that answered is what is told."""
        if not self._wanted.urls:
            raise DownloadRefusedError(f"No host is known for {self._wanted.name}.")
        await _in_thread(self._file.look)
        failures: list[DownloadError] = []
        gone: set[str] = set()
        try:
            for url in self._wanted.urls:
                if (host := urlsplit(url).netloc) in gone:
                    continue
                try:
                    return await self._host(client, url)
                except (DownloadRefusedError, DownloadDamagedError) as error:
                    failures.append(error)
                except DownloadNetworkError as error:
                    failures.append(error)
                    gone.add(host)
        finally:
            await _in_thread(self._file.close)
        told = next((error for error in failures if isinstance(error, DownloadDamagedError)), failures[-1])
        others = [error.message for error in failures if error is not told]
        kind = DownloadDamagedError if isinstance(told, _BadPartError) else type(told)
        raise kind(" ".join(dict.fromkeys([told.message, *others]))) from told

    async def _host(self, client: httpx2.AsyncClient, url: str) -> Downloaded:
        """Ask one host until it gives the file, refuses it, or fails too often without giving anything."""
        host = urlsplit(url).hostname or url
        failed = 0
        restarted = False
        best = self._file.size
        while True:
            before, best = self._file.size, max(best, self._file.size)
            try:
                return await self._try(client, url, host)
            except _BadPartError:
                await _in_thread(self._file.discard)
                if before == 0 or restarted:
                    raise
                restarted = True  # the part may have been of another file: once more from the beginning
            except _AgainError as error:
                failed = 1 if self._file.size > best else failed + error.weight
                if failed >= self._patience.tries:
                    raise DownloadNetworkError(f"{host}: {error}") from error
                await self._wait(host, str(error), failed, error.after_s)

    async def _wait(self, host: str, why: str, failed: int, after_s: float | None) -> None:
        own = min(self._patience.first_wait_s * 2 ** (failed - 1), self._patience.longest_wait_s)
        seconds = own if after_s is None else min(max(after_s, 0.0), self._patience.longest_asked_s)
        message = f"{host}: {why} Trying again in {seconds:.0f} s."
        self._pace.became(TransferState.WAITING, self._file.size, self._total(), message)
        await asyncio.sleep(seconds)

    async def _try(self, client: httpx2.AsyncClient, url: str, host: str) -> Downloaded:
        import httpx2

        have = self._file.size if self._may_go_on(url) else 0
        self._pace.became(TransferState.CONNECTING, have, self._total(), host)
        try:
            async with client.stream("GET", url, headers=self._headers(have)) as response:
                source = self._answered(response, url, host, have)
                if response.status_code == 416:
                    if self._file.source.total != self._file.size:
                        await _in_thread(self._file.discard)
                        raise _AgainError("It no longer has the file that was begun.")
                else:
                    await self._receive(response, source, afresh=response.status_code != 206)
        except (httpx2.TransportError, httpx2.StreamError) as error:
            gone = isinstance(error, httpx2.ConnectError | httpx2.ConnectTimeout | httpx2.ProxyError)
            raise _AgainError(words(error), weight=2 if gone else 1) from error
        except (httpx2.InvalidURL, httpx2.TooManyRedirects, httpx2.DecodingError) as error:
            raise DownloadRefusedError(f"{host}: {error}") from error
        return await self._checked(url, host)

    def _may_go_on(self, url: str) -> bool:
        """Whether the part is, or will be proven to be, the beginning of the file at `url`."""
        if not self._file.size:
            return False
        source = self._file.source
        return bool(self._wanted.sha256 or (source.url == url and (source.etag or source.sha256)))

    def _headers(self, have: int) -> dict[str, str]:
        if not have:
            return {}
        headers = {"Range": f"bytes={have}-"}
        etag = self._file.source.etag
        if etag.startswith('"') and not self._wanted.sha256:
            headers["If-Range"] = etag
        return headers

    def _answered(self, response: httpx2.Response, url: str, host: str, have: int) -> Source:
        """Return what the answer is of; raises for all that is not (the rest of) the file."""
        status = response.status_code
        if status in TRY_AGAIN:
            raise _AgainError(f"It answered {status}.", retry_after(response.headers))
        if unencrypted(response):
            raise DownloadRefusedError(f"{host} sends us on to an address without encryption.")
        source = source_of(response, url)
        if status == 416:
            return source
        if status not in (200, 206):
            raise DownloadRefusedError(f"{host}: {refusal(status)}")
        if response.headers.get("content-type", "").startswith("text/html"):
            raise DownloadRefusedError(f"{host} sent a web page instead of the file.")
        if status == 206 and range_start(response.headers) != have:
            raise _AgainError("It sent another piece than the one asked for.")
        expected = self._wanted.size
        if expected is not None and source.total is not None and source.total != expected:
            raise DownloadDamagedError(
                f"{host} has another file: {source.total} bytes instead of {expected}."
            )
        if self._wanted.sha256 and source.sha256 and source.sha256 != self._wanted.sha256:
            raise DownloadDamagedError(f"{host} has another file under this name: its checksum differs.")
        return source

    async def _receive(self, response: httpx2.Response, source: Source, *, afresh: bool) -> None:
        await _in_thread(self._file.check_room, source.total, 0 if afresh else self._file.size)
        await _in_thread(self._file.begin, source, afresh=afresh)
        host = response.url.host
        async with aclosing(_blocks(response)) as blocks:
            async for block in blocks:
                await _in_thread(self._file.write, block)
                self._pace.moved(TransferState.RUNNING, self._file.size, source.total, host)
        if source.total is not None and self._file.size < source.total:
            raise _AgainError("It broke off.")

    async def _checked(self, url: str, host: str) -> Downloaded:
        """Compare length and checksum with what is expected, then give the file its name."""
        source, size = self._file.source, self._file.size
        self._pace.became(TransferState.CHECKING, self._file.hashed, size, host)
        while not await _in_thread(self._file.hash_step):
            self._pace.moved(TransferState.CHECKING, self._file.hashed, size, host)
        found, expected = self._file.sha256(), self._wanted.sha256 or source.sha256
        if self._wanted.size is not None and size != self._wanted.size:
            raise _BadPartError(f"{size} bytes came from {host} instead of {self._wanted.size}.")
        if expected and found != expected:
            raise _BadPartError(f"The file from {host} is damaged: its checksum is wrong.")
        await _in_thread(self._file.finish)
        self._pace.became(TransferState.DONE, size, size, host)
        return Downloaded(self._wanted.path, size, found, url, bool(expected))

    def _total(self) -> int | None:
        return self._wanted.size or self._file.source.total


async def _blocks(response: httpx2.Response) -> AsyncGenerator[bytes, None]:
    """Yield the body in blocks that are worth a trip to a thread; what came before a break is not lost."""
    import httpx2

    held = bytearray()
    try:
        async for chunk in response.aiter_bytes():
            held += chunk
            if len(held) >= _BLOCK:
                yield bytes(held)
                held.clear()
    except (httpx2.TransportError, httpx2.StreamError):
        if held:
            yield bytes(held)
        raise
    if held:
        yield bytes(held)


async def _in_thread(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run disk work in a thread; a cancel waits for it, so that no two threads have the file."""
    task = asyncio.ensure_future(asyncio.to_thread(work, *args, **kwargs))
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait([task])
        if not task.cancelled():
            task.exception()  # seen; the cancellation is what counts
        raise
