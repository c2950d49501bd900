"""Comments on videos and reviews of places, at the sandbox: what is read, written once, hidden and deleted."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from socialgate.contracts.account_connection import AccountCredentials
from socialgate.contracts.comments import (
    COMMENTS_CAPABILITY,
    Comment,
    CommentAdapter,
    CommentPage,
    LookupResult,
    NewComment,
)
from socialgate.contracts.failures import (
    NotSupportedError,
    OutcomeUnknownError,
    PlatformNotFoundError,
    PlatformRejectedError,
)
from socialgate.contracts.platforms import Kind, Platform
from socialgate.contracts.publishing import Inconclusive, MediaFile, PostContent, SafeToRetry
from socialgate_sandbox.vendors import ALL_VENDORS
from support.publishing import ConnectorDriver, start_driver
from support.simulation import RunningSandbox, running_sandbox

THREADS = "*/commentThreads"
REPLIES = "*/youtube/v3/comments"
MODERATION = "*/comments/setModerationStatus"
REVIEWS = "*/reviews"
REVIEW = "*/reviews/*"
NOW = datetime(2026, 11, 15, tzinfo=UTC)
PICTURE = MediaFile(
    id="m", type="image", mime_type="image/png", size=9, sha256="0", url="https://a.example", file_name="f"
)


class Corner:
    """The comments of one account. Each call is made as the operations of an area make it."""

    def __init__(self, desk: ConnectorDriver, credentials: AccountCredentials) -> None:
        self.desk = desk
        self.credentials = credentials
        self.part: CommentAdapter = desk.part(credentials.kind, COMMENTS_CAPABILITY)

    def page(self, about: str | None = None, limit: int = 20, cursor: str | None = None) -> CommentPage:
        return self.desk.wait_for(self.part.list(self.credentials, about, limit, cursor))

    def texts(self, about: str | None = None) -> list[str]:
        return [item.text for item in self.page(about).items]

    def new(self, text: str, about: str | None = None, parent: str | None = None) -> NewComment:
        return NewComment(text=text, object_id=about, parent_id=parent, asked_at=self.desk.clock.now())

    def write(self, new: NewComment) -> Comment:
        return self.desk.wait_for(self.part.create(self.credentials, new))

    def look(self, new: NewComment) -> LookupResult:
        return self.desk.wait_for(self.part.look_up_result(self.credentials, new))

    def hide(self, comment_id: str, *, hidden: bool = True) -> None:
        self.desk.wait_for(self.part.set_hidden(self.credentials, comment_id, hidden=hidden))

    def delete(self, comment_id: str) -> None:
        self.desk.wait_for(self.part.delete(self.credentials, comment_id))

    def posted(self, path: str, method: str = "POST") -> list[dict[str, Any]]:
        return [call for call in self.desk.calls(path) if call["method"] == method]


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningSandbox]:
    with running_sandbox(tmp_path_factory.mktemp("sandbox"), ALL_VENDORS) as running:
        yield running


@pytest.fixture
def desk(sandbox: RunningSandbox) -> Iterator[ConnectorDriver]:
    sandbox.control("reset")
    with start_driver(Platform.GOOGLE, sandbox) as opened:
        yield opened


@pytest.fixture
def channel(desk: ConnectorDriver) -> Corner:
    return Corner(desk, desk.sign_in(Kind.YOUTUBE)[0])


@pytest.fixture
def place(desk: ConnectorDriver) -> Corner:
    return Corner(desk, desk.sign_in(Kind.GOOGLE_BUSINESS)[0])


@pytest.fixture
def video(channel: Corner) -> str:
    content = PostContent(text="How", media=(channel.desk.files.video(),), options={"title": "Bread"})
    return channel.desk.publish(channel.credentials, content).platform_post_id


def codes(part: CommentAdapter, new: NewComment) -> dict[str, str]:
    return {fault.pointer: fault.code for fault in part.validate_new_comment(new)}


# Writing under videos.


def test_a_comment_is_written_and_listed(channel: Corner, video: str) -> None:
    comment = channel.write(channel.new("Hello", video))
    (listed,) = channel.page(video).items
    assert (comment.id, comment.text, comment.own) == (listed.id, "Hello", True)
    assert (listed.object_id, listed.parent_id, listed.hidden) == (video, None, False)
    assert listed.author is not None
    assert listed.author.id == channel.credentials.platform_account_id
    assert listed.url == f"https://www.youtube.com/watch?v={video}&lc={comment.id}"
    assert listed.created_at is not None
    assert listed.can_delete


def test_the_comments_of_a_whole_channel_are_listed(channel: Corner, video: str) -> None:
    assert channel.part.lists_whole_account
    channel.write(channel.new("Hello", video))
    assert channel.texts() == ["Hello"]


def test_comments_go_page_by_page_newest_first(channel: Corner, video: str) -> None:
    for text in ("one", "two", "three"):
        channel.write(channel.new(text, video))
        channel.desk.rest(60)
    first = channel.page(video, 2)
    second = channel.page(video, 2, first.cursor)
    assert [item.text for item in (*first.items, *second.items)] == ["three", "two", "one"]
    assert second.cursor is None


def test_a_reply_belongs_to_its_thread(channel: Corner, video: str) -> None:
    thread = channel.write(channel.new("Hello", video))
    reply = channel.write(channel.new("Hello yourself", video, thread.id))
    assert reply.parent_id == thread.id
    again = channel.write(channel.new("And again", video, reply.id))
    assert again.parent_id == thread.id
    (listed,) = channel.page(video).items
    assert listed.reply_count == 2
    assert {item.id for item in listed.replies} == {reply.id, again.id}
    assert all(item.own and item.object_id == video for item in listed.replies)


def test_a_reply_names_its_thread_and_is_looked_for_there(channel: Corner) -> None:
    at = channel.desk.clock.now().isoformat()
    snippet = {"parentId": "t1", "textOriginal": "Thanks", "publishedAt": at}
    ours = {"id": "t1.r2", "snippet": snippet | {"authorChannelId": {"value": channel.credentials.platform_account_id}}}
    others = {"id": "t1.r1", "snippet": snippet | {"authorChannelId": {"value": "UCeva"}}}
    new = channel.new("Thanks", "v1", "t1.r0")
    channel.desk.fail(REPLIES, method="POST", status=200, body=ours)
    for items, further in (([others], "p2"), ([ours], None)):
        channel.desk.fail(REPLIES, method="GET", status=200, body={"items": items, "nextPageToken": further})
    comment, result = channel.write(new), channel.look(new)
    assert (comment.id, comment.parent_id, comment.object_id, comment.own) == ("t1.r2", "t1", "v1", True)
    assert result == comment
    (call,) = channel.posted(REPLIES)
    assert call["body"]["snippet"] == {"parentId": "t1", "textOriginal": "Thanks"}
    assert {call["query"]["parentId"] for call in channel.posted(REPLIES, "GET")} == {"t1"}


def test_what_others_wrote_is_read(channel: Corner) -> None:
    own = channel.credentials.platform_account_id
    theirs = {
        "textDisplay": "Nice",
        "authorDisplayName": "@eva",
        "authorProfileImageUrl": "https://a.example/eva.png",
        "authorChannelId": {"value": "UCeva"},
        "likeCount": "3",
        "publishedAt": "2026-11-15T12:00:00Z",
        "moderationStatus": "heldForReview",
    }
    reply = {"id": "t1.r1", "snippet": {"textOriginal": "Thanks", "parentId": "t1", "authorChannelId": {"value": own}}}
    snippet = {
        "videoId": "v1",
        "channelId": own,
        "canReply": True,
        "totalReplyCount": 4,
        "topLevelComment": {"id": "t1", "snippet": theirs},
    }
    thread = {"id": "t1", "snippet": snippet, "replies": {"comments": [reply]}}
    channel.desk.fail(THREADS, method="GET", status=200, body={"items": [thread], "nextPageToken": "p2"})
    page = channel.page("v1")
    (item,) = page.items
    assert page.cursor == "p2"
    assert item.author is not None
    assert (item.text, item.author.id, item.author.name, item.likes, item.hidden) == ("Nice", "UCeva", "@eva", 3, True)
    assert (item.can_reply, item.can_hide, item.can_delete, item.own) == (True, True, False, False)
    assert item.reply_count == 4
    assert [(reply.text, reply.parent_id, reply.own, reply.can_delete) for reply in item.replies] == [
        ("Thanks", "t1", True, True)
    ]
    (request,) = channel.desk.calls(THREADS)
    assert (
        request["query"] | {"order": "time", "textFormat": "plainText", "part": "snippet,replies"} == request["query"]
    )


def test_closed_comments_are_a_state_and_not_an_outage(channel: Corner) -> None:
    body = {"error": {"code": 403, "message": "no", "errors": [{"reason": "commentsDisabled"}]}}
    channel.desk.fail(THREADS, status=403, body=body, times=2)
    for call in (lambda: channel.page("v1"), lambda: channel.write(channel.new("Hello", "v1"))):
        with pytest.raises(PlatformRejectedError, match="turned off") as refused:
            call()
        assert not refused.value.retryable


def test_faults_are_named_at_once(channel: Corner, place: Corner) -> None:
    new_comment = NewComment(text="x" * 10_001, media=PICTURE, asked_at=NOW)
    assert codes(channel.part, new_comment) == {"/postId": "required", "/mediaId": "not_supported", "/text": "too_long"}
    assert codes(channel.part, channel.new("x" * 10_000, "v1")) == {}
    assert codes(channel.part, channel.new("x", parent="t1")) == {}
    new_comment = NewComment(text="é" * 2049, object_id="9", media=PICTURE, asked_at=NOW)
    assert codes(place.part, new_comment) == {"/parentId": "required", "/mediaId": "not_supported", "/text": "too_long"}
    assert codes(place.part, place.new("é" * 2048, parent="r1")) == {}


# Lost answers.


def test_a_lost_comment_is_found_and_not_written_again(channel: Corner, video: str) -> None:
    new = channel.new("Hello", video)
    channel.desk.fail(THREADS, "after", method="POST")
    with pytest.raises(OutcomeUnknownError):
        channel.write(new)
    result = channel.look(new)
    assert isinstance(result, Comment)
    assert [item.id for item in channel.page(video).items] == [result.id]
    assert len(channel.posted(THREADS)) == 1


def test_a_comment_that_is_not_shown_proves_nothing(channel: Corner, video: str) -> None:
    # The same words were written ten minutes ago, by another request.
    channel.write(channel.new("Hello", video))
    channel.desk.rest(600)
    new = channel.new("Hello", video)
    channel.desk.fail(THREADS, "drop", method="POST")
    with pytest.raises(OutcomeUnknownError):
        channel.write(new)
    assert isinstance(channel.look(new), Inconclusive)
    assert channel.texts(video) == ["Hello"]


def test_two_comments_that_say_the_same_are_left_to_a_person(channel: Corner, video: str) -> None:
    new = channel.new("Hello", video)
    channel.write(new)
    channel.write(new)
    assert isinstance(channel.look(new), Inconclusive)


def test_a_lost_reply_is_looked_for_in_its_thread(channel: Corner, video: str) -> None:
    thread = channel.write(channel.new("Hello", video))
    new = channel.new("Hello", video, thread.id)
    channel.desk.fail(REPLIES, "after", method="POST")
    with pytest.raises(OutcomeUnknownError):
        channel.write(new)
    result = channel.look(new)
    assert isinstance(result, Comment)
    assert result.parent_id == thread.id
    assert len(channel.posted(REPLIES)) == 1


# Hiding and deleting.


def test_a_comment_is_hidden_and_shown_again(channel: Corner, video: str) -> None:
    comment = channel.write(channel.new("Hello", video))
    for _ in range(2):
        channel.hide(comment.id)
    assert channel.texts(video) == []
    for _ in range(2):
        channel.hide(comment.id, hidden=False)
    assert channel.texts(video) == ["Hello"]


def test_hiding_names_one_comment_and_its_state(channel: Corner) -> None:
    channel.desk.fail(MODERATION, method="POST", status=200, body={}, times=2)
    channel.hide("t1")
    channel.hide("t1.r1", hidden=False)
    shown, hidden = (call["query"] for call in channel.desk.calls(MODERATION))
    assert (hidden["id"], hidden["moderationStatus"]) == ("t1", "heldForReview")
    assert (shown["id"], shown["moderationStatus"]) == ("t1.r1", "published")


def test_a_comment_is_deleted_once(channel: Corner, video: str) -> None:
    comment = channel.write(channel.new("Hello", video))
    channel.delete(comment.id)
    assert channel.texts(video) == []
    with pytest.raises(PlatformNotFoundError):
        channel.delete(comment.id)


@pytest.mark.parametrize("wrong", ["a,b", "../videos", "a b", "é", "", "x" * 201])
def test_a_bad_id_is_not_sent_to_youtube(channel: Corner, wrong: str) -> None:
    for call in (
        lambda: channel.hide(wrong),
        lambda: channel.delete(wrong),
        lambda: channel.page(wrong or "/"),
        lambda: channel.write(channel.new("Hello", wrong)),
        lambda: channel.write(channel.new("Hello", "v1", wrong or "/")),
    ):
        with pytest.raises(PlatformNotFoundError):
            call()
    assert channel.desk.calls("*omment*") == []


# Reviews.


def review(number: int, stars: str = "FIVE", reply: str | None = None) -> dict[str, Any]:
    created = {
        "name": f"accounts/1/locations/9/reviews/r{number}",
        "reviewId": f"r{number}",
        "reviewer": {"displayName": "Eva", "profilePhotoUrl": "https://a.example/eva.png"},
        "starRating": stars,
        "comment": f"Review {number}",
        "createTime": "2026-11-15T12:00:00.123456Z",
    }
    return created | ({"reviewReply": {"comment": reply, "updateTime": "2026-11-15T13:00:00Z"}} if reply else {})


def test_reviews_are_listed_with_the_reply_of_the_owner(place: Corner) -> None:
    account = place.credentials.platform_account_id
    body = {"reviews": [review(1, "FOUR", "Thanks"), review(2, "ONE")], "nextPageToken": "p2"}
    place.desk.fail(REVIEWS, method="GET", status=200, body=body)
    place.desk.fail(REVIEWS, method="GET", status=200, body={"reviews": [{"reviewId": "r3"}]})
    first = place.page(limit=2)
    second = place.page(account, 2, first.cursor)
    assert place.part.lists_whole_account
    assert [(item.id, item.rating, item.object_id) for item in (*first.items, *second.items)] == [
        ("r1", 4, account),
        ("r2", 1, account),
        ("r3", None, account),
    ]
    item, other = first.items
    assert item.author is not None
    assert (item.author.name, item.text, item.own) == ("Eva", "Review 1", False)
    assert (item.can_reply, item.can_hide, item.can_delete) == (True, False, False)
    (reply,) = item.replies
    assert (reply.id, reply.parent_id, reply.text, reply.own, reply.can_delete) == (
        "r1~reply",
        "r1",
        "Thanks",
        True,
        True,
    )
    assert (item.reply_count, other.reply_count, other.replies) == (1, 0, ())
    assert second.cursor is None
    items = [call["query"] for call in reversed(place.desk.calls(REVIEWS))]
    assert [query.get("pageToken") for query in items] == [None, "p2"]
    assert {(query["orderBy"], query["pageSize"]) for query in items} == {("updateTime desc", "2")}


def test_a_review_is_replied_to(place: Corner) -> None:
    payload = {"comment": "Thanks", "updateTime": "2026-11-15T13:00:00Z"}
    place.desk.fail(f"{REVIEW}/reply", method="PUT", status=200, body=payload)
    comment = place.write(place.new("Thanks", parent="r1"))
    assert (comment.id, comment.parent_id, comment.text, comment.own) == ("r1~reply", "r1", "Thanks", True)
    (call,) = place.desk.calls(f"{REVIEW}/reply")
    assert call["path"].endswith(f"/{place.credentials.details['name']}/reviews/r1/reply")
    assert call["body"] == {"comment": "Thanks"}


@pytest.mark.parametrize(("there", "is_found"), [("Thanks", True), ("Of last year", False), (None, False)])
def test_a_lost_reply_to_a_review_is_read_back(place: Corner, there: str | None, *, is_found: bool) -> None:
    new = place.new("Thanks", parent="r1")
    place.desk.fail(f"{REVIEW}/reply", "after", method="PUT")
    with pytest.raises(OutcomeUnknownError):
        place.write(new)
    place.desk.fail(REVIEW, method="GET", status=200, body=review(1, reply=there))
    sight = place.look(new)
    assert isinstance(sight, Comment if is_found else SafeToRetry)
    assert len(place.posted(f"{REVIEW}/reply", "PUT")) == 1


def test_a_reply_to_a_review_is_deleted_by_its_own_id(place: Corner) -> None:
    place.desk.fail(f"{REVIEW}/reply", method="DELETE", status=200, body={})
    place.delete("r1~reply")
    (call,) = place.desk.calls(f"{REVIEW}/reply")
    assert (call["method"], call["path"].rpartition("/reviews/")[2]) == ("DELETE", "r1/reply")
    with pytest.raises(PlatformNotFoundError):
        place.delete("r2~reply")


def test_a_review_itself_can_only_be_reported(place: Corner) -> None:
    with pytest.raises(NotSupportedError, match="Report the review"):
        place.delete("r1")
    for value in ("r1", "r1~reply"):
        with pytest.raises(NotSupportedError, match="Report the review"):
            place.hide(value)
    assert place.desk.calls(REVIEW) == []


@pytest.mark.parametrize("wrong", ["..", "../x", "a/b", "a~reply~reply", "", "é"])
def test_a_bad_id_is_not_sent_to_a_business_profile(place: Corner, wrong: str) -> None:
    for call in (
        lambda: place.delete(f"{wrong}~reply"),
        lambda: place.write(place.new("Thanks", parent=wrong)),
        lambda: place.look(place.new("Thanks", parent=wrong)),
        lambda: place.page("8"),
    ):
        with pytest.raises(PlatformNotFoundError):
            call()
    assert place.desk.calls("*reviews*") == []
