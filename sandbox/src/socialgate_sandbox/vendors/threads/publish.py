"""Publishing on Threads: a container, some processing time, and the publish call."""

from typing import Any

from socialgate_sandbox.dialects.graph.containers import add_container, fetch_video, slides_given, status
from socialgate_sandbox.dialects.graph.given import flag
from socialgate_sandbox.dialects.graph.given import text as given
from socialgate_sandbox.dialects.graph.nodes import NodeType, finder, own
from socialgate_sandbox.dialects.graph.times import written
from socialgate_sandbox.kit import Call, Refused, World, digits, text
from socialgate_sandbox.kit.lifecycle import next_fate
from socialgate_sandbox.kit.media import Media, download
from socialgate_sandbox.society.comments import author_from
from socialgate_sandbox.vendors.threads.content import Container, Options, Post, Reply, find_media, owner_of
from socialgate_sandbox.vendors.threads.errors import ERRORS, KIND, bad_parameter, refusal, unknown
from socialgate_sandbox.vendors.threads.options import read_options
from socialgate_sandbox.vendors.threads.posts import permalink, username_of
from socialgate_sandbox.vendors.threads.quota import spend
from socialgate_sandbox.vendors.threads.replies import BOARD, tell_of_deletion
from socialgate_sandbox.vendors.threads.state import Profile
from socialgate_sandbox.vendors.threads.viewer import require
from socialgate_sandbox.vendors.threads.webhooks import notify

# The account under which the fates of publish calls are chosen, rather than those of containers.
LOST = ":lost"
_MOST_SLIDES = 20
_LARGEST_IMAGE = 8 * 1024 * 1024
_WIDEST = 10
# How long each kind is usually processed.
_SECONDS = {"CAROUSEL": 1.0, "IMAGE": 1.0, "TEXT": 0.0, "VIDEO": 5.0}


CONTAINER = NodeType(
    "ThreadsMediaContainer",
    {
        **own("id"),
        "status": lambda call, container, _field: status(call.world, container),
        "error_message": lambda call, container, _field: (
            container.failure if status(call.world, container) == "ERROR" else None
        ),
    },
    ("id", "status"),
    error_kind=KIND,
)


find_container = finder(Container, CONTAINER, lambda call, container: container.parent == require(call).parent)


async def create_container(call: Call, profile: Profile) -> Any:
    """Accept what is to be posted. Images are inspected immediately, videos while they are processed."""
    require(call, "threads_content_publish")
    kind = given(call, "media_type").upper()
    if kind not in _SECONDS:
        return bad_parameter(f"Param media_type must be one of {{{', '.join(_SECONDS)}}}")
    options, content = read_options(call, kind), given(call, "text")
    media, failed = await _media_of(call, kind)
    with call.world.store.transaction():
        container = add_container(
            call.world,
            Container,
            profile.id,
            _SECONDS[kind],
            slides=_slides(call, profile) if kind == "CAROUSEL" else (),
            media_type=kind,
            text=content,
            options=options,
            media=media,
            failure=failed,
            is_item=flag(call, "is_carousel_item") and kind != "CAROUSEL",
        )
        if kind == "TEXT" and flag(call, "auto_publish_text"):
            return _publish(call, profile, container)
    return {"id": container.id}


async def _media_of(call: Call, kind: str) -> tuple[Media | None, str]:
    if kind not in {"IMAGE", "VIDEO"}:
        return None, ""
    name = f"{kind.lower()}_url"
    url = given(call, name)
    if not url:
        raise Refused(bad_parameter(f"The parameter {name} is required"))
    if kind == "VIDEO":
        return await fetch_video(call.world, url, "FAILED_DOWNLOADING_VIDEO", "FAILED_PROCESSING_VIDEO")
    media = await download(call.world, url, "image/jpeg", _LARGEST_IMAGE)
    if media is None or media.content_type not in {"image/jpeg", "image/png"} or media.size > _LARGEST_IMAGE:
        raise refusal("media_fetch_failed")
    return media, "" if 1 / _WIDEST <= media.ratio <= _WIDEST else "INVALID_ASPEC_RATIO"


def _slides(call: Call, profile: Profile) -> list[Container]:
    wrong = Refused(bad_parameter("Param children must hold 2 to 20 ids of carousel items"))
    return slides_given(call, Container, profile.id, _MOST_SLIDES, wrong, wrong)


def publish(call: Call, profile: Profile) -> Any:
    require(call, "threads_content_publish")
    container = call.world.store.get(Container, given(call, "creation_id"))
    if container is None or container.parent != profile.id or _is_lost(call.world, profile.id):
        return ERRORS["container_not_found"](call)
    return _publish(call, profile, container)


def _is_lost(world: World, profile: str) -> bool:
    """Whether the container of a publish call is not found although it exists, as happens on the real platform."""
    return bool(next_fate(world, f"{profile}{LOST}").parent)


def _publish(call: Call, profile: Profile, container: Container) -> Any:
    if status(call.world, container) != "FINISHED" or container.is_item:
        return ERRORS["container_not_found"](call)
    quota = "reply_" if container.options.reply_to_id else ""
    spend(call, profile.id, quota)
    parent = find_media(call.world, container.options.reply_to_id)
    if container.options.reply_to_id and parent is None:
        raise unknown(call, container.options.reply_to_id)
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
    slides = call.world.store.get_all(Container, container.children)
    kinds = {"TEXT": "TEXT_POST", "CAROUSEL": "CAROUSEL_ALBUM"}
    return {
        "id": f"180{digits(14)}",
        "media_type": kinds.get(container.media_type, container.media_type),
        "shortcode": f"D{text(10)}",
        "made": call.world.clock.now(),
        "options": container.options,
        "text": container.text,
        "media": container.media,
        "children": [_appear(call, slide, is_slide=True).id for slide in slides],
    }


def repost(call: Call, post: Post | Reply) -> Any:
    token = require(call, "threads_content_publish")
    spend(call, token.parent, "")
    facade = Post(
        id=f"180{digits(14)}",
        parent=token.parent,
        media_type="REPOST_FACADE",
        shortcode=f"D{text(10)}",
        made=call.world.clock.now(),
        options=Options(),
        repost_of=post.id,
    )
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
        "is_quote_post": bool(post.options.quote_post_id),
        "is_reply": isinstance(post, Reply),
        "username": username_of(call.world, post),
    }
    notify(call.world, "publish", owner_of(post), value | ({"text": post.text} if post.text else {}))
