"""A post as a YouTube video: what is wrong with one, and how it is said to YouTube."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from socialgate.contracts.publishing import Content
from socialgate.core.errors import Fault

_MOST_TAG_CHARACTERS = 500
_THUMBNAILS = frozenset({"image/jpeg", "image/png"})
_LARGEST_THUMBNAIL = 50 * 1024 * 1024
_PEOPLE_AND_BLOGS = "22"
_NO_ALT = "YouTube has no place for alternative text: it was left out."


def faults(content: Content, now: datetime) -> Iterator[Fault]:
    if not content.media:
        yield Fault("/media", "required", "A post on YouTube is a video. Add one.")
    if set("<>") & set(content.text):
        yield Fault("/content", "invalid", "YouTube takes no < and > in a description. Leave them out.")
    if _tag_length(content.options.get("tags", [])) > _MOST_TAG_CHARACTERS:
        detail = f"The tags have more than {_MOST_TAG_CHARACTERS} characters together. Leave some out."
        yield Fault("/options/tags", "too_long", detail)
    yield from _time_faults(content, now)
    yield from _thumbnail_faults(content)


def _time_faults(content: Content, now: datetime) -> Iterator[Fault]:
    for name in ("publishAt", "recordingDate"):
        try:
            given = datetime.fromisoformat(content.options.get(name, now.isoformat()))
        except ValueError:
            yield Fault(f"/options/{name}", "out_of_range", "There is no such time in the calendar. Choose another.")
            continue
        if name == "publishAt" and name in content.options and given <= now:
            yield Fault("/options/publishAt", "in_the_past", "YouTube publishes later only. Choose a time to come.")


def _thumbnail_faults(content: Content) -> Iterator[Fault]:
    for index, file in enumerate(content.media):
        picture = file.thumbnail
        if picture is None:
            continue
        pointer = f"/media/{index}/thumbnailMediaId"
        if picture.mime_type not in _THUMBNAILS:
            yield Fault(pointer, "media_type", "YouTube takes JPEG and PNG as thumbnails. Convert the picture.")
        if picture.size > _LARGEST_THUMBNAIL:
            yield Fault(pointer, "too_large", "YouTube takes thumbnails of at most 50 MB. Make the picture smaller.")


def left_out(content: Content) -> tuple[str, ...]:
    return (_NO_ALT,) if any(file.alt for file in content.media) else ()


def _tag_length(tags: list[str]) -> int:
    """Count as YouTube does: a comma between two, and quotes around one with a space."""
    return sum(len(tag) + 2 * (" " in tag) for tag in tags) + max(len(tags) - 1, 0)


def resource(content: Content) -> dict[str, Any]:
    """Describe the video. The names at the top are the parts that YouTube writes."""
    options = content.options
    said = {
        "snippet": {
            "title": options["title"],
            "description": content.text,
            "tags": options.get("tags"),
            "categoryId": options.get("categoryId", _PEOPLE_AND_BLOGS),
            "defaultLanguage": options.get("defaultLanguage"),
            "defaultAudioLanguage": options.get("defaultAudioLanguage"),
        },
        "status": {
            "privacyStatus": privacy(content),
            "publishAt": options.get("publishAt"),
            "selfDeclaredMadeForKids": options.get("madeForKids", False),
            "containsSyntheticMedia": options.get("containsSyntheticMedia", False),
            "embeddable": options.get("embeddable", True),
            "license": options.get("license", "youtube"),
            "publicStatsViewable": options.get("publicStatsViewable", True),
        },
        "recordingDetails": {"recordingDate": options.get("recordingDate")},
    }
    parts = {name: _given(part) for name, part in said.items()}
    return {name: part for name, part in parts.items() if part}


def _given(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}


def privacy(content: Content) -> str:
    chosen: str = content.options.get("privacyStatus", "public")
    return chosen
