"""`socialgate upload`: send a file in chunks with the tus protocol, show the progress, and resume after a break.

Like `socialgate listen` it works from outside, with an API key.

It has more than 400 lines: a command that needs nothing of the service brings its own client.
"""

import asyncio
import hashlib
import shlex
import signal
import sys
import time
from base64 import b64encode
from collections import deque
from collections.abc import Callable, Mapping
from datetime import datetime
from http import HTTPStatus
from pathlib import Path
from urllib.parse import quote

import click
import msgspec

from socialgate import __version__
from socialgate.core.clock import Clock
from socialgate.core.egress import (
    EgressClient,
    HttpResponse,
    SendError,
    SendFailureReason,
    SystemResolver,
    allow_any_address,
)
from socialgate.core.ids import is_id
from socialgate.core.settings import SettingsError
from socialgate.delivery.retry_policy import read_retry_after_header
from socialgate.entry.client_commands import (
    CHECK_URL_HINT,
    EXIT_FAILED,
    CommandError,
    PrintLine,
    check_url,
    read_problem_detail,
    require_api_key,
    run_until_signal,
)
from socialgate.entry.sizes import format_size, format_size_of_total

EXIT_UPLOADED = 0
# Not 0: the file was not uploaded, and a script that continues would miss it.
EXIT_STOPPED = 128 + signal.SIGINT
# How long to retry without progress. Enough for a service to restart, short enough for a person to wait.
MAX_STALL_SECONDS = 300.0

_MIB = 1024 * 1024
# Chunks are so large that each takes a second or two: a broken connection loses at most one.
_INITIAL_CHUNK_BYTES = _MIB
_MIN_CHUNK_BYTES = _MIB // 4
_MAX_CHUNK_BYTES = 8 * _MIB
_QUICK_CHUNK_SECONDS = 0.5
_SLOW_CHUNK_SECONDS = 3.0
_CHUNK_TIMEOUT_SECONDS = 120.0
_RESPONSE_TIMEOUT_SECONDS = 30.0
# With the last chunk the service assembles the file before it responds.
_ASSEMBLY_BYTES_PER_SECOND = 20 * _MIB
_MAX_RESPONSE_BYTES = 64 * 1024
_INITIAL_DELAY_SECONDS = 0.25
_MAX_DELAY_SECONDS = 10.0
_MAX_RETRY_AFTER_SECONDS = 60.0
# The rate shown is that of the last seconds, not of a slow hour before.
_RATE_WINDOW_SECONDS = 10.0
_PROGRESS_STEPS = 10
_CHUNK_CONTENT_TYPE = "application/offset+octet-stream"
_DEFAULT_URL = "http://127.0.0.1:8080"


class UploadOptions(msgspec.Struct, frozen=True, kw_only=True):
    """The options from the command line."""

    url: str
    key: str | None
    file: Path
    profile: str | None = None
    resume: str | None = None


class UploadedMedia(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """What the service found in the file."""

    id: str
    mime_type: str
    size: int
    width: int | None
    height: int | None
    duration: float | None
    codec: str | None
    sha256: str
    expires_at: datetime | None


class _UploadState(msgspec.Struct, frozen=True, kw_only=True):
    media: UploadedMedia | None


async def upload_file(options: UploadOptions, clock: Clock) -> int:
    """Upload a file completely, and return the exit code."""
    size = _validate_options(options)
    meter = ProgressDisplay(_print_without_newline, size=size, live=sys.stdout.isatty())
    resolver = SystemResolver()
    door = EgressClient(policy=allow_any_address, resolver=resolver, user_agent=f"Socialgate-Upload/{__version__}")
    uploader = Uploader(door, clock, meter, options=options, size=size)
    try:
        media = await run_until_signal(uploader.run())
    except CommandError as refusal:
        meter.end_line()
        click.echo(f"socialgate: {refusal}", err=True)
        return EXIT_FAILED
    else:
        if media is None:
            meter.print_line(f"Stopped.{uploader.resume_hint}")
            return EXIT_STOPPED
        meter.print_line(_describe_media(media))
        return EXIT_UPLOADED
    finally:
        door.close()
        resolver.close()


def _validate_options(options: UploadOptions) -> int:
    """Validate the options before anything is sent, and return the size of the file."""
    check_url("--url", options.url)
    require_api_key(options.key)
    if options.resume is not None and not is_id("upl", options.resume):
        raise SettingsError(f"--resume: `{options.resume}` is not an upload id. Upload ids start with upl_.")
    try:
        with options.file.open("rb") as file:
            size = file.seek(0, 2)
    except OSError as error:
        raise SettingsError(f"{options.file} cannot be read: {error.strerror}. Check the path.") from None
    if not size:
        raise SettingsError(f"{options.file} is empty. Choose another file.")
    return size


class Uploader:
    """Sends chunk after chunk. After a temporary failure, it asks how much was received, and continues there."""

    def __init__(
        self,
        client: EgressClient,
        clock: Clock,
        meter: "ProgressDisplay",
        *,
        options: UploadOptions,
        size: int,
        max_stall_seconds: float = MAX_STALL_SECONDS,
    ) -> None:
        self._door = client
        self._clock = clock
        self._meter = meter
        self._options = options
        self._url = options.url.rstrip("/")
        self._size = size
        self._patience = max_stall_seconds
        self._upload_id = options.resume
        self._chunk_bytes = _INITIAL_CHUNK_BYTES
        self._pause = _INITIAL_DELAY_SECONDS
        self._received_bytes = 0
        self._stuck_since: float | None = None
        # The current problem, if it was reported.
        self._trouble: str | None = None

    @property
    def resume_hint(self) -> str:
        """Say how to resume later, once there is something to resume."""
        if self._upload_id is None:
            return ""
        where = "" if self._url == _DEFAULT_URL else f" --url {shlex.quote(self._url)}"
        return f" To resume: socialgate upload {shlex.quote(str(self._options.file))} --resume {self._upload_id}{where}"

    async def run(self) -> UploadedMedia:
        if self._upload_id is None:
            self._upload_id = await self._create_upload()
        offset = await self._fetch_offset()
        name, size = self._options.file.name, format_size(self._size)
        self._meter.print_line(f"Uploading {name}, {size}, to {self._url} as {self._upload_id}.")
        self._meter.show(offset)
        while offset < self._size:
            offset = await self._send_chunk(offset)
            self._meter.show(offset)
        media = await self._fetch_result()
        if media.sha256 != await asyncio.to_thread(_compute_file_sha256, self._options.file):
            raise CommandError(
                f"The service received different bytes than {self._options.file} contains: the file changed in the "
                "meantime, or --resume belongs to another file. Upload it again."
            )
        return media

    async def _create_upload(self) -> str:
        profile = "" if self._options.profile is None else f"?profileId={quote(self._options.profile, safe='')}"
        name = b64encode(self._options.file.name.encode("utf-8", "replace")).decode()
        headers = {"Upload-Length": str(self._size), "Upload-Metadata": f"filename {name}"}
        answer = await self._send_until_answered("POST", f"/uploads{profile}", headers)
        upload_id = answer.headers.get("location", "").rpartition("/")[2]
        if not is_id("upl", upload_id):
            raise CommandError(f"{self._url} does not say where to upload the file. {CHECK_URL_HINT}")
        return upload_id

    async def _fetch_offset(self) -> int:
        """Ask how much was received."""
        answer = await self._send_until_answered("HEAD", f"/uploads/{self._upload_id}")
        offset, size = (answer.headers.get(name, "") for name in ("upload-offset", "upload-length"))
        if not offset.isdecimal() or not size.isdecimal():
            raise CommandError(f"{self._url} does not say how much was received. {CHECK_URL_HINT}")
        if int(size) != self._size:
            raise CommandError(f"{self._upload_id} expects {size} bytes, not {self._size}. Upload without --resume.")
        return self._record_progress(int(offset))

    async def _send_chunk(self, offset: int) -> int:
        """Send one chunk, and return how much was received."""
        piece = await self._read(offset)
        is_last = offset + len(piece) == self._size
        deadline = _CHUNK_TIMEOUT_SECONDS + (self._size / _ASSEMBLY_BYTES_PER_SECOND if is_last else 0)
        headers = {"Upload-Offset": str(offset), "Content-Type": _CHUNK_CONTENT_TYPE}
        started = time.monotonic()
        answer = await self._send_once("PATCH", f"/uploads/{self._upload_id}", headers, piece, deadline)
        if answer is None:
            self._chunk_bytes = max(self._chunk_bytes // 2, _MIN_CHUNK_BYTES)
            return await self._fetch_offset()
        self._adjust_chunk_size(time.monotonic() - started)
        return self._record_progress(offset + len(piece))

    async def _read(self, offset: int) -> bytes:
        number = min(self._chunk_bytes, self._size - offset)
        try:
            piece = await asyncio.to_thread(_read_chunk, self._options.file, offset, number)
        except OSError as error:
            raise CommandError(
                f"{self._options.file} can no longer be read: {error.strerror}.{self.resume_hint}"
            ) from None
        if len(piece) < number:
            raise CommandError(f"{self._options.file} became shorter during the upload. Upload it again.")
        return piece

    async def _fetch_result(self) -> UploadedMedia:
        answer = await self._send_until_answered(
            "GET", f"/uploads/{self._upload_id}", deadline=_RESPONSE_TIMEOUT_SECONDS + _CHUNK_TIMEOUT_SECONDS
        )
        try:
            media = msgspec.json.decode(answer.body, type=_UploadState).media
        except msgspec.MsgspecError:
            media = None
        if media is None:
            raise CommandError(f"{self._url} does not report the status of {self._upload_id}. {CHECK_URL_HINT}")
        return media

    async def _send_until_answered(
        self,
        method: str,
        path: str,
        headers: Mapping[str, str] | None = None,
        deadline: float = _RESPONSE_TIMEOUT_SECONDS,
    ) -> HttpResponse:
        """Send until there is a usable response."""
        while True:
            answer = await self._send_once(method, path, headers or {}, None, deadline)
            if answer is not None:
                return answer

    async def _send_once(
        self, method: str, path: str, headers: Mapping[str, str], body: bytes | None, deadline: float
    ) -> HttpResponse | None:
        """Send once. Returns None, after a pause, for a temporary failure."""
        own = {"Authorization": f"Bearer {self._options.key}", "Tus-Resumable": "1.0.0"}
        try:
            answer = await self._door.send(
                method,
                self._url + path,
                deadline=deadline,
                read_limit=_MAX_RESPONSE_BYTES,
                headers={**own, **headers},
                body=body,
            )
        except SendError as failure:
            if failure.reason in {SendFailureReason.URL_INVALID, SendFailureReason.REQUEST_INVALID}:
                raise CommandError(f"{failure.detail} Check --url and --key.") from None
            await self._wait(
                f"{'The connection broke' if failure.maybe_sent else f'{self._url} is not reachable'} ({failure})."
            )
            return None
        if answer.status < HTTPStatus.MULTIPLE_CHOICES:
            return answer
        trouble = self._describe_or_raise(answer)
        delay = read_retry_after_header(answer.headers, self._clock.now())
        await self._wait(trouble, min(delay.total_seconds(), _MAX_RETRY_AFTER_SECONDS) if delay else 0)
        return None

    def _describe_or_raise(self, answer: HttpResponse) -> str:
        """Distinguish temporary errors from permanent ones."""
        detail = read_problem_detail(answer.body)
        match answer.status:
            case HTTPStatus.UNAUTHORIZED | HTTPStatus.FORBIDDEN:
                # A response to HEAD has no detail.
                why = f" {detail}" if detail else ""
                where = "Check --key or SOCIALGATE_API_KEY."
                raise CommandError(f"The service rejected the key ({answer.status}).{why} {where}{self.resume_hint}")
            case HTTPStatus.NOT_FOUND if self._upload_id is not None:
                raise CommandError(
                    f"There is no upload {self._upload_id}, or it has expired. Upload the file again without --resume."
                )
            case HTTPStatus.NOT_FOUND | HTTPStatus.METHOD_NOT_ALLOWED if self._options.profile is None:
                raise CommandError(f"{self._url} returned {answer.status}. {CHECK_URL_HINT}")
            # Another request was faster, such as one on a broken connection: it was counted in the meantime.
            case HTTPStatus.CONFLICT | HTTPStatus.TOO_MANY_REQUESTS:
                pass
            case status if status < HTTPStatus.INTERNAL_SERVER_ERROR:
                raise CommandError(detail or f"{self._url} returned {status}. {CHECK_URL_HINT}")
        return f"The service returned {answer.status}. {detail}".strip()

    async def _wait(self, trouble: str, number: float = 0) -> None:
        """Report a problem once, however long it lasts, and pause; give up after too long without progress."""
        now = time.monotonic()
        if self._stuck_since is None:
            self._stuck_since = now
        if now - self._stuck_since >= self._patience:
            minutes = self._patience / 60
            raise CommandError(f"{trouble} This has lasted {minutes:g} minutes.{self.resume_hint}")
        if trouble != self._trouble:
            self._meter.print_line(f"{trouble} Retrying.")
            self._trouble = trouble
        await asyncio.sleep(max(self._pause, number))
        self._pause = min(self._pause * 2, _MAX_DELAY_SECONDS)

    def _record_progress(self, offset: int) -> int:
        """Reset the patience whenever there was progress."""
        if offset > self._received_bytes:
            self._stuck_since, self._trouble, self._pause = None, None, _INITIAL_DELAY_SECONDS
        self._received_bytes = offset
        return offset

    def _adjust_chunk_size(self, seconds: float) -> None:
        if seconds < _QUICK_CHUNK_SECONDS:
            self._chunk_bytes = min(self._chunk_bytes * 2, _MAX_CHUNK_BYTES)
        elif seconds > _SLOW_CHUNK_SECONDS:
            self._chunk_bytes = max(self._chunk_bytes // 2, _MIN_CHUNK_BYTES)


class ProgressDisplay:
    """Shows the progress: on a terminal in one line that is rewritten, elsewhere in a line for every 10%."""

    def __init__(self, write: PrintLine, *, size: int, live: bool, clock: Callable[[], float] = time.monotonic) -> None:
        self._write = write
        self._size = size
        self._live = live
        self._clock = clock
        self._seen: deque[tuple[float, int]] = deque()
        self._tenth = 0
        self._open = False

    def show(self, received_bytes: int) -> None:
        line = (
            f"{100 * received_bytes // self._size:3d} %  "
            f"{format_size_of_total(received_bytes, self._size)}{self._format_rate(received_bytes)}"
        )
        if self._live:
            self._write(f"\r{line}\x1b[K")
            self._open = True
        elif received_bytes * _PROGRESS_STEPS // self._size > self._tenth:
            self._tenth = received_bytes * _PROGRESS_STEPS // self._size
            self._write(f"{line}\n")

    def print_line(self, text: str) -> None:
        self.end_line()
        self._write(f"{text}\n")

    def end_line(self) -> None:
        """Leave the line that is being rewritten as it is."""
        if self._open:
            self._write("\n")
            self._open = False

    def _format_rate(self, received_bytes: int) -> str:
        """Format the rate and the time left."""
        now = self._clock()
        if self._seen and received_bytes < self._seen[-1][1]:
            self._seen.clear()
        self._seen.append((now, received_bytes))
        while len(self._seen) > 2 and self._seen[1][0] <= now - _RATE_WINDOW_SECONDS:  # noqa: PLR2004 - two make a rate
            self._seen.popleft()
        since, before = self._seen[0]
        if now <= since or received_bytes <= before:
            return ""
        rate = (received_bytes - before) / (now - since)
        left = (
            "" if received_bytes == self._size else f"  {_format_duration((self._size - received_bytes) / rate)} left"
        )
        return f"  {format_size(rate)}/s{left}"


def _format_duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours} h {minutes:02d} min"
    return f"{minutes} min {rest:02d} s" if minutes else f"{rest} s"


def _describe_media(media: UploadedMedia) -> str:
    """Describe the file, in a line that starts with its id."""
    facts = [media.mime_type, media.codec]
    facts.append(f"{media.width} x {media.height}" if media.width else None)
    facts.append(f"{media.duration:,.1f} s" if media.duration else None)
    facts.append(format_size(media.size))
    until = f"; unless it is used, it is deleted {media.expires_at:%Y-%m-%d %H:%M} UTC" if media.expires_at else ""
    return f"{media.id}  {', '.join(fact for fact in facts if fact)}{until}"


def _read_chunk(path: Path, offset: int, length: int) -> bytes:
    with path.open("rb") as file:
        file.seek(offset)
        return file.read(length)


def _compute_file_sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _print_without_newline(text: str) -> None:
    click.echo(text, nl=False)
