"""People reply on Threads; the profile answers, hides and deletes; the app is notified."""

from typing import Any

import pytest

from sandbox.graph_media import MediaHost, jpeg
from sandbox.graph_support import codes_of, signed_by
from sandbox.threads.signing_in import Threads
from socialgate_sandbox.vendors.threads.oauth import SCOPES
from socialgate_sandbox.vendors.threads.seed import ADA, BRAM

FIELDS = (
    "id,text,timestamp,username,permalink,media_type,has_replies,is_reply,is_reply_owned_by_me,root_post,replied_to,"
    "hide_status,reply_audience,owner"
)


@pytest.fixture
def token(threads: Threads) -> str:
    return threads.long(ADA)


@pytest.fixture
def post(threads: Threads, token: str) -> str:
    return publish(threads, token, media_type="TEXT", text="Buns")


def publish(threads: Threads, token: str, **value: Any) -> str:
    container = threads.post("me/threads", token, **value).json()["id"]
    threads.platform.pass_time(10)
    return str(threads.post("me/threads_publish", token, creation_id=container).json()["id"])


def say(threads: Threads, **value: str) -> str:
    return str(threads.platform.act("comment", **value)["id"])


def ids(threads: Threads, token: str, path: str, **query: str) -> list[str]:
    return [row["id"] for row in threads.get(path, token, **query).json()["data"]]


def test_a_profile_answers_a_person_and_both_are_read(threads: Threads, token: str, post: str, host: MediaHost) -> None:
    key = say(threads, objectId=post, text="Any left?", person="elif")
    (row,) = threads.get(f"{post}/replies", token, fields=FIELDS).json()["data"]
    assert (row["id"], row["text"], row["username"], row["media_type"]) == (
        key,
        "Any left?",
        "elif.yilmaz",
        "TEXT_POST",
    )
    assert (row["root_post"], row["replied_to"], row["hide_status"]) == ({"id": post}, {"id": post}, "NOT_HUSHED")
    assert (row["is_reply"], row["is_reply_owned_by_me"], row["has_replies"]) == (True, False, False)
    # Who somebody else is, is told by name only.
    assert "owner" not in row
    url = host.add("a.jpg", jpeg())
    answer = publish(threads, token, media_type="IMAGE", image_url=url, text="Two", reply_to_id=key)
    mine = threads.get(answer, token, fields=FIELDS).json()
    assert (mine["is_reply_owned_by_me"], mine["owner"], mine["media_type"]) == (True, {"id": ADA}, "IMAGE")
    assert (mine["root_post"], mine["replied_to"]) == ({"id": post}, {"id": key})
    last = say(threads, parentId=answer, text="Mine!", person="elif")
    assert ids(threads, token, f"{post}/replies") == [key]
    assert ids(threads, token, f"{key}/replies") == [answer]
    assert ids(threads, token, f"{post}/conversation") == [last, answer, key]
    assert ids(threads, token, f"{post}/conversation", reverse="false") == [key, answer, last]
    assert codes_of(threads.get(f"{key}/conversation", token)) == (100, None)
    assert (ids(threads, token, "me/replies"), ids(threads, token, "me/threads")) == ([answer], [post])
    assert codes_of(threads.get(key, threads.long(BRAM))) == (100, 33)


def test_hiding_a_reply_hides_what_is_below_it(threads: Threads, token: str, post: str) -> None:
    key = say(threads, objectId=post, text="Spam")
    below = say(threads, parentId=key, text="More spam", person="finn")
    assert codes_of(threads.post(f"{below}/manage_reply", token, hide="true")) == (100, None)
    assert codes_of(threads.post(f"{post}/manage_reply", token, hide="true")) == (100, None)
    assert codes_of(threads.post(f"{key}/manage_reply", token)) == (100, None)
    for word, status in (("true", "HIDDEN"), ("false", "NOT_HUSHED")):
        assert threads.post(f"{key}/manage_reply", token, hide=word).json() == {"success": True}
        rows = threads.get(f"{post}/conversation", token, fields="hide_status").json()["data"]
        assert {row["hide_status"] for row in rows} == {status}
        (shown,) = threads.platform.running.look("feed", platform="threads", account=ADA)["data"][0]["comments"]
        assert (shown["hidden"], shown["replies"][0]["hidden"]) == (status == "HIDDEN",) * 2


def test_only_own_replies_are_deleted_and_answers_to_them_stay(threads: Threads, token: str, post: str) -> None:
    theirs = say(threads, objectId=post, text="Any left?")
    mine = publish(threads, token, media_type="TEXT", text="Two", reply_to_id=theirs)
    below = say(threads, parentId=mine, text="Mine!")
    assert codes_of(threads.delete(theirs, token)) == (100, 33)
    assert threads.delete(mine, token).json() == {"success": True, "deleted_id": mine}
    assert codes_of(threads.get(mine, token)) == (100, 33)
    assert ids(threads, token, f"{post}/conversation") == [below, theirs]
    (shown,) = threads.platform.running.look("feed", platform="threads", account=ADA)["data"][0]["comments"]
    (deleted,) = shown["replies"]
    assert (deleted["deleted"], deleted["text"], deleted["replies"][0]["text"]) == (True, "", "Mine!")
    say(threads, commentId=theirs, action="delete")
    assert ids(threads, token, f"{post}/replies") == []
    reply = threads.post("me/threads", token, media_type="TEXT", text="x", reply_to_id=theirs)
    assert codes_of(reply) == (100, 33)


def test_replies_need_their_permissions(threads: Threads) -> None:
    for scope, method, path in (
        ("threads_read_replies", "get", "replies"),
        ("threads_read_replies", "get", "conversation"),
        ("threads_manage_replies", "post", "manage_reply"),
    ):
        token = threads.long(ADA, [name for name in SCOPES if name != scope])
        post = publish(threads, token, media_type="TEXT", text="Buns")
        reply = say(threads, objectId=post, text="Hi")
        key = reply if method == "post" else post
        assert codes_of(getattr(threads, method)(f"{key}/{path}", token), 403) == (10, None)


def test_replies_have_a_quota_of_their_own(threads: Threads, token: str, post: str) -> None:
    publish(threads, token, media_type="TEXT", text="Two", reply_to_id=post)
    say(threads, objectId=post, text="Hi")
    fields = "quota_usage,reply_quota_usage,reply_config"
    assert threads.get("me/threads_publishing_limit", token, fields=fields).json()["data"] == [
        {"quota_usage": 1, "reply_quota_usage": 1, "reply_config": {"quota_total": 1000, "quota_duration": 86400}}
    ]


def test_the_app_is_notified_of_replies_and_deletions(threads: Threads, token: str, post: str) -> None:
    threads.platform.arrived(1)
    key = say(threads, objectId=post, text="Any left? 🥐", person="elif")
    answer = publish(threads, token, media_type="TEXT", text="Two", reply_to_id=key)
    threads.post(f"{key}/manage_reply", token, hide="true")
    say(threads, commentId=key, action="delete")
    threads.delete(answer, token)
    arrived = threads.platform.arrived(6)[1:]
    assert all(signed_by(threads.platform.secret, received_webhook) for received_webhook in arrived)
    seen = [
        (
            received_webhook.json["topic"],
            received_webhook.json["values"]["field"],
            received_webhook.json["values"]["value"]["id"],
        )
        for received_webhook in arrived
    ]
    assert seen == [
        ("moderate", "replies", key),
        ("moderate", "replies", answer),
        ("interaction", "publish", answer),
        ("moderate", "delete", key),
        ("moderate", "delete", answer),
    ]
    first = arrived[0].json
    value = first["values"]["value"]
    assert (first["target_id"], value["username"], value["text"]) == (post, "elif.yilmaz", "Any left? 🥐")
    assert value["root_post"] == {"id": post, "owner_id": ADA, "username": "lindqvist.bakery"}
    assert value["replied_to"] == {"id": post}
    assert {"shortcode", "permalink", "timestamp", "media_type"} < set(value)


def test_a_profile_that_lets_nobody_read_replies_is_not_notified_of_them(threads: Threads) -> None:
    token = threads.long(ADA, ["threads_basic", "threads_content_publish"])
    post = publish(threads, token, media_type="TEXT", text="Buns")
    say(threads, objectId=post, text="Hi")
    publish(threads, token, media_type="TEXT", text="More")
    fields = [received_webhook.json["values"]["field"] for received_webhook in threads.platform.arrived(2)]
    assert fields == ["publish", "publish"]


def test_people_cannot_edit_a_reply(threads: Threads, post: str) -> None:
    key = say(threads, objectId=post, text="Hi")
    order = {"platform": "threads", "commentId": key, "action": "edit", "text": "Ho"}
    assert threads.platform.running.client.post("/_control/comment", json=order).status_code == 409
