"""Content Posting: bytes in chunks, URLs that are pulled, drafts, and what becomes of each."""

from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest

from sandbox.graph_media import jpeg, movie
from sandbox.media_host import MediaHost
from sandbox.tiktok.client import TikTok, clip, event_of
from socialgate_sandbox.vendors.tiktok import VENDOR
from socialgate_sandbox.vendors.tiktok.seed import ADA_OPEN_ID, BRAM_OPEN_ID, CLEO_OPEN_ID, TOUR_OPEN_ID
from support.simulation import WebhookReceiver, running_sandbox

MIB = 1 << 20
PUBLIC = {"privacy_level": "PUBLIC_TO_EVERYONE", "title": "Semlor are back 🍰"}
VIDEO = "post/publish/video/init/"
DRAFT = "post/publish/inbox/video/init/"
CONTENT = "post/publish/content/init/"


def upload_of(size: int, chunk: int | None = None, count: int = 1) -> dict[str, Any]:
    return {"source": "FILE_UPLOAD", "video_size": size, "chunk_size": chunk or size, "total_chunk_count": count}


def init(tiktok: TikTok, token: str, source: dict[str, Any], info: dict[str, Any] = PUBLIC) -> dict[str, Any]:
    answer = tiktok.post(VIDEO, token, {"post_info": info, "source_info": source})
    assert answer.status_code == 200, answer.text
    data: dict[str, Any] = answer.json()["data"]
    return data


def put(tiktok: TikTok, url: str, content: bytes, first: int, total: int) -> httpx.Response:
    span = f"bytes {first}-{first + len(content) - 1}/{total}"
    return tiktok.http.put(url, content=content, headers={"content-type": "video/mp4", "content-range": span})


def status(tiktok: TikTok, token: str, publish: str) -> dict[str, Any]:
    answer = tiktok.post("post/publish/status/fetch/", token, {"publish_id": publish})
    assert answer.status_code == 200, answer.text
    data: dict[str, Any] = answer.json()["data"]
    return data


def feed(tiktok: TikTok, account: str = ADA_OPEN_ID) -> Any:
    return tiktok.sandbox.control("feed", platform="tiktok", account=account)


def code_of(answer: httpx.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["error"]["code"]


def test_a_small_video_is_put_at_once_and_becomes_public(tiktok: TikTok) -> None:
    token, content = tiktok.sign_in()["access_token"], clip(4000)
    begun = init(tiktok, token, upload_of(len(content)))
    assert begun["publish_id"].startswith("v_pub_file~v2-1.")
    assert len(begun["publish_id"]) <= 64
    assert len(begun["upload_url"]) <= 256
    assert status(tiktok, token, begun["publish_id"])["status"] == "PROCESSING_UPLOAD"
    done = put(tiktok, begun["upload_url"], content, 0, len(content))
    assert (done.status_code, done.headers["content-range"]) == (201, "bytes 0-4000/4000")
    assert status(tiktok, token, begun["publish_id"])["status"] == "PROCESSING_UPLOAD"
    tiktok.sandbox.control("clock", advance=4)
    early = status(tiktok, token, begun["publish_id"])
    assert early == {"status": "PUBLISH_COMPLETE", "publicaly_available_post_id": [], "uploaded_bytes": 4000}
    tiktok.sandbox.control("clock", advance=10)
    [post] = status(tiktok, token, begun["publish_id"])["publicaly_available_post_id"]
    arrived = [event_of(received_webhook) for received_webhook in tiktok.gateway.wait_for(2)]
    about = {"publish_id": begun["publish_id"], "publish_type": "DIRECT_PUBLISH"}
    assert arrived == [
        ("post.publish.complete", ADA_OPEN_ID, about),
        ("post.publish.publicly_available", ADA_OPEN_ID, about | {"post_id": str(post)}),
    ]
    [shown] = feed(tiktok)["posts"]
    assert (shown["id"], shown["text"]) == (str(post), PUBLIC["title"])
    assert shown["files"][0]["sha256"] == sha256(content).hexdigest()


def test_a_large_video_is_put_in_chunks_in_order(tiktok: TikTok) -> None:
    token, content = tiktok.sign_in()["access_token"], clip(11 * MIB) + b"rest"
    begun = init(tiktok, token, upload_of(len(content), 5 * MIB, 2))
    url, total = begun["upload_url"], len(content)
    assert put(tiktok, url, content[5 * MIB :], 5 * MIB, total).status_code == 416
    assert put(tiktok, url, content[:100], 0, total).status_code == 416
    first = put(tiktok, url, content[: 5 * MIB], 0, total)
    assert (first.status_code, first.headers["content-range"]) == (206, f"bytes 0-{5 * MIB}/{total}")
    assert status(tiktok, token, begun["publish_id"])["uploaded_bytes"] == 5 * MIB
    # The last chunk takes what is left over.
    assert put(tiktok, url, content[5 * MIB :], 5 * MIB, total).status_code == 201
    tiktok.sandbox.control("clock", advance=4)
    [shown] = feed(tiktok)["posts"]
    assert (shown["files"][0]["size"], shown["files"][0]["sha256"]) == (total, sha256(content).hexdigest())


def test_what_an_upload_address_refuses(tiktok: TikTok) -> None:
    token = tiktok.sign_in()["access_token"]
    begun = init(tiktok, token, upload_of(100))
    url = begun["upload_url"]
    headers = {"content-type": "video/mp4", "content-range": "bytes 0-49/100"}
    assert tiktok.http.put(url, content=b"x" * 100, headers=headers).status_code == 400
    assert tiktok.http.put(url, content=b"x" * 100).status_code == 400
    assert put(tiktok, url.replace("upload_id=", "upload_id=z"), b"x" * 100, 0, 100).status_code == 404
    tiktok.sandbox.control("clock", advance=3601)
    assert put(tiktok, url, b"x" * 100, 0, 100).status_code == 403


@pytest.mark.parametrize(
    "source",
    [
        upload_of(0),
        upload_of(4 * MIB, 2 * MIB, 2),
        upload_of(20 * MIB, 4 * MIB, 5),
        upload_of(11 * MIB, 5 * MIB, 3),
        upload_of(70 * MIB),
        {"source": "PIGEON"},
    ],
)
def test_a_video_that_is_cut_wrongly(tiktok: TikTok, source: dict[str, Any]) -> None:
    answer = tiktok.post(VIDEO, tiktok.sign_in()["access_token"], {"post_info": PUBLIC, "source_info": source})
    assert code_of(answer) == (400, "invalid_param")


def test_who_may_post_what(tiktok: TikTok) -> None:
    source = {"source_info": upload_of(100)}
    ada, cleo, tour = (tiktok.sign_in(person)["access_token"] for person in (ADA_OPEN_ID, CLEO_OPEN_ID, TOUR_OPEN_ID))
    unseen = {"privacy_level": "SELF_ONLY"}
    answers = [
        tiktok.post(VIDEO, ada, source | {"post_info": {"privacy_level": "FOLLOWER_OF_CREATOR"}}),
        tiktok.post(VIDEO, cleo, source | {"post_info": PUBLIC}),
        tiktok.post(VIDEO, tour, source | {"post_info": PUBLIC}),
        tiktok.post(VIDEO, ada, source | {"post_info": unseen | {"brand_content_toggle": True}}),
        tiktok.post(VIDEO, ada, source | {"post_info": unseen | {"title": "🍰" * 1101}}),
        tiktok.post(VIDEO, ada, {"post_info": unseen}),
    ]
    assert [code_of(answer) for answer in answers] == [
        (403, "privacy_level_option_mismatch"),
        (403, "privacy_level_option_mismatch"),
        (403, "spam_risk_user_banned_from_posting"),
        (400, "invalid_param"),
        (400, "invalid_param"),
        (400, "invalid_param"),
    ]
    reader = tiktok.sign_in(BRAM_OPEN_ID, "user.info.basic", "video.upload")["access_token"]
    assert code_of(tiktok.post(VIDEO, reader, source | {"post_info": PUBLIC})) == (401, "scope_not_authorized")


def test_an_unaudited_app_posts_to_private_accounts_only(tmp_path: Path, gateway: WebhookReceiver) -> None:
    vendor = replace(VENDOR, app=msgspec.structs.replace(VENDOR.app, more={"audited": "false"}))
    with running_sandbox(tmp_path, [vendor], gateway.url) as running:
        tiktok = TikTok(running, gateway)
        body = {"post_info": {"privacy_level": "SELF_ONLY"}, "source_info": upload_of(100)}
        public = tiktok.post(VIDEO, tiktok.sign_in(ADA_OPEN_ID)["access_token"], body)
        assert code_of(public) == (403, "unaudited_client_can_only_post_to_private_accounts")
        assert tiktok.post(VIDEO, tiktok.sign_in(CLEO_OPEN_ID)["access_token"], body).status_code == 200


def test_six_posts_a_minute_and_fifteen_a_day(tiktok: TikTok) -> None:
    token = tiktok.sign_in()["access_token"]
    body = {"post_info": PUBLIC, "source_info": upload_of(100)}
    codes = []
    for _ in range(17):
        answer = tiktok.post(VIDEO, token, body)
        codes.append(code_of(answer)[1])
        if answer.status_code == 429:
            tiktok.sandbox.control("clock", advance=61)
    assert codes == ["ok"] * 6 + ["rate_limit_exceeded"] + ["ok"] * 6 + ["rate_limit_exceeded"] + ["ok"] * 3
    assert code_of(tiktok.post(VIDEO, token, body)) == (403, "spam_risk_too_many_posts")
    info = tiktok.post("post/publish/creator_info/query/", token)
    assert code_of(info) == (200, "spam_risk_too_many_posts")
    tiktok.sandbox.control("clock", advance=86400 - 60)
    token = tiktok.sign_in()["access_token"]
    assert tiktok.post(VIDEO, token, body).status_code == 200


def test_a_video_is_pulled(tiktok: TikTok, media: MediaHost) -> None:
    token = tiktok.sign_in()["access_token"]
    url = media.put("film.mp4", "video/mp4", clip(2000))
    begun = init(tiktok, token, {"source": "PULL_FROM_URL", "video_url": url})
    assert begun["publish_id"].startswith("v_pub_url~v2.")
    assert "upload_url" not in begun
    now = status(tiktok, token, begun["publish_id"])
    assert (now["status"], now["downloaded_bytes"]) == ("PROCESSING_DOWNLOAD", 2000)
    tiktok.sandbox.control("clock", advance=4)
    assert status(tiktok, token, begun["publish_id"])["status"] == "PUBLISH_COMPLETE"
    assert feed(tiktok)["posts"][0]["files"][0]["sha256"] == sha256(clip(2000)).hexdigest()


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"no video at all", "file_format_check_failed"),
        (jpeg(), "file_format_check_failed"),
        (movie(3, 320, 240), "picture_size_check_failed"),
        (movie(3, 4098, 720), "picture_size_check_failed"),
        (movie(3600, 720, 1280), "duration_check_failed"),
    ],
)
def test_what_is_no_good_video_is_not_published(tiktok: TikTok, media: MediaHost, content: bytes, reason: str) -> None:
    token = tiktok.sign_in()["access_token"]
    pulled = init(tiktok, token, {"source": "PULL_FROM_URL", "video_url": media.put("film.mp4", "video/mp4", content)})
    sent = init(tiktok, token, upload_of(len(content)))
    assert put(tiktok, sent["upload_url"], content, 0, len(content)).status_code == 201
    tiktok.sandbox.control("clock", advance=4)
    for begun in (pulled, sent):
        ended = status(tiktok, token, begun["publish_id"])
        assert (ended["status"], ended["fail_reason"]) == ("FAILED", reason)
    assert feed(tiktok)["posts"] == []


def test_a_video_is_as_long_and_large_as_its_bytes_say(tiktok: TikTok) -> None:
    token, content = tiktok.sign_in()["access_token"], movie(42.4, 720, 1280)
    begun = init(tiktok, token, upload_of(len(content)))
    put(tiktok, begun["upload_url"], content, 0, len(content))
    tiktok.sandbox.control("clock", advance=60)
    [video] = tiktok.post("video/list/", token, {}, fields="duration,width,height").json()["data"]["videos"]
    assert (video["duration"], video["width"], video["height"]) == (42, 720, 1280)


@pytest.mark.parametrize("name", ["nowhere.mp4", "moved/film.mp4"])
def test_a_pull_that_fails_is_told(tiktok: TikTok, media: MediaHost, name: str) -> None:
    token = tiktok.sign_in()["access_token"]
    media.put("film.mp4", "video/mp4", clip(400))
    begun = init(tiktok, token, {"source": "PULL_FROM_URL", "video_url": media.url(name)})
    tiktok.sandbox.control("clock", advance=4)
    ended = status(tiktok, token, begun["publish_id"])
    assert (ended["status"], ended["fail_reason"]) == ("FAILED", "video_pull_failed")
    event, _user, content = event_of(tiktok.gateway.wait_for(1)[0])
    assert (event, content["reason"]) == ("post.publish.failed", "video_pull_failed")
    assert feed(tiktok)["posts"] == []


def test_only_verified_addresses_are_pulled(tmp_path: Path, gateway: WebhookReceiver) -> None:
    own = {"url_properties": "media.example.com, https://cdn.example.net/ours/"}
    vendor = replace(VENDOR, app=msgspec.structs.replace(VENDOR.app, more=own))
    with running_sandbox(tmp_path, [vendor], gateway.url) as running:
        tiktok = TikTok(running, gateway)
        token = tiktok.sign_in()["access_token"]

        def answer(url: str) -> int:
            body = {"post_info": PUBLIC, "source_info": {"source": "PULL_FROM_URL", "video_url": url}}
            return tiktok.post(VIDEO, token, body).status_code

        assert answer("https://eu.media.example.com/a.mp4") == 200
        assert answer("https://cdn.example.net/ours/a.mp4") == 200
        assert answer("https://cdn.example.net/theirs/a.mp4") == 403
        assert answer("http://media.example.com/a.mp4") == 403
        assert answer("https://media.example.com.evil.example/a.mp4") == 403


def test_photos_are_pulled_in_both_modes(tiktok: TikTok, media: MediaHost) -> None:
    token = tiktok.sign_in()["access_token"]
    urls = [media.put(f"{number}.jpg", "image/jpeg", jpeg(600 + number, 600, 100)) for number in range(3)]
    source = {"source": "PULL_FROM_URL", "photo_images": urls, "photo_cover_index": 2}
    body = {"media_type": "PHOTO", "post_mode": "DIRECT_POST", "post_info": PUBLIC, "source_info": source}
    direct = tiktok.post(CONTENT, token, body).json()["data"]["publish_id"]
    assert direct.startswith("p_pub_url~v2.")
    draft = tiktok.post(CONTENT, token, body | {"post_mode": "MEDIA_UPLOAD"}).json()["data"]["publish_id"]
    tiktok.sandbox.control("clock", advance=4)
    assert status(tiktok, token, direct)["status"] == "PUBLISH_COMPLETE"
    assert status(tiktok, token, draft)["status"] == "SEND_TO_USER_INBOX"
    assert len(feed(tiktok)["posts"][0]["files"]) == 3
    for wrong, reason in (
        (media.put("a.png", "image/png", b"png"), "file_format_check_failed"),
        (media.put("b.jpg", "image/jpeg", jpeg(4000, 3000)), "picture_size_check_failed"),
    ):
        failing = tiktok.post(CONTENT, token, body | {"source_info": source | {"photo_images": [wrong, *urls]}})
        tiktok.sandbox.control("clock", advance=4)
        ended = status(tiktok, token, failing.json()["data"]["publish_id"])
        assert (ended["status"], ended["fail_reason"]) == ("FAILED", reason)


@pytest.mark.parametrize(
    "change",
    [
        {"media_type": "VIDEO"},
        {"post_mode": "LATER"},
        {"source_info": {"source": "PULL_FROM_URL", "photo_images": []}},
        {"source_info": {"source": "FILE_UPLOAD", "photo_images": ["http://127.0.0.1/a.jpg"]}},
        {
            "source_info": {
                "source": "PULL_FROM_URL",
                "photo_images": ["http://127.0.0.1/a.jpg"],
                "photo_cover_index": 1,
            }
        },
        {"post_info": {"privacy_level": "SELF_ONLY", "title": "x" * 91}},
    ],
)
def test_a_wrong_photo_post(tiktok: TikTok, change: dict[str, Any]) -> None:
    source = {"source": "PULL_FROM_URL", "photo_images": ["http://127.0.0.1:9/a.jpg"]}
    body = {"media_type": "PHOTO", "post_mode": "DIRECT_POST", "post_info": PUBLIC, "source_info": source}
    answer = tiktok.post(CONTENT, tiktok.sign_in()["access_token"], body | change)
    assert code_of(answer) == (400, "invalid_param")


def test_a_draft_waits_for_its_user(tiktok: TikTok) -> None:
    token = tiktok.sign_in()["access_token"]
    begun = tiktok.post(DRAFT, token, {"source_info": upload_of(100)}).json()["data"]
    put(tiktok, begun["upload_url"], clip(100), 0, 100)
    tiktok.sandbox.control("clock", advance=4)
    assert status(tiktok, token, begun["publish_id"])["status"] == "SEND_TO_USER_INBOX"
    assert feed(tiktok)["drafts"][0]["publishId"] == begun["publish_id"]
    tiktok.sandbox.control("finish_draft", platform="tiktok", account=ADA_OPEN_ID)
    assert status(tiktok, token, begun["publish_id"])["status"] == "PUBLISH_COMPLETE"
    tiktok.sandbox.control("clock", advance=11)
    events = [event_of(received_webhook)[0] for received_webhook in tiktok.gateway.wait_for(3)]
    assert events == [f"post.publish.{word}" for word in ("inbox_delivered", "complete", "publicly_available")]


def test_five_drafts_may_wait(tiktok: TikTok) -> None:
    token = tiktok.sign_in()["access_token"]
    codes = [code_of(tiktok.post(DRAFT, token, {"source_info": upload_of(100)})) for _ in range(6)]
    assert codes == [(200, "ok")] * 5 + [(403, "spam_risk_too_many_pending_share")]


def test_a_post_can_be_made_to_fail_or_to_hang(tiktok: TikTok, media: MediaHost) -> None:
    token = tiktok.sign_in()["access_token"]
    tiktok.sandbox.control("outcome", platform="tiktok", account=ADA_OPEN_ID, result="duration_check_failed")
    tiktok.sandbox.control("outcome", platform="tiktok", account=ADA_OPEN_ID, result="hang")
    first = init(tiktok, token, upload_of(10))
    put(tiktok, first["upload_url"], clip(10), 0, 10)
    url = media.put("film.mp4", "video/mp4", clip(400))
    second = init(tiktok, token, {"source": "PULL_FROM_URL", "video_url": url})
    tiktok.sandbox.control("clock", advance=60)
    ended = status(tiktok, token, first["publish_id"])
    assert (ended["status"], ended["fail_reason"]) == ("FAILED", "duration_check_failed")
    assert status(tiktok, token, second["publish_id"])["status"] == "PROCESSING_DOWNLOAD"
    cancel = "post/publish/cancel/"
    refused = tiktok.post(cancel, token, {"publish_id": first["publish_id"]})
    assert code_of(refused) == (400, "publish_not_cancellable")
    assert tiktok.post(cancel, token, {"publish_id": second["publish_id"]}).status_code == 200
    assert status(tiktok, token, second["publish_id"])["fail_reason"] == "publish_cancelled"


def test_processing_can_be_made_to_take_longer(tiktok: TikTok) -> None:
    token = tiktok.sign_in()["access_token"]
    tiktok.sandbox.control("outcome", platform="tiktok", account=ADA_OPEN_ID, seconds=100)
    begun = init(tiktok, token, upload_of(10))
    put(tiktok, begun["upload_url"], clip(10), 0, 10)
    states = []
    for passed in (4, 97):
        tiktok.sandbox.control("clock", advance=passed)
        states.append(status(tiktok, token, begun["publish_id"])["status"])
    assert states == ["PROCESSING_UPLOAD", "PUBLISH_COMPLETE"]


def test_a_pull_that_hangs_fails_after_an_hour(tiktok: TikTok, media: MediaHost) -> None:
    token = tiktok.sign_in()["access_token"]
    tiktok.sandbox.control("outcome", platform="tiktok", account=ADA_OPEN_ID, result="hang")
    url = media.put("film.mp4", "video/mp4", clip(400))
    begun = init(tiktok, token, {"source": "PULL_FROM_URL", "video_url": url})
    tiktok.sandbox.control("clock", advance=3601)
    assert status(tiktok, token, begun["publish_id"])["fail_reason"] == "video_pull_failed"


def test_a_publish_id_belongs_to_its_account(tiktok: TikTok) -> None:
    ada, bram = (tiktok.sign_in(person)["access_token"] for person in (ADA_OPEN_ID, BRAM_OPEN_ID))
    begun = init(tiktok, ada, upload_of(10))
    fetch = "post/publish/status/fetch/"
    foreign = tiktok.post(fetch, bram, {"publish_id": begun["publish_id"]})
    assert code_of(foreign) == (400, "token_not_authorized_for_specified_publish_id")
    assert code_of(tiktok.post(fetch, ada, {"publish_id": "v_pub_x"})) == (400, "invalid_publish_id")


def test_public_posts_are_listed_in_pages_and_found(tiktok: TikTok) -> None:
    token = tiktok.sign_in()["access_token"]
    for number, privacy in enumerate(["PUBLIC_TO_EVERYONE", "SELF_ONLY", "PUBLIC_TO_EVERYONE", "PUBLIC_TO_EVERYONE"]):
        begun = init(tiktok, token, upload_of(10), {"privacy_level": privacy, "title": f"Film {number}"})
        put(tiktok, begun["upload_url"], clip(10), 0, 10)
        tiktok.sandbox.control("clock", advance=3600)
    listing = {"fields": "id,title,create_time,view_count,share_url"}
    first = tiktok.post("video/list/", token, {"max_count": 2}, **listing).json()["data"]
    assert [video["title"] for video in first["videos"]] == ["Film 3", "Film 2"]
    assert first["has_more"] is True
    # A cursor counts milliseconds, a time seconds.
    assert first["cursor"] // 1000 == first["videos"][1]["create_time"]
    rest = tiktok.post("video/list/", token, {"max_count": 2, "cursor": first["cursor"]}, **listing).json()["data"]
    assert ([video["title"] for video in rest["videos"]], rest["has_more"]) == (["Film 0"], False)
    item = {"filters": {"video_ids": [rest["videos"][0]["id"]]}}
    assert tiktok.post("video/query/", token, item, **listing).json()["data"]["videos"] == rest["videos"]
    count = tiktok.get("user/info/", token, fields="video_count").json()["data"]["user"]["video_count"]
    assert count == 3
    tiktok.sandbox.control("unpublish", platform="tiktok", account=ADA_OPEN_ID, post=rest["videos"][0]["id"])
    assert tiktok.post("video/query/", token, item, **listing).json()["data"]["videos"] == []
    events = [event_of(arrived)[0] for arrived in tiktok.gateway.wait_for(8)]
    assert events[-1] == "post.publish.no_longer_publicaly_available"


def test_a_wrong_question_about_videos(tiktok: TikTok) -> None:
    token = tiktok.sign_in()["access_token"]
    answers = [
        tiktok.post("video/list/", token, {}),
        tiktok.post("video/list/", token, {}, fields="id,shoe_size"),
        tiktok.post("video/list/", token, {"max_count": 21}, fields="id"),
        tiktok.post("video/query/", token, {"filters": {"video_ids": []}}, fields="id"),
    ]
    assert [code_of(answer) for answer in answers] == [(400, "invalid_params")] * 4
