"""The metadata of a video, validated as YouTube does."""

from datetime import UTC, datetime
from typing import Any

import msgspec
from msgspec import field

from socialgate_sandbox.kit import Refused, World
from socialgate_sandbox.vendors.google.errors import api_error
from socialgate_sandbox.vendors.google.state import Video

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
        _replace(video, given.snippet or SnippetBody())
        video.category = video.category or "22"
    if "status" in parts:
        _replace(video, given.status or StatusBody())
        # Uploads of an app that YouTube has not audited stay private, whatever the app requests.
        is_locked = world.app.more.get("audited") == "false"
        video.privacy = "private" if is_locked else video.privacy or "public"
        video.publish_at = None if is_locked else video.publish_at
    if "recordingDetails" in parts:
        _replace(video, given.recording_details or RecordingBody())
    if "localizations" in parts:
        video.localizations = msgspec.to_builtins(given.localizations or {})


def privacy_of(world: World, video: Video) -> str:
    """Return who can see a video now: a scheduled one is private until then."""
    due = video.publish_at is not None and video.publish_at <= world.clock.now()
    return "public" if due else video.privacy


def is_public(world: World, video: Video) -> bool:
    return privacy_of(world, video) == "public" and not video.ending


def _replace(video: Video, part: msgspec.Struct) -> None:
    for name in part.__struct_fields__:
        setattr(video, name, getattr(part, name))


def part_of(video: Video, part: type[msgspec.Struct]) -> dict[str, Any]:
    """Return a part of a video as the API names it."""
    values = {name: getattr(video, name) for name in part.__struct_fields__}
    return dict(msgspec.to_builtins(part(**values)))


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
    if snippet.category not in CATEGORIES and (update or snippet.category):
        raise _refused("invalidCategoryId", "an invalid category ID", "snippet.categoryId")


def _check_localizations(given: VideoBody) -> None:
    if given.snippet is None or not given.snippet.language:
        raise _refused("defaultLanguageNotSet", "localized details without a default language", "localizations")
    for one in given.localizations.values() if given.localizations else ():
        if not one.title.strip() or len(one.title) > _LONGEST_TITLE or _has_brackets(one.title):
            raise _refused("invalidTitle", "an invalid or empty video title", "localizations")


def _check_status(world: World, status: StatusBody) -> None:
    if status.privacy and status.privacy not in _PRIVACIES:
        raise _refused("invalidVideoMetadata", "invalid metadata", "status.privacyStatus")
    if status.license not in _LICENSES:
        message = "The request metadata specifies an invalid license setting for the video."
        raise Refused(api_error(403, "forbiddenLicenseSetting", message, "youtube.video", place=_at("status.license")))
    if status.publish_at is not None:
        zoned = status.publish_at if status.publish_at.tzinfo else status.publish_at.replace(tzinfo=UTC)
        status.publish_at = zoned
        if status.privacy != "private" or zoned <= world.clock.now():
            raise _refused("invalidPublishAt", "an invalid scheduled publishing time", "status.publishAt")


def _has_brackets(value: str) -> bool:
    return "<" in value or ">" in value


def _refused(reason: str, what: str, where: str) -> Refused:
    message = f"The request metadata specifies {what}."
    return Refused(api_error(400, reason, message, "youtube.video", place=_at(where)))


def _at(where: str) -> tuple[str, str]:
    return "other", f"body.{where}"
