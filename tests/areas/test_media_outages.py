"""A media storage that is gone, hangs or denies access: the health says so, uploads fail at once, and both recover."""

import asyncio
import time
from pathlib import Path
from typing import Any

import httpx
import pytest
from PIL import Image

from socialgate.core.clock import SystemClock
from socialgate.core.storage_watch import STORAGE_CHECK_INTERVAL_SECONDS
from socialgate.entry.doctor import run_checks
from support.object_store import Mode, object_store
from support.problems import problem_of
from support.processes import free_port
from support.service import OwnerFixture, RunningService, running_service
from support.waiting import eventually

URL = "s3://bucket/files"
PIECE = {"Content-Type": "application/offset+octet-stream", "Upload-Offset": "0"}


def storage_of(running: RunningService) -> dict[str, Any]:
    """Ask for the health, which never waits for the storage."""
    started = time.monotonic()
    health = running.client().get("/health").json()
    assert time.monotonic() - started < STORAGE_CHECK_INTERVAL_SECONDS
    result: dict[str, Any] = health["checks"]["storage"]
    assert (health["status"] == "degraded") >= (result["status"] == "degraded")
    return result


def wait_for(running: RunningService, status: str) -> str:
    """Wait until the check in the background has noticed, and give what it says."""
    return str(eventually(lambda: (storage := storage_of(running))["status"] == status and [storage["detail"]])[0])


def post_by_url(owner: OwnerFixture) -> httpx.Response:
    """Validate a post with a file that has to be fetched. It must not even be asked for while nothing can be stored."""
    body = {"profileId": owner.profile_id, "media": [{"url": "https://files.example.com/x.png"}], "draft": True}
    return owner.session.post("/posts/validate", json=body)


def picture(folder: Path) -> bytes:
    Image.new("RGB", (8, 8)).save(folder / "x.png")
    return (folder / "x.png").read_bytes()


@pytest.mark.parametrize(
    ("mode", "reason"),
    [
        ("denies", "it denies access"),
        ("fails", "it returned the status 500"),
        ("has no bucket", "the bucket or folder does not exist"),
        ("hangs", "it did not respond within 5 s"),
    ],
)
def test_an_outage_is_noticed_and_uploads_fail_at_once_until_it_ends(
    mode: Mode, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with (
        object_store(monkeypatch) as objects,
        running_service(tmp_path / "data", storage_url=URL, storage_check_seconds=1) as running,
    ):
        owner = running.new_owner()
        wait_for(running, "ok")
        location = owner.session.post("/uploads", headers={"Upload-Length": "5"}).headers["location"]
        assert owner.session.post("/upload", content=picture(tmp_path)).status_code == 201
        objects.mode = mode
        message = wait_for(running, "degraded")
        assert reason in message
        assert "AKIA" not in message
        before = objects.requests.copy()
        for refused in (
            owner.session.post("/upload", content=b"12345"),
            owner.session.post("/uploads", headers={"Upload-Length": "5"}),
            owner.session.patch(location, content=b"12345", headers=PIECE),
        ):
            problem = problem_of(refused, 503, "storage_unavailable")
            assert reason in problem["detail"]
            assert problem["retryAfter"] >= 1
        # Nothing but the check asked the storage: without knowing, an upload would have tried, and tried again.
        assert objects.requests["POST"] - before["POST"] == objects.requests["DELETE"] - before["DELETE"]
        # All else goes on.
        assert owner.session.post("/profiles", json={"name": "Another"}).status_code == 201
        objects.mode = "works"
        wait_for(running, "ok")
        assert owner.session.patch(location, content=b"12345", headers=PIECE).status_code == 204
        assert owner.session.post("/upload", content=picture(tmp_path)).status_code == 201


def test_a_storage_that_refuses_connections_is_noticed_and_found_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    port = free_port()
    with object_store(monkeypatch, port):
        pass
    with running_service(tmp_path / "data", storage_url=URL, storage_check_seconds=1) as running:
        owner = running.new_owner()
        assert "does not respond" in wait_for(running, "degraded")
        problem_of(owner.session.post("/upload", content=b"12345"), 503, "storage_unavailable")
        with object_store(monkeypatch, port):
            wait_for(running, "ok")
            assert owner.session.post("/upload", content=picture(tmp_path)).status_code == 201


def test_a_file_is_not_fetched_while_it_could_not_be_stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with (
        object_store(monkeypatch) as objects,
        running_service(tmp_path / "data", storage_url=URL, storage_check_seconds=1) as running,
    ):
        objects.mode = "denies"
        wait_for(running, "degraded")
        owner = running.new_owner()
        problem_of(post_by_url(owner), 503, "storage_unavailable")


def test_the_check_leaves_nothing_and_is_not_made_more_often_because_somebody_asks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with object_store(monkeypatch) as objects, running_service(tmp_path / "data", storage_url=URL) as running:
        eventually(lambda: objects.requests["DELETE"])
        for _ in range(50):
            assert storage_of(running) == {"status": "ok", "detail": None}
        # Only the check deletes something; the fence of restores writes and reads numbers of its own.
        assert objects.requests["DELETE"] == 1
        assert [path for path in objects.objects if "/fence/" not in path] == []


def test_without_credentials_the_reason_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with object_store(monkeypatch) as objects:
        objects.mode = "has no bucket"
        for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
            monkeypatch.delenv(name)
        # What a machine of AWS asks for its credentials; here nobody knows any.
        monkeypatch.setenv("AWS_METADATA_ENDPOINT", objects.url)
        with running_service(tmp_path / "data", storage_url=URL, storage_check_seconds=1) as running:
            assert "no credentials are configured" in wait_for(running, "degraded")


@pytest.mark.parametrize(("mode", "words"), [("denies", "AWS_ACCESS_KEY_ID"), ("hangs", "did not respond")])
def test_the_doctor_makes_the_same_check(
    mode: Mode, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SOCIALGATE_DATA_DIR", str(tmp_path))
    monkeypatch.setenv("SOCIALGATE_STORAGE_URL", URL)
    monkeypatch.setenv("SOCIALGATE_PORT", "0")
    with object_store(monkeypatch) as objects:
        assert "✓ media: media files are stored in s3://bucket/files" in examined(capsys)
        objects.mode = mode
        message = examined(capsys)
        assert "✗ media: The media storage cannot be used" in message
        assert words in message


def examined(capsys: pytest.CaptureFixture[str]) -> str:
    asyncio.run(run_checks(SystemClock()))
    return capsys.readouterr().out


def test_a_folder_is_checked_too(tmp_path: Path) -> None:
    with running_service(tmp_path / "data", storage_check_seconds=1) as running:
        owner = running.new_owner()
        wait_for(running, "ok")
        folder = tmp_path / "data" / "media"
        assert [path.name for path in folder.iterdir() if path.is_file()] == []
        moved = folder.rename(tmp_path / "elsewhere")
        assert "does not exist" in wait_for(running, "degraded")
        problem_of(owner.session.post("/upload", content=b"12345"), 503, "storage_unavailable")
        moved.rename(folder)
        wait_for(running, "ok")
        assert owner.session.post("/upload", content=b"12345").status_code == 201


def test_a_bucket_that_does_not_exist_is_not_a_missing_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before the first check has ended, an upload finds it out itself."""
    with (
        object_store(monkeypatch) as objects,
        running_service(tmp_path / "data", storage_url=URL, storage_check_seconds=3600) as running,
    ):
        eventually(lambda: objects.requests["DELETE"])
        objects.mode = "has no bucket"
        refused = running.new_owner().session.post("/upload", content=b"12345")
        problem_of(refused, 503, "storage_unavailable")
