"""What TikTok counts. It reports current totals only, without history."""

from zoneinfo import ZoneInfo

from socialgate_sandbox.kit import World
from socialgate_sandbox.society.audiences import Audiences
from socialgate_sandbox.society.growth import Piece
from socialgate_sandbox.society.metrics import Metrics, counts
from socialgate_sandbox.vendors.tiktok.state import Creator, Post


def public_posts(world: World, creator: str) -> list[Post]:
    """List the public posts, newest first."""
    now = world.clock.now()
    posts = world.store.find(Post, parent=creator)
    shown = [post for post in posts if post.privacy == "PUBLIC_TO_EVERYONE" and post.public <= now and not post.hidden]
    return sorted(shown, key=lambda post: post.made, reverse=True)


_CREATORS = Audiences(
    Creator,
    lambda creator: creator.followers,
    lambda world, creator: [Piece(post.id, post.public) for post in public_posts(world, creator.id)],
)


def user_counts(world: World, key: str) -> dict[str, int]:
    creator, audience = world.store.get(Creator, key), _CREATORS(world, key)
    if creator is None or audience is None:
        return {}
    return {
        "follower_count": audience.followers(),
        "following_count": creator.following,
        "likes_count": creator.likes + audience.gained("likes"),
        "video_count": len(audience.pieces),
    }


def video_counts(world: World, post: Post) -> dict[str, int]:
    audience = _CREATORS(world, post.parent)
    piece = Piece(post.id, post.public)
    return {} if audience is None else {name: USER_METRICS.of_post(audience, piece, name) for name in USER_METRICS.post}


# Nobody writes comments in the sandbox's TikTok, so they are only counted.
USER_METRICS = Metrics(
    _CREATORS,
    counts(likes="likes", new_followers="follows", lost_followers="unfollows"),
    counts(view_count="views", like_count="likes", comment_count="replies", share_count="shares"),
    ZoneInfo("UTC"),
    levels=user_counts,
)
