"""What a container is made of, and what Threads says of one that it could not fill."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from socialgate.connectors.threads.posting_wire import Container
from socialgate.contracts.failures import PlatformError, PlatformFailure, Rejected, TemporarilyUnavailable
from socialgate.contracts.platforms import Platform
from socialgate.contracts.publishing import Content, MediaFile

_REASONS = {
    "FAILED_PROCESSING_AUDIO": "Threads cannot use the sound. Use AAC with up to 48 kHz.",
    "FAILED_PROCESSING_VIDEO": "Threads cannot use the video. Use MP4 or MOV with H.264 and AAC.",
    "INVALID_ASPEC_RATIO": "Threads refuses the shape of the media: between 0.01:1 and 10:1.",
    "INVALID_BIT_RATE": "The video has too many bits a second: 25 million at most.",
    "INVALID_DURATION": "The video is too long: five minutes at most.",
    "INVALID_FRAME_RATE": "The video must have 23 to 60 pictures a second.",
    "INVALID_AUDIO_CHANNELS": "The sound must be mono or stereo.",
    "INVALID_AUDIO_CHANNEL_LAYOUT": "The sound must be mono or stereo.",
}
_PASSING = {"FAILED_DOWNLOADING_VIDEO", "UNKNOWN", ""}


def child_params(file: MediaFile) -> Mapping[str, Any]:
    return {**_source(file), "is_carousel_item": "true"}


def reply_params(text: str, reply_to: str, picture: MediaFile | None = None) -> Mapping[str, Any]:
    body = {"media_type": "TEXT"} if picture is None else _source(picture)
    return {**body, "text": text or None, "reply_to_id": reply_to}


def container_params(content: Content, children: Sequence[str]) -> Mapping[str, Any]:
    options = content.options
    spoilers = [{"entity_type": "SPOILER", **place} for place in options.get("spoilers", ())]
    countries = options.get("countries")
    return {
        **_body(content, children),
        "text": content.text or None,
        "reply_control": options.get("replyControl"),
        "topic_tag": options.get("topicTag"),
        "location_id": options.get("locationId"),
        "reply_to_id": options.get("replyToId"),
        "quote_post_id": options.get("quotePostId"),
        "text_entities": _json(spoilers),
        "allowlisted_country_codes": ",".join(countries) if countries else None,
        "is_spoiler_media": "true" if options.get("isSpoilerMedia") else None,
    }


def why_spoiled(seen: Container) -> PlatformFailure:
    """Translate why Threads could not fill a container."""
    reason = seen.error_message or ""
    told = PlatformError(code=reason[:100] or None)
    if seen.status == "EXPIRED" or reason in _PASSING:
        return TemporarilyUnavailable(
            "Threads could not fetch or keep the media. Check that this service can be reached from outside.",
            platform=Platform.THREADS,
            error=told,
        )
    detail = _REASONS.get(reason, "Threads cannot use the media; its own word is in `platformError`.")
    return Rejected(detail, platform=Platform.THREADS, error=told, category="user_content", field="media")


def _body(content: Content, children: Sequence[str]) -> Mapping[str, Any]:
    if children:
        return {"media_type": "CAROUSEL", "children": ",".join(children)}
    if content.media:
        return _source(content.media[0])
    options = content.options
    poll = dict(zip(("option_a", "option_b", "option_c", "option_d"), options.get("poll", ()), strict=False))
    attachment, gif = options.get("textAttachment", {}), options.get("gif", {})
    return {
        "media_type": "TEXT",
        "link_attachment": options.get("linkAttachment"),
        "poll_attachment": _json(poll),
        "text_attachment": _json(_renamed(attachment, linkAttachmentUrl="link_attachment_url")),
        "gif_attachment": _json(_renamed(gif, gifId="gif_id")),
        "is_ghost_post": "true" if options.get("isGhostPost") else None,
    }


def _source(file: MediaFile) -> Mapping[str, Any]:
    if file.type == "video":
        return {"media_type": "VIDEO", "video_url": file.url, "alt_text": file.alt}
    return {"media_type": "IMAGE", "image_url": file.url, "alt_text": file.alt}


def _renamed(given: Mapping[str, Any], **names: str) -> Mapping[str, Any]:
    return {names.get(name, name): value for name, value in given.items()}


def _json(value: Any) -> str | None:
    return msgspec.json.encode(value).decode() if value else None
