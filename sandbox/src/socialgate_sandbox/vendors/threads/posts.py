"""Posts and replies as they are read: one, and all of a profile."""

from collections.abc import Sequence
from typing import Any

from socialgate_sandbox.dialects.graph.fields import Field
from socialgate_sandbox.dialects.graph.given import moment, one_of
from socialgate_sandbox.dialects.graph.nodes import Node, NodeType, optional, own
from socialgate_sandbox.dialects.graph.paging import listing
from socialgate_sandbox.dialects.graph.times import within, written
from socialgate_sandbox.kit import Call, Refused, World
from socialgate_sandbox.kit.pictures import picture_url
from socialgate_sandbox.society.comments import comments_on, is_hidden
from socialgate_sandbox.society.polls import OPEN, votes
from socialgate_sandbox.vendors.threads.content import Post, Reply, find_media, owner_of, replied_to
from socialgate_sandbox.vendors.threads.errors import KIND, bad_parameter, unknown
from socialgate_sandbox.vendors.threads.state import Profile
from socialgate_sandbox.vendors.threads.viewer import require

CDN = "scontent.cdninstagram.com"
# The day on which Threads launched.
_EARLIEST = 1688540400
_FEWEST_FOLLOWERS = 100
_GIFS = {"GIPHY": "https://media.giphy.com/media/{}/giphy.gif", "TENOR": "https://media.tenor.com/{}/tenor.gif"}


def username_of(world: World, post: Post | Reply) -> str:
    if isinstance(post, Reply):
        return post.author.username
    profile = world.store.get(Profile, post.parent)
    return profile.username if profile is not None else ""


def permalink(world: World, post: Post | Reply) -> str:
    return f"https://www.threads.net/@{username_of(world, post)}/post/{post.shortcode}"


def is_over(world: World, post: Post | Reply) -> bool:
    """Whether a ghost post has expired."""
    return post.options.is_ghost_post and world.clock.now() >= post.made + OPEN


def _media_url(call: Call, post: Post | Reply, _field: Field) -> str | None:
    return post.media.url(call.world, CDN) if post.media is not None else None


def _thumbnail(call: Call, post: Post | Reply, _field: Field) -> str | None:
    return picture_url(call.world, CDN, post.id, 640) if post.media_type == "VIDEO" else None


def _gif_url(_call: Call, post: Post | Reply, _field: Field) -> str | None:
    """Return the URL of a GIF at its provider."""
    gif = post.options.gif_attachment
    return _GIFS[gif["provider"].upper()].format(gif["gif_id"]) if gif else None


def _poll(call: Call, post: Post | Reply, _field: Field) -> dict[str, Any] | None:
    """Return a poll with its votes so far. It accepts votes for a day."""
    poll = post.options.poll_attachment
    if not poll:
        return None
    counts = votes(post.id, post.made, call.world.clock.now(), len(poll))
    total = sum(counts)
    shares = {
        f"{name}_votes_percentage": round(count / (total or 1), 2) for name, count in zip(poll, counts, strict=True)
    }
    return {**poll, **shares, "total_votes": total, "expiration_timestamp": written(post.made + OPEN)}


def _ghost_status(call: Call, post: Post | Reply, _field: Field) -> str | None:
    return ("ARCHIVED" if is_over(call.world, post) else "ACTIVE") if post.options.is_ghost_post else None


def _is_verified(call: Call, post: Post | Reply, _field: Field) -> bool:
    profile = call.world.store.get(Profile, owner_of(post))
    return profile is not None and profile.is_verified


def children(call: Call, post: Post | Reply) -> Any:
    slides = call.world.store.get_all(Post, post.children)
    return listing(call, [Node(POST, slide) for slide in slides], links=False)


def _replies_to(world: World, post: Post | Reply) -> list[Reply]:
    """List the direct replies to this post or reply, oldest first."""
    above = post.id if isinstance(post, Reply) else ""
    found = comments_on(world, Reply, post.parent if isinstance(post, Reply) else post.id)
    return [reply for reply in found if reply.above == above]


def _reference(key: str) -> dict[str, str] | None:
    return {"id": key} if key else None


def _mine(call: Call, post: Post | Reply, _field: Field) -> bool:
    return owner_of(post) == require(call).parent


def _owner(call: Call, post: Post | Reply, field: Field) -> dict[str, str] | None:
    """Return the caller's own id. Those of others are not revealed."""
    return _reference(owner_of(post)) if _mine(call, post, field) else None


def _hide_status(call: Call, post: Post | Reply, _field: Field) -> str:
    return "HIDDEN" if isinstance(post, Reply) and is_hidden(call.world, post) else "NOT_HUSHED"


POST = NodeType(
    "ThreadsMedia",
    {
        **own("id", "media_type", "shortcode"),
        **optional("text"),
        **optional(
            *("alt_text", "topic_tag", "text_entities", "text_attachment", "location_id", "allowlisted_country_codes"),
            of="options",
        ),
        "media_product_type": lambda _call, _post, _field: "THREADS",
        "media_url": _media_url,
        "gif_url": _gif_url,
        "thumbnail_url": _thumbnail,
        "permalink": lambda call, post, _field: permalink(call.world, post),
        "owner": _owner,
        "username": lambda call, post, _field: username_of(call.world, post),
        "timestamp": lambda _call, post, _field: written(post.made),
        "is_quote_post": lambda _call, post, _field: bool(post.options.quote_post_id),
        "quoted_post": lambda _call, post, _field: _reference(post.options.quote_post_id),
        "reposted_post": lambda _call, post, _field: _reference(post.repost_of if isinstance(post, Post) else ""),
        "has_replies": lambda call, post, _field: bool(_replies_to(call.world, post)),
        "is_reply": lambda _call, post, _field: isinstance(post, Reply),
        "is_reply_owned_by_me": _mine,
        "root_post": lambda _call, post, _field: _reference(post.parent) if isinstance(post, Reply) else None,
        "replied_to": lambda _call, post, _field: _reference(replied_to(post)),
        "hide_status": _hide_status,
        "reply_audience": lambda _call, post, _field: post.options.reply_control.upper(),
        "link_attachment_url": lambda _call, post, _field: post.options.link_attachment or None,
        "poll_attachment": _poll,
        "is_spoiler_media": lambda _call, post, _field: post.options.is_spoiler_media,
        "ghost_post_status": _ghost_status,
        "ghost_post_expiration_timestamp": lambda _call, post, _field: (
            written(post.made + OPEN) if post.options.is_ghost_post else None
        ),
        "location": lambda _call, post, _field: _reference(post.options.location_id),
        "is_verified": _is_verified,
        "profile_picture_url": lambda call, post, _field: picture_url(call.world, CDN, owner_of(post), 320),
        # Replies are visible immediately here: no profile requires approval.
        "reply_approval_status": lambda _call, _post, _field: None,
    },
    error_kind=KIND,
)


def find_post(call: Call, key: str) -> Node | None:
    """Find a post of the caller, or a reply to one: other people's cannot be read by id."""
    post = find_media(call.world, key)
    if post is None:
        return None
    root = call.world.store.get(Post, post.parent)
    mine = require(call).parent
    return Node(POST, post) if mine in {owner_of(post), root.parent if root is not None else ""} else None


def threads(call: Call, profile: Profile) -> Any:
    found = call.world.store.find(Post, parent=profile.id, newest_first=True)
    return _listed(call, [post for post in found if not post.is_slide and not is_over(call.world, post)])


def ghost_posts(call: Call, profile: Profile) -> Any:
    """List ghost posts, including expired ones."""
    found = call.world.store.find(Post, parent=profile.id, newest_first=True)
    return _listed(call, [post for post in found if post.options.is_ghost_post])


def _public(call: Call) -> list[Post]:
    """List public posts, newest first."""
    found = call.world.store.find(Post, newest_first=True)
    return [post for post in found if not post.is_slide and not post.repost_of and not is_over(call.world, post)]


def keyword_search(call: Call) -> Any:
    """Find posts by a word in them, or by their topic."""
    require(call, "threads_keyword_search")
    wanted = str(call.params.get("q") or "").casefold()
    if not wanted:
        return bad_parameter("The parameter q is required")
    by_topic = one_of("search_mode", str(call.params.get("search_mode") or "").lower(), ("keyword", "tag")) == "tag"
    one_of("search_type", str(call.params.get("search_type") or "").lower(), ("top", "recent"))
    found = [post for post in _public(call) if wanted in (post.options.topic_tag if by_topic else post.text).casefold()]
    return _listed(call, found)


def mentions(call: Call, profile: Profile) -> Any:
    """List what others wrote that mentions the profile."""
    require(call, "threads_manage_mentions")
    replies = [one for one in call.world.store.find(Reply, newest_first=True) if not one.deleted]
    written: list[Post | Reply] = [*_public(call), *replies]
    found = [one for one in written if f"@{profile.username}" in one.text and owner_of(one) != profile.id]
    return _listed(call, sorted(found, key=lambda one: one.made, reverse=True))


def _named(call: Call) -> Profile:
    """Find a public profile by its name; small ones cannot be found."""
    require(call, "threads_profile_discovery")
    wanted = str(call.params.get("username") or "").removeprefix("@")
    found = next((one for one in call.world.store.find(Profile) if one.username == wanted), None)
    if found is None or found.followers_count < _FEWEST_FOLLOWERS:
        raise unknown(call, wanted)
    return found


def profile_posts(call: Call) -> Any:
    profile = _named(call)
    return _listed(call, [post for post in _public(call) if post.parent == profile.id])


def profile_lookup(call: Call) -> Any:
    profile = _named(call)
    return {
        "username": profile.username,
        "name": profile.name,
        "profile_picture_url": picture_url(call.world, CDN, profile.id, 320),
        "biography": profile.biography,
        "follower_count": profile.followers_count,
        "is_verified": profile.is_verified,
    }


def own_replies(call: Call, profile: Profile) -> Any:
    require(call, "threads_read_replies")
    return _listed(call, replies_of(call.world, profile.id))


def replies_of(world: World, profile: str) -> list[Reply]:
    """List what a profile replied to itself and to others, newest first."""
    found = world.store.find(Reply, newest_first=True)
    return [reply for reply in found if reply.author.id == profile and not reply.deleted]


def _listed(call: Call, found: Sequence[Post | Reply]) -> Any:
    for name in ("since", "until"):
        given = moment(call.params.get(name)) if call.params.get(name) else None
        if given is not None and given.timestamp() < _EARLIEST:
            raise Refused(bad_parameter(f"Param {name} must be a timestamp of {_EARLIEST} or later"))
    return listing(call, [Node(POST, post) for post in within(call, found, lambda post: post.made)], links=False)


def replies(call: Call, post: Post | Reply) -> Any:
    """List the direct replies to the post."""
    require(call, "threads_read_replies")
    return _ordered(call, _replies_to(call.world, post))


def conversation(call: Call, post: Post | Reply) -> Any:
    """List all replies below a post, at any depth."""
    require(call, "threads_read_replies")
    if isinstance(post, Reply):
        return bad_parameter("A conversation can only be read from the post that begins it")
    return _ordered(call, comments_on(call.world, Reply, post.id))


def _ordered(call: Call, found: list[Reply]) -> Any:
    """Sort newest first, unless the caller requests otherwise."""
    if str(call.params.get("reverse", "true")).lower() != "false":
        found.reverse()
    return listing(call, [Node(POST, post) for post in found], links=False)
