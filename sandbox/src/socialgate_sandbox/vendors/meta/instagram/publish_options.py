"""Options of an Instagram post besides its media and caption, validated as Instagram does."""

from typing import Any

import msgspec

from socialgate_sandbox.dialects.graph.errors import build_error_response, build_parameter_response, require
from socialgate_sandbox.dialects.graph.parameters import get_flag, get_text, parse_json_text, parse_words
from socialgate_sandbox.kit import Call, CallRefusedError
from socialgate_sandbox.kit.media import Media, download_media
from socialgate_sandbox.vendors.meta.content import PublishOptions
from socialgate_sandbox.vendors.meta.errors import ERRORS

MAX_IMAGE_BYTES = 8 * 1024 * 1024
_GRADUATION_STRATEGIES = {"MANUAL", "SS_PERFORMANCE"}
_MAX_COLLABORATORS, _MAX_TAGS = 3, 20


class _UserTag(msgspec.Struct):
    username: str
    x: float | None = None
    y: float | None = None


class _TrialParams(msgspec.Struct):
    graduation_strategy: str = ""


def build_invalid_error(code: int, subcode: int, title: str, advice: str = "") -> CallRefusedError:
    return CallRefusedError(
        build_error_response(
            "Invalid parameter", code, subcode=subcode, transient=False, title=title, advice=advice or title
        )
    )


async def parse_publish_options(call: Call, media_type: str) -> PublishOptions:
    place, offset = get_text(call, "location_id"), get_text(call, "thumb_offset")
    require(not place or place.isdecimal(), 'Param location_id must be a valid ID string (e.g., "123")')
    require(not offset or offset.isdecimal(), "Param thumb_offset must be a nonnegative integer")
    friends = parse_words(call.params.get("collaborators"))
    require(len(friends) <= _MAX_COLLABORATORS, f"Param collaborators must have at most {_MAX_COLLABORATORS} items")
    return PublishOptions(
        alt_text=get_text(call, "alt_text"),
        location_id=place,
        collaborators=friends,
        user_tags=_parse_user_tags(call),
        is_ai_generated=get_flag(call, "is_ai_generated"),
        share_to_feed=get_flag(call, "share_to_feed", default=True),
        thumb_offset=int(offset) if offset else None,
        audio_name=get_text(call, "audio_name"),
        trial=_parse_graduation_strategy(call),
        cover=await _download_cover(call) if media_type == "REELS" else None,
    )


def _parse_user_tags(call: Call) -> list[dict[str, Any]]:
    """Read the user tags. In an image, each tag has a position."""
    rows = parse_json_text(call.params.get("user_tags")) or []
    try:
        tags = msgspec.convert(rows, list[_UserTag], strict=False)
    except msgspec.ValidationError as error:
        raise CallRefusedError(
            build_parameter_response("Param user_tags must be a list of objects with a username")
        ) from error
    require(len(tags) <= _MAX_TAGS, f"Param user_tags must have at most {_MAX_TAGS} items")
    placed = all(tag.x is not None and tag.y is not None and 0 <= tag.x <= 1 and 0 <= tag.y <= 1 for tag in tags)
    if get_text(call, "image_url") and get_text(call, "media_type").upper() != "STORIES" and not placed:
        raise build_invalid_error(
            100, 2207018, "Invalid user tag", "The user tags of a photo need x and y from 0.0 to 1.0."
        )
    return list(rows)


def _parse_graduation_strategy(call: Call) -> str:
    value = parse_json_text(call.params.get("trial_params"))
    if value is None:
        return ""
    try:
        strategy = msgspec.convert(value, _TrialParams).graduation_strategy
    except msgspec.ValidationError:
        strategy = ""
    require(
        strategy in _GRADUATION_STRATEGIES,
        "Param trial_params[graduation_strategy] must be one of {MANUAL, SS_PERFORMANCE}",
    )
    return strategy


async def _download_cover(call: Call) -> Media | None:
    url = get_text(call, "cover_url")
    if not url:
        return None
    media = await download_media(call.context, url, "image/jpeg", MAX_IMAGE_BYTES)
    if media is None or media.content_type != "image/jpeg" or media.size > MAX_IMAGE_BYTES:
        raise CallRefusedError(ERRORS["media_fetch_failed"](call))
    return media
