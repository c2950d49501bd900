"""Posts whose files cannot be read when they are due: nothing was sent, so they are tried again and not left open."""

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from socialgate.areas.posts.step_writer import PUBLISHING_WAKE_KEY
from socialgate.core.db import Tx
from support.connections import connect_accounts
from support.sandbox import Sandbox
from support.service import RunningService, StartService
from support.waiting import eventually

pytestmark = pytest.mark.both_engines

CHANNEL = "-1002000000001"


@pytest.fixture
def running(start_service: StartService) -> Iterator[RunningService]:
    with start_service() as own:
        yield own


def picture() -> bytes:
    bytes_io = BytesIO()
    Image.new("RGB", (640, 640), "teal").save(bytes_io, "JPEG")
    return bytes_io.getvalue()


def lost(path: Path) -> None:
    path.unlink()


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:100])


def unreadable(path: Path) -> None:
    path.unlink()
    path.mkdir()


async def _wake(tx: Tx) -> None:
    tx.wake_on_commit(PUBLISHING_WAKE_KEY)


@pytest.mark.one_engine
@pytest.mark.parametrize("harm", [lost, cut, unreadable])
def test_a_post_whose_file_cannot_be_read_is_tried_again(harm: Callable[[Path], None], running: RunningService) -> None:
    with Sandbox(running) as sandbox:
        owner = running.new_owner()
        (account,) = connect_accounts(sandbox, owner, "telegram")
        item = owner.session.post("/upload", content=picture()).json()
        stored = running.settings.data_dir / "media" / owner.id / item["id"]
        harm(stored)
        target = {"accountId": account, "options": {"chatId": CHANNEL}}
        body = {"profileId": owner.profile_id, "media": [{"mediaId": item["id"]}], "targets": [target]}
        post = owner.session.post("/posts", json=body).json()

        def shown() -> dict[str, Any]:
            item: dict[str, Any] = owner.session.get(f"/posts/{post['id']}").json()["targets"][0]
            return item

        def failed() -> list[dict[str, Any]]:
            return [item for item in shown()["attempts"] if item["outcome"] == "media_unavailable"]

        (payload,) = eventually(failed)
        assert payload["stage"] == "send"
        assert shown()["status"] == "publishing"

        if stored.is_dir():
            stored.rmdir()
        stored.write_bytes(picture())
        running.clock.offset += datetime.fromisoformat(payload["nextAt"]) - running.clock.now() + timedelta(seconds=1)
        running.write(_wake)
        eventually(lambda: shown()["status"] == "published")
        feed = sandbox.control("feed", platform="telegram", account=CHANNEL)["data"]
        assert [file["sha256"] for message in feed for file in message["files"]] == [item["sha256"]]
