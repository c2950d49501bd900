"""Inspecting videos and sounds: owners whose files take long do not keep others waiting."""

import asyncio
import threading
import wave
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO

import pytest
from obstore.store import S3Store

from socialgate.areas.media import probe
from socialgate.areas.media.probe import MediaProber
from socialgate.areas.media.receiving import ReceivedFile
from socialgate.areas.media.sniff import DetectedType
from socialgate.core.storage import Storage

# One more than are inspected at a time.
SLOW_OWNERS = 3
SECONDS = 60


def sound() -> bytes:
    bytes_io = BytesIO()
    with wave.open(bytes_io, "wb") as written:
        written.setparams((1, 2, 8000, 8000, "NONE", ""))
        written.writeframes(bytes(16000))
    return bytes_io.getvalue()


class ObjectStore:
    """Has the same sound under every name, and sends the slow ones only when the test says so."""

    def __init__(self) -> None:
        self.content = sound()
        self.go = threading.Event()

    @contextmanager
    def running(self) -> Iterator[Storage]:
        server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        try:
            yield Storage(
                S3Store(
                    "bucket",
                    endpoint=f"http://127.0.0.1:{server.server_port}",
                    region="eu-north-1",
                    access_key_id="id",
                    secret_access_key="secret",
                    client_options={"allow_http": True},
                ),
                None,
            )
        finally:
            self.go.set()
            server.shutdown()
            server.server_close()


def _handler(store: ObjectStore) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if "slow" in self.path:
                store.go.wait(SECONDS)
            content, total = store.content, len(store.content)
            if byte_range := self.headers.get("range"):
                start, _, end = byte_range.removeprefix("bytes=").partition("-")
                last = min(int(end), total - 1) if end else total - 1
                content = content[int(start) : last + 1]
                self.send_response(206)
                self.send_header("content-range", f"bytes {start}-{last}/{total}")
            else:
                self.send_response(200)
            self.send_header("content-length", str(len(content)))
            self.send_header("last-modified", "Thu, 01 Jan 2026 00:00:00 GMT")
            self.end_headers()
            # Whoever gave up in the meantime has hung up.
            with closing(self.wfile):
                self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    return Handler


def test_owners_with_slow_files_do_not_keep_others_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    # Even a busy machine inspects the quick file within the first of these, and the test never waits for the second.
    monkeypatch.setattr(probe, "_FAST_PROBE_TIMEOUT_SECONDS", 8)
    monkeypatch.setattr(probe, "_DEADLINE_SECONDS", 10 * SECONDS)
    store = ObjectStore()
    taken = ReceivedFile(size=len(store.content), sha256="", sniffed=DetectedType("audio", "audio/wav"))

    async def inspect(storage: Storage) -> None:
        prober = MediaProber(storage)
        slow = [asyncio.create_task(prober.probe(f"owner_{number}", "slow", taken)) for number in range(SLOW_OWNERS)]
        # They ask first.
        await asyncio.sleep(0)
        probe_result = await prober.probe("other", "quick", taken)
        assert (probe_result.duration, probe_result.codec) == (1.0, "pcm_s16le")
        assert not any(task.done() for task in slow)
        store.go.set()
        assert {probe_result.duration for probe_result in await asyncio.gather(*slow)} == {1.0}
        await prober.close()

    with store.running() as storage:
        asyncio.run(inspect(storage))


def test_an_owner_whose_files_take_long_has_no_other_turns_for_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    """Owners who sent one slow file after the other filled the turns of all, a few seconds each time."""
    store = ObjectStore()
    taken = ReceivedFile(size=len(store.content), sha256="", sniffed=DetectedType("audio", "audio/wav"))

    async def inspect(storage: Storage) -> None:
        # Nobody is turned away once inspecting has begun.
        monkeypatch.setattr(probe, "_FAST_PROBE_TIMEOUT_SECONDS", 10 * SECONDS)
        monkeypatch.setattr(probe, "_DEADLINE_SECONDS", 10 * SECONDS)
        prober = MediaProber(storage)
        owners = [f"owner_{number}" for number in range(SLOW_OWNERS)]
        prober._turns._fast_seconds = 0
        for owner in owners:
            async with prober._turns.acquire(owner, is_slow=False):
                """Whatever takes this long is slow."""
        prober._turns._fast_seconds = SECONDS
        slow = [asyncio.create_task(prober.probe(owner, "slow", taken)) for owner in owners]
        await asyncio.sleep(0)
        async with asyncio.timeout(SECONDS):
            assert (await prober.probe("other", "quick", taken)).duration == 1.0
        assert not any(task.done() for task in slow)
        store.go.set()
        await asyncio.gather(*slow)
        # A file of each was fast again.
        assert not any(map(prober._turns.is_slow, owners))
        await prober.close()

    with store.running() as storage:
        asyncio.run(inspect(storage))
