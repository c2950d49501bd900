"""The metadata of a video, validated as YouTube does."""

from datetime import UTC, datetime
from typing import Any

import msgspec
from msgspec import field

from socialgate_sandbox.kit import CallRefusedError, VendorContext
from socialgate_sandbox.vendors.google.errors import build_api_error
from socialgate_sandbox.vendors.google.state import Video

_MAX_TITLE_LENGTH, _MAX_DESCRIPTION_LENGTH, _MAX_TAGS_LENGTH = 100, 5000, 500
CATEGORY_TITLES = {
    "1": "Film & Animation",
    "2": "Autos & Vehicles",
    "10": "Music",
    "15": "Pets & Animals",
    "17": "Sports",
    "19": "Travel & Events",
    "20": "Gaming",
    "22": "People & Blogs",
    "23": "Comedy",
    "24": "Entertainment",
    "25": "News & Politics",
    "26": "Howto & Style",
    "27": "Education",
    "28": "Science & Technology",
    "29": "Nonprofits & Activism",
}
_PRIVACY_STATUSES, _LICENSES = {"public", "unlisted", "private"}, {"youtube", "creativeCommon"}


class SnippetBody(msgspec.Struct):
    """The part `snippet`. The attributes of a part are those of a video, under the API's names."""

    title: str = ""
    description: str = ""
    tags: list[str] = []
    category: str = field(name="categoryId", default="")
    language: str = field(name="defaultLanguage", default="")
    audio_language: str = field(name="defaultAudioLanguage", default="")


class StatusBody(msgspec.Struct):
    privacy: str = field(name="privacyStatus", default="")
    publish_at: datetime | None = field(name="publishAt", default=None)
    for_kids: bool = field(name="selfDeclaredMadeForKids", default=False)
    synthetic: bool = field(name="containsSyntheticMedia", default=False)
    embeddable: bool = True
    license: str = "youtube"
    stats_viewable: bool = field(name="publicStatsViewable", default=True)


class RecordingBody(msgspec.Struct):
    recorded: str = field(name="recordingDate", default="")


class LocalizedBody(msgspec.Struct):
    title: str = ""
    description: str = ""


class VideoBody(msgspec.Struct, rename="camel"):
    id: str = ""
    snippet: SnippetBody | None = None
    status: StatusBody | None = None
    recording_details: RecordingBody | None = None
    localizations: dict[str, LocalizedBody] | None = None


def parse_video(resource: dict[str, Any]) -> VideoBody:
    try:
        return msgspec.convert(resource, VideoBody, strict=False)
    except msgspec.ValidationError as error:
        raise CallRefusedError(build_api_error(400, "invalidVideoMetadata", str(error), "youtube.video")) from error


def validate_video(context: VendorContext, video_body: VideoBody, parts: set[str], *, is_update: bool) -> None:
    """Reject what YouTube rejects. Only the parts that the caller names are validated."""
    if "snippet" in parts:
        _validate_snippet(video_body.snippet or SnippetBody(), is_update=is_update)
    if "status" in parts and video_body.status:
        _validate_status(context, video_body.status)
    if "localizations" in parts and video_body.localizations:
        _validate_localizations(video_body)


def apply_parts(context: VendorContext, video: Video, video_body: VideoBody, parts: set[str]) -> None:
    """Replace each named part completely: omitted fields are cleared."""
    if "snippet" in parts:
        _replace_part(video, video_body.snippet or SnippetBody())
        video.category = video.category or "22"
    if "status" in parts:
        _replace_part(video, video_body.status or StatusBody())
        # Uploads of an app that YouTube has not audited stay private, whatever the app requests.
        is_locked = context.app.more.get("audited") == "false"
        video.privacy = "private" if is_locked else video.privacy or "public"
        video.publish_at = None if is_locked else video.publish_at
    if "recordingDetails" in parts:
        _replace_part(video, video_body.recording_details or RecordingBody())
    if "localizations" in parts:
        video.localizations = msgspec.to_builtins(video_body.localizations or {})


def compute_privacy(context: VendorContext, video: Video) -> str:
    """Return who can see a video now: a scheduled one is private until then."""
    due = video.publish_at is not None and video.publish_at <= context.clock.now()
    return "public" if due else video.privacy


def is_public(context: VendorContext, video: Video) -> bool:
    return compute_privacy(context, video) == "public" and not video.ending


def _replace_part(video: Video, part: msgspec.Struct) -> None:
    for name in part.__struct_fields__:
        setattr(video, name, getattr(part, name))


def build_part(video: Video, part: type[msgspec.Struct]) -> dict[str, Any]:
    """Return a part of a video as the API names it."""
    values = {name: getattr(video, name) for name in part.__struct_fields__}
    return dict(msgspec.to_builtins(part(**values)))


def _validate_snippet(snippet: SnippetBody, *, is_update: bool) -> None:
    title, description = snippet.title, snippet.description
    if not title.strip() or len(title) > _MAX_TITLE_LENGTH or _has_brackets(title):
        raise _build_refusal("invalidTitle", "an invalid or empty video title", "snippet.title")
    if len(description.encode()) > _MAX_DESCRIPTION_LENGTH or _has_brackets(description):
        raise _build_refusal("invalidDescription", "an invalid video description", "snippet.description")
    # A tag with a space counts two more, for the quotation marks that it is stored in.
    length = sum(len(tag) + (2 if " " in tag else 0) for tag in snippet.tags) + max(0, len(snippet.tags) - 1)
    if length > _MAX_TAGS_LENGTH or any(_has_brackets(tag) for tag in snippet.tags):
        raise _build_refusal("invalidTags", "invalid video keywords", "snippet.tags")
    if snippet.category not in CATEGORY_TITLES and (is_update or snippet.category):
        raise _build_refusal("invalidCategoryId", "an invalid category ID", "snippet.categoryId")


def _validate_localizations(video_body: VideoBody) -> None:
    if video_body.snippet is None or not video_body.snippet.language:
        raise _build_refusal("defaultLanguageNotSet", "localized details without a default language", "localizations")
    for localization in video_body.localizations.values() if video_body.localizations else ():
        if (
            not localization.title.strip()
            or len(localization.title) > _MAX_TITLE_LENGTH
            or _has_brackets(localization.title)
        ):
            raise _build_refusal("invalidTitle", "an invalid or empty video title", "localizations")


def _validate_status(context: VendorContext, status: StatusBody) -> None:
    if status.privacy and status.privacy not in _PRIVACY_STATUSES:
        raise _build_refusal("invalidVideoMetadata", "invalid metadata", "status.privacyStatus")
    if status.license not in _LICENSES:
        message = "The request metadata specifies an invalid license setting for the video."
        raise CallRefusedError(
            build_api_error(
                403, "forbiddenLicenseSetting", message, "youtube.video", place=_build_location("status.license")
            )
        )
    if status.publish_at is not None:
        zoned = status.publish_at if status.publish_at.tzinfo else status.publish_at.replace(tzinfo=UTC)
        status.publish_at = zoned
        if status.privacy != "private" or zoned <= context.clock.now():
            raise _build_refusal("invalidPublishAt", "an invalid scheduled publishing time", "status.publishAt")


def _has_brackets(value: str) -> bool:
    return "<" in value or ">" in value


def _build_refusal(reason: str, problem: str, field_path: str) -> CallRefusedError:
    message = f"The request metadata specifies {problem}."
    return CallRefusedError(build_api_error(400, reason, message, "youtube.video", place=_build_location(field_path)))


def _build_location(field_path: str) -> tuple[str, str]:
    return "other", f"body.{field_path}"
