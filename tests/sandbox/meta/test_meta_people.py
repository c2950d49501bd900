"""People comment on Facebook and Instagram, the account answers, hides and deletes, and the product is notified."""

from typing import Any

import pytest
from facebook_business.adobjects.comment import Comment
from facebook_business.adobjects.igcomment import IGComment
from facebook_business.adobjects.igmedia import IGMedia
from facebook_business.adobjects.pagepost import PagePost
from facebook_business.exceptions import FacebookRequestError

from sandbox.graph_media import MediaHost, jpeg
from sandbox.graph_support import codes_of, signed_by
from sandbox.meta.sdk import Sdk
from sandbox.meta.signing_in import Meta
from socialgate_sandbox.vendors.meta.seed import ADA, BAKERY, BAKERY_IG

HELLO = "Are there any left? 🥐"
FIELDS = ["id", "message", "from", "parent", "is_hidden", "can_hide", "can_remove", "like_count", "user_likes"]


@pytest.fixture
def token(meta: Meta) -> str:
    return meta.page(ADA, BAKERY)


@pytest.fixture
def post(meta: Meta, token: str) -> str:
    return str(meta.post(f"{BAKERY}/feed", token, message="Buns").json()["id"])


@pytest.fixture
def media(meta: Meta, token: str, host: MediaHost) -> str:
    container = meta.post(f"{BAKERY_IG}/media", token, image_url=host.add("a.jpg", jpeg())).json()["id"]
    meta.platform.pass_time(10)
    return str(meta.post(f"{BAKERY_IG}/media_publish", token, creation_id=container).json()["id"])


def say(meta: Meta, **value: str) -> str:
    return str(meta.platform.act("comment", **value)["id"])


def changes(meta: Meta, count: int, field: str) -> list[dict[str, Any]]:
    """Wait for so many notifications, all of them signed, and give what those of a field say."""
    arrived = meta.platform.arrived(count)
    assert all(signed_by(meta.platform.secret, received_webhook) for received_webhook in arrived)
    items = [change for received_webhook in arrived for change in received_webhook.json["entry"][0]["changes"]]
    return [change["value"] for change in items if change["field"] == field]


def test_the_page_answers_a_person_with_the_sdk(meta: Meta, sdk: Sdk, token: str, post: str) -> None:
    key = say(meta, objectId=post, text=HELLO, person="elif")
    api = sdk.api(token)
    (row,) = PagePost(post, api=api).get_comments(fields=FIELDS)
    assert (row["id"], row["message"], row["from"]["name"]) == (key, HELLO, "Elif Yilmaz")
    assert (row["can_hide"], row["can_remove"], row["is_hidden"], "parent" in row) == (True, True, False, False)
    comment = Comment(key, api=api)
    answer = comment.create_comment(params={"message": "Two"})["id"]
    again = say(meta, parentId=answer, text="Mine!", person="elif")
    replies = comment.get_comments(fields=FIELDS)
    assert [(row["id"], row["parent"]["id"]) for row in replies] == [(answer, key), (again, key)]
    comment.create_like()
    say(meta, commentId=key, action="like")
    seen = comment.api_get(fields=FIELDS)
    assert (seen["like_count"], seen["user_likes"]) == (2, True)
    comment.delete_likes()
    assert comment.api_get(fields=FIELDS)["user_likes"] is False
    comment.api_update(params={"is_hidden": True})
    assert comment.api_get(fields=FIELDS)["is_hidden"] is True
    comment.api_delete()
    with pytest.raises(FacebookRequestError) as failed:
        comment.api_get()
    assert (failed.value.api_error_code(), failed.value.api_error_subcode()) == (100, 33)
    assert list(PagePost(post, api=api).get_comments(params={"filter": "stream"})) == []


def test_the_account_answers_a_person_on_instagram_with_the_sdk(meta: Meta, sdk: Sdk, token: str, media: str) -> None:
    key = say(meta, objectId=media, text=HELLO, person="finn")
    api = sdk.api(token)
    (row,) = IGMedia(media, api=api).get_comments(fields=["text", "username", "from", "hidden", "user"])
    assert (row["text"], row["username"], row["hidden"]) == (HELLO, "finn.osullivan", False)
    assert (row["from"]["username"], "user" in row) == ("finn.osullivan", False)
    comment = IGComment(key, api=api)
    answer = comment.create_reply(params={"message": "Two"})["id"]
    (reply,) = comment.get_replies(fields=["text", "parent_id", "user"])
    assert (reply["id"], reply["parent_id"], reply["user"]["id"]) == (answer, key, BAKERY_IG)
    comment.api_update(params={"hide": True})
    assert comment.api_get(fields=["hidden"])["hidden"] is True
    comment.api_delete()
    for gone in (key, answer):
        assert codes_of(meta.get(gone, token)) == (100, 33)
        assert codes_of(meta.delete(gone, token)) == (100, 33)


def test_everything_that_happens_to_a_comment_on_a_page_is_notified(meta: Meta, token: str, post: str) -> None:
    meta.post(f"{BAKERY}/subscribed_apps", token, subscribed_fields="feed")
    key = say(meta, objectId=post, text=HELLO, person="elif")
    answer = meta.post(f"{key}/comments", token, message="Two").json()["id"]
    say(meta, commentId=key, action="edit", text="Any left?", person="elif")
    meta.post(key, token, is_hidden="true")
    meta.post(key, token, is_hidden="false")
    meta.delete(answer, token)
    say(meta, commentId=key, action="delete")
    values = changes(meta, 7, "feed")
    assert [(item["verb"], item["comment_id"], item["parent_id"]) for item in values] == [
        ("add", key, post),
        ("add", answer, key),
        ("edited", key, post),
        ("hide", key, post),
        ("unhide", key, post),
        ("remove", answer, key),
        ("remove", key, post),
    ]
    assert {(item["item"], item["post_id"], item["post"]["id"]) for item in values} == {("comment", post, post)}
    first, second, third, *_, last = values
    assert (first["message"], first["from"]["name"], second["from"]["id"]) == (HELLO, "Elif Yilmaz", BAKERY)
    assert (third["message"], "message" in last) == ("Any left?", False)


def test_a_comment_on_instagram_is_notified_once(meta: Meta, token: str, media: str) -> None:
    meta.post(f"{BAKERY}/subscribed_apps", token, subscribed_fields="feed")
    key = say(meta, objectId=media, text=HELLO)
    meta.post(key, token, hide="true")
    answer = meta.post(f"{key}/replies", token, message="Two").json()["id"]
    meta.delete(key, token)
    last = say(meta, objectId=media, text="Too late")
    first, second, third = changes(meta, 3, "comments")
    assert (first["id"], first["text"], first["media"]["id"]) == (key, HELLO, media)
    assert (first["from"]["username"], second["from"]["id"]) == ("dario.weiss", BAKERY_IG)
    assert (second["id"], second["parent_id"], third["id"]) == (answer, key, last)


def test_who_people_are_is_told_to_the_page_with_the_permission_only(meta: Meta, token: str, post: str) -> None:
    say(meta, objectId=post, text=HELLO)
    path = f"{post}/comments"
    assert "from" in meta.get(path, token).json()["data"][0]
    assert "from" not in meta.get(path, meta.long(ADA)).json()["data"][0]
    meta.platform.act("revoke", account=ADA, how="permission:pages_read_user_content")
    meta.post(path, token, message="Two")
    theirs, mine = meta.get(path, token).json()["data"]
    assert ("from" in theirs, mine["from"]["id"]) == (False, BAKERY)
    assert codes_of(meta.get(path, token, summary="true"), 403) == (10, None)
    meta.platform.act("revoke", account=ADA, how="permission:pages_read_engagement")
    assert codes_of(meta.get(path, token), 403) == (10, None)


def test_moderating_needs_its_permission_and_task(meta: Meta, token: str, post: str, media: str) -> None:
    key, other = say(meta, objectId=post, text=HELLO), say(meta, objectId=media, text=HELLO)
    meta.platform.act("tasks", account=BAKERY, person=ADA, tasks=["ANALYZE"])
    assert codes_of(meta.post(key, token, is_hidden="true"), 403) == (200, None)
    meta.platform.act("tasks", account=BAKERY, person=ADA, tasks=["MODERATE"])
    assert meta.post(key, token, is_hidden="true").json() == {"success": True}
    for scope in ("pages_manage_engagement", "instagram_manage_comments"):
        meta.platform.act("revoke", account=ADA, how=f"permission:{scope}")
    calls = [meta.post(f"{key}/comments", token, message="x"), meta.post(f"{key}/likes", token)]
    calls += [meta.post(key, token, is_hidden="true"), meta.delete(key, token)]
    assert {codes_of(call, 403) for call in calls} == {(200, None)}
    calls = [meta.post(f"{other}/replies", token, message="x"), meta.post(other, token, hide="true")]
    calls += [meta.get(f"{media}/comments", token), meta.get(other, token), meta.delete(other, token)]
    calls += [meta.get(media, token, fields="comments{text}")]
    assert {codes_of(call, 403) for call in calls} == {(10, None)}


def test_only_its_author_edits_a_comment(meta: Meta, token: str, post: str) -> None:
    key = say(meta, objectId=post, text=HELLO)
    assert codes_of(meta.post(key, token, message="I love it")) == (100, None)
    assert meta.get(key, token, fields="message").json()["message"] == HELLO


def test_comments_are_paged_also_inside_of_others(meta: Meta, token: str, post: str, media: str) -> None:
    keys = [say(meta, objectId=post, text=str(number)) for number in range(3)]
    answers = [say(meta, parentId=keys[0], text=str(number)) for number in range(3)]
    page = meta.get(f"{post}/comments", token, limit=2, order="reverse_chronological").json()
    following = meta.platform.running.client.get(page["paging"]["next"]).json()
    assert [row["id"] for row in page["data"] + following["data"]] == keys[::-1]
    assert "next" not in following["paging"]
    nested = meta.get(post, token, fields="comments.limit(1){id,comments.limit(2){message}}").json()["comments"]
    inner = nested["data"][0]["comments"]
    following = meta.platform.running.client.get(inner["paging"]["next"]).json()
    assert [row["id"] for row in inner["data"] + following["data"]] == answers
    assert set(following["data"][0]) == {"id", "message"}
    rest = meta.platform.running.client.get(nested["paging"]["next"]).json()["data"]
    assert [row["id"] for row in rest] == keys[1:2]
    assert codes_of(meta.get(f"{post}/comments", token, order="ranked")) == (100, None)
    assert codes_of(meta.get(f"{post}/comments", token, filter="nothing")) == (100, None)
    first, second = (say(meta, objectId=media, text=str(number)) for number in range(2))
    seen = meta.get(media, token, fields="comments.limit(1){id}").json()["comments"]
    assert [row["id"] for row in seen["data"]] == [second]
    following = meta.platform.running.client.get(seen["paging"]["next"]).json()
    assert [row["id"] for row in following["data"]] == [first]


def test_a_comment_carries_a_picture(meta: Meta, token: str, post: str, host: MediaHost) -> None:
    url = host.add("a.jpg", jpeg())
    key = meta.post(f"{post}/comments", token, attachment_url=url).json()["id"]
    shown = meta.get(key, token, fields="message,attachment").json()
    assert (shown["message"], shown["attachment"]["type"]) == ("", "photo")
    source = shown["attachment"]["media"]["image"]["src"]
    assert meta.platform.running.client.get(source).content == jpeg()
    photo = meta.post(f"{BAKERY}/photos", token, url=url, published="false").json()["id"]
    key = meta.post(f"{post}/comments", token, message="Look", attachment_id=photo).json()["id"]
    assert meta.get(key, token, fields="attachment").json()["attachment"]["target"]["id"] == photo
    assert codes_of(meta.post(f"{post}/comments", token, attachment_url=f"{host.url}/none.jpg")) == (324, 2069019)
    assert codes_of(meta.post(f"{post}/comments", token, attachment_id="1")) == (100, None)


def test_a_story_of_a_page_cannot_be_deleted(meta: Meta, token: str, host: MediaHost) -> None:
    photo = meta.post(f"{BAKERY}/photos", token, url=host.add("s.jpg", jpeg()), published="false").json()["id"]
    story = meta.post(f"{BAKERY}/photo_stories", token, photo_id=photo).json()["post_id"]
    for key in (story, f"{BAKERY}_{story}", photo):
        assert codes_of(meta.delete(key, token)) == (100, 33)
    (row,) = meta.get(f"{BAKERY}/stories", token, status="PUBLISHED").json()["data"]
    assert (row["post_id"], row["status"], row["media_id"]) == (story, "PUBLISHED", photo)
    meta.platform.pass_time(86401)
    (row,) = meta.get(f"{BAKERY}/stories", token).json()["data"]
    assert row["status"] == "ARCHIVED"


def test_what_nobody_can_do_is_said(meta: Meta, token: str, post: str, media: str) -> None:
    def refused(**value: str) -> tuple[int, str]:
        answer = meta.platform.running.client.post("/_control/comment", json={"platform": "meta", **value})
        return answer.status_code, answer.json()["error"]

    mine = meta.post(f"{post}/comments", token, message="Mine").json()["id"]
    theirs, on_instagram = say(meta, objectId=post, text=HELLO), say(meta, objectId=media, text=HELLO)
    draft = meta.post(f"{BAKERY}/feed", token, message="Later", published="false").json()["id"]
    meta.post(media, token, comment_enabled="false")
    cases: list[tuple[dict[str, str], int, str]] = [
        ({"objectId": post, "text": "x", "person": "nobody"}, 404, "dario, elif, finn"),
        ({"objectId": "1", "text": "x"}, 404, "comment on '1'"),
        ({"objectId": draft, "text": "x"}, 404, "People cannot comment"),
        ({"objectId": media, "text": "x"}, 404, "People cannot comment"),
        ({"objectId": post, "text": " "}, 422, "text"),
        ({"objectId": post, "text": "x", "parentId": "1"}, 404, "no comment '1'"),
        ({"commentId": mine, "action": "delete"}, 409, "Only the author, Lindqvist Bakery"),
        ({"commentId": theirs, "action": "delete", "person": "finn"}, 409, "Only the author, Dario Weiss"),
        ({"commentId": theirs, "action": "edit"}, 422, "text"),
        ({"commentId": on_instagram, "action": "edit", "text": "x"}, 409, "cannot be edited"),
        ({"commentId": "1", "action": "like"}, 404, "no comment '1'"),
    ]
    for params, status, words in cases:
        code, error = refused(**params)
        assert (code, words in error) == (status, True), (params, error)
