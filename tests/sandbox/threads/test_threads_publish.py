"""Publishing on Threads."""

from typing import Any

import pytest

from sandbox.graph_media import MediaHost, checksum, jpeg, movie, mp4
from sandbox.graph_support import codes_of, error_of, signed_by
from sandbox.threads.signing_in import Threads
from socialgate_sandbox.vendors.threads.seed import ADA, BRAM


@pytest.fixture
def token(threads: Threads) -> str:
    return threads.long(ADA)


def status(threads: Threads, token: str, container: str) -> dict[str, Any]:
    return dict(threads.get(container, token, fields="id,status,error_message").json())


def published(threads: Threads, token: str, **value: Any) -> str:
    container = threads.post("me/threads", token, **value).json()["id"]
    threads.platform.pass_time(10)
    return str(threads.post("me/threads_publish", token, creation_id=container).json()["id"])


def test_a_text_is_published_read_and_deleted(threads: Threads, token: str) -> None:
    created = threads.post("me/threads", token, media_type="TEXT", text="Hello #bread", topic_tag="bread").json()
    assert status(threads, token, created["id"]) == {"id": created["id"], "status": "FINISHED"}
    key = threads.post(f"{ADA}/threads_publish", token, creation_id=created["id"]).json()["id"]
    assert key != created["id"]
    assert status(threads, token, created["id"])["status"] == "PUBLISHED"
    fields = (
        "id,media_product_type,media_type,permalink,owner,username,text,timestamp,shortcode,is_quote_post,topic_tag"
    )
    seen = threads.get(key, token, fields=fields).json()
    assert set(seen) == set(fields.split(","))
    assert (seen["media_type"], seen["media_product_type"], seen["text"]) == ("TEXT_POST", "THREADS", "Hello #bread")
    assert seen["permalink"] == f"https://www.threads.net/@lindqvist.bakery/post/{seen['shortcode']}"
    # A container has a status, a post has none.
    error = error_of(threads.get(key, token, fields="status"))
    assert (error["code"], error["type"]) == (100, "THApiException")
    assert "nonexisting field (status)" in error["message"]
    assert threads.delete(key, token).json() == {"success": True, "deleted_id": key}
    assert codes_of(threads.get(key, token)) == (100, 33)
    assert codes_of(threads.post("me/threads_publish", token, creation_id=created["id"])) == (24, 4279009)


def test_a_text_can_be_published_at_once(threads: Threads, token: str) -> None:
    key = threads.post("me/threads", token, media_type="TEXT", text="Now", auto_publish_text="true").json()["id"]
    assert threads.get(key, token, fields="text").json()["text"] == "Now"


def test_an_image_and_a_video_keep_their_bytes(threads: Threads, token: str, host: MediaHost) -> None:
    picture, film = jpeg(), mp4()
    first = published(threads, token, media_type="IMAGE", image_url=host.add("a.jpg", picture), alt_text="a bun")
    created = threads.post("me/threads", token, media_type="VIDEO", video_url=host.add("a.mp4", film)).json()["id"]
    assert status(threads, token, created)["status"] == "IN_PROGRESS"
    assert codes_of(threads.post("me/threads_publish", token, creation_id=created)) == (24, 4279009)
    threads.platform.pass_time(6)
    second = threads.post("me/threads_publish", token, creation_id=created).json()["id"]
    client = threads.platform.running.client
    for key, kind, content in ((first, "IMAGE", picture), (second, "VIDEO", film)):
        seen = threads.get(key, token, fields="media_type,media_url").json()
        assert seen["media_type"] == kind
        assert client.get(seen["media_url"]).content == content
    lines = threads.platform.act("feed", account=ADA)["data"]
    assert [line["media"][0]["sha256"] for line in lines] == [checksum(film), checksum(picture)]


def test_a_carousel(threads: Threads, token: str, host: MediaHost) -> None:
    url = host.add("a.jpg", jpeg())
    slide = {"media_type": "IMAGE", "image_url": url, "is_carousel_item": "true"}
    keys = [threads.post("me/threads", token, **slide).json()["id"] for _ in range(3)]
    key = published(threads, token, media_type="CAROUSEL", children=",".join(keys), text="Three")
    seen = threads.get(key, token, fields="media_type,children{id,media_type}").json()
    assert seen["media_type"] == "CAROUSEL_ALBUM"
    assert len(seen["children"]["data"]) == 3
    for wrong in (keys[0], ",".join([keys[0]] * 21), f"{keys[0]},1"):
        assert codes_of(threads.post("me/threads", token, media_type="CAROUSEL", children=wrong)) == (100, None)
    assert len(threads.get("me/threads", token).json()["data"]) == 1


def test_bad_input_is_refused(threads: Threads, token: str, host: MediaHost) -> None:
    cases: list[dict[str, str]] = [
        {"media_type": "SONG"},
        {"media_type": "TEXT"},
        {"media_type": "TEXT", "text": "x" * 501},
        {"media_type": "TEXT", "text": "🥐" * 126},
        {"media_type": "TEXT", "text": "x", "reply_control": "nobody"},
        {
            "media_type": "TEXT",
            "text": "x",
            "link_attachment": "https://a.example/",
            "poll_attachment": '{"option_a":"1"}',
        },
        {"media_type": "IMAGE"},
        {"media_type": "IMAGE", "image_url": f"{host.url}/none.jpg"},
    ]
    for case in cases:
        assert codes_of(threads.post("me/threads", token, **case)) == (100, None), case
    unknown = threads.post("me/threads", token, media_type="TEXT", text="x", reply_to_id="1")
    assert codes_of(unknown) == (100, 33)
    assert threads.post("me/threads", token, media_type="TEXT", text="🥐" * 125).status_code == 200


@pytest.mark.parametrize(
    ("content", "word"),
    [
        (b"no film", "FAILED_PROCESSING_VIDEO"),
        (movie(9, 720, 1280), "FAILED_PROCESSING_VIDEO"),
        (movie(301, 720, 1280, index_first=True), "FAILED_PROCESSING_VIDEO"),
        (movie(9, 1100, 100, index_first=True), "FAILED_PROCESSING_VIDEO"),
        (None, "FAILED_DOWNLOADING_VIDEO"),
    ],
    ids=["no video", "index last", "too long", "too wide", "missing"],
)
def test_a_bad_video_fails_while_it_is_processed(
    threads: Threads, token: str, host: MediaHost, content: bytes | None, word: str
) -> None:
    url = host.add("a.mp4", content) if content else f"{host.url}/none.mp4"
    created = threads.post("me/threads", token, media_type="VIDEO", video_url=url).json()["id"]
    threads.platform.pass_time(6)
    assert status(threads, token, created) == {"id": created, "status": "ERROR", "error_message": word}


def test_a_container_expires_and_can_be_made_to_fail_or_get_lost(threads: Threads, token: str) -> None:
    old = threads.post("me/threads", token, media_type="TEXT", text="old").json()["id"]
    threads.platform.pass_time(86401)
    assert status(threads, token, old)["status"] == "EXPIRED"
    threads.platform.act("process", account=ADA, seconds=30, failure="INVALID_BIT_RATE")
    bad = threads.post("me/threads", token, media_type="TEXT", text="bad").json()["id"]
    assert status(threads, token, bad)["status"] == "IN_PROGRESS"
    threads.platform.pass_time(31)
    assert status(threads, token, bad)["error_message"] == "INVALID_BIT_RATE"
    threads.platform.act("process", account=ADA, times=0, lost=2)
    good = threads.post("me/threads", token, media_type="TEXT", text="good").json()["id"]
    answers = [threads.post("me/threads_publish", token, creation_id=good) for _ in range(3)]
    assert [codes_of(answer) for answer in answers[:2]] == [(24, 4279009), (24, 4279009)]
    assert answers[2].status_code == 200


def test_a_chain_of_replies_and_a_quote_and_a_repost(threads: Threads, token: str) -> None:
    root = published(threads, token, media_type="TEXT", text="1/3")
    second = published(threads, token, media_type="TEXT", text="2/3", reply_to_id=root)
    third = published(threads, token, media_type="TEXT", text="3/3", reply_to_id=second)
    fields = "id,is_reply,is_reply_owned_by_me,root_post,replied_to,has_replies,hide_status"
    seen = threads.get(third, token, fields=fields).json()
    assert (seen["root_post"], seen["replied_to"]) == ({"id": root}, {"id": second})
    assert (seen["is_reply"], seen["has_replies"], seen["hide_status"]) == (True, False, "NOT_HUSHED")
    assert [row["id"] for row in threads.get(f"{root}/replies", token).json()["data"]] == [second]
    assert [row["id"] for row in threads.get(f"{root}/conversation", token).json()["data"]] == [third, second]
    rows = threads.get(f"{root}/conversation", token, reverse="false").json()["data"]
    assert [row["id"] for row in rows] == [second, third]
    assert [row["id"] for row in threads.get("me/replies", token).json()["data"]] == [third, second]
    quote = published(threads, token, media_type="TEXT", text="see", quote_post_id=root)
    assert threads.get(quote, token, fields="quoted_post,is_quote_post").json()["quoted_post"] == {"id": root}
    facade = threads.post(f"{root}/repost", token).json()["id"]
    assert threads.get(facade, token, fields="media_type,reposted_post").json() == {
        "media_type": "REPOST_FACADE",
        "reposted_post": {"id": root},
        "id": facade,
    }
    assert threads.post(f"{second}/manage_reply", token, hide="true").json() == {"success": True}
    assert threads.get(second, token, fields="hide_status").json()["hide_status"] == "HIDDEN"
    assert codes_of(threads.post(f"{third}/manage_reply", token, hide="true")) == (100, None)


def test_lists_have_cursors_but_no_links(threads: Threads, token: str) -> None:
    keys = [published(threads, token, media_type="TEXT", text=str(number)) for number in range(3)]
    first = threads.get("me/threads", token, limit=2).json()
    assert [row["id"] for row in first["data"]] == [keys[2], keys[1]]
    assert set(first["paging"]) == {"cursors"}
    second = threads.get("me/threads", token, limit=2, after=first["paging"]["cursors"]["after"]).json()
    assert [row["id"] for row in second["data"]] == [keys[0]]


def test_the_quotas(threads: Threads, token: str) -> None:
    params = {"media_type": "TEXT", "text": "x", "auto_publish_text": "true"}
    answers = [threads.post("me/threads", token, **params) for _ in range(251)]
    assert {answer.status_code for answer in answers[:250]} == {200}
    assert codes_of(answers[250]) == (4, 2207042)
    reply = threads.post("me/threads", token, **params, reply_to_id=answers[0].json()["id"])
    assert reply.status_code == 200
    threads.delete(answers[1].json()["id"], token)
    names = "quota_usage,reply_quota_usage,delete_quota_usage"
    row = threads.get("me/threads_publishing_limit", token, fields=names).json()["data"][0]
    assert row == {"quota_usage": 250, "reply_quota_usage": 1, "delete_quota_usage": 1}
    threads.platform.pass_time(86401)
    row = threads.get("me/threads_publishing_limit", token, fields=names).json()["data"][0]
    assert row["quota_usage"] == 0


def test_every_act_needs_its_scope_and_the_right_profile(threads: Threads) -> None:
    bare = threads.long(BRAM, ["threads_basic"])
    assert codes_of(threads.post("me/threads", bare, media_type="TEXT", text="x"), 403) == (10, None)
    token = threads.long(ADA, ["threads_basic", "threads_content_publish"])
    key = published(threads, token, media_type="TEXT", text="x")
    assert codes_of(threads.delete(key, token), 403) == (10, None)
    assert codes_of(threads.get(f"{key}/replies", token), 403) == (10, None)
    assert codes_of(threads.get(key, threads.long(BRAM))) == (100, 33)


def test_the_app_is_told_of_posts_and_deletions(threads: Threads, token: str) -> None:
    key = published(threads, token, media_type="TEXT", text="Hej")
    threads.delete(key, token)
    first, second = threads.platform.arrived(2)
    assert signed_by(threads.platform.secret, first)
    response = first.json
    assert set(response) == {"app_id", "topic", "target_id", "time", "subscription_id", "has_uid_field", "values"}
    assert (response["topic"], response["values"]["field"]) == ("interaction", "publish")
    assert (response["values"]["value"]["id"], response["values"]["value"]["text"]) == (key, "Hej")
    assert (second.json["topic"], second.json["values"]["value"]["id"]) == ("moderate", key)


def test_a_post_keeps_what_was_said_about_it(threads: Threads, token: str) -> None:
    payload = {
        "text_attachment": '{"plaintext": "A recipe", "link_attachment_url": "https://example.com/"}',
        "text_entities": '[{"entity_type": "SPOILER", "offset": 0, "length": 3}]',
        "location_id": "104857600000102",
        "allowlisted_country_codes": "SE,PE",
        "is_ghost_post": "true",
    }
    published(threads, token, media_type="TEXT", text="Rye bread", **payload)
    (row,) = threads.platform.running.look("feed", platform="threads", account=ADA)["data"]
    assert row["facts"] == {
        "reply_control": "everyone",
        "text_attachment": {"plaintext": "A recipe", "link_attachment_url": "https://example.com/"},
        "location_id": "104857600000102",
        "text_entities": [{"entity_type": "SPOILER", "offset": 0, "length": 3}],
        "is_ghost_post": True,
        "allowlisted_country_codes": ["SE", "PE"],
    }


@pytest.mark.parametrize(
    "wrong",
    [
        {"text_attachment": '{"text": "x"}'},
        {"text_attachment": '{"plaintext": "x"}', "poll_attachment": '{"option_a": "a", "option_b": "b"}'},
        {"poll_attachment": '{"option_a": "a"}'},
        {"poll_attachment": '{"option_a": "a", "option_b": ""}'},
        {"poll_attachment": '{"option_a": "a", "option_b": "twenty-six characters long"}'},
        {"poll_attachment": '{"option_a": "a", "option_b": "b", "option_e": "e"}'},
        {"topic_tag": "bread & butter"},
        {"topic_tag": "x" * 51},
        {"alt_text": "x" * 1001},
        {"gif_attachment": '{"gif_id": 1}'},
        {"gif_attachment": "[1]"},
        {"text_entities": '[{"entity_type": "BOLD", "offset": 0, "length": 1}]'},
        {"text_entities": '[{"offset": 0}]'},
        {"media_type": "IMAGE", "poll_attachment": '{"option_a": "a", "option_b": "b"}'},
        {"media_type": "VIDEO", "link_attachment": "https://example.com/"},
    ],
)
def test_what_does_not_go_together_is_refused(threads: Threads, token: str, wrong: dict[str, str]) -> None:
    answer = threads.post("me/threads", token, **{"media_type": "TEXT", "text": "x", **wrong})
    assert codes_of(answer) == (100, None)


def test_a_post_has_up_to_five_different_links(threads: Threads, token: str) -> None:
    links = [f"https://example.com/{number}" for number in range(5)]
    params = {"media_type": "TEXT", "text": " ".join([*links, links[0]])}
    assert threads.post("me/threads", token, **params, link_attachment=links[1]).is_success
    other = "https://example.org/"
    wrong: list[dict[str, str]] = [
        {"text": " ".join([*links, other])},
        {"text": " ".join([*links, "www.example.org"])},
        {"link_attachment": other},
        {"text_attachment": f'{{"plaintext": "x", "link_attachment_url": "{other}"}}'},
    ]
    for change in wrong:
        error = error_of(threads.post("me/threads", token, **params | change))
        assert (error["code"], error["type"]) == (100, "THApiException")
        assert error["message"] == "THREADS_API__LINK_LIMIT_EXCEEDED"


def test_a_place_needs_the_permission_to_tag_it(threads: Threads, token: str) -> None:
    params = {"media_type": "TEXT", "text": "Fika", "location_id": "104857600000102"}
    assert threads.post("me/threads", token, **params).is_success
    without = threads.exchange(threads.short(BRAM, ["threads_basic", "threads_content_publish"])).json()
    assert codes_of(threads.post("me/threads", without["access_token"], **params), 403) == (10, None)
    params.pop("location_id")
    assert threads.post("me/threads", without["access_token"], **params).is_success


def test_a_film_that_is_too_large_to_be_kept_can_still_be_compared(
    threads: Threads, token: str, host: MediaHost
) -> None:
    film = mp4(9 << 20)
    published(threads, token, media_type="VIDEO", video_url=host.add("a.mp4", film), text="Long")
    (row,) = threads.platform.running.look("feed", platform="threads", account=ADA)["data"]
    (seen,) = row["media"]
    assert (seen["sha256"], seen["size"], seen["file"]) == (checksum(film), len(film), "")
