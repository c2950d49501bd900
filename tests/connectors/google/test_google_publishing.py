"""Posting with Google: videos and local posts at the sandbox, and every answer that can get lost."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
import pytest

from socialgate.areas.posts import rules
from socialgate.connectors.google import local_post_publishing, youtube_video_body
from socialgate.connectors.google.manifest import MANIFEST
from socialgate.connectors.google.posts import parse_duration_seconds
from socialgate.connectors.publishing_stages import UPLOAD_PART_BYTES
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
    DELETE_POST_CAPABILITY,
    POST_HISTORY_CAPABILITY,
    PUBLISH_POST_CAPABILITY,
    Inconclusive,
    MediaFile,
    NextStage,
    PostContent,
    PublishedPost,
    SafeToRetry,
)
from socialgate_sandbox.vendors import ALL_VENDORS
from support.publishing import ConnectorDriver, OutcomeUnclearError, start_driver
from support.simulation import RunningSandbox, running_sandbox

UPLOAD = "*/upload/youtube/v3/videos"
THUMBNAIL = "*/thumbnails/set"
COMMENTS = "*/commentThreads"
LOCAL = "*/localPosts"
NOW = datetime(2026, 11, 15, tzinfo=UTC)
DAYS = {"startDate": {"year": 2026, "month": 12, "day": 1}, "endDate": {"year": 2026, "month": 12, "day": 2}}
EVENT = {"title": "Tasting", "schedule": DAYS}


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
def channel(desk: ConnectorDriver) -> AccountCredentials:
    return desk.sign_in(Kind.YOUTUBE)[0]


@pytest.fixture
def place(desk: ConnectorDriver) -> AccountCredentials:
    return desk.sign_in(Kind.GOOGLE_BUSINESS)[0]


def feed(desk: ConnectorDriver, credentials: AccountCredentials) -> list[dict[str, Any]]:
    """List what the sandbox has of the account."""
    response = desk.sandbox.control("feed", platform="google", account=credentials.platform_account_id)
    result: list[dict[str, Any]] = response["videos" if credentials.kind is Kind.YOUTUBE else "posts"]
    return result


def film(media: MediaFile, text: str = "How bread is made", **options: Any) -> PostContent:
    return PostContent(text=text, media=(media,), options={"title": "Bread", **options})


def file(kind: str = "video", mime_type: str = "video/mp4", **known: Any) -> MediaFile:
    fields: dict[str, Any] = {
        "id": "m",
        "type": kind,
        "mime_type": mime_type,
        "size": 9,
        "sha256": "0",
        "url": "u",
        "file_name": "f",
    }
    return MediaFile(**(fields | known))


# The pure parts.


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (film(file()), {}),
        (PostContent(text="x", options={"title": "x"}), {"/media": "required"}),
        (film(file(), recordingDate="2026-02-30T00:00:00Z"), {"/options/recordingDate": "out_of_range"}),
        (film(file(), tags=["a" * 249, "b" * 250]), {}),
        (
            PostContent(
                text="1 < 2",
                media=(file(thumbnail=file("image", "image/gif", size=60 * 1024 * 1024)),),
                options={
                    "title": "x",
                    "tags": ["a b", "c" * 495],
                    "publishAt": "2026-11-14T00:00:00Z",
                    "privacyStatus": "private",
                },
            ),
            {
                "/content": ["invalid"],
                "/options/tags": ["too_long"],
                "/options/publishAt": ["in_the_past"],
                "/media/0/thumbnailMediaId": ["media_type", "too_large"],
            },
        ),
    ],
)
def test_every_fault_of_a_video_is_named_at_once(content: PostContent, expected: dict[str, Any]) -> None:
    assert grouped(youtube_video_body.validate_video(content, NOW)) == {
        pointer: codes if isinstance(codes, list) else [codes] for pointer, codes in expected.items()
    }


def grouped(items: Iterator[Any]) -> dict[str, list[str]]:
    named: dict[str, list[str]] = {}
    for fault in items:
        named.setdefault(fault.pointer, []).append(fault.code)
    return named


def local(text: str = "Open", *media: MediaFile, **options: Any) -> PostContent:
    return PostContent(text=text, media=media, options=options)


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (local(), {}),
        (local("", file("image", "image/png")), {}),
        (local("", form="event", event=EVENT), {}),
        (local("x", form="offer", event=EVENT, offer={"couponCode": "B"}), {}),
        (local(""), {"/content": ["required"]}),
        (
            local("x", offer={}, event=EVENT),
            {
                "/options/offer": ["option_not_applicable"],
                "/options/event": ["option_not_applicable"],
            },
        ),
        (
            local("x", form="offer", event=EVENT, callToAction={"actionType": "CALL", "url": "https://a.example"}),
            {
                "/options/callToAction": ["option_not_applicable"],
                "/options/callToAction/url": ["option_not_applicable"],
            },
        ),
        (
            local(
                "x",
                form="event",
                event={"title": "x", "schedule": {"startDate": DAYS["endDate"], "endDate": DAYS["startDate"]}},
            ),
            {"/options/event/schedule/endDate": ["out_of_range"]},
        ),
        (
            local(
                "x",
                form="event",
                event={
                    "title": "x",
                    "schedule": {
                        "startDate": {"year": 2026, "month": 2, "day": 30},
                        "endDate": DAYS["startDate"],
                    },
                },
            ),
            {"/options/event/schedule/startDate": ["out_of_range"]},
        ),
    ],
)
def test_every_fault_of_a_local_post_is_named_at_once(content: PostContent, expected: dict[str, list[str]]) -> None:
    assert grouped(local_post_publishing.validate_content(content)) == expected


def test_an_event_within_a_day_may_end_when_its_time_says() -> None:
    day = {"startDate": DAYS["startDate"], "endDate": DAYS["startDate"], "startTime": {"hours": 18}}
    assert (
        grouped(local_post_publishing.validate_content(local("x", form="event", event={"title": "x", "schedule": day})))
        == {}
    )
    wrong = day | {"endTime": {"hours": 17, "minutes": 59}}
    assert grouped(
        local_post_publishing.validate_content(local("x", form="event", event={"title": "x", "schedule": wrong}))
    )


@pytest.mark.parametrize(
    ("length", "expected"), [("PT15S", 15), ("PT1H2M3S", 3723), ("P1DT1S", 86_401), ("", None), ("soon", None)]
)
def test_lengths_are_read(length: str, expected: int | None) -> None:
    assert parse_duration_seconds(length) == expected


def test_an_ordinary_post_is_within_the_limits(desk: ConnectorDriver) -> None:
    film_rules, local_rules = MANIFEST.get_kind_manifest(Kind.YOUTUBE), MANIFEST.get_kind_manifest(Kind.GOOGLE_BUSINESS)
    assert list(rules.validate_against_manifest(film_rules, film(desk.files.video()))) == []
    assert list(rules.validate_against_manifest(local_rules, local("Open", desk.files.image()))) == []


# Videos.


def test_a_video_is_uploaded_with_all_that_belongs_to_it(desk: ConnectorDriver, channel: AccountCredentials) -> None:
    picture = desk.files.image(1280, 720)
    video = msgspec.structs.replace(desk.files.video(), thumbnail=picture)
    content = film(
        video,
        tags=["bread", "sour dough"],
        categoryId="26",
        privacyStatus="unlisted",
        madeForKids=True,
        containsSyntheticMedia=True,
        embeddable=False,
        license="creativeCommon",
        publicStatsViewable=False,
        notifySubscribers=False,
        defaultLanguage="en",
        defaultAudioLanguage="sv",
        recordingDate="2026-11-01T00:00:00Z",
    )
    done = desk.publish(channel, content)
    (post,) = feed(desk, channel)
    assert desk.stages[:5] == ["start", "upload", "finish", "thumbnail", "process"]
    assert (post["id"], post["title"], post["description"]) == (done.platform_post_id, "Bread", "How bread is made")
    assert (post["tags"], post["category"], post["privacy"]) == (["bread", "sour dough"], "26", "unlisted")
    assert (post["for_kids"], post["synthetic"], post["embeddable"]) == (True, True, False)
    assert (post["license"], post["stats_viewable"]) == ("creativeCommon", False)
    assert (post["language"], post["audio_language"]) == ("en", "sv")
    assert post["recorded"].startswith("2026-11-01")
    assert post["file"]["sha256"] == video.sha256
    assert post["thumbnail"]["sha256"] == picture.sha256
    assert done.url == f"https://www.youtube.com/watch?v={post['id']}"
    assert done.published_at is not None
    assert done.warnings == ()
    begun = next(call for call in desk.calls(UPLOAD) if call["method"] == "POST")
    assert begun["query"]["notifySubscribers"] == "false"


def test_a_video_for_later_is_kept_private(desk: ConnectorDriver, channel: AccountCredentials) -> None:
    due = "2030-01-01T12:00:00Z"
    done = desk.publish(channel, film(desk.files.video(), privacyStatus="private", publishAt=due))
    (post,) = feed(desk, channel)
    assert post["privacy"] == "private"
    assert post["publish_at"].startswith("2030-01-01T12:00:00")
    assert any(due in warning for warning in done.warnings)


def lose_the_last_part(desk: ConnectorDriver, when: str) -> None:
    desk.fail(UPLOAD, "before", method="PUT", delay=0.001)
    desk.fail(UPLOAD, when, method="PUT")


def test_an_upload_that_youtube_forgot_begins_anew(desk: ConnectorDriver, channel: AccountCredentials) -> None:
    content = film(desk.files.video(size=UPLOAD_PART_BYTES + 1))
    progress = desk.until(channel, content, "upload")
    desk.fail(UPLOAD, method="PUT", status=410)
    step = desk.run(channel, content, progress)
    assert isinstance(step, NextStage)
    assert (step.progress.stage, step.progress.data["restarts"]) == ("start", 1)
    desk.continue_publishing(channel, content, step)
    assert len(feed(desk, channel)) == 1


def test_a_finished_upload_that_youtube_forgot_is_found_on_the_channel(
    desk: ConnectorDriver, channel: AccountCredentials
) -> None:
    content = film(desk.files.video())
    progress = desk.until(channel, content, "finish")
    lose_the_last_part(desk, "after")
    with pytest.raises(OutcomeUnknownError):
        desk.run(channel, content, progress)
    desk.fail(UPLOAD, method="PUT", status=404)
    sight = desk.look(channel, content, progress)
    assert not isinstance(sight, SafeToRetry | Inconclusive)
    done = desk.continue_publishing(channel, content, sight)
    assert [post["id"] for post in feed(desk, channel)] == [done.platform_post_id]


def test_what_is_not_on_the_channel_either_is_left_to_a_person(
    desk: ConnectorDriver, channel: AccountCredentials
) -> None:
    desk.publish(channel, film(desk.files.video()))
    desk.rest(600)
    content = film(desk.files.video())
    progress = desk.until(channel, content, "finish")
    desk.fail(UPLOAD, method="PUT", status=404, times=100)
    with pytest.raises(OutcomeUnclearError):
        desk.continue_publishing(channel, content, NextStage(progress=progress))
    assert len(feed(desk, channel)) == 1


def test_a_thumbnail_that_is_refused_is_a_warning(desk: ConnectorDriver, channel: AccountCredentials) -> None:
    video = msgspec.structs.replace(desk.files.video(), thumbnail=desk.files.image())
    desk.fail(THUMBNAIL, error="forbidden")
    done = desk.publish(channel, film(video))
    assert len(feed(desk, channel)) == 1
    (warning,) = done.warnings
    assert warning.startswith("The thumbnail was not set")


def test_a_thumbnail_is_tried_a_few_times(desk: ConnectorDriver, channel: AccountCredentials) -> None:
    picture = desk.files.image()
    video = msgspec.structs.replace(desk.files.video(), thumbnail=picture)
    desk.fail(THUMBNAIL, error="temporarily_unavailable", times=2)
    done = desk.publish(channel, film(video))
    assert feed(desk, channel)[0]["thumbnail"]["sha256"] == picture.sha256
    assert done.warnings == ()
    assert desk.stages.count("thumbnail") == 3


@pytest.mark.parametrize(
    ("stage", "path"), [("thumbnail", THUMBNAIL), ("process", "*/youtube/v3/videos"), ("comment", COMMENTS)]
)
def test_a_token_that_is_over_is_renewed_by_others(
    desk: ConnectorDriver, channel: AccountCredentials, stage: str, path: str
) -> None:
    video = msgspec.structs.replace(desk.files.video(), thumbnail=desk.files.image())
    content = msgspec.structs.replace(film(video), first_comment="First!")
    progress = desk.until(channel, content, stage)
    assert progress.handed_over
    desk.fail(path, error="token_expired")
    with pytest.raises(PlatformUnavailableError) as expired:
        desk.run(channel, content, progress)
    assert expired.value.category == "auth_expired"


def test_a_video_that_youtube_refuses_later_says_why(desk: ConnectorDriver, channel: AccountCredentials) -> None:
    desk.sandbox.control("outcome", platform="google", account=channel.platform_account_id, result="rejected:duplicate")
    with pytest.raises(PlatformRejectedError) as refused:
        desk.publish(channel, film(desk.files.video()))
    assert "duplicate" in refused.value.detail


@pytest.mark.parametrize(("error", "least"), [("quota_exhausted", 1), ("upload_limit", 86_400)])
def test_a_used_up_quota_waits_for_its_end(
    desk: ConnectorDriver, channel: AccountCredentials, error: str, least: int
) -> None:
    desk.fail(UPLOAD, error=error, method="POST")
    with pytest.raises(PlatformRateLimitError) as limited:
        desk.publish(channel, film(desk.files.video()))
    assert limited.value.category == "quota_exhausted"
    assert least <= (limited.value.retry_after or 0) <= 90_001
    # What is used up for uploads does not hold back reading.
    assert desk.history(channel, 5).items == []


def test_a_used_up_quota_is_asked_about_each_hour_and_ends_no_upload(
    desk: ConnectorDriver, channel: AccountCredentials
) -> None:
    content = film(desk.files.video())
    begun = desk.until(channel, content, "finish")
    # Far from midnight on the coast of the Pacific.
    desk.clock.offset += timedelta(hours=(36 - desk.clock.now().hour) % 24)
    desk.fail(UPLOAD, error="quota_exhausted", method="POST")
    with pytest.raises(PlatformRateLimitError) as used_up:
        desk.publish(channel, content)
    assert (used_up.value.retry_after or 0) > 3_600
    sent = len(desk.calls(UPLOAD))
    with pytest.raises(PlatformRateLimitError) as held_back:
        desk.publish(channel, content)
    assert len(desk.calls(UPLOAD)) == sent
    assert 1 <= (held_back.value.retry_after or 0) <= 3_600
    done = desk.continue_publishing(channel, content, NextStage(progress=begun))
    assert [post["id"] for post in feed(desk, channel)] == [done.platform_post_id]


def test_locations_are_listed_to_the_last_page(desk: ConnectorDriver) -> None:
    def page(number: int, further: str | None) -> dict[str, Any]:
        return {"locations": [{"name": f"locations/{number}", "title": "x"}], "nextPageToken": further}

    accounts = {"accounts": [{"name": "accounts/1"}]}
    desk.fail("*/v1/accounts", method="GET", status=200, body=accounts)
    for number, further in ((1, "two"), (2, "three"), (3, None)):
        desk.fail("*/accounts/1/locations", method="GET", status=200, body=page(number, further))
    credentialses = desk.sign_in(Kind.GOOGLE_BUSINESS)
    assert [account.platform_account_id for account in credentialses] == ["1", "2", "3"]
    items = [call["query"] for call in reversed(desk.calls("*/accounts/1/locations"))]
    assert [query.get("pageToken") for query in items] == [None, "two", "three"]
    assert {query["pageSize"] for query in items} == {"100"}


def test_processing_that_never_ends_is_a_warning(desk: ConnectorDriver, channel: AccountCredentials) -> None:
    content = film(desk.files.video())
    progress = desk.until(channel, content, "process")
    body = {"items": [{"id": "v", "status": {"uploadStatus": "uploaded", "privacyStatus": "public"}}]}
    desk.fail("*/youtube/v3/videos", method="GET", status=200, body=body, times=100)
    done = desk.continue_publishing(channel, content, NextStage(progress=progress))
    assert done.warnings == ("YouTube is still processing the video.",)


def test_a_video_that_youtube_locked_is_told(desk: ConnectorDriver, channel: AccountCredentials) -> None:
    content = film(desk.files.video())
    progress = desk.until(channel, content, "process")
    body = {"items": [{"id": "v", "status": {"uploadStatus": "processed", "privacyStatus": "private"}}]}
    desk.fail("*/youtube/v3/videos", method="GET", status=200, body=body)
    (warning,) = desk.continue_publishing(channel, content, NextStage(progress=progress)).warnings
    assert "private instead of public" in warning


# The first comment.


# What is on the channel.


# Local posts.


@pytest.mark.parametrize(
    "options",
    [
        {"callToAction": {"actionType": "LEARN_MORE", "url": "https://bakery.example"}, "languageCode": "en"},
        {"form": "event", "event": EVENT},
        {"form": "offer", "event": EVENT, "offer": {"couponCode": "BREAD", "termsConditions": "One each"}},
    ],
)
def test_a_local_post_is_published(desk: ConnectorDriver, place: AccountCredentials, options: dict[str, Any]) -> None:
    photo = desk.files.image(600, 600)
    done = desk.publish(place, local("Fresh bread", photo, **options))
    (post,) = feed(desk, place)
    assert desk.stages[:2] == ["check", "create"]
    assert done.platform_post_id == post["id"]
    assert done.url
    assert done.published_at is not None
    assert post["given"]["summary"] == "Fresh bread"
    assert post["given"]["topicType"] == options.get("form", "standard").upper()
    assert post["files"][0]["sha256"] == photo.sha256
    for name in ("callToAction", "event", "offer"):
        assert post["given"].get(name) == options.get(name)


def test_a_local_post_has_no_first_comment(desk: ConnectorDriver, place: AccountCredentials) -> None:
    done = desk.publish(place, msgspec.structs.replace(local(), first_comment="First!"))
    assert len(done.warnings) == 1


def test_two_new_posts_that_say_the_same_are_left_to_a_person(desk: ConnectorDriver, place: AccountCredentials) -> None:
    content = local("Same every day")
    progress = desk.until(place, content, "create")
    desk.publish(place, content)
    desk.publish(place, content)
    assert isinstance(desk.look(place, content, progress), Inconclusive)


def test_a_local_post_that_google_refuses_says_so(desk: ConnectorDriver, place: AccountCredentials) -> None:
    desk.sandbox.control("outcome", platform="google", account=place.platform_account_id, result="REJECTED")
    with pytest.raises(PlatformRejectedError):
        desk.publish(place, local())


def test_a_local_post_that_cannot_be_read_back_is_done(desk: ConnectorDriver, place: AccountCredentials) -> None:
    content = local()
    progress = desk.until(place, content, "confirm")
    desk.fail(f"{LOCAL}/*", error="not_found", method="GET")
    done = desk.continue_publishing(place, content, NextStage(progress=progress))
    assert isinstance(done, PublishedPost)
    assert progress.data["name"].endswith(f"/{done.platform_post_id}")
    assert len(done.warnings) == 1


@pytest.mark.parametrize("begins", ["", "{name}/localPosts/"], ids=["by its id", "by its name"])
def test_a_local_post_is_deleted(desk: ConnectorDriver, place: AccountCredentials, begins: str) -> None:
    done = desk.publish(place, local())
    assert [item.id for item in desk.history(place, 5).items] == [done.platform_post_id]
    named = begins.format(name=place.details["name"]) + done.platform_post_id
    desk.remove(place, named)
    assert feed(desk, place) == []
    with pytest.raises(PlatformNotFoundError):
        desk.remove(place, named)


def test_a_calendar_has_no_posts(desk: ConnectorDriver) -> None:
    there = {part.capability for part in desk.connector.adapters[Kind.GOOGLE_CALENDAR]}
    assert there.isdisjoint({PUBLISH_POST_CAPABILITY, POST_HISTORY_CAPABILITY, DELETE_POST_CAPABILITY})


def test_a_post_of_another_place_is_not_touched(desk: ConnectorDriver) -> None:
    credentials, other, *_ = desk.sign_in(Kind.GOOGLE_BUSINESS)
    desk.publish(credentials, local())
    (post,) = feed(desk, credentials)
    theirs = f"{credentials.details['name']}/localPosts/{post['id']}"
    # The dots lead out of the posts of the other place, and to those of this one.
    around = f"{other.details['name']}/localPosts/../../../../../{theirs}"
    for named in (post["id"], theirs, around, ".", ".."):
        with pytest.raises(PlatformNotFoundError):
            desk.remove(other, named)
    assert len(feed(desk, credentials)) == 1
