"""Google: YouTube, Calendar, Business Profile and OAuth. Compared with google-api-python-client and google-auth."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from io import BytesIO
from typing import Any
from urllib.parse import urlsplit

import msgspec

from parity.operations import APP, CALLBACK, FILES, NOW, TOKEN, Operation, Vendor, Walk, account, media
from parity.recording import SDK, Answer, Recorded, Recorder
from sandbox.google.official import credentials, discovery, discovery_cache, http, id_token, requests
from socialgate.connectors.google import build_connector
from socialgate.connectors.google.api import LOCATION_FIELDS
from socialgate.connectors.google.manifest import MANIFEST
from socialgate.connectors.google.metrics import BUSINESS_METRICS, YOUTUBE_METRICS
from socialgate.contracts.account_connection import (
    ACCOUNT_HEALTH_CAPABILITY,
    ACCOUNT_PROFILE_CAPABILITY,
    AuthorizationRequest,
)
from socialgate.contracts.calendar import (
    CALENDAR_CAPABILITY,
    EventDeletion,
    EventFields,
    EventQuery,
    EventReminder,
    EventReminders,
    EventTime,
    EventUpdateRequest,
    Guest,
    NewEvent,
)
from socialgate.contracts.comments import COMMENTS_CAPABILITY, NewComment
from socialgate.contracts.insights import INSIGHTS_CAPABILITY, DateRange
from socialgate.contracts.platforms import Kind
from socialgate.contracts.publishing import (
    DELETE_POST_CAPABILITY,
    POST_HISTORY_CAPABILITY,
    PUBLISH_POST_CAPABILITY,
    PostContent,
    PublishingProgress,
)
from socialgate.contracts.webhooks import WebhookRequest

CHANNEL_ID, UPLOADS, PLACE, BUSINESS = "UC1000001", "UU1000001", "1200000001", "accounts/1300000001"
VIDEO_ID, COMMENT_ID, EVENT_ID = "vid1000001", "com1000001", "event1000001"
SCOPES = MANIFEST.list_scopes([Kind.GOOGLE_CALENDAR])
CHANNEL = account(Kind.YOUTUBE, CHANNEL_ID, details={"uploadsPlaylistId": UPLOADS}, refresh_token="refresh-1")
LOCATION = account(Kind.GOOGLE_BUSINESS, PLACE, details={"name": f"{BUSINESS}/locations/{PLACE}"})
PERSON = account(
    Kind.GOOGLE_CALENDAR,
    "ada@example.com",
    scopes=SCOPES,
    refresh_token="refresh-1",
    webhook_registration={"id": "channel-1", "resourceId": "resource-1"},
)
FILM = media("video", "video/mp4", thumbnail=media("image", "image/jpeg"))
VIDEO_POST = PostContent(text="How to", media=(FILM,), options={"title": "Buns", "tags": ["bread"], "categoryId": "26"})
RESOURCE = {
    "snippet": {"title": "Buns", "description": "How to", "tags": ["bread"], "categoryId": "26"},
    "status": {
        "privacyStatus": "public",
        "selfDeclaredMadeForKids": False,
        "containsSyntheticMedia": False,
        "embeddable": True,
        "license": "youtube",
        "publicStatsViewable": True,
    },
}
DAYS = DateRange(NOW.date() - timedelta(days=20), NOW.date() - timedelta(days=10))
TODAY = DateRange(NOW.date(), NOW.date())
ASK = AuthorizationRequest(
    state="s", pkce_verifier="v", redirect_uri="https://gate.example.com/connect/google/callback"
)
SESSION = "https://www.googleapis.com/upload/youtube/v3/videos?upload_id=1400000001"
MARK = "m1"
SIGNED = WebhookRequest(
    method="POST",
    query={},
    headers={"content-type": "application/secevent+jwt"},
    # A token that names a key which nobody has yet.
    body=b"eyJhbGciOiJSUzI1NiIsImtpZCI6ImsxIn0.e30.c2ln",
)
NEW_EVENT = NewEvent(
    event_id=EVENT_ID,
    notify="all",
    request_marker=MARK,
    fields=EventFields(
        title="Tasting",
        description="Rye",
        location="Bakery",
        start=EventTime(date_time=NOW),
        end=EventTime(date_time=NOW + timedelta(hours=1)),
        attendees=(Guest(email="dario@example.com", name="Dario"),),
        reminders=EventReminders(use_default=False, overrides=(EventReminder(method="popup", minutes=10),)),
        with_video_meeting=True,
    ),
)
CHANGE = EventUpdateRequest(
    event_id=EVENT_ID, split_id="split1000001", notify="none", request_marker=MARK, fields=EventFields(title="Later"),
    expected_etag='"e1"',
)  # fmt: skip
REST = EventUpdateRequest(
    event_id=f"{EVENT_ID}_20261109T090000Z",
    split_id="split1000001",
    request_marker=MARK,
    fields=EventFields(title="Later"),
    scope="following",
)
DELETION = EventDeletion(event_id=EVENT_ID, notify="all", request_marker=MARK)
_STARTS = {"dateTime": "2026-11-02T09:00:00Z", "timeZone": "UTC"}
_LATER = {"dateTime": "2026-11-09T09:00:00Z", "timeZone": "UTC"}
EVENT = {"id": EVENT_ID, "etag": '"e1"', "summary": "Tasting", "start": _STARTS, "end": _STARTS}
SPLIT = f"{EVENT_ID}_20261109T090000Z"
OCCURRENCE = {**EVENT, "recurringEventId": EVENT_ID, "originalStartTime": _LATER, "start": _LATER, "end": _LATER}
WEEKLY = {
    rf"GET .*/{SPLIT}$": {**OCCURRENCE, "id": SPLIT},
    r"GET .*/instances$": {"items": [OCCURRENCE]},
    r"(?:GET|POST|PATCH) .*/events(?:/[^/]*)?$": {**EVENT, "recurrence": ["RRULE:FREQ=WEEKLY;COUNT=5"]},
}
NEW_COMMENT = NewComment(text="Thanks", object_id=VIDEO_ID, asked_at=NOW)
NEW_REPLY = NewComment(text="Thanks", object_id=VIDEO_ID, parent_id=COMMENT_ID, asked_at=NOW)


class Google:
    """Builds the SDK of each product, pointed at the recording server."""

    def __init__(self, recorder: Recorder) -> None:
        self._base = recorder.base(SDK)
        self._known: dict[str, Any] = {}

    def __call__(self, name: str, version: str) -> Any:
        if name not in self._known:
            document = msgspec.json.decode(discovery_cache.get_static_doc(name, version))
            document["rootUrl"] = f"{self._base}/{urlsplit(document['rootUrl']).hostname}/"
            document["baseUrl"] = document["rootUrl"] + document["servicePath"]
            document.pop("mtlsRootUrl", None)
            self._known[name] = discovery.build_from_document(document, credentials=credentials.Credentials(TOKEN))
        return self._known[name]

    @property
    def youtube(self) -> Any:
        return self("youtube", "v3")

    @property
    def calendar(self) -> Any:
        return self("calendar", "v3")

    def close(self) -> None:
        for service in self._known.values():
            service.close()

    def address(self, host: str) -> str:
        return f"{self._base}/{host}"

    def renew(self) -> None:
        uri = self.address("oauth2.googleapis.com/token")
        app = {"client_id": APP.id, "client_secret": APP.secret}
        credentials.Credentials(TOKEN, "refresh-1", token_uri=uri, **app).refresh(requests.Request())

    def certificates(self) -> None:
        url = self.address("www.googleapis.com/oauth2/v3/certs")
        id_token._fetch_certs(requests.Request(), url)

    def resumed(self, size: int, *, ask: bool) -> None:
        """Go on with an upload that was started, whose address the server named."""
        upload = http.MediaIoBaseUpload(BytesIO(b"x" * size), "video/mp4", chunksize=size, resumable=True)
        request = self.youtube.videos().insert(part="snippet,status", body=RESOURCE, media_body=upload)
        request.resumable_uri = self.address(SESSION.removeprefix("https://"))
        request._in_error_state = ask
        request.next_chunk()


@contextmanager
def google(recorder: Recorder) -> Iterator[Google]:
    opened = Google(recorder)
    yield opened
    opened.close()


def run(call: Callable[[Google], Any]) -> Callable[[Google], Any]:
    return lambda sdk: call(sdk).execute()


def run_stage(stage: str, **data: Any) -> Any:
    progress = PublishingProgress(stage=stage, data={"began": NOW.isoformat(), **data})
    return lambda ours: ours.find_adapter(Kind.YOUTUBE, PUBLISH_POST_CAPABILITY).run_stage(
        CHANNEL, VIDEO_POST, progress, FILES
    )


def open_upload(sdk: Google) -> None:
    upload = http.MediaIoBaseUpload(BytesIO(b"xxxx"), "video/mp4", chunksize=4, resumable=True)
    request = {"part": "snippet,status", "notifySubscribers": True}
    sdk.youtube.videos().insert(**request, body=RESOURCE, media_body=upload).next_chunk()


def name_upload(request: Recorded) -> Answer:
    """Start an upload, at an address of the same side."""
    base = f"http://{request.header('host')}/{request.side}"
    address = f"{base}/{SESSION.removeprefix('https://')}"
    return Answer(body={"id": VIDEO_ID}, headers={"Location": address})


def take_upload(request: Recorded) -> Answer:
    """Take the whole of a file, or say that nothing of it is there yet."""
    return Answer(body={"id": VIDEO_ID}) if request.body else Answer(status=308)


YT, BIZ, CAL = Kind.YOUTUBE, Kind.GOOGLE_BUSINESS, Kind.GOOGLE_CALENDAR
OPERATIONS = [
    Operation(
        "read a channel",
        run(lambda sdk: sdk.youtube.channels().list(part="id,snippet,statistics,status", mine=True)),
        lambda ours: ours.find_adapter(YT, ACCOUNT_PROFILE_CAPABILITY).fetch_profile(CHANNEL),
    ),
    Operation(
        "list the uploads of a channel",
        run(lambda sdk: sdk.youtube.playlistItems().list(part="contentDetails", maxResults=25, playlistId=UPLOADS)),
        lambda ours: ours.find_adapter(YT, POST_HISTORY_CAPABILITY).list_live_posts(CHANNEL, 25, None),
    ),
    Operation(
        "read videos",
        run(
            lambda sdk: sdk.youtube.videos().list(
                part="snippet,status,statistics,contentDetails", id=VIDEO_ID, maxResults=50
            )
        ),
        lambda ours: ours.find_adapter(YT, POST_HISTORY_CAPABILITY).list_live_posts(CHANNEL, 25, None),
    ),
    Operation(
        "delete a video",
        run(lambda sdk: sdk.youtube.videos().delete(id=VIDEO_ID)),
        lambda ours: ours.find_adapter(YT, DELETE_POST_CAPABILITY).delete_post(CHANNEL, VIDEO_ID),
    ),
    Operation("start an upload", open_upload, run_stage("start"), of_several=0),
    Operation(
        "ask how much was uploaded",
        lambda sdk: sdk.resumed(4, ask=True),
        run_stage("upload", session=SESSION),
        of_several=0,
    ),
    Operation(
        "upload the rest of a video",
        lambda sdk: sdk.resumed(4, ask=False),
        run_stage("finish", session=SESSION, finishing=True),
    ),
    Operation(
        "set the thumbnail of a video",
        run(
            lambda sdk: sdk.youtube.thumbnails().set(
                videoId=VIDEO_ID, media_body=http.MediaIoBaseUpload(BytesIO(b"xxxx"), "image/jpeg")
            )
        ),
        run_stage("thumbnail", video=VIDEO_ID),
    ),
    Operation(
        "list the comments of a video",
        run(
            lambda sdk: sdk.youtube.commentThreads().list(
                part="snippet,replies", order="time", textFormat="plainText", maxResults=25, videoId=VIDEO_ID
            )
        ),
        lambda ours: ours.find_adapter(YT, COMMENTS_CAPABILITY).list(CHANNEL, VIDEO_ID, 25, None),
    ),
    Operation(
        "list the comments of a channel",
        run(
            lambda sdk: sdk.youtube.commentThreads().list(
                part="snippet,replies",
                order="time",
                textFormat="plainText",
                maxResults=25,
                allThreadsRelatedToChannelId=CHANNEL_ID,
            )
        ),
        lambda ours: ours.find_adapter(YT, COMMENTS_CAPABILITY).list(CHANNEL, None, 25, None),
    ),
    Operation(
        "comment on a video",
        run(
            lambda sdk: sdk.youtube.commentThreads().insert(
                part="snippet",
                body={
                    "snippet": {
                        "channelId": CHANNEL_ID,
                        "videoId": VIDEO_ID,
                        "topLevelComment": {"snippet": {"textOriginal": "Thanks"}},
                    }
                },
            )
        ),
        lambda ours: ours.find_adapter(YT, COMMENTS_CAPABILITY).create(CHANNEL, NEW_COMMENT),
    ),
    Operation(
        "reply to a comment",
        run(
            lambda sdk: sdk.youtube.comments().insert(
                part="snippet", body={"snippet": {"parentId": COMMENT_ID, "textOriginal": "Thanks"}}
            )
        ),
        lambda ours: ours.find_adapter(YT, COMMENTS_CAPABILITY).create(CHANNEL, NEW_REPLY),
    ),
    Operation(
        "list the replies to a comment",
        run(
            lambda sdk: sdk.youtube.comments().list(
                part="snippet", textFormat="plainText", maxResults=100, parentId=COMMENT_ID
            )
        ),
        lambda ours: ours.find_adapter(YT, COMMENTS_CAPABILITY).look_up_result(CHANNEL, NEW_REPLY),
    ),
    Operation(
        "hide a comment",
        run(lambda sdk: sdk.youtube.comments().setModerationStatus(id=COMMENT_ID, moderationStatus="heldForReview")),
        lambda ours: ours.find_adapter(YT, COMMENTS_CAPABILITY).set_hidden(CHANNEL, COMMENT_ID, hidden=True),
    ),
    Operation(
        "delete a comment",
        run(lambda sdk: sdk.youtube.comments().delete(id=COMMENT_ID)),
        lambda ours: ours.find_adapter(YT, COMMENTS_CAPABILITY).delete(CHANNEL, COMMENT_ID),
    ),
    Operation(
        "count subscribers",
        run(lambda sdk: sdk.youtube.channels().list(part="statistics", mine=True)),
        lambda ours: ours.find_adapter(YT, INSIGHTS_CAPABILITY).read_account_metrics(
            CHANNEL, YOUTUBE_METRICS.account_metrics[:1], TODAY, ()
        ),
    ),
    Operation(
        "count the views of videos",
        run(lambda sdk: sdk.youtube.videos().list(part="statistics", id=VIDEO_ID, maxResults=50)),
        lambda ours: ours.find_adapter(YT, INSIGHTS_CAPABILITY).read_post_metrics(
            CHANNEL, [VIDEO_ID], YOUTUBE_METRICS.post_metrics[:1]
        ),
    ),
    Operation(
        "read a report of a channel",
        run(
            lambda sdk: (
                sdk("youtubeAnalytics", "v2")
                .reports()
                .query(
                    ids="channel==MINE",
                    startDate="2026-10-13",
                    endDate="2026-10-23",
                    metrics="views,likes",
                    dimensions="day",
                )
            )
        ),
        lambda ours: ours.find_adapter(YT, INSIGHTS_CAPABILITY).read_account_metrics(
            CHANNEL, YOUTUBE_METRICS.account_metrics[3:5], DAYS, ()
        ),
    ),
    Operation(
        "read a report of videos",
        run(
            lambda sdk: (
                sdk("youtubeAnalytics", "v2")
                .reports()
                .query(
                    ids="channel==MINE",
                    startDate="2005-01-01",
                    endDate="2026-11-02",
                    metrics="shares",
                    dimensions="video",
                    filters=f"video=={VIDEO_ID}",
                    sort="-shares",
                    maxResults=50,
                )
            )
        ),
        lambda ours: ours.find_adapter(YT, INSIGHTS_CAPABILITY).read_post_metrics(
            CHANNEL, [VIDEO_ID], YOUTUBE_METRICS.post_metrics[3:4]
        ),
    ),
    Operation(
        "list events",
        run(
            lambda sdk: sdk.calendar.events().list(
                calendarId="primary",
                timeMin=NOW.isoformat(),
                timeMax=(NOW + timedelta(days=1)).isoformat(),
                q="rye",
                singleEvents=True,
                orderBy="startTime",
                maxResults=25,
            )
        ),
        lambda ours: ours.find_adapter(CAL, CALENDAR_CAPABILITY).list(
            PERSON, EventQuery(since=NOW, until=NOW + timedelta(days=1), q="rye", expand=True, limit=25)
        ),
    ),
    Operation(
        "list what has changed in a calendar",
        run(
            lambda sdk: sdk.calendar.events().list(
                calendarId="team@example.com",
                syncToken="t1",
                fields="nextPageToken,nextSyncToken",
                maxResults=2500,
            )
        ),
        lambda ours: ours.find_adapter(CAL, CALENDAR_CAPABILITY).list(
            PERSON, EventQuery(calendar_id="team@example.com", sync_token="t1", tokens_only=True, limit=25)
        ),
    ),
    Operation(
        "create an event",
        run(
            lambda sdk: sdk.calendar.events().insert(
                calendarId="primary",
                sendUpdates="all",
                conferenceDataVersion=1,
                body={
                    "id": EVENT_ID,
                    "summary": "Tasting",
                    "description": "Rye",
                    "location": "Bakery",
                    "start": {"dateTime": "2026-11-02T09:00:00+00:00"},
                    "end": {"dateTime": "2026-11-02T10:00:00+00:00"},
                    "attendees": [
                        {"email": "dario@example.com", "displayName": "Dario", "responseStatus": "needsAction"}
                    ],
                    "reminders": {"useDefault": False, "overrides": [{"method": "popup", "minutes": 10}]},
                    "conferenceData": {
                        "createRequest": {"requestId": MARK, "conferenceSolutionKey": {"type": "hangoutsMeet"}}
                    },
                    "extendedProperties": {"private": {"socialgate": MARK}},
                },
            )
        ),
        lambda ours: ours.find_adapter(CAL, CALENDAR_CAPABILITY).create(PERSON, NEW_EVENT),
    ),
    Operation(
        "read an event",
        run(lambda sdk: sdk.calendar.events().get(calendarId="primary", eventId=EVENT_ID)),
        lambda ours: ours.find_adapter(CAL, CALENDAR_CAPABILITY).look_up_created(PERSON, NEW_EVENT),
    ),
    Operation(
        "change an event",
        lambda sdk: _matching(
            sdk.calendar.events().patch(
                calendarId="primary",
                eventId=EVENT_ID,
                sendUpdates="none",
                body={"summary": "Later", "extendedProperties": {"private": {"socialgate": MARK}}},
            )
        ),
        lambda ours: ours.find_adapter(CAL, CALENDAR_CAPABILITY).update(PERSON, CHANGE),
    ),
    Operation(
        "list the occurrences of a series",
        run(
            lambda sdk: sdk.calendar.events().instances(
                calendarId="primary", eventId=EVENT_ID, showDeleted=True, maxResults=2500
            )
        ),
        lambda ours: ours.find_adapter(CAL, CALENDAR_CAPABILITY).update(PERSON, REST),
        answers=WEEKLY,
    ),
    Operation(
        "delete an event",
        run(lambda sdk: sdk.calendar.events().delete(calendarId="primary", eventId=EVENT_ID, sendUpdates="all")),
        lambda ours: ours.find_adapter(CAL, CALENDAR_CAPABILITY).delete(PERSON, DELETION),
    ),
    Operation(
        "read a calendar",
        run(lambda sdk: sdk.calendar.calendarList().get(calendarId="primary")),
        lambda ours: ours.find_adapter(CAL, ACCOUNT_PROFILE_CAPABILITY).fetch_profile(PERSON),
    ),
    Operation(
        "watch a calendar",
        run(
            lambda sdk: sdk.calendar.events().watch(
                calendarId="primary",
                body={"id": "channel-2", "type": "web_hook", "address": CALLBACK.url, "token": CALLBACK.secret},
            )
        ),
        lambda ours: ours.webhook_subscriber.subscribe(PERSON, CALLBACK),
        free=("field id",),
    ),
    Operation(
        "stop watching a calendar",
        run(lambda sdk: sdk.calendar.channels().stop(body={"id": "channel-1", "resourceId": "resource-1"})),
        lambda ours: ours.webhook_subscriber.unsubscribe(PERSON),
    ),
    Operation(
        "list the accounts of a Business Profile",
        run(lambda sdk: sdk("mybusinessaccountmanagement", "v1").accounts().list()),
        lambda ours: ours.redirect_login.discover_accounts(LOCATION.grant, [BIZ]),
    ),
    Operation(
        "list locations",
        run(
            lambda sdk: (
                sdk("mybusinessbusinessinformation", "v1")
                .accounts()
                .locations()
                .list(parent=BUSINESS, readMask=LOCATION_FIELDS, pageSize=100)
            )
        ),
        lambda ours: ours.redirect_login.discover_accounts(LOCATION.grant, [BIZ]),
    ),
    Operation(
        "read a location",
        run(
            lambda sdk: (
                sdk("mybusinessbusinessinformation", "v1")
                .locations()
                .get(name=f"locations/{PLACE}", readMask=LOCATION_FIELDS)
            )
        ),
        lambda ours: ours.find_adapter(BIZ, ACCOUNT_PROFILE_CAPABILITY).fetch_profile(LOCATION),
    ),
    Operation(
        "read how a location performs",
        run(
            lambda sdk: (
                sdk("businessprofileperformance", "v1")
                .locations()
                .fetchMultiDailyMetricsTimeSeries(
                    location=f"locations/{PLACE}",
                    dailyMetrics=["WEBSITE_CLICKS", "CALL_CLICKS"],
                    dailyRange_startDate_year=2026,
                    dailyRange_startDate_month=10,
                    dailyRange_startDate_day=13,
                    dailyRange_endDate_year=2026,
                    dailyRange_endDate_month=10,
                    dailyRange_endDate_day=23,
                )
            )
        ),
        lambda ours: ours.find_adapter(BIZ, INSIGHTS_CAPABILITY).read_account_metrics(
            LOCATION, BUSINESS_METRICS.account_metrics[1:3], DAYS, ()
        ),
    ),
    Operation(
        "read who signed in",
        run(lambda sdk: sdk("oauth2", "v2").userinfo().get()),
        lambda ours: ours.redirect_login.exchange_code({"code": "c"}, ASK),
    ),
    Operation("renew a token", Google.renew, lambda ours: ours.token_refresher.refresh(PERSON.grant)),
    Operation(
        "read what a token permits",
        run(lambda sdk: sdk("oauth2", "v2").tokeninfo(access_token=TOKEN)),
        lambda ours: ours.find_adapter(CAL, ACCOUNT_HEALTH_CAPABILITY).check(PERSON),
    ),
    Operation(
        "read Google's public keys",
        Google.certificates,
        lambda ours: ours.webhook_receiver.receive(SIGNED, ()),
    ),
]


def _matching(request: Any) -> Any:
    request.headers["If-Match"] = '"e1"'
    return request.execute()


WALKS = [
    Walk(
        "publish a local post",
        lambda ours: ours.find_adapter(BIZ, PUBLISH_POST_CAPABILITY).run_stage(
            LOCATION,
            PostContent(text="Warm"),
            PublishingProgress(stage="create", data={"began": NOW.isoformat()}),
            FILES,
        ),
    ),
    Walk(
        "prepare a local post",
        lambda ours: ours.find_adapter(BIZ, PUBLISH_POST_CAPABILITY).run_stage(
            LOCATION,
            PostContent(text="Warm"),
            PublishingProgress(stage="check", data={"began": NOW.isoformat()}),
            FILES,
        ),
    ),
    Walk(
        "read a local post",
        lambda ours: ours.find_adapter(BIZ, PUBLISH_POST_CAPABILITY).run_stage(
            LOCATION,
            PostContent(text="Warm"),
            PublishingProgress(stage="confirm", data={"began": NOW.isoformat(), "name": "post1000001"}),
            FILES,
        ),
    ),
    Walk(
        "list local posts",
        lambda ours: ours.find_adapter(BIZ, POST_HISTORY_CAPABILITY).list_live_posts(LOCATION, 25, None),
    ),
    Walk(
        "delete a local post",
        lambda ours: ours.find_adapter(BIZ, DELETE_POST_CAPABILITY).delete_post(LOCATION, "post1000001"),
    ),
    Walk("list reviews", lambda ours: ours.find_adapter(BIZ, COMMENTS_CAPABILITY).list(LOCATION, None, 25, None)),
    Walk(
        "reply to a review",
        lambda ours: ours.find_adapter(BIZ, COMMENTS_CAPABILITY).create(
            LOCATION, NewComment(text="Thanks", parent_id="review1000001", asked_at=NOW)
        ),
    ),
    Walk(
        "read a review",
        lambda ours: ours.find_adapter(BIZ, COMMENTS_CAPABILITY).look_up_result(
            LOCATION, NewComment(text="Thanks", parent_id="review1000001", asked_at=NOW)
        ),
    ),
    Walk(
        "delete a reply",
        lambda ours: ours.find_adapter(BIZ, COMMENTS_CAPABILITY).delete(LOCATION, "review1000001~reply"),
    ),
    Walk("revoke a grant", lambda ours: ours.grant_revoker.revoke(PERSON, is_last_account=True)),
    Walk("find all accounts", lambda ours: ours.redirect_login.discover_accounts(PERSON.grant, [])),
]

VENDOR = Vendor(
    name="google",
    sdk=google,
    ours=lambda wire: build_connector(APP, wire),
    operations=OPERATIONS,
    walks=WALKS,
    answers={
        r"POST oauth2\.googleapis\.com/token": {
            "access_token": TOKEN,
            "expires_in": 3599,
            "scope": " ".join(SCOPES),
            "token_type": "Bearer",
        },
        r"GET oauth2\.googleapis\.com/tokeninfo": {"scope": " ".join(SCOPES)},
        r"GET .*/userinfo": {"id": "1500000001", "email": "ada@example.com"},
        r"GET .*/oauth2/v3/certs": {"keys": []},
        r"GET .*/playlistItems": {"items": [{"id": "1", "contentDetails": {"videoId": VIDEO_ID}}]},
        r"GET .*/channels$": {
            "items": [{"id": CHANNEL_ID, "contentDetails": {"relatedPlaylists": {"uploads": UPLOADS}}}]
        },
        r"GET .*/v1/accounts$": {"accounts": [{"name": BUSINESS}]},
        r"GET .*/v1/accounts/[^/]*/locations": {"locations": [{"name": f"locations/{PLACE}"}]},
        r"GET .*/calendarList/primary": {"id": "ada@example.com"},
        r"(?:GET|POST|PATCH) .*/events(?:/event\d+)?$": EVENT,
        r"POST .*/events/watch": {"id": "channel-2", "resourceId": "resource-2"},
        r"POST .*/upload/youtube/v3/videos": name_upload,
        r"PUT .*/upload/": take_upload,
        r"(?:PUT|GET) .*/reviews/": {"reviewId": "review1000001", "comment": "Thanks"},
        r"POST .*/localPosts": {"name": "x/localPosts/post1000001", "state": "LIVE"},
        r"GET .*/localPosts/": {"name": "x/localPosts/post1000001", "state": "LIVE"},
        r"GET .*/locations/\d+$": {"name": f"locations/{PLACE}"},
        r"DELETE ": Answer(status=204),
        r"POST .*/(?:channels/stop|setModerationStatus)": Answer(status=204),
        r"POST ": {"id": COMMENT_ID},
        r"GET ": {"items": []},
    },
)
