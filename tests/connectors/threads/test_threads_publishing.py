"""Posting on Threads: every form at the sandbox, and every answer that can get lost."""

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from socialgate.connectors.graph.dialect import ParameterDialect
from socialgate.connectors.graph.publishing import Container
from socialgate.connectors.threads.errors import TABLE
from socialgate.connectors.threads.faults import faults, length
from socialgate.connectors.threads.publishing import child_params, container_params, reply_params, why_spoiled
from socialgate.connectors.threads.wire import ThreadsPosts
from socialgate.contracts.connecting import AccountCredentials
from socialgate.contracts.failures import (
    OutcomeUnknown,
    PlatformNotFound,
    PlatformRateLimited,
    Rejected,
    TemporarilyUnavailable,
)
from socialgate.contracts.platforms import Kind, Platform
from socialgate.contracts.publishing import (
    CannotTell,
    Content,
    Continue,
    Done,
    MediaFile,
    NotThere,
    Progress,
)
from socialgate.core.egress import Answer
from socialgate_sandbox.vendors import ALL
from support.publishing import Desk, desk_of
from support.simulation import RunningSandbox, running_sandbox

PUBLISH = "*/threads_publish"
THREAD: dict[str, Any] = {"thread": ["Then knead", "Then wait"]}


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningSandbox]:
    with running_sandbox(tmp_path_factory.mktemp("sandbox"), ALL) as running:
        yield running


@pytest.fixture
def desk(sandbox: RunningSandbox) -> Iterator[Desk]:
    sandbox.control("reset")
    with desk_of(Platform.THREADS, sandbox) as opened:
        yield opened


@pytest.fixture
def held(desk: Desk) -> AccountCredentials:
    return desk.sign_in(Kind.THREADS)[0]


def posts(desk: Desk, held: AccountCredentials) -> list[dict[str, Any]]:
    """List what the sandbox has of the profile, the oldest first."""
    found: list[dict[str, Any]] = desk.sandbox.control("feed", platform="threads", account=held.platform_account_id)[
        "data"
    ]
    return found[::-1]


def checksums(post: dict[str, Any]) -> list[str]:
    return [file["sha256"] for file in post["media"]]


def texts(desk: Desk, held: AccountCredentials) -> list[str]:
    return [post["text"] for post in posts(desk, held)]


def file(kind: str = "image", **known: Any) -> MediaFile:
    fields = {
        "id": "med_1",
        "type": kind,
        "mime_type": "video/mp4" if kind == "video" else "image/jpeg",
        "size": 1000,
        "sha256": "0",
        "url": f"https://gate.example/{kind}",
        "file_name": "f",
    }
    return MediaFile(**(fields | known))


def content(*media: MediaFile, text: str = "Bread", **options: Any) -> Content:
    return Content(text=text, media=media, options=options)


def lose(desk: Desk, held: AccountCredentials, given: Content, when: str, part: int = 0) -> Progress:
    """Bring a post to publishing one of its parts, and lose the call or its answer there."""
    step: Any = Continue(progress=desk.publishing(held.kind).begin(given))
    while step.progress.stage != "publish" or step.progress.data.get("part", 0) != part:
        desk.rest(step.wait)
        step = desk.run(held, given, step.progress)
    desk.fail(PUBLISH, when)
    with pytest.raises(OutcomeUnknown):
        desk.run(held, given, step.progress)
    progress: Progress = step.progress
    return progress


# The pure parts.


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (content(), {}),
        (content(text=" "), {"/content": "required"}),
        (content(text="", poll=["a", "b"]), {"/content": "required"}),
        (content(file(), file(alt="x" * 1001)), {"/media/1/alt": "too_long"}),
        (content(file(), text=""), {}),
        (content(text="x" * 496 + "🙂"), {}),
        (content(text="x" * 497 + "🙂"), {"/content": "too_long"}),
        (content(thread=["ok", "x" * 501]), {"/options/thread/1": "too_long"}),
        (content(*[file()] * 11, *[file("video")] * 10), {"/media": "media_count"}),
        (
            content(file(), poll=["a", "b"], linkAttachment="https://a.example", isGhostPost=True),
            dict.fromkeys(
                ("/options/poll", "/options/linkAttachment", "/options/isGhostPost"), "option_not_applicable"
            ),
        ),
        (content(isSpoilerMedia=True), {"/options/isSpoilerMedia": "option_not_applicable"}),
        (
            content(poll=["a", "b"], textAttachment={"plaintext": "x"}),
            {"/options/textAttachment": "option_not_applicable"},
        ),
        (content(spoilers=[{"offset": 3, "length": 9}]), {"/options/spoilers/0": "out_of_range"}),
    ],
)
def test_every_fault_is_named_at_once(given: Content, expected: dict[str, str]) -> None:
    assert {fault.pointer: fault.code for fault in faults(given)} == expected


def test_an_emoji_is_as_long_as_its_bytes() -> None:
    assert [length("é"), length("面包"), length("🙂"), length("👩‍🍳")] == [1, 2, 4, 11]


def sent(given: Content, *children: str) -> dict[str, Any]:
    return {name: value for name, value in container_params(given, children).items() if value is not None}


def test_a_container_holds_what_was_asked_for() -> None:
    given = content(
        poll=["a", "b"],
        topicTag="bread",
        replyControl="mentioned_only",
        quotePostId="7",
        spoilers=[{"offset": 0, "length": 2}],
        countries=["DE", "PE"],
    )
    assert sent(given) == {
        "media_type": "TEXT",
        "text": "Bread",
        "poll_attachment": '{"option_a":"a","option_b":"b"}',
        "topic_tag": "bread",
        "reply_control": "mentioned_only",
        "quote_post_id": "7",
        "text_entities": '[{"entity_type":"SPOILER","offset":0,"length":2}]',
        "allowlisted_country_codes": "DE,PE",
    }
    attached = content(
        textAttachment={"plaintext": "long", "linkAttachmentUrl": "https://a.example"},
        gif={"gifId": "1", "provider": "TENOR"},
    )
    assert sent(attached)["text_attachment"] == '{"plaintext":"long","link_attachment_url":"https://a.example"}'
    assert sent(attached)["gif_attachment"] == '{"gif_id":"1","provider":"TENOR"}'
    hidden = content(file(alt="A loaf"), text="", isSpoilerMedia=True)
    assert sent(hidden) == {
        "media_type": "IMAGE",
        "image_url": "https://gate.example/image",
        "alt_text": "A loaf",
        "is_spoiler_media": "true",
    }
    assert sent(content(file(), file()), "1", "2")["children"] == "1,2"
    assert child_params(content(file("video")), 0)["is_carousel_item"] == "true"
    assert reply_params("Then", "7") == {"media_type": "TEXT", "text": "Then", "reply_to_id": "7"}


@pytest.mark.parametrize(
    ("status", "reason", "word"),
    [
        ("ERROR", "INVALID_ASPEC_RATIO", Rejected),
        ("ERROR", "BRAND_NEW", Rejected),
        ("ERROR", "FAILED_DOWNLOADING_VIDEO", TemporarilyUnavailable),
        ("ERROR", None, TemporarilyUnavailable),
        ("EXPIRED", None, TemporarilyUnavailable),
    ],
)
def test_why_a_container_is_spoiled_is_told_in_our_words(status: str, reason: str | None, word: type) -> None:
    assert isinstance(why_spoiled(Container(status=status, error_message=reason)), word)


@pytest.mark.parametrize(
    ("status", "body", "word"),
    [
        (400, b'{"error": {"code": 24, "error_subcode": 4279009}}', TemporarilyUnavailable),
        (500, b'{"error": {"code": 2}}', OutcomeUnknown),
    ],
)
def test_a_passing_failure_of_a_publishing_call_proves_nothing(status: int, body: bytes, word: type) -> None:
    said = ParameterDialect().said(Answer(status, {}, body, truncated=False))
    assert said is not None
    assert isinstance(TABLE.verdict(said, repeatable=False).failure, word)


@pytest.mark.parametrize(
    ("rows", "after", "before", "cursor"),
    [([{"id": 1}], "b", "a", "b"), ([{"id": 1}], "a", "a", None), ([], "b", "a", None), ([{"id": 1}], None, "a", None)],
)
def test_a_list_ends_with_an_empty_page_or_the_same_cursor(
    rows: list[Any], after: str | None, before: str, cursor: str | None
) -> None:
    page = msgspec.convert({"data": rows, "paging": {"cursors": {"after": after}}}, ThreadsPosts)
    assert page.cursor(before) == cursor


# Every form, published and read back.


def test_a_text_is_published(desk: Desk, held: AccountCredentials) -> None:
    done = desk.publish(held, content(text="Fresh bread 🙂", topicTag="bread", replyControl="mentioned_only"))
    (post,) = posts(desk, held)
    assert (post["id"], post["text"], post["topicTag"]) == (done.platform_post_id, "Fresh bread 🙂", "bread")
    assert done.url is not None
    assert "/post/" in done.url
    assert done.published_at is not None
    assert done.warnings == ()
    assert desk.calls("*/threads")[-1]["body"]["reply_control"] == "mentioned_only"


def test_a_reply_is_published(desk: Desk, held: AccountCredentials) -> None:
    first = desk.publish(held, content(text="One"))
    desk.publish(held, content(text="Two", replyToId=first.platform_post_id))
    assert posts(desk, held)[1]["replyTo"] == first.platform_post_id


def test_a_thread_is_a_chain_of_replies_and_the_comment_hangs_on_its_first(
    desk: Desk, held: AccountCredentials
) -> None:
    given = Content(text="Mix", options=THREAD, first_comment="Recipe below")
    done = desk.publish(held, given)
    root, second, third, comment = posts(desk, held)
    assert texts(desk, held) == ["Mix", "Then knead", "Then wait", "Recipe below"]
    assert root["id"] == done.platform_post_id == second["replyTo"] == comment["replyTo"]
    assert third["replyTo"] == second["id"]
    assert done.warnings == ()


# Answers that get lost.


@pytest.mark.parametrize("when", ["after", "drop"])
def test_a_lost_part_of_a_thread_has_its_place_in_it(desk: Desk, held: AccountCredentials, when: str) -> None:
    given = Content(text="Mix", options=THREAD, first_comment="Recipe below")
    progress = lose(desk, held, given, when, 2)
    sight = desk.look(held, given, progress)
    if when == "drop":
        assert isinstance(sight, NotThere)
        sight = desk.run(held, given, progress)
    assert isinstance(sight, Continue | Done)
    done = desk.go_on(held, given, sight)
    assert texts(desk, held) == ["Mix", "Then knead", "Then wait", "Recipe below"]
    assert posts(desk, held)[3]["replyTo"] == done.platform_post_id
    assert done.warnings == ()


def test_a_reply_that_is_lost_twice_does_not_hold_up_the_post(desk: Desk, held: AccountCredentials) -> None:
    given = Content(text="Mix", options=THREAD)
    progress = msgspec.structs.replace(lose(desk, held, given, "drop", 1), lost=True)
    sight = desk.look(held, given, progress)
    assert isinstance(sight, Done)
    assert "It is unknown whether part 2 of the thread was published" in sight.warnings[0]
    desk.fail(PUBLISH, error="invalid")
    step = desk.run(held, given, progress)
    assert isinstance(step, Done)
    assert "It is unknown whether part 2 of the thread was published" in step.warnings[0]


def test_a_container_that_threads_does_not_see_yet_is_published_later(desk: Desk, held: AccountCredentials) -> None:
    desk.fail(PUBLISH, error="container_not_found", times=3)
    desk.publish(held, content())
    assert texts(desk, held) == ["Bread"]
    assert desk.stages.count("publish") == 4


def test_what_threads_hides_is_not_guessed(desk: Desk, held: AccountCredentials) -> None:
    progress = lose(desk, held, content(), "after")
    desk.fail("*", error="not_found", method="GET")
    assert isinstance(desk.look(held, content(), progress), CannotTell)


def test_what_is_published_under_an_id_that_nobody_tells_is_done(desk: Desk, held: AccountCredentials) -> None:
    given = content()
    progress = lose(desk, held, given, "after")
    sight = desk.look(held, given, progress)
    assert isinstance(sight, Continue)
    desk.fail("*/me/threads", status=200, body={"data": []}, method="GET", times=7)
    done = desk.go_on(held, given, sight)
    assert done.platform_post_id == progress.data["container"]
    assert "not with which id" in done.warnings[0]


# What Threads says no to, and what it never finishes.


@pytest.mark.parametrize(("error", "word"), [("publish_quota", PlatformRateLimited), ("restricted", Rejected)])
def test_a_refusal_is_told(desk: Desk, held: AccountCredentials, error: str, word: type[Exception]) -> None:
    desk.fail(PUBLISH, error=error)
    with pytest.raises(word):
        desk.publish(held, content())
    assert posts(desk, held) == []


@pytest.mark.parametrize(
    ("used", "replies", "options", "full"),
    [(250, 0, {}, True), (250, 0, {"replyToId": "1"}, False), (0, 999, THREAD, True), (249, 998, THREAD, False)],
)
def test_a_full_quota_is_noticed_before_anything_is_made(
    desk: Desk, held: AccountCredentials, used: int, replies: int, options: dict[str, Any], *, full: bool
) -> None:
    limit = {
        "quota_usage": used,
        "config": {"quota_total": 250, "quota_duration": 86400},
        "reply_quota_usage": replies,
        "reply_config": {"quota_total": 1000, "quota_duration": 86400},
    }
    given = content(**options)
    desk.fail("*/threads_publishing_limit", status=200, body={"data": [limit]})
    progress = desk.publishing(Kind.THREADS).begin(given)
    if not full:
        assert isinstance(desk.run(held, given, progress), Continue)
        return
    with pytest.raises(PlatformRateLimited) as limited:
        desk.run(held, given, progress)
    assert (limited.value.retry_after, limited.value.category) == (3600, "quota_exhausted")


def container_says(desk: Desk, status: str, times: int = 1, **more: str) -> None:
    desk.fail("*", status=200, body={"id": "1", "status": status, **more}, method="GET", times=times)


def test_media_that_threads_never_finishes_is_given_up(desk: Desk, held: AccountCredentials) -> None:
    given = content(desk.files.image())
    step = Continue(progress=desk.until(held, given, "check"))
    container_says(desk, "IN_PROGRESS", times=50)
    with pytest.raises(Rejected, match="did not finish"):
        desk.go_on(held, given, step)


def test_an_expired_container_is_made_anew(desk: Desk, held: AccountCredentials) -> None:
    given = content(desk.files.image())
    step = Continue(progress=desk.until(held, given, "check"))
    container_says(desk, "EXPIRED")
    desk.go_on(held, given, step)
    assert texts(desk, held) == ["Bread"]


def test_media_that_threads_cannot_use_is_refused(desk: Desk, held: AccountCredentials) -> None:
    given = content(desk.files.image())
    step = Continue(progress=desk.until(held, given, "check"))
    container_says(desk, "ERROR", error_message="INVALID_ASPEC_RATIO")
    with pytest.raises(Rejected, match="aspect ratio"):
        desk.go_on(held, given, step)


@pytest.mark.parametrize("error", ["restricted", "permission_missing", "publish_quota"])
def test_what_fails_after_the_first_post_is_a_warning(desk: Desk, held: AccountCredentials, error: str) -> None:
    given = content(**THREAD)
    step = Continue(progress=desk.until(held, given, "confirm"))
    desk.fail("*/threads*", error=error, method="POST")
    done = desk.go_on(held, given, step)
    assert texts(desk, held) == ["Bread"]
    assert done.url
    assert done.warnings[0].startswith("Part 2 of the thread was not published, and neither was what follows it.")


def test_what_fails_for_a_moment_after_the_first_post_is_tried_again(desk: Desk, held: AccountCredentials) -> None:
    given = Content(text="Mix", first_comment="Recipe below")
    step = Continue(progress=desk.until(held, given, "confirm"))
    desk.fail("*/threads", error="temporarily_unavailable", method="POST", times=2)
    done = desk.go_on(held, given, step)
    assert texts(desk, held) == ["Mix", "Recipe below"]
    assert done.warnings == ()


def test_a_post_whose_address_cannot_be_read_is_published_all_the_same(desk: Desk, held: AccountCredentials) -> None:
    step = Continue(progress=desk.until(held, content(), "confirm"))
    desk.fail("*", error="not_found", method="GET", times=6)
    done = desk.go_on(held, content(), step)
    assert done.platform_post_id == step.progress.data["id"]
    assert done.url is None


# Taking down, and looking back.


def test_posts_are_listed_and_deleted(desk: Desk, held: AccountCredentials) -> None:
    for text in ("one", "two"):
        desk.publish(held, content(text=text))
    desk.publish(held, content(desk.files.image(), desk.files.video(), text="three"))
    newest = desk.history(held, 2)
    assert [(item.type, item.text) for item in newest.items] == [("carousel", "three"), ("text", "two")]
    assert [one["type"] for one in newest.items[0].media] == ["image", "video"]
    oldest = desk.history(held, 2, newest.cursor)
    assert [item.text for item in oldest.items] == ["one"]
    assert all(item.url and item.created_at for item in (*newest.items, *oldest.items))
    end = desk.history(held, 2, oldest.cursor) if oldest.cursor else oldest
    assert end.cursor is None

    desk.remove(held, newest.items[0].id)
    assert texts(desk, held) == ["one", "two"]
    for gone in (newest.items[0].id, "me/threads", ""):
        with pytest.raises(PlatformNotFound):
            desk.remove(held, gone)
