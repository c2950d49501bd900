"""Where files were used: the posts that contain them, for the people who look at their files."""

from collections.abc import Sequence
from datetime import datetime

import msgspec
import sqlalchemy as sa

from socialgate.areas.posts import store
from socialgate.areas.posts.contents import list_media_ids
from socialgate.areas.posts.tables import PostRow, TargetRow, TargetStatus, posts, read_post, targets
from socialgate.contracts.platforms import Kind
from socialgate.core.db import Tx
from socialgate.core.ids import first_id_at

# For each file. Somebody who wants to know more looks at the posts.
MAX_USES_SHOWN = 5
_MAX_POSTS_READ = 200


class PostLink(msgspec.Struct, frozen=True):
    """Where a post is live."""

    kind: Kind
    url: str


class FileUse(msgspec.Struct, frozen=True):
    """A post that contains a file, and where it was published."""

    post_id: str
    status: str
    content: str
    links: tuple[PostLink, ...]


class FileUseFinder:
    async def find(self, tx: Tx, owner_id: str, file_ids: Sequence[str], since: datetime) -> dict[str, list[FileUse]]:
        """Find the newest posts that contain any of these files, the oldest of which was uploaded at `since`."""
        uses: dict[str, list[FileUse]] = {media_id: [] for media_id in file_ids}
        if not file_ids:
            return uses
        rows = await tx.all_as(_select_posts_with_files(owner_id, file_ids, since), read_post)
        of_posts = await store.list_targets(tx, owner_id, [row.id for row in rows]) if rows else {}
        for row in rows:
            of_post = of_posts.get(row.id, [])
            for media_id in _list_file_ids(row, of_post) & uses.keys():
                uses[media_id].append(_build_file_use(row, of_post))
        return {media_id: us[:MAX_USES_SHOWN] for media_id, us in uses.items()}


def _select_posts_with_files(owner_id: str, file_ids: Sequence[str], since: datetime) -> sa.Select[tuple[object, ...]]:
    """Select the posts with a file. Ids sort by time, so only posts that are younger than the files are searched."""
    first = first_id_at("post", since)
    by_target = sa.exists().where(
        targets.c.owner_id == posts.c.owner_id,
        targets.c.post_id == posts.c.id,
        _has_any_file(targets.c.media, file_ids),
    )
    return (
        sa.select(posts)
        .where(posts.c.owner_id == owner_id, posts.c.id >= first)
        .where(sa.or_(_has_any_file(posts.c.media, file_ids), by_target))
        .order_by(posts.c.id.desc())
        .limit(_MAX_POSTS_READ)
    )


def _has_any_file(column: sa.Column[object], file_ids: Sequence[str]) -> sa.ColumnElement[bool]:
    text = sa.cast(column, sa.Text)
    return sa.or_(*(text.contains(media_id, autoescape=True) for media_id in file_ids))


def _list_file_ids(row: PostRow, of_post: Sequence[TargetRow]) -> set[str]:
    return set(list_media_ids([row, *of_post]))


def _build_file_use(row: PostRow, of_post: Sequence[TargetRow]) -> FileUse:
    published = [target for target in of_post if target.status == TargetStatus.PUBLISHED]
    return FileUse(
        row.id, row.status, row.content, tuple(PostLink(target.kind, target.url) for target in published if target.url)
    )
