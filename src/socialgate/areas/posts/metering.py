"""What counts as a post: one that was accepted for publishing, on however many accounts, from then on.

A draft does not count, and neither does a post that was cancelled before it was published.
"""

import msgspec

from socialgate.areas.posts.tables import PostRow, PostStatus
from socialgate.core.db import Tx
from socialgate.core.metering import UsageMetric, count_usage

_UNCOUNTED_POST_STATUSES = (PostStatus.DRAFT, PostStatus.CANCELLED)


def update_post_count(tx: Tx, post: PostRow, before: PostStatus = PostStatus.DRAFT) -> PostRow:
    """Count a post that is accepted now, or no longer count one that is withdrawn, and return it with the time at which
    it was counted. Posts of earlier versions were not counted.
    """
    was, is_now = before not in _UNCOUNTED_POST_STATUSES, post.status not in _UNCOUNTED_POST_STATUSES
    if is_now and not was:
        count_usage(tx, post.owner_id, post.profile_id, UsageMetric.POSTS)
        return msgspec.structs.replace(post, counted_at=tx.now)
    if was and not is_now and post.counted_at is not None:
        count_usage(tx, post.owner_id, post.profile_id, UsageMetric.POSTS, -1, at=post.counted_at)
        return msgspec.structs.replace(post, counted_at=None)
    return post
