"""Publishing on Instagram."""

from typing import Any

import pytest

from sandbox.graph_media import MediaHost, checksum, jpeg, movie, mp4
from sandbox.graph_support import codes_of
from sandbox.meta.signing_in import Meta
from socialgate_sandbox.vendors.meta.seed import ADA, AGENCY_IG, BAKERY, BAKERY_IG

MEDIA, PUBLISH = f"{BAKERY_IG}/media", f"{BAKERY_IG}/media_publish"


@pytest.fixture
def token(meta: Meta) -> str:
    return meta.page(ADA, BAKERY)


def status(meta: Meta, token: str, container: str) -> str:
    seen = meta.get(container, token, fields="status_code,status").json()
    assert seen["status"]
    return str(seen["status_code"])


def published(meta: Meta, token: str, **value: Any) -> str:
    container = meta.post(MEDIA, token, **value).json()["id"]
    meta.platform.pass_time(10)
    return str(meta.post(PUBLISH, token, creation_id=container).json()["id"])


def test_an_image_is_published_once(meta: Meta, token: str, host: MediaHost) -> None:
    content = jpeg(1080, 1350)
    params = {"image_url": host.add("a.jpg", content), "caption": "Buns #bread", "alt_text": "a bun"}
    container = meta.post(MEDIA, token, **params).json()["id"]
    assert status(meta, token, container) == "IN_PROGRESS"
    assert codes_of(meta.post(PUBLISH, token, creation_id=container)) == (9007, 2207027)
    meta.platform.pass_time(2)
    seen = meta.get(container, token, fields="status_code,status").json()
    assert seen == {
        "id": container,
        "status_code": "FINISHED",
        "status": "Finished: Media has been uploaded and it is ready to be published.",
    }
    key = meta.post(PUBLISH, token, creation_id=container).json()["id"]
    assert key != container
    assert status(meta, token, container) == "PUBLISHED"
    assert codes_of(meta.post(PUBLISH, token, creation_id=container)) == (9007, 2207027)
    fields = (
        "id,caption,media_type,media_product_type,media_url,permalink,shortcode,timestamp,username,like_count,"
        "comments_count,is_comment_enabled,alt_text"
    )
    media = meta.get(key, token, fields=fields).json()
    assert set(media) == set(fields.split(","))
    assert (media["media_type"], media["media_product_type"], media["username"]) == (
        *("IMAGE", "FEED"),
        "lindqvist.bakery",
    )
    assert media["permalink"] == f"https://www.instagram.com/p/{media['shortcode']}/"
    assert meta.platform.running.client.get(media["media_url"]).content == content
    assert meta.get(BAKERY_IG, token, fields="media_count").json()["media_count"] == 1
    line = meta.platform.act("feed", account=BAKERY_IG)["data"][0]
    assert (line["text"], line["media"][0]["sha256"]) == ("Buns #bread", checksum(content))


def test_a_reel_and_a_story(meta: Meta, token: str, host: MediaHost) -> None:
    url = host.add("a.mp4", mp4())
    reel = published(meta, token, media_type="REELS", video_url=url, caption="r", share_to_feed="false")
    seen = meta.get(reel, token, fields="media_type,media_product_type,permalink,is_shared_to_feed").json()
    assert (seen["media_type"], seen["media_product_type"], seen["is_shared_to_feed"]) == ("VIDEO", "REELS", False)
    assert "/reel/" in seen["permalink"]
    story = published(meta, token, media_type="STORIES", image_url=host.add("s.jpg", jpeg(1080, 1920)))
    assert [row["id"] for row in meta.get(MEDIA, token).json()["data"]] == [reel]
    assert [row["id"] for row in meta.get(f"{BAKERY_IG}/stories", token).json()["data"]] == [story]
    meta.platform.pass_time(86400)
    assert meta.get(f"{BAKERY_IG}/stories", token).json() == {"data": []}


def test_a_carousel(meta: Meta, token: str, host: MediaHost) -> None:
    image = {"image_url": host.add("1.jpg", jpeg()), "is_carousel_item": "true"}
    video = {"video_url": host.add("2.mp4", mp4()), "media_type": "VIDEO", "is_carousel_item": "true"}
    slides = [meta.post(MEDIA, token, **params).json()["id"] for params in (image, video)]
    parent = meta.post(MEDIA, token, media_type="CAROUSEL", children=",".join(slides), caption="Both").json()["id"]
    meta.platform.pass_time(2)
    assert status(meta, token, parent) == "IN_PROGRESS"
    meta.platform.pass_time(4)
    key = meta.post(PUBLISH, token, creation_id=parent).json()["id"]
    seen = meta.get(key, token, fields="media_type,children{id,media_type,media_url}").json()
    assert seen["media_type"] == "CAROUSEL_ALBUM"
    assert [child["media_type"] for child in seen["children"]["data"]] == ["IMAGE", "VIDEO"]
    assert len(meta.get(f"{key}/children", token).json()["data"]) == 2
    response = meta.post(MEDIA, token, media_type="CAROUSEL", children=slides[0])
    assert codes_of(response) == (100, 2207028)
    unknown = meta.post(MEDIA, token, media_type="CAROUSEL", children=f"{slides[0]},17")
    assert codes_of(unknown) == (24, 2207008)
    assert codes_of(meta.post(PUBLISH, token, creation_id=slides[0])) == (9007, 2207027)
    slide = seen["children"]["data"][0]["id"]
    assert codes_of(meta.delete(slide, token)) == (100, None)


def test_bad_media_and_words_are_refused(meta: Meta, token: str, host: MediaHost) -> None:
    good = host.add("good.jpg", jpeg())
    cases = {
        (100, None): {"caption": "nothing to show"},
        (9004, 2207052): {"image_url": f"{host.url}/missing.jpg"},
        (36001, 2207005): {"image_url": host.add("a.png", b"\x89PNG\r\n\x1a\n".ljust(30, b"\1"))},
        (36000, 2207004): {"image_url": host.add("big.jpg", jpeg(size=9 << 20))},
        (36003, 2207009): {"image_url": host.add("tall.jpg", jpeg(500, 1000))},
        (110, 2207010): {"image_url": good, "caption": "x" * 2201},
        (100, 2207023): {"image_url": good, "media_type": "HOLOGRAM"},
    }
    for expected, case in cases.items():
        assert codes_of(meta.post(MEDIA, token, **case)) == expected, case
    assert codes_of(meta.post(PUBLISH, token, creation_id="17")) == (24, 2207008)


@pytest.mark.parametrize(
    ("content", "subcode"),
    [(b"no film", 2207026), (movie(2, 720, 1280, index_first=True), 2207026), (None, 2207076)],
    ids=["no video", "too short", "missing"],
)
def test_a_bad_video_fails_while_it_is_processed(
    meta: Meta, token: str, host: MediaHost, content: bytes | None, subcode: int
) -> None:
    url = host.add("a.mp4", content) if content else f"{host.url}/none.mp4"
    container = meta.post(MEDIA, token, media_type="REELS", video_url=url).json()["id"]
    assert status(meta, token, container) == "IN_PROGRESS"
    meta.platform.pass_time(6)
    seen = meta.get(container, token, fields="status_code,status").json()
    assert seen["status_code"] == "ERROR"
    assert str(subcode) in seen["status"]
    assert codes_of(meta.post(PUBLISH, token, creation_id=container)) == (9007, 2207027)


def test_a_container_expires_after_a_day(meta: Meta, token: str, host: MediaHost) -> None:
    container = meta.post(MEDIA, token, image_url=host.add("a.jpg", jpeg())).json()["id"]
    meta.platform.pass_time(86401)
    assert status(meta, token, container) == "EXPIRED"
    assert codes_of(meta.post(PUBLISH, token, creation_id=container)) == (-2, 2207020)


def test_processing_can_be_made_slow_or_fail(meta: Meta, token: str, host: MediaHost) -> None:
    meta.platform.act("process", account=BAKERY_IG, seconds=60, failure=2207053)
    container = meta.post(MEDIA, token, image_url=host.add("a.jpg", jpeg())).json()["id"]
    meta.platform.pass_time(50)
    assert status(meta, token, container) == "IN_PROGRESS"
    meta.platform.pass_time(11)
    assert status(meta, token, container) == "ERROR"


def test_the_quota_is_told_and_kept(meta: Meta, token: str, host: MediaHost) -> None:
    path, url = f"{BAKERY_IG}/content_publishing_limit", host.add("a.jpg", jpeg())
    config = {"quota_total": 100, "quota_duration": 86400}
    before = meta.get(path, token, fields="quota_usage,config").json()
    assert before == {"data": [{"quota_usage": 0, "config": config}]}
    containers = [meta.post(MEDIA, token, image_url=url).json()["id"] for _ in range(101)]
    meta.platform.pass_time(5)
    answers = [meta.post(PUBLISH, token, creation_id=container) for container in containers]
    assert {answer.status_code for answer in answers[:100]} == {200}
    assert codes_of(answers[100]) == (9, 2207042)
    meta.delete(answers[0].json()["id"], token)
    assert meta.get(path, token, fields="quota_usage").json()["data"][0]["quota_usage"] == 100
    meta.platform.pass_time(86000)
    assert codes_of(meta.post(PUBLISH, token, creation_id=containers[100])) == (9, 2207042)
    meta.platform.pass_time(401)
    assert meta.get(path, token, fields="quota_usage").json()["data"][0]["quota_usage"] == 0


def test_a_reel_is_uploaded_in_one_piece(meta: Meta, token: str) -> None:
    content = mp4(40000)
    created = meta.post(MEDIA, token, media_type="REELS", upload_type="resumable", caption="r").json()
    assert "/rupload.facebook.com/ig-api-upload/" in created["uri"]
    assert status(meta, token, created["id"]) == "IN_PROGRESS"
    headers = {"authorization": f"OAuth {token}", "offset": "0", "file_size": str(len(content))}
    answer = meta.platform.running.client.post(created["uri"], content=content, headers=headers)
    assert answer.json()["success"] is True
    meta.platform.pass_time(6)
    key = meta.post(PUBLISH, token, creation_id=created["id"]).json()["id"]
    url = meta.get(key, token, fields="media_url").json()["media_url"]
    assert meta.platform.running.client.get(url).content == content


def test_media_is_changed_and_deleted(meta: Meta, token: str, host: MediaHost) -> None:
    key = published(meta, token, image_url=host.add("a.jpg", jpeg()))
    assert meta.post(key, token, comment_enabled="false").json() == {"success": True}
    assert meta.get(key, token, fields="is_comment_enabled").json()["is_comment_enabled"] is False
    long = meta.long(ADA)
    meta.delete("me/permissions", long, permission="instagram_manage_contents")
    assert codes_of(meta.delete(key, token), 403) == (10, None)
    meta.delete("me/permissions", long, permission="instagram_content_publish")
    assert codes_of(meta.post(MEDIA, token, image_url="https://example.com/a.jpg"), 403) == (10, None)
    again = meta.long(ADA)
    assert meta.delete(key, again).json() == {"success": True}
    assert codes_of(meta.get(key, again)) == (100, 33)


def test_other_peoples_accounts_are_out_of_reach(meta: Meta, token: str) -> None:
    assert codes_of(meta.post(f"{AGENCY_IG}/media", token, image_url="https://example.com/a.jpg")) == (100, 33)
