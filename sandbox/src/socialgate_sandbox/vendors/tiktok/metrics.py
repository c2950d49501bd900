"""What TikTok counts. It reports current totals only, without history."""

from zoneinfo import ZoneInfo

from socialgate_sandbox.kit import VendorContext
from socialgate_sandbox.society.audience_growth import PostActivity
from socialgate_sandbox.society.audiences import AudienceReader
from socialgate_sandbox.society.platform_metrics import PlatformMetrics, declare_counts
from socialgate_sandbox.vendors.tiktok.state import Creator, Post


def list_public_posts(context: VendorContext, creator: str) -> list[Post]:
    """List the public posts, newest first."""
    now = context.clock.now()
    posts = context.store.find(Post, parent=creator)
    shown = [post for post in posts if post.privacy == "PUBLIC_TO_EVERYONE" and post.public <= now and not post.hidden]
    return sorted(shown, key=lambda post: post.created_at, reverse=True)


_CREATOR_AUDIENCES = AudienceReader(
    Creator,
    lambda creator: creator.followers,
    lambda world, creator: [PostActivity(post.id, post.public) for post in list_public_posts(world, creator.id)],
)


def get_user_counts(context: VendorContext, creator_id: str) -> dict[str, int]:
    creator, audience = context.store.get(Creator, creator_id), _CREATOR_AUDIENCES(context, creator_id)
    if creator is None or audience is None:
        return {}
    return {
        "follower_count": audience.count_followers(),
        "following_count": creator.following,
        "likes_count": creator.likes + audience.count_since_start("likes"),
        "video_count": len(audience.posts),
    }


def get_video_counts(context: VendorContext, post: Post) -> dict[str, int]:
    audience = _CREATOR_AUDIENCES(context, post.parent)
    piece = PostActivity(post.id, post.public)
    return (
        {}
        if audience is None
        else {name: USER_METRICS.count_for_post(audience, piece, name) for name in USER_METRICS.post}
    )


# Nobody writes comments in the sandbox's TikTok, so they are only counted.
USER_METRICS = PlatformMetrics(
    _CREATOR_AUDIENCES,
    declare_counts(likes="likes", new_followers="follows", lost_followers="unfollows"),
    declare_counts(view_count="views", like_count="likes", comment_count="replies", share_count="shares"),
    ZoneInfo("UTC"),
    read_current_values=get_user_counts,
)
