"""Posts, photos, videos, reels and stories of Pages."""

from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
import pytest

from sandbox.graph_media import MediaHost, checksum, jpeg, movie, mp4
from sandbox.graph_support import codes_of, error_of, signed_by
from sandbox.meta.signing_in import GRAPH, Meta
from socialgate_sandbox.vendors.meta.seed import ADA, BAKERY, BAKERY_IG, BRAM, CLIENT

FEED = f"{BAKERY}/feed"


@pytest.fixture
def token(meta: Meta) -> str:
    return meta.page(ADA, BAKERY)


def feed(meta: Meta, account: str = BAKERY) -> list[dict[str, Any]]:
    return list(meta.platform.act("feed", account=account)["data"])


def test_a_text_is_posted_read_changed_and_deleted(meta: Meta, token: str) -> None:
    created = meta.post(FEED, token, message="Fresh buns 🥐").json()
    assert set(created) == {"id"}
    assert created["id"].startswith(f"{BAKERY}_")
    fields = "id,message,created_time,permalink_url,status_type,is_published,from"
    seen = meta.get(created["id"], token, fields=fields).json()
    assert (seen["message"], seen["is_published"]) == ("Fresh buns 🥐", True)
    assert seen["status_type"] == "mobile_status_update"
    assert seen["from"] == {"name": "Lindqvist Bakery", "id": BAKERY}
    assert datetime.strptime(seen["created_time"], "%Y-%m-%dT%H:%M:%S%z").tzinfo is not None
    assert meta.post(created["id"], token, message="Sold out").json() == {"success": True}
    assert meta.get(created["id"], token, fields="message").json()["message"] == "Sold out"
    assert meta.delete(created["id"], token).json() == {"success": True}
    assert codes_of(meta.get(created["id"], token)) == (100, 33)
    assert meta.get(FEED, token).json() == {"data": []}


def test_a_link_and_read_after_write(meta: Meta, token: str) -> None:
    link = "https://example.com/menu"
    created = meta.post(FEED, token, message="Menu", link=link, fields="id,permalink_url").json()
    assert created["permalink_url"].startswith("https://www.facebook.com/")
    seen = meta.get(created["id"], token, fields="status_type,attachments{type,url}").json()
    assert seen["status_type"] == "shared_story"
    assert seen["attachments"] == {"data": [{"type": "share", "url": link}]}
    assert codes_of(meta.post(FEED, token, link="menu")) == (1500, None)
    assert codes_of(meta.post(FEED, token)) == (100, None)


def test_a_photo_by_address_makes_a_post_and_keeps_its_bytes(meta: Meta, token: str, host: MediaHost) -> None:
    content = jpeg(800, 600)
    created = meta.post(f"{BAKERY}/photos", token, url=host.add("bun.jpg", content), caption="One bun").json()
    assert set(created) == {"id", "post_id"}
    seen = meta.get(created["post_id"], token, fields="message,full_picture,attachments{media_type,media}").json()
    assert seen["message"] == "One bun"
    image = seen["attachments"]["data"][0]["media"]["image"]
    assert (image["width"], image["height"]) == (800, 600)
    assert meta.platform.running.client.get(seen["full_picture"]).content == content
    photo = meta.get(created["id"], token, fields="images,page_story_id").json()
    assert photo["page_story_id"] == created["post_id"]
    assert feed(meta)[0]["media"][0]["sha256"] == checksum(content)


def test_photos_are_uploaded_then_attached_to_one_post(meta: Meta, token: str) -> None:
    keys = []
    for number in range(2):
        answer = meta.platform.running.client.post(
            f"/meta/{GRAPH}/{BAKERY}/photos",
            data={"access_token": token, "published": "false"},
            files={"source": (f"{number}.jpg", jpeg(size=3000 + number), "image/jpeg")},
        )
        assert set(answer.json()) == {"id"}
        keys.append(answer.json()["id"])
    attached = msgspec.json.encode([{"media_fbid": key} for key in keys]).decode()
    created = meta.post(FEED, token, message="Two", attached_media=attached).json()
    row = meta.get(created["id"], token, fields="attachments{media_type,subattachments}").json()["attachments"]["data"][
        0
    ]
    assert row["media_type"] == "album"
    assert [part["target"]["id"] for part in row["subattachments"]["data"]] == keys
    assert [media["size"] for media in feed(meta)[0]["media"]] == [3000, 3001]
    again = meta.post(FEED, token, message="Again", **{"attached_media[0]": f'{{"media_fbid":"{keys[0]}"}}'})
    assert codes_of(again) == (100, None)


def test_bad_photos_are_refused(meta: Meta, token: str, host: MediaHost) -> None:
    path = f"{BAKERY}/photos"
    assert codes_of(meta.post(path, token)) == (324, None)
    assert codes_of(meta.post(path, token, url=f"{host.url}/missing.jpg")) == (324, 2069019)
    assert codes_of(meta.post(path, token, url=host.add("a.txt", b"hello"))) == (324, 2069019)
    assert codes_of(meta.post(path, token, url=host.add("a.jpg", jpeg(size=11 << 20)))) == (100, 1366046)
    assert feed(meta) == []


def test_a_large_photo_by_address_is_kept_whole(meta: Meta, token: str, host: MediaHost) -> None:
    content = jpeg(size=(3 << 20) + 17)
    meta.post(f"{BAKERY}/photos", token, url=host.add("big.jpg", content))
    assert feed(meta)[0]["media"][0]["sha256"] == checksum(content)


def test_media_out_of_reach_is_believed(meta: Meta, token: str) -> None:
    url = "https://cdn.example.com/bun.jpg"
    created = meta.post(f"{BAKERY}/photos", token, url=url).json()
    assert meta.get(created["id"], token, fields="source").json()["source"] == url


def test_a_scheduled_post_appears_when_its_time_has_come(meta: Meta, token: str) -> None:
    now = datetime.now(UTC)
    due = int((now + timedelta(hours=1)).timestamp())
    params = {"message": "Later", "published": "false", "scheduled_publish_time": due}
    key = meta.post(FEED, token, **params).json()["id"]
    assert meta.get(FEED, token).json() == {"data": []}
    row = meta.get(f"{BAKERY}/scheduled_posts", token, fields="id,is_published,scheduled_publish_time").json()["data"][
        0
    ]
    assert row == {"id": key, "is_published": False, "scheduled_publish_time": due}
    meta.platform.pass_time(3700)
    assert meta.get(f"{BAKERY}/scheduled_posts", token).json() == {"data": []}
    assert [post["id"] for post in meta.get(f"{BAKERY}/published_posts", token).json()["data"]] == [key]


@pytest.mark.parametrize("ahead", [timedelta(minutes=5), timedelta(days=31)])
def test_a_post_is_scheduled_ten_minutes_to_thirty_days_ahead(meta: Meta, token: str, ahead: timedelta) -> None:
    due = (datetime.now(UTC) + ahead).isoformat()
    answer = meta.post(FEED, token, message="x", published="false", scheduled_publish_time=due)
    assert codes_of(answer) == (100, 1363039)
    good = int((datetime.now(UTC) + timedelta(hours=1)).timestamp())
    assert codes_of(meta.post(FEED, token, message="x", scheduled_publish_time=good)) == (100, None)


def test_a_draft_is_published_by_hand(meta: Meta, token: str) -> None:
    key = meta.post(FEED, token, message="Draft", published="false").json()["id"]
    assert meta.get(key, token, fields="is_published").json()["is_published"] is False
    assert meta.post(key, token, is_published="true").json() == {"success": True}
    assert meta.get(key, token, fields="is_published").json()["is_published"] is True


def test_posts_are_listed_newest_first_between_two_times(meta: Meta, token: str) -> None:
    meta.post(FEED, token, message="one")
    meta.platform.pass_time(3600)
    middle = int(datetime.now(UTC).timestamp()) + 1800
    meta.post(FEED, token, message="two")
    rows = meta.get(f"{BAKERY}/posts", token, fields="message").json()["data"]
    assert [row["message"] for row in rows] == ["two", "one"]
    rows = meta.get(f"{BAKERY}/posts", token, fields="message", since=middle).json()["data"]
    assert [row["message"] for row in rows] == ["two"]
    rows = meta.get(f"{BAKERY}/posts", token, fields="message", until=middle).json()["data"]
    assert [row["message"] for row in rows] == ["one"]
    assert codes_of(meta.get(f"{BAKERY}/posts", token, since="whenever")) == (100, None)


def test_counts_are_shown_to_those_who_may_read_other_peoples_content(meta: Meta) -> None:
    token = meta.page(ADA, BAKERY)
    key = meta.post(FEED, token, message="x").json()["id"]
    fields = "comments.summary(true).limit(0),reactions.summary(total_count).limit(0)"
    seen = meta.get(key, token, fields=fields).json()
    assert seen["comments"]["summary"]["total_count"] == seen["reactions"]["summary"]["total_count"] == 0
    meta.delete("me/permissions", meta.long(ADA), permission="pages_read_user_content")
    assert codes_of(meta.get(key, token, fields=fields), 403) == (10, None)


def test_only_a_publisher_with_a_pages_token_publishes(meta: Meta) -> None:
    assert codes_of(meta.post(FEED, meta.long(ADA), message="x"), 403) == (200, None)
    onlooker = meta.page(BRAM, CLIENT)
    assert codes_of(meta.post(f"{CLIENT}/feed", onlooker, message="x"), 403) == (200, None)
    token = meta.page(ADA, BAKERY)
    meta.delete("me/permissions", meta.long(ADA), permission="pages_manage_posts")
    assert codes_of(meta.post(FEED, token, message="x"), 403) == (200, None)
    assert feed(meta) == []


def test_a_subscribed_app_is_told_of_the_pages_own_posts(meta: Meta, token: str) -> None:
    meta.post(f"{BAKERY}/subscribed_apps", token, subscribed_fields="feed")
    key = meta.post(FEED, token, message="Smörgås").json()["id"]
    request = meta.platform.arrived()[0]
    assert signed_by(meta.platform.secret, request)
    # Whatever is not ASCII is escaped before it is signed.
    assert b"Sm\\u00f6rg\\u00e5s" in request.body
    entry = request.json["entry"][0]
    value = entry["changes"][0]["value"]
    assert (entry["id"], value["post_id"], value["item"], value["verb"]) == (BAKERY, key, "status", "add")
    meta.delete(key, token)
    assert meta.platform.arrived(2)[1].json["entry"][0]["changes"][0]["value"]["verb"] == "remove"


def test_a_video_by_address_is_processed_for_a_while(meta: Meta, token: str, host: MediaHost) -> None:
    content = mp4()
    params = {"file_url": host.add("a.mp4", content), "description": "How we bake", "title": "Bread"}
    answer = meta.platform.post(f"graph-video.facebook.com/v26.0/{BAKERY}/videos", access_token=token, **params)
    key = answer.json()["id"]
    assert meta.get(key, token, fields="status").json()["status"]["video_status"] == "processing"
    assert meta.get(FEED, token).json() == {"data": []}
    meta.platform.pass_time(6)
    seen = meta.get(key, token, fields="status,description,source").json()
    assert seen["status"]["video_status"] == "ready"
    assert seen["status"]["publishing_phase"]["publish_status"] == "published"
    assert meta.platform.running.client.get(seen["source"]).content == content
    post = meta.get(FEED, token, fields="message,attachments{target}").json()["data"][0]
    assert post["attachments"]["data"][0]["target"]["id"] == key
    assert codes_of(meta.post(f"{BAKERY}/videos", token, file_url=f"{host.url}/none.mp4")) == (389, None)


def send_chunk(meta: Meta, token: str, session: str, offset: int, chunk: bytes) -> Any:
    return meta.platform.running.client.post(
        f"/meta/{GRAPH}/{BAKERY}/videos",
        data={
            "access_token": token,
            "upload_phase": "transfer",
            "upload_session_id": session,
            "start_offset": str(offset),
        },
        files={"video_file_chunk": ("chunk", chunk, "application/octet-stream")},
    )


def test_a_video_in_chunks(meta: Meta, token: str) -> None:
    content, path = mp4(5 << 20), f"{BAKERY}/videos"
    begun = meta.post(path, token, upload_phase="start", file_size=len(content)).json()
    assert set(begun) == {"video_id", "upload_session_id", "start_offset", "end_offset"}
    session = begun["upload_session_id"]
    start, end = int(begun["start_offset"]), int(begun["end_offset"])
    early = meta.post(path, token, upload_phase="finish", upload_session_id=session)
    assert codes_of(early) == (6000, 1363030)
    wrong = error_of(send_chunk(meta, token, session, 7, content[:9]))
    assert (wrong["code"], wrong["error_subcode"]) == (6001, 1363037)
    assert wrong["error_data"] == {"start_offset": "0", "end_offset": str(end)}
    while start < end:
        answer = send_chunk(meta, token, session, start, content[start:end]).json()
        start, end = int(answer["start_offset"]), int(answer["end_offset"])
    assert start == len(content)
    done = meta.post(path, token, upload_phase="finish", upload_session_id=session, description="Long")
    assert done.json() == {"success": True}
    meta.platform.pass_time(6)
    assert meta.get(begun["video_id"], token, fields="status").json()["status"]["video_status"] == "ready"
    assert feed(meta)[0]["media"][0]["sha256"] == checksum(content)


def upload(meta: Meta, url: str, token: str, content: bytes, **headers: str) -> Any:
    params = {"authorization": f"OAuth {token}", **headers}
    return meta.platform.running.client.post(url, content=content, headers=params)


def test_a_reel_is_uploaded_on_the_other_host(meta: Meta, token: str) -> None:
    content, path = mp4(30000), f"{BAKERY}/video_reels"
    begun = meta.post(path, token, upload_phase="start").json()
    assert "/rupload.facebook.com/video-upload/v26.0/" in begun["upload_url"]
    key = begun["video_id"]
    finish = {"upload_phase": "finish", "video_id": key, "video_state": "PUBLISHED", "description": "Kneading"}
    assert codes_of(meta.post(path, token, **finish)) == (6000, 1363130)
    refused = upload(meta, begun["upload_url"], token, content, offset="5", file_size=str(len(content)))
    assert refused.json()["debug_info"]["type"] == "ProcessingFailedError"
    answer = upload(meta, begun["upload_url"], token, content, offset="0", file_size=str(len(content)))
    assert answer.json() == {"success": True}
    assert meta.get(key, token, fields="status").json()["status"]["video_status"] == "upload_complete"
    assert meta.post(path, token, **finish).json()["success"] is True
    meta.platform.pass_time(6)
    seen = meta.get(key, token, fields="status,permalink_url").json()
    assert seen["status"]["processing_phase"] == {"status": "complete"}
    assert seen["permalink_url"] == f"/reel/{key}/"
    assert [row["id"] for row in meta.get(path, token).json()["data"]] == [key]
    assert feed(meta)[0] | {"kind": "reel", "text": "Kneading"} == feed(meta)[0]


@pytest.mark.parametrize(
    "content",
    [b"not a film", movie(2, 720, 1280), movie(9, 1280, 720), movie(9, 360, 640)],
    ids=["no video", "too short", "on its side", "too small"],
)
def test_a_reel_by_address_that_is_not_accepted_fails_while_it_is_processed(
    meta: Meta, token: str, host: MediaHost, content: bytes
) -> None:
    path = f"{BAKERY}/video_reels"
    begun = meta.post(path, token, upload_phase="start").json()
    answer = upload(meta, begun["upload_url"], token, b"", file_url=host.add("fake.mp4", content))
    assert answer.json() == {"success": True}
    meta.post(path, token, upload_phase="finish", video_id=begun["video_id"], video_state="PUBLISHED")
    meta.platform.pass_time(6)
    status = meta.get(begun["video_id"], token, fields="status").json()["status"]
    assert status["video_status"] == "error"
    assert status["processing_phase"]["errors"][0]["code"] == 1363024
    assert feed(meta) == []


def test_stories(meta: Meta, token: str, host: MediaHost) -> None:
    photo = meta.post(f"{BAKERY}/photos", token, url=host.add("s.jpg", jpeg()), published="false").json()["id"]
    first = meta.post(f"{BAKERY}/photo_stories", token, photo_id=photo).json()
    assert first["success"] is True
    begun = meta.post(f"{BAKERY}/video_stories", token, upload_phase="start").json()
    upload(meta, begun["upload_url"], token, b"", file_url=host.add("s.mp4", mp4()))
    second = meta.post(f"{BAKERY}/video_stories", token, upload_phase="finish", video_id=begun["video_id"]).json()
    rows = meta.get(f"{BAKERY}/stories", token, status="PUBLISHED").json()["data"]
    assert [row["post_id"] for row in rows] == [second["post_id"], first["post_id"]]
    assert set(rows[0]) == {"post_id", "status", "creation_time", "media_type", "media_id", "url"}
    meta.platform.pass_time(86401)
    assert meta.get(f"{BAKERY}/stories", token, status="PUBLISHED").json() == {"data": []}
    assert len(meta.get(f"{BAKERY}/stories", token, status="ARCHIVED").json()["data"]) == 2


def test_a_file_is_uploaded_for_the_app_and_used_by_its_handle(meta: Meta, token: str) -> None:
    content, app = mp4(1000), meta.platform.client_id
    params = {"file_name": "a.mp4", "file_length": len(content), "file_type": "video/mp4"}
    session = meta.post(f"{app}/uploads", token, **params).json()["id"]
    assert session.startswith("upload:")
    url = f"/meta/{GRAPH}/{session}"
    half = upload(meta, url, token, content[:400], file_offset="0").json()
    assert half["file_offset"] == 400
    assert meta.get(session, token).json()["file_offset"] == 400
    handle = upload(meta, url, token, content[400:], file_offset="400").json()["h"]
    meta.post(f"{BAKERY}/videos", token, fbuploader_video_file_chunk=handle)
    assert feed(meta)[0]["media"][0]["sha256"] == checksum(content)


def test_processing_can_be_made_slow_or_fail(meta: Meta, token: str, host: MediaHost) -> None:
    meta.platform.act("process", account=BAKERY, seconds=100, failure=1363008)
    key = meta.post(f"{BAKERY}/videos", token, file_url=host.add("a.mp4", mp4())).json()["id"]
    meta.platform.pass_time(90)
    assert meta.get(key, token, fields="status").json()["status"]["video_status"] == "processing"
    meta.platform.pass_time(20)
    assert meta.get(key, token, fields="status").json()["status"]["video_status"] == "error"
    order = {"platform": "meta", "account": "0"}
    assert meta.platform.running.client.post("/_control/feed", json=order).status_code == 404
    assert feed(meta, BAKERY_IG) == []
