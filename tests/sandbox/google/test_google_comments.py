"""Comments on YouTube, with Google's own client and by hand."""

from io import BytesIO
from typing import Any

import pytest

from sandbox.google.client import AUTH, YOUTUBE, Google
from sandbox.google.official import HttpError, http
from socialgate.sandbox.vendors.google.seed import ADA_CHANNEL

THREADS = "youtube.googleapis.com/youtube/v3/commentThreads"
TEXT = "First! 🥐\n<b>&amp;</b> שלום"


def uploaded(google: Google, tokens: dict[str, Any], **status: Any) -> str:
    body = {"snippet": {"title": "Semlor", "categoryId": "26"}, "status": {"privacyStatus": "public", **status}}
    with google.sdk("youtube", "v3", tokens) as youtube:
        film = http.MediaIoBaseUpload(BytesIO(b"film"), "video/mp4")
        made = (
            youtube.videos()
            .insert(part="snippet,status", body=body, media_body=film, notifySubscribers=False)
            .execute()
        )
    return str(made["id"])


def thread(video: str, text: str = TEXT) -> dict[str, Any]:
    return {"snippet": {"videoId": video, "topLevelComment": {"snippet": {"textOriginal": text}}}}


def test_a_channel_comments_reads_and_deletes(google: Google) -> None:
    tokens = google.sign_in("ada", YOUTUBE)
    video = uploaded(google, tokens)
    with google.sdk("youtube", "v3", tokens) as youtube:
        made = youtube.commentThreads().insert(part="snippet", body=thread(video)).execute()
        said = made["snippet"]["topLevelComment"]["snippet"]
        assert (said["textOriginal"], said["authorChannelId"]["value"]) == (TEXT, ADA_CHANNEL)
        second = youtube.commentThreads().insert(part="snippet", body=thread(video, "Second")).execute()
        listed = youtube.commentThreads().list(part="snippet", videoId=video, maxResults=1).execute()
        assert [one["id"] for one in listed["items"]] == [second["id"]]
        following = youtube.commentThreads().list_next(
            youtube.commentThreads().list(part="snippet", videoId=video, maxResults=1), listed
        )
        assert [one["id"] for one in following.execute()["items"]] == [made["id"]]
        counted = youtube.videos().list(part="statistics", id=video).execute()["items"][0]["statistics"]
        assert counted["commentCount"] == "2"
        youtube.comments().delete(id=second["id"]).execute()
        left = youtube.commentThreads().list(part="snippet", videoId=video).execute()["items"]
        assert [one["id"] for one in left] == [made["id"]]
    (shown,) = google.sandbox.look("feed", platform="google", account=ADA_CHANNEL)["data"]
    assert [(one["author"], one["text"]) for one in shown["comments"]] == [("@adasbakery", TEXT)]
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


def test_films_for_children_have_no_comments(google: Google) -> None:
    tokens = google.sign_in("ada", YOUTUBE)
    video = uploaded(google, tokens, selfDeclaredMadeForKids=True)
    with google.sdk("youtube", "v3", tokens) as youtube, pytest.raises(HttpError) as raised:
        youtube.commentThreads().insert(part="snippet", body=thread(video)).execute()
    assert (raised.value.status_code, raised.value.error_details[0]["reason"]) == (403, "commentsDisabled")


def test_only_one_scope_opens_comments(google: Google) -> None:
    video = uploaded(google, google.sign_in("ada", YOUTUBE))
    poor = google.sign_in("ada", f"{AUTH}youtube")["access_token"]
    assert google.post(THREADS, poor, thread(video), part="snippet").status_code == 403
    assert google.get(THREADS, poor, part="snippet", videoId=video).status_code == 403
