"""Posting on Pages and on Instagram: every form at the sandbox, and every answer that can get lost."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, cast

import msgspec
import pytest

from socialgate.connectors.graph.dialect import GraphCaller, GraphDialect, GraphPage, extract_cursor
from socialgate.connectors.graph.posts import GraphPost as InstagramPost
from socialgate.connectors.graph.publishing import (
    GraphStageContext,
    MediaContainer,
    PostPermalink,
    PublishingState,
    compute_poll_delay_seconds,
)
from socialgate.connectors.meta.errors import ERROR_TABLE
from socialgate.connectors.meta.instagram_publishing import (
    build_child_params,
    build_container_failure,
    build_container_params,
)
from socialgate.connectors.meta.instagram_publishing import match_published_post as instagram_ours
from socialgate.connectors.meta.page_publishing import is_being_published, match_published_posts
from socialgate.connectors.meta.post_formats import (
    PostFormat,
    get_instagram_post_format,
    get_page_post_format,
    validate_instagram_post,
    validate_page_post,
)
from socialgate.connectors.meta.posts import PagePost
from socialgate.connectors.meta.uploads import VideoPhase, VideoStatus
from socialgate.contracts.account_connection import AccountCredentials
from socialgate.contracts.failures import (
    OutcomeUnknownError,
    PermissionMissingError,
    PlatformFailure,
    PlatformNotFoundError,
    PlatformRateLimitError,
    PlatformRejectedError,
    PlatformUnavailableError,
)
from socialgate.contracts.platforms import Kind, Platform
from socialgate.contracts.publishing import (
    Inconclusive,
    MediaFile,
    NextStage,
    PostContent,
    PublishedPost,
    PublishingProgress,
)
from socialgate.core.egress import HttpResponse
from socialgate_sandbox.vendors import ALL_VENDORS
from support.publishing import ConnectorDriver, start_driver
from support.simulation import RunningSandbox, running_sandbox

REEL, STORY = {"form": "reel"}, {"form": "story"}
FEED = "*/feed"
COMMENTS = "*/comments"


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
def page(desk: ConnectorDriver) -> AccountCredentials:
    return desk.sign_in(Kind.FACEBOOK_PAGE)[0]


@pytest.fixture
def instagram(desk: ConnectorDriver) -> AccountCredentials:
    return desk.sign_in(Kind.INSTAGRAM)[0]


def posts(desk: ConnectorDriver, credentials: AccountCredentials) -> list[dict[str, Any]]:
    """List what the sandbox shows of the account."""
    feed = desk.sandbox.control("feed", platform="meta", account=credentials.platform_account_id)
    return [post for post in feed["data"] if post["state"] == "published"]


def checksums(post: dict[str, Any]) -> list[str]:
    return [file["sha256"] for file in post["media"]]


def file(kind: str = "image", **known: Any) -> MediaFile:
    fields = {
        "id": "med_1",
        "type": kind,
        "mime_type": "video/mp4" if kind == "video" else "image/jpeg",
        "size": 1000,
        "sha256": "0",
        "url": f"https://gate.example/{kind}",
        "file_name": "f",
    }
    return MediaFile(**(fields | known))


def content(*media: MediaFile, text: str = "Bread", **options: Any) -> PostContent:
    return PostContent(text=text, media=media, options=options)


def named(kind: Kind, content: PostContent) -> dict[str, str]:
    faults = validate_instagram_post(content) if kind is Kind.INSTAGRAM else validate_page_post(content)
    return {fault.pointer: fault.code for fault in faults}


def job_of(content: PostContent, form: PostFormat) -> GraphStageContext:
    """A stage that calls nobody."""
    return GraphStageContext(
        credentials=cast("AccountCredentials", None),
        api=cast("GraphCaller", None),
        content=content,
        form=form,
        state=PublishingState(),
    )


def lose(
    desk: ConnectorDriver,
    credentials: AccountCredentials,
    content: PostContent,
    path: str,
    when: str,
    stage: str = "publish",
) -> PublishingProgress:
    """Bring a post to a stage, and lose the call or its answer there."""
    progress = desk.until(credentials, content, stage)
    desk.fail(path, when, method="POST")
    with pytest.raises(OutcomeUnknownError):
        desk.run(credentials, content, progress)
    return progress


# The pure parts.


@pytest.mark.parametrize(
    ("kind", "invalid_content", "form", "stage"),
    [
        (Kind.FACEBOOK_PAGE, content(), PostFormat.TEXT, "prepare"),
        (Kind.FACEBOOK_PAGE, content(link="https://a.example"), PostFormat.TEXT, "prepare"),
        (Kind.FACEBOOK_PAGE, content(file()), PostFormat.PHOTOS, "photo"),
        (Kind.FACEBOOK_PAGE, content(file("video")), PostFormat.VIDEO, "start"),
        (Kind.FACEBOOK_PAGE, content(file("video"), form="post"), PostFormat.VIDEO, "start"),
        (Kind.FACEBOOK_PAGE, content(file("video"), **REEL), PostFormat.REEL, "start"),
        (Kind.FACEBOOK_PAGE, content(file(), **STORY), PostFormat.PHOTO_STORY, "photo"),
        (Kind.FACEBOOK_PAGE, content(file("video"), **STORY), PostFormat.VIDEO_STORY, "start"),
        (Kind.INSTAGRAM, content(file()), PostFormat.IMAGE, "prepare"),
        (Kind.INSTAGRAM, content(file("video")), PostFormat.REEL, "prepare"),
        (Kind.INSTAGRAM, content(file(), file("video")), PostFormat.CAROUSEL, "prepare"),
        (Kind.INSTAGRAM, content(file(), **STORY), PostFormat.PHOTO_STORY, "prepare"),
        (Kind.INSTAGRAM, content(file("video"), **STORY), PostFormat.VIDEO_STORY, "prepare"),
    ],
)
def test_a_post_begins_with_what_its_form_needs(
    desk: ConnectorDriver, kind: Kind, invalid_content: PostContent, form: PostFormat, stage: str
) -> None:
    assert (get_instagram_post_format if kind is Kind.INSTAGRAM else get_page_post_format)(invalid_content) is form
    assert desk.publishing(kind).create_progress(invalid_content).stage == stage
    assert desk.publishing(kind).validate_content(invalid_content) == []


@pytest.mark.parametrize(
    ("kind", "invalid_content", "expected"),
    [
        (Kind.FACEBOOK_PAGE, content(text=" "), {"/content": "required"}),
        (Kind.FACEBOOK_PAGE, content(text="", link="https://a.example"), {}),
        (Kind.FACEBOOK_PAGE, content(file(), file("video")), {"/media": "media_mixed"}),
        (Kind.FACEBOOK_PAGE, content(**STORY), {"/media": "media_count"}),
        (Kind.FACEBOOK_PAGE, content(file("video", duration=61.0), **STORY), {"/media/0": "too_long"}),
        (
            Kind.FACEBOOK_PAGE,
            content(file(), link="https://a.example", title="x", placeId="1"),
            dict.fromkeys(("/options/link", "/options/title", "/options/placeId"), "option_not_applicable"),
        ),
        (Kind.FACEBOOK_PAGE, content(file(), **REEL), {"/media": "media_count"}),
        (Kind.FACEBOOK_PAGE, content(file("video", duration=2.0), **REEL), {"/media/0": "too_short"}),
        (Kind.FACEBOOK_PAGE, content(file("video", width=1280, height=720), **REEL), {"/media/0": "media_ratio"}),
        (Kind.FACEBOOK_PAGE, content(file("video", width=360, height=640), **REEL), {"/media/0": "too_small"}),
        (Kind.FACEBOOK_PAGE, content(file("video", width=720, height=1280, duration=9.0), **REEL), {}),
        (Kind.INSTAGRAM, content(), {"/media": "required"}),
        (Kind.INSTAGRAM, content(file(width=100, height=300)), {"/media/0": "media_ratio"}),
        (Kind.INSTAGRAM, content(file(width=720, height=1280), **STORY), {}),
        (Kind.INSTAGRAM, content(file(), file(width=9, height=1), file("video")), {"/media/1": "media_ratio"}),
        (Kind.INSTAGRAM, content(*[file()] * 6, *[file("video")] * 5), {"/media": "media_count"}),
        (Kind.INSTAGRAM, content(file("video", size=101 * 1024**2), **STORY), {"/media/0": "too_large"}),
        (
            Kind.INSTAGRAM,
            content(file(), thumbOffset=5, audioName="x", userTags=[{"username": "ada"}]),
            {
                "/options/thumbOffset": "option_not_applicable",
                "/options/audioName": "option_not_applicable",
                "/options/userTags/0": "required",
            },
        ),
        (
            Kind.INSTAGRAM,
            content(file("video"), userTags=[{"username": "ada", "mediaIndex": 1}]),
            {"/options/userTags/0/mediaIndex": "out_of_range"},
        ),
        (
            Kind.INSTAGRAM,
            content(file("video"), locationId="1", collaborators=["ada"], **STORY),
            {"/options/locationId": "option_not_applicable", "/options/collaborators": "option_not_applicable"},
        ),
        (
            Kind.INSTAGRAM,
            content(file("video", thumbnail=file(mime_type="image/png"))),
            {"/media/0/thumbnailMediaId": "media_type"},
        ),
    ],
)
def test_every_fault_is_named_at_once(kind: Kind, invalid_content: PostContent, expected: dict[str, str]) -> None:
    assert named(kind, invalid_content) == expected


def test_a_container_holds_what_was_asked_for() -> None:
    tags = [{"username": "ada", "x": 0.5, "y": 0.25}, {"username": "bob", "mediaIndex": 1}]
    invalid_content = content(
        file("video", thumbnail=file(url="https://gate.example/cover")),
        file(alt="A loaf"),
        shareToFeed=False,
        thumbOffset=500,
        trialReel="MANUAL",
        collaborators=["bob"],
        userTags=tags,
    )
    reel = {
        name: value
        for name, value in build_container_params(invalid_content, PostFormat.REEL, ()).items()
        if value is not None
    }
    assert reel == {
        "caption": "Bread",
        "collaborators": ["bob"],
        "video_url": "https://gate.example/video",
        "user_tags": [{"username": "ada", "x": 0.5, "y": 0.25}],
        "media_type": "REELS",
        "share_to_feed": "false",
        "cover_url": "https://gate.example/cover",
        "trial_params": {"graduation_strategy": "MANUAL"},
    }
    assert build_child_params(invalid_content, 1) == {
        "is_carousel_item": "true",
        "image_url": "https://gate.example/image",
        "alt_text": "A loaf",
        "user_tags": [{"username": "bob"}],
    }
    parent = build_container_params(invalid_content, PostFormat.CAROUSEL, ("1", "2"))
    assert (parent["media_type"], parent["children"]) == ("CAROUSEL", "1,2")
    assert "user_tags" not in parent


@pytest.mark.parametrize(
    ("status", "word"),
    [
        ("Error: Media upload has failed with error code 2207026", PlatformRejectedError),
        ("Error: 2207003", PlatformUnavailableError),
        ("Error", PlatformUnavailableError),
    ],
)
def test_why_a_container_is_spoiled_is_told_in_our_words(status: str, word: type[Exception]) -> None:
    assert isinstance(build_container_failure(MediaContainer(status_code="ERROR", status=status)), word)


@pytest.mark.parametrize(
    ("status", "body", "word"),
    [
        (400, b'{"error": {"code": 9007, "error_subcode": 2207027}}', PlatformUnavailableError),
        (400, b'{"error": {"code": 24, "error_subcode": 2207008}}', PlatformUnavailableError),
        (500, b'{"error": {"code": 2}}', OutcomeUnknownError),
        (400, b'{"error": {"code": -1, "error_subcode": 2207001}}', OutcomeUnknownError),
        (503, b"", OutcomeUnknownError),
    ],
)
def test_a_passing_failure_of_a_publishing_call_proves_nothing(status: int, body: bytes, word: type[Exception]) -> None:
    vendor_error = GraphDialect().parse_error(HttpResponse(status, {}, body, truncated=False))
    assert vendor_error is not None
    assert isinstance(ERROR_TABLE.translate(vendor_error, repeatable=False).failure, word)


def test_the_next_page_is_asked_for_without_the_token_of_its_address() -> None:
    rows = msgspec.convert(
        {"paging": {"next": "https://graph.facebook.com/x?access_token=EAA&limit=2&until=17&__paging_token=enc_1"}},
        GraphPage[PagePost],
    )
    assert extract_cursor(rows) == "until=17&__paging_token=enc_1"
    assert extract_cursor(GraphPage[PagePost]()) is None


def test_a_video_gives_a_path_for_an_address() -> None:
    assert PostPermalink(permalink_url="/1/videos/2/").url == "https://www.facebook.com/1/videos/2/"


def test_asking_slows_down_to_once_a_minute() -> None:
    assert [
        compute_poll_delay_seconds(0),
        compute_poll_delay_seconds(4),
        compute_poll_delay_seconds(5),
        compute_poll_delay_seconds(500),
    ] == [
        2,
        30,
        60,
        60,
    ]


# Every form, published and read back.


def test_a_reel_is_published_on_a_page(desk: ConnectorDriver, page: AccountCredentials) -> None:
    video = desk.files.video()
    done = desk.publish(page, content(video, text="Kneading", title="Dough", **REEL))
    (post,) = posts(desk, page)
    assert (post["kind"], post["text"], checksums(post)) == ("reel", "Kneading", [video.sha256])
    assert done.url is not None
    assert done.url.rstrip("/") == f"https://www.facebook.com/reel/{done.platform_post_id}"


@pytest.mark.parametrize("kind", ["image", "video"])
def test_a_story_is_published_on_a_page(desk: ConnectorDriver, page: AccountCredentials, kind: str) -> None:
    media_file = desk.files.image(720, 1280) if kind == "image" else desk.files.video()
    content = PostContent(text="Seen by nobody", media=(media_file,), options=STORY, first_comment="Nor this")
    done = desk.publish(page, content)
    (post,) = posts(desk, page)
    assert (post["id"], post["kind"], checksums(post)) == (done.platform_post_id, "story", [media_file.sha256])
    assert done.url
    assert len(done.warnings) == 2


def test_an_image_is_published_on_instagram(desk: ConnectorDriver, instagram: AccountCredentials) -> None:
    image = msgspec.structs.replace(desk.files.image(), alt="A loaf")
    invalid_content = content(image, text="Bread #bakery", userTags=[{"username": "ada", "x": 0.5, "y": 0.5}])
    done = desk.publish(instagram, invalid_content)
    (post,) = posts(desk, instagram)
    assert (post["id"], post["text"], checksums(post)) == (done.platform_post_id, "Bread #bakery", [image.sha256])
    assert done.url is not None
    assert done.url.startswith("https://www.instagram.com/p/")
    assert desk.stages[-2:] == ["publish", "confirm"]
    assert desk.calls("*/media")[-1]["body"]["alt_text"] == "A loaf"


def test_a_single_video_becomes_a_reel_on_instagram(desk: ConnectorDriver, instagram: AccountCredentials) -> None:
    video = msgspec.structs.replace(desk.files.video(), thumbnail=desk.files.image(720, 1280))
    done = desk.publish(instagram, content(video, text="Kneading", shareToFeed=True))
    (post,) = posts(desk, instagram)
    assert (post["id"], post["text"], checksums(post)) == (done.platform_post_id, "Kneading", [video.sha256])
    assert done.url is not None
    assert "/reel/" in done.url


# Answers that get lost.


def test_a_lost_photo_without_a_text_is_found_among_the_posts(desk: ConnectorDriver, page: AccountCredentials) -> None:
    desk.fail(FEED, "after", method="POST")
    done = desk.publish(page, content(desk.files.image(), text=""))
    assert [post["id"] for post in posts(desk, page)] == [done.platform_post_id]
    assert len(desk.calls(FEED)) == 1


def test_of_two_new_posts_with_one_text_none_is_chosen() -> None:
    job = job_of(content(), PostFormat.TEXT)
    page_posts = [PagePost(id=number, message=" Bread\n") for number in ("1", "2")]
    assert match_published_posts(page_posts, job) == ["1", "2"]
    assert match_published_posts(page_posts, job.with_state(known=("1",))) == ["2"]


@pytest.mark.parametrize(("options", "edge"), [({}, "*/videos"), (REEL, "*/video_reels")])
def test_however_long_nothing_happens_with_a_video_that_is_no_proof(
    desk: ConnectorDriver, page: AccountCredentials, options: dict[str, Any], edge: str
) -> None:
    invalid_content = content(desk.files.video(), **options)
    progress = lose(desk, page, invalid_content, edge, "drop")
    desk.rest(24 * 3600)
    assert isinstance(desk.look(page, invalid_content, progress), Inconclusive)


@pytest.mark.parametrize(
    ("options", "edge", "host"),
    [({}, "videos", "graph-video.facebook.com"), (REEL, "video_reels", "graph.facebook.com")],
)
def test_the_videos_of_a_page_have_a_host_of_their_own(
    desk: ConnectorDriver, page: AccountCredentials, options: dict[str, Any], edge: str, host: str
) -> None:
    desk.publish(page, content(desk.files.video(), **options))
    paths = {call["path"].split("/")[1] for call in desk.calls(f"*/{edge}")}
    assert paths == {host}


def test_a_video_that_is_finished_twice_makes_one_post(desk: ConnectorDriver, page: AccountCredentials) -> None:
    invalid_content = content(desk.files.video())
    progress = desk.until(page, invalid_content, "publish")
    desk.continue_publishing(page, invalid_content, desk.run(page, invalid_content, progress))
    desk.continue_publishing(page, invalid_content, desk.run(page, invalid_content, progress))
    assert len(posts(desk, page)) == 1


@pytest.mark.parametrize(
    ("word", "processing", "publishing", "video", "reel"),
    [
        ("upload_complete", "not_started", "not_started", False, False),
        ("ready", "complete", "not_started", False, False),
        ("processing", "in_progress", "not_started", False, False),
        ("processing", "complete", "in_progress", True, True),
        ("ready", "complete", "complete", True, True),
        ("error", "error", "not_started", True, True),
        ("expired", "", "", True, True),
        ("ready", "", "", True, False),
        ("", "", "", False, False),
    ],
)
def test_whether_facebook_was_asked_to_publish_shows_when_it_begins_to(
    word: str, processing: str, publishing: str, *, video: bool, reel: bool
) -> None:
    phases = {"processing_phase": VideoPhase(status=processing), "publishing_phase": VideoPhase(status=publishing)}
    status = VideoStatus(video_status=word, **phases)
    film = MediaFile(id="1", type="video", mime_type="video/mp4", size=1, sha256="", url="", file_name="")
    for form, taken in ((PostFormat.VIDEO, video), (PostFormat.REEL, reel)):
        assert is_being_published(job_of(content(film), form), status) == taken, form


@pytest.mark.parametrize(
    ("status", "retriable", "word"),
    [(400, False, PlatformRejectedError), (500, False, PlatformRejectedError), (400, True, PlatformUnavailableError)],
)
def test_facebook_says_whether_an_upload_will_ever_work(
    desk: ConnectorDriver, page: AccountCredentials, status: int, word: type[PlatformFailure], *, retriable: bool
) -> None:
    invalid_content = content(desk.files.video(), form="reel")
    progress = desk.until(page, invalid_content, "upload")
    debug = {"retriable": retriable, "type": "ProcessingFailedError", "message": f"No: {page.secret['access_token']}"}
    desk.fail("*/video-upload/*", status=status, body={"debug_info": debug})
    with pytest.raises(word) as failed:
        desk.run(page, invalid_content, progress)
    platform_error = failed.value.platform_error
    assert platform_error is not None
    assert (platform_error.status, platform_error.code) == (status, None)
    assert platform_error.message == (None if retriable else "No: [removed]")
    assert [fault.pointer for fault in failed.value.errors] == ([] if retriable else ["/media"])


def test_a_container_stays_in_doubt_after_a_lost_call_until_it_is_spoiled(
    desk: ConnectorDriver, instagram: AccountCredentials
) -> None:
    invalid_content = content(desk.files.image())
    progress = lose(desk, instagram, invalid_content, "*/media_publish", "drop")
    desk.fail("*/media_publish", error="media_not_ready")
    refused = desk.run(instagram, invalid_content, msgspec.structs.replace(progress, has_lost_call=True))
    assert isinstance(refused, NextStage)
    assert (refused.progress.stage, refused.progress.has_lost_call) == ("check", True)
    ready = desk.run(instagram, invalid_content, refused.progress)
    assert isinstance(ready, NextStage)
    assert (ready.progress.stage, ready.progress.has_lost_call) == ("publish", True)
    # What a container says of itself is final, whatever became of the call.
    desk.fail("*", status=200, body={"status_code": "ERROR", "status": "Error: 2207026"}, method="GET", times=2)
    spoiled = desk.run(instagram, invalid_content, refused.progress)
    assert isinstance(spoiled, NextStage)
    assert (spoiled.progress.stage, spoiled.progress.has_lost_call) == ("check", False)
    with pytest.raises(PlatformRejectedError, match="video"):
        desk.run(instagram, invalid_content, spoiled.progress)


@pytest.mark.parametrize("error", ["media_not_ready", "container_not_found"])
def test_a_container_that_is_not_seen_yet_is_published_later(
    desk: ConnectorDriver, instagram: AccountCredentials, error: str
) -> None:
    desk.fail("*/media_publish", error=error, times=2)
    desk.publish(instagram, content(desk.files.image()))
    assert len(posts(desk, instagram)) == 1
    assert desk.stages.count("publish") == 3


def test_of_two_posts_with_one_caption_the_one_nearest_to_the_attempt_is_ours() -> None:
    began = datetime(2026, 11, 15, 9, 0, tzinfo=UTC)
    created = {"9": "09:20:00", "8": "09:00:02", "7": "08:59:00", "6": "08:00:00"}
    posts = [
        InstagramPost(id=number, caption="Bread", timestamp=f"2026-11-15T{time}+0000")
        for number, time in created.items()
    ]
    job = job_of(content(file()), PostFormat.IMAGE).with_state(began=began)
    assert instagram_ours(posts, job) == "8"
    assert instagram_ours(posts[3:], job) is None


def test_a_container_that_expired_while_the_quota_was_full_is_made_anew(
    desk: ConnectorDriver, instagram: AccountCredentials
) -> None:
    invalid_content = content(desk.files.image())
    progress = desk.until(instagram, invalid_content, "publish")
    desk.fail("*/media_publish", error="invalid")
    container_says(desk, "EXPIRED")
    desk.continue_publishing(instagram, invalid_content, desk.run(instagram, invalid_content, progress))
    assert len(posts(desk, instagram)) == 1


# What Meta says no to, and what it never finishes.


@pytest.mark.parametrize(
    ("error", "word"), [("publish_quota", PlatformRateLimitError), ("instagram_restricted", PlatformRejectedError)]
)
def test_a_refusal_of_instagram_is_told(
    desk: ConnectorDriver, instagram: AccountCredentials, error: str, word: type[Exception]
) -> None:
    desk.fail("*/media_publish", error=error)
    with pytest.raises(word):
        desk.publish(instagram, content(desk.files.image()))
    assert posts(desk, instagram) == []


def test_a_full_quota_is_noticed_before_anything_is_made(desk: ConnectorDriver, instagram: AccountCredentials) -> None:
    full = {"data": [{"quota_usage": 50, "config": {"quota_total": 50, "quota_duration": 86400}}]}
    desk.fail("*/content_publishing_limit", status=200, body=full)
    with pytest.raises(PlatformRateLimitError) as limited:
        desk.publish(instagram, content(desk.files.image()))
    assert limited.value.retry_after == 3600
    assert limited.value.category == "quota_exhausted"
    assert desk.calls("*/media") == []


def container_says(desk: ConnectorDriver, status_code: str, times: int = 1, **more: str) -> None:
    desk.fail("*", status=200, body={"id": "1", "status_code": status_code, **more}, method="GET", times=times)


def test_media_that_instagram_never_finishes_is_given_up(desk: ConnectorDriver, instagram: AccountCredentials) -> None:
    invalid_content = content(desk.files.video())
    step = NextStage(progress=desk.until(instagram, invalid_content, "check"))
    container_says(desk, "IN_PROGRESS", times=50)
    with pytest.raises(PlatformRejectedError, match="did not finish"):
        desk.continue_publishing(instagram, invalid_content, step)
    assert desk.stages.count("check") == 21


def test_an_expired_container_is_made_anew(desk: ConnectorDriver, instagram: AccountCredentials) -> None:
    invalid_content = content(desk.files.image())
    step = NextStage(progress=desk.until(instagram, invalid_content, "check"))
    container_says(desk, "EXPIRED")
    desk.continue_publishing(instagram, invalid_content, step)
    assert len(posts(desk, instagram)) == 1
    assert desk.stages.count("container") == 2


def test_media_that_instagram_cannot_use_is_refused(desk: ConnectorDriver, instagram: AccountCredentials) -> None:
    invalid_content = content(desk.files.image())
    step = NextStage(progress=desk.until(instagram, invalid_content, "check"))
    container_says(desk, "ERROR", status="Error: 2207026")
    with pytest.raises(PlatformRejectedError, match="cannot use this video"):
        desk.continue_publishing(instagram, invalid_content, step)


def test_a_video_that_facebook_took_is_published_even_if_it_never_says_so(
    desk: ConnectorDriver, page: AccountCredentials
) -> None:
    invalid_content = content(desk.files.video())
    step = NextStage(progress=desk.until(page, invalid_content, "processing"))
    desk.fail("*", status=200, body={"status": {"video_status": "processing"}}, method="GET", times=40)
    done = desk.continue_publishing(page, invalid_content, step)
    assert done.platform_post_id == step.progress.data["video"]
    assert any("still processing it" in warning for warning in done.warnings)


def test_whatever_fails_after_facebook_took_a_video_does_not_fail_it(
    desk: ConnectorDriver, page: AccountCredentials
) -> None:
    invalid_content = content(desk.files.video())
    assert not desk.until(page, invalid_content, "publish").handed_over
    progress = desk.until(page, invalid_content, "processing")
    assert progress.handed_over
    desk.fail("*", error="token_expired", method="GET", times=60)
    done = desk.continue_publishing(page, invalid_content, NextStage(progress=progress))
    assert done.platform_post_id == progress.data["video"]


def test_what_instagram_published_is_done_even_if_its_id_is_never_told(
    desk: ConnectorDriver, instagram: AccountCredentials
) -> None:
    invalid_content = content(desk.files.image())
    progress = lose(desk, instagram, invalid_content, "*/media_publish", "after")
    sight = desk.look(instagram, invalid_content, progress)
    assert isinstance(sight, NextStage)
    assert (sight.progress.stage, sight.progress.handed_over) == ("find", True)
    desk.fail("*/media", error="temporarily_unavailable", method="GET", times=7)
    done = desk.continue_publishing(instagram, invalid_content, sight)
    assert done.platform_post_id == progress.data["container"]
    assert "not with which id" in done.warnings[0]


def test_a_video_that_facebook_cannot_use_is_refused(desk: ConnectorDriver, page: AccountCredentials) -> None:
    invalid_content = content(desk.files.video())
    step = NextStage(progress=desk.until(page, invalid_content, "processing"))
    failed = {"video_status": "error", "processing_phase": {"status": "error", "errors": [{"message": "Bad codec"}]}}
    desk.fail("*", status=200, body={"status": failed}, method="GET")
    with pytest.raises(PlatformRejectedError) as refused:
        desk.continue_publishing(page, invalid_content, step)
    assert refused.value.platform_error is not None
    assert refused.value.platform_error.message == "Bad codec"


def test_a_post_whose_address_cannot_be_read_is_published_all_the_same(
    desk: ConnectorDriver, page: AccountCredentials
) -> None:
    invalid_content = content()
    step = NextStage(progress=desk.until(page, invalid_content, "confirm"))
    desk.fail("*", error="not_found", method="GET", times=4)
    done = desk.continue_publishing(page, invalid_content, step)
    assert done.url == f"https://www.facebook.com/{done.platform_post_id}"


# The first comment.


def with_comment(desk: ConnectorDriver, kind: Kind) -> tuple[AccountCredentials, PostContent]:
    media = (desk.files.image(),) if kind is Kind.INSTAGRAM else ()
    return desk.sign_in(kind)[0], PostContent(text="Bread", media=media, first_comment="And butter")


@pytest.mark.parametrize(("kind", "field"), [(Kind.FACEBOOK_PAGE, "message"), (Kind.INSTAGRAM, "text")])
@pytest.mark.parametrize("there", [True, False])
def test_a_lost_comment_is_looked_up_and_never_repeated(
    desk: ConnectorDriver, kind: Kind, field: str, *, there: bool
) -> None:
    credentials, content = with_comment(desk, kind)
    progress = lose(desk, credentials, content, COMMENTS, "drop", "comment")
    payload = {"created_time": "2026-11-15T09:00:00+0000", "timestamp": "2026-11-15T09:00:00+0000"}
    ours = {"id": "1_2", field: "And butter ", "from": {"id": credentials.platform_account_id}, **payload}
    listed = [{**ours, "id": "1_3", "from": {"id": "7"}}, *([ours] if there else [])]
    desk.fail(COMMENTS, status=200, body={"data": listed}, method="GET")
    sight = desk.look(credentials, content, progress)
    assert isinstance(sight, PublishedPost)
    assert (sight.warnings == ()) is there


# Taking down, and looking back.


def test_posts_of_a_page_are_listed_and_deleted(desk: ConnectorDriver, page: AccountCredentials) -> None:
    for text in ("one", "two", "three"):
        desk.publish(page, content(text=text))
    desk.publish(page, content(desk.files.image(), desk.files.image(color="red"), text="four"))
    video = desk.publish(page, content(desk.files.video(), text="five"))
    newest = desk.history(page, 2)
    assert [(item.type, item.text) for item in newest.items] == [("video", "five"), ("carousel", "four")]
    assert len(newest.items[1].media) == 2
    older = desk.history(page, 2, newest.cursor)
    oldest = desk.history(page, 2, older.cursor)
    assert [item.text for item in (*older.items, *oldest.items)] == ["three", "two", "one"]
    assert oldest.cursor is None
    assert all(item.url and item.created_at for item in older.items)
    assert older.items[0].counts == {"likes": 0, "comments": 0}

    desk.remove(page, video.platform_post_id)
    desk.remove(page, older.items[0].id)
    assert [item.text for item in desk.history(page, 50).items] == ["four", "two", "one"]
    with pytest.raises(PlatformNotFoundError):
        desk.remove(page, older.items[0].id)


def test_posts_of_instagram_are_listed_and_deleted(desk: ConnectorDriver, instagram: AccountCredentials) -> None:
    desk.publish(instagram, content(desk.files.image(), text="one"))
    desk.publish(instagram, content(desk.files.video(), text="two"))
    desk.publish(instagram, content(desk.files.image(), desk.files.image(color="red"), text="three"))
    newest = desk.history(instagram, 2)
    assert [(item.type, item.text) for item in newest.items] == [("carousel", "three"), ("reel", "two")]
    assert len(newest.items[0].media) == 2
    oldest = desk.history(instagram, 2, newest.cursor)
    assert [(item.type, item.text) for item in oldest.items] == [("image", "one")]
    assert oldest.cursor is None

    desk.remove(instagram, newest.items[0].id)
    assert [item.text for item in desk.history(instagram, 50).items] == ["two", "one"]
    with pytest.raises(PlatformNotFoundError):
        desk.remove(instagram, newest.items[0].id)
    desk.fail("*", error="permission_denied", method="DELETE")
    with pytest.raises(PermissionMissingError, match="instagram_manage_contents"):
        desk.remove(instagram, oldest.items[0].id)


@pytest.mark.parametrize("kind", ["image", "video"])
def test_a_story_that_facebook_still_shows_is_not_taken_for_deleted(
    desk: ConnectorDriver, page: AccountCredentials, kind: str
) -> None:
    media_file = desk.files.image(720, 1280) if kind == "image" else desk.files.video()
    story = desk.publish(page, content(media_file, text="", **STORY)).platform_post_id
    with pytest.raises(PlatformRejectedError, match="Delete it on Facebook"):
        desk.remove(page, story)
    assert [post["id"] for post in posts(desk, page)] == [story]


def test_what_facebook_does_not_show_is_gone_only_if_it_shows_all_else(
    desk: ConnectorDriver, page: AccountCredentials
) -> None:
    desk.fail("*", error="not_found", method="DELETE", times=4)
    post = desk.publish(page, content()).platform_post_id
    with pytest.raises(PlatformRejectedError, match="still shows it"):
        desk.remove(page, post)
    assert [each["id"] for each in posts(desk, page)] == [post]
    with pytest.raises(PlatformNotFoundError):
        desk.remove(page, f"{page.platform_account_id}_1")
    desk.fail("*/stories", error="permission_denied", method="GET")
    with pytest.raises(PlatformRejectedError, match="does not say whether"):
        desk.remove(page, f"{page.platform_account_id}_1")
    desk.fail("*", error="not_found", method="GET", times=2)
    with pytest.raises(PermissionMissingError, match="Reconnect the account"):
        desk.remove(page, f"{page.platform_account_id}_1")


@pytest.mark.parametrize("status", ["PUBLISHED", "ARCHIVED"])
def test_a_story_that_has_ended_is_not_there_to_be_deleted(
    desk: ConnectorDriver, page: AccountCredentials, status: str
) -> None:
    listed = [{"post_id": "77", "media_id": "78", "status": status}]
    desk.fail("*/stories", status=200, body={"data": listed}, method="GET", times=2)
    for number in ("77", "78"):
        with pytest.raises(PlatformRejectedError if status == "PUBLISHED" else PlatformNotFoundError):
            desk.remove(page, number)


def test_an_id_that_a_person_wrote_never_becomes_another_path(desk: ConnectorDriver, page: AccountCredentials) -> None:
    for wrong in ("me/permissions", "1?x=2", "..", ""):
        with pytest.raises(PlatformNotFoundError):
            desk.remove(page, wrong)
    assert not [call for call in desk.calls("*") if call["method"] == "DELETE"]
