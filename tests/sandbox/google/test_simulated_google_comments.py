"""Comments on YouTube, with Google's own client and by hand."""

from collections.abc import Iterator
from io import BytesIO
from typing import Any

import pytest

from sandbox.google.client import AUTH, YOUTUBE, Google
from sandbox.google.official import HttpError, http
from socialgate_sandbox.vendors.google.seed import ADA_CHANNEL_ID

THREADS = "youtube.googleapis.com/youtube/v3/commentThreads"
COMMENTS = "youtube.googleapis.com/youtube/v3/comments"
TEXT = "First! 🥐\n<b>&amp;</b> שלום"


def uploaded(google: Google, tokens: dict[str, Any], **status: Any) -> str:
    body = {"snippet": {"title": "Semlor", "categoryId": "26"}, "status": {"privacyStatus": "public", **status}}
    with google.sdk("youtube", "v3", tokens) as youtube:
        film = http.MediaIoBaseUpload(BytesIO(b"film"), "video/mp4")
        created = (
            youtube.videos()
            .insert(part="snippet,status", body=body, media_body=film, notifySubscribers=False)
            .execute()
        )
    return str(created["id"])


def thread(video: str, text: str = TEXT) -> dict[str, Any]:
    return {"snippet": {"videoId": video, "topLevelComment": {"snippet": {"textOriginal": text}}}}


def test_a_channel_comments_reads_and_deletes(google: Google) -> None:
    tokens = google.sign_in("ada", YOUTUBE)
    video = uploaded(google, tokens)
    with google.sdk("youtube", "v3", tokens) as youtube:
        created = youtube.commentThreads().insert(part="snippet", body=thread(video)).execute()
        message = created["snippet"]["topLevelComment"]["snippet"]
        assert (message["textOriginal"], message["authorChannelId"]["value"]) == (TEXT, ADA_CHANNEL_ID)
        second = youtube.commentThreads().insert(part="snippet", body=thread(video, "Second")).execute()
        listed = youtube.commentThreads().list(part="snippet", videoId=video, maxResults=1).execute()
        assert [item["id"] for item in listed["items"]] == [second["id"]]
        following = youtube.commentThreads().list_next(
            youtube.commentThreads().list(part="snippet", videoId=video, maxResults=1), listed
        )
        assert [item["id"] for item in following.execute()["items"]] == [created["id"]]
        counted = youtube.videos().list(part="statistics", id=video).execute()["items"][0]["statistics"]
        assert counted["commentCount"] == "2"
        youtube.comments().delete(id=second["id"]).execute()
        left = youtube.commentThreads().list(part="snippet", videoId=video).execute()["items"]
        assert [item["id"] for item in left] == [created["id"]]
    (shown,) = google.sandbox.look("feed", platform="google", account=ADA_CHANNEL_ID)["data"]
    assert [(item["author"], item["text"]) for item in shown["comments"]] == [("@adasbakery", TEXT)]
    assert shown["facts"]["notifySubscribers"] is False


@pytest.mark.parametrize(
    ("body", "status", "reason"),
    [
        ({"snippet": {"topLevelComment": {"snippet": {"textOriginal": "x"}}}}, 400, "channelOrVideoIdMissing"),
        (thread("nothing"), 404, "videoNotFound"),
        (thread("VIDEO", " "), 400, "commentTextRequired"),
        (thread("VIDEO", "x" * 10_001), 400, "commentTextTooLong"),
    ],
)
def test_a_comment_that_cannot_be_is_refused(google: Google, body: dict[str, Any], status: int, reason: str) -> None:
    tokens = google.sign_in("ada", YOUTUBE)
    video = uploaded(google, tokens)
    if body["snippet"].get("videoId") == "VIDEO":
        body = thread(video, body["snippet"]["topLevelComment"]["snippet"]["textOriginal"])
    answer = google.post(THREADS, tokens["access_token"], body, part="snippet")
    assert (answer.status_code, answer.json()["error"]["errors"][0]["reason"]) == (status, reason)


def reply(parent: str, text: str) -> dict[str, Any]:
    return {"snippet": {"parentId": parent, "textOriginal": text}}


def ids(listed: dict[str, Any]) -> list[str]:
    return [item["id"] for item in listed["items"]]


def refused(request: Any) -> tuple[int, str]:
    with pytest.raises(HttpError) as raised:
        request.execute()
    return raised.value.status_code, raised.value.error_details[0]["reason"]


@pytest.fixture
def ada(google: Google) -> Iterator[Any]:
    with google.sdk("youtube", "v3", google.sign_in("ada", YOUTUBE)) as youtube:
        yield youtube


@pytest.fixture
def bram(google: Google) -> Iterator[Any]:
    with google.sdk("youtube", "v3", google.sign_in("bram", YOUTUBE)) as youtube:
        yield youtube


@pytest.fixture
def video(google: Google) -> str:
    return uploaded(google, google.sign_in("ada", YOUTUBE))


def commented(youtube: Any, video: str, text: str = "Hello") -> str:
    created: dict[str, Any] = youtube.commentThreads().insert(part="snippet", body=thread(video, text)).execute()
    return str(created["id"])


def replied(youtube: Any, parent: str, text: str = "Yes") -> dict[str, Any]:
    created: dict[str, Any] = youtube.comments().insert(part="snippet", body=reply(parent, text)).execute()
    return created


def test_replies_are_shown_in_part_with_their_thread_and_whole_by_their_parent(ada: Any, bram: Any, video: str) -> None:
    first = commented(bram, video)
    replies = [replied(ada, first, f"Reply {number}")["id"] for number in range(6)]
    nested = replied(bram, replies[0], "To a reply")
    assert (nested["snippet"]["parentId"], nested["id"].partition(".")[0]) == (first, first)
    [shown] = ada.commentThreads().list(part="snippet,replies", videoId=video).execute()["items"]
    assert shown["snippet"]["totalReplyCount"] == 7
    newest = [nested["id"], *replies[::-1]]
    assert [item["id"] for item in shown["replies"]["comments"]] == newest[:5]
    request = ada.comments().list(part="snippet", parentId=first, maxResults=4)
    page = request.execute()
    rest = ada.comments().list_next(request, page).execute()
    assert ids(page) + ids(rest) == newest
    assert ids(ada.comments().list(part="snippet", id=[first, nested["id"]]).execute()) == [first, nested["id"]]
    assert "replies" not in ada.commentThreads().list(part="snippet", id=first).execute()["items"][0]
    counted = ada.videos().list(part="statistics", id=video).execute()["items"][0]["statistics"]
    assert counted["commentCount"] == "8"
    ada.comments().delete(id=first).execute()
    assert refused(ada.comments().list(part="snippet", id=nested["id"])) == (404, "commentNotFound")


def test_a_channel_reads_what_was_said_under_all_its_videos(google: Google, ada: Any, bram: Any, video: str) -> None:
    other = uploaded(google, google.sign_in("ada", YOUTUBE))
    hidden = uploaded(google, google.sign_in("ada", YOUTUBE), privacyStatus="private")
    keys = [commented(ada, hidden), commented(bram, video), commented(bram, other)]
    replied(ada, keys[1])
    listing = {"part": "snippet", "allThreadsRelatedToChannelId": ADA_CHANNEL_ID}
    assert ids(ada.commentThreads().list(**listing).execute()) == keys[::-1]
    assert ids(bram.commentThreads().list(**listing).execute()) == [keys[2], keys[1]]
    assert ids(ada.commentThreads().list(**listing, order="relevance").execute()) == [keys[1], keys[2], keys[0]]
    assert ids(ada.commentThreads().list(part="id", channelId=ADA_CHANNEL_ID).execute()) == []
    wrong = ada.commentThreads().list(part="id", allThreadsRelatedToChannelId="UCnobody")
    assert refused(wrong) == (404, "channelNotFound")


def test_the_form_of_a_text_and_who_sees_the_original(ada: Any, bram: Any, video: str) -> None:
    key = commented(bram, video, "<b>Tom & Ada</b>\nx")

    def read(youtube: Any, **more: str) -> dict[str, Any]:
        [shown] = youtube.commentThreads().list(part="snippet", videoId=video, **more).execute()["items"]
        payload: dict[str, Any] = shown["snippet"]["topLevelComment"]["snippet"]
        return payload

    assert read(ada)["textDisplay"] == "&lt;b&gt;Tom &amp; Ada&lt;/b&gt;<br>x"
    assert read(ada, textFormat="plainText")["textDisplay"] == "<b>Tom & Ada</b>\nx"
    assert read(bram)["textOriginal"] == "<b>Tom & Ada</b>\nx"
    assert "textOriginal" not in read(ada)
    assert read(ada)["moderationStatus"] == "published"
    assert "moderationStatus" not in read(bram)
    [by_id] = ada.comments().list(part="snippet", id=key).execute()["items"]
    assert "moderationStatus" not in by_id["snippet"]


def test_only_its_author_edits_a_comment(google: Google, ada: Any, bram: Any, video: str) -> None:
    key = commented(bram, video)
    google.sandbox.control("clock", advance=60)
    body = {"id": key, "snippet": {"textOriginal": "Corrected"}}
    changed = bram.comments().update(part="snippet", body=body).execute()["snippet"]
    assert (changed["textOriginal"], changed["updatedAt"] > changed["publishedAt"]) == ("Corrected", True)
    assert refused(ada.comments().update(part="snippet", body=body)) == (403, "forbidden")
    assert refused(ada.comments().update(part="snippet", body=body | {"id": "x"})) == (404, "commentNotFound")


@pytest.mark.parametrize("status", ["heldForReview", "rejected"])
def test_what_is_moderated_disappears(ada: Any, bram: Any, video: str, status: str) -> None:
    key, other = commented(bram, video), commented(bram, video)
    answer = replied(bram, key)["id"]
    assert not ada.comments().setModerationStatus(id=key, moderationStatus=status).execute()
    for reader in (ada, bram):
        assert ids(reader.commentThreads().list(part="snippet", videoId=video).execute()) == [other]
    stored = ada.commentThreads().list(part="snippet", videoId=video, moderationStatus="heldForReview").execute()
    assert ids(stored) == ([key] if status == "heldForReview" else [])
    counted = bram.videos().list(part="statistics", id=video).execute()["items"][0]["statistics"]
    assert counted["commentCount"] == "1"
    assert ids(ada.comments().list(part="snippet", parentId=key).execute()) == []
    assert refused(ada.comments().insert(part="snippet", body=reply(answer, "x"))) == (400, "parentCommentIsPrivate")
    ada.comments().setModerationStatus(id=[key, other], moderationStatus="published").execute()
    assert ids(bram.commentThreads().list(part="snippet", videoId=video).execute()) == [other, key]


def test_a_held_reply_waits_with_its_thread(ada: Any, bram: Any, video: str) -> None:
    key = commented(ada, video)
    answer = replied(bram, key)["id"]
    ada.comments().setModerationStatus(id=answer, moderationStatus="heldForReview").execute()
    [open_to_all] = bram.commentThreads().list(part="snippet,replies", videoId=video).execute()["items"]
    assert (open_to_all["snippet"]["totalReplyCount"], "replies" in open_to_all) == (0, False)
    listing = {"part": "snippet,replies", "videoId": video, "moderationStatus": "heldForReview"}
    [stored] = ada.commentThreads().list(**listing).execute()["items"]
    assert [item["id"] for item in stored["replies"]["comments"]] == [answer]
    assert refused(bram.commentThreads().list(**listing)) == (403, "forbidden")


def test_a_banned_author_is_rejected_from_then_on(ada: Any, bram: Any, video: str) -> None:
    key = commented(bram, video)
    moderate = ada.comments().setModerationStatus
    assert refused(moderate(id=key, moderationStatus="published", banAuthor=True)) == (400, "banWithoutReject")
    moderate(id=key, moderationStatus="rejected", banAuthor=True).execute()
    again = commented(bram, video)
    assert ids(ada.commentThreads().list(part="snippet", videoId=video).execute()) == []
    assert ids(ada.commentThreads().list(part="snippet", id=again).execute()) == [again]


def test_who_may_moderate_and_delete(ada: Any, bram: Any, video: str) -> None:
    own, other = commented(ada, video), commented(bram, video)
    moderate = bram.comments().setModerationStatus
    assert refused(moderate(id=other, moderationStatus="heldForReview")) == (403, "forbidden")
    assert refused(moderate(id="x", moderationStatus="rejected")) == (404, "commentNotFound")
    assert refused(bram.comments().delete(id=own)) == (403, "forbidden")
    ada.comments().delete(id=other).execute()
    assert refused(bram.comments().delete(id=other)) == (404, "commentNotFound")
    assert ids(bram.commentThreads().list(part="snippet", videoId=video).execute()) == [own]


def test_what_a_reply_is_refused_for(google: Google, ada: Any, bram: Any, video: str) -> None:
    key = commented(bram, video)
    insert = ada.comments().insert
    assert refused(insert(part="snippet", body=reply("", "x"))) == (400, "parentIdMissing")
    assert refused(insert(part="snippet", body=reply("x", "x"))) == (404, "parentCommentNotFound")
    assert refused(insert(part="snippet", body=reply(key, ""))) == (400, "commentTextRequired")
    token = google.sign_in("ada", YOUTUBE)["access_token"]
    answer = google.post(COMMENTS, token, {"snippet": "hello"}, part="snippet")
    assert answer.json()["error"]["errors"][0]["reason"] == "invalidCommentMetadata"
    status = {"privacyStatus": "public", "selfDeclaredMadeForKids": True}
    ada.videos().update(part="status", body={"id": video, "status": status}).execute()
    assert refused(insert(part="snippet", body=reply(key, "x"))) == (400, "operationNotSupported")


def test_what_a_list_is_refused_for(ada: Any, video: str) -> None:
    threads, comments = ada.commentThreads().list, ada.comments().list
    assert refused(threads(part="snippet")) == (400, "missingRequiredParameter")
    assert refused(threads(part="snippet", videoId=video, id="x")) == (400, "incompatibleParameters")
    assert refused(threads(part="snippet", id="x", moderationStatus="published")) == (400, "incompatibleParameters")
    assert refused(threads(part="snippet", id="x")) == (404, "commentThreadNotFound")
    assert refused(threads(part="snippet", videoId=video, moderationStatus="rejected")) == (400, "invalidParameter")
    assert refused(threads(part="snippet", videoId=video, pageToken="x")) == (400, "invalidPageToken")
    assert refused(comments(part="snippet", parentId="x")) == (404, "commentNotFound")
    assert refused(comments(part="snippet")) == (400, "missingRequiredParameter")


def test_films_for_children_have_no_comments(google: Google, ada: Any) -> None:
    video = uploaded(google, google.sign_in("ada", YOUTUBE), selfDeclaredMadeForKids=True)
    insert = ada.commentThreads().insert(part="snippet", body=thread(video))
    for request in (insert, ada.commentThreads().list(part="snippet", videoId=video)):
        assert refused(request) == (403, "commentsDisabled")


def test_what_comments_cost(google: Google, ada: Any, video: str) -> None:
    key = commented(ada, video)
    google.sandbox.control("quota", platform="google", left=52)
    ada.comments().setModerationStatus(id=key, moderationStatus="published").execute()
    ada.comments().list(part="snippet", id=key).execute()
    assert refused(ada.comments().delete(id=key)) == (403, "quotaExceeded")
    ada.commentThreads().list(part="snippet", videoId=video).execute()
    assert refused(ada.commentThreads().list(part="snippet", videoId=video)) == (403, "quotaExceeded")


def test_only_one_scope_opens_comments(google: Google, video: str) -> None:
    poor = google.sign_in("ada", f"{AUTH}youtube")["access_token"]
    answers = [
        google.post(THREADS, poor, thread(video), part="snippet"),
        google.get(THREADS, poor, part="snippet", videoId=video),
        google.get(COMMENTS, poor, part="snippet", id="x"),
        google.post(COMMENTS, poor, reply("x", "x"), part="snippet"),
        google.post(f"{COMMENTS}/setModerationStatus", poor, None, id="x", moderationStatus="rejected"),
    ]
    assert [answer.status_code for answer in answers] == [403] * 5


def test_viewers_comment_reply_and_delete(google: Google, ada: Any, video: str) -> None:
    def function(text: str, **more: str) -> str:
        key: str = google.sandbox.control("comment", platform="google", post=video, text=text, **more)["comment"]
        return key

    first = function("Lovely", person="elif")
    answer = function("Indeed", person="finn", replyTo=first)
    value = function("Buy gold", status="heldForReview")
    spam = function("Click here", status="likelySpam")
    listed = ada.commentThreads().list(part="snippet,replies", videoId=video).execute()["items"]
    assert [item["id"] for item in listed] == [first]
    assert listed[0]["snippet"]["topLevelComment"]["snippet"]["authorDisplayName"] == "@elif"
    assert [item["snippet"]["parentId"] for item in listed[0]["replies"]["comments"]] == [first]
    for status, key in (("heldForReview", value), ("likelySpam", spam)):
        waiting = ada.commentThreads().list(part="id", videoId=video, moderationStatus=status).execute()
        assert ids(waiting) == [key]
    ada.comments().setModerationStatus(id=spam, moderationStatus="rejected", banAuthor=True).execute()
    function("Again")
    (shown,) = google.sandbox.look("feed", platform="google", account=ADA_CHANNEL_ID)["data"]
    assert [(item["author"], item["text"]) for item in shown["comments"]] == [
        ("@elif", "Lovely"),
        ("↳ @finn", "Indeed"),
        ("@dario (heldForReview)", "Buy gold"),
        ("@dario (rejected)", "Click here"),
        ("@dario (rejected)", "Again"),
    ]
    google.sandbox.control("delete_comment", platform="google", comment=first)
    assert refused(ada.comments().list(part="snippet", id=answer)) == (404, "commentNotFound")


@pytest.mark.parametrize("fields", [{"post": "nothing"}, {"replyTo": "nothing"}, {"person": "nobody"}])
def test_what_a_viewer_is_told(google: Google, video: str, fields: dict[str, str]) -> None:
    order = {"platform": "google", "post": video, "text": "Hello"} | fields
    answer = google.http.post(f"{google.sandbox.url}/_control/comment", json=order)
    assert answer.status_code == (422 if "person" in fields else 404)
