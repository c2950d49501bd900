"""Posting to TikTok: every form at the sandbox, and every answer that can get lost."""

from collections.abc import Iterator
from typing import Any

import jsonschema_rs
import msgspec
import pytest

from socialgate.connectors.stages import PART
from socialgate.connectors.tiktok import forms
from socialgate.connectors.tiktok.errors import publish_failure
from socialgate.connectors.tiktok.manifest import MANIFEST
from socialgate.connectors.tiktok.wire import Chunks, Creator
from socialgate.contracts.connecting import AccountCredentials
from socialgate.contracts.failures import (
    NeedsReconnection,
    OutcomeUnknown,
    PlatformRateLimited,
    Rejected,
    TemporarilyUnavailable,
)
from socialgate.contracts.platforms import Kind, Platform
from socialgate.contracts.publishing import DELETE_POST, CannotTell, Content, Continue, MediaFile
from socialgate_sandbox.vendors import ALL
from support.publishing import Desk, Unclear, desk_of
from support.simulation import RunningSandbox, running_sandbox

PUBLIC = {"privacyLevel": "PUBLIC_TO_EVERYONE"}
INIT = "*/post/publish/video/init/"
PHOTOS = "*/post/publish/content/init/"
UPLOAD = "*upload*"
STATUS = "*/post/publish/status/fetch/"


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningSandbox]:
    with running_sandbox(tmp_path_factory.mktemp("sandbox"), ALL) as running:
        yield running


@pytest.fixture
def desk(sandbox: RunningSandbox) -> Iterator[Desk]:
    sandbox.control("reset")
    with desk_of(Platform.TIKTOK, sandbox) as opened:
        yield opened


@pytest.fixture
def held(desk: Desk) -> AccountCredentials:
    return desk.sign_in(Kind.TIKTOK)[0]


def posts(desk: Desk, held: AccountCredentials, what: str = "posts") -> list[dict[str, Any]]:
    """List what the sandbox has of the account, newest first."""
    feed = desk.sandbox.control("feed", platform="tiktok", account=held.platform_account_id)
    found: list[dict[str, Any]] = feed[what]
    return found


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


def content(*media: MediaFile, text: str = "Bread", **options: Any) -> Content:
    return Content(text=text, media=media, options=PUBLIC | options)


def faults(given: Content) -> dict[str, str]:
    return {fault.pointer: fault.code for fault in forms.faults(given)}


# The pure parts.


@pytest.mark.parametrize(
    ("size", "length", "count", "last"),
    [
        (1, 1, 1, 0),
        (4_194_304, 4_194_304, 1, 0),
        (2 * PART - 1, 2 * PART - 1, 1, 0),
        (2 * PART, PART, 2, PART),
        (50_000_123, PART, 5, 4 * PART),
        (4 * 1024**3, PART, 512, 511 * PART),
    ],
)
def test_a_file_is_cut_as_tiktok_wants_it(size: int, length: int, count: int, last: int) -> None:
    chunks = Chunks.of(size)
    assert (chunks.length, chunks.count, chunks.last) == (length, count, last)
    assert chunks.count == size // chunks.length
    assert size - chunks.last < 2 * PART


@pytest.mark.parametrize(
    ("given", "stage"),
    [
        (content(file()), "check"),
        (content(file("image")), "check"),
        (content(file(), mode="draft"), "open"),
        (content(file(), mode="draft", source="url"), "pull"),
        (content(file("image"), mode="draft"), "pull"),
    ],
)
def test_a_post_begins_with_what_its_form_needs(desk: Desk, given: Content, stage: str) -> None:
    assert desk.publishing(Kind.TIKTOK).begin(given).stage == stage


@pytest.mark.parametrize(
    ("given", "expected"),
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
def test_every_fault_is_named_at_once(given: Content, expected: dict[str, str]) -> None:
    assert faults(given) == expected


def test_what_the_creator_switched_off_stays_off() -> None:
    off = forms.closed(Creator(comment_disabled=True, duet_disabled=False, stitch_disabled=None))
    info = forms.video_info(content(file(), disableComment=False, disableDuet=False), off)
    assert info is not None
    assert (info["disable_comment"], info["disable_duet"], info["disable_stitch"]) == (True, False, True)


@pytest.mark.parametrize(
    ("creator", "pointer"),
    [
        (Creator(privacy_level_options=["SELF_ONLY"]), "/options/privacyLevel"),
        (Creator(privacy_level_options=["PUBLIC_TO_EVERYONE"], max_video_post_duration_sec=10), "/media/0"),
    ],
)
def test_what_the_creator_may_not_is_refused_before_anything_is_sent(creator: Creator, pointer: str) -> None:
    with pytest.raises(Rejected) as refused:
        forms.refuse_what_the_creator_may_not(content(file(duration=11.0)), creator)
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
    assert forms.is_shown_as(text, shown) is same


def test_why_a_post_failed_is_told_in_our_words() -> None:
    assert isinstance(publish_failure("auth_removed"), NeedsReconnection)
    assert isinstance(publish_failure("internal"), TemporarilyUnavailable)
    assert isinstance(publish_failure("frame_rate_check_failed"), Rejected)
    unknown = publish_failure("brand_new_reason")
    assert isinstance(unknown, Rejected)
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
    schema = dict(MANIFEST.of(Kind.TIKTOK).options)
    assert jsonschema_rs.Draft202012Validator(schema).is_valid(options) is valid
    assert all("description" in described for described in schema["properties"].values())


# Every form, published and read back.


def test_a_video_is_uploaded_and_published(desk: Desk, held: AccountCredentials) -> None:
    video = desk.files.video()
    given = content(video, text="Fresh bread #bakery", disableComment=False, coverTimestampMs=1500, ownBrand=True)
    done = desk.publish(held, given)
    (post,) = posts(desk, held)
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


def test_a_video_is_fetched_by_tiktok(desk: Desk, held: AccountCredentials) -> None:
    video = desk.files.video()
    done = desk.publish(held, content(video, source="url"))
    (post,) = posts(desk, held)
    assert desk.stages[:3] == ["check", "pull", "watch"]
    assert (post["id"], checksums(post)) == (done.platform_post_id, [video.sha256])
    assert desk.files.asked == []


def test_photos_are_published(desk: Desk, held: AccountCredentials) -> None:
    photos = [desk.files.image(color=color) for color in ("red", "green", "blue")]
    given = content(*photos, text="Three loaves", title="Loaves", photoCoverIndex=2, autoAddMusic=True)
    done = desk.publish(held, given)
    (post,) = posts(desk, held)
    assert post["photo"] is True
    assert (post["text"], post["description"]) == ("Loaves", "Three loaves")
    assert checksums(post) == [photo.sha256 for photo in photos]
    assert done.url == f"https://www.tiktok.com/@adasbakery/photo/{post['id']}"
    assert desk.calls(PHOTOS)[0]["body"]["source_info"]["photo_cover_index"] == 2


@pytest.mark.parametrize("options", [{}, {"source": "url"}])
def test_a_draft_of_a_video_goes_to_the_inbox(desk: Desk, held: AccountCredentials, options: dict[str, Any]) -> None:
    video = desk.files.video()
    given = Content(text="Later", media=(video,), options={"mode": "draft", **options}, first_comment="First!")
    done = desk.publish(held, given)
    (draft,) = posts(desk, held, "drafts")
    assert checksums(draft) == [video.sha256]
    assert posts(desk, held) == []
    assert done.url is None
    assert done.warnings[0] == forms.DRAFT
    assert len(done.warnings) == 3


def test_a_draft_of_photos_goes_to_the_inbox(desk: Desk, held: AccountCredentials) -> None:
    photo = desk.files.image()
    given = Content(text="Later", media=(photo,), options={"mode": "draft", "title": "Soon"})
    done = desk.publish(held, given)
    (draft,) = posts(desk, held, "drafts")
    assert checksums(draft) == [photo.sha256]
    assert done.warnings == (forms.DRAFT,)


def test_what_only_the_creator_sees_has_no_public_id(desk: Desk, held: AccountCredentials) -> None:
    done = desk.publish(held, content(desk.files.video(), privacyLevel="SELF_ONLY"))
    (post,) = posts(desk, held)
    assert post["privacy"] == "SELF_ONLY"
    assert done.platform_post_id.startswith("v_pub_file")
    assert done.url is None


# Answers that get lost.


@pytest.mark.parametrize("status", [403, 404])
def test_an_upload_that_may_be_complete_is_not_started_over(desk: Desk, held: AccountCredentials, status: int) -> None:
    given = content(desk.files.video())
    progress = desk.until(held, given, "finish")
    desk.fail(UPLOAD, "drop", method="PUT")
    with pytest.raises(OutcomeUnknown):
        desk.run(held, given, progress)
    desk.fail(UPLOAD, method="PUT", status=status, times=2)
    with pytest.raises(OutcomeUnknown, match="accepts no more bytes"):
        desk.run(held, given, msgspec.structs.replace(progress, lost=True))
    step = desk.run(held, given, progress)
    assert isinstance(step, Continue)
    assert step.progress.stage == "check", "where nothing was lost, the refusal is final"


def test_an_upload_whose_hour_is_over_begins_anew(desk: Desk, held: AccountCredentials) -> None:
    given = content(desk.files.video(size=2 * PART))
    progress = desk.until(held, given, "upload")
    desk.rest(3700)
    step = desk.run(held, given, progress)
    assert isinstance(step, Continue)
    assert (step.progress.stage, step.progress.data["restarts"]) == ("check", 1)
    desk.go_on(held, given, step)
    assert len(posts(desk, held)) == 1


@pytest.mark.parametrize(
    "options", [{"privacyLevel": "SELF_ONLY"}, {"mode": "draft", "privacyLevel": "PUBLIC_TO_EVERYONE"}]
)
def test_what_is_not_public_cannot_be_looked_for(desk: Desk, held: AccountCredentials, options: dict[str, Any]) -> None:
    given = content(desk.files.image(), **options)
    progress = desk.until(held, given, "pull")
    desk.fail(PHOTOS, "after")
    with pytest.raises(OutcomeUnknown):
        desk.run(held, given, progress)
    assert desk.look(held, given, progress) == CannotTell(forms.UNSEEN)


# What TikTok says no to.


@pytest.mark.parametrize(("error", "word"), [("too_many_posts", PlatformRateLimited), ("user_banned", Rejected)])
def test_a_blocked_creator_is_noticed_before_anything_is_sent(
    desk: Desk, held: AccountCredentials, error: str, word: type[Exception]
) -> None:
    desk.fail("*/creator_info/query/", error=error)
    with pytest.raises(word):
        desk.publish(held, content(desk.files.video()))
    assert desk.calls(INIT) == []


def test_a_level_that_the_account_does_not_offer_is_refused(desk: Desk, held: AccountCredentials) -> None:
    with pytest.raises(Rejected) as refused:
        desk.publish(held, content(desk.files.video(), privacyLevel="FOLLOWER_OF_CREATOR"))
    assert [fault.pointer for fault in refused.value.errors] == ["/options/privacyLevel"]


def test_too_many_calls_wait_and_nothing_was_done(desk: Desk, held: AccountCredentials) -> None:
    given = content(desk.files.image())
    progress = desk.until(held, given, "pull")
    desk.fail(PHOTOS, error="rate_limited")
    with pytest.raises(PlatformRateLimited) as limited:
        desk.run(held, given, progress)
    assert limited.value.retry_after == 60
    desk.rest(61)
    desk.go_on(held, given, desk.run(held, given, progress))
    assert len(posts(desk, held)) == 1


def outcome(desk: Desk, held: AccountCredentials, result: str) -> None:
    desk.sandbox.control("outcome", platform="tiktok", account=held.platform_account_id, result=result)


def test_a_post_that_tiktok_rejects_later_says_why(desk: Desk, held: AccountCredentials) -> None:
    outcome(desk, held, "frame_rate_check_failed")
    with pytest.raises(Rejected) as refused:
        desk.publish(held, content(desk.files.video()))
    assert "frames" in refused.value.detail


def test_a_fault_of_tiktok_begins_the_post_anew(desk: Desk, held: AccountCredentials) -> None:
    outcome(desk, held, "internal")
    desk.publish(held, content(desk.files.video()))
    assert desk.stages.count("finish") == 2
    assert len(posts(desk, held)) == 1


def test_watching_ends_without_an_answer(desk: Desk, held: AccountCredentials) -> None:
    given = content(desk.files.video())
    progress = desk.until(held, given, "watch")
    body = {"data": {"status": "PROCESSING_UPLOAD", "uploaded_bytes": 1}, "error": {"code": "ok"}}
    desk.fail(STATUS, status=200, body=body, times=1000)
    with pytest.raises(Unclear):
        desk.go_on(held, given, Continue(progress=progress))


def test_a_fault_while_watching_is_waited_out(desk: Desk, held: AccountCredentials) -> None:
    given = content(desk.files.video())
    progress = desk.until(held, given, "watch")
    assert progress.handed_over
    desk.fail(STATUS, error="temporarily_unavailable", times=20)
    done = desk.go_on(held, given, Continue(progress=progress))
    assert [post["id"] for post in posts(desk, held)] == [done.platform_post_id]


def test_a_token_that_is_over_while_watching_is_renewed_by_others(desk: Desk, held: AccountCredentials) -> None:
    given = content(desk.files.video())
    progress = desk.until(held, given, "watch")
    desk.fail(STATUS, error="token_expired")
    with pytest.raises(TemporarilyUnavailable) as expired:
        desk.run(held, given, progress)
    assert expired.value.category == "auth_expired"


def test_who_may_not_look_any_more_does_not_call_it_failed(desk: Desk, held: AccountCredentials) -> None:
    given = content(desk.files.video())
    progress = desk.until(held, given, "watch")
    desk.fail(STATUS, error="permission_missing")
    with pytest.raises(OutcomeUnknown):
        desk.run(held, given, progress)


# What is there.


def test_history_tells_photos_from_videos(desk: Desk, held: AccountCredentials) -> None:
    desk.publish(held, content(desk.files.image(), text="Loaves"))
    desk.rest(120)
    desk.publish(held, content(desk.files.video(), text="Kneading"))
    video, photo = desk.history(held, 2).items
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
    desk: Desk, held: AccountCredentials, url: str | None, duration: int | None, kind: str
) -> None:
    listed = {"videos": [{"id": "7", "share_url": url, "duration": duration}], "cursor": 1, "has_more": False}
    desk.fail("*/video/list/", status=200, body={"data": listed, "error": {"code": "ok", "message": ""}})
    (item,) = desk.history(held, 2).items
    assert (item.type, item.media[0]["type"]) == (kind, kind)


def test_a_cursor_of_another_platform_is_refused(desk: Desk, held: AccountCredentials) -> None:
    with pytest.raises(Rejected):
        desk.history(held, 2, "CAUQAA")


def test_nothing_is_promised_that_tiktok_has_not() -> None:
    assert DELETE_POST not in MANIFEST.of(Kind.TIKTOK).capabilities
