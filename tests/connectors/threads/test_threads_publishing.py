"""Posting on Threads: every form at the sandbox, and every answer that can get lost."""

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from socialgate.connectors.graph.dialect import TokenParameterDialect
from socialgate.connectors.graph.publishing import MediaContainer
from socialgate.connectors.threads.api import ThreadsPostPage
from socialgate.connectors.threads.errors import ERROR_TABLE
from socialgate.connectors.threads.post_formats import count_characters, validate_content
from socialgate.connectors.threads.publishing import (
    build_child_params,
    build_container_failure,
    build_container_params,
    build_reply_params,
)
from socialgate.contracts.account_connection import AccountCredentials
from socialgate.contracts.failures import (
    OutcomeUnknownError,
    PlatformNotFoundError,
    PlatformRateLimitError,
    PlatformRejectedError,
    PlatformUnavailableError,
)
from socialgate.contracts.platforms import Kind, Platform
from socialgate.contracts.publishing import (
    Inconclusive,
    MediaFile,
    NextStage,
    PostContent,
    PublishedPost,
    PublishingProgress,
    SafeToRetry,
)
from socialgate.core.egress import HttpResponse
from socialgate_sandbox.vendors import ALL_VENDORS
from support.publishing import ConnectorDriver, start_driver
from support.simulation import RunningSandbox, running_sandbox

PUBLISH = "*/threads_publish"
THREAD: dict[str, Any] = {"thread": ["Then knead", "Then wait"]}


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningSandbox]:
    with running_sandbox(tmp_path_factory.mktemp("sandbox"), ALL_VENDORS) as running:
        yield running


@pytest.fixture
def desk(sandbox: RunningSandbox) -> Iterator[ConnectorDriver]:
    sandbox.control("reset")
    with start_driver(Platform.THREADS, sandbox) as opened:
        yield opened


@pytest.fixture
def credentials(desk: ConnectorDriver) -> AccountCredentials:
    return desk.sign_in(Kind.THREADS)[0]


def posts(desk: ConnectorDriver, credentials: AccountCredentials) -> list[dict[str, Any]]:
    """List what the sandbox has of the profile, the oldest first."""
    result: list[dict[str, Any]] = desk.sandbox.control(
        "feed", platform="threads", account=credentials.platform_account_id
    )["data"]
    return result[::-1]


def checksums(post: dict[str, Any]) -> list[str]:
    return [file["sha256"] for file in post["media"]]


def texts(desk: ConnectorDriver, credentials: AccountCredentials) -> list[str]:
    return [post["text"] for post in posts(desk, credentials)]


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


def content(*media: MediaFile, text: str = "Bread", **options: Any) -> PostContent:
    return PostContent(text=text, media=media, options=options)


def lose(
    desk: ConnectorDriver, credentials: AccountCredentials, content: PostContent, when: str, part: int = 0
) -> PublishingProgress:
    """Bring a post to publishing one of its parts, and lose the call or its answer there."""
    step: Any = NextStage(progress=desk.publishing(credentials.kind).create_progress(content))
    while step.progress.stage != "publish" or step.progress.data.get("part", 0) != part:
        desk.rest(step.wait)
        step = desk.run(credentials, content, step.progress)
    desk.fail(PUBLISH, when)
    with pytest.raises(OutcomeUnknownError):
        desk.run(credentials, content, step.progress)
    progress: PublishingProgress = step.progress
    return progress


# The pure parts.


@pytest.mark.parametrize(
    ("invalid_content", "expected"),
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
def test_every_fault_is_named_at_once(invalid_content: PostContent, expected: dict[str, str]) -> None:
    assert {fault.pointer: fault.code for fault in validate_content(invalid_content)} == expected


def test_an_emoji_is_as_long_as_its_bytes() -> None:
    assert [count_characters("é"), count_characters("面包"), count_characters("🙂"), count_characters("👩‍🍳")] == [
        1,
        2,
        4,
        11,
    ]


def sent(content: PostContent, *children: str) -> dict[str, Any]:
    return {name: value for name, value in build_container_params(content, children).items() if value is not None}


def test_a_container_holds_what_was_asked_for() -> None:
    invalid_content = content(
        poll=["a", "b"],
        topicTag="bread",
        replyControl="mentioned_only",
        quotePostId="7",
        spoilers=[{"offset": 0, "length": 2}],
        countries=["DE", "PE"],
    )
    assert sent(invalid_content) == {
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
    assert build_child_params(content(file("video")), 0)["is_carousel_item"] == "true"
    assert build_reply_params("Then", "7") == {"media_type": "TEXT", "text": "Then", "reply_to_id": "7"}


@pytest.mark.parametrize(
    ("status", "reason", "word"),
    [
        ("ERROR", "INVALID_ASPEC_RATIO", PlatformRejectedError),
        ("ERROR", "BRAND_NEW", PlatformRejectedError),
        ("ERROR", "FAILED_DOWNLOADING_VIDEO", PlatformUnavailableError),
        ("ERROR", None, PlatformUnavailableError),
        ("EXPIRED", None, PlatformUnavailableError),
    ],
)
def test_why_a_container_is_spoiled_is_told_in_our_words(status: str, reason: str | None, word: type) -> None:
    assert isinstance(build_container_failure(MediaContainer(status=status, error_message=reason)), word)


@pytest.mark.parametrize(
    ("status", "body", "word"),
    [
        (400, b'{"error": {"code": 24, "error_subcode": 4279009}}', PlatformUnavailableError),
        (500, b'{"error": {"code": 2}}', OutcomeUnknownError),
    ],
)
def test_a_passing_failure_of_a_publishing_call_proves_nothing(status: int, body: bytes, word: type) -> None:
    vendor_error = TokenParameterDialect().parse_error(HttpResponse(status, {}, body, truncated=False))
    assert vendor_error is not None
    assert isinstance(ERROR_TABLE.translate(vendor_error, repeatable=False).failure, word)


@pytest.mark.parametrize(
    ("rows", "after", "before", "cursor"),
    [([{"id": 1}], "b", "a", "b"), ([{"id": 1}], "a", "a", None), ([], "b", "a", None), ([{"id": 1}], None, "a", None)],
)
def test_a_list_ends_with_an_empty_page_or_the_same_cursor(
    rows: list[Any], after: str | None, before: str, cursor: str | None
) -> None:
    page = msgspec.convert({"data": rows, "paging": {"cursors": {"after": after}}}, ThreadsPostPage)
    assert page.get_next_cursor(before) == cursor


# Every form, published and read back.


def test_a_text_is_published(desk: ConnectorDriver, credentials: AccountCredentials) -> None:
    done = desk.publish(credentials, content(text="Fresh bread 🙂", topicTag="bread", replyControl="mentioned_only"))
    (post,) = posts(desk, credentials)
    assert (post["id"], post["text"], post["topicTag"]) == (done.platform_post_id, "Fresh bread 🙂", "bread")
    assert done.url is not None
    assert "/post/" in done.url
    assert done.published_at is not None
    assert done.warnings == ()
    assert desk.calls("*/threads")[-1]["body"]["reply_control"] == "mentioned_only"


def test_a_reply_is_published(desk: ConnectorDriver, credentials: AccountCredentials) -> None:
    first = desk.publish(credentials, content(text="One"))
    desk.publish(credentials, content(text="Two", replyToId=first.platform_post_id))
    assert posts(desk, credentials)[1]["replyTo"] == first.platform_post_id


def test_a_thread_is_a_chain_of_replies_and_the_comment_hangs_on_its_first(
    desk: ConnectorDriver, credentials: AccountCredentials
) -> None:
    content = PostContent(text="Mix", options=THREAD, first_comment="Recipe below")
    done = desk.publish(credentials, content)
    root, second, third, comment = posts(desk, credentials)
    assert texts(desk, credentials) == ["Mix", "Then knead", "Then wait", "Recipe below"]
    assert root["id"] == done.platform_post_id == second["replyTo"] == comment["replyTo"]
    assert third["replyTo"] == second["id"]
    assert done.warnings == ()


# Answers that get lost.


@pytest.mark.parametrize("when", ["after", "drop"])
def test_a_lost_part_of_a_thread_has_its_place_in_it(
    desk: ConnectorDriver, credentials: AccountCredentials, when: str
) -> None:
    content = PostContent(text="Mix", options=THREAD, first_comment="Recipe below")
    progress = lose(desk, credentials, content, when, 2)
    sight = desk.look(credentials, content, progress)
    if when == "drop":
        assert isinstance(sight, SafeToRetry)
        sight = desk.run(credentials, content, progress)
    assert isinstance(sight, NextStage | PublishedPost)
    done = desk.continue_publishing(credentials, content, sight)
    assert texts(desk, credentials) == ["Mix", "Then knead", "Then wait", "Recipe below"]
    assert posts(desk, credentials)[3]["replyTo"] == done.platform_post_id
    assert done.warnings == ()


def test_a_reply_that_is_lost_twice_does_not_hold_up_the_post(
    desk: ConnectorDriver, credentials: AccountCredentials
) -> None:
    content = PostContent(text="Mix", options=THREAD)
    progress = msgspec.structs.replace(lose(desk, credentials, content, "drop", 1), has_lost_call=True)
    sight = desk.look(credentials, content, progress)
    assert isinstance(sight, PublishedPost)
    assert "It is unknown whether part 2 of the thread was published" in sight.warnings[0]
    desk.fail(PUBLISH, error="invalid")
    step = desk.run(credentials, content, progress)
    assert isinstance(step, PublishedPost)
    assert "It is unknown whether part 2 of the thread was published" in step.warnings[0]


def test_a_container_that_threads_does_not_see_yet_is_published_later(
    desk: ConnectorDriver, credentials: AccountCredentials
) -> None:
    desk.fail(PUBLISH, error="container_not_found", times=3)
    desk.publish(credentials, content())
    assert texts(desk, credentials) == ["Bread"]
    assert desk.stages.count("publish") == 4


def test_what_threads_hides_is_not_guessed(desk: ConnectorDriver, credentials: AccountCredentials) -> None:
    progress = lose(desk, credentials, content(), "after")
    desk.fail("*", error="not_found", method="GET")
    assert isinstance(desk.look(credentials, content(), progress), Inconclusive)


def test_what_is_published_under_an_id_that_nobody_tells_is_done(
    desk: ConnectorDriver, credentials: AccountCredentials
) -> None:
    invalid_content = content()
    progress = lose(desk, credentials, invalid_content, "after")
    sight = desk.look(credentials, invalid_content, progress)
    assert isinstance(sight, NextStage)
    desk.fail("*/me/threads", status=200, body={"data": []}, method="GET", times=7)
    done = desk.continue_publishing(credentials, invalid_content, sight)
    assert done.platform_post_id == progress.data["container"]
    assert "not with which id" in done.warnings[0]


# What Threads says no to, and what it never finishes.


@pytest.mark.parametrize(
    ("error", "word"), [("publish_quota", PlatformRateLimitError), ("restricted", PlatformRejectedError)]
)
def test_a_refusal_is_told(
    desk: ConnectorDriver, credentials: AccountCredentials, error: str, word: type[Exception]
) -> None:
    desk.fail(PUBLISH, error=error)
    with pytest.raises(word):
        desk.publish(credentials, content())
    assert posts(desk, credentials) == []


@pytest.mark.parametrize(
    ("used", "replies", "options", "full"),
    [(250, 0, {}, True), (250, 0, {"replyToId": "1"}, False), (0, 999, THREAD, True), (249, 998, THREAD, False)],
)
def test_a_full_quota_is_noticed_before_anything_is_made(
    desk: ConnectorDriver,
    credentials: AccountCredentials,
    used: int,
    replies: int,
    options: dict[str, Any],
    *,
    full: bool,
) -> None:
    limit = {
        "quota_usage": used,
        "config": {"quota_total": 250, "quota_duration": 86400},
        "reply_quota_usage": replies,
        "reply_config": {"quota_total": 1000, "quota_duration": 86400},
    }
    invalid_content = content(**options)
    desk.fail("*/threads_publishing_limit", status=200, body={"data": [limit]})
    progress = desk.publishing(Kind.THREADS).create_progress(invalid_content)
    if not full:
        assert isinstance(desk.run(credentials, invalid_content, progress), NextStage)
        return
    with pytest.raises(PlatformRateLimitError) as limited:
        desk.run(credentials, invalid_content, progress)
    assert (limited.value.retry_after, limited.value.category) == (3600, "quota_exhausted")


def container_says(desk: ConnectorDriver, status: str, times: int = 1, **more: str) -> None:
    desk.fail("*", status=200, body={"id": "1", "status": status, **more}, method="GET", times=times)


def test_media_that_threads_never_finishes_is_given_up(desk: ConnectorDriver, credentials: AccountCredentials) -> None:
    invalid_content = content(desk.files.image())
    step = NextStage(progress=desk.until(credentials, invalid_content, "check"))
    container_says(desk, "IN_PROGRESS", times=50)
    with pytest.raises(PlatformRejectedError, match="did not finish"):
        desk.continue_publishing(credentials, invalid_content, step)


def test_an_expired_container_is_made_anew(desk: ConnectorDriver, credentials: AccountCredentials) -> None:
    invalid_content = content(desk.files.image())
    step = NextStage(progress=desk.until(credentials, invalid_content, "check"))
    container_says(desk, "EXPIRED")
    desk.continue_publishing(credentials, invalid_content, step)
    assert texts(desk, credentials) == ["Bread"]


def test_media_that_threads_cannot_use_is_refused(desk: ConnectorDriver, credentials: AccountCredentials) -> None:
    invalid_content = content(desk.files.image())
    step = NextStage(progress=desk.until(credentials, invalid_content, "check"))
    container_says(desk, "ERROR", error_message="INVALID_ASPEC_RATIO")
    with pytest.raises(PlatformRejectedError, match="aspect ratio"):
        desk.continue_publishing(credentials, invalid_content, step)


@pytest.mark.parametrize("error", ["restricted", "permission_missing", "publish_quota"])
def test_what_fails_after_the_first_post_is_a_warning(
    desk: ConnectorDriver, credentials: AccountCredentials, error: str
) -> None:
    invalid_content = content(**THREAD)
    step = NextStage(progress=desk.until(credentials, invalid_content, "confirm"))
    desk.fail("*/threads*", error=error, method="POST")
    done = desk.continue_publishing(credentials, invalid_content, step)
    assert texts(desk, credentials) == ["Bread"]
    assert done.url
    assert done.warnings[0].startswith("Part 2 of the thread was not published, and neither was what follows it.")


def test_what_fails_for_a_moment_after_the_first_post_is_tried_again(
    desk: ConnectorDriver, credentials: AccountCredentials
) -> None:
    content = PostContent(text="Mix", first_comment="Recipe below")
    step = NextStage(progress=desk.until(credentials, content, "confirm"))
    desk.fail("*/threads", error="temporarily_unavailable", method="POST", times=2)
    done = desk.continue_publishing(credentials, content, step)
    assert texts(desk, credentials) == ["Mix", "Recipe below"]
    assert done.warnings == ()


def test_a_post_whose_address_cannot_be_read_is_published_all_the_same(
    desk: ConnectorDriver, credentials: AccountCredentials
) -> None:
    step = NextStage(progress=desk.until(credentials, content(), "confirm"))
    desk.fail("*", error="not_found", method="GET", times=6)
    done = desk.continue_publishing(credentials, content(), step)
    assert done.platform_post_id == step.progress.data["id"]
    assert done.url is None


# Taking down, and looking back.


def test_posts_are_listed_and_deleted(desk: ConnectorDriver, credentials: AccountCredentials) -> None:
    for text in ("one", "two"):
        desk.publish(credentials, content(text=text))
    desk.publish(credentials, content(desk.files.image(), desk.files.video(), text="three"))
    newest = desk.history(credentials, 2)
    assert [(item.type, item.text) for item in newest.items] == [("carousel", "three"), ("text", "two")]
    assert [item["type"] for item in newest.items[0].media] == ["image", "video"]
    oldest = desk.history(credentials, 2, newest.cursor)
    assert [item.text for item in oldest.items] == ["one"]
    assert all(item.url and item.created_at for item in (*newest.items, *oldest.items))
    end = desk.history(credentials, 2, oldest.cursor) if oldest.cursor else oldest
    assert end.cursor is None

    desk.remove(credentials, newest.items[0].id)
    assert texts(desk, credentials) == ["one", "two"]
    for gone in (newest.items[0].id, "me/threads", ""):
        with pytest.raises(PlatformNotFoundError):
            desk.remove(credentials, gone)
