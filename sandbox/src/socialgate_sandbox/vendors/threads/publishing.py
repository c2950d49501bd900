"""Publishing on Threads: a container, some processing time, and the publish call."""

from typing import Any

from socialgate_sandbox.dialects.graph.containers import add_container, fetch_video, find_slides, get_status
from socialgate_sandbox.dialects.graph.nodes import NodeType, build_finder, resolve_attributes
from socialgate_sandbox.dialects.graph.parameters import get_flag
from socialgate_sandbox.dialects.graph.parameters import get_text as given
from socialgate_sandbox.dialects.graph.times import format_time
from socialgate_sandbox.kit import Call, CallRefusedError, VendorContext, generate_alphanumeric, generate_digits
from socialgate_sandbox.kit.media import Media, download_media
from socialgate_sandbox.kit.post_processing import take_post_fate
from socialgate_sandbox.society.comments import build_account_author
from socialgate_sandbox.vendors.threads.content import Container, Post, PostOptions, Reply, find_media, get_owner_id
from socialgate_sandbox.vendors.threads.errors import (
    ERROR_TYPE,
    ERRORS,
    build_parameter_response,
    build_refusal,
    build_unknown_node_error,
)
from socialgate_sandbox.vendors.threads.post_nodes import build_permalink, get_username
from socialgate_sandbox.vendors.threads.post_options import parse_post_options
from socialgate_sandbox.vendors.threads.publishing_quota import require_and_record_use
from socialgate_sandbox.vendors.threads.replies import COMMENT_SERVICE, notify_deletion
from socialgate_sandbox.vendors.threads.stored_objects import Profile
from socialgate_sandbox.vendors.threads.token_access import require_scope
from socialgate_sandbox.vendors.threads.webhooks import notify_webhook

# The account under which the fates of publish calls are chosen, rather than those of containers.
LOST_FATE_SUFFIX = ":lost"
_MAX_SLIDES = 20
_MAX_IMAGE_BYTES = 8 * 1024 * 1024
# "Longer than 0 seconds, at most 5 minutes".
_VIDEO_SECONDS = (0, 300)
_MAX_ASPECT_RATIO = 10
# How long each kind is usually processed.
_PROCESSING_SECONDS = {"CAROUSEL": 1.0, "IMAGE": 1.0, "TEXT": 0.0, "VIDEO": 5.0}


CONTAINER_NODE_TYPE = NodeType(
    "ThreadsMediaContainer",
    {
        **resolve_attributes("id"),
        "status": lambda call, container, _field: get_status(call.context, container),
        "error_message": lambda call, container, _field: (
            container.failure if get_status(call.context, container) == "ERROR" else None
        ),
    },
    ("id", "status"),
    error_kind=ERROR_TYPE,
)


find_container = build_finder(
    Container, CONTAINER_NODE_TYPE, lambda call, container: container.parent == require_scope(call).parent
)


async def create_container(call: Call, profile: Profile) -> Any:
    """Accept what is to be posted. Images are inspected immediately, videos while they are processed."""
    require_scope(call, "threads_content_publish")
    kind = given(call, "media_type").upper()
    if kind not in _PROCESSING_SECONDS:
        return build_parameter_response(f"Param media_type must be one of {{{', '.join(_PROCESSING_SECONDS)}}}")
    options, content = parse_post_options(call, kind), given(call, "text")
    media, failed = await _fetch_media(call, kind)
    with call.context.store.transaction():
        container = add_container(
            call.context,
            Container,
            profile.id,
            _PROCESSING_SECONDS[kind],
            slides=_find_carousel_slides(call, profile) if kind == "CAROUSEL" else (),
            media_type=kind,
            text=content,
            options=options,
            media=media,
            failure=failed,
            is_item=get_flag(call, "is_carousel_item") and kind != "CAROUSEL",
        )
        if kind == "TEXT" and get_flag(call, "auto_publish_text"):
            return _publish_if_ready(call, profile, container)
    return {"id": container.id}


async def _fetch_media(call: Call, media_type: str) -> tuple[Media | None, str]:
    if media_type not in {"IMAGE", "VIDEO"}:
        return None, ""
    name = f"{media_type.lower()}_url"
    url = given(call, name)
    if not url:
        raise CallRefusedError(build_parameter_response(f"The parameter {name} is required"))
    if media_type == "VIDEO":
        return await fetch_video(
            call.context, url, _VIDEO_SECONDS, "FAILED_DOWNLOADING_VIDEO", "FAILED_PROCESSING_VIDEO"
        )
    media = await download_media(call.context, url, "image/jpeg", _MAX_IMAGE_BYTES)
    if media is None or media.content_type not in {"image/jpeg", "image/png"} or media.size > _MAX_IMAGE_BYTES:
        raise build_refusal("media_fetch_failed")
    return media, "" if 1 / _MAX_ASPECT_RATIO <= media.aspect_ratio <= _MAX_ASPECT_RATIO else "INVALID_ASPEC_RATIO"


def _find_carousel_slides(call: Call, profile: Profile) -> list[Container]:
    wrong = CallRefusedError(build_parameter_response("Param children must hold 2 to 20 ids of carousel items"))
    return find_slides(call, Container, profile.id, _MAX_SLIDES, wrong, wrong)


def publish_container(call: Call, profile: Profile) -> Any:
    require_scope(call, "threads_content_publish")
    container = call.context.store.get(Container, given(call, "creation_id"))
    if container is None or container.parent != profile.id or _takes_lost_fate(call.context, profile.id):
        return ERRORS["container_not_found"](call)
    return _publish_if_ready(call, profile, container)


def _takes_lost_fate(context: VendorContext, profile: str) -> bool:
    """Whether the container of a publish call is not found although it exists, as happens on the real platform."""
    return bool(take_post_fate(context, f"{profile}{LOST_FATE_SUFFIX}").parent)


def _publish_if_ready(call: Call, profile: Profile, container: Container) -> Any:
    if get_status(call.context, container) != "FINISHED" or container.is_item:
        return ERRORS["container_not_found"](call)
    quota = "reply_" if container.options.reply_to_id else ""
    require_and_record_use(call, profile.id, quota)
    parent = find_media(call.context, container.options.reply_to_id)
    if container.options.reply_to_id and parent is None:
        raise build_unknown_node_error(call, container.options.reply_to_id)
    post = _create_post(call, container) if parent is None else _create_reply(call, profile, container, parent)
    container.published = post.id
    call.context.store.put(container)
    notify_publish(call, post)
    return {"id": post.id}


def _create_post(call: Call, container: Container, *, is_slide: bool = False) -> Post:
    return call.context.store.put(
        Post(parent=container.parent, is_slide=is_slide, **_build_content_fields(call, container))
    )


def _create_reply(call: Call, profile: Profile, container: Container, parent_post: Post | Reply) -> Reply:
    root, above = (parent_post.parent, parent_post.id) if isinstance(parent_post, Reply) else (parent_post.id, "")
    return COMMENT_SERVICE.add(
        call.context,
        Reply(parent=root, above=above, author=build_account_author(profile), **_build_content_fields(call, container)),
    )


def _build_content_fields(call: Call, container: Container) -> dict[str, Any]:
    """Return what a post and a reply have in common, with slides as separate objects."""
    slides = call.context.store.get_all(Container, container.children)
    kinds = {"TEXT": "TEXT_POST", "CAROUSEL": "CAROUSEL_ALBUM"}
    return {
        "id": f"180{generate_digits(14)}",
        "media_type": kinds.get(container.media_type, container.media_type),
        "shortcode": f"D{generate_alphanumeric(10)}",
        "created_at": call.context.clock.now(),
        "options": container.options,
        "text": container.text,
        "media": container.media,
        "children": [_create_post(call, slide, is_slide=True).id for slide in slides],
    }


def create_repost(call: Call, post: Post | Reply) -> Any:
    token = require_scope(call, "threads_content_publish")
    require_and_record_use(call, token.parent, "")
    facade = Post(
        id=f"180{generate_digits(14)}",
        parent=token.parent,
        media_type="REPOST_FACADE",
        shortcode=f"D{generate_alphanumeric(10)}",
        created_at=call.context.clock.now(),
        options=PostOptions(),
        repost_of=post.id,
    )
    call.context.store.put(facade)
    return {"id": facade.id}


def delete_post(call: Call, post: Post | Reply) -> Any:
    token = require_scope(call, "threads_delete")
    if get_owner_id(post) != token.parent:
        raise build_unknown_node_error(call, post.id)
    require_and_record_use(call, token.parent, "delete_")
    for key in [post.id, *post.children]:
        call.context.store.delete(Post, key)
    if isinstance(post, Reply):
        COMMENT_SERVICE.delete(call.context, post)
    else:
        notify_deletion(call.context, post)
    return {"success": True, "deleted_id": post.id}


def notify_publish(call: Call, post: Post | Reply) -> None:
    """Notify of a post that the profile published."""
    value = {
        "id": post.id,
        "media_product_type": "THREADS",
        "media_type": post.media_type,
        "permalink": build_permalink(call.context, post),
        "shortcode": post.shortcode,
        "timestamp": format_time(post.created_at),
        "is_quote_post": bool(post.options.quote_post_id),
        "is_reply": isinstance(post, Reply),
        "username": get_username(call.context, post),
    }
    notify_webhook(call.context, "publish", get_owner_id(post), value | ({"text": post.text} if post.text else {}))
