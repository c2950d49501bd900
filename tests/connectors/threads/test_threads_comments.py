"""Replies on Threads as comments, at the sandbox: written once whatever is lost, listed, hidden and deleted."""

from collections.abc import Callable, Coroutine, Iterator
from datetime import timedelta
from typing import Any

import pytest

from socialgate.contracts.comments import COMMENTS, Comment, Comments, Looked, NewComment
from socialgate.contracts.connecting import AccountCredentials
from socialgate.contracts.failures import (
    NotSupported,
    OutcomeUnknown,
    PermissionMissing,
    PlatformFailure,
    PlatformNotFound,
    Rejected,
    TemporarilyUnavailable,
)
from socialgate.contracts.platforms import Kind, Platform
from socialgate.contracts.publishing import CannotTell, Content, MediaFile
from socialgate_sandbox.vendors import ALL
from support.publishing import Desk, desk_of
from support.simulation import RunningSandbox, running_sandbox
from support.waiting import eventually

PUBLISH = "*/threads_publish"


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


@pytest.fixture
def post(desk: Desk, held: AccountCredentials) -> str:
    return desk.publish(held, Content(text="Fresh bread")).platform_post_id


def comments(desk: Desk) -> Comments:
    return desk.part(Kind.THREADS, COMMENTS)


def new(desk: Desk, post: str, text: str = "Thanks", parent: str | None = None, **more: Any) -> NewComment:
    return NewComment(text=text, object_id=post, parent_id=parent, asked_at=desk.clock.now(), **more)


def write(desk: Desk, held: AccountCredentials, post: str, text: str = "Thanks", **more: Any) -> Comment:
    """Write a reply, a while after the one before: Threads counts in seconds."""
    desk.rest(2)
    return desk.wait_for(comments(desk).create(held, new(desk, post, text, **more)))


def listed(desk: Desk, held: AccountCredentials, post: str, limit: int = 50) -> list[Comment]:
    return list(desk.wait_for(comments(desk).list(held, post, limit, None)).items)


def look(desk: Desk, held: AccountCredentials, asked: NewComment) -> Looked:
    return desk.wait_for(comments(desk).look(held, asked))


def replies(desk: Desk, held: AccountCredentials) -> list[str]:
    """List what the profile published, without the post itself."""
    feed = desk.sandbox.control("feed", platform="threads", account=held.platform_account_id)["data"]
    return [line["text"] for line in feed if line["text"] != "Fresh bread"]


def picture(**known: Any) -> MediaFile:
    given: dict[str, Any] = {"type": "image", "mime_type": "image/png"} | known
    return MediaFile(id="med_1", size=1, sha256="0", url="https://gate.example/a", file_name="a", **given)


# Writing.


def test_a_reply_and_the_answer_to_it_are_written(desk: Desk, held: AccountCredentials, post: str) -> None:
    first = write(desk, held, post, "Thanks 🥐")
    second = write(desk, held, post, "Still warm", parent=first.id)
    assert (first.text, first.object_id, first.parent_id) == ("Thanks 🥐", post, None)
    assert (second.text, second.object_id, second.parent_id) == ("Still warm", post, first.id)
    assert all(one.own and one.can_delete and one.can_reply and one.url and one.created_at for one in (first, second))
    assert (first.can_hide, second.can_hide) == (True, False)
    assert first.author is not None
    assert (first.author.id, bool(first.author.username)) == (None, True)
    assert replies(desk, held) == ["Still warm", "Thanks 🥐"]


def test_a_picture_is_waited_for(desk: Desk, held: AccountCredentials, post: str) -> None:
    account = held.platform_account_id
    desk.sandbox.control("process", platform="threads", account=account, seconds=0)
    desk.fail("*", status=200, body={"id": "1", "status": "IN_PROGRESS"}, method="GET")
    media = desk.files.image()
    assert write(desk, held, post, "Look", media=media).text == "Look"
    newest = desk.sandbox.control("feed", platform="threads", account=account)["data"][0]
    assert (newest["text"], [one["sha256"] for one in newest["media"]]) == ("Look", [media.sha256])


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
    desk: Desk, text: str, media: MediaFile | None, expected: dict[str, str]
) -> None:
    found = comments(desk).faults(new(desk, "1", text, media=media))
    assert {fault.pointer: fault.code for fault in found} == expected


def test_a_reply_that_threads_does_not_see_yet_is_published_once(
    desk: Desk, held: AccountCredentials, post: str
) -> None:
    desk.fail(PUBLISH, error="container_not_found")
    assert write(desk, held, post).own
    assert replies(desk, held) == ["Thanks"]


def test_a_reply_whose_address_cannot_be_read_is_written_all_the_same(
    desk: Desk, held: AccountCredentials, post: str
) -> None:
    first = write(desk, held, post)
    desk.fail("*", error="temporarily_unavailable", method="GET", when="before", skip=1)
    item = write(desk, held, post, "Second")
    assert (item.text, item.own, item.object_id, item.url) == ("Second", True, post, None)
    assert item.id != first.id


def test_what_threads_cannot_use_is_refused_before_it_is_published(
    desk: Desk, held: AccountCredentials, post: str
) -> None:
    desk.fail(
        "*", status=200, body={"id": "1", "status": "ERROR", "error_message": "INVALID_ASPEC_RATIO"}, method="GET"
    )
    with pytest.raises(Rejected, match="aspect ratio"):
        write(desk, held, post)
    assert replies(desk, held) == []


# Answers that get lost.


def test_a_lost_answer_is_found_among_the_replies(desk: Desk, held: AccountCredentials, post: str) -> None:
    asked = new(desk, post, "Thanks,  all")
    desk.fail(PUBLISH, "after")
    with pytest.raises(OutcomeUnknown):
        desk.wait_for(comments(desk).create(held, asked))
    found = look(desk, held, asked)
    assert isinstance(found, Comment)
    assert (found.text, found.object_id, found.parent_id) == ("Thanks,  all", post, None)
    assert [item.id for item in listed(desk, held, post)] == [found.id]
    assert len(desk.calls(PUBLISH)) == 2, "the post, and its reply once"


def test_a_call_that_was_lost_before_it_arrived_proves_nothing(desk: Desk, held: AccountCredentials, post: str) -> None:
    asked = new(desk, post)
    desk.fail(PUBLISH, "drop")
    with pytest.raises(OutcomeUnknown):
        desk.wait_for(comments(desk).create(held, asked))
    assert isinstance(look(desk, held, asked), CannotTell)
    assert replies(desk, held) == []


def test_a_call_that_is_carried_out_late_is_found_later(desk: Desk, held: AccountCredentials, post: str) -> None:
    asked = new(desk, post)
    desk.fail(PUBLISH, "late", delay=60)
    with pytest.raises(OutcomeUnknown):
        desk.wait_for(comments(desk).create(held, asked))
    assert isinstance(look(desk, held, asked), CannotTell)
    desk.rest(61)
    eventually(lambda: replies(desk, held) == ["Thanks"])
    assert isinstance(look(desk, held, asked), Comment)


def test_only_this_reply_to_this_post_of_this_time_is_it(desk: Desk, held: AccountCredentials, post: str) -> None:
    other = desk.publish(held, Content(text="Other")).platform_post_id
    write(desk, held, post)
    desk.rest(600)
    write(desk, held, other)
    write(desk, held, post, "Other words")
    asked = new(desk, post)
    assert isinstance(look(desk, held, asked), CannotTell)
    ours = write(desk, held, post)
    found = look(desk, held, asked)
    assert isinstance(found, Comment)
    assert found.id == ours.id
    write(desk, held, post)
    assert isinstance(look(desk, held, asked), CannotTell)
    later = NewComment(text="Thanks", object_id=post, asked_at=desk.clock.now() + timedelta(hours=1))
    assert isinstance(look(desk, held, later), CannotTell)


def test_a_container_that_got_lost_publishes_nothing(desk: Desk, held: AccountCredentials, post: str) -> None:
    desk.fail("*/me/threads", "drop", method="POST")
    with pytest.raises(TemporarilyUnavailable):
        write(desk, held, post)
    assert replies(desk, held) == []


# Listing.


def test_replies_are_listed_from_the_newest_with_those_below_them(
    desk: Desk, held: AccountCredentials, post: str
) -> None:
    first = write(desk, held, post, "first")
    second = write(desk, held, post, "second")
    below = write(desk, held, post, "below", parent=first.id)
    deeper = write(desk, held, post, "deeper", parent=below.id)
    items = listed(desk, held, post)
    assert [item.id for item in items] == [second.id, first.id]
    assert (items[0].replies, items[0].reply_count, items[1].reply_count) == ((), 0, None)
    assert [item.id for item in items[1].replies] == [below.id]
    assert [item.id for item in items[1].replies[0].replies] == [deeper.id]
    assert {item.object_id for item in (*items, *items[1].replies)} == {post}
    # A reply has replies of its own.
    assert [item.id for item in listed(desk, held, first.id)] == [below.id]


def test_pages_follow_each_other_to_the_end(desk: Desk, held: AccountCredentials, post: str) -> None:
    written = [write(desk, held, post, str(number)).id for number in range(5)]
    found: list[str] = []
    cursor: str | None = None
    for _ in range(5):
        page = desk.wait_for(comments(desk).list(held, post, 2, cursor))
        assert len(page.items) <= 2
        found += [item.id for item in page.items]
        cursor = page.cursor
        if cursor is None:
            break
    assert (found, cursor) == (written[::-1], None)


def test_the_replies_of_others_are_shown_with_their_names(desk: Desk, held: AccountCredentials, post: str) -> None:
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
    (item,) = listed(desk, held, post)
    assert (item.own, item.can_delete, item.can_hide, item.hidden) == (False, False, True, True)
    assert item.author is not None
    assert (item.author.id, item.author.username) == (None, "bram")


# Hiding and deleting.


def test_hiding_twice_changes_nothing(desk: Desk, held: AccountCredentials, post: str) -> None:
    reply = write(desk, held, post)
    for hidden in (True, True, False, False):
        desk.wait_for(comments(desk).hide(held, reply.id, hidden=hidden))
        assert [item.hidden for item in listed(desk, held, post)] == [hidden]


def test_only_a_reply_right_below_a_post_can_be_hidden(desk: Desk, held: AccountCredentials, post: str) -> None:
    top = write(desk, held, post)
    below = write(desk, held, post, "below", parent=top.id)
    with pytest.raises(NotSupported, match="directly below") as refused:
        desk.wait_for(comments(desk).hide(held, below.id, hidden=True))
    assert refused.value.platform_error is not None
    with pytest.raises(PlatformNotFound):
        desk.wait_for(comments(desk).hide(held, post, hidden=True))


def test_a_reply_is_deleted_and_then_gone(desk: Desk, held: AccountCredentials, post: str) -> None:
    reply = write(desk, held, post)
    desk.wait_for(comments(desk).delete(held, reply.id))
    assert listed(desk, held, post) == []
    with pytest.raises(PlatformNotFound):
        desk.wait_for(comments(desk).delete(held, reply.id))
    with pytest.raises(PlatformNotFound):
        desk.wait_for(comments(desk).hide(held, reply.id, hidden=True))


def test_a_post_is_no_reply_and_stays(desk: Desk, held: AccountCredentials, post: str) -> None:
    with pytest.raises(PlatformNotFound):
        desk.wait_for(comments(desk).delete(held, post))
    assert desk.history(held, 10).items[0].id == post
    assert desk.calls(f"*/{post}")[0]["method"] == "GET"


def test_what_others_wrote_cannot_be_deleted(desk: Desk, held: AccountCredentials) -> None:
    shown = {"id": "18000000000000001", "is_reply": True, "is_reply_owned_by_me": False}
    desk.fail("*/18000000000000001", status=200, body=shown, method="GET")
    with pytest.raises(NotSupported, match="Hide it instead"):
        desk.wait_for(comments(desk).delete(held, "18000000000000001"))
    assert [call["method"] for call in desk.calls("*/18000000000000001")] == ["GET"]


def test_a_missing_permission_is_no_missing_reply(desk: Desk, held: AccountCredentials, post: str) -> None:
    reply = write(desk, held, post)
    desk.fail("*/manage_reply", error="permission_missing")
    with pytest.raises(PermissionMissing):
        desk.wait_for(comments(desk).hide(held, reply.id, hidden=True))


@pytest.mark.parametrize("bad", ["", "me/threads", "..", "1?fields=id", "\uff11\uff12", "abc"])
def test_what_is_no_id_is_not_asked_for(desk: Desk, held: AccountCredentials, bad: str) -> None:
    part, before = comments(desk), len(desk.calls("*"))
    calls: list[Callable[[], Coroutine[Any, Any, object]]] = [
        lambda: part.list(held, bad, 10, None),
        lambda: part.create(held, new(desk, "1", parent=bad) if bad else new(desk, bad)),
        lambda: part.look(held, new(desk, bad)),
        lambda: part.hide(held, bad, hidden=True),
        lambda: part.delete(held, bad),
    ]
    for call in calls:
        with pytest.raises(PlatformNotFound):
            desk.wait_for(call())
    assert len(desk.calls("*")) == before


def test_replies_of_a_post_that_is_not_there_are_refused(desk: Desk, held: AccountCredentials) -> None:
    with pytest.raises(PlatformFailure):
        listed(desk, held, "99")
