"""Replies on Threads as comments, at the sandbox: written once whatever is lost, listed, hidden and deleted."""

from collections.abc import Callable, Coroutine, Iterator
from datetime import timedelta
from typing import Any

import pytest

from socialgate.contracts.account_connection import AccountCredentials
from socialgate.contracts.comments import COMMENTS_CAPABILITY, Comment, CommentAdapter, LookupResult, NewComment
from socialgate.contracts.failures import (
    NotSupportedError,
    OutcomeUnknownError,
    PermissionMissingError,
    PlatformFailure,
    PlatformNotFoundError,
    PlatformRejectedError,
    PlatformUnavailableError,
)
from socialgate.contracts.platforms import Kind, Platform
from socialgate.contracts.publishing import Inconclusive, MediaFile, PostContent
from socialgate_sandbox.vendors import ALL_VENDORS
from support.publishing import ConnectorDriver, start_driver
from support.simulation import RunningSandbox, running_sandbox
from support.waiting import eventually

PUBLISH = "*/threads_publish"


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


@pytest.fixture
def post(desk: ConnectorDriver, credentials: AccountCredentials) -> str:
    return desk.publish(credentials, PostContent(text="Fresh bread")).platform_post_id


def comments(desk: ConnectorDriver) -> CommentAdapter:
    return desk.part(Kind.THREADS, COMMENTS_CAPABILITY)


def new(desk: ConnectorDriver, post: str, text: str = "Thanks", parent: str | None = None, **more: Any) -> NewComment:
    return NewComment(text=text, object_id=post, parent_id=parent, asked_at=desk.clock.now(), **more)


def write(
    desk: ConnectorDriver, credentials: AccountCredentials, post: str, text: str = "Thanks", **more: Any
) -> Comment:
    """Write a reply, a while after the one before: Threads counts in seconds."""
    desk.rest(2)
    return desk.wait_for(comments(desk).create(credentials, new(desk, post, text, **more)))


def listed(desk: ConnectorDriver, credentials: AccountCredentials, post: str, limit: int = 50) -> list[Comment]:
    return list(desk.wait_for(comments(desk).list(credentials, post, limit, None)).items)


def look(desk: ConnectorDriver, credentials: AccountCredentials, new_comment: NewComment) -> LookupResult:
    return desk.wait_for(comments(desk).look_up_result(credentials, new_comment))


def replies(desk: ConnectorDriver, credentials: AccountCredentials) -> list[str]:
    """List what the profile published, without the post itself."""
    feed = desk.sandbox.control("feed", platform="threads", account=credentials.platform_account_id)["data"]
    return [line["text"] for line in feed if line["text"] != "Fresh bread"]


def picture(**known: Any) -> MediaFile:
    params: dict[str, Any] = {"type": "image", "mime_type": "image/png"} | known
    return MediaFile(id="med_1", size=1, sha256="0", url="https://gate.example/a", file_name="a", **params)


# Writing.


def test_a_reply_and_the_answer_to_it_are_written(
    desk: ConnectorDriver, credentials: AccountCredentials, post: str
) -> None:
    first = write(desk, credentials, post, "Thanks 🥐")
    second = write(desk, credentials, post, "Still warm", parent=first.id)
    assert (first.text, first.object_id, first.parent_id) == ("Thanks 🥐", post, None)
    assert (second.text, second.object_id, second.parent_id) == ("Still warm", post, first.id)
    assert all(
        comment.own and comment.can_delete and comment.can_reply and comment.url and comment.created_at
        for comment in (first, second)
    )
    assert (first.can_hide, second.can_hide) == (True, False)
    assert first.author is not None
    assert (first.author.id, bool(first.author.username)) == (None, True)
    assert replies(desk, credentials) == ["Still warm", "Thanks 🥐"]


def test_a_picture_is_waited_for(desk: ConnectorDriver, credentials: AccountCredentials, post: str) -> None:
    account = credentials.platform_account_id
    desk.sandbox.control("process", platform="threads", account=account, seconds=0)
    desk.fail("*", status=200, body={"id": "1", "status": "IN_PROGRESS"}, method="GET")
    media = desk.files.image()
    assert write(desk, credentials, post, "Look", media=media).text == "Look"
    newest = desk.sandbox.control("feed", platform="threads", account=account)["data"][0]
    assert (newest["text"], [item["sha256"] for item in newest["media"]]) == ("Look", [media.sha256])


@pytest.mark.parametrize(
    ("text", "media", "expected"),
    [
        ("ok", None, {}),
        ("", picture(), {}),
        ("x" * 496 + "🙂", None, {}),
        (" ", None, {"/text": "required"}),
        ("x" * 497 + "🙂", None, {"/text": "too_long"}),
        ("ok", picture(mime_type="image/webp"), {"/mediaId": "not_supported"}),
        (
            "x" * 501,
            picture(type="video", mime_type="video/mp4"),
            {"/text": "too_long", "/mediaId": "not_supported"},
        ),
    ],
)
def test_what_threads_would_refuse_is_named_before(
    desk: ConnectorDriver, text: str, media: MediaFile | None, expected: dict[str, str]
) -> None:
    faults = comments(desk).validate_new_comment(new(desk, "1", text, media=media))
    assert {fault.pointer: fault.code for fault in faults} == expected


def test_a_reply_that_threads_does_not_see_yet_is_published_once(
    desk: ConnectorDriver, credentials: AccountCredentials, post: str
) -> None:
    desk.fail(PUBLISH, error="container_not_found")
    assert write(desk, credentials, post).own
    assert replies(desk, credentials) == ["Thanks"]


def test_a_reply_whose_address_cannot_be_read_is_written_all_the_same(
    desk: ConnectorDriver, credentials: AccountCredentials, post: str
) -> None:
    first = write(desk, credentials, post)
    desk.fail("*", error="temporarily_unavailable", method="GET", when="before", skip=1)
    item = write(desk, credentials, post, "Second")
    assert (item.text, item.own, item.object_id, item.url) == ("Second", True, post, None)
    assert item.id != first.id


def test_what_threads_cannot_use_is_refused_before_it_is_published(
    desk: ConnectorDriver, credentials: AccountCredentials, post: str
) -> None:
    desk.fail(
        "*", status=200, body={"id": "1", "status": "ERROR", "error_message": "INVALID_ASPEC_RATIO"}, method="GET"
    )
    with pytest.raises(PlatformRejectedError, match="aspect ratio"):
        write(desk, credentials, post)
    assert replies(desk, credentials) == []


# Answers that get lost.


def test_a_lost_answer_is_found_among_the_replies(
    desk: ConnectorDriver, credentials: AccountCredentials, post: str
) -> None:
    new_comment = new(desk, post, "Thanks,  all")
    desk.fail(PUBLISH, "after")
    with pytest.raises(OutcomeUnknownError):
        desk.wait_for(comments(desk).create(credentials, new_comment))
    comment = look(desk, credentials, new_comment)
    assert isinstance(comment, Comment)
    assert (comment.text, comment.object_id, comment.parent_id) == ("Thanks,  all", post, None)
    assert [item.id for item in listed(desk, credentials, post)] == [comment.id]
    assert len(desk.calls(PUBLISH)) == 2, "the post, and its reply once"


def test_a_call_that_was_lost_before_it_arrived_proves_nothing(
    desk: ConnectorDriver, credentials: AccountCredentials, post: str
) -> None:
    new_comment = new(desk, post)
    desk.fail(PUBLISH, "drop")
    with pytest.raises(OutcomeUnknownError):
        desk.wait_for(comments(desk).create(credentials, new_comment))
    assert isinstance(look(desk, credentials, new_comment), Inconclusive)
    assert replies(desk, credentials) == []


def test_a_call_that_is_carried_out_late_is_found_later(
    desk: ConnectorDriver, credentials: AccountCredentials, post: str
) -> None:
    new_comment = new(desk, post)
    desk.fail(PUBLISH, "late", delay=60)
    with pytest.raises(OutcomeUnknownError):
        desk.wait_for(comments(desk).create(credentials, new_comment))
    assert isinstance(look(desk, credentials, new_comment), Inconclusive)
    desk.rest(61)
    eventually(lambda: replies(desk, credentials) == ["Thanks"])
    assert isinstance(look(desk, credentials, new_comment), Comment)


def test_only_this_reply_to_this_post_of_this_time_is_it(
    desk: ConnectorDriver, credentials: AccountCredentials, post: str
) -> None:
    other = desk.publish(credentials, PostContent(text="Other")).platform_post_id
    write(desk, credentials, post)
    desk.rest(600)
    write(desk, credentials, other)
    write(desk, credentials, post, "Other words")
    new_comment = new(desk, post)
    assert isinstance(look(desk, credentials, new_comment), Inconclusive)
    ours = write(desk, credentials, post)
    result = look(desk, credentials, new_comment)
    assert isinstance(result, Comment)
    assert result.id == ours.id
    write(desk, credentials, post)
    assert isinstance(look(desk, credentials, new_comment), Inconclusive)
    later = NewComment(text="Thanks", object_id=post, asked_at=desk.clock.now() + timedelta(hours=1))
    assert isinstance(look(desk, credentials, later), Inconclusive)


def test_a_container_that_got_lost_publishes_nothing(
    desk: ConnectorDriver, credentials: AccountCredentials, post: str
) -> None:
    desk.fail("*/me/threads", "drop", method="POST")
    with pytest.raises(PlatformUnavailableError):
        write(desk, credentials, post)
    assert replies(desk, credentials) == []


# Listing.


def test_replies_are_listed_from_the_newest_with_those_below_them(
    desk: ConnectorDriver, credentials: AccountCredentials, post: str
) -> None:
    first = write(desk, credentials, post, "first")
    second = write(desk, credentials, post, "second")
    below = write(desk, credentials, post, "below", parent=first.id)
    deeper = write(desk, credentials, post, "deeper", parent=below.id)
    items = listed(desk, credentials, post)
    assert [item.id for item in items] == [second.id, first.id]
    assert (items[0].replies, items[0].reply_count, items[1].reply_count) == ((), 0, None)
    assert [item.id for item in items[1].replies] == [below.id]
    assert [item.id for item in items[1].replies[0].replies] == [deeper.id]
    assert {item.object_id for item in (*items, *items[1].replies)} == {post}
    # A reply has replies of its own.
    assert [item.id for item in listed(desk, credentials, first.id)] == [below.id]


def test_pages_follow_each_other_to_the_end(desk: ConnectorDriver, credentials: AccountCredentials, post: str) -> None:
    written = [write(desk, credentials, post, str(number)).id for number in range(5)]
    result: list[str] = []
    cursor: str | None = None
    for _ in range(5):
        page = desk.wait_for(comments(desk).list(credentials, post, 2, cursor))
        assert len(page.items) <= 2
        result += [item.id for item in page.items]
        cursor = page.cursor
        if cursor is None:
            break
    assert (result, cursor) == (written[::-1], None)


def test_the_replies_of_others_are_shown_with_their_names(
    desk: ConnectorDriver, credentials: AccountCredentials, post: str
) -> None:
    row = {
        "id": "18000000000000001",
        "text": "Yum",
        "username": "bram",
        "timestamp": "2026-11-14T09:28:50+0000",
        "permalink": "https://www.threads.net/@bram/post/x",
        "has_replies": False,
        "is_reply": True,
        "is_reply_owned_by_me": False,
        "root_post": {"id": post},
        "replied_to": {"id": post},
        "hide_status": "HIDDEN",
    }
    desk.fail(f"*/{post}/replies", status=200, body={"data": [row]}, method="GET")
    (item,) = listed(desk, credentials, post)
    assert (item.own, item.can_delete, item.can_hide, item.hidden) == (False, False, True, True)
    assert item.author is not None
    assert (item.author.id, item.author.username) == (None, "bram")


# Hiding and deleting.


def test_hiding_twice_changes_nothing(desk: ConnectorDriver, credentials: AccountCredentials, post: str) -> None:
    reply = write(desk, credentials, post)
    for hidden in (True, True, False, False):
        desk.wait_for(comments(desk).set_hidden(credentials, reply.id, hidden=hidden))
        assert [item.hidden for item in listed(desk, credentials, post)] == [hidden]


def test_only_a_reply_right_below_a_post_can_be_hidden(
    desk: ConnectorDriver, credentials: AccountCredentials, post: str
) -> None:
    top = write(desk, credentials, post)
    below = write(desk, credentials, post, "below", parent=top.id)
    with pytest.raises(NotSupportedError, match="directly below") as refused:
        desk.wait_for(comments(desk).set_hidden(credentials, below.id, hidden=True))
    assert refused.value.platform_error is not None
    with pytest.raises(PlatformNotFoundError):
        desk.wait_for(comments(desk).set_hidden(credentials, post, hidden=True))


def test_a_reply_is_deleted_and_then_gone(desk: ConnectorDriver, credentials: AccountCredentials, post: str) -> None:
    reply = write(desk, credentials, post)
    desk.wait_for(comments(desk).delete(credentials, reply.id))
    assert listed(desk, credentials, post) == []
    with pytest.raises(PlatformNotFoundError):
        desk.wait_for(comments(desk).delete(credentials, reply.id))
    with pytest.raises(PlatformNotFoundError):
        desk.wait_for(comments(desk).set_hidden(credentials, reply.id, hidden=True))


def test_a_post_is_no_reply_and_stays(desk: ConnectorDriver, credentials: AccountCredentials, post: str) -> None:
    with pytest.raises(PlatformNotFoundError):
        desk.wait_for(comments(desk).delete(credentials, post))
    assert desk.history(credentials, 10).items[0].id == post
    assert desk.calls(f"*/{post}")[0]["method"] == "GET"


def test_what_others_wrote_cannot_be_deleted(desk: ConnectorDriver, credentials: AccountCredentials) -> None:
    shown = {"id": "18000000000000001", "is_reply": True, "is_reply_owned_by_me": False}
    desk.fail("*/18000000000000001", status=200, body=shown, method="GET")
    with pytest.raises(NotSupportedError, match="Hide it instead"):
        desk.wait_for(comments(desk).delete(credentials, "18000000000000001"))
    assert [call["method"] for call in desk.calls("*/18000000000000001")] == ["GET"]


def test_a_missing_permission_is_no_missing_reply(
    desk: ConnectorDriver, credentials: AccountCredentials, post: str
) -> None:
    reply = write(desk, credentials, post)
    desk.fail("*/manage_reply", error="permission_missing")
    with pytest.raises(PermissionMissingError):
        desk.wait_for(comments(desk).set_hidden(credentials, reply.id, hidden=True))


@pytest.mark.parametrize("bad", ["", "me/threads", "..", "1?fields=id", "\uff11\uff12", "abc"])
def test_what_is_no_id_is_not_asked_for(desk: ConnectorDriver, credentials: AccountCredentials, bad: str) -> None:
    part, before = comments(desk), len(desk.calls("*"))
    calls: list[Callable[[], Coroutine[Any, Any, object]]] = [
        lambda: part.list(credentials, bad, 10, None),
        lambda: part.create(credentials, new(desk, "1", parent=bad) if bad else new(desk, bad)),
        lambda: part.look_up_result(credentials, new(desk, bad)),
        lambda: part.set_hidden(credentials, bad, hidden=True),
        lambda: part.delete(credentials, bad),
    ]
    for call in calls:
        with pytest.raises(PlatformNotFoundError):
            desk.wait_for(call())
    assert len(desk.calls("*")) == before


def test_replies_of_a_post_that_is_not_there_are_refused(
    desk: ConnectorDriver, credentials: AccountCredentials
) -> None:
    with pytest.raises(PlatformFailure):
        listed(desk, credentials, "99")
