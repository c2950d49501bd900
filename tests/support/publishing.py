"""Publishing by hand: a connector at the sandbox, real files, and a driver that goes from stage to stage.

Nothing sleeps: where a stage asks to wait, the clocks of both sides are moved.
"""

import asyncio
import hashlib
import struct
import subprocess
import threading
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from datetime import timedelta
from functools import lru_cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar
from urllib.parse import parse_qsl, urlsplit

import httpx
import imageio_ffmpeg
import msgspec
from PIL import Image

from socialgate.connectors.registry import CONNECTOR_FACTORIES, MANIFESTS
from socialgate.connectors.transport import PlatformApp, VendorTransport
from socialgate.contracts.account_connection import AccountCredentials, AuthorizationRequest, DiscoveredAccount, Grant
from socialgate.contracts.connector_registry import Connector
from socialgate.contracts.failures import (
    OutcomeUnknownError,
    PlatformFailure,
    PlatformRateLimitError,
    PlatformUnavailableError,
)
from socialgate.contracts.platforms import Capability, Kind, Platform
from socialgate.contracts.publishing import (
    DELETE_POST_CAPABILITY,
    POST_HISTORY_CAPABILITY,
    PUBLISH_POST_CAPABILITY,
    HistoryPage,
    Inconclusive,
    LookupResult,
    MediaFile,
    MediaType,
    NextStage,
    PostContent,
    PostPublisher,
    PublishedPost,
    PublishingProgress,
    SafeToRetry,
    StageResult,
)
from socialgate.core.db import Database, sqlite_url
from socialgate.core.egress import EgressClient, SystemResolver, allow_any_address
from socialgate.core.pauses import PlatformPauses, pauses
from socialgate.core.schema_migration import run_schema_work
from support.service import MovableClock
from support.simulation import RunningSandbox

T = TypeVar("T")

_MAX_STAGES = 400
_PAUSE = 5
# When an engine asks again for what became of a lost answer, before a person does.
_LOOKS = (20, 120, 900)
_SETTLING = 60


class OutcomeUnclearError(Exception):
    """The platform does not show what became of it: the post is `unconfirmed`."""


class Files:
    """Files of posts, served on loopback and read in parts, whose lengths are in `part_lengths`."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.stored: dict[str, tuple[bytes, str]] = {}
        self.part_lengths: list[int] = []

    async def read(self, media_id: str, start: int, length: int) -> bytes:
        self.part_lengths.append(length)
        return self.stored[media_id][0][start : start + length]

    def image(self, width: int = 640, height: int = 480, form: str = "JPEG", color: str = "teal") -> MediaFile:
        bytes_io = BytesIO()
        # With as many bytes as every platform requires.
        more = {"comment": bytes(10_240)} if form == "JPEG" else {}
        Image.new("RGB", (width, height), color).save(bytes_io, form, **more)
        return self.file(bytes_io.getvalue(), "image", f"image/{form.lower()}", width=width, height=height)

    def video(self, seconds: float = 4, *, size: int = 0) -> MediaFile:
        """Make a video of 720 by 1280 pixels, padded to a size if one is given."""
        data = mp4(seconds)
        if size:
            data += struct.pack(">I4s", size - len(data), b"free") + b"\0" * (size - len(data) - 8)
        return self.file(data, "video", "video/mp4", width=720, height=1280, duration=seconds)

    def file(self, body: bytes, kind: MediaType, mime_type: str, **known: Any) -> MediaFile:
        number = f"med_{len(self.stored) + 1}"
        name = f"{number}.{mime_type.rpartition('/')[2]}"
        self.stored[number] = (body, mime_type)
        return MediaFile(
            id=number,
            type=kind,
            mime_type=mime_type,
            size=len(body),
            sha256=hashlib.sha256(body).hexdigest(),
            url=f"{self.url}/{name}",
            file_name=name,
            **known,
        )


class ConnectorDriver:
    """One deployment's connector of a platform, at the sandbox."""

    def __init__(self, platform: Platform, sandbox: RunningSandbox, files: Files, run: Callable[[Any], Any]) -> None:
        self.platform = platform
        self.sandbox = sandbox
        self.files = files
        self.clock = MovableClock()
        self.stages: list[str] = []
        self._run = run
        self.connector = self._connect()

    def part(self, kind: Kind, capability: Capability[T]) -> T:
        part = self.connector.find_adapter(kind, capability)
        assert part is not None
        return part

    def publishing(self, kind: Kind) -> PostPublisher:
        return self.part(kind, PUBLISH_POST_CAPABILITY)

    def sign_in(self, kind: Kind, person: str | None = None) -> list[AccountCredentials]:
        """Let a person of the sandbox permit everything, and give the accounts of this kind."""
        redirect = self.connector.redirect_login
        assert redirect is not None
        ask = AuthorizationRequest(
            state="state-1", pkce_verifier="v" * 43, redirect_uri=f"http://127.0.0.1:9/connect/{self.platform}/callback"
        )
        form = {"decision": "allow"} | ({"person": person} if person else {})
        sent = httpx.post(redirect.authorize_url(ask), data=form, timeout=30)
        assert sent.is_redirect, sent.text
        query = dict(parse_qsl(urlsplit(sent.headers["location"]).query))
        grant = self.wait_for(redirect.exchange_code(query, ask))
        return [
            _held(discovered_account, grant)
            for discovered_account in self.wait_for(redirect.discover_accounts(grant, [kind]))
        ]

    def connect_with_secret(self, **form: str) -> AccountCredentials:
        """Connect with a secret that a customer brings."""
        assert self.connector.credential_login is not None
        opened = self.wait_for(self.connector.credential_login.verify(form))
        return _held(opened.accounts[0], opened.grant)

    def publish(self, credentials: AccountCredentials, content: PostContent, *, crashes: bool = False) -> PublishedPost:
        """Drive a post to its end as an engine does: what is lost is looked up, and never sent again unseen.

        With `crashes` the process dies after each stage, before it could write down where that led.
        """
        return self.continue_publishing(credentials, content, self.begin(credentials, content), crashes=crashes)

    def begin(self, credentials: AccountCredentials, content: PostContent) -> NextStage:
        return NextStage(progress=self.publishing(credentials.kind).create_progress(content))

    def continue_publishing(
        self,
        credentials: AccountCredentials,
        content: PostContent,
        step: StageResult,
        *,
        crashes: bool = False,
        patient: bool = False,
    ) -> PublishedPost:
        """Drive a post on to its end. With `patient` a platform that is busy is asked again, as an engine does."""
        begun = ""
        for _ in range(_MAX_STAGES):
            if isinstance(step, PublishedPost):
                return step
            self.rest(step.wait)
            progress = _stored(step.progress)
            again = begun == progress.stage and not step.wait
            begun = progress.stage
            if crashes and not again:
                self.run(credentials, content, progress)
            lost = (crashes or again) and progress.stage in self.publishing(credentials.kind).non_repeatable_stages
            if lost:
                step = self._look_up_result(credentials, content, progress)
            else:
                step = self._run_or_look_up(credentials, content, progress, patient=patient)
        raise AssertionError(f"it never ends: {self.stages[-20:]}")

    def until(self, credentials: AccountCredentials, content: PostContent, stage: str) -> PublishingProgress:
        """Drive a post until this stage is next."""
        step: StageResult = self.begin(credentials, content)
        while isinstance(step, NextStage) and step.progress.stage != stage:
            self.rest(step.wait)
            step = self.run(credentials, content, _stored(step.progress))
        assert isinstance(step, NextStage), step
        return _stored(step.progress)

    def run(self, credentials: AccountCredentials, content: PostContent, progress: PublishingProgress) -> StageResult:
        self.stages.append(progress.stage)
        return self.wait_for(self.publishing(credentials.kind).run_stage(credentials, content, progress, self.files))

    def look(self, credentials: AccountCredentials, content: PostContent, progress: PublishingProgress) -> LookupResult:
        return self.wait_for(self.publishing(credentials.kind).look_up_result(credentials, content, progress))

    def history(self, credentials: AccountCredentials, limit: int, cursor: str | None = None) -> HistoryPage:
        return self.wait_for(
            self.part(credentials.kind, POST_HISTORY_CAPABILITY).list_live_posts(credentials, limit, cursor)
        )

    def remove(self, credentials: AccountCredentials, platform_post_id: str) -> None:
        self.wait_for(self.part(credentials.kind, DELETE_POST_CAPABILITY).delete_post(credentials, platform_post_id))

    def fail(self, path: str, when: str = "before", **fields: Any) -> None:
        """Order a failure of the platform."""
        self.sandbox.control("fail", platform=self.platform, path=path, when=when, **fields)

    def calls(self, path: str) -> list[dict[str, Any]]:
        """List the calls that reached the platform, newest first."""
        result: list[dict[str, Any]] = self.sandbox.look("received", platform=self.platform, path=path)["data"]
        return result

    def rest(self, seconds: float) -> None:
        if seconds:
            self.clock.offset += timedelta(seconds=seconds)
            self.sandbox.control("clock", advance=seconds)
            # What the sandbox does in the background happens in real time.
            self.wait_for(asyncio.sleep(0.02))

    def wait_for(self, work: Coroutine[Any, Any, T]) -> T:
        result: T = self._run(work)
        return result

    def _run_or_look_up(
        self, credentials: AccountCredentials, content: PostContent, progress: PublishingProgress, *, patient: bool
    ) -> StageResult:
        try:
            return self.run(credentials, content, progress)
        except (PlatformRateLimitError, PlatformUnavailableError) as busy:
            if not patient:
                raise
            return NextStage(progress=progress, wait=busy.retry_after or _PAUSE)
        except OutcomeUnknownError:
            assert progress.stage in self.publishing(credentials.kind).non_repeatable_stages, (
                "nobody looks for what became of other stages"
            )
        return self._look_up_result(credentials, content, progress)

    def _look_up_result(
        self, credentials: AccountCredentials, content: PostContent, progress: PublishingProgress
    ) -> StageResult:
        why = ""
        for wait in (0, *_LOOKS):
            self.rest(wait)
            try:
                sight = self.look(credentials, content, progress)
            except PlatformFailure as failure:
                sight = Inconclusive(failure.detail)
            if isinstance(sight, SafeToRetry):
                return self._repeat_if_lost(credentials, content, progress)
            if not isinstance(sight, Inconclusive):
                return sight
            why = sight.reason
        raise OutcomeUnclearError(why)

    def _repeat_if_lost(
        self, credentials: AccountCredentials, content: PostContent, progress: PublishingProgress
    ) -> StageResult:
        """Look once more after a while, as the call that was lost may still be carried out, then run the stage."""
        self.rest(_SETTLING)
        sight = self.look(credentials, content, progress)
        if isinstance(sight, SafeToRetry):
            return self.run(credentials, content, msgspec.structs.replace(progress, has_lost_call=True))
        assert not isinstance(sight, Inconclusive), sight
        return sight

    def _connect(self) -> Connector:
        name = f"sandbox-{self.platform}"
        app = PlatformApp(id=name, secret=f"{name}-secret", verify_token="sandbox-verify-token")
        return CONNECTOR_FACTORIES[self.platform](app, self._run(self._wire()))

    async def _wire(self) -> VendorTransport:
        folder = TemporaryDirectory()
        self._folder = folder
        self._db = Database(sqlite_url(Path(folder.name) / "pauses.db"), self.clock)
        await run_schema_work(self._db, lambda connection: pauses.create(connection, checkfirst=True))
        self._resolver = SystemResolver(1)
        self._door = EgressClient(policy=allow_any_address, resolver=self._resolver, user_agent="Tester/1")
        base = f"{self.sandbox.url}/{self.platform}"
        one_host = MANIFESTS[self.platform].base_url_replaces_host
        return VendorTransport(self._door, self.clock, PlatformPauses(self._db), self.platform, base, one_host=one_host)

    async def close(self) -> None:
        self._door.close()
        self._resolver.close()
        await self._db.close()
        self._folder.cleanup()


@contextmanager
def start_driver(platform: Platform, sandbox: RunningSandbox) -> Iterator[ConnectorDriver]:
    with served_files() as files, desk_with(files, platform, sandbox) as driver:
        yield driver


@contextmanager
def desk_with(files: Files, platform: Platform, sandbox: RunningSandbox) -> Iterator[ConnectorDriver]:
    with asyncio.Runner() as runner:
        driver = ConnectorDriver(platform, sandbox, files, runner.run)
        try:
            yield driver
        finally:
            runner.run(driver.close())


@contextmanager
def served_files() -> Iterator[Files]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler)
    files = Files(f"http://127.0.0.1:{server.server_port}")
    server.RequestHandlerClass = _handler(files)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield files
    finally:
        server.shutdown()
        server.server_close()
        thread.join(60)


def _handler(files: Files) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            result = files.stored.get(self.path.strip("/").partition(".")[0])
            body, mime_type = result or (b"", "text/plain")
            self.send_response(200 if result else 404)
            self.send_header("content-type", mime_type)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    return Handler


@lru_cache
def mp4(seconds: float) -> bytes:
    with TemporaryDirectory() as folder:
        target = Path(folder) / "made.mp4"
        source = f"color=c=teal:s=720x1280:r=25:d={seconds}"
        command = [imageio_ffmpeg.get_ffmpeg_exe(), "-loglevel", "error", "-f", "lavfi", "-i", source]
        encoding = ["-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p", "-threads", "1"]
        encoding += ["-movflags", "+faststart"]
        subprocess.run([*command, *encoding, str(target)], check=True)
        return target.read_bytes()


def _held(discovered_account: DiscoveredAccount, grant: Grant) -> AccountCredentials:
    return AccountCredentials(
        kind=discovered_account.kind,
        platform_account_id=discovered_account.platform_account_id,
        grant=grant,
        secret=discovered_account.secret,
        details=discovered_account.details,
    )


def _stored(progress: PublishingProgress) -> PublishingProgress:
    """Send it through JSON, as a database does."""
    return msgspec.json.decode(msgspec.json.encode(progress), type=PublishingProgress)
