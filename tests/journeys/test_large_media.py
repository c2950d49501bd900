"""A large film on its way through: uploaded, and sent on to YouTube and TikTok, over lines that break.

Nobody may hold it in memory: what the service and the worker take must not depend on its size.
"""

import hashlib
import json
import logging
import shutil
import struct
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest
import sqlalchemy as sa
from tusclient.client import TusClient

from socialgate.areas.media.store import uploads
from socialgate.areas.posts.step_writer import PUBLISHING_WAKE_KEY
from socialgate.areas.posts.tables import targets
from socialgate.core.db import Tx
from socialgate.core.wakeups import NOTIFY_CHANNEL
from socialgate_sandbox.vendors import ALL_VENDORS
from support.cutting_proxy import CuttingProxy
from support.deployment import Deployment, start_deployment
from support.memory import MIB, monitor_memory
from support.postgres import new_database
from support.processes import Process
from support.publishing import mp4
from support.simulation import RunningSandbox, running_sandbox
from support.soak import SOAK
from support.tenant import Tenant
from support.waiting import eventually

SIZE = (2048 if SOAK else 96) * MIB
# Large enough to go the same ways, in pieces and in parts.
SMALL = 24 * MIB
# What may be held of a file at a time, whatever its size: a few parts of 8 MiB, and what the system keeps for later.
FLAT_MIB = 64
_CHUNK = 32 * MIB
_PART = 8 * MIB
_REST_SECONDS = 900

log = logging.getLogger(__name__)


class Film(msgspec.Struct, frozen=True, kw_only=True):
    path: Path
    size: int
    sha256: str


class Media(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    film: Film


def make_film(folder: Path, size: int) -> Film:
    """Make a real film, padded to a size. Each MiB of the padding has a number, so that none can stand for another."""
    path, film = folder / f"{size // MIB}.mp4", mp4(4)
    with path.open("wb") as file:
        file.write(film)
        file.write(struct.pack(">I4s", size - len(film), b"free"))
        for number in range(file.tell() // MIB + 1, size // MIB):
            file.seek(number * MIB)
            file.write(number.to_bytes(8, "big"))
        file.truncate(size)
    with path.open("rb") as file:
        return Film(path=path, size=size, sha256=hashlib.file_digest(file, "sha256").hexdigest())


class Site:
    """A service and a worker of their own processes, and a customer with a channel and a TikTok account."""

    def __init__(self, deployment: Deployment, sandbox: RunningSandbox, folder: Path) -> None:
        self.deployment = deployment
        self.sandbox = sandbox
        self.service, self.worker = deployment.start("serve"), deployment.start("work")
        for process in (self.service, self.worker):
            process.wait_until_ready()
        self.tenant = Tenant(self.service.address)
        for platform, kind in (("google", "youtube"), ("tiktok", "tiktok")):
            self.tenant.connect(platform, kind=kind)
        self.small, self.large = make_film(folder, SMALL), make_film(folder, SIZE)

    def upload(self, film: Film) -> Media:
        """Send a film as the body of one request."""
        with film.path.open("rb") as file:
            item = self.tenant.call("POST", "/upload", params={"fileName": "film.mp4"}, content=_pieces(file))
        return _same(item, film)

    def upload_in_pieces(self, film: Film, url: str) -> Media:
        """Send a film with a client that others have written."""
        client = TusClient(f"{url}/uploads", headers={"Authorization": f"Bearer {self.tenant.token}"})
        name, patience = {"filename": "film.mp4"}, {"retries": 20, "retry_delay": 0.1}
        with film.path.open("rb") as file:
            uploader = client.uploader(file_stream=file, chunk_size=_CHUNK, metadata=name, **patience)
            uploader.upload()
        upload_id = str(uploader.url).rpartition("/")[2]
        return _same(self.tenant.call("GET", f"/uploads/{upload_id}")["media"], film)

    def wait_for_half(self) -> None:
        """Wait until the whole pieces of the first half of the large film are stored. What had come is more than that
        by a piece at most, and only so much can get lost on the way.
        """
        stored = (self.large.size // 2 - MIB) // _PART * _PART
        known = sa.select(uploads.c.id).where(uploads.c.size == self.large.size, uploads.c.received >= stored)
        eventually(lambda: bool(self.deployment.read(known)), "the pieces of the first half")

    def wait_for_silence(self) -> None:
        """Wait until no request is answered any more: who comes back sooner is told to try again, and sends in vain."""
        eventually(lambda: self.service.in_flight() == 0, "the end of the request whose line broke")

    def publish(self, kind: str, media: Media, **options: Any) -> dict[str, Any]:
        """Post a film, and give what the platform then shows of it."""
        account = self.tenant.account_of(kind)
        post_id = self.tenant.post([account["id"]], f"Film {media.id}", media=[{"mediaId": media.id}], options=options)
        eventually(lambda: self._settled(post_id), "the end of the post", seconds=_REST_SECONDS)
        post: dict[str, Any] = self.tenant.call("GET", f"/posts/{post_id}")
        assert post["status"] == "published", post
        shown = self.sandbox.look("feed", platform=account["platform"], account=account["platformAccountId"])["data"]
        (ours,) = [item for item in shown if item["text"] == f"Film {media.id}"]
        assert [file["sha256"] for file in ours["media"]] == [media.film.sha256]
        return post

    def _settled(self, post_id: str) -> bool:
        """Look, and let time pass for whatever waits."""
        post = self.tenant.call("GET", f"/posts/{post_id}")
        if post["status"] != "publishing":
            return True
        if any(attempt["nextAt"] for attempt in post["targets"][0]["attempts"][-1:]):
            if post["targets"][0]["attempts"][-1]["stage"] in {"process", "watch"}:
                self.sandbox.control("clock", advance=60)
            self.deployment.write(_make_due)
        return False


async def _make_due(tx: Tx) -> None:
    await tx.execute(sa.update(targets).where(targets.c.due_at > tx.now).values(due_at=tx.now))
    await tx.execute(sa.select(sa.func.pg_notify(NOTIFY_CHANNEL, PUBLISHING_WAKE_KEY)))


def _pieces(file: Any) -> Iterator[bytes]:
    while piece := file.read(MIB):
        yield piece


def _same(item: dict[str, Any], film: Film) -> Media:
    assert (item["size"], item["sha256"], item["codec"]) == (film.size, film.sha256, "h264")
    return Media(id=item["id"], film=film)


@contextmanager
def flat(label: str, *processes: Process) -> Iterator[None]:
    """Hold processes to a bound of memory, beyond what they had, while the block runs."""
    began = time.monotonic()
    with monitor_memory(*(process._running.pid for process in processes)) as seen:
        before = [memory_monitor.peak for memory_monitor in seen]
        yield
    grown = {
        process.verb: round(memory_monitor.peak - at_first, 1)
        for process, memory_monitor, at_first in zip(processes, seen, before, strict=True)
    }
    took, peaks = time.monotonic() - began, [round(memory_monitor.peak) for memory_monitor in seen]
    log.info("%s: %d MiB in %.1f s, grown by %s MiB, at most %s MiB", label, SIZE // MIB, took, grown, peaks)
    assert max(grown.values()) <= FLAT_MIB, json.dumps(grown)


@pytest.fixture(scope="module")
def site(postgres_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    folder: Path = tmp_path_factory.mktemp("large")
    with running_sandbox(folder / "sandbox", ALL_VENDORS) as sandbox:
        settings: dict[str, object] = {"sandbox": False, "signup": "open"}
        for platform in ("google", "tiktok"):
            name = f"sandbox-{platform}"
            settings |= {
                f"{platform}_url": f"{sandbox.url}/{platform}",
                f"{platform}_app_id": name,
                f"{platform}_app_secret": f"{name}-secret",
            }
        with start_deployment(folder, new_database(postgres_url), **settings) as deployment:
            site = Site(deployment, sandbox, folder)
            yield site
            site.tenant.close()
            for process in (site.service, site.worker):
                process.require_no_errors()
    # Gigabytes, which pytest would keep for its next runs.
    shutil.rmtree(folder)


@pytest.mark.soak
def test_a_film_is_taken_in_whole(site: Site) -> None:
    site.upload(site.small)
    with flat("POST /upload", site.service, site.worker):
        site.upload(site.large)


@pytest.mark.soak
def test_a_film_is_taken_in_pieces_and_goes_on_after_a_break(site: Site) -> None:
    site.upload_in_pieces(site.small, site.service.address)
    with CuttingProxy(site.service.address) as line, flat("POST /uploads", site.service, site.worker):
        line.cut_after(site.large.size // 2, taken=site.wait_for_half, over=site.wait_for_silence)
        site.upload_in_pieces(site.large, line.url)
        assert line.cuts == 1
        # Only what had not come yet was sent again: less than one piece of the service's.
        assert line.passed < site.large.size + _PART + MIB


@pytest.mark.soak
@pytest.mark.parametrize(
    ("kind", "path", "calls_per_part", "options"),
    [
        ("youtube", "*/upload/youtube/v3/videos", 2, {"title": "A long film", "privacyStatus": "unlisted"}),
        ("tiktok", "*/video/", 1, {"privacyLevel": "SELF_ONLY"}),
    ],
    ids=["youtube", "tiktok"],
)
def test_a_film_is_sent_on_in_parts_and_goes_on_after_breaks(
    kind: str, path: str, calls_per_part: int, options: dict[str, Any], site: Site
) -> None:
    platform = site.tenant.account_of(kind)["platform"]
    site.publish(kind, site.upload(site.small), **options)
    media = site.upload(site.large)
    middle = site.large.size // _PART // 2 * calls_per_part
    for when, skipped in (("drop", middle), ("after", middle)):
        site.sandbox.control("fail", platform=platform, path=path, method="PUT", when=when, skip=skipped)
    with flat(f"to {kind}", site.service, site.worker):
        post = site.publish(kind, media, **options)
    broken = [attempt for attempt in post["targets"][0]["attempts"] if attempt["outcome"] not in {"done", "published"}]
    assert len([attempt for attempt in broken if attempt["stage"] == "upload"]) == 2, broken
    assert site.sandbox.look("fail")["data"] == []
