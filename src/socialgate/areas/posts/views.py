"""Posts as responses show them."""

from collections.abc import Sequence

import msgspec

from socialgate.areas.posts.schemas import Post, PostMedia, PostTarget, PublishingAttempt
from socialgate.areas.posts.tables import PostRow, PostStatus, ShownTargetRow, TargetRow, TargetStatus
from socialgate.contracts.renditions import Fit
from socialgate.core.events import TargetError


def build_post_view(row: PostRow, of_post: Sequence[TargetRow | ShownTargetRow]) -> Post:
    return Post(
        id=row.id,
        profile_id=row.profile_id,
        status=_get_shown_status(row, of_post),
        content=row.content,
        media=[msgspec.convert(item, PostMedia) for item in row.media],
        first_comment=row.first_comment,
        targets=[_build_target_view(row) for row in of_post],
        scheduled_for=row.scheduled_for,
        timezone=row.timezone,
        queue_slot_id=row.slot_id,
        round=row.round,
        metadata=row.metadata,
        created_at=row.created_at,
        updated_at=row.updated_at,
    )


def _get_shown_status(row: PostRow, of_post: Sequence[TargetRow | ShownTargetRow]) -> PostStatus:
    """Return the status. A post is preparing until the first of its targets has its files."""
    statuses = {target.status for target in of_post}
    is_preparing = TargetStatus.PREPARING in statuses and statuses <= {TargetStatus.PREPARING, TargetStatus.PENDING}
    return PostStatus.PREPARING if is_preparing and row.status is PostStatus.PUBLISHING else row.status


def _build_target_view(row: TargetRow | ShownTargetRow) -> PostTarget:
    return PostTarget(
        account_id=row.account_id,
        platform=row.platform,
        kind=row.kind,
        status=row.status,
        content=row.content,
        media=None if row.media is None else [msgspec.convert(item, PostMedia) for item in row.media],
        options=row.options,
        fit=None if row.fit is None else msgspec.convert(row.fit, Fit),
        platform_post_id=row.platform_post_id,
        url=row.url,
        published_at=row.published_at,
        warnings=row.warnings,
        error=None if row.error is None else msgspec.convert(row.error, TargetError),
        attempts=[msgspec.convert(attempt, PublishingAttempt) for attempt in row.attempts],
    )
