"""A post as a YouTube video: validation, and the format that YouTube expects."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from socialgate.connectors.google.manifest import MANIFEST
from socialgate.connectors.post_options import validate_cover, with_defaults
from socialgate.contracts.platforms import Kind
from socialgate.contracts.publishing import PostContent
from socialgate.core.errors import Fault

_MAX_TAGS_LENGTH = 500
_YOUTUBE_KIND_MANIFEST = MANIFEST.get_kind_manifest(Kind.YOUTUBE)
# YouTube's names for the options of a post.
_FIELDS_BY_PART = {
    "snippet": ("title", "description", "tags", "categoryId", "defaultLanguage", "defaultAudioLanguage"),
    "status": (
        *("privacyStatus", "publishAt", "selfDeclaredMadeForKids", "containsSyntheticMedia"),
        *("embeddable", "license", "publicStatsViewable"),
    ),
    "recordingDetails": ("recordingDate",),
}


def validate_video(content: PostContent, now: datetime) -> Iterator[Fault]:
    if not content.media:
        yield Fault("/media", "required", "A post on YouTube is a video. Add one.")
    if set("<>") & set(content.text):
        yield Fault("/content", "invalid", "YouTube does not accept < and > in a description. Remove them.")
    tags = content.options.get("tags", [])
    # YouTube counts a comma between two tags, and quotes around one with a space.
    if sum(len(tag) + 2 * (" " in tag) for tag in tags) + max(len(tags) - 1, 0) > _MAX_TAGS_LENGTH:
        detail = f"The tags have more than {_MAX_TAGS_LENGTH} characters in total. Remove some."
        yield Fault("/options/tags", "too_long", detail)
    yield from _validate_publish_time(content, now)
    for index, file in enumerate(content.media):
        if file.thumbnail is not None:
            yield from validate_cover("YouTube", index, file.thumbnail, _YOUTUBE_KIND_MANIFEST.media["thumbnail"])


def _validate_publish_time(content: PostContent, now: datetime) -> Iterator[Fault]:
    for name in ("publishAt", "recordingDate"):
        try:
            given_time = datetime.fromisoformat(content.options.get(name, now.isoformat()))
        except ValueError:
            yield Fault(f"/options/{name}", "out_of_range", "This time does not exist. Choose another.")
            continue
        if name == "publishAt" and name in content.options and given_time <= now:
            yield Fault("/options/publishAt", "in_the_past", "publishAt is in the past. Choose a later time.")


def build_video_body(content: PostContent) -> dict[str, Any]:
    """Describe the video. The names at the top are the parts that YouTube writes."""
    options = with_defaults(_YOUTUBE_KIND_MANIFEST.options, content.options)
    known = {**options, "description": content.text, "selfDeclaredMadeForKids": options["madeForKids"]}
    parts = {part: {name: known[name] for name in names if name in known} for part, names in _FIELDS_BY_PART.items()}
    return {part: payload for part, payload in parts.items() if payload}


def get_privacy_status(content: PostContent) -> str:
    chosen: str = with_defaults(_YOUTUBE_KIND_MANIFEST.options, content.options)["privacyStatus"]
    return chosen
