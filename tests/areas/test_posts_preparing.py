"""Posts whose files do not fit a platform: what would be changed is said before, and done before they are published."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest
import sqlalchemy as sa
from PIL import Image

from socialgate.areas.media.renditions import store
from socialgate.areas.media.renditions.converter import find_ffmpeg
from socialgate.areas.media.renditions.job import PREPARE_JOB
from socialgate.areas.media.store import MediaRow, sum_used_bytes
from socialgate.core.db import Tx
from socialgate.core.jobs.job_store import jobs
from support.connections import connect_accounts
from support.conversions import film, save
from support.sandbox import Sandbox
from support.service import OwnerFixture, RunningService, StartService
from support.waiting import eventually

pytestmark = pytest.mark.both_engines

H264 = ("-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p", "-movflags", "+faststart")
SETTLED = {"published", "partial", "failed"}


def upload(owner: OwnerFixture, data: bytes, name: str = "bread") -> dict[str, Any]:
    answer = owner.session.post("/upload", params={"fileName": name}, content=data)
    assert answer.status_code == 201, answer.text
    item: dict[str, Any] = answer.json()
    return item


def body(owner: OwnerFixture, account: str, media_id: str, **fields: Any) -> dict[str, Any]:
    target = {"accountId": account, **fields.pop("target", {})}
    media = [{"mediaId": media_id, **fields.pop("media", {})}]
    return {"profileId": owner.profile_id, "content": "Fresh bread", "media": media, "targets": [target], **fields}


def create(owner: OwnerFixture, request: dict[str, Any]) -> dict[str, Any]:
    answer = owner.session.post("/posts", json=request)
    assert answer.is_success, answer.text
    post: dict[str, Any] = answer.json()
    return post


def show(owner: OwnerFixture, post: dict[str, Any]) -> dict[str, Any]:
    shown: dict[str, Any] = owner.session.get(f"/posts/{post['id']}").json()
    return shown


def wait_for_end(owner: OwnerFixture, post: dict[str, Any]) -> dict[str, Any]:
    eventually(lambda: show(owner, post)["status"] in SETTLED)
    return show(owner, post)


def read_renditions(owner: OwnerFixture, media_id: str) -> list[dict[str, Any]]:
    items = owner.session.get("/media").json()["data"]
    assert [item["id"] for item in items] == [media_id], "what was made of a file is not one of the owner's files"
    renditions: list[dict[str, Any]] = items[0]["renditions"]
    return renditions


def test_a_file_is_made_to_fit_and_published(owner: OwnerFixture, sandbox: Sandbox) -> None:
    (account,) = connect_accounts(sandbox, owner, "threads")
    original = save(Image.new("RGB", (96, 64), "teal"), "HEIF")
    item = upload(owner, original, "bread.heic")
    assert (item["mimeType"], item["width"], item["renditions"]) == ("image/heic", 96, [])
    verdict = owner.session.post("/posts/validate", json=body(owner, account, item["id"])).json()
    assert verdict["valid"], verdict
    (change,) = verdict["targets"][0]["changes"]
    assert (change["mediaId"], change["what"], change["from"], change["to"]) == (
        item["id"],
        "format",
        "image/heic",
        "image/jpeg",
    )
    post = create(owner, body(owner, account, item["id"]))
    assert (post["status"], post["targets"][0]["status"]) == ("preparing", "preparing")
    ended = wait_for_end(owner, post)
    assert ended["status"] == "published", ended
    (rendition,) = read_renditions(owner, item["id"])
    assert (rendition["for"], rendition["mimeType"], rendition["why"]) == (
        "threads",
        "image/jpeg",
        [{name: change[name] for name in ("what", "from", "to", "why")}],
    )
    assert (rendition["duration"], rendition["size"]) == (None, len(httpx.get(rendition["url"]).content))
    number = owner.session.get("/accounts").json()["data"][0]["platformAccountId"]
    # Others publish to this account too; the newest comes first.
    shown = sandbox.control("feed", platform="threads", account=number)["data"][0]
    assert shown["media"], "Threads does not accept HEIC"
    tasks = owner.session.get("/tasks", params={"type": "media.prepare"}).json()["data"]
    assert [task["status"] for task in tasks] == ["succeeded"]


def test_a_result_is_made_once_and_deleted_with_its_file(owner: OwnerFixture, sandbox: Sandbox) -> None:
    (account,) = connect_accounts(sandbox, owner, "threads")
    item = upload(owner, save(Image.new("RGB", (80, 80), "navy"), "BMP"))
    due = {"scheduledFor": (datetime.now(UTC) + timedelta(days=2)).isoformat()}
    posts = [create(owner, body(owner, account, item["id"], **due)) for _ in range(2)]
    assert {post["status"] for post in posts} == {"scheduled"}
    eventually(lambda: read_renditions(owner, item["id"]))
    tasks = owner.session.get("/tasks", params={"type": "media.prepare"}).json()["data"]
    assert len(tasks) == 1, "both posts need the same file"
    for post in posts:
        assert owner.session.delete(f"/posts/{post['id']}").is_success
    source = owner.running.read(store.list_renditions, owner.id, [item["sha256"]])[item["sha256"]][0]
    assert owner.session.delete(f"/media/{item['id']}").is_success
    (row,) = owner.running.read(store.list_renditions, owner.id, [item["sha256"]])[item["sha256"]]
    assert row.id == source.id
    assert row.expires_at is not None
    assert row.expires_at < source.expires_at


def test_a_file_that_cannot_be_made_to_fit_is_reported_before_the_post_is_due(
    owner: OwnerFixture, sandbox: Sandbox
) -> None:
    (account,) = connect_accounts(sandbox, owner, "threads")
    damaged = upload(owner, save(Image.new("RGB", (80, 80), "navy"), "BMP")[:-5000])
    due = {"scheduledFor": (datetime.now(UTC) + timedelta(days=2)).isoformat()}
    post = create(owner, body(owner, account, damaged["id"], **due))
    error = eventually(lambda: show(owner, post)["targets"][0]["error"])
    assert (error["code"], error["source"], error["retryable"]) == ("media_not_convertible", "user", False)
    assert error["detail"].startswith("The image is damaged, or saved in a way that cannot be read. ")
    events = owner.session.get("/events").json()["data"]
    (event,) = (event for event in events if event["event"] == "post.file.failed")
    assert (event["data"]["postId"], event["data"]["accountId"], event["data"]["error"]) == (post["id"], account, error)
    assert show(owner, post)["status"] == "scheduled"
    at_once = wait_for_end(owner, create(owner, body(owner, account, damaged["id"])))
    assert (at_once["status"], at_once["targets"][0]["error"]["code"]) == ("failed", "media_not_convertible")


def test_an_edit_that_is_impossible_is_one_fault_at_its_field(owner: OwnerFixture, sandbox: Sandbox) -> None:
    """Nothing else is said about the file: what it would be after a right edit is unknown."""
    accounts = [*connect_accounts(sandbox, owner, "threads"), *connect_accounts(sandbox, owner, "telegram")]
    image = upload(owner, save(Image.new("RGB", (96, 64), "teal"), "JPEG"))
    # Longer than Threads accepts.
    clip = upload(owner, film("mp4", *H264, source="color=c=teal:s=64x64:r=5:d=360"))
    cover = {"thumbnailMediaId": image["id"]}
    for item, edit, faults in (
        (image, {"trim": {"end": 1}}, [("trim", "media_type")]),
        (image, {"coverAt": 0}, [("coverAt", "media_type")]),
        (image, cover, [("thumbnailMediaId", "media_type")]),
        (image, {"coverAt": 0, "trim": {"end": 1}}, [("trim", "media_type"), ("coverAt", "media_type")]),
        (clip, {"trim": {"start": 20, "end": 10}}, [("trim/end", "out_of_range")]),
        (clip, {"trim": {"start": 400}}, [("trim/start", "out_of_range")]),
        (clip, {"trim": {"start": 100, "end": 400}}, [("trim/end", "out_of_range")]),
        (clip, {"trim": {"start": 1, "end": 1.0001}}, [("trim", "too_short")]),
        (clip, {"trim": {"end": 60}, "coverAt": 360}, [("coverAt", "out_of_range")]),
        (clip, {"trim": {"end": 60}, "coverAt": 1, **cover}, [("coverAt", "contradiction")]),
        (clip, {"trim": {"end": 60}}, []),
        (clip, {"trim": {"start": 300, "end": 360.04}}, []),
    ):
        request = body(owner, accounts[0], item["id"], media=edit)
        request["targets"].append({"accountId": accounts[1], "options": {"chatId": "@bakerylima"}})
        verdict = owner.session.post("/posts/validate", json=request).json()
        seen = [(error["pointer"], error["code"]) for error in verdict["errors"]]
        assert seen == [(f"/media/0/{field}", code) for field, code in faults], (edit, verdict)


def test_a_part_that_a_platform_does_not_accept_is_a_fault_of_the_part(owner: OwnerFixture, sandbox: Sandbox) -> None:
    (account,) = connect_accounts(sandbox, owner, "threads")
    clip = upload(owner, film("mp4", *H264, source="color=c=teal:s=64x64:r=5:d=360"))
    request = body(owner, account, clip["id"], media={"trim": {"start": 5}})
    (error,) = owner.session.post("/posts/validate", json=request).json()["errors"]
    assert (error["pointer"], error["code"], error["detail"]) == (
        "/targets/0/media/0/trim",
        "too_long",
        "The part lasts 355 s, but Threads accepts at most 300 s. Choose a shorter one.",
    )


def test_a_target_or_a_profile_can_refuse_changes(owner: OwnerFixture, sandbox: Sandbox) -> None:
    (account,) = connect_accounts(sandbox, owner, "threads")
    item = upload(owner, save(Image.new("RGB", (80, 80), "navy"), "BMP"))
    refused = body(owner, account, item["id"], target={"fit": {"mode": "none"}})
    assert not owner.session.post("/posts/validate", json=refused).json()["valid"]
    changed = owner.session.patch(f"/profiles/{owner.profile_id}", json={"fit": {"mode": "none"}})
    assert changed.json()["fit"]["mode"] == "none", changed.text
    verdict = owner.session.post("/posts/validate", json=body(owner, account, item["id"])).json()
    assert [error["code"] for error in verdict["errors"]] == ["media_type"]
    allowed = body(owner, account, item["id"], target={"fit": {"mode": "pad", "background": "blur"}})
    assert owner.session.post("/posts/validate", json=allowed).json()["valid"]
    post = create(owner, {**allowed, "draft": True})
    assert post["targets"][0]["fit"] == {"mode": "pad", "background": "blur", "focus": None}


def test_results_use_limited_storage_and_are_made_again_when_they_are_needed(start_service: StartService) -> None:
    """There is room for one result: the other one expires, and is made again for the post that is published."""
    gib = 1024**3
    with start_service(renditions_per_owner_gib=2 / gib) as running, Sandbox(running) as sandbox:
        owner = running.new_owner()
        (account,) = connect_accounts(sandbox, owner, "threads")
        items = [upload(owner, save(Image.new("RGB", (90, 90), color), "BMP"), color) for color in ("navy", "teal")]
        posts = []
        for item, days in zip(items, (3, 2), strict=True):
            due = {"scheduledFor": (running.clock.now() + timedelta(days=days)).isoformat()}
            posts.append(create(owner, body(owner, account, item["id"], **due)))
            eventually(partial(find_rows, owner, item))
        later, sooner = (find_rows(owner, item)[0] for item in items)
        assert later.expires_at is not None
        assert later.expires_at <= running.clock.now(), "what is needed last makes room"
        assert sooner.expires_at is not None
        assert sooner.expires_at > running.clock.now() + timedelta(days=2)
        running.clock.offset += timedelta(days=3, minutes=1)
        sandbox.control("clock", advance=timedelta(days=3, minutes=1).total_seconds())
        for post in posts:
            assert wait_for_end(owner, post)["status"] == "published"


def find_rows(owner: OwnerFixture, item: dict[str, Any]) -> list[MediaRow]:
    rows: dict[str, list[MediaRow]] = owner.running.read(store.list_renditions, owner.id, [item["sha256"]])
    return rows[item["sha256"]]


@contextmanager
def almost_full_service(start_service: StartService, original: bytes, **settings: Any) -> Iterator[RunningService]:
    """Start a service with space for a file and a smaller one, but not for what is made of the first."""
    with start_service(storage_per_owner_gib=(len(original) + 12_500) / 1024**3, **settings) as running:
        yield running


ORIGINAL = save(Image.effect_noise((96, 96), 90).convert("RGB"), "BMP")
OBSTACLE = save(Image.new("RGB", (60, 60), "teal"), "BMP")


def list_preparations(owner: OwnerFixture) -> list[str]:
    tasks = owner.session.get("/tasks", params={"type": "media.prepare"}).json()["data"]
    return [task["status"] for task in tasks]


def test_results_need_no_storage_of_their_owner_if_the_setting_says_so(start_service: StartService) -> None:
    full = almost_full_service(start_service, ORIGINAL, storage_counts_renditions=False)
    with full as running, Sandbox(running) as sandbox:
        owner = running.new_owner()
        (account,) = connect_accounts(sandbox, owner, "threads")
        item = upload(owner, ORIGINAL)
        due = {"scheduledFor": (running.clock.now() + timedelta(days=2)).isoformat()}
        create(owner, body(owner, account, item["id"], **due))
        eventually(lambda: read_renditions(owner, item["id"]))


def test_a_file_without_space_is_made_to_fit_before_its_post_is_due_if_space_becomes_free(
    start_service: StartService,
) -> None:
    with almost_full_service(start_service, ORIGINAL) as running, Sandbox(running) as sandbox:
        owner = running.new_owner()
        (account,) = connect_accounts(sandbox, owner, "threads")
        item, obstacle = upload(owner, ORIGINAL), upload(owner, OBSTACLE)
        due = {"scheduledFor": (running.clock.now() + timedelta(days=2)).isoformat()}
        post = create(owner, body(owner, account, item["id"], **due))
        error = eventually(lambda: show(owner, post)["targets"][0]["error"])
        assert error["code"] == "storage_quota_reached"
        assert list_preparations(owner) == ["queued"]
        assert owner.session.delete(f"/media/{obstacle['id']}").is_success
        running.clock.offset += timedelta(minutes=11)
        eventually(lambda: list_preparations(owner) == ["succeeded"])
        shown = show(owner, post)
        assert (shown["status"], shown["targets"][0]["error"]) == ("scheduled", None)
        assert len(read_renditions(owner, item["id"])) == 1


@pytest.mark.parametrize("has_space", [True, False], ids=["with space", "without"])
@pytest.mark.parametrize("wait", [timedelta(minutes=5), timedelta(minutes=15)], ids=["gave up", "waits"])
def test_a_file_without_space_is_made_to_fit_when_its_post_is_due(
    start_service: StartService, wait: timedelta, *, has_space: bool
) -> None:
    with almost_full_service(start_service, ORIGINAL) as running, Sandbox(running) as sandbox:
        owner = running.new_owner()
        (account,) = connect_accounts(sandbox, owner, "threads")
        item, obstacle = upload(owner, ORIGINAL), upload(owner, OBSTACLE)
        due = {"scheduledFor": (running.clock.now() + wait).isoformat()}
        post = create(owner, body(owner, account, item["id"], **due))
        error = eventually(lambda: show(owner, post)["targets"][0]["error"])
        if has_space:
            assert owner.session.delete(f"/media/{obstacle['id']}").is_success
        running.clock.offset += wait + timedelta(seconds=1)
        sandbox.control("clock", advance=(wait + timedelta(seconds=1)).total_seconds())
        ended = wait_for_end(owner, post)
        if has_space:
            assert (ended["status"], ended["targets"][0]["error"]) == ("published", None), ended
            assert len(read_renditions(owner, item["id"])) == 1
            assert list_preparations(owner).count("succeeded") == 1
        else:
            assert (ended["status"], ended["targets"][0]["error"]["code"]) == ("failed", error["code"]), ended


def test_what_is_accepted_is_published_as_it_is(owner: OwnerFixture, sandbox: Sandbox) -> None:
    (account,) = connect_accounts(sandbox, owner, "threads")
    out = BytesIO()
    Image.new("RGB", (640, 640), "teal").save(out, "JPEG")
    item = upload(owner, out.getvalue())
    post = create(owner, body(owner, account, item["id"]))
    assert post["status"] == "publishing"
    assert wait_for_end(owner, post)["status"] == "published"
    assert read_renditions(owner, item["id"]) == []


GUIDE = Path(__file__).parents[2] / "docs" / "media.md"
_EXAMPLE = re.compile(r"curl -s (?:-X (\w+) )?\$SOCIALGATE_URL(\S+) [^']*-d '(.*?)'\n```", re.DOTALL)
_VARIABLE = re.compile(r"'?\$(\w+)'?")


def test_the_requests_of_the_guide_are_accepted(owner: OwnerFixture, sandbox: Sandbox) -> None:
    chapter = GUIDE.read_text(encoding="utf-8").partition("\n### In a request\n")[2].partition("\n### ")[0]
    pages = {row["kind"]: row["id"] for row in find_accounts(sandbox, owner)}
    values = {
        "PROFILE": owner.profile_id,
        "INSTAGRAM": pages["instagram"],
        "FACEBOOK": pages["facebook_page"],
    }
    files = {
        "https://example.com/bread.jpg": upload(owner, save(Image.new("RGB", (1500, 380), "teal"), "JPEG"))["id"],
        "https://example.com/bread.mp4": upload(owner, film("mp4", *H264, source="color=s=540x960:r=25:d=6"))["id"],
    }
    examples = _EXAMPLE.findall(chapter)
    assert len(examples) == 4
    for verb, path, text in examples:
        request = json.loads(_VARIABLE.sub(lambda match: values[match[1]], text))
        for file in request.get("media", ()):
            file["mediaId"] = files[file.pop("url")]
        if verb:
            url = path.replace("$PROFILE", owner.profile_id)
            assert owner.session.request(verb, url, json=request).json()["fit"] == {**request["fit"], "focus": None}
            continue
        verdict = owner.session.post(f"{path}/validate", json=request).json()
        assert (verdict["valid"], verdict["warnings"]) == (True, []), verdict
        assert any(target["changes"] for target in verdict["targets"])


def find_accounts(sandbox: Sandbox, owner: OwnerFixture) -> list[dict[str, Any]]:
    connect_accounts(sandbox, owner, "meta")
    accounts: list[dict[str, Any]] = owner.session.get("/accounts").json()["data"]
    return accounts


def test_a_file_is_prepared_from_another_one_with_the_same_content(start_service: StartService) -> None:
    """The first of two uploads of the same file is deleted before its conversion starts."""
    with start_service() as running, Sandbox(running) as sandbox:
        owner = running.new_owner()
        (account,) = connect_accounts(sandbox, owner, "threads")
        data = save(Image.new("RGB", (70, 70), "navy"), "BMP")
        first, second = upload(owner, data, "first.bmp"), upload(owner, data, "second.bmp")
        due = {"scheduledFor": (running.clock.now() + timedelta(days=2)).isoformat()}
        with little_disk_space():
            posts = [create(owner, body(owner, account, item["id"], **due)) for item in (first, second)]
            eventually(lambda: show(owner, posts[0])["targets"][0]["error"])
            assert owner.session.delete(f"/posts/{posts[0]['id']}").is_success
            assert owner.session.delete(f"/media/{first['id']}").is_success
        running.clock.offset += timedelta(minutes=11)
        eventually(lambda: list_preparations(owner) == ["succeeded"])
        assert show(owner, posts[1])["targets"][0]["error"] is None
        assert len(read_renditions(owner, second["id"])) == 1


class DiskUsage(NamedTuple):
    total: int
    used: int
    free: int


async def list_tries(tx: Tx, owner_id: str) -> list[tuple[str, int]]:
    statement = sa.select(jobs.c.status, jobs.c.tries).where(jobs.c.owner_id == owner_id, jobs.c.type == PREPARE_JOB)
    return [(row.status, row.tries) for row in await tx.all(statement)]


@contextmanager
def little_disk_space() -> Iterator[None]:
    """Leave no space on any disk, as the system reports it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("shutil.disk_usage", lambda _: DiskUsage(1 << 40, 1 << 40, 0))
        yield


def test_a_full_disk_delays_preparations_and_uses_up_no_attempts(start_service: StartService) -> None:
    with start_service() as running, Sandbox(running) as sandbox:
        owner = running.new_owner()
        (account,) = connect_accounts(sandbox, owner, "threads")
        item = upload(owner, save(Image.new("RGB", (70, 70), "navy"), "BMP"))
        due = {"scheduledFor": (running.clock.now() + timedelta(days=2)).isoformat()}
        with little_disk_space():
            post = create(owner, body(owner, account, item["id"], **due))
            error = eventually(lambda: show(owner, post)["targets"][0]["error"])
            assert (error["code"], error["source"], error["retryable"]) == ("storage_full", "system", True)
            eventually(lambda: running.read(list_tries, owner.id) == [("queued", 0)])
        running.clock.offset += timedelta(minutes=11)
        eventually(lambda: list_preparations(owner) == ["succeeded"])
        shown = show(owner, post)
        assert (shown["status"], shown["targets"][0]["error"]) == ("scheduled", None)


def test_a_post_says_why_its_files_have_to_wait(start_service: StartService) -> None:
    """One that is due is tried again soon; one that is not learns from an earlier one that there is no space."""
    with start_service() as running, Sandbox(running) as sandbox:
        owner = running.new_owner()
        (account,) = connect_accounts(sandbox, owner, "threads")
        items = [upload(owner, save(Image.new("RGB", (70, 70), color), "BMP")) for color in ("navy", "teal")]
        due = {"scheduledFor": (running.clock.now() + timedelta(days=2)).isoformat()}
        with little_disk_space():
            first = create(owner, body(owner, account, items[0]["id"], **due))
            eventually(lambda: show(owner, first)["targets"][0]["error"])
            later = create(owner, body(owner, account, items[0]["id"], **due))
            assert show(owner, later)["targets"][0]["error"]["code"] == "storage_full"
            now = create(owner, body(owner, account, items[1]["id"]))
            eventually(lambda: find_waiting_errors(owner) == ["storage_full", "storage_full"])
            running.clock.offset += timedelta(seconds=31)
            attempt = eventually(lambda: show(owner, now)["targets"][0]["attempts"])[-1]
            assert (attempt["stage"], attempt["outcome"]) == ("prepare", "storage_full")
            assert (show(owner, now)["status"], attempt["nextAt"] is None) == ("preparing", False)
        running.clock.offset += timedelta(minutes=11)
        sandbox.control("clock", advance=timedelta(minutes=12).total_seconds())
        assert wait_for_end(owner, now)["status"] == "published"
        eventually(lambda: list_preparations(owner) == ["succeeded", "succeeded"])
        assert (find_waiting_errors(owner), show(owner, later)["targets"][0]["error"]) == ([], None)


def find_waiting_errors(owner: OwnerFixture) -> list[str]:
    tasks = owner.session.get("/tasks", params={"type": "media.prepare"}).json()["data"]
    assert all(task["error"] is None for task in tasks)
    return [task["lastError"]["code"] for task in tasks if task["lastError"] is not None]


def test_a_result_whose_file_was_deleted_meanwhile_is_not_stored(
    start_service: StartService, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The conversion waits until the file is gone."""
    is_started, may_end, program = tmp_path / "started", tmp_path / "end", tmp_path / "ffmpeg"
    program.write_text(
        f'#!/bin/sh\ntouch {is_started}\nwhile [ ! -e {may_end} ]; do sleep 0.02; done\nexec {find_ffmpeg()} "$@"\n'
    )
    program.chmod(0o700)
    monkeypatch.setattr("socialgate.areas.media.renditions.converter.find_ffmpeg", lambda: str(program))
    with start_service() as running, Sandbox(running) as sandbox:
        owner = running.new_owner()
        (account,) = connect_accounts(sandbox, owner, "threads")
        item = upload(owner, film("mkv", "-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p"))
        due = {"scheduledFor": (running.clock.now() + timedelta(days=2)).isoformat()}
        post = create(owner, body(owner, account, item["id"], **due))
        eventually(is_started.exists)
        assert owner.session.delete(f"/posts/{post['id']}").is_success
        assert owner.session.delete(f"/media/{item['id']}").is_success
        may_end.touch()
        eventually(lambda: list_preparations(owner) == ["failed"])
        assert find_rows(owner, item) == []
        assert running.read(sum_used_bytes, owner.id, None) == 0
        stored = {path.name for path in (running.settings.data_dir / "media" / owner.id).rglob("*") if path.is_file()}
        assert stored <= {item["id"]}
