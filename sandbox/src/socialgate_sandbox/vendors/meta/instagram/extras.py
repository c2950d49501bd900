"""Options of an Instagram post besides its media and caption, validated as Instagram does."""

from typing import Any

import msgspec

from socialgate_sandbox.dialects.graph.errors import bad_parameter, failure, require
from socialgate_sandbox.dialects.graph.given import flag, parsed, text, words
from socialgate_sandbox.kit import Call, Refused
from socialgate_sandbox.kit.media import Media, download
from socialgate_sandbox.vendors.meta.content import Extras
from socialgate_sandbox.vendors.meta.errors import ERRORS

LARGEST_IMAGE = 8 * 1024 * 1024
_GRADUATIONS = {"MANUAL", "SS_PERFORMANCE"}
_MOST_COLLABORATORS, _MOST_TAGS = 3, 20


class _Tag(msgspec.Struct):
    username: str
    x: float | None = None
    y: float | None = None


class _Trial(msgspec.Struct):
    graduation_strategy: str = ""


def problem(code: int, subcode: int, title: str, advice: str = "") -> Refused:
    return Refused(
        failure("Invalid parameter", code, subcode=subcode, transient=False, title=title, advice=advice or title)
    )


async def read_extras(call: Call, kind: str) -> Extras:
    place, offset = text(call, "location_id"), text(call, "thumb_offset")
    require(not place or place.isdecimal(), 'Param location_id must be a valid ID string (e.g., "123")')
    require(not offset or offset.isdecimal(), "Param thumb_offset must be a nonnegative integer")
    friends = words(call.params.get("collaborators"))
    require(len(friends) <= _MOST_COLLABORATORS, f"Param collaborators must have at most {_MOST_COLLABORATORS} items")
    return Extras(
        alt_text=text(call, "alt_text"),
        location_id=place,
        collaborators=friends,
        user_tags=_tags(call),
        is_ai_generated=flag(call, "is_ai_generated"),
        share_to_feed=flag(call, "share_to_feed", default=True),
        thumb_offset=int(offset) if offset else None,
        audio_name=text(call, "audio_name"),
        trial=_trial(call),
        cover=await _cover(call) if kind == "REELS" else None,
    )


def _tags(call: Call) -> list[dict[str, Any]]:
    """Read the user tags. In an image, each tag has a position."""
    rows = parsed(call.params.get("user_tags")) or []
    try:
        tags = msgspec.convert(rows, list[_Tag], strict=False)
    except msgspec.ValidationError as error:
        raise Refused(bad_parameter("Param user_tags must be a list of objects with a username")) from error
    require(len(tags) <= _MOST_TAGS, f"Param user_tags must have at most {_MOST_TAGS} items")
    placed = all(tag.x is not None and tag.y is not None and 0 <= tag.x <= 1 and 0 <= tag.y <= 1 for tag in tags)
    if text(call, "image_url") and text(call, "media_type").upper() != "STORIES" and not placed:
        raise problem(100, 2207018, "Invalid user tag", "The user tags of a photo need x and y from 0.0 to 1.0.")
    return list(rows)


def _trial(call: Call) -> str:
    given = parsed(call.params.get("trial_params"))
    if given is None:
        return ""
    try:
        strategy = msgspec.convert(given, _Trial).graduation_strategy
    except msgspec.ValidationError:
        strategy = ""
    require(strategy in _GRADUATIONS, "Param trial_params[graduation_strategy] must be one of {MANUAL, SS_PERFORMANCE}")
    return strategy


async def _cover(call: Call) -> Media | None:
    url = text(call, "cover_url")
    if not url:
        return None
    media = await download(call.world, url, "image/jpeg", LARGEST_IMAGE)
    if media is None or media.content_type != "image/jpeg" or media.size > LARGEST_IMAGE:
        raise Refused(ERRORS["media_fetch_failed"](call))
    return media
