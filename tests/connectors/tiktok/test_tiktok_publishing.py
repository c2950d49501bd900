"""Posting to TikTok: every form at the sandbox, and every answer that can get lost."""

from collections.abc import Iterator
from typing import Any

import jsonschema_rs
import msgspec
import pytest

from socialgate.connectors.publishing_stages import UPLOAD_PART_BYTES
from socialgate.connectors.tiktok import post_formats
from socialgate.connectors.tiktok.api import ChunkPlan, CreatorInfo
from socialgate.connectors.tiktok.errors import build_publish_failure
from socialgate.connectors.tiktok.manifest import MANIFEST
from socialgate.contracts.account_connection import AccountCredentials
from socialgate.contracts.failures import (
    NeedsReconnectionError,
    OutcomeUnknownError,
    PlatformRateLimitError,
    PlatformRejectedError,
    PlatformUnavailableError,
)
from socialgate.contracts.platforms import Kind, Platform
from socialgate.contracts.publishing import DELETE_POST_CAPABILITY, Inconclusive, MediaFile, NextStage, PostContent
from socialgate_sandbox.vendors import ALL_VENDORS
from support.publishing import ConnectorDriver, OutcomeUnclearError, start_driver
from support.simulation import RunningSandbox, running_sandbox

PUBLIC = {"privacyLevel": "PUBLIC_TO_EVERYONE"}
INIT = "*/post/publish/video/init/"
PHOTOS = "*/post/publish/content/init/"
UPLOAD = "*upload*"
STATUS = "*/post/publish/status/fetch/"


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningSandbox]:
    with running_sandbox(tmp_path_factory.mktemp("sandbox"), ALL_VENDORS) as running:
        yield running


@pytest.fixture
def desk(sandbox: RunningSandbox) -> Iterator[ConnectorDriver]:
    sandbox.control("reset")
    with start_driver(Platform.TIKTOK, sandbox) as opened:
        yield opened


@pytest.fixture
def credentials(desk: ConnectorDriver) -> AccountCredentials:
    return desk.sign_in(Kind.TIKTOK)[0]


def posts(desk: ConnectorDriver, credentials: AccountCredentials, label: str = "posts") -> list[dict[str, Any]]:
    """List what the sandbox has of the account, newest first."""
    feed = desk.sandbox.control("feed", platform="tiktok", account=credentials.platform_account_id)
    result: list[dict[str, Any]] = feed[label]
    return result


def checksums(post: dict[str, Any]) -> list[str]:
    return [file["sha256"] for file in post["files"]]


def file(kind: str = "video", **known: Any) -> MediaFile:
    fields = {
        "id": "med_1",
        "type": kind,
        "mime_type": "video/mp4" if kind == "video" else "image/jpeg",
        "size": 1000,
        "sha256": "0",
        "url": "https://gate.example/media/med_1",
        "file_name": "f",
    }
    return MediaFile(**(fields | known))


def content(*media: MediaFile, text: str = "Bread", **options: Any) -> PostContent:
    return PostContent(text=text, media=media, options=PUBLIC | options)


def faults(content: PostContent) -> dict[str, str]:
    return {fault.pointer: fault.code for fault in post_formats.validate_content(content)}


# The pure parts.


@pytest.mark.parametrize(
    ("size", "length", "count", "last"),
    [
        (1, 1, 1, 0),
        (4_194_304, 4_194_304, 1, 0),
        (2 * UPLOAD_PART_BYTES - 1, 2 * UPLOAD_PART_BYTES - 1, 1, 0),
        (2 * UPLOAD_PART_BYTES, UPLOAD_PART_BYTES, 2, UPLOAD_PART_BYTES),
        (50_000_123, UPLOAD_PART_BYTES, 5, 4 * UPLOAD_PART_BYTES),
        (4 * 1024**3, UPLOAD_PART_BYTES, 512, 511 * UPLOAD_PART_BYTES),
    ],
)
def test_a_file_is_cut_as_tiktok_wants_it(size: int, length: int, count: int, last: int) -> None:
    chunks = ChunkPlan.for_size(size)
    assert (chunks.chunk_size, chunks.chunk_count, chunks.last_chunk_offset) == (length, count, last)
    assert chunks.chunk_count == size // chunks.chunk_size
    assert size - chunks.last_chunk_offset < 2 * UPLOAD_PART_BYTES


@pytest.mark.parametrize(
    ("invalid_content", "stage"),
    [
        (content(file()), "check"),
        (content(file("image")), "check"),
        (content(file(), mode="draft"), "open"),
        (content(file(), mode="draft", source="url"), "pull"),
        (content(file("image"), mode="draft"), "pull"),
    ],
)
def test_a_post_begins_with_what_its_form_needs(
    desk: ConnectorDriver, invalid_content: PostContent, stage: str
) -> None:
    assert desk.publishing(Kind.TIKTOK).create_progress(invalid_content).stage == stage


@pytest.mark.parametrize(
    ("invalid_content", "expected"),
    [
        (content(file()), {}),
        (content(*[file("image")] * 35), {}),
        (content(), {"/media": "required"}),
        (content(file(), file("image")), {"/media": "media_mixed"}),
        (
            content(file(duration=2.0), title="x", photoCoverIndex=0, coverTimestampMs=2001),
            {
                "/options/title": "option_not_applicable",
                "/options/photoCoverIndex": "option_not_applicable",
                "/options/coverTimestampMs": "out_of_range",
            },
        ),
        (
            content(file("image"), source="url", aiGenerated=True, photoCoverIndex=1),
            {
                "/options/source": "option_not_applicable",
                "/options/aiGenerated": "option_not_applicable",
                "/options/photoCoverIndex": "out_of_range",
            },
        ),
    ],
)
def test_every_fault_is_named_at_once(invalid_content: PostContent, expected: dict[str, str]) -> None:
    assert faults(invalid_content) == expected


def test_what_the_creator_switched_off_stays_off() -> None:
    off = post_formats.list_disabled_interactions(
        CreatorInfo(comment_disabled=True, duet_disabled=False, stitch_disabled=None)
    )
    info = post_formats.build_video_info(content(file(), disableComment=False, disableDuet=False), off)
    assert info is not None
    assert (info["disable_comment"], info["disable_duet"], info["disable_stitch"]) == (True, False, True)


@pytest.mark.parametrize(
    ("creator", "pointer"),
    [
        (CreatorInfo(privacy_level_options=["SELF_ONLY"]), "/options/privacyLevel"),
        (CreatorInfo(privacy_level_options=["PUBLIC_TO_EVERYONE"], max_video_post_duration_sec=10), "/media/0"),
    ],
)
def test_what_the_creator_may_not_is_refused_before_anything_is_sent(creator: CreatorInfo, pointer: str) -> None:
    with pytest.raises(PlatformRejectedError) as refused:
        post_formats.validate_creator_limits(content(file(duration=11.0)), creator)
    assert [fault.pointer for fault in refused.value.errors] == [pointer]


@pytest.mark.parametrize(
    ("text", "shown", "same"),
    [
        ("Bread", " Bread ", True),
        ("Bread", "Bread!", False),
        ("Bread", None, False),
        ("x" * 200, "x" * 150, True),
        ("x" * 200, "x" * 147 + "...", True),
        ("x" * 200, "x" * 20, False),
        ("x" * 200, "y" * 150, False),
    ],
)
def test_a_listed_post_is_known_by_its_text(text: str, shown: str | None, *, same: bool) -> None:
    assert post_formats.matches_listed_text(text, shown) is same


def test_why_a_post_failed_is_told_in_our_words() -> None:
    assert isinstance(build_publish_failure("auth_removed"), NeedsReconnectionError)
    assert isinstance(build_publish_failure("internal"), PlatformUnavailableError)
    assert isinstance(build_publish_failure("frame_rate_check_failed"), PlatformRejectedError)
    unknown = build_publish_failure("brand_new_reason")
    assert isinstance(unknown, PlatformRejectedError)
    assert "brand_new_reason" in unknown.detail


@pytest.mark.parametrize(
    ("options", "valid"),
    [
        ({**PUBLIC, "source": "url"}, True),
        ({**PUBLIC, "source": "ftp"}, False),
        ({"mode": "draft"}, True),
        ({}, False),
        ({**PUBLIC, "colour": "red"}, False),
    ],
)
def test_the_options_are_checked_by_the_schema(options: dict[str, Any], *, valid: bool) -> None:
    schema = dict(MANIFEST.get_kind_manifest(Kind.TIKTOK).options)
    assert jsonschema_rs.Draft202012Validator(schema).is_valid(options) is valid
    assert all("description" in described for described in schema["properties"].values())


# Every form, published and read back.


def test_a_video_is_uploaded_and_published(desk: ConnectorDriver, credentials: AccountCredentials) -> None:
    video = desk.files.video()
    invalid_content = content(
        video, text="Fresh bread #bakery", disableComment=False, coverTimestampMs=1500, ownBrand=True
    )
    done = desk.publish(credentials, invalid_content)
    (post,) = posts(desk, credentials)
    assert desk.stages[:3] == ["check", "open", "finish"]
    assert (post["id"], post["text"], post["privacy"]) == (
        done.platform_post_id,
        "Fresh bread #bakery",
        "PUBLIC_TO_EVERYONE",
    )
    assert checksums(post) == [video.sha256]
    assert done.url == f"https://www.tiktok.com/@adasbakery/video/{done.platform_post_id}"
    assert done.published_at is not None
    assert done.warnings == ()
    sent = desk.calls(INIT)[0]["body"]["post_info"]
    assert (sent["disable_comment"], sent["disable_duet"]) == (False, True)
    assert (sent["video_cover_timestamp_ms"], sent["brand_organic_toggle"]) == (1500, True)


def test_a_video_is_fetched_by_tiktok(desk: ConnectorDriver, credentials: AccountCredentials) -> None:
    video = desk.files.video()
    done = desk.publish(credentials, content(video, source="url"))
    (post,) = posts(desk, credentials)
    assert desk.stages[:3] == ["check", "pull", "watch"]
    assert (post["id"], checksums(post)) == (done.platform_post_id, [video.sha256])
    assert desk.files.part_lengths == []


def test_photos_are_published(desk: ConnectorDriver, credentials: AccountCredentials) -> None:
    photos = [desk.files.image(color=color) for color in ("red", "green", "blue")]
    invalid_content = content(*photos, text="Three loaves", title="Loaves", photoCoverIndex=2, autoAddMusic=True)
    done = desk.publish(credentials, invalid_content)
    (post,) = posts(desk, credentials)
    assert post["photo"] is True
    assert (post["text"], post["description"]) == ("Loaves", "Three loaves")
    assert checksums(post) == [photo.sha256 for photo in photos]
    assert done.url == f"https://www.tiktok.com/@adasbakery/photo/{post['id']}"
    assert desk.calls(PHOTOS)[0]["body"]["source_info"]["photo_cover_index"] == 2


@pytest.mark.parametrize("options", [{}, {"source": "url"}])
def test_a_draft_of_a_video_goes_to_the_inbox(
    desk: ConnectorDriver, credentials: AccountCredentials, options: dict[str, Any]
) -> None:
    video = desk.files.video()
    content = PostContent(text="Later", media=(video,), options={"mode": "draft", **options}, first_comment="First!")
    done = desk.publish(credentials, content)
    (draft,) = posts(desk, credentials, "drafts")
    assert checksums(draft) == [video.sha256]
    assert posts(desk, credentials) == []
    assert done.url is None
    assert done.warnings[0] == post_formats.DRAFT_WARNING
    assert len(done.warnings) == 3


def test_a_draft_of_photos_goes_to_the_inbox(desk: ConnectorDriver, credentials: AccountCredentials) -> None:
    photo = desk.files.image()
    content = PostContent(text="Later", media=(photo,), options={"mode": "draft", "title": "Soon"})
    done = desk.publish(credentials, content)
    (draft,) = posts(desk, credentials, "drafts")
    assert checksums(draft) == [photo.sha256]
    assert done.warnings == (post_formats.DRAFT_WARNING,)


def test_what_only_the_creator_sees_has_no_public_id(desk: ConnectorDriver, credentials: AccountCredentials) -> None:
    done = desk.publish(credentials, content(desk.files.video(), privacyLevel="SELF_ONLY"))
    (post,) = posts(desk, credentials)
    assert post["privacy"] == "SELF_ONLY"
    assert done.platform_post_id.startswith("v_pub_file")
    assert done.url is None


# Answers that get lost.


@pytest.mark.parametrize("status", [403, 404])
def test_an_upload_that_may_be_complete_is_not_started_over(
    desk: ConnectorDriver, credentials: AccountCredentials, status: int
) -> None:
    invalid_content = content(desk.files.video())
    progress = desk.until(credentials, invalid_content, "finish")
    desk.fail(UPLOAD, "drop", method="PUT")
    with pytest.raises(OutcomeUnknownError):
        desk.run(credentials, invalid_content, progress)
    desk.fail(UPLOAD, method="PUT", status=status, times=2)
    with pytest.raises(OutcomeUnknownError, match="accepts no more bytes"):
        desk.run(credentials, invalid_content, msgspec.structs.replace(progress, has_lost_call=True))
    step = desk.run(credentials, invalid_content, progress)
    assert isinstance(step, NextStage)
    assert step.progress.stage == "check", "where nothing was lost, the refusal is final"


def test_an_upload_whose_hour_is_over_begins_anew(desk: ConnectorDriver, credentials: AccountCredentials) -> None:
    invalid_content = content(desk.files.video(size=2 * UPLOAD_PART_BYTES))
    progress = desk.until(credentials, invalid_content, "upload")
    desk.rest(3700)
    step = desk.run(credentials, invalid_content, progress)
    assert isinstance(step, NextStage)
    assert (step.progress.stage, step.progress.data["restarts"]) == ("check", 1)
    desk.continue_publishing(credentials, invalid_content, step)
    assert len(posts(desk, credentials)) == 1


@pytest.mark.parametrize(
    "options", [{"privacyLevel": "SELF_ONLY"}, {"mode": "draft", "privacyLevel": "PUBLIC_TO_EVERYONE"}]
)
def test_what_is_not_public_cannot_be_looked_for(
    desk: ConnectorDriver, credentials: AccountCredentials, options: dict[str, Any]
) -> None:
    invalid_content = content(desk.files.image(), **options)
    progress = desk.until(credentials, invalid_content, "pull")
    desk.fail(PHOTOS, "after")
    with pytest.raises(OutcomeUnknownError):
        desk.run(credentials, invalid_content, progress)
    assert desk.look(credentials, invalid_content, progress) == Inconclusive(post_formats.NOT_LISTABLE_DETAIL)


# What TikTok says no to.


@pytest.mark.parametrize(
    ("error", "word"), [("too_many_posts", PlatformRateLimitError), ("user_banned", PlatformRejectedError)]
)
def test_a_blocked_creator_is_noticed_before_anything_is_sent(
    desk: ConnectorDriver, credentials: AccountCredentials, error: str, word: type[Exception]
) -> None:
    desk.fail("*/creator_info/query/", error=error)
    with pytest.raises(word):
        desk.publish(credentials, content(desk.files.video()))
    assert desk.calls(INIT) == []


def test_a_level_that_the_account_does_not_offer_is_refused(
    desk: ConnectorDriver, credentials: AccountCredentials
) -> None:
    with pytest.raises(PlatformRejectedError) as refused:
        desk.publish(credentials, content(desk.files.video(), privacyLevel="FOLLOWER_OF_CREATOR"))
    assert [fault.pointer for fault in refused.value.errors] == ["/options/privacyLevel"]


def test_too_many_calls_wait_and_nothing_was_done(desk: ConnectorDriver, credentials: AccountCredentials) -> None:
    invalid_content = content(desk.files.image())
    progress = desk.until(credentials, invalid_content, "pull")
    desk.fail(PHOTOS, error="rate_limited")
    with pytest.raises(PlatformRateLimitError) as limited:
        desk.run(credentials, invalid_content, progress)
    assert limited.value.retry_after == 60
    desk.rest(61)
    desk.continue_publishing(credentials, invalid_content, desk.run(credentials, invalid_content, progress))
    assert len(posts(desk, credentials)) == 1


def outcome(desk: ConnectorDriver, credentials: AccountCredentials, result: str) -> None:
    desk.sandbox.control("outcome", platform="tiktok", account=credentials.platform_account_id, result=result)


def test_a_post_that_tiktok_rejects_later_says_why(desk: ConnectorDriver, credentials: AccountCredentials) -> None:
    outcome(desk, credentials, "frame_rate_check_failed")
    with pytest.raises(PlatformRejectedError) as refused:
        desk.publish(credentials, content(desk.files.video()))
    assert "frames" in refused.value.detail


def test_a_fault_of_tiktok_begins_the_post_anew(desk: ConnectorDriver, credentials: AccountCredentials) -> None:
    outcome(desk, credentials, "internal")
    desk.publish(credentials, content(desk.files.video()))
    assert desk.stages.count("finish") == 2
    assert len(posts(desk, credentials)) == 1


def test_watching_ends_without_an_answer(desk: ConnectorDriver, credentials: AccountCredentials) -> None:
    invalid_content = content(desk.files.video())
    progress = desk.until(credentials, invalid_content, "watch")
    body = {"data": {"status": "PROCESSING_UPLOAD", "uploaded_bytes": 1}, "error": {"code": "ok"}}
    desk.fail(STATUS, status=200, body=body, times=1000)
    with pytest.raises(OutcomeUnclearError):
        desk.continue_publishing(credentials, invalid_content, NextStage(progress=progress))


def test_a_fault_while_watching_is_waited_out(desk: ConnectorDriver, credentials: AccountCredentials) -> None:
    invalid_content = content(desk.files.video())
    progress = desk.until(credentials, invalid_content, "watch")
    assert progress.handed_over
    desk.fail(STATUS, error="temporarily_unavailable", times=20)
    done = desk.continue_publishing(credentials, invalid_content, NextStage(progress=progress))
    assert [post["id"] for post in posts(desk, credentials)] == [done.platform_post_id]


def test_a_token_that_is_over_while_watching_is_renewed_by_others(
    desk: ConnectorDriver, credentials: AccountCredentials
) -> None:
    invalid_content = content(desk.files.video())
    progress = desk.until(credentials, invalid_content, "watch")
    desk.fail(STATUS, error="token_expired")
    with pytest.raises(PlatformUnavailableError) as expired:
        desk.run(credentials, invalid_content, progress)
    assert expired.value.category == "auth_expired"


def test_who_may_not_look_any_more_does_not_call_it_failed(
    desk: ConnectorDriver, credentials: AccountCredentials
) -> None:
    invalid_content = content(desk.files.video())
    progress = desk.until(credentials, invalid_content, "watch")
    desk.fail(STATUS, error="permission_missing")
    with pytest.raises(OutcomeUnknownError):
        desk.run(credentials, invalid_content, progress)


# What is there.


def test_history_tells_photos_from_videos(desk: ConnectorDriver, credentials: AccountCredentials) -> None:
    desk.publish(credentials, content(desk.files.image(), text="Loaves"))
    desk.rest(120)
    desk.publish(credentials, content(desk.files.video(), text="Kneading"))
    video, photo = desk.history(credentials, 2).items
    assert (video.text, video.type, video.media[0]["type"]) == ("Kneading", "video", "video")
    assert video.url
    assert set(video.counts) == {"views", "likes", "comments", "shares"}
    assert video.media[0]["duration"]
    assert (photo.text, photo.type, photo.media[0]["type"]) == ("Loaves", "image", "image")
    assert "duration" not in photo.media[0]


@pytest.mark.parametrize(
    ("url", "duration", "kind"),
    [
        ("https://www.tiktok.com/@ada/photo/7?utm_campaign=x", 12, "image"),
        ("https://www.tiktok.com/@ada/video/7", 0, "video"),
        ("https://vm.tiktok.com/ZM7/", 0, "image"),
        (None, 0, "image"),
        (None, 15, "video"),
        (None, None, "video"),
    ],
)
def test_the_address_tells_a_photo_and_else_its_duration(
    desk: ConnectorDriver, credentials: AccountCredentials, url: str | None, duration: int | None, kind: str
) -> None:
    listed = {"videos": [{"id": "7", "share_url": url, "duration": duration}], "cursor": 1, "has_more": False}
    desk.fail("*/video/list/", status=200, body={"data": listed, "error": {"code": "ok", "message": ""}})
    (item,) = desk.history(credentials, 2).items
    assert (item.type, item.media[0]["type"]) == (kind, kind)


def test_a_cursor_of_another_platform_is_refused(desk: ConnectorDriver, credentials: AccountCredentials) -> None:
    with pytest.raises(PlatformRejectedError):
        desk.history(credentials, 2, "CAUQAA")


def test_nothing_is_promised_that_tiktok_has_not() -> None:
    assert DELETE_POST_CAPABILITY not in MANIFEST.get_kind_manifest(Kind.TIKTOK).capabilities
