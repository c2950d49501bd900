"""The metadata of a video, validated as YouTube does."""

from datetime import UTC, datetime
from typing import Any

import msgspec

from socialgate.sandbox.kit import Refused, World
from socialgate.sandbox.vendors.google.errors import api_error
from socialgate.sandbox.vendors.google.state import Video

_LONGEST_TITLE, _LONGEST_DESCRIPTION, _LONGEST_TAGS = 100, 5000, 500
CATEGORIES = {
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
_PRIVACIES, _LICENSES = {"public", "unlisted", "private"}, {"youtube", "creativeCommon"}


class SnippetBody(msgspec.Struct, rename="camel"):
    title: str = ""
    description: str = ""
    tags: list[str] = []
    category_id: str = ""
    default_language: str = ""
    default_audio_language: str = ""


class StatusBody(msgspec.Struct, rename="camel"):
    privacy_status: str = ""
    publish_at: datetime | None = None
    self_declared_made_for_kids: bool = False
    contains_synthetic_media: bool = False
    embeddable: bool = True
    license: str = "youtube"
    public_stats_viewable: bool = True


class RecordingBody(msgspec.Struct, rename="camel"):
    recording_date: str = ""


class LocalizedBody(msgspec.Struct):
    title: str = ""
    description: str = ""


class VideoBody(msgspec.Struct, rename="camel"):
    id: str = ""
    snippet: SnippetBody | None = None
    status: StatusBody | None = None
    recording_details: RecordingBody | None = None
    localizations: dict[str, LocalizedBody] | None = None


def read_video(resource: dict[str, Any]) -> VideoBody:
    try:
        return msgspec.convert(resource, VideoBody, strict=False)
    except msgspec.ValidationError as error:
        raise Refused(api_error(400, "invalidVideoMetadata", str(error), "youtube.video")) from error


def check(world: World, given: VideoBody, parts: set[str], *, update: bool) -> None:
    """Reject what YouTube rejects. Only the parts that the caller names are validated."""
    if "snippet" in parts:
        _check_snippet(given.snippet or SnippetBody(), update=update)
    if "status" in parts and given.status:
        _check_status(world, given.status)
    if "localizations" in parts and given.localizations:
        _check_localizations(given)


def apply(world: World, video: Video, given: VideoBody, parts: set[str]) -> None:
    """Replace each named part completely: omitted fields are cleared."""
    if "snippet" in parts:
        snippet = given.snippet or SnippetBody()
        video.title, video.description, video.tags = snippet.title, snippet.description, snippet.tags
        video.category = snippet.category_id or "22"
        video.language, video.audio_language = snippet.default_language, snippet.default_audio_language
    if "status" in parts:
        _apply_status(world, video, given.status or StatusBody())
    if "recordingDetails" in parts:
        video.recorded = given.recording_details.recording_date if given.recording_details else ""
    if "localizations" in parts:
        video.localizations = msgspec.to_builtins(given.localizations or {})


def privacy_of(world: World, video: Video) -> str:
    """Return who can see a video now: a scheduled one is private until then."""
    due = video.publish_at is not None and video.publish_at <= world.clock.now()
    return "public" if due else video.privacy


def is_public(world: World, video: Video) -> bool:
    return privacy_of(world, video) == "public" and not video.ending


def _apply_status(world: World, video: Video, status: StatusBody) -> None:
    locked = world.app.more.get("audited") == "false"
    # Uploads of an app that YouTube has not audited stay private, whatever the app requests.
    video.privacy = "private" if locked else status.privacy_status or "public"
    video.publish_at = None if locked else status.publish_at
    video.for_kids, video.synthetic = status.self_declared_made_for_kids, status.contains_synthetic_media
    video.embeddable, video.license = status.embeddable, status.license
    video.stats_viewable = status.public_stats_viewable


def _check_snippet(snippet: SnippetBody, *, update: bool) -> None:
    title, description = snippet.title, snippet.description
    if not title.strip() or len(title) > _LONGEST_TITLE or _has_brackets(title):
        raise _refused("invalidTitle", "an invalid or empty video title", "snippet.title")
    if len(description.encode()) > _LONGEST_DESCRIPTION or _has_brackets(description):
        raise _refused("invalidDescription", "an invalid video description", "snippet.description")
    # A tag with a space counts two more, for the quotation marks that it is stored in.
    length = sum(len(tag) + (2 if " " in tag else 0) for tag in snippet.tags) + max(0, len(snippet.tags) - 1)
    if length > _LONGEST_TAGS or any(_has_brackets(tag) for tag in snippet.tags):
        raise _refused("invalidTags", "invalid video keywords", "snippet.tags")
    if snippet.category_id not in CATEGORIES and (update or snippet.category_id):
        raise _refused("invalidCategoryId", "an invalid category ID", "snippet.categoryId")


def _check_localizations(given: VideoBody) -> None:
    if given.snippet is None or not given.snippet.default_language:
        raise _refused("defaultLanguageNotSet", "localized details without a default language", "localizations")
    for one in given.localizations.values() if given.localizations else ():
        if not one.title.strip() or len(one.title) > _LONGEST_TITLE or _has_brackets(one.title):
            raise _refused("invalidTitle", "an invalid or empty video title", "localizations")


def _check_status(world: World, status: StatusBody) -> None:
    if status.privacy_status and status.privacy_status not in _PRIVACIES:
        raise _refused("invalidVideoMetadata", "invalid metadata", "status.privacyStatus")
    if status.license not in _LICENSES:
        message = "The request metadata specifies an invalid license setting for the video."
        raise Refused(api_error(403, "forbiddenLicenseSetting", message, "youtube.video", place=_at("status.license")))
    if status.publish_at is not None:
        zoned = status.publish_at if status.publish_at.tzinfo else status.publish_at.replace(tzinfo=UTC)
        status.publish_at = zoned
        if status.privacy_status != "private" or zoned <= world.clock.now():
            raise _refused("invalidPublishAt", "an invalid scheduled publishing time", "status.publishAt")


def _has_brackets(value: str) -> bool:
    return "<" in value or ">" in value


def _refused(reason: str, what: str, where: str) -> Refused:
    message = f"The request metadata specifies {what}."
    return Refused(api_error(400, reason, message, "youtube.video", place=_at(where)))


def _at(where: str) -> tuple[str, str]:
    return "other", f"body.{where}"
