"""Comments on Pages and Instagram, in plain HTTP and with Meta's own SDK."""

from typing import Any

import pytest
from facebook_business.adobjects.comment import Comment
from facebook_business.adobjects.igcomment import IGComment
from facebook_business.adobjects.igmedia import IGMedia
from facebook_business.adobjects.iguser import IGUser
from facebook_business.adobjects.pagepost import PagePost

from sandbox.graph_media import MediaHost, checksum, jpeg, mp4
from sandbox.graph_support import codes_of, signed_by
from sandbox.meta.sdk import Sdk, ids
from sandbox.meta.signing_in import Meta
from socialgate_sandbox.vendors.meta.seed import ADA, BAKERY, BAKERY_IG

TEXT = "First! 🥐\n<b>&amp;</b>"


@pytest.fixture
def token(meta: Meta) -> str:
    return meta.page(ADA, BAKERY)


@pytest.fixture
def post(meta: Meta, token: str) -> str:
    return str(meta.post(f"{BAKERY}/feed", token, message="Buns").json()["id"])


@pytest.fixture
def media(meta: Meta, token: str, host: MediaHost) -> str:
    return published(meta, token, image_url=host.add("a.jpg", jpeg()), caption="A bun")


def published(meta: Meta, token: str, **value: Any) -> str:
    container = meta.post(f"{BAKERY_IG}/media", token, **value).json()["id"]
    meta.platform.pass_time(10)
    return str(meta.post(f"{BAKERY_IG}/media_publish", token, creation_id=container).json()["id"])


def shown(meta: Meta, account: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = meta.platform.running.look("feed", platform="meta", account=account)["data"]
    return rows


def test_a_page_comments_answers_edits_hides_and_deletes(meta: Meta, token: str, post: str) -> None:
    created = meta.post(f"{post}/comments", token, message=TEXT).json()
    assert created["id"].startswith(post.partition("_")[2] + "_")
    answer = meta.post(f"{created['id']}/comments", token, message="And second").json()["id"]
    fields = "id,message,from,created_time,comment_count,parent,is_hidden,can_hide,can_remove"
    rows = meta.get(f"{post}/comments", token, fields=fields, summary="true").json()
    (row,) = rows["data"]
    assert (row["message"], row["from"]) == (TEXT, {"name": "Lindqvist Bakery", "id": BAKERY})
    assert (row["comment_count"], row["can_hide"]) == (1, False)
    assert rows["summary"] == {"order": "chronological", "total_count": 1, "can_comment": True}
    stream = meta.get(f"{post}/comments", token, filter="stream", order="reverse_chronological", fields="id,parent")
    assert [item["id"] for item in stream.json()["data"]] == [answer, created["id"]]
    assert stream.json()["data"][0]["parent"] == {"id": created["id"]}
    for words, count in (("", 1), (".filter(stream)", 2)):
        counted = meta.get(post, token, fields=f"comments{words}.summary(true).limit(0)").json()["comments"]
        assert (counted["data"], counted["summary"]["total_count"]) == ([], count)
    (seen,) = shown(meta, BAKERY)[0]["comments"]
    assert (seen["text"], [item["text"] for item in seen["replies"]]) == (TEXT, ["And second"])
    for change in ({"message": "Changed"}, {"is_hidden": "true"}):
        assert meta.post(created["id"], token, **change).json() == {"success": True}
    assert meta.get(created["id"], token, fields="message,is_hidden").json() == {
        "id": created["id"],
        "message": "Changed",
        "is_hidden": True,
    }
    assert meta.delete(created["id"], token).json() == {"success": True}
    assert meta.get(f"{post}/comments", token, filter="stream").json() == {"data": []}
    assert codes_of(meta.get(created["id"], token)) == (100, 33)


def test_a_comment_on_a_video_stands_under_its_post(meta: Meta, token: str, host: MediaHost) -> None:
    url = host.add("a.mp4", mp4())
    video = meta.post(f"{BAKERY}/videos", token, file_url=url, description="Film", title="Folding").json()["id"]
    meta.post(f"{video}/comments", token, message=TEXT)
    (row,) = shown(meta, BAKERY)
    assert (row["title"], row["text"], [item["text"] for item in row["comments"]]) == ("Folding", "Film", [TEXT])
    assert [item["message"] for item in meta.get(f"{video}/comments", token).json()["data"]] == [TEXT]


def test_comments_need_their_permission_and_a_text(meta: Meta, token: str, post: str, media: str) -> None:
    assert codes_of(meta.post(f"{post}/comments", token)) == (100, None)
    assert codes_of(meta.post(f"{post}/comments", meta.long(ADA), message="x"), 403) == (200, None)
    assert codes_of(meta.post(f"{media}/comments", token)) == (100, None)
    for scope in ("pages_manage_engagement", "instagram_manage_comments"):
        meta.platform.act("revoke", account=ADA, how=f"permission:{scope}")
    assert codes_of(meta.post(f"{post}/comments", token, message="x"), 403) == (200, None)
    assert codes_of(meta.post(f"{media}/comments", token, message="x"), 403) == (10, None)


def test_a_comment_is_told(meta: Meta, token: str, post: str) -> None:
    meta.post(f"{BAKERY}/subscribed_apps", token, subscribed_fields="feed")
    created = meta.post(f"{post}/comments", token, message=TEXT).json()["id"]
    (arrived,) = meta.platform.arrived()
    assert signed_by(meta.platform.secret, arrived)
    value = arrived.json["entry"][0]["changes"][0]["value"]
    assert {name: value[name] for name in ("item", "verb", "post_id", "comment_id", "parent_id", "message")} == {
        "item": "comment",
        "verb": "add",
        "post_id": post,
        "comment_id": created,
        "parent_id": post,
        "message": TEXT,
    }


def test_the_sdk_comments_on_a_page(sdk: Sdk, token: str, post: str) -> None:
    api = sdk.api(token)
    key = PagePost(post, api=api).create_comment(params={"message": TEXT})["id"]
    rows = PagePost(post, api=api).get_comments(fields=["message", "from", "created_time"])
    assert [(row["id"], row["message"]) for row in rows] == [(key, TEXT)]
    comment = Comment(key, api=api)
    comment.create_comment(params={"message": "Again"})
    assert [row["message"] for row in comment.get_comments(fields=["message"])] == ["Again"]
    comment.api_update(params={"is_hidden": True})
    assert comment.api_get(fields=["is_hidden"])["is_hidden"] is True
    comment.api_delete()
    assert ids(PagePost(post, api=api).get_comments()) == []


def test_the_sdk_comments_on_instagram(meta: Meta, sdk: Sdk, token: str, media: str) -> None:
    api = sdk.api(token)
    item = IGMedia(media, api=api)
    key = item.create_comment(params={"message": TEXT})["id"]
    comment = IGComment(key, api=api)
    comment.create_reply(params={"message": "Again"})
    (row,) = item.get_comments(fields=["text", "username", "timestamp"])
    assert (row["text"], row["username"]) == (TEXT, "lindqvist.bakery")
    assert [row["text"] for row in comment.get_replies(fields=["text"])] == ["Again"]
    nested = meta.get(f"{media}/comments", token, fields="replies{text}").json()["data"]
    assert [row["text"] for row in nested[0]["replies"]["data"]] == ["Again"]
    assert item.api_get(fields=["comments_count"])["comments_count"] == 2
    comment.api_update(params={"hide": True})
    assert comment.api_get(fields=["hidden"])["hidden"] is True
    comment.api_delete()
    assert ids(item.get_comments()) == []
    item.api_update(params={"comment_enabled": False})
    assert codes_of(meta.post(f"{media}/comments", token, message="x")) == (100, None)


def test_a_reel_keeps_what_was_said_about_it(meta: Meta, sdk: Sdk, token: str, host: MediaHost) -> None:
    cover = jpeg(1080, 1920)
    container = IGUser(BAKERY_IG, api=sdk.api(token)).create_media(
        params={
            "media_type": "REELS",
            "video_url": host.add("a.mp4", mp4()),
            "cover_url": host.add("cover.jpg", cover),
            "caption": "Folding",
            "share_to_feed": False,
            "audio_name": "Oven",
            "location_id": "104857600000102",
            "collaborators": ["okafor.media"],
            "user_tags": [{"username": "okafor.media"}],
            "trial_params": {"graduation_strategy": "MANUAL"},
        }
    )["id"]
    meta.platform.pass_time(10)
    meta.post(f"{BAKERY_IG}/media_publish", token, creation_id=container)
    (row,) = shown(meta, BAKERY_IG)
    assert row["media"][0]["cover"]["sha256"] == checksum(cover)
    assert row["facts"] == {
        "location_id": "104857600000102",
        "collaborators": ["okafor.media"],
        "user_tags": [[{"username": "okafor.media"}]],
        "share_to_feed": False,
        "audio_name": "Oven",
        "graduation_strategy": "MANUAL",
    }


@pytest.mark.parametrize(
    "wrong",
    [
        {"location_id": "Stockholm"},
        {"user_tags": "[1]"},
        {"user_tags": '[{"username": "a"}]'},
        {"user_tags": '[{"username": "a", "x": 2, "y": 0}]'},
        {"collaborators": "a,b,c,d"},
        {"thumb_offset": "soon"},
        {"trial_params": '{"graduation_strategy": "NEVER"}'},
    ],
)
def test_what_instagram_cannot_use_is_refused(meta: Meta, token: str, host: MediaHost, wrong: dict[str, str]) -> None:
    answer = meta.post(f"{BAKERY_IG}/media", token, image_url=host.add("a.jpg", jpeg()), **wrong)
    assert codes_of(answer)[0] == 100


def test_a_cover_that_is_no_picture_is_refused(meta: Meta, token: str, host: MediaHost) -> None:
    film = host.add("a.mp4", mp4())
    for cover in (film, host.url + "/nothing.jpg"):
        answer = meta.post(f"{BAKERY_IG}/media", token, media_type="REELS", video_url=film, cover_url=cover)
        assert codes_of(answer) == (9004, 2207052)
