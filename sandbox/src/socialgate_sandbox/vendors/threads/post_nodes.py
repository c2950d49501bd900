"""Posts and replies as they are read: one, and all of a profile."""

from collections.abc import Sequence
from typing import Any

from socialgate_sandbox.dialects.graph.fields import RequestedField
from socialgate_sandbox.dialects.graph.nodes import Node, NodeType, resolve_attributes, resolve_optional_attributes
from socialgate_sandbox.dialects.graph.paging import build_page
from socialgate_sandbox.dialects.graph.parameters import parse_time, validate_choice
from socialgate_sandbox.dialects.graph.times import filter_by_time, format_time
from socialgate_sandbox.kit import Call, CallRefusedError, VendorContext
from socialgate_sandbox.kit.profile_pictures import build_picture_url
from socialgate_sandbox.society.comments import is_hidden, list_comments
from socialgate_sandbox.society.polls import OPEN_DURATION, count_votes
from socialgate_sandbox.vendors.threads.content import Post, Reply, find_media, get_owner_id, get_parent_id
from socialgate_sandbox.vendors.threads.errors import ERROR_TYPE, build_parameter_response, build_unknown_node_error
from socialgate_sandbox.vendors.threads.stored_objects import Profile
from socialgate_sandbox.vendors.threads.token_access import require_scope

CDN_HOST = "scontent.cdninstagram.com"
# The day on which Threads launched.
_MIN_TIMESTAMP = 1688540400
_MIN_FOLLOWERS = 100
_GIF_URL_TEMPLATES = {
    "GIPHY": "https://media.giphy.com/media/{}/giphy.gif",
    "TENOR": "https://media.tenor.com/{}/tenor.gif",
}


def get_username(context: VendorContext, post: Post | Reply) -> str:
    if isinstance(post, Reply):
        return post.author.username
    profile = context.store.get(Profile, post.parent)
    return profile.username if profile is not None else ""


def build_permalink(context: VendorContext, post: Post | Reply) -> str:
    return f"https://www.threads.net/@{get_username(context, post)}/post/{post.shortcode}"


def is_expired(context: VendorContext, post: Post | Reply) -> bool:
    """Whether a ghost post has expired."""
    return post.options.is_ghost_post and context.clock.now() >= post.created_at + OPEN_DURATION


def _resolve_media_url(call: Call, post: Post | Reply, _field: RequestedField) -> str | None:
    return post.media.url(call.context, CDN_HOST) if post.media is not None else None


def _resolve_thumbnail(call: Call, post: Post | Reply, _field: RequestedField) -> str | None:
    return build_picture_url(call.context, CDN_HOST, post.id, 640) if post.media_type == "VIDEO" else None


def _resolve_gif_url(_call: Call, post: Post | Reply, _field: RequestedField) -> str | None:
    """Return the URL of a GIF at its provider."""
    gif = post.options.gif_attachment
    return _GIF_URL_TEMPLATES[gif["provider"].upper()].format(gif["gif_id"]) if gif else None


def _resolve_poll(call: Call, post: Post | Reply, _field: RequestedField) -> dict[str, Any] | None:
    """Return a poll with its votes so far. It accepts votes for a day."""
    poll = post.options.poll_attachment
    if not poll:
        return None
    counts = count_votes(post.id, post.created_at, call.context.clock.now(), len(poll))
    total = sum(counts)
    shares = {
        f"{name}_votes_percentage": round(count / (total or 1), 2) for name, count in zip(poll, counts, strict=True)
    }
    return {
        **poll,
        **shares,
        "total_votes": total,
        "expiration_timestamp": format_time(post.created_at + OPEN_DURATION),
    }


def _resolve_ghost_status(call: Call, post: Post | Reply, _field: RequestedField) -> str | None:
    return ("ARCHIVED" if is_expired(call.context, post) else "ACTIVE") if post.options.is_ghost_post else None


def _resolve_is_verified(call: Call, post: Post | Reply, _field: RequestedField) -> bool:
    profile = call.context.store.get(Profile, get_owner_id(post))
    return profile is not None and profile.is_verified


def list_children(call: Call, post: Post | Reply) -> Any:
    slides = call.context.store.get_all(Post, post.children)
    return build_page(call, [Node(POST_NODE_TYPE, slide) for slide in slides], links=False)


def _find_direct_replies(context: VendorContext, post: Post | Reply) -> list[Reply]:
    """List the direct replies to this post or reply, oldest first."""
    above = post.id if isinstance(post, Reply) else ""
    replies = list_comments(context, Reply, post.parent if isinstance(post, Reply) else post.id)
    return [reply for reply in replies if reply.above == above]


def _build_reference(post_id: str) -> dict[str, str] | None:
    return {"id": post_id} if post_id else None


def _resolve_is_own(call: Call, post: Post | Reply, _field: RequestedField) -> bool:
    return get_owner_id(post) == require_scope(call).parent


def _resolve_owner(call: Call, post: Post | Reply, field: RequestedField) -> dict[str, str] | None:
    """Return the caller's own id. Those of others are not revealed."""
    return _build_reference(get_owner_id(post)) if _resolve_is_own(call, post, field) else None


def _resolve_hide_status(call: Call, post: Post | Reply, _field: RequestedField) -> str:
    return "HIDDEN" if isinstance(post, Reply) and is_hidden(call.context, post) else "NOT_HUSHED"


POST_NODE_TYPE = NodeType(
    "ThreadsMedia",
    {
        **resolve_attributes("id", "media_type", "shortcode"),
        **resolve_optional_attributes("text"),
        **resolve_optional_attributes(
            *("alt_text", "topic_tag", "text_entities", "text_attachment", "location_id", "allowlisted_country_codes"),
            parent_path="options",
        ),
        "media_product_type": lambda _call, _post, _field: "THREADS",
        "media_url": _resolve_media_url,
        "gif_url": _resolve_gif_url,
        "thumbnail_url": _resolve_thumbnail,
        "permalink": lambda call, post, _field: build_permalink(call.context, post),
        "owner": _resolve_owner,
        "username": lambda call, post, _field: get_username(call.context, post),
        "timestamp": lambda _call, post, _field: format_time(post.created_at),
        "is_quote_post": lambda _call, post, _field: bool(post.options.quote_post_id),
        "quoted_post": lambda _call, post, _field: _build_reference(post.options.quote_post_id),
        "reposted_post": lambda _call, post, _field: _build_reference(post.repost_of if isinstance(post, Post) else ""),
        "has_replies": lambda call, post, _field: bool(_find_direct_replies(call.context, post)),
        "is_reply": lambda _call, post, _field: isinstance(post, Reply),
        "is_reply_owned_by_me": _resolve_is_own,
        "root_post": lambda _call, post, _field: _build_reference(post.parent) if isinstance(post, Reply) else None,
        "replied_to": lambda _call, post, _field: _build_reference(get_parent_id(post)),
        "hide_status": _resolve_hide_status,
        "reply_audience": lambda _call, post, _field: post.options.reply_control.upper(),
        "link_attachment_url": lambda _call, post, _field: post.options.link_attachment or None,
        "poll_attachment": _resolve_poll,
        "is_spoiler_media": lambda _call, post, _field: post.options.is_spoiler_media,
        "ghost_post_status": _resolve_ghost_status,
        "ghost_post_expiration_timestamp": lambda _call, post, _field: (
            format_time(post.created_at + OPEN_DURATION) if post.options.is_ghost_post else None
        ),
        "location": lambda _call, post, _field: _build_reference(post.options.location_id),
        "is_verified": _resolve_is_verified,
        "profile_picture_url": lambda call, post, _field: build_picture_url(
            call.context, CDN_HOST, get_owner_id(post), 320
        ),
        # Replies are visible immediately here: no profile requires approval.
        "reply_approval_status": lambda _call, _post, _field: None,
    },
    error_kind=ERROR_TYPE,
)


def find_post(call: Call, post_id: str) -> Node | None:
    """Find a post of the caller, or a reply to one: other people's cannot be read by id."""
    post = find_media(call.context, post_id)
    if post is None:
        return None
    root = call.context.store.get(Post, post.parent)
    mine = require_scope(call).parent
    return Node(POST_NODE_TYPE, post) if mine in {get_owner_id(post), root.parent if root is not None else ""} else None


def list_posts(call: Call, profile: Profile) -> Any:
    posts = call.context.store.find(Post, parent=profile.id, newest_first=True)
    return _build_post_page(call, [post for post in posts if not post.is_slide and not is_expired(call.context, post)])


def list_ghost_posts(call: Call, profile: Profile) -> Any:
    """List ghost posts, including expired ones."""
    posts = call.context.store.find(Post, parent=profile.id, newest_first=True)
    return _build_post_page(call, [post for post in posts if post.options.is_ghost_post])


def _list_public_posts(call: Call) -> list[Post]:
    """List public posts, newest first."""
    posts = call.context.store.find(Post, newest_first=True)
    return [post for post in posts if not post.is_slide and not post.repost_of and not is_expired(call.context, post)]


def search_posts(call: Call) -> Any:
    """Find posts by a word in them, or by their topic."""
    require_scope(call, "threads_keyword_search")
    expected = str(call.params.get("q") or "").casefold()
    if not expected:
        return build_parameter_response("The parameter q is required")
    by_topic = (
        validate_choice("search_mode", str(call.params.get("search_mode") or "").lower(), ("keyword", "tag")) == "tag"
    )
    validate_choice("search_type", str(call.params.get("search_type") or "").lower(), ("top", "recent"))
    posts = [
        post
        for post in _list_public_posts(call)
        if expected in (post.options.topic_tag if by_topic else post.text).casefold()
    ]
    return _build_post_page(call, posts)


def list_mentions(call: Call, profile: Profile) -> Any:
    """List what others wrote that mentions the profile."""
    require_scope(call, "threads_manage_mentions")
    replies = [reply for reply in call.context.store.find(Reply, newest_first=True) if not reply.deleted]
    written: list[Post | Reply] = [*_list_public_posts(call), *replies]
    result = [item for item in written if f"@{profile.username}" in item.text and get_owner_id(item) != profile.id]
    return _build_post_page(call, sorted(result, key=lambda item: item.created_at, reverse=True))


def _find_requested_profile(call: Call) -> Profile:
    """Find a public profile by its name; small ones cannot be found."""
    require_scope(call, "threads_profile_discovery")
    expected = str(call.params.get("username") or "").removeprefix("@")
    existing_profile = next(
        (profile for profile in call.context.store.find(Profile) if profile.username == expected), None
    )
    if existing_profile is None or existing_profile.followers_count < _MIN_FOLLOWERS:
        raise build_unknown_node_error(call, expected)
    return existing_profile


def list_profile_posts(call: Call) -> Any:
    profile = _find_requested_profile(call)
    return _build_post_page(call, [post for post in _list_public_posts(call) if post.parent == profile.id])


def look_up_profile(call: Call) -> Any:
    profile = _find_requested_profile(call)
    return {
        "username": profile.username,
        "name": profile.name,
        "profile_picture_url": build_picture_url(call.context, CDN_HOST, profile.id, 320),
        "biography": profile.biography,
        "follower_count": profile.followers_count,
        "is_verified": profile.is_verified,
    }


def list_own_replies(call: Call, profile: Profile) -> Any:
    require_scope(call, "threads_read_replies")
    return _build_post_page(call, list_profile_replies(call.context, profile.id))


def list_profile_replies(context: VendorContext, profile: str) -> list[Reply]:
    """List what a profile replied to itself and to others, newest first."""
    replies = context.store.find(Reply, newest_first=True)
    return [reply for reply in replies if reply.author.id == profile and not reply.deleted]


def _build_post_page(call: Call, posts: Sequence[Post | Reply]) -> Any:
    for name in ("since", "until"):
        time = parse_time(call.params.get(name)) if call.params.get(name) else None
        if time is not None and time.timestamp() < _MIN_TIMESTAMP:
            raise CallRefusedError(
                build_parameter_response(f"Param {name} must be a timestamp of {_MIN_TIMESTAMP} or later")
            )
    return build_page(
        call,
        [Node(POST_NODE_TYPE, post) for post in filter_by_time(call, posts, lambda post: post.created_at)],
        links=False,
    )


def list_direct_replies(call: Call, post: Post | Reply) -> Any:
    """List the direct replies to the post."""
    require_scope(call, "threads_read_replies")
    return _build_reply_page(call, _find_direct_replies(call.context, post))


def list_conversation(call: Call, post: Post | Reply) -> Any:
    """List all replies below a post, at any depth."""
    require_scope(call, "threads_read_replies")
    if isinstance(post, Reply):
        return build_parameter_response("A conversation can only be read from the post that begins it")
    return _build_reply_page(call, list_comments(call.context, Reply, post.id))


def _build_reply_page(call: Call, posts: list[Reply]) -> Any:
    """Sort newest first, unless the caller requests otherwise."""
    if str(call.params.get("reverse", "true")).lower() != "false":
        posts.reverse()
    return build_page(call, [Node(POST_NODE_TYPE, post) for post in posts], links=False)
