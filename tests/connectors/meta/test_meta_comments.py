"""Comments on Pages and on Instagram, at the sandbox: all that can be done with them, and answers that get lost."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest

from socialgate.contracts.comments import COMMENTS, Comment, CommentPage, CommentReceived, Comments, NewComment
from socialgate.contracts.connecting import AccountCredentials, Callback
from socialgate.contracts.failures import OutcomeUnknown, PermissionMissing, PlatformNotFound, Rejected
from socialgate.contracts.inbound import Fact, InboundRequest
from socialgate.contracts.platforms import Kind, Platform
from socialgate.contracts.publishing import CannotTell, Content
from socialgate_sandbox.vendors import ALL
from support.publishing import Desk, desk_of
from support.simulation import Gateway, RunningSandbox, running_sandbox
from support.waiting import eventually

KINDS = [Kind.FACEBOOK_PAGE, Kind.INSTAGRAM]


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningSandbox]:
    with running_sandbox(tmp_path_factory.mktemp("sandbox"), ALL) as running:
        yield running


@pytest.fixture
def desk(sandbox: RunningSandbox) -> Iterator[Desk]:
    sandbox.control("reset")
    with desk_of(Platform.META, sandbox) as opened:
        yield opened


@pytest.fixture
def gateway() -> Iterator[Gateway]:
    opened = Gateway()
    yield opened
    opened.close()


class Thread:
    """A post of an account, and what is said under it."""

    def __init__(self, desk: Desk, kind: Kind) -> None:
        self.desk = desk
        self.held = desk.sign_in(kind)[0]
        self.part: Comments = desk.part(kind, COMMENTS)
        media = (desk.files.image(),) if kind is Kind.INSTAGRAM else ()
        self.post = desk.publish(self.held, Content(text="Bread", media=media)).platform_post_id

    def say(self, text: str, **more: str) -> str:
        """Let a person of the sandbox comment on it."""
        said = self.desk.sandbox.control("comment", platform="meta", objectId=self.post, text=text, **more)
        return str(said["id"])

    def new(self, text: str, **more: Any) -> NewComment:
        given: dict[str, Any] = {"object_id": self.post, "asked_at": self.desk.clock.now()} | more
        return NewComment(text=text, **given)

    def page(self, limit: int = 50, cursor: str | None = None) -> CommentPage:
        return self.desk.wait_for(self.part.list(self.held, self.post, limit, cursor))

    def create(self, new: NewComment) -> Comment:
        return self.desk.wait_for(self.part.create(self.held, new))

    def look(self, new: NewComment) -> object:
        return self.desk.wait_for(self.part.look(self.held, new))

    def hide(self, comment: str, *, hidden: bool = True) -> None:
        self.desk.wait_for(self.part.hide(self.held, comment, hidden=hidden))

    def delete(self, comment: str) -> None:
        self.desk.wait_for(self.part.delete(self.held, comment))

    def texts(self) -> list[str]:
        return [item.text for item in self.page().items]


@pytest.fixture(params=KINDS, ids=str)
def thread(desk: Desk, request: pytest.FixtureRequest) -> Thread:
    return Thread(desk, request.param)


def edge(thread: Thread, *, answering: bool = False) -> str:
    return "*/replies" if answering and thread.held.kind is Kind.INSTAGRAM else "*/comments"


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
    made = thread.create(thread.new("Thank you all"))
    answer = thread.create(thread.new("Two fifty", parent_id=question))
    assert (made.own, made.text, made.parent_id, made.object_id) == (True, "Thank you all", None, thread.post)
    assert answer.parent_id == question
    mine, asked = thread.page().items
    assert (mine.id, mine.text, mine.own, mine.can_delete) == (made.id, "Thank you all", True, True)
    assert [(reply.id, reply.text, reply.own) for reply in asked.replies] == [(answer.id, "Two fifty", True)]


@pytest.mark.parametrize("answering", [False, True])
def test_a_comment_whose_answer_was_lost_is_found_and_never_repeated(thread: Thread, *, answering: bool) -> None:
    parent = thread.say("How much is it?") if answering else None
    new = thread.new("Two fifty", parent_id=parent)
    thread.desk.fail(edge(thread, answering=answering), "after", method="POST")
    with pytest.raises(OutcomeUnknown):
        thread.create(new)
    found = thread.look(new)
    assert isinstance(found, Comment)
    assert (found.text, found.own) == ("Two fifty", True)
    listed = [each for item in thread.page().items for each in (item, *item.replies) if each.own]
    assert [item.id for item in listed] == [found.id]


@pytest.mark.parametrize("answering", [False, True])
def test_a_comment_that_is_not_shown_may_still_come(thread: Thread, *, answering: bool) -> None:
    parent = thread.say("How much is it?") if answering else None
    new = thread.new("Two fifty", parent_id=parent)
    thread.desk.fail(edge(thread, answering=answering), "drop", method="POST")
    with pytest.raises(OutcomeUnknown):
        thread.create(new)
    assert isinstance(thread.look(new), CannotTell)
    thread.desk.rest(24 * 3600)
    assert isinstance(thread.look(new), CannotTell)


def test_only_a_comment_of_ours_that_is_new_enough_and_alone_is_taken_for_it(thread: Thread) -> None:
    thread.say("Yes")
    assert isinstance(thread.look(thread.new("Yes")), CannotTell)
    ours = thread.create(thread.new("Yes"))
    found = thread.look(thread.new(" Yes\n"))
    assert isinstance(found, Comment)
    assert found.id == ours.id
    later = thread.new("Yes", asked_at=thread.desk.clock.now() + timedelta(minutes=10))
    assert isinstance(thread.look(later), CannotTell)
    thread.create(thread.new("Yes"))
    assert isinstance(thread.look(thread.new("Yes")), CannotTell)


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
        with pytest.raises(PlatformNotFound):
            work(theirs)
    with pytest.raises(PlatformNotFound):
        thread.create(thread.new("But why?", parent_id=theirs))


def test_a_comment_that_meta_refused_to_delete_is_not_taken_for_deleted(thread: Thread) -> None:
    comment = thread.say("Buy my coins")
    thread.desk.fail("*", error="not_found", method="DELETE")
    with pytest.raises(Rejected, match="still shows"):
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
        assert thread.held.secret["access_token"] not in (cursor or "")
    assert seen == ["five", "four", "three", "two", "one"]
    assert cursor is None


def test_an_id_that_a_person_wrote_never_becomes_another_path(thread: Thread) -> None:
    before = len(thread.desk.calls("*"))
    part, held = thread.part, thread.held
    for wrong in ("me/permissions", "1?x=2", "..", ""):
        for work in (
            part.list(held, wrong, 5, None),
            part.create(held, thread.new("x", object_id=wrong)),
            part.look(held, thread.new("x", object_id=wrong)),
            part.create(held, thread.new("x", parent_id=wrong or "/")),
            part.hide(held, wrong, hidden=True),
            part.delete(held, wrong),
        ):
            with pytest.raises(PlatformNotFound):
                thread.desk.wait_for(work)
    assert len(thread.desk.calls("*")) == before


def test_what_is_said_under_a_post_that_is_gone_cannot_be_found(thread: Thread) -> None:
    thread.desk.remove(thread.held, thread.post)
    with pytest.raises(PlatformNotFound):
        thread.page()
    with pytest.raises(PlatformNotFound):
        thread.create(thread.new("Hello?"))


def test_a_missing_permission_is_said(thread: Thread) -> None:
    comment = thread.say("Hello")
    thread.desk.fail("*", error="permission_denied", method="POST", times=2)
    with pytest.raises(PermissionMissing):
        thread.hide(comment)
    with pytest.raises(PermissionMissing):
        thread.create(thread.new("Hello"))


def test_a_picture_goes_with_a_comment_on_facebook_alone(desk: Desk) -> None:
    page = Thread(desk, Kind.FACEBOOK_PAGE)
    image, video = desk.files.image(), desk.files.video()
    new = page.new("", media=image)
    assert page.part.faults(new) == []
    page.create(new)
    assert desk.calls("*/comments")[0]["body"]["attachment_url"] == image.url
    assert [fault.pointer for fault in page.part.faults(page.new("x", media=video))] == ["/mediaId"]
    assert [fault.pointer for fault in page.part.faults(page.new(" "))] == ["/text"]

    instagram = desk.part(Kind.INSTAGRAM, COMMENTS)
    faults = instagram.faults(page.new("", media=image))
    assert [(fault.pointer, fault.code) for fault in faults] == [("/text", "required"), ("/mediaId", "not_supported")]
    assert instagram.faults(page.new("x")) == []
    assert not page.part.of_account
    assert not instagram.of_account


def test_an_author_who_did_not_agree_to_be_shown_is_nobody(desk: Desk) -> None:
    page = Thread(desk, Kind.FACEBOOK_PAGE)
    row = {"id": "1_2", "message": "Psst", "created_time": "2026-11-15T09:00:00+0000", "can_hide": False}
    desk.fail("*/comments", status=200, body={"data": [row]}, method="GET")
    (item,) = page.page().items
    assert (item.author, item.own, item.can_hide) == (None, False, False)


def test_the_name_of_an_instagram_account_tells_its_own_comments_too(desk: Desk) -> None:
    thread = Thread(desk, Kind.INSTAGRAM)
    name = thread.held.details["username"]
    assert name
    rows = [
        {"id": str(number), "text": "x", "from": {"id": "9", "username": who}}
        for number, who in enumerate((name, "ada_else"))
    ]
    desk.fail("*/comments", status=200, body={"data": rows}, method="GET")
    assert [item.own for item in thread.page().items] == [True, False]
    unnamed: AccountCredentials = msgspec.structs.replace(thread.held, details={})
    desk.fail("*/comments", status=200, body={"data": rows}, method="GET")
    listed = desk.wait_for(thread.part.list(unnamed, thread.post, 5, None))
    assert [item.own for item in listed.items] == [False, False]


@pytest.mark.parametrize("kind", KINDS)
def test_what_happens_to_a_comment_is_told_by_webhook(gateway: Gateway, tmp_path: Path, kind: Kind) -> None:
    with running_sandbox(tmp_path, ALL, gateway.url) as sandbox, desk_of(Platform.META, sandbox) as desk:
        thread = Thread(desk, kind)
        subscribing, inbound = desk.connector.subscribing, desk.connector.inbound
        assert subscribing is not None
        desk.wait_for(subscribing.subscribe(thread.held, Callback(url="", secret="", verify_token="")))
        theirs = thread.say("How much is it?")
        ours = thread.create(thread.new("Two fifty", parent_id=theirs)).id

        def told() -> dict[str, CommentReceived]:
            """Read what has come so far. The order in which it comes says nothing."""
            facts: list[Fact] = []
            for arrived in list(gateway.arrived):
                sent = InboundRequest(method="POST", query={}, headers=arrived.headers, body=arrived.body)
                assert desk.wait_for(inbound.receive(sent, ())).keep
                facts += inbound.parse(sent)
            return {fact.comment.id: fact for fact in facts if isinstance(fact, CommentReceived)}

        eventually(lambda: {theirs, ours} <= told().keys())
        question, answer = told()[theirs], told()[ours]
        assert (question.kind, question.account) == (kind, thread.held.platform_account_id)
        assert (question.change, question.comment.text, question.comment.own) == ("created", "How much is it?", False)
        assert (question.comment.object_id, question.comment.parent_id) == (thread.post, None)
        assert (answer.comment.text, answer.comment.own, answer.comment.parent_id) == ("Two fifty", True, theirs)
