"""The forms of a TikTok post: validation, and TikTok's parameters."""

from collections.abc import Iterator, Mapping
from typing import Any

from socialgate.connectors import post_options
from socialgate.connectors.post_options import drop_none, validate_misplaced_options
from socialgate.connectors.tiktok.api import CreatorInfo
from socialgate.contracts.failures import PlatformRejectedError
from socialgate.contracts.platforms import Platform
from socialgate.contracts.publishing import PostContent
from socialgate.core.errors import Fault

DRAFT_WARNING = "It is in the inbox of the TikTok app, and is published when it is finished there, within about a day."
IN_MODERATION_WARNING = "TikTok has published it and is still reviewing it: its public id and URL are not known yet."
RESULT_OVERDUE_DETAIL = "TikTok has had the post for hours and does not report the result. Check the TikTok app."
UPLOAD_CLOSED_DETAIL = (
    "TikTok accepts no more bytes of the video, and does not say that it has them all. Check the TikTok app."
)
NOT_LISTABLE_DETAIL = "TikTok only shows public posts with a text, and this is not one. Check the TikTok app."
LIST_PERMISSION_MISSING_DETAIL = "The permission to list the account's posts was not granted. Check the TikTok app."
SEVERAL_MATCHES_DETAIL = "The account has several new posts with this text. Check in the TikTok app which one it is."
NOT_LISTED_YET_DETAIL = "TikTok does not show the post, and it may still appear. Check the TikTok app."
_COVER_OMITTED_WARNING = "The preview image was left out: TikTok uses a frame of the video, see `coverTimestampMs`."
_DRAFT_TEXT_OMITTED_WARNING = "TikTok does not accept text with a video draft: write it in the app."

_PHOTO_OPTIONS = ("title", "description", "photoCoverIndex", "autoAddMusic")
_VIDEO_OPTIONS = ("disableDuet", "disableStitch", "coverTimestampMs", "aiGenerated", "source")
# TikTok shows this much of a text in lists.
_MAX_LISTED_TEXT_LENGTH = 150


def is_draft(content: PostContent) -> bool:
    return content.options.get("mode") == "draft"


def get_submit_stage(content: PostContent) -> str:
    """Name the stage that submits it. TikTok only accepts photos by URL."""
    uploads = content.media[0].type == "video" and content.options.get("source", "upload") == "upload"
    return "open" if uploads else "pull"


def validate_content(content: PostContent) -> Iterator[Fault]:
    types = {file.type for file in content.media}
    if not types:
        yield Fault("/media", "required", "TikTok posts need media. Add one video or 1 to 35 photos.")
        return
    if len(types) > 1:
        yield Fault("/media", "media_mixed", "TikTok accepts one video or photos, not both. Create two posts.")
    elif "video" in types:
        yield from _video_faults(content)
    else:
        yield from _photo_faults(content)


def _video_faults(content: PostContent) -> Iterator[Fault]:
    yield from validate_misplaced_options(content.options, _PHOTO_OPTIONS, "photos")
    cover, length = content.options.get("coverTimestampMs"), content.media[0].duration
    if cover is not None and length is not None and cover > length * 1000:
        detail = f"The video ends after {length:g} s. Choose an earlier frame for the cover."
        yield Fault("/options/coverTimestampMs", "out_of_range", detail)


def _photo_faults(content: PostContent) -> Iterator[Fault]:
    yield from validate_misplaced_options(content.options, _VIDEO_OPTIONS, "a video")
    if content.options.get("photoCoverIndex", 0) >= len(content.media):
        detail = f"There are {len(content.media)} photos, counted from 0. Choose one of them as the cover."
        yield Fault("/options/photoCoverIndex", "out_of_range", detail)


def validate_creator_limits(content: PostContent, creator: CreatorInfo) -> None:
    offered, requested = creator.privacy_level_options, content.options.get("privacyLevel")
    longest, length = creator.max_video_post_duration_sec, content.media[0].duration
    if offered and requested not in offered:
        field = "/options/privacyLevel"
        detail = f"The account offers the privacy levels {', '.join(offered)}. Choose one of them."
    elif longest and length and length > longest:
        field = "/media/0"
        detail = f"The account can post videos of at most {longest} s, but this one has {length:.0f} s. Shorten it."
    else:
        return
    raise PlatformRejectedError(detail, platform=Platform.TIKTOK, category="user_content", field=field)


def list_disabled_interactions(creator: CreatorInfo) -> tuple[str, ...]:
    """List what the creator has disabled for all posts: TikTok rejects posts that enable it."""
    off = {"comment": creator.comment_disabled, "duet": creator.duet_disabled, "stitch": creator.stitch_disabled}
    return tuple(name for name, is_off in off.items() if is_off)


def build_post_request(
    content: PostContent, disabled_interactions: tuple[str, ...], source: Mapping[str, Any]
) -> tuple[str, dict[str, Any]]:
    """Return the path at which a post starts, and its parameters. `source` says where a video comes from."""
    if content.media[0].type != "video":
        return "content/init/", build_photo_post(content, disabled_interactions)
    if is_draft(content):
        return "inbox/video/init/", {"source_info": source}
    return "video/init/", {"post_info": build_video_info(content, disabled_interactions), "source_info": source}


def build_video_info(content: PostContent, disabled_interactions: tuple[str, ...]) -> dict[str, Any]:
    options = content.options
    info = {
        "title": content.text,
        "privacy_level": options["privacyLevel"],
        "disable_duet": "duet" in disabled_interactions or options.get("disableDuet", True),
        "disable_stitch": "stitch" in disabled_interactions or options.get("disableStitch", True),
        "video_cover_timestamp_ms": options.get("coverTimestampMs"),
        "is_aigc": options.get("aiGenerated", False),
    }
    return drop_none(info | _build_common_info(options, disabled_interactions))


def build_photo_post(content: PostContent, disabled_interactions: tuple[str, ...]) -> dict[str, Any]:
    options = content.options
    info = {"title": options.get("title"), "description": get_post_text(content) or None}
    if not is_draft(content):
        info |= {"privacy_level": options["privacyLevel"], "auto_add_music": options.get("autoAddMusic", False)}
        info |= _build_common_info(options, disabled_interactions)
    return {
        "media_type": "PHOTO",
        "post_mode": "MEDIA_UPLOAD" if is_draft(content) else "DIRECT_POST",
        "post_info": drop_none(info),
        "source_info": {
            "source": "PULL_FROM_URL",
            "photo_cover_index": options.get("photoCoverIndex", 0),
            "photo_images": [file.url for file in content.media],
        },
    }


def _build_common_info(options: Mapping[str, Any], disabled_interactions: tuple[str, ...]) -> dict[str, Any]:
    return {
        "disable_comment": "comment" in disabled_interactions or options.get("disableComment", True),
        "brand_content_toggle": options.get("brandedContent", False),
        "brand_organic_toggle": options.get("ownBrand", False),
    }


def get_post_text(content: PostContent) -> str:
    described: str = content.options.get("description", content.text)
    return described


def matches_listed_text(expected: str, shown: str | None) -> bool:
    """Return whether a listed post has this text, which TikTok truncates."""
    expected, seen = expected.strip(), (shown or "").strip()
    if len(expected) < _MAX_LISTED_TEXT_LENGTH:
        return seen == expected
    # An ellipsis may replace the last few characters.
    return seen[: _MAX_LISTED_TEXT_LENGTH - 10] == expected[: _MAX_LISTED_TEXT_LENGTH - 10]


def build_post_url(content: PostContent, username: str | None, post_id: str) -> str | None:
    form = "video" if content.media[0].type == "video" else "photo"
    return f"https://www.tiktok.com/@{username}/{form}/{post_id}" if username else None


def list_omission_warnings(content: PostContent) -> tuple[str, ...]:
    of_video = bool(content.media) and content.media[0].type == "video"
    more = {
        _DRAFT_TEXT_OMITTED_WARNING: is_draft(content) and content.text and of_video,
        _COVER_OMITTED_WARNING: any(file.thumbnail for file in content.media),
    }
    return post_options.list_omission_warnings("TikTok", content, more)
