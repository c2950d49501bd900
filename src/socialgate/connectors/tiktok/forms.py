"""The forms of a TikTok post: validation, and TikTok's parameters."""

from collections.abc import Iterator, Mapping
from typing import Any

from socialgate.connectors import forms
from socialgate.connectors.forms import given, misplaced
from socialgate.connectors.tiktok.wire import Creator
from socialgate.contracts.failures import Rejected
from socialgate.contracts.platforms import Platform
from socialgate.contracts.publishing import Content
from socialgate.core.errors import Fault

DRAFT = "It is in the inbox of the TikTok app, and is published when it is finished there, within about a day."
IN_MODERATION = "TikTok has published it and is still reviewing it: its public id and URL are not known yet."
NEVER_ENDS = "TikTok has had the post for hours and does not report the result. Check the TikTok app."
CLOSED = "TikTok accepts no more bytes of the video, and does not say that it has them all. Check the TikTok app."
UNSEEN = "TikTok only shows public posts with a text, and this is not one. Check the TikTok app."
UNLISTED = "The permission to list the account's posts was not granted. Check the TikTok app."
SEVERAL = "The account has several new posts with this text. Check in the TikTok app which one it is."
NOT_SHOWN = "TikTok does not show the post, and it may still appear. Check the TikTok app."
_NO_COVER = "The preview image was left out: TikTok uses a frame of the video, see `coverTimestampMs`."
_NO_TEXT = "TikTok does not accept text with a video draft: write it in the app."

_PHOTO_OPTIONS = ("title", "description", "photoCoverIndex", "autoAddMusic")
_VIDEO_OPTIONS = ("disableDuet", "disableStitch", "coverTimestampMs", "aiGenerated", "source")
# TikTok shows this much of a text in lists.
_SHOWN_TEXT = 150


def is_draft(content: Content) -> bool:
    return content.options.get("mode") == "draft"


def way(content: Content) -> str:
    """Name the stage that submits it. TikTok only accepts photos by URL."""
    uploads = content.media[0].type == "video" and content.options.get("source", "upload") == "upload"
    return "open" if uploads else "pull"


def faults(content: Content) -> Iterator[Fault]:
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


def _video_faults(content: Content) -> Iterator[Fault]:
    yield from misplaced(content.options, _PHOTO_OPTIONS, "photos")
    cover, length = content.options.get("coverTimestampMs"), content.media[0].duration
    if cover is not None and length is not None and cover > length * 1000:
        detail = f"The video ends after {length:g} s. Choose an earlier frame for the cover."
        yield Fault("/options/coverTimestampMs", "out_of_range", detail)


def _photo_faults(content: Content) -> Iterator[Fault]:
    yield from misplaced(content.options, _VIDEO_OPTIONS, "a video")
    if content.options.get("photoCoverIndex", 0) >= len(content.media):
        detail = f"There are {len(content.media)} photos, counted from 0. Choose one of them as the cover."
        yield Fault("/options/photoCoverIndex", "out_of_range", detail)


def refuse_what_the_creator_may_not(content: Content, creator: Creator) -> None:
    offered, wanted = creator.privacy_level_options, content.options.get("privacyLevel")
    longest, length = creator.max_video_post_duration_sec, content.media[0].duration
    if offered and wanted not in offered:
        field = "/options/privacyLevel"
        detail = f"The account offers the privacy levels {', '.join(offered)}. Choose one of them."
    elif longest and length and length > longest:
        field = "/media/0"
        detail = f"The account can post videos of at most {longest} s, but this one has {length:.0f} s. Shorten it."
    else:
        return
    raise Rejected(detail, platform=Platform.TIKTOK, category="user_content", field=field)


def closed(creator: Creator) -> tuple[str, ...]:
    """List what the creator has disabled for all posts: TikTok rejects posts that enable it."""
    off = {"comment": creator.comment_disabled, "duet": creator.duet_disabled, "stitch": creator.stitch_disabled}
    return tuple(name for name, is_off in off.items() if is_off)


def post(content: Content, off: tuple[str, ...], source: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return the path at which a post starts, and its parameters. `source` says where a video comes from."""
    if content.media[0].type != "video":
        return "content/init/", photo_post(content, off)
    if is_draft(content):
        return "inbox/video/init/", {"source_info": source}
    return "video/init/", {"post_info": video_info(content, off), "source_info": source}


def video_info(content: Content, off: tuple[str, ...]) -> dict[str, Any]:
    options = content.options
    info = {
        "title": content.text,
        "privacy_level": options["privacyLevel"],
        "disable_duet": "duet" in off or options.get("disableDuet", True),
        "disable_stitch": "stitch" in off or options.get("disableStitch", True),
        "video_cover_timestamp_ms": options.get("coverTimestampMs"),
        "is_aigc": options.get("aiGenerated", False),
    }
    return given(info | _common(options, off))


def photo_post(content: Content, off: tuple[str, ...]) -> dict[str, Any]:
    options = content.options
    info = {"title": options.get("title"), "description": text(content) or None}
    if not is_draft(content):
        info |= {"privacy_level": options["privacyLevel"], "auto_add_music": options.get("autoAddMusic", False)}
        info |= _common(options, off)
    return {
        "media_type": "PHOTO",
        "post_mode": "MEDIA_UPLOAD" if is_draft(content) else "DIRECT_POST",
        "post_info": given(info),
        "source_info": {
            "source": "PULL_FROM_URL",
            "photo_cover_index": options.get("photoCoverIndex", 0),
            "photo_images": [file.url for file in content.media],
        },
    }


def _common(options: Mapping[str, Any], off: tuple[str, ...]) -> dict[str, Any]:
    return {
        "disable_comment": "comment" in off or options.get("disableComment", True),
        "brand_content_toggle": options.get("brandedContent", False),
        "brand_organic_toggle": options.get("ownBrand", False),
    }


def text(content: Content) -> str:
    described: str = content.options.get("description", content.text)
    return described


def is_shown_as(wanted: str, shown: str | None) -> bool:
    """Return whether a listed post has this text, which TikTok truncates."""
    wanted, seen = wanted.strip(), (shown or "").strip()
    if len(wanted) < _SHOWN_TEXT:
        return seen == wanted
    # An ellipsis may replace the last few characters.
    return seen[: _SHOWN_TEXT - 10] == wanted[: _SHOWN_TEXT - 10]


def url(content: Content, username: str | None, post_id: str) -> str | None:
    form = "video" if content.media[0].type == "video" else "photo"
    return f"https://www.tiktok.com/@{username}/{form}/{post_id}" if username else None


def left_out(content: Content) -> tuple[str, ...]:
    of_video = bool(content.media) and content.media[0].type == "video"
    more = {
        _NO_TEXT: is_draft(content) and content.text and of_video,
        _NO_COVER: any(file.thumbnail for file in content.media),
    }
    return forms.left_out("TikTok", content, more)
