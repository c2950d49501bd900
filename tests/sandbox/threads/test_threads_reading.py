"""What Threads tells of posts: all documented fields, polls, GIFs, ghosts and the pictures of videos."""

from datetime import datetime
from typing import Any

import msgspec
import pytest

from sandbox.graph_media import MediaHost, mp4
from sandbox.graph_support import codes_of
from sandbox.threads.signing_in import Threads
from socialgate_sandbox.vendors.threads.seed import ADA, BRAM

# As the reference lists them under "Retrieve user posts" and "Retrieve replies".
DOCUMENTED = (
    "id,media_product_type,media_type,media_url,permalink,owner,username,text,timestamp,shortcode,thumbnail_url,"
    "children,is_quote_post,quoted_post,reposted_post,alt_text,link_attachment_url,gif_url,poll_attachment,topic_tag,"
    "is_spoiler_media,text_entities,text_attachment,ghost_post_status,ghost_post_expiration_timestamp,is_verified,"
    "profile_picture_url,has_replies,is_reply,is_reply_owned_by_me,root_post,replied_to,hide_status,reply_audience,"
    "location_id,location,allowlisted_country_codes,reply_approval_status"
)
DAY = 86400


@pytest.fixture
def token(threads: Threads) -> str:
    return threads.long(ADA)


def published(threads: Threads, token: str, **value: Any) -> str:
    container = threads.post("me/threads", token, **value).json()["id"]
    threads.platform.pass_time(10)
    return str(threads.post("me/threads_publish", token, creation_id=container).json()["id"])


def told(threads: Threads, token: str, **value: Any) -> dict[str, Any]:
    key = published(threads, token, media_type="TEXT", text="Hello there", **value)
    return dict(threads.get(key, token, fields=DOCUMENTED).json())


def in_json(value: Any) -> str:
    return msgspec.json.encode(value).decode()


def test_every_documented_field_can_be_asked_for(threads: Threads, token: str) -> None:
    plain = told(threads, token)
    assert (plain["is_spoiler_media"], plain["is_verified"]) == (False, True)
    assert threads.platform.running.client.get(plain["profile_picture_url"]).headers["content-type"] == "image/png"
    assert {"gif_url", "poll_attachment", "ghost_post_status", "location", "children"}.isdisjoint(plain)
    rich = told(
        threads,
        token,
        location_id="77",
        allowlisted_country_codes="SE,NO",
        text_attachment=in_json({"plaintext": "More"}),
        text_entities=in_json([{"entity_type": "spoiler", "offset": 0, "length": 5}]),
    )
    assert (rich["location_id"], rich["location"], rich["allowlisted_country_codes"]) == (
        "77",
        {"id": "77"},
        ["SE", "NO"],
    )
    assert rich["text_attachment"] == {"plaintext": "More"}
    assert rich["text_entities"] == [{"entity_type": "SPOILER", "offset": 0, "length": 5}]


@pytest.mark.parametrize("word", ["bold", ""])
def test_what_is_no_spoiler_is_refused(threads: Threads, token: str, word: str) -> None:
    params = {"media_type": "TEXT", "text": "Hello", "text_entities": [{"entity_type": word, "offset": 0, "length": 1}]}
    assert codes_of(
        threads.post("me/threads", token, **params | {"text_entities": in_json(params["text_entities"])})
    ) == (
        100,
        None,
    )
    many = in_json([{"entity_type": "SPOILER", "offset": place, "length": 1} for place in range(11)])
    assert codes_of(threads.post("me/threads", token, media_type="TEXT", text="Hello", text_entities=many)) == (
        100,
        None,
    )


def test_a_gif_has_the_address_of_its_provider(threads: Threads, token: str) -> None:
    for provider, host in (("GIPHY", "media.giphy.com"), ("tenor", "media.tenor.com")):
        seen = told(threads, token, gif_attachment=in_json({"gif_id": "abc", "provider": provider}))
        assert seen["gif_url"].startswith(f"https://{host}/")
        assert "abc" in seen["gif_url"]
    unknown = in_json({"gif_id": "abc", "provider": "MINE"})
    assert codes_of(threads.post("me/threads", token, media_type="TEXT", text="x", gif_attachment=unknown)) == (
        100,
        None,
    )


def test_people_vote_in_polls_until_they_end(threads: Threads, token: str) -> None:
    options = {"option_a": "Rye", "option_b": "Wheat", "option_c": "Oat"}
    key = published(threads, token, media_type="TEXT", text="Which?", poll_attachment=in_json(options))

    def poll() -> dict[str, Any]:
        return dict(threads.get(key, token, fields="poll_attachment").json()["poll_attachment"])

    begun = poll()
    assert {name: begun[name] for name in options} == options
    assert (begun["total_votes"], begun["option_a_votes_percentage"]) == (0, 0)
    time = datetime.fromisoformat(threads.get(key, token, fields="timestamp").json()["timestamp"])
    assert (datetime.fromisoformat(begun["expiration_timestamp"]) - time).total_seconds() == DAY
    threads.platform.pass_time(DAY)
    ended = poll()
    assert ended["total_votes"] == 3
    assert sum(ended[f"{name}_votes_percentage"] for name in options) == pytest.approx(1, abs=0.02)
    chosen = "poll_attachment{option_a,total_votes}"
    assert threads.get(key, token, fields=chosen).json()["poll_attachment"] == {"option_a": "Rye", "total_votes": 3}


def test_a_ghost_lives_for_a_day(threads: Threads, token: str) -> None:
    ghost = published(threads, token, media_type="TEXT", text="Boo", is_ghost_post="true")
    kept = published(threads, token, media_type="TEXT", text="Here to stay")
    fields = "ghost_post_status,ghost_post_expiration_timestamp"
    assert threads.get(ghost, token, fields=fields).json()["ghost_post_status"] == "ACTIVE"
    assert [row["id"] for row in threads.get("me/threads", token).json()["data"]] == [kept, ghost]
    threads.platform.pass_time(DAY)
    seen = threads.get(ghost, token, fields=fields).json()
    assert (seen["ghost_post_status"], "ghost_post_expiration_timestamp" in seen) == ("ARCHIVED", True)
    assert [row["id"] for row in threads.get("me/threads", token).json()["data"]] == [kept]
    assert [row["id"] for row in threads.get("me/ghost_posts", token).json()["data"]] == [ghost]
    shown = threads.platform.running.client.get("/_control/feed", params={"platform": "threads", "account": ADA}).json()
    assert [(post["text"], post["state"]) for post in shown["data"]] == [
        ("Here to stay", "published"),
        ("Boo", "archived"),
    ]


def test_lists_do_not_reach_back_before_threads(threads: Threads, token: str) -> None:
    assert threads.get("me/threads", token, since=1688540400).status_code == 200
    for since in (1688540399, "2023-07-01"):
        assert codes_of(threads.get("me/threads", token, since=since)) == (100, None)
        assert codes_of(threads.get("me/replies", token, since=since)) == (100, None)


def test_a_video_is_shown_by_a_picture(threads: Threads, token: str, host: MediaHost) -> None:
    key = published(threads, token, media_type="VIDEO", video_url=host.add("a.mp4", mp4()))
    seen = threads.get(key, token, fields="media_url,thumbnail_url").json()
    kinds = [threads.platform.running.client.get(url).headers["content-type"] for url in seen.values() if "http" in url]
    assert kinds == ["video/mp4", "image/png"]


def test_posts_and_profiles_of_others_are_found(threads: Threads, token: str) -> None:
    bram = threads.long(BRAM)
    mine = published(threads, token, media_type="TEXT", text="Fresh rye today", topic_tag="bread")
    theirs = published(threads, bram, media_type="TEXT", text="Breakfast at @lindqvist.bakery")

    def function(path: str, **query: Any) -> list[str]:
        return [row["id"] for row in threads.get(path, token, **query).json()["data"]]

    assert function("keyword_search", q="RYE", search_type="RECENT") == [mine]
    assert function("keyword_search", q="bread", search_mode="TAG") == [mine]
    assert function("me/mentions") == [theirs]
    assert function("profile_posts", username="okafor.media") == [theirs]
    profile = threads.get("profile_lookup", token, username="okafor.media").json()
    assert (profile["username"], profile["follower_count"]) == ("okafor.media", 640)
    assert codes_of(threads.get("keyword_search", token)) == (100, None)
    # Those whom hardly anybody follows are not shown.
    assert codes_of(threads.get("profile_lookup", token, username="cleo.marchetti")) == (100, 33)
