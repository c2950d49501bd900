"""Posts whose files cannot be read when they are due: nothing was sent, so they are tried again and not left open."""

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from socialgate.areas.posts.ledger import PUBLISHING
from socialgate.core.db import Tx
from support.connections import connected
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
    made = BytesIO()
    Image.new("RGB", (640, 640), "teal").save(made, "JPEG")
    return made.getvalue()


def lost(path: Path) -> None:
    path.unlink()


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:100])


def unreadable(path: Path) -> None:
    path.unlink()
    path.mkdir()


async def _wake(tx: Tx) -> None:
    tx.wake(PUBLISHING)


@pytest.mark.parametrize("harm", [lost, cut, unreadable])
def test_a_post_whose_file_cannot_be_read_is_tried_again(harm: Callable[[Path], None], running: RunningService) -> None:
    with Sandbox(running) as sandbox:
        owner = running.new_owner()
        (account,) = connected(sandbox, owner, "telegram")
        item = owner.session.post("/upload", content=picture()).json()
        stored = running.settings.data_dir / "media" / owner.id / item["id"]
        harm(stored)
        target = {"accountId": account, "options": {"chatId": CHANNEL}}
        body = {"profileId": owner.profile_id, "media": [{"mediaId": item["id"]}], "targets": [target]}
        post = owner.session.post("/posts", json=body).json()

        def shown() -> dict[str, Any]:
            one: dict[str, Any] = owner.session.get(f"/posts/{post['id']}").json()["targets"][0]
            return one

        def failed() -> list[dict[str, Any]]:
            return [one for one in shown()["attempts"] if one["outcome"] == "media_unavailable"]

        (told,) = eventually(failed)
        assert told["stage"] == "send"
        assert shown()["status"] == "publishing"

        if stored.is_dir():
            stored.rmdir()
        stored.write_bytes(picture())
        running.clock.ahead += datetime.fromisoformat(told["nextAt"]) - running.clock.now() + timedelta(seconds=1)
        running.write(_wake)
        eventually(lambda: shown()["status"] == "published")
        feed = sandbox.control("feed", platform="telegram", account=CHANNEL)["data"]
        assert [file["sha256"] for message in feed for file in message["files"]] == [item["sha256"]]
