"""Posting on Pages and on Instagram: every form at the sandbox, and every answer that can get lost."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, cast

import msgspec
import pytest

from socialgate.connectors.graph.dialect import Caller, GraphDialect, Rows, cursor_of
from socialgate.connectors.graph.posts import Post as InstagramPost
from socialgate.connectors.graph.publishing import Container, Job, Seen, State, pace
from socialgate.connectors.meta.errors import TABLE
from socialgate.connectors.meta.forms import Form, instagram_faults, instagram_form, page_faults, page_form
from socialgate.connectors.meta.instagram_publishing import child_params, container_params, why_spoiled
from socialgate.connectors.meta.instagram_publishing import ours as instagram_ours
from socialgate.connectors.meta.page_publishing import is_taken, ours
from socialgate.connectors.meta.posts import PagePost
from socialgate.connectors.meta.uploads import Phase, VideoStatus
from socialgate.contracts.connecting import AccountCredentials
from socialgate.contracts.failures import (
    OutcomeUnknown,
    PermissionMissing,
    PlatformFailure,
    PlatformNotFound,
    PlatformRateLimited,
    Rejected,
    TemporarilyUnavailable,
)
from socialgate.contracts.platforms import Kind, Platform
from socialgate.contracts.publishing import (
    CannotTell,
    Content,
    Continue,
    Done,
    MediaFile,
    Progress,
)
from socialgate.core.egress import Answer
from socialgate_sandbox.vendors import ALL
from support.publishing import Desk, desk_of
from support.simulation import RunningSandbox, running_sandbox

REEL, STORY = {"form": "reel"}, {"form": "story"}
FEED = "*/feed"
COMMENTS = "*/comments"


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
def page(desk: Desk) -> AccountCredentials:
    return desk.sign_in(Kind.FACEBOOK_PAGE)[0]


@pytest.fixture
def instagram(desk: Desk) -> AccountCredentials:
    return desk.sign_in(Kind.INSTAGRAM)[0]


def posts(desk: Desk, held: AccountCredentials) -> list[dict[str, Any]]:
    """List what the sandbox shows of the account."""
    feed = desk.sandbox.control("feed", platform="meta", account=held.platform_account_id)
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


def content(*media: MediaFile, text: str = "Bread", **options: Any) -> Content:
    return Content(text=text, media=media, options=options)


def named(kind: Kind, given: Content) -> dict[str, str]:
    found = instagram_faults(given) if kind is Kind.INSTAGRAM else page_faults(given)
    return {fault.pointer: fault.code for fault in found}


def job_of(given: Content, form: Form) -> Job:
    """A stage that calls nobody."""
    return Job(held=cast("AccountCredentials", None), api=cast("Caller", None), content=given, form=form, state=State())


def lose(
    desk: Desk, held: AccountCredentials, given: Content, path: str, when: str, stage: str = "publish"
) -> Progress:
    """Bring a post to a stage, and lose the call or its answer there."""
    progress = desk.until(held, given, stage)
    desk.fail(path, when, method="POST")
    with pytest.raises(OutcomeUnknown):
        desk.run(held, given, progress)
    return progress


# The pure parts.


@pytest.mark.parametrize(
    ("kind", "given", "form", "stage"),
    [
        (Kind.FACEBOOK_PAGE, content(), Form.TEXT, "prepare"),
        (Kind.FACEBOOK_PAGE, content(link="https://a.example"), Form.TEXT, "prepare"),
        (Kind.FACEBOOK_PAGE, content(file()), Form.PHOTOS, "photo"),
        (Kind.FACEBOOK_PAGE, content(file("video")), Form.VIDEO, "start"),
        (Kind.FACEBOOK_PAGE, content(file("video"), form="post"), Form.VIDEO, "start"),
        (Kind.FACEBOOK_PAGE, content(file("video"), **REEL), Form.REEL, "start"),
        (Kind.FACEBOOK_PAGE, content(file(), **STORY), Form.PHOTO_STORY, "photo"),
        (Kind.FACEBOOK_PAGE, content(file("video"), **STORY), Form.VIDEO_STORY, "start"),
        (Kind.INSTAGRAM, content(file()), Form.IMAGE, "prepare"),
        (Kind.INSTAGRAM, content(file("video")), Form.REEL, "prepare"),
        (Kind.INSTAGRAM, content(file(), file("video")), Form.CAROUSEL, "prepare"),
        (Kind.INSTAGRAM, content(file(), **STORY), Form.PHOTO_STORY, "prepare"),
        (Kind.INSTAGRAM, content(file("video"), **STORY), Form.VIDEO_STORY, "prepare"),
    ],
)
def test_a_post_begins_with_what_its_form_needs(desk: Desk, kind: Kind, given: Content, form: Form, stage: str) -> None:
    assert (instagram_form if kind is Kind.INSTAGRAM else page_form)(given) is form
    assert desk.publishing(kind).begin(given).stage == stage
    assert desk.publishing(kind).faults(given) == []


@pytest.mark.parametrize(
    ("kind", "given", "expected"),
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
def test_every_fault_is_named_at_once(kind: Kind, given: Content, expected: dict[str, str]) -> None:
    assert named(kind, given) == expected


def test_a_container_holds_what_was_asked_for() -> None:
    tags = [{"username": "ada", "x": 0.5, "y": 0.25}, {"username": "bob", "mediaIndex": 1}]
    given = content(
        file("video", thumbnail=file(url="https://gate.example/cover")),
        file(alt="A loaf"),
        shareToFeed=False,
        thumbOffset=500,
        trialReel="MANUAL",
        collaborators=["bob"],
        userTags=tags,
    )
    reel = {name: value for name, value in container_params(given, Form.REEL, ()).items() if value is not None}
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
    assert child_params(given, 1) == {
        "is_carousel_item": "true",
        "image_url": "https://gate.example/image",
        "alt_text": "A loaf",
        "user_tags": [{"username": "bob"}],
    }
    parent = container_params(given, Form.CAROUSEL, ("1", "2"))
    assert (parent["media_type"], parent["children"]) == ("CAROUSEL", "1,2")
    assert "user_tags" not in parent


@pytest.mark.parametrize(
    ("status", "word"),
    [
        ("Error: Media upload has failed with error code 2207026", Rejected),
        ("Error: 2207003", TemporarilyUnavailable),
        ("Error", TemporarilyUnavailable),
    ],
)
def test_why_a_container_is_spoiled_is_told_in_our_words(status: str, word: type[Exception]) -> None:
    assert isinstance(why_spoiled(Container(status_code="ERROR", status=status)), word)


@pytest.mark.parametrize(
    ("status", "body", "word"),
    [
        (400, b'{"error": {"code": 9007, "error_subcode": 2207027}}', TemporarilyUnavailable),
        (400, b'{"error": {"code": 24, "error_subcode": 2207008}}', TemporarilyUnavailable),
        (500, b'{"error": {"code": 2}}', OutcomeUnknown),
        (400, b'{"error": {"code": -1, "error_subcode": 2207001}}', OutcomeUnknown),
        (503, b"", OutcomeUnknown),
    ],
)
def test_a_passing_failure_of_a_publishing_call_proves_nothing(status: int, body: bytes, word: type[Exception]) -> None:
    said = GraphDialect().said(Answer(status, {}, body, truncated=False))
    assert said is not None
    assert isinstance(TABLE.verdict(said, repeatable=False).failure, word)


def test_the_next_page_is_asked_for_without_the_token_of_its_address() -> None:
    rows = msgspec.convert(
        {"paging": {"next": "https://graph.facebook.com/x?access_token=EAA&limit=2&until=17&__paging_token=enc_1"}},
        Rows[PagePost],
    )
    assert cursor_of(rows) == "until=17&__paging_token=enc_1"
    assert cursor_of(Rows[PagePost]()) is None


def test_a_video_gives_a_path_for_an_address() -> None:
    assert Seen(permalink_url="/1/videos/2/").url == "https://www.facebook.com/1/videos/2/"


def test_asking_slows_down_to_once_a_minute() -> None:
    assert [pace(0), pace(4), pace(5), pace(500)] == [2, 30, 60, 60]


# Every form, published and read back.


def test_a_reel_is_published_on_a_page(desk: Desk, page: AccountCredentials) -> None:
    video = desk.files.video()
    done = desk.publish(page, content(video, text="Kneading", title="Dough", **REEL))
    (post,) = posts(desk, page)
    assert (post["kind"], post["text"], checksums(post)) == ("reel", "Kneading", [video.sha256])
    assert done.url is not None
    assert done.url.rstrip("/") == f"https://www.facebook.com/reel/{done.platform_post_id}"


@pytest.mark.parametrize("kind", ["image", "video"])
def test_a_story_is_published_on_a_page(desk: Desk, page: AccountCredentials, kind: str) -> None:
    made = desk.files.image(720, 1280) if kind == "image" else desk.files.video()
    given = Content(text="Seen by nobody", media=(made,), options=STORY, first_comment="Nor this")
    done = desk.publish(page, given)
    (post,) = posts(desk, page)
    assert (post["id"], post["kind"], checksums(post)) == (done.platform_post_id, "story", [made.sha256])
    assert done.url
    assert len(done.warnings) == 2


def test_an_image_is_published_on_instagram(desk: Desk, instagram: AccountCredentials) -> None:
    image = msgspec.structs.replace(desk.files.image(), alt="A loaf")
    given = content(image, text="Bread #bakery", userTags=[{"username": "ada", "x": 0.5, "y": 0.5}])
    done = desk.publish(instagram, given)
    (post,) = posts(desk, instagram)
    assert (post["id"], post["text"], checksums(post)) == (done.platform_post_id, "Bread #bakery", [image.sha256])
    assert done.url is not None
    assert done.url.startswith("https://www.instagram.com/p/")
    assert desk.stages[-2:] == ["publish", "confirm"]
    assert desk.calls("*/media")[-1]["body"]["alt_text"] == "A loaf"


def test_a_single_video_becomes_a_reel_on_instagram(desk: Desk, instagram: AccountCredentials) -> None:
    video = msgspec.structs.replace(desk.files.video(), thumbnail=desk.files.image(720, 1280))
    done = desk.publish(instagram, content(video, text="Kneading", shareToFeed=True))
    (post,) = posts(desk, instagram)
    assert (post["id"], post["text"], checksums(post)) == (done.platform_post_id, "Kneading", [video.sha256])
    assert done.url is not None
    assert "/reel/" in done.url


# Answers that get lost.


def test_a_lost_photo_without_a_text_is_found_among_the_posts(desk: Desk, page: AccountCredentials) -> None:
    desk.fail(FEED, "after", method="POST")
    done = desk.publish(page, content(desk.files.image(), text=""))
    assert [post["id"] for post in posts(desk, page)] == [done.platform_post_id]
    assert len(desk.calls(FEED)) == 1


def test_of_two_new_posts_with_one_text_none_is_chosen() -> None:
    job = job_of(content(), Form.TEXT)
    found = [PagePost(id=number, message=" Bread\n") for number in ("1", "2")]
    assert ours(found, job) == ["1", "2"]
    assert ours(found, job.now(known=("1",))) == ["2"]


@pytest.mark.parametrize(("options", "edge"), [({}, "*/videos"), (REEL, "*/video_reels")])
def test_however_long_nothing_happens_with_a_video_that_is_no_proof(
    desk: Desk, page: AccountCredentials, options: dict[str, Any], edge: str
) -> None:
    given = content(desk.files.video(), **options)
    progress = lose(desk, page, given, edge, "drop")
    desk.rest(24 * 3600)
    assert isinstance(desk.look(page, given, progress), CannotTell)


@pytest.mark.parametrize(
    ("options", "edge", "host"),
    [({}, "videos", "graph-video.facebook.com"), (REEL, "video_reels", "graph.facebook.com")],
)
def test_the_videos_of_a_page_have_a_host_of_their_own(
    desk: Desk, page: AccountCredentials, options: dict[str, Any], edge: str, host: str
) -> None:
    desk.publish(page, content(desk.files.video(), **options))
    paths = {call["path"].split("/")[1] for call in desk.calls(f"*/{edge}")}
    assert paths == {host}


def test_a_video_that_is_finished_twice_makes_one_post(desk: Desk, page: AccountCredentials) -> None:
    given = content(desk.files.video())
    progress = desk.until(page, given, "publish")
    desk.go_on(page, given, desk.run(page, given, progress))
    desk.go_on(page, given, desk.run(page, given, progress))
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
    phases = {"processing_phase": Phase(status=processing), "publishing_phase": Phase(status=publishing)}
    status = VideoStatus(video_status=word, **phases)
    film = MediaFile(id="1", type="video", mime_type="video/mp4", size=1, sha256="", url="", file_name="")
    for form, taken in ((Form.VIDEO, video), (Form.REEL, reel)):
        assert is_taken(job_of(content(film), form), status) == taken, form


@pytest.mark.parametrize(
    ("status", "retriable", "word"),
    [(400, False, Rejected), (500, False, Rejected), (400, True, TemporarilyUnavailable)],
)
def test_facebook_says_whether_an_upload_will_ever_work(
    desk: Desk, page: AccountCredentials, status: int, word: type[PlatformFailure], *, retriable: bool
) -> None:
    given = content(desk.files.video(), form="reel")
    progress = desk.until(page, given, "upload")
    debug = {"retriable": retriable, "type": "ProcessingFailedError", "message": f"No: {page.secret['access_token']}"}
    desk.fail("*/video-upload/*", status=status, body={"debug_info": debug})
    with pytest.raises(word) as failed:
        desk.run(page, given, progress)
    told = failed.value.platform_error
    assert told is not None
    assert (told.status, told.code) == (status, None)
    assert told.message == (None if retriable else "No: [removed]")
    assert [fault.pointer for fault in failed.value.errors] == ([] if retriable else ["/media"])


def test_a_container_stays_in_doubt_after_a_lost_call_until_it_is_spoiled(
    desk: Desk, instagram: AccountCredentials
) -> None:
    given = content(desk.files.image())
    progress = lose(desk, instagram, given, "*/media_publish", "drop")
    desk.fail("*/media_publish", error="media_not_ready")
    refused = desk.run(instagram, given, msgspec.structs.replace(progress, lost=True))
    assert isinstance(refused, Continue)
    assert (refused.progress.stage, refused.progress.lost) == ("check", True)
    ready = desk.run(instagram, given, refused.progress)
    assert isinstance(ready, Continue)
    assert (ready.progress.stage, ready.progress.lost) == ("publish", True)
    # What a container says of itself is final, whatever became of the call.
    desk.fail("*", status=200, body={"status_code": "ERROR", "status": "Error: 2207026"}, method="GET", times=2)
    spoiled = desk.run(instagram, given, refused.progress)
    assert isinstance(spoiled, Continue)
    assert (spoiled.progress.stage, spoiled.progress.lost) == ("check", False)
    with pytest.raises(Rejected, match="video"):
        desk.run(instagram, given, spoiled.progress)


@pytest.mark.parametrize("error", ["media_not_ready", "container_not_found"])
def test_a_container_that_is_not_seen_yet_is_published_later(
    desk: Desk, instagram: AccountCredentials, error: str
) -> None:
    desk.fail("*/media_publish", error=error, times=2)
    desk.publish(instagram, content(desk.files.image()))
    assert len(posts(desk, instagram)) == 1
    assert desk.stages.count("publish") == 3


def test_of_two_posts_with_one_caption_the_one_nearest_to_the_attempt_is_ours() -> None:
    began = datetime(2026, 11, 15, 9, 0, tzinfo=UTC)
    made = {"9": "09:20:00", "8": "09:00:02", "7": "08:59:00", "6": "08:00:00"}
    found = [
        InstagramPost(id=number, caption="Bread", timestamp=f"2026-11-15T{time}+0000") for number, time in made.items()
    ]
    job = job_of(content(file()), Form.IMAGE).now(began=began)
    assert instagram_ours(found, job) == "8"
    assert instagram_ours(found[3:], job) is None


def test_a_container_that_expired_while_the_quota_was_full_is_made_anew(
    desk: Desk, instagram: AccountCredentials
) -> None:
    given = content(desk.files.image())
    progress = desk.until(instagram, given, "publish")
    desk.fail("*/media_publish", error="invalid")
    container_says(desk, "EXPIRED")
    desk.go_on(instagram, given, desk.run(instagram, given, progress))
    assert len(posts(desk, instagram)) == 1


# What Meta says no to, and what it never finishes.


@pytest.mark.parametrize(
    ("error", "word"), [("publish_quota", PlatformRateLimited), ("instagram_restricted", Rejected)]
)
def test_a_refusal_of_instagram_is_told(
    desk: Desk, instagram: AccountCredentials, error: str, word: type[Exception]
) -> None:
    desk.fail("*/media_publish", error=error)
    with pytest.raises(word):
        desk.publish(instagram, content(desk.files.image()))
    assert posts(desk, instagram) == []


def test_a_full_quota_is_noticed_before_anything_is_made(desk: Desk, instagram: AccountCredentials) -> None:
    full = {"data": [{"quota_usage": 50, "config": {"quota_total": 50, "quota_duration": 86400}}]}
    desk.fail("*/content_publishing_limit", status=200, body=full)
    with pytest.raises(PlatformRateLimited) as limited:
        desk.publish(instagram, content(desk.files.image()))
    assert limited.value.retry_after == 3600
    assert limited.value.category == "quota_exhausted"
    assert desk.calls("*/media") == []


def container_says(desk: Desk, status_code: str, times: int = 1, **more: str) -> None:
    desk.fail("*", status=200, body={"id": "1", "status_code": status_code, **more}, method="GET", times=times)


def test_media_that_instagram_never_finishes_is_given_up(desk: Desk, instagram: AccountCredentials) -> None:
    given = content(desk.files.video())
    step = Continue(progress=desk.until(instagram, given, "check"))
    container_says(desk, "IN_PROGRESS", times=50)
    with pytest.raises(Rejected, match="did not finish"):
        desk.go_on(instagram, given, step)
    assert desk.stages.count("check") == 21


def test_an_expired_container_is_made_anew(desk: Desk, instagram: AccountCredentials) -> None:
    given = content(desk.files.image())
    step = Continue(progress=desk.until(instagram, given, "check"))
    container_says(desk, "EXPIRED")
    desk.go_on(instagram, given, step)
    assert len(posts(desk, instagram)) == 1
    assert desk.stages.count("container") == 2


def test_media_that_instagram_cannot_use_is_refused(desk: Desk, instagram: AccountCredentials) -> None:
    given = content(desk.files.image())
    step = Continue(progress=desk.until(instagram, given, "check"))
    container_says(desk, "ERROR", status="Error: 2207026")
    with pytest.raises(Rejected, match="cannot use this video"):
        desk.go_on(instagram, given, step)


def test_a_video_that_facebook_took_is_published_even_if_it_never_says_so(desk: Desk, page: AccountCredentials) -> None:
    given = content(desk.files.video())
    step = Continue(progress=desk.until(page, given, "processing"))
    desk.fail("*", status=200, body={"status": {"video_status": "processing"}}, method="GET", times=40)
    done = desk.go_on(page, given, step)
    assert done.platform_post_id == step.progress.data["video"]
    assert any("still processing it" in warning for warning in done.warnings)


def test_whatever_fails_after_facebook_took_a_video_does_not_fail_it(desk: Desk, page: AccountCredentials) -> None:
    given = content(desk.files.video())
    assert not desk.until(page, given, "publish").handed_over
    progress = desk.until(page, given, "processing")
    assert progress.handed_over
    desk.fail("*", error="token_expired", method="GET", times=60)
    done = desk.go_on(page, given, Continue(progress=progress))
    assert done.platform_post_id == progress.data["video"]


def test_what_instagram_published_is_done_even_if_its_id_is_never_told(
    desk: Desk, instagram: AccountCredentials
) -> None:
    given = content(desk.files.image())
    progress = lose(desk, instagram, given, "*/media_publish", "after")
    sight = desk.look(instagram, given, progress)
    assert isinstance(sight, Continue)
    assert (sight.progress.stage, sight.progress.handed_over) == ("find", True)
    desk.fail("*/media", error="temporarily_unavailable", method="GET", times=7)
    done = desk.go_on(instagram, given, sight)
    assert done.platform_post_id == progress.data["container"]
    assert "not with which id" in done.warnings[0]


def test_a_video_that_facebook_cannot_use_is_refused(desk: Desk, page: AccountCredentials) -> None:
    given = content(desk.files.video())
    step = Continue(progress=desk.until(page, given, "processing"))
    failed = {"video_status": "error", "processing_phase": {"status": "error", "errors": [{"message": "Bad codec"}]}}
    desk.fail("*", status=200, body={"status": failed}, method="GET")
    with pytest.raises(Rejected) as refused:
        desk.go_on(page, given, step)
    assert refused.value.platform_error is not None
    assert refused.value.platform_error.message == "Bad codec"


def test_a_post_whose_address_cannot_be_read_is_published_all_the_same(desk: Desk, page: AccountCredentials) -> None:
    given = content()
    step = Continue(progress=desk.until(page, given, "confirm"))
    desk.fail("*", error="not_found", method="GET", times=4)
    done = desk.go_on(page, given, step)
    assert done.url == f"https://www.facebook.com/{done.platform_post_id}"


# The first comment.


def with_comment(desk: Desk, kind: Kind) -> tuple[AccountCredentials, Content]:
    media = (desk.files.image(),) if kind is Kind.INSTAGRAM else ()
    return desk.sign_in(kind)[0], Content(text="Bread", media=media, first_comment="And butter")


@pytest.mark.parametrize(("kind", "field"), [(Kind.FACEBOOK_PAGE, "message"), (Kind.INSTAGRAM, "text")])
@pytest.mark.parametrize("there", [True, False])
def test_a_lost_comment_is_looked_up_and_never_repeated(desk: Desk, kind: Kind, field: str, *, there: bool) -> None:
    held, given = with_comment(desk, kind)
    progress = lose(desk, held, given, COMMENTS, "drop", "comment")
    said = {"created_time": "2026-11-15T09:00:00+0000", "timestamp": "2026-11-15T09:00:00+0000"}
    ours = {"id": "1_2", field: "And butter ", "from": {"id": held.platform_account_id}, **said}
    listed = [{**ours, "id": "1_3", "from": {"id": "7"}}, *([ours] if there else [])]
    desk.fail(COMMENTS, status=200, body={"data": listed}, method="GET")
    sight = desk.look(held, given, progress)
    assert isinstance(sight, Done)
    assert (sight.warnings == ()) is there


# Taking down, and looking back.


def test_posts_of_a_page_are_listed_and_deleted(desk: Desk, page: AccountCredentials) -> None:
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
    with pytest.raises(PlatformNotFound):
        desk.remove(page, older.items[0].id)


def test_posts_of_instagram_are_listed_and_deleted(desk: Desk, instagram: AccountCredentials) -> None:
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
    with pytest.raises(PlatformNotFound):
        desk.remove(instagram, newest.items[0].id)
    desk.fail("*", error="permission_denied", method="DELETE")
    with pytest.raises(PermissionMissing, match="instagram_manage_contents"):
        desk.remove(instagram, oldest.items[0].id)


@pytest.mark.parametrize("kind", ["image", "video"])
def test_a_story_that_facebook_still_shows_is_not_taken_for_deleted(
    desk: Desk, page: AccountCredentials, kind: str
) -> None:
    made = desk.files.image(720, 1280) if kind == "image" else desk.files.video()
    story = desk.publish(page, content(made, text="", **STORY)).platform_post_id
    with pytest.raises(Rejected, match="Delete it on Facebook"):
        desk.remove(page, story)
    assert [post["id"] for post in posts(desk, page)] == [story]


def test_what_facebook_does_not_show_is_gone_only_if_it_shows_all_else(desk: Desk, page: AccountCredentials) -> None:
    desk.fail("*", error="not_found", method="DELETE", times=4)
    post = desk.publish(page, content()).platform_post_id
    with pytest.raises(Rejected, match="still shows it"):
        desk.remove(page, post)
    assert [each["id"] for each in posts(desk, page)] == [post]
    with pytest.raises(PlatformNotFound):
        desk.remove(page, f"{page.platform_account_id}_1")
    desk.fail("*/stories", error="permission_denied", method="GET")
    with pytest.raises(Rejected, match="does not say whether"):
        desk.remove(page, f"{page.platform_account_id}_1")
    desk.fail("*", error="not_found", method="GET", times=2)
    with pytest.raises(PermissionMissing, match="Reconnect the account"):
        desk.remove(page, f"{page.platform_account_id}_1")


@pytest.mark.parametrize("status", ["PUBLISHED", "ARCHIVED"])
def test_a_story_that_has_ended_is_not_there_to_be_deleted(desk: Desk, page: AccountCredentials, status: str) -> None:
    listed = [{"post_id": "77", "media_id": "78", "status": status}]
    desk.fail("*/stories", status=200, body={"data": listed}, method="GET", times=2)
    for number in ("77", "78"):
        with pytest.raises(Rejected if status == "PUBLISHED" else PlatformNotFound):
            desk.remove(page, number)


def test_an_id_that_a_person_wrote_never_becomes_another_path(desk: Desk, page: AccountCredentials) -> None:
    for wrong in ("me/permissions", "1?x=2", "..", ""):
        with pytest.raises(PlatformNotFound):
            desk.remove(page, wrong)
    assert not [call for call in desk.calls("*") if call["method"] == "DELETE"]
