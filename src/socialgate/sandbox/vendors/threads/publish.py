"""Publishing on Threads: a container, some processing time, and the publish call."""

from datetime import timedelta
from typing import Any

from socialgate.sandbox.dialects.graph.given import flag, words
from socialgate.sandbox.dialects.graph.given import text as given
from socialgate.sandbox.dialects.graph.media import LARGEST_VIDEO, Media, download
from socialgate.sandbox.dialects.graph.nodes import Node, NodeType, own
from socialgate.sandbox.dialects.graph.times import written
from socialgate.sandbox.kit import Call, Refused, digits, text
from socialgate.sandbox.society.comments import author_from
from socialgate.sandbox.vendors.threads.content import (
    IMAGE_SECONDS,
    TEXT_SECONDS,
    VIDEO_SECONDS,
    Container,
    Options,
    Post,
    Reply,
    find_media,
    is_lost,
    owner_of,
    processing,
)
from socialgate.sandbox.vendors.threads.errors import ERRORS, KIND, bad_parameter, refusal, unknown
from socialgate.sandbox.vendors.threads.options import read_options
from socialgate.sandbox.vendors.threads.posts import permalink, username_of
from socialgate.sandbox.vendors.threads.quota import spend
from socialgate.sandbox.vendors.threads.replies import BOARD, tell_of_deletion
from socialgate.sandbox.vendors.threads.state import Profile
from socialgate.sandbox.vendors.threads.viewer import require
from socialgate.sandbox.vendors.threads.webhooks import notify

_DAY = timedelta(days=1)
_FEWEST_SLIDES, _MOST_SLIDES = 2, 20
_LARGEST_IMAGE = 8 * 1024 * 1024
_WIDEST = 10
_TYPES = {"TEXT", "IMAGE", "VIDEO", "CAROUSEL"}


def status(call: Call, container: Container) -> str:
    if container.published:
        return "PUBLISHED"
    if call.world.clock.since(container.made) >= _DAY.total_seconds():
        return "EXPIRED"
    if container.ready > call.world.clock.now():
        return "IN_PROGRESS"
    return "ERROR" if container.failure else "FINISHED"


CONTAINER = NodeType(
    "ThreadsMediaContainer",
    {
        **own("id"),
        "status": lambda call, container, _field: status(call, container),
        "error_message": lambda call, container, _field: (
            container.failure if status(call, container) == "ERROR" else None
        ),
    },
    ("id", "status"),
    error_kind=KIND,
)


def find_container(call: Call, key: str) -> Node | None:
    container = call.world.store.get(Container, key)
    mine = container is not None and container.parent == require(call).parent
    return Node(CONTAINER, container) if mine else None


async def create_container(call: Call, profile: Profile) -> Any:
    """Accept what is to be posted. Images are inspected immediately, videos while they are processed."""
    require(call, "threads_content_publish")
    kind = given(call, "media_type").upper()
    if kind not in _TYPES:
        return bad_parameter(f"Param media_type must be one of {{{', '.join(sorted(_TYPES))}}}")
    options = read_options(call, kind)
    media, failed = await _media_of(call, kind)
    with call.world.store.transaction():
        if kind == "CAROUSEL":
            return {"id": _carousel(call, profile, options).id}
        seconds = {"TEXT": TEXT_SECONDS, "IMAGE": IMAGE_SECONDS}.get(kind, VIDEO_SECONDS)
        ready, fated = processing(call.world, profile.id, seconds)
        container = _container(call, profile, kind, options)
        container.ready, container.failure, container.media = ready, fated or failed, media
        container.is_item = flag(call, "is_carousel_item")
        call.world.store.put(container)
        if kind == "TEXT" and flag(call, "auto_publish_text"):
            return _publish(call, profile, container)
    return {"id": container.id}


def _container(call: Call, profile: Profile, kind: str, options: Options) -> Container:
    now, key = call.world.clock.now(), digits(17)
    return Container(
        id=key, parent=profile.id, media_type=kind, made=now, ready=now, text=given(call, "text"), options=options
    )


async def _media_of(call: Call, kind: str) -> tuple[Media | None, str]:
    if kind not in {"IMAGE", "VIDEO"}:
        return None, ""
    name = f"{kind.lower()}_url"
    url = given(call, name)
    if not url:
        raise Refused(bad_parameter(f"The parameter {name} is required"))
    if kind == "VIDEO":
        media = await download(call.world, url, "video/mp4", LARGEST_VIDEO)
        if media is None:
            return None, "FAILED_DOWNLOADING_VIDEO"
        return media, "" if media.is_video and media.size <= LARGEST_VIDEO else "FAILED_PROCESSING_VIDEO"
    media = await download(call.world, url, "image/jpeg", _LARGEST_IMAGE)
    if media is None or media.content_type not in {"image/jpeg", "image/png"} or media.size > _LARGEST_IMAGE:
        raise refusal("media_fetch_failed")
    return media, "" if 1 / _WIDEST <= media.ratio <= _WIDEST else "INVALID_ASPEC_RATIO"


def _carousel(call: Call, profile: Profile, options: Options) -> Container:
    keys = words(call.params.get("children"))
    slides = [call.world.store.get(Container, key) for key in keys]
    mine = [slide for slide in slides if slide is not None and slide.parent == profile.id and slide.is_item]
    if not _FEWEST_SLIDES <= len(keys) <= _MOST_SLIDES or len(mine) < len(keys):
        raise Refused(bad_parameter("Param children must hold 2 to 20 ids of carousel items"))
    container = _container(call, profile, "CAROUSEL", options)
    ready, fated = processing(call.world, profile.id, IMAGE_SECONDS)
    container.ready = max(ready, *(slide.ready for slide in mine))
    container.failure = fated or next((slide.failure for slide in mine if slide.failure), "")
    container.children = keys
    return call.world.store.put(container)


def publish(call: Call, profile: Profile) -> Any:
    require(call, "threads_content_publish")
    container = call.world.store.get(Container, given(call, "creation_id"))
    if container is None or container.parent != profile.id or is_lost(call.world, profile.id):
        return ERRORS["container_not_found"](call)
    return _publish(call, profile, container)


def _publish(call: Call, profile: Profile, container: Container) -> Any:
    if status(call, container) != "FINISHED" or container.is_item:
        return ERRORS["container_not_found"](call)
    quota = "reply_" if container.options.reply_to else ""
    spend(call, profile.id, quota)
    parent = find_media(call.world, container.options.reply_to)
    if container.options.reply_to and parent is None:
        raise unknown(call, container.options.reply_to)
    post = _appear(call, container) if parent is None else _reply(call, profile, container, parent)
    container.published = post.id
    call.world.store.put(container)
    tell(call, post)
    return {"id": post.id}


def _appear(call: Call, container: Container, *, is_slide: bool = False) -> Post:
    return call.world.store.put(Post(parent=container.parent, is_slide=is_slide, **_content(call, container)))


def _reply(call: Call, profile: Profile, container: Container, parent: Post | Reply) -> Reply:
    root, above = (parent.parent, parent.id) if isinstance(parent, Reply) else (parent.id, "")
    return BOARD.add(
        call.world, Reply(parent=root, above=above, author=author_from(profile), **_content(call, container))
    )


def _content(call: Call, container: Container) -> dict[str, Any]:
    """Return what a post and a reply have in common, with slides as separate objects."""
    found = [slide for key in container.children if (slide := call.world.store.get(Container, key)) is not None]
    kinds = {"TEXT": "TEXT_POST", "CAROUSEL": "CAROUSEL_ALBUM"}
    return {
        "id": f"180{digits(14)}",
        "media_type": kinds.get(container.media_type, container.media_type),
        "shortcode": f"D{text(10)}",
        "made": call.world.clock.now(),
        "options": container.options,
        "text": container.text,
        "media": container.media,
        "children": [_appear(call, slide, is_slide=True).id for slide in found],
    }


def repost(call: Call, post: Post | Reply) -> Any:
    token = require(call, "threads_content_publish")
    spend(call, token.parent, "")
    now, key = call.world.clock.now(), f"180{digits(14)}"
    facade = Post(
        id=key,
        parent=token.parent,
        media_type="REPOST_FACADE",
        shortcode=f"D{text(10)}",
        made=now,
        options=Options(),
    )
    facade.repost_of = post.id
    call.world.store.put(facade)
    return {"id": facade.id}


def delete(call: Call, post: Post | Reply) -> Any:
    token = require(call, "threads_delete")
    if owner_of(post) != token.parent:
        raise unknown(call, post.id)
    spend(call, token.parent, "delete_")
    for key in [post.id, *post.children]:
        call.world.store.delete(Post, key)
    if isinstance(post, Reply):
        BOARD.delete(call.world, post)
    else:
        tell_of_deletion(call.world, post)
    return {"success": True, "deleted_id": post.id}


def tell(call: Call, post: Post | Reply) -> None:
    """Notify of a post that the profile published."""
    value = {
        "id": post.id,
        "media_product_type": "THREADS",
        "media_type": post.media_type,
        "permalink": permalink(call.world, post),
        "shortcode": post.shortcode,
        "timestamp": written(post.made),
        "is_quote_post": bool(post.options.quote),
        "is_reply": isinstance(post, Reply),
        "username": username_of(call.world, post),
    }
    notify(call.world, "publish", owner_of(post), value | ({"text": post.text} if post.text else {}))
