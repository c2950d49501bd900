"""The life of a post. Nothing runs in the background: its state is computed from the clock."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

from socialgate_sandbox.kit import World, digits
from socialgate_sandbox.kit.addresses import is_here, parts_of
from socialgate_sandbox.kit.lifecycle import processing, stage
from socialgate_sandbox.kit.media import Media, download, of_file
from socialgate_sandbox.vendors.tiktok.state import Creator, Post, Publish
from socialgate_sandbox.vendors.tiktok.webhooks import send_event

FAILED, PUBLISHED, DELIVERED = "FAILED", "PUBLISH_COMPLETE", "SEND_TO_USER_INBOX"
PROCESSING, MODERATION = 3.0, 10.0
LARGEST_VIDEO = 4 << 30
HANG = "hang"
FAILURES = (
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
_LIFE = timedelta(hours=1)
_DAY = timedelta(days=1)
_MOST_POSTS, _MOST_DRAFTS = 15, 5
_PHOTOS = {"image/jpeg", "image/webp"}
_VIDEOS = {"video/mp4", "video/quicktime", "video/webm"}
_SMALLEST_SIDE = 360


def begin(world: World, creator: str, info: dict[str, Any], *, direct: bool, photo: bool, pulled: bool) -> Publish:
    prefix = ("p_" if photo else "v_") + ("pub" if direct else "inbox")
    way = "_url~v2." if pulled else "_file~v2-1."
    publish = Publish(
        id=f"{prefix}{way}{digits(19)}",
        parent=creator,
        photo=photo,
        direct=direct,
        pulled=pulled,
        info=info,
        made=world.clock.now(),
    )
    return world.store.put(publish)


async def pull(world: World, publish: Publish, urls: Sequence[str]) -> None:
    """Fetch the URLs, as the platform does after its response."""
    fetched = [await download(world, url, "", LARGEST_VIDEO) for url in urls]
    with world.store.transaction():
        ready, fate = processing(world, publish.parent, PROCESSING)
        if fate == HANG:
            return
        publish.files = [found or Media(content_type="", source=url) for url, found in zip(urls, fetched, strict=True)]
        publish.received = sum(file.size for file in publish.files)
        # A redirect counts as a failure, and anything out of reach is assumed to be good.
        publish.failure = _pull_failed(publish) if None in fetched else ""
        _process(world, publish, ready, fate)


def finish(world: World, publish: Publish, content_type: str) -> None:
    """All bytes of an upload have arrived."""
    publish.files = [of_file(world, publish.file, content_type)]
    ready, fate = processing(world, publish.parent, PROCESSING)
    if fate == HANG:
        world.store.put(publish)
    else:
        _process(world, publish, ready, fate)


def _pull_failed(publish: Publish) -> str:
    return "photo_pull_failed" if publish.photo else "video_pull_failed"


def status_of(world: World, publish: Publish) -> tuple[str, str]:
    """Return the state of a post, and why it failed if it did."""
    if publish.cancelled:
        return FAILED, "publish_cancelled"
    state = stage(world, publish.ready, publish.failure)
    if state == "waiting" and publish.pulled and expired(world, publish):
        return FAILED, _pull_failed(publish)
    if state in {"waiting", "processing"}:
        return "PROCESSING_DOWNLOAD" if publish.pulled else "PROCESSING_UPLOAD", ""
    if state == "failed":
        return FAILED, publish.failure
    return (PUBLISHED if publish.post else DELIVERED), ""


def complete(world: World, publish: Publish, *, privacy: str, after: float) -> Post:
    """Create the post, from `after` seconds on, and notify the app of its progress."""
    now = world.clock.now()
    made, public = now + timedelta(seconds=after), now + timedelta(seconds=after + MODERATION - PROCESSING)
    post = Post(
        id=digits(19),
        parent=publish.parent,
        text=str(publish.info.get("title", "")),
        description=str(publish.info.get("description", "")),
        privacy=privacy,
        photo=publish.photo,
        made=made,
        public=public,
        files=publish.files,
        info={name: value for name, value in publish.info.items() if name not in {"title", "description"}},
    )
    world.store.put(post)
    publish.post = post.id
    world.store.put(publish)
    _tell(world, publish, "complete", after=after)
    if privacy == "PUBLIC_TO_EVERYONE":
        _tell(world, publish, "publicly_available", after=after + MODERATION - PROCESSING, post_id=post.id)
    return post


def hide(world: World, publish: Publish, post: Post) -> None:
    post.hidden = True
    world.store.put(post)
    _tell(world, publish, "no_longer_publicaly_available", after=0, post_id=post.id)


def expired(world: World, publish: Publish) -> bool:
    return world.clock.now() - publish.made > _LIFE


def capped(world: World, creator: str) -> bool:
    """Whether an account has reached its daily number of posts."""
    return _recent(world, creator, direct=True) >= _MOST_POSTS


def drafts_pending(world: World, creator: str) -> bool:
    return _recent(world, creator, direct=False) >= _MOST_DRAFTS


def url_verified(world: World, url: str) -> bool:
    """Whether the app has verified that it owns a URL: those of the product and of this machine are verified.

    The real platform accepts only https from a named host. Others are verified with `url_properties` of the app,
    separated by commas: a domain with its subdomains, or a prefix that ends in a slash.
    """
    parts = parts_of(url)
    if parts is None:
        return False
    host = parts.hostname or ""
    if host == urlsplit(world.settings.gateway_url).hostname or is_here(host):
        return True
    known = [name.strip() for name in world.app.more.get("url_properties", "").split(",") if name.strip()]
    by_name = any(host == name or host.endswith(f".{name}") for name in known if "/" not in name)
    return parts.scheme == "https" and (by_name or any(url.startswith(name) for name in known if name.endswith("/")))


def _process(world: World, publish: Publish, ready: datetime, fate: str) -> None:
    """Begin processing, which finds out what is wrong with the files."""
    publish.ready, after = ready, -world.clock.since(ready)
    faults = [publish.failure, *(_fault(world, publish, file) for file in publish.files if file.is_seen)]
    too_large = "file_format_check_failed" if publish.received > LARGEST_VIDEO else ""
    publish.failure = next(filter(None, [*faults, too_large, fate]), "")
    world.store.put(publish)
    if publish.failure:
        _tell(world, publish, "failed", after=after, reason=publish.failure)
    elif publish.direct:
        complete(world, publish, privacy=str(publish.info.get("privacy_level", "")), after=after)
    else:
        _tell(world, publish, "inbox_delivered", after=after)


def _tell(world: World, publish: Publish, event: str, *, after: float, **more: str) -> None:
    kind = "DIRECT_PUBLISH" if publish.direct else "INBOX_SHARE"
    content = {"publish_id": publish.id} | more | {"publish_type": kind}
    send_event(world, f"post.publish.{event}", publish.parent, content, after=after)


def _fault(world: World, publish: Publish, file: Media) -> str:
    """Return what is wrong with a file: wrong type, image too small, video too long. Unknown values are accepted."""
    if file.content_type not in (_PHOTOS if publish.photo else _VIDEOS):
        return "file_format_check_failed"
    if not publish.photo and file.width and min(file.width, file.height) < _SMALLEST_SIDE:
        return "picture_size_check_failed"
    creator = world.store.get(Creator, publish.parent)
    longest = creator.longest_video if creator is not None else 0
    return "duration_check_failed" if longest and file.seconds > longest else ""


def _recent(world: World, creator: str, *, direct: bool) -> int:
    now = world.clock.now()
    begun = [one for one in world.store.find(Publish, parent=creator) if one.direct is direct]
    return sum(
        now - one.made < _DAY and not one.failure and not one.cancelled and (direct or not one.post) for one in begun
    )
