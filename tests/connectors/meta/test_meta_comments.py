"""Comments on Pages and on Instagram, at the sandbox: all that can be done with them, and answers that get lost."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest

from socialgate.contracts.account_connection import AccountCredentials, WebhookEndpoint
from socialgate.contracts.comments import (
    COMMENTS_CAPABILITY,
    Comment,
    CommentAdapter,
    CommentPage,
    CommentReceived,
    NewComment,
)
from socialgate.contracts.failures import (
    OutcomeUnknownError,
    PermissionMissingError,
    PlatformNotFoundError,
    PlatformRejectedError,
)
from socialgate.contracts.platforms import Kind, Platform
from socialgate.contracts.publishing import Inconclusive, PostContent
from socialgate.contracts.webhooks import PlatformFact, WebhookRequest
from socialgate_sandbox.vendors import ALL_VENDORS
from support.publishing import ConnectorDriver, start_driver
from support.simulation import RunningSandbox, WebhookReceiver, running_sandbox
from support.waiting import eventually

KINDS = [Kind.FACEBOOK_PAGE, Kind.INSTAGRAM]


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningSandbox]:
    with running_sandbox(tmp_path_factory.mktemp("sandbox"), ALL_VENDORS) as running:
        yield running


@pytest.fixture
def desk(sandbox: RunningSandbox) -> Iterator[ConnectorDriver]:
    sandbox.control("reset")
    with start_driver(Platform.META, sandbox) as opened:
        yield opened


@pytest.fixture
def gateway() -> Iterator[WebhookReceiver]:
    opened = WebhookReceiver()
    yield opened
    opened.close()


class Thread:
    """A post of an account, and what is said under it."""

    def __init__(self, desk: ConnectorDriver, kind: Kind) -> None:
        self.desk = desk
        self.credentials = desk.sign_in(kind)[0]
        self.part: CommentAdapter = desk.part(kind, COMMENTS_CAPABILITY)
        media = (desk.files.image(),) if kind is Kind.INSTAGRAM else ()
        self.post = desk.publish(self.credentials, PostContent(text="Bread", media=media)).platform_post_id

    def say(self, text: str, **more: str) -> str:
        """Let a person of the sandbox comment on it."""
        message = self.desk.sandbox.control("comment", platform="meta", objectId=self.post, text=text, **more)
        return str(message["id"])

    def new(self, text: str, **more: Any) -> NewComment:
        params: dict[str, Any] = {"object_id": self.post, "asked_at": self.desk.clock.now()} | more
        return NewComment(text=text, **params)

    def page(self, limit: int = 50, cursor: str | None = None) -> CommentPage:
        return self.desk.wait_for(self.part.list(self.credentials, self.post, limit, cursor))

    def create(self, new: NewComment) -> Comment:
        return self.desk.wait_for(self.part.create(self.credentials, new))

    def look(self, new: NewComment) -> object:
        return self.desk.wait_for(self.part.look_up_result(self.credentials, new))

    def hide(self, comment: str, *, hidden: bool = True) -> None:
        self.desk.wait_for(self.part.set_hidden(self.credentials, comment, hidden=hidden))

    def delete(self, comment: str) -> None:
        self.desk.wait_for(self.part.delete(self.credentials, comment))

    def texts(self) -> list[str]:
        return [item.text for item in self.page().items]


@pytest.fixture(params=KINDS, ids=str)
def thread(desk: ConnectorDriver, request: pytest.FixtureRequest) -> Thread:
    return Thread(desk, request.param)


def edge(thread: Thread, *, answering: bool = False) -> str:
    return "*/replies" if answering and thread.credentials.kind is Kind.INSTAGRAM else "*/comments"


def test_comments_of_people_are_listed_with_what_may_be_done_with_them(thread: Thread) -> None:
    first = thread.say("How much is it?")
    thread.desk.rest(60)
    thread.say("Lovely")
    thread.say("Two", parentId=first)
    newest, oldest = thread.page().items
    assert (newest.text, oldest.text, oldest.id) == ("Lovely", "How much is it?", first)
    assert (oldest.object_id, oldest.parent_id, oldest.own, oldest.hidden) == (thread.post, None, False, False)
    assert (oldest.can_reply, oldest.can_hide, oldest.can_delete) == (True, True, True)
    assert oldest.created_at is not None
    assert newest.created_at is not None
    assert newest.created_at > oldest.created_at
    assert oldest.author is not None
    assert oldest.author.id or oldest.author.username
    (reply,) = oldest.replies
    assert (reply.text, reply.parent_id, reply.can_reply, oldest.reply_count) == ("Two", first, False, 1)


def test_what_the_account_writes_is_its_own(thread: Thread) -> None:
    question = thread.say("How much is it?")
    thread.desk.rest(60)
    created_comment = thread.create(thread.new("Thank you all"))
    answer = thread.create(thread.new("Two fifty", parent_id=question))
    assert (created_comment.own, created_comment.text, created_comment.parent_id, created_comment.object_id) == (
        True,
        "Thank you all",
        None,
        thread.post,
    )
    assert answer.parent_id == question
    mine, comment = thread.page().items
    assert (mine.id, mine.text, mine.own, mine.can_delete) == (created_comment.id, "Thank you all", True, True)
    assert [(reply.id, reply.text, reply.own) for reply in comment.replies] == [(answer.id, "Two fifty", True)]


@pytest.mark.parametrize("answering", [False, True])
def test_a_comment_whose_answer_was_lost_is_found_and_never_repeated(thread: Thread, *, answering: bool) -> None:
    parent = thread.say("How much is it?") if answering else None
    new = thread.new("Two fifty", parent_id=parent)
    thread.desk.fail(edge(thread, answering=answering), "after", method="POST")
    with pytest.raises(OutcomeUnknownError):
        thread.create(new)
    comment = thread.look(new)
    assert isinstance(comment, Comment)
    assert (comment.text, comment.own) == ("Two fifty", True)
    listed = [each for item in thread.page().items for each in (item, *item.replies) if each.own]
    assert [item.id for item in listed] == [comment.id]


@pytest.mark.parametrize("answering", [False, True])
def test_a_comment_that_is_not_shown_may_still_come(thread: Thread, *, answering: bool) -> None:
    parent = thread.say("How much is it?") if answering else None
    new = thread.new("Two fifty", parent_id=parent)
    thread.desk.fail(edge(thread, answering=answering), "drop", method="POST")
    with pytest.raises(OutcomeUnknownError):
        thread.create(new)
    assert isinstance(thread.look(new), Inconclusive)
    thread.desk.rest(24 * 3600)
    assert isinstance(thread.look(new), Inconclusive)


def test_only_a_comment_of_ours_that_is_new_enough_and_alone_is_taken_for_it(thread: Thread) -> None:
    thread.say("Yes")
    assert isinstance(thread.look(thread.new("Yes")), Inconclusive)
    ours = thread.create(thread.new("Yes"))
    result = thread.look(thread.new(" Yes\n"))
    assert isinstance(result, Comment)
    assert result.id == ours.id
    later = thread.new("Yes", asked_at=thread.desk.clock.now() + timedelta(minutes=10))
    assert isinstance(thread.look(later), Inconclusive)
    thread.create(thread.new("Yes"))
    assert isinstance(thread.look(thread.new("Yes")), Inconclusive)


def test_a_comment_can_be_hidden_twice_and_shown_again(thread: Thread) -> None:
    comment = thread.say("Buy my coins")
    for hidden in (True, True, False, False):
        thread.hide(comment, hidden=hidden)
        assert [item.hidden for item in thread.page().items] == [hidden]


def test_a_comment_that_was_deleted_is_not_there_to_be_deleted(thread: Thread) -> None:
    theirs, ours = thread.say("Buy my coins"), thread.create(thread.new("No")).id
    thread.delete(ours)
    assert thread.texts() == ["Buy my coins"]
    thread.delete(theirs)
    assert thread.texts() == []
    for work in (thread.delete, thread.hide):
        with pytest.raises(PlatformNotFoundError):
            work(theirs)
    with pytest.raises(PlatformNotFoundError):
        thread.create(thread.new("But why?", parent_id=theirs))


def test_a_comment_that_meta_refused_to_delete_is_not_taken_for_deleted(thread: Thread) -> None:
    comment = thread.say("Buy my coins")
    thread.desk.fail("*", error="not_found", method="DELETE")
    with pytest.raises(PlatformRejectedError, match="still shows"):
        thread.delete(comment)
    assert thread.texts() == ["Buy my coins"]


def test_pages_of_comments_follow_each_other(thread: Thread) -> None:
    for text in ("one", "two", "three", "four", "five"):
        thread.say(text)
        thread.desk.rest(60)
    seen: list[str] = []
    cursor: str | None = None
    for _ in range(3):
        page = thread.page(2, cursor)
        seen += [item.text for item in page.items]
        cursor = page.cursor
        assert thread.credentials.secret["access_token"] not in (cursor or "")
    assert seen == ["five", "four", "three", "two", "one"]
    assert cursor is None


def test_an_id_that_a_person_wrote_never_becomes_another_path(thread: Thread) -> None:
    before = len(thread.desk.calls("*"))
    part, credentials = thread.part, thread.credentials
    for wrong in ("me/permissions", "1?x=2", "..", ""):
        for work in (
            part.list(credentials, wrong, 5, None),
            part.create(credentials, thread.new("x", object_id=wrong)),
            part.look_up_result(credentials, thread.new("x", object_id=wrong)),
            part.create(credentials, thread.new("x", parent_id=wrong or "/")),
            part.set_hidden(credentials, wrong, hidden=True),
            part.delete(credentials, wrong),
        ):
            with pytest.raises(PlatformNotFoundError):
                thread.desk.wait_for(work)
    assert len(thread.desk.calls("*")) == before


def test_what_is_said_under_a_post_that_is_gone_cannot_be_found(thread: Thread) -> None:
    thread.desk.remove(thread.credentials, thread.post)
    with pytest.raises(PlatformNotFoundError):
        thread.page()
    with pytest.raises(PlatformNotFoundError):
        thread.create(thread.new("Hello?"))


def test_a_missing_permission_is_said(thread: Thread) -> None:
    comment = thread.say("Hello")
    thread.desk.fail("*", error="permission_denied", method="POST", times=2)
    with pytest.raises(PermissionMissingError):
        thread.hide(comment)
    with pytest.raises(PermissionMissingError):
        thread.create(thread.new("Hello"))


def test_a_picture_goes_with_a_comment_on_facebook_alone(desk: ConnectorDriver) -> None:
    page = Thread(desk, Kind.FACEBOOK_PAGE)
    image, video = desk.files.image(), desk.files.video()
    new = page.new("", media=image)
    assert page.part.validate_new_comment(new) == []
    page.create(new)
    assert desk.calls("*/comments")[0]["body"]["attachment_url"] == image.url
    assert [fault.pointer for fault in page.part.validate_new_comment(page.new("x", media=video))] == ["/mediaId"]
    assert [fault.pointer for fault in page.part.validate_new_comment(page.new(" "))] == ["/text"]

    instagram = desk.part(Kind.INSTAGRAM, COMMENTS_CAPABILITY)
    faults = instagram.validate_new_comment(page.new("", media=image))
    assert [(fault.pointer, fault.code) for fault in faults] == [("/text", "required"), ("/mediaId", "not_supported")]
    assert instagram.validate_new_comment(page.new("x")) == []
    assert not page.part.lists_whole_account
    assert not instagram.lists_whole_account


def test_an_author_who_did_not_agree_to_be_shown_is_nobody(desk: ConnectorDriver) -> None:
    page = Thread(desk, Kind.FACEBOOK_PAGE)
    row = {"id": "1_2", "message": "Psst", "created_time": "2026-11-15T09:00:00+0000", "can_hide": False}
    desk.fail("*/comments", status=200, body={"data": [row]}, method="GET")
    (item,) = page.page().items
    assert (item.author, item.own, item.can_hide) == (None, False, False)


def test_the_name_of_an_instagram_account_tells_its_own_comments_too(desk: ConnectorDriver) -> None:
    thread = Thread(desk, Kind.INSTAGRAM)
    name = thread.credentials.details["username"]
    assert name
    rows = [
        {"id": str(number), "text": "x", "from": {"id": "9", "username": person}}
        for number, person in enumerate((name, "ada_else"))
    ]
    desk.fail("*/comments", status=200, body={"data": rows}, method="GET")
    assert [item.own for item in thread.page().items] == [True, False]
    unnamed: AccountCredentials = msgspec.structs.replace(thread.credentials, details={})
    desk.fail("*/comments", status=200, body={"data": rows}, method="GET")
    listed = desk.wait_for(thread.part.list(unnamed, thread.post, 5, None))
    assert [item.own for item in listed.items] == [False, False]


@pytest.mark.parametrize("kind", KINDS)
def test_what_happens_to_a_comment_is_told_by_webhook(gateway: WebhookReceiver, tmp_path: Path, kind: Kind) -> None:
    with running_sandbox(tmp_path, ALL_VENDORS, gateway.url) as sandbox, start_driver(Platform.META, sandbox) as desk:
        thread = Thread(desk, kind)
        subscribing, inbound = desk.connector.webhook_subscriber, desk.connector.webhook_receiver
        assert subscribing is not None
        desk.wait_for(subscribing.subscribe(thread.credentials, WebhookEndpoint(url="", secret="", verify_token="")))
        theirs = thread.say("How much is it?")
        ours = thread.create(thread.new("Two fifty", parent_id=theirs)).id

        def function() -> dict[str, CommentReceived]:
            """Read what has come so far. The order in which it comes says nothing."""
            facts: list[PlatformFact] = []
            for arrived in list(gateway.arrived):
                sent = WebhookRequest(method="POST", query={}, headers=arrived.headers, body=arrived.body)
                assert desk.wait_for(inbound.receive(sent, ())).should_store
                facts += inbound.parse(sent)
            return {fact.comment.id: fact for fact in facts if isinstance(fact, CommentReceived)}

        eventually(lambda: {theirs, ours} <= function().keys())
        question, answer = function()[theirs], function()[ours]
        assert (question.kind, question.platform_account_id) == (kind, thread.credentials.platform_account_id)
        assert (question.change, question.comment.text, question.comment.own) == ("created", "How much is it?", False)
        assert (question.comment.object_id, question.comment.parent_id) == (thread.post, None)
        assert (answer.comment.text, answer.comment.own, answer.comment.parent_id) == ("Two fifty", True, theirs)
