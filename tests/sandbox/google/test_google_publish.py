"""Uploading to YouTube with Google's own client and by hand, and what becomes of a video."""

import hmac
from dataclasses import replace
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest

from sandbox.google.client import AUTH, YOUTUBE, Google
from sandbox.google.official import HttpError, http
from socialgate_sandbox.vendors.google import VENDOR
from socialgate_sandbox.vendors.google.seed import ADA_CHANNEL_ID, SCHOOL_USER_ID
from support.simulation import WebhookReceiver, running_sandbox

GRAIN = 262_144
UPLOAD = "www.googleapis.com/upload/youtube/v3/videos"
VIDEOS = "youtube.googleapis.com/youtube/v3/videos"
PARTS = "snippet,status"
BODY: dict[str, Any] = {
    "snippet": {"title": "Semlor", "description": "With almond paste", "tags": ["cake"], "categoryId": "26"},
    "status": {"privacyStatus": "public", "selfDeclaredMadeForKids": False},
}
JPEG = b"\xff\xd8\xff\xe0" + b"picture"
TOPIC = f"https://www.youtube.com/feeds/videos.xml?channel_id={ADA_CHANNEL_ID}"


def begin(google: Google, token: str, body: Any = BODY, total: int | None = None, **query: str) -> httpx.Response:
    headers = {"authorization": f"Bearer {token}", "x-upload-content-type": "video/mp4"}
    if total is not None:
        headers["x-upload-content-length"] = str(total)
    request = {"uploadType": "resumable", "part": PARTS} | query
    return google.http.post(f"{google.url}/{UPLOAD}", params=request, json=body, headers=headers)


def piece(google: Google, session: str, content: bytes, first: int, total: int | str) -> httpx.Response:
    span = f"bytes {first}-{first + len(content) - 1}/{total}" if content else f"bytes */{total}"
    return google.http.put(session, content=content, headers={"content-range": span, "content-type": "video/mp4"})


def upload(google: Google, token: str, body: Any = BODY, content: bytes = b"film") -> dict[str, Any]:
    answer = begin(google, token, body, len(content))
    assert answer.status_code == 200, answer.text
    done = google.http.put(answer.headers["location"], content=content)
    assert done.status_code == 200, done.text
    video: dict[str, Any] = done.json()
    return video


def look(google: Google, token: str, video: str, parts: str) -> dict[str, Any]:
    answer = google.get(VIDEOS, token, part=parts, id=video)
    assert answer.status_code == 200, answer.text
    [result] = answer.json()["items"]
    shown: dict[str, Any] = result
    return shown


def feed(google: Google) -> Any:
    return google.sandbox.control("feed", platform="google", account=ADA_CHANNEL_ID)["videos"]


def reason_of(answer: httpx.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["error"]["errors"][0]["reason"]


def test_the_official_client_uploads_in_pieces(google: Google) -> None:
    content = bytes(range(256)) * 3000
    with google.sdk("youtube", "v3", google.sign_in("ada", YOUTUBE)) as youtube:
        media = http.MediaIoBaseUpload(BytesIO(content), "video/mp4", chunksize=GRAIN, resumable=True)
        request = youtube.videos().insert(part=PARTS, body=BODY, media_body=media)
        progress = []
        answer = None
        while answer is None:
            state, answer = request.next_chunk()
            progress += [state.resumable_progress] if state else []
        assert progress == [GRAIN, 2 * GRAIN]
        assert answer["snippet"]["title"] == "Semlor"
        assert answer["status"]["uploadStatus"] == "uploaded"
        google.sandbox.control("clock", advance=11)
        parts = "status,processingDetails,statistics,contentDetails,fileDetails"
        [video] = youtube.videos().list(part=parts, id=answer["id"]).execute()["items"]
    assert (video["status"]["uploadStatus"], video["status"]["privacyStatus"]) == ("processed", "public")
    assert video["processingDetails"]["processingStatus"] == "succeeded"
    assert video["fileDetails"]["fileSize"] == str(len(content))
    assert feed(google)[0]["file"]["sha256"] == sha256(content).hexdigest()


def test_the_official_client_uploads_at_once(google: Google) -> None:
    content = b"\r\n--film\r\n\x00\xff\r\n"
    with google.sdk("youtube", "v3", google.sign_in("ada", f"{AUTH}youtube.upload")) as youtube:
        media = http.MediaIoBaseUpload(BytesIO(content), "video/mp4", resumable=False)
        answer = youtube.videos().insert(part=PARTS, body=BODY, media_body=media).execute()
    assert answer["snippet"]["channelId"] == ADA_CHANNEL_ID
    assert feed(google)[0]["file"]["sha256"] == sha256(content).hexdigest()


def test_a_broken_upload_goes_on_where_it_was(google: Google) -> None:
    token, content = google.sign_in("ada", YOUTUBE)["access_token"], bytes(range(256)) * 2048 + b"end"
    total = len(content)
    begun = begin(google, token, total=total)
    assert begun.content == b""
    session = begun.headers["location"]
    nothing = piece(google, session, b"", 0, total)
    assert (nothing.status_code, "range" in nothing.headers) == (308, False)
    google.sandbox.control("fail", platform="google", when="after", path="*/upload/*")
    with pytest.raises(httpx.RemoteProtocolError):
        piece(google, session, content[:GRAIN], 0, total)
    response = piece(google, session, b"", 0, total)
    assert (response.status_code, response.headers["range"]) == (308, f"bytes=0-{GRAIN - 1}")
    assert piece(google, session, content[GRAIN : 2 * GRAIN], GRAIN, total).status_code == 308
    # What was sent already may be sent again.
    again = piece(google, session, content[GRAIN:], GRAIN, total)
    assert again.status_code == 200
    # A session that is done answers with the video, so that a lost answer does no harm.
    assert piece(google, session, b"", 0, total).json()["id"] == again.json()["id"]
    [video] = feed(google)
    assert video["file"]["sha256"] == sha256(content).hexdigest()


def test_what_a_session_refuses(google: Google) -> None:
    token = google.sign_in("ada", YOUTUBE)["access_token"]
    session = begin(google, token, total=3 * GRAIN).headers["location"]
    ahead = piece(google, session, b"x" * GRAIN, GRAIN, 3 * GRAIN)
    assert (ahead.status_code, "exceeds already uploaded size" in ahead.text) == (400, True)
    small = piece(google, session, b"x" * 1000, 0, 3 * GRAIN)
    assert (small.status_code, "The received request contained 1000 bytes" in small.text) == (400, True)
    headers = {"content-range": "pieces 1-2"}
    assert google.http.put(session, content=b"x", headers=headers).status_code == 400
    dead = {"authorization": "Bearer ya29.dead", "content-range": f"bytes */{3 * GRAIN}"}
    assert google.http.put(session, headers=dead).status_code == 401
    assert piece(google, session, b"", 0, 3 * GRAIN).status_code == 308
    google.sandbox.control("clock", advance=7 * 86400 + 1)
    assert piece(google, session, b"", 0, 3 * GRAIN).status_code == 404
    assert google.http.put(f"{google.url}/{UPLOAD}?upload_id=none").status_code == 404


@pytest.mark.parametrize(
    ("change", "status", "reason"),
    [
        ({"snippet": {"title": ""}}, 400, "invalidTitle"),
        ({"snippet": {"title": "x" * 101}}, 400, "invalidTitle"),
        ({"snippet": {"title": "<b>"}}, 400, "invalidTitle"),
        ({"snippet": {"title": "x", "description": "å" * 2501}}, 400, "invalidDescription"),
        ({"snippet": {"title": "x", "tags": ["y" * 501]}}, 400, "invalidTags"),
        ({"snippet": {"title": "x", "categoryId": "9999"}}, 400, "invalidCategoryId"),
        ({"status": {"privacyStatus": "public", "publishAt": "2100-01-01T00:00:00Z"}}, 400, "invalidPublishAt"),
        ({"status": {"privacyStatus": "private", "publishAt": "2001-01-01T00:00:00Z"}}, 400, "invalidPublishAt"),
        ({"status": {"privacyStatus": "secret"}}, 400, "invalidVideoMetadata"),
        ({"status": {"license": "mine"}}, 403, "forbiddenLicenseSetting"),
        ({"snippet": {"title": 7.5, "tags": "none"}}, 400, "invalidVideoMetadata"),
    ],
)
def test_metadata_is_refused_before_the_first_byte(
    google: Google, change: dict[str, Any], status: int, reason: str
) -> None:
    answer = begin(google, google.sign_in("ada", YOUTUBE)["access_token"], BODY | change)
    assert reason_of(answer) == (status, reason)
    error = answer.json()["error"]["errors"][0]
    assert error["domain"] == "youtube.video"


def test_who_may_upload_what(google: Google) -> None:
    cleo = google.sign_in("cleo", YOUTUBE)["access_token"]
    assert reason_of(begin(google, cleo)) == (401, "youtubeSignupRequired")
    reader = google.sign_in("ada", f"{AUTH}youtube.readonly")["access_token"]
    assert reason_of(begin(google, reader)) == (403, "insufficientPermissions")
    ada = google.sign_in("ada", YOUTUBE)["access_token"]
    assert reason_of(begin(google, ada, uploadType="pigeon")) == (400, "mediaBodyRequired")
    headers = {"authorization": f"Bearer {ada}", "x-upload-content-type": "image/png"}
    request = {"uploadType": "resumable", "part": PARTS}
    picture = google.http.post(f"{google.url}/{UPLOAD}", params=request, json=BODY, headers=headers)
    assert reason_of(picture) == (400, "badContent")
    google.sandbox.control("quota", platform="google", bucket="videos.insert", left=1)
    assert begin(google, ada).status_code == 200
    assert reason_of(begin(google, ada)) == (403, "quotaExceeded")
    # Uploads have a bucket of their own.
    assert google.get(VIDEOS, ada, part="id", id="x").json()["items"] == []


def test_a_video_waits_for_its_hour(google: Google) -> None:
    ada, bram = (google.sign_in(person, YOUTUBE)["access_token"] for person in ("ada", "bram"))
    hour = google.sandbox.look("clock")["now"]
    when = f"{int(hour[:4]) + 1}{hour[4:19]}Z"
    video = upload(google, ada, BODY | {"status": {"privacyStatus": "private", "publishAt": when}})
    assert (video["status"]["privacyStatus"], video["status"]["publishAt"]) == ("private", when)
    assert google.get(VIDEOS, bram, part="id", id=video["id"]).json()["items"] == []
    google.sandbox.control("clock", advance=367 * 86400)
    ada, bram = (google.sign_in(person, YOUTUBE)["access_token"] for person in ("ada", "bram"))
    seen = look(google, bram, video["id"], "status,snippet")
    assert (seen["status"]["privacyStatus"], seen["snippet"]["publishedAt"]) == ("public", when)
    assert "publishAt" not in seen["status"]


def test_an_unaudited_project_uploads_in_private(tmp_path: Path, gateway: WebhookReceiver) -> None:
    vendor = replace(VENDOR, app=msgspec.structs.replace(VENDOR.app, more={"audited": "false"}))
    with running_sandbox(tmp_path, [vendor], gateway.url) as running:
        google = Google(running, gateway)
        video = upload(google, google.sign_in("ada", YOUTUBE)["access_token"])
        assert video["status"]["privacyStatus"] == "private"


@pytest.mark.parametrize(
    ("ending", "field"), [("failed:codec", "failureReason"), ("rejected:claim", "rejectionReason")]
)
def test_a_video_can_be_made_to_fail(google: Google, ending: str, field: str) -> None:
    token = google.sign_in("ada", YOUTUBE)["access_token"]
    google.sandbox.control("outcome", platform="google", account=ADA_CHANNEL_ID, result=ending)
    video = upload(google, token)
    assert look(google, token, video["id"], "status")["status"]["uploadStatus"] == "uploaded"
    google.sandbox.control("clock", advance=11)
    status = look(google, token, video["id"], "status")["status"]
    assert (status["uploadStatus"], status[field]) == tuple(ending.split(":"))
    assert "failureReason" not in look(google, token, upload(google, token)["id"], "status")["status"]


def test_processing_can_be_made_to_take_longer(google: Google) -> None:
    token = google.sign_in("ada", YOUTUBE)["access_token"]
    google.sandbox.control("outcome", platform="google", account=ADA_CHANNEL_ID, seconds=100)
    slow, usual = upload(google, token)["id"], upload(google, token)["id"]
    seen = []
    for passed in (11, 90):
        google.sandbox.control("clock", advance=passed)
        seen.append([look(google, token, item, "status")["status"]["uploadStatus"] for item in (slow, usual)])
    assert seen == [["uploaded", "processed"], ["processed", "processed"]]


def test_a_part_is_replaced_whole(google: Google) -> None:
    with google.sdk("youtube", "v3", google.sign_in("ada", YOUTUBE)) as youtube:
        token = google.sign_in("ada", YOUTUBE)["access_token"]
        video = upload(google, token)["id"]
        body = {"id": video, "snippet": {"title": "Lussekatter", "categoryId": "26"}}
        changed = youtube.videos().update(part="snippet", body=body).execute()
        assert changed["snippet"]["title"] == "Lussekatter"
        # What is left out is gone; what is in no named part stays.
        assert "tags" not in changed["snippet"]
        assert look(google, token, video, "status")["status"]["privacyStatus"] == "public"
        with pytest.raises(HttpError) as refused:
            youtube.videos().update(part="snippet", body={"id": video, "snippet": {"title": "x"}}).execute()
        assert refused.value.error_details[0]["reason"] == "invalidCategoryId"
        youtube.videos().delete(id=video).execute()
        with pytest.raises(HttpError) as gone:
            youtube.videos().delete(id=video).execute()
    assert gone.value.error_details[0]["reason"] == "videoNotFound"


def test_only_its_owner_changes_a_video(google: Google) -> None:
    video = upload(google, google.sign_in("ada", YOUTUBE)["access_token"])["id"]
    bram = google.sign_in("bram", YOUTUBE)["access_token"]
    url = f"{google.url}/{VIDEOS}"
    answer = google.http.delete(url, params={"id": video}, headers={"authorization": f"Bearer {bram}"})
    assert reason_of(answer) == (403, "forbidden")
    uploader = google.sign_in("ada", f"{AUTH}youtube.upload")["access_token"]
    answer = google.http.delete(url, params={"id": video}, headers={"authorization": f"Bearer {uploader}"})
    assert reason_of(answer) == (403, "insufficientPermissions")


def test_a_thumbnail(google: Google) -> None:
    with google.sdk("youtube", "v3", google.sign_in("ada", YOUTUBE)) as youtube:
        token = google.sign_in("ada", YOUTUBE)["access_token"]
        video = upload(google, token)["id"]
        picture = http.MediaIoBaseUpload(BytesIO(JPEG), "image/jpeg")
        answer = youtube.thumbnails().set(videoId=video, media_body=picture).execute()
        assert set(answer["items"][0]) == {"default", "medium", "high"}
        with pytest.raises(HttpError) as refused:
            youtube.thumbnails().set(
                videoId=video, media_body=http.MediaIoBaseUpload(BytesIO(b"GIF"), "image/png")
            ).execute()
    assert refused.value.error_details[0]["reason"] == "invalidImage"
    assert look(google, token, video, "contentDetails")["contentDetails"]["hasCustomThumbnail"] is True
    assert feed(google)[0]["thumbnail"]["sha256"] == sha256(JPEG).hexdigest()
    school = google.sign_in(SCHOOL_USER_ID, YOUTUBE)["access_token"]
    other = upload(google, school)["id"]
    url = f"{google.url}/www.googleapis.com/upload/youtube/v3/thumbnails/set"
    answer = google.http.post(
        url, params={"videoId": other}, content=JPEG, headers={"authorization": f"Bearer {school}"}
    )
    assert reason_of(answer) == (403, "forbidden")


def test_uploads_are_listed_in_pages(google: Google) -> None:
    token = google.sign_in("ada", YOUTUBE)["access_token"]
    unlisted = BODY | {"status": {"privacyStatus": "unlisted"}}
    ids = [upload(google, token, body)["id"] for body in (BODY, unlisted, BODY)]
    with google.sdk("youtube", "v3", google.sign_in("ada", YOUTUBE)) as youtube:
        channel = youtube.channels().list(part="contentDetails,statistics", mine=True).execute()["items"][0]
        playlist = channel["contentDetails"]["relatedPlaylists"]["uploads"]
        request = youtube.playlistItems().list(part="snippet,contentDetails,status", playlistId=playlist, maxResults=2)
        items: list[dict[str, Any]] = []
        while request is not None:
            page = request.execute()
            items += page["items"]
            request = youtube.playlistItems().list_next(request, page)
        with pytest.raises(HttpError) as missing:
            youtube.playlistItems().list(part="id", playlistId="UUnone").execute()
    assert [item["contentDetails"]["videoId"] for item in items] == ids[::-1]
    assert [item["status"]["privacyStatus"] for item in items] == ["public", "unlisted", "public"]
    assert channel["statistics"]["videoCount"] == "3"
    assert missing.value.error_details[0]["reason"] == "playlistNotFound"
    bram = google.sign_in("bram", YOUTUBE)["access_token"]
    path = "youtube.googleapis.com/youtube/v3/playlistItems"
    assert google.get(path, bram, part="id", playlistId=playlist).json()["pageInfo"]["totalResults"] == 2


def test_the_feed_tells_of_a_new_and_of_a_renamed_video(google: Google) -> None:
    callback = f"{google.gateway.url}/webhooks/google"
    form = {"hub.callback": callback, "hub.mode": "subscribe", "hub.topic": TOPIC, "hub.secret": "hubsecret"}
    assert google.http.post(f"{google.url}/pubsubhubbub.appspot.com/subscribe", data=form).status_code == 202
    token = google.sign_in("ada", YOUTUBE)["access_token"]
    upload(google, token, BODY | {"status": {"privacyStatus": "private"}})
    video = upload(google, token)["id"]
    google.sandbox.control("clock", advance=11)
    [arrived] = google.gateway.wait_for(1)
    assert arrived.headers["content-type"] == "application/atom+xml"
    expected = hmac.new(b"hubsecret", arrived.body, "sha1").hexdigest()
    assert arrived.headers["x-hub-signature"] == f"sha1={expected}"
    assert f"<yt:videoId>{video}</yt:videoId>" in arrived.body.decode()
    body = {"id": video, "snippet": {"title": "Kanelbullar & co", "categoryId": "26"}}
    url = f"{google.url}/{VIDEOS}"
    google.http.put(url, params={"part": "snippet"}, json=body, headers={"authorization": f"Bearer {token}"})
    renamed = google.gateway.wait_for(2)[1]
    assert "<title>Kanelbullar &amp; co</title>" in renamed.body.decode()
    google.sandbox.control("clock", advance=5 * 86400)
    upload(google, google.sign_in("ada", YOUTUBE)["access_token"])
    google.sandbox.control("clock", advance=11)
    # The lease is over.
    assert len(google.sandbox.look("deliveries")["data"]) == 2
