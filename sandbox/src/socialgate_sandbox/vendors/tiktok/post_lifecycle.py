"""The life of a post. Nothing runs in the background: its state is computed from the clock."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

from socialgate_sandbox.kit import VendorContext, generate_digits
from socialgate_sandbox.kit.media import Media, describe_file, download_media
from socialgate_sandbox.kit.post_processing import compute_stage, start_processing
from socialgate_sandbox.kit.urls import is_local_host, parse_web_url
from socialgate_sandbox.vendors.tiktok.state import Creator, Post, Publish
from socialgate_sandbox.vendors.tiktok.webhooks import send_event

FAILED_STATUS, PUBLISHED_STATUS, DELIVERED_STATUS = "FAILED", "PUBLISH_COMPLETE", "SEND_TO_USER_INBOX"
PROCESSING_SECONDS, MODERATION_SECONDS = 3.0, 10.0
MAX_VIDEO_BYTES = 4 << 30
HANG_OUTCOME = "hang"
FAILURE_REASONS = (
    "file_format_check_failed",
    "duration_check_failed",
    "frame_rate_check_failed",
    "picture_size_check_failed",
    "internal",
    "video_pull_failed",
    "photo_pull_failed",
    "spam_risk_too_many_posts",
    "spam_risk_user_banned_from_posting",
    "spam_risk_text",
    "spam_risk",
)
_UPLOAD_LIFETIME = timedelta(hours=1)
_LIMIT_PERIOD = timedelta(days=1)
_MAX_POSTS, _MAX_DRAFTS = 15, 5
_PHOTO_TYPES = {"image/jpeg", "image/webp"}
_VIDEO_TYPES = {"video/mp4", "video/quicktime", "video/webm"}
_MIN_SIDE_PIXELS, _MAX_SIDE_PIXELS = 360, 4096
# "1080p" in either orientation.
_MAX_PHOTO_SIDE_PIXELS, _MAX_PHOTO_BYTES = 1920, 20 << 20
# H.264, H.265, VP8 and VP9, as MP4 files name them.
_VIDEO_CODECS = {"avc1", "avc3", "hvc1", "hev1", "vp08", "vp09"}
_MIN_FPS, _MAX_FPS = 23, 60


def create_publish(
    context: VendorContext, creator_id: str, info: dict[str, Any], *, is_direct: bool, is_photo: bool, is_pulled: bool
) -> Publish:
    prefix = ("p_" if is_photo else "v_") + ("pub" if is_direct else "inbox")
    way = "_url~v2." if is_pulled else "_file~v2-1."
    publish = Publish(
        id=f"{prefix}{way}{generate_digits(19)}",
        parent=creator_id,
        photo=is_photo,
        direct=is_direct,
        pulled=is_pulled,
        info=info,
        created_at=context.clock.now(),
    )
    return context.store.put(publish)


async def download_files(context: VendorContext, publish: Publish, urls: Sequence[str]) -> None:
    """Fetch the URLs, as the platform does after its response."""
    fetched = [await download_media(context, url, "", MAX_VIDEO_BYTES) for url in urls]
    with context.store.transaction():
        ready, fate = start_processing(context, publish.parent, PROCESSING_SECONDS)
        if fate == HANG_OUTCOME:
            return
        publish.files = [media or Media(content_type="", source=url) for url, media in zip(urls, fetched, strict=True)]
        publish.received = sum(file.size for file in publish.files)
        # A redirect counts as a failure, and anything out of reach is assumed to be good.
        publish.failure = _get_pull_failure(publish) if None in fetched else ""
        _process_files(context, publish, ready, fate)


def finish_upload(context: VendorContext, publish: Publish, content_type: str) -> None:
    """All bytes of an upload have arrived."""
    publish.files = [describe_file(context, publish.file, content_type)]
    ready, fate = start_processing(context, publish.parent, PROCESSING_SECONDS)
    if fate == HANG_OUTCOME:
        context.store.put(publish)
    else:
        _process_files(context, publish, ready, fate)


def _get_pull_failure(publish: Publish) -> str:
    return "photo_pull_failed" if publish.photo else "video_pull_failed"


def compute_status(context: VendorContext, publish: Publish) -> tuple[str, str]:
    """Return the state of a post, and why it failed if it did."""
    if publish.cancelled:
        return FAILED_STATUS, "publish_cancelled"
    state = compute_stage(context, publish.ready, publish.failure)
    if state == "waiting" and publish.pulled and is_expired(context, publish):
        return FAILED_STATUS, _get_pull_failure(publish)
    if state in {"waiting", "processing"}:
        return "PROCESSING_DOWNLOAD" if publish.pulled else "PROCESSING_UPLOAD", ""
    if state == "failed":
        return FAILED_STATUS, publish.failure
    return (PUBLISHED_STATUS if publish.post else DELIVERED_STATUS), ""


def create_post(context: VendorContext, publish: Publish, *, privacy: str, delay_seconds: float) -> Post:
    """Create the post, from `delay_seconds` seconds on, and notify the app of its progress."""
    now = context.clock.now()
    time, public = (
        now + timedelta(seconds=delay_seconds),
        now + timedelta(seconds=delay_seconds + MODERATION_SECONDS - PROCESSING_SECONDS),
    )
    post = Post(
        id=generate_digits(19),
        parent=publish.parent,
        text=str(publish.info.get("title", "")),
        description=str(publish.info.get("description", "")),
        privacy=privacy,
        photo=publish.photo,
        created_at=time,
        public=public,
        files=publish.files,
        info={name: value for name, value in publish.info.items() if name not in {"title", "description"}},
    )
    context.store.put(post)
    publish.post = post.id
    context.store.put(publish)
    _send_publish_event(context, publish, "complete", delay_seconds=delay_seconds)
    if privacy == "PUBLIC_TO_EVERYONE":
        _send_publish_event(
            context,
            publish,
            "publicly_available",
            delay_seconds=delay_seconds + MODERATION_SECONDS - PROCESSING_SECONDS,
            post_id=post.id,
        )
    return post


def hide_post(context: VendorContext, publish: Publish, post: Post) -> None:
    post.hidden = True
    context.store.put(post)
    _send_publish_event(context, publish, "no_longer_publicaly_available", delay_seconds=0, post_id=post.id)


def is_expired(context: VendorContext, publish: Publish) -> bool:
    return context.clock.now() - publish.created_at > _UPLOAD_LIFETIME


def has_reached_post_limit(context: VendorContext, creator_id: str) -> bool:
    """Whether an account has reached its daily number of posts."""
    return _count_recent(context, creator_id, is_direct=True) >= _MAX_POSTS


def has_reached_draft_limit(context: VendorContext, creator_id: str) -> bool:
    return _count_recent(context, creator_id, is_direct=False) >= _MAX_DRAFTS


def is_verified_url(context: VendorContext, url: str) -> bool:
    """Whether the app has verified that it owns a URL: those of the product and of this machine are verified.

    The real platform accepts only https from a named host. Others are verified with `url_properties` of the app,
    separated by commas: a domain with its subdomains, or a prefix that ends in a slash.
    """
    parts = parse_web_url(url)
    if parts is None:
        return False
    host = parts.hostname or ""
    if host == urlsplit(context.settings.gateway_url).hostname or is_local_host(host):
        return True
    known = [name.strip() for name in context.app.more.get("url_properties", "").split(",") if name.strip()]
    by_name = any(host == name or host.endswith(f".{name}") for name in known if "/" not in name)
    return parts.scheme == "https" and (by_name or any(url.startswith(name) for name in known if name.endswith("/")))


def _process_files(context: VendorContext, publish: Publish, ready_at: datetime, fate: str) -> None:
    """Begin processing, which finds out what is wrong with the files."""
    publish.ready, after = ready_at, -context.clock.get_seconds_since(ready_at)
    faults = [
        publish.failure,
        *(_find_file_failure(context, publish, file) for file in publish.files if file.has_content),
    ]
    too_large = "file_format_check_failed" if publish.received > MAX_VIDEO_BYTES else ""
    publish.failure = next(filter(None, [*faults, too_large, fate]), "")
    context.store.put(publish)
    if publish.failure:
        _send_publish_event(context, publish, "failed", delay_seconds=after, reason=publish.failure)
    elif publish.direct:
        create_post(context, publish, privacy=str(publish.info.get("privacy_level", "")), delay_seconds=after)
    else:
        _send_publish_event(context, publish, "inbox_delivered", delay_seconds=after)


def _send_publish_event(
    context: VendorContext, publish: Publish, event: str, *, delay_seconds: float, **extra_fields: str
) -> None:
    kind = "DIRECT_PUBLISH" if publish.direct else "INBOX_SHARE"
    content = {"publish_id": publish.id} | extra_fields | {"publish_type": kind}
    send_event(context, f"post.publish.{event}", publish.parent, content, delay_seconds=delay_seconds)


def _find_file_failure(context: VendorContext, publish: Publish, file: Media) -> str:
    """Return what is wrong with a file: wrong type, wrong dimensions, video too long. Unknown values are accepted."""
    if file.content_type not in (_PHOTO_TYPES if publish.photo else _VIDEO_TYPES):
        return "file_format_check_failed"
    if publish.photo and file.size > _MAX_PHOTO_BYTES:
        return "file_format_check_failed"
    shortest, longest = (0, _MAX_PHOTO_SIDE_PIXELS) if publish.photo else (_MIN_SIDE_PIXELS, _MAX_SIDE_PIXELS)
    if file.width and not shortest <= min(file.width, file.height) <= max(file.width, file.height) <= longest:
        return "picture_size_check_failed"
    if file.video_codec and file.video_codec not in _VIDEO_CODECS:
        return "file_format_check_failed"
    if file.fps and not _MIN_FPS <= round(file.fps, 1) <= _MAX_FPS:
        return "frame_rate_check_failed"
    creator = context.store.get(Creator, publish.parent)
    most_seconds = creator.longest_video if creator is not None else 0
    return "duration_check_failed" if most_seconds and file.seconds > most_seconds else ""


def _count_recent(context: VendorContext, creator_id: str, *, is_direct: bool) -> int:
    now = context.clock.now()
    begun = [publish for publish in context.store.find(Publish, parent=creator_id) if publish.direct is is_direct]
    return sum(
        now - publish.created_at < _LIMIT_PERIOD
        and not publish.failure
        and not publish.cancelled
        and (is_direct or not publish.post)
        for publish in begun
    )
