"""Inspecting images in separate processes: a malicious image costs its owner a few seconds, and others nothing.

The image library has no deadline: one JPEG of 40 MB kept it busy for five minutes. So it runs in at most two helper
processes, which are started when an image arrives, limited in memory and CPU, stopped at a deadline, and closed after
being idle for a while. A helper has no access to the storage: it is sent the bytes that it asks for.
"""

import asyncio
import json
import signal
import struct
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import structlog

from socialgate.areas.media import limited_process
from socialgate.areas.media.inspection_turns import InspectionTurns
from socialgate.areas.media.probe_result import ProbeResult, UnreadableFileError
from socialgate.contracts.publishing import MediaDetails
from socialgate.core.background import BackgroundTasks
from socialgate.core.storage import Storage

_MIB = 1024 * 1024
_MAX_PROCESSES = 2
_MAX_MEMORY_BYTES = 512 * _MIB
# The header of an image takes milliseconds. The deadline also covers waiting for the storage.
_CPU_SECONDS = 2
_DEADLINE_SECONDS = 30
_FAST_SECONDS = 1.0
_IDLE_SECONDS = 10
# Few formats must be read completely to find their size, and no platform accepts images that large.
_MAX_READ_BYTES = 64 * _MIB
# Displaying an image decompresses it, and a small file can decompress to gigabytes.
_MAX_PIXELS = 100_000_000
# What may read a file, by its first bytes: formats of the library, and the plugins that bring them. It has 40 more.
_PILLOW_PLUGINS = {
    "image/jpeg": (("JPEG",), ("JpegImagePlugin",)),
    "image/png": (("PNG",), ("PngImagePlugin",)),
    "image/gif": (("GIF",), ("GifImagePlugin",)),
    "image/bmp": (("BMP",), ("BmpImagePlugin",)),
    "image/tiff": (("TIFF",), ("TiffImagePlugin",)),
    "image/webp": (("WEBP",), ("WebPImagePlugin",)),
    "image/avif": (("AVIF",), ("AvifImagePlugin",)),
    "image/heic": (("HEIF",), ("pillow_heif",)),
    # A brand that both AVIF and HEIC files can have.
    "image/heif": (("HEIF", "AVIF"), ("pillow_heif", "AvifImagePlugin")),
}
_RESAVE_REMEDY = "Save it again as JPEG or PNG."

log = structlog.get_logger(__name__)


class _ProcessExitedError(Exception):
    """The helper has exited. `served` says whether it had started to read the image, `killed` whether the system has
    killed it: its own limits end it in other ways.
    """

    def __init__(self, *, served: bool, killed: bool) -> None:
        super().__init__()
        self.had_read = served
        self.was_killed = killed


class _ImageProcess:
    def __init__(self, process: limited_process.Process) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._process = process
        self._to = process.stdin
        self._from = process.stdout
        self.closing: asyncio.TimerHandle | None = None

    async def inspect(self, storage: Storage, key: str, job: dict[str, Any]) -> dict[str, Any]:
        served = 0
        try:
            self._to.write(json.dumps(job).encode() + b"\n")
            while True:
                message = json.loads(await self._from.readline())
                if "read" not in message:
                    return dict(message)
                start, length = message["read"]
                served += length
                if served > _MAX_READ_BYTES:
                    raise UnreadableFileError(
                        f"More than {_MAX_READ_BYTES // _MIB} MiB of the image would have to be read to find its size. "
                        f"{_RESAVE_REMEDY}"
                    )
                data = b"".join([chunk async for chunk in storage.read(key, start, length)])
                self._to.write(struct.pack(">I", len(data)) + data)
                await self._to.drain()
        except (OSError, ValueError, RuntimeError) as error:
            # An output that ended or makes no sense, or a closed input: it has no other way to say that it has exited.
            if isinstance(error, FileNotFoundError):
                raise
            if isinstance(error, ConnectionError) or self._from.at_eof():
                await self._process.wait()
            was_killed = self._process.returncode == -signal.SIGKILL
            raise _ProcessExitedError(served=bool(served), killed=was_killed) from None

    async def end(self) -> None:
        if self.closing is not None:
            self.closing.cancel()
        await limited_process.kill_process(self._process)


class ImageInspector:
    def __init__(self, storage: Storage) -> None:
        self._storage = storage
        self._turns = InspectionTurns(max_concurrent=_MAX_PROCESSES, fast_seconds=_FAST_SECONDS)
        self._idle: list[_ImageProcess] = []
        self._helpers: set[_ImageProcess] = set()
        self._ending = BackgroundTasks()

    async def inspect(self, owner_id: str, key: str, size: int, mime_type: str) -> ProbeResult:
        if mime_type not in _PILLOW_PLUGINS:
            raise UnreadableFileError(f"Images of the type {mime_type} cannot be read. {_RESAVE_REMEDY}")
        formats, plugins = _PILLOW_PLUGINS[mime_type]
        job = {"formats": formats, "plugins": plugins, "size": size, "pixels": _MAX_PIXELS, "seconds": _CPU_SECONDS}
        async with self._turns.acquire(owner_id, is_slow=self._turns.is_slow(owner_id)):
            payload = await self._inspect_with_retry(key, job)
        if "raw" in payload:
            # What the library says is not for people.
            log.info("image_unreadable", key=key, reason=payload["raw"])
        if "unreadable" in payload:
            raise UnreadableFileError(
                f"The image cannot be read: {str(payload['unreadable']).rstrip('.')}. {_RESAVE_REMEDY}"
            )
        width, height = int(payload["width"]), int(payload["height"])
        if width * height > _MAX_PIXELS:
            raise UnreadableFileError(
                f"The image has {width} x {height} pixels, but at most 100 million are accepted. Make it smaller."
            )
        details = MediaDetails(is_animated=bool(payload["animated"]), has_alpha=bool(payload["alpha"]))
        return ProbeResult(width=width, height=height, codec=str(payload["format"]), details=details)

    async def close(self) -> None:
        """Stop all helpers, including busy ones."""
        for helper in list(self._helpers):
            await self._kill_process(helper)
        await self._ending.wait_all()

    async def _inspect_with_retry(self, key: str, job: dict[str, Any]) -> dict[str, Any]:
        late = UnreadableFileError(f"It could not be read as an image within {_CPU_SECONDS} s. {_RESAVE_REMEDY}")
        try:
            async with asyncio.timeout(_DEADLINE_SECONDS):
                try:
                    return await self._inspect_once(key, job)
                except _ProcessExitedError as ended:
                    if ended.had_read:
                        raise
                # Something else stopped it while it was idle, and maybe others too.
                return await self._inspect_once(key, job, fresh=True)
        except (TimeoutError, _ProcessExitedError) as error:
            log.warning("picture_given_up", key=key, formats=job["formats"])
            if isinstance(error, _ProcessExitedError) and error.was_killed:
                raise limited_process.build_killed_error() from None
            raise late from None

    async def _inspect_once(self, key: str, job: dict[str, Any], *, fresh: bool = False) -> dict[str, Any]:
        async with self._borrow_process(fresh=fresh) as helper:
            return await helper.inspect(self._storage, key, job)

    @asynccontextmanager
    async def _borrow_process(self, *, fresh: bool) -> AsyncIterator[_ImageProcess]:
        """Lend a helper. One that did not finish its image is not used again."""
        if self._idle and not fresh:
            helper = self._idle.pop()
        else:
            process = await limited_process.start_limited(
                *limited_process.build_python_command("image_size"),
                memory=_MAX_MEMORY_BYTES,
                cpu_seconds=0,
                with_stdin=True,
            )
            self._helpers.add(helper := _ImageProcess(process))
        if helper.closing is not None:
            helper.closing.cancel()
        try:
            yield helper
        except BaseException:
            await asyncio.shield(self._kill_process(helper))
            raise
        self._idle.append(helper)
        helper.closing = asyncio.get_running_loop().call_later(_IDLE_SECONDS, self._retire_process, helper)

    def _retire_process(self, helper: _ImageProcess) -> None:
        self._idle.remove(helper)
        _ = self._ending.start(self._kill_process(helper))

    async def _kill_process(self, helper: _ImageProcess) -> None:
        self._helpers.discard(helper)
        if helper in self._idle:
            self._idle.remove(helper)
        await helper.end()
