"""Posts and their targets. Every finder of an owner's rows takes the owner first.

It has more than 400 lines: the statements of both tables, which are read and changed together.
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, TypeAlias

import msgspec
import sqlalchemy as sa

from socialgate.areas.media.renditions.job import MediaNotConvertible
from socialgate.areas.posts.metering import update_post_count
from socialgate.areas.posts.schemas import PostsQuery
from socialgate.areas.posts.steps import RetryState
from socialgate.areas.posts.tables import (
    IS_UNPUBLISHED,
    POST_TIME,
    SHOWN_TARGET_COLUMNS,
    PostRow,
    PostStatus,
    ShownTargetRow,
    TargetRow,
    TargetStatus,
    posts,
    read_post,
    read_shown_target,
    read_target,
    targets,
)
from socialgate.core.caller import Caller
from socialgate.core.db import Tx, UtcDateTime, inline_literal
from socialgate.core.jobs.queue import ClaimedRow, RowQueue
from socialgate.core.rows import get_non_key_values
from socialgate.core.statements import contains_text, is_one_of
from socialgate.web.pagination import FittingList, build_response_size

OPEN_TARGET_STATUSES = (TargetStatus.PENDING, TargetStatus.PREPARING, TargetStatus.PUBLISHING, TargetStatus.UNCONFIRMED)
# The owner and the id of a row.
PostKey: TypeAlias = tuple[str, str]
_SELECT_BY_ID = sa.select(posts).where(posts.c.owner_id == sa.bindparam("owner"), posts.c.id == sa.bindparam("post"))
_SELECT_BY_ID_FOR_CHANGE = _SELECT_BY_ID.with_for_update()
_SELECT_BY_IDS = (
    sa.select(posts)
    .where(posts.c.owner_id == sa.bindparam("owner"), is_one_of(posts.c.id, "posts"))
    .order_by(posts.c.id.desc())
)
_HAS_ONE_OF_POST_IDS = targets.c.owner_id == sa.bindparam("owner"), is_one_of(targets.c.post_id, "posts")
_SELECT_TARGETS = sa.select(targets).where(*_HAS_ONE_OF_POST_IDS).order_by(targets.c.post_id, targets.c.position)
_SELECT_SHOWN_TARGETS = (
    sa.select(*SHOWN_TARGET_COLUMNS).where(*_HAS_ONE_OF_POST_IDS).order_by(targets.c.post_id, targets.c.position)
)
_INSERT_POST = sa.insert(posts)
_INSERT_TARGETS = sa.insert(targets)
# Run with a list of rows, whose other names are the columns to change.
_UPDATE_FINAL_STATUS = sa.update(posts).where(
    posts.c.owner_id == sa.bindparam("of_owner"), posts.c.id == sa.bindparam("of_post")
)


class TargetQueue(RowQueue[TargetRow]):
    """The targets that are due. When the first one is claimed, the post is being published."""

    async def claim(self, tx: Tx, most: int) -> list[ClaimedRow[TargetRow]]:
        claims = await super().claim(tx, most)
        if claims:
            await mark_posts_publishing(tx, {(claim.row.owner_id, claim.row.post_id) for claim in claims})
        return claims


TARGET_QUEUE = TargetQueue(targets, read_target)


async def insert_post(tx: Tx, post: PostRow, of_post: Sequence[TargetRow]) -> None:
    await tx.execute(_INSERT_POST, msgspec.structs.asdict(post))
    await _insert_targets(tx, of_post)


async def replace_post(tx: Tx, post: PostRow, of_post: Sequence[TargetRow]) -> None:
    """Write a post that was found for change, replacing its targets."""
    await tx.execute(_update_post(post.owner_id, post.id).values(**get_non_key_values(post, posts)))
    await _delete_targets(tx, post.owner_id, post.id)
    await _insert_targets(tx, of_post)


async def _insert_targets(tx: Tx, of_post: Sequence[TargetRow]) -> None:
    if of_post:
        await tx.execute(_INSERT_TARGETS, [msgspec.structs.asdict(row) for row in of_post])


async def find_post(tx: Tx, owner_id: str, post_id: str) -> PostRow | None:
    return await tx.first_as(_SELECT_BY_ID, read_post, {"owner": owner_id, "post": post_id})


async def find_post_for_change(tx: Tx, owner_id: str, post_id: str) -> PostRow | None:
    return await tx.first_as(_SELECT_BY_ID_FOR_CHANGE, read_post, {"owner": owner_id, "post": post_id})


async def list_targets(tx: Tx, owner_id: str, post_ids: Sequence[str]) -> dict[str, list[TargetRow]]:
    rows: dict[str, list[TargetRow]] = {post_id: [] for post_id in post_ids}
    for row in await tx.all_as(_SELECT_TARGETS, read_target, {"owner": owner_id, "posts": post_ids}):
        rows[row.post_id].append(row)
    return rows


async def lock_targets(tx: Tx, owner_id: str, post_id: str) -> list[TargetRow]:
    statement = sa.select(targets).where(targets.c.owner_id == owner_id, targets.c.post_id == post_id)
    return await tx.all_as(statement.order_by(targets.c.id).with_for_update(), read_target)


async def list_posts_page(
    tx: Tx, owner_id: str, caller: Caller, query: PostsQuery
) -> tuple[list[PostRow], dict[str, list[ShownTargetRow]], bool]:
    """List posts with their targets, as many as fit on one page, and whether more follow."""
    rows, more = await _FITTING_POSTS_LIST.fetch_page(
        tx, read_post, query, ("post",), *_get_filters(owner_id, caller, query)
    )
    shown: dict[str, list[ShownTargetRow]] = {row.id: [] for row in rows}
    for target in await tx.all_as(_SELECT_SHOWN_TARGETS, read_shown_target, {"owner": owner_id, "posts": list(shown)}):
        shown[target.post_id].append(target)
    return rows, shown, more


def _get_filters(
    owner_id: str, caller: Caller, query: PostsQuery
) -> tuple[dict[str, Any], dict[str, Any], Sequence[str]]:
    """Return the values that the list needs, the optional ones, and the filters without a value of their own."""
    required: dict[str, Any] = {"owner": owner_id}
    optional: dict[str, Any] = {
        "profiles": caller.allowed_profile_ids,
        "status": None if query.status is PostStatus.PREPARING else query.status,
        "profile": query.profile_id,
        "since": query.since,
        "until": query.until,
        "text": query.text,
    }
    filters = ["not cancelled"] if query.status is None else []
    if query.status is PostStatus.PREPARING:
        filters.append("preparing")
    target = {"account": query.account_id, "platform": query.platform}
    if None in target.values():
        return required, optional | target, filters
    return required | target, optional, [*filters, "account on platform"]


async def find_posts(tx: Tx, owner_id: str, post_ids: Sequence[str]) -> list[PostRow]:
    return await tx.all_as(_SELECT_BY_IDS, read_post, {"owner": owner_id, "posts": post_ids})


_IS_OF_POST = sa.and_(targets.c.owner_id == posts.c.owner_id, targets.c.post_id == posts.c.id)


def _build_response_size() -> sa.ColumnElement[int]:
    """Return how large a post is in a response, as far as callers and platforms decide it."""
    own = build_response_size(posts.c.content, posts.c.media, posts.c.first_comment, posts.c.metadata)
    columns = (targets.c.content, targets.c.media, targets.c.options, targets.c.attempts, targets.c.warnings)
    of_targets = (
        sa.select(sa.func.coalesce(sa.func.sum(build_response_size(*columns, targets.c.error)), 0))
        .where(_IS_OF_POST)
        .scalar_subquery()
    )
    return own + of_targets


_IS_ON_ACCOUNT = targets.c.account_id == sa.bindparam("account")
_IS_ON_PLATFORM = targets.c.platform == sa.bindparam("platform")
POST_RESPONSE_SIZE = _build_response_size()
_FITTING_POSTS_LIST = FittingList(
    posts,
    POST_RESPONSE_SIZE,
    [posts.c.id.desc()],
    posts.c.owner_id == sa.bindparam("owner"),
    filters={
        "after": posts.c.id < sa.bindparam("after"),
        "profiles": is_one_of(posts.c.profile_id, "profiles"),
        "not cancelled": posts.c.status != inline_literal(PostStatus.CANCELLED),
        "status": posts.c.status == sa.bindparam("status"),
        "preparing": sa.exists().where(_IS_OF_POST, targets.c.status == inline_literal(TargetStatus.PREPARING)),
        "profile": posts.c.profile_id == sa.bindparam("profile"),
        "since": sa.bindparam("since", type_=UtcDateTime) <= POST_TIME,
        "until": sa.bindparam("until", type_=UtcDateTime) > POST_TIME,
        "text": contains_text(posts.c.content, "text"),
        "account": sa.exists().where(_IS_OF_POST, _IS_ON_ACCOUNT),
        "platform": sa.exists().where(_IS_OF_POST, _IS_ON_PLATFORM),
        # One target has both.
        "account on platform": sa.exists().where(_IS_OF_POST, _IS_ON_ACCOUNT, _IS_ON_PLATFORM),
    },
)


def _update_post(owner_id: str, post_id: str) -> sa.Update:
    return sa.update(posts).where(posts.c.owner_id == owner_id, posts.c.id == post_id)


async def release_slot(tx: Tx, post: PostRow) -> None:
    """Release the slot of a post. The post keeps its time."""
    await tx.execute(_update_post(post.owner_id, post.id).values(slot_id=None, updated_at=tx.now))


async def move_to_slot(tx: Tx, post: PostRow, slot_id: str, at: datetime) -> PostRow:
    """Move a post to another slot and time, and return it."""
    moved = msgspec.structs.replace(post, slot_id=slot_id, scheduled_for=at, updated_at=tx.now)
    await tx.execute(_update_post(post.owner_id, post.id).values(slot_id=slot_id, scheduled_for=at, updated_at=tx.now))
    await tx.execute(_update_targets(post.owner_id, post.id, TargetStatus.PENDING).values(due_at=at))
    return moved


async def begin_publishing_round(tx: Tx, post: PostRow, number: int, updated_at: datetime) -> None:
    """Have a post published again, in the round with this number."""
    again = _update_post(post.owner_id, post.id).values(
        status=PostStatus.PUBLISHING, round=number, updated_at=updated_at
    )
    await tx.execute(again)


async def lock_unpublished_posts(tx: Tx, owner_id: str, profile_id: str) -> list[PostRow]:
    """List the drafts and scheduled posts of a profile, locked so that none starts publishing."""
    statement = sa.select(posts).where(
        posts.c.owner_id == owner_id,
        posts.c.profile_id == profile_id,
        posts.c.status.in_((PostStatus.DRAFT, PostStatus.SCHEDULED)),
    )
    return await tx.all_as(statement.order_by(posts.c.id).with_for_update(), read_post)


async def cancel_post(tx: Tx, post: PostRow) -> None:
    """Cancel a post of which nothing was published."""
    pending = _update_targets(post.owner_id, post.id, TargetStatus.PENDING)
    await tx.execute(pending.values(status=TargetStatus.CANCELLED, due_at=None, updated_at=tx.now))
    post = update_post_count(tx, msgspec.structs.replace(post, status=PostStatus.CANCELLED), post.status)
    values = {"status": post.status, "slot_id": None, "updated_at": tx.now, "counted_at": post.counted_at}
    await tx.execute(_update_post(post.owner_id, post.id).values(**values))


async def delete_post(tx: Tx, owner_id: str, post_id: str) -> None:
    await _delete_targets(tx, owner_id, post_id)
    await tx.execute(sa.delete(posts).where(posts.c.owner_id == owner_id, posts.c.id == post_id))


async def _delete_targets(tx: Tx, owner_id: str, post_id: str) -> None:
    await tx.execute(sa.delete(targets).where(targets.c.owner_id == owner_id, targets.c.post_id == post_id))


def _update_targets(owner_id: str, post_id: str, status: TargetStatus) -> sa.Update:
    """Change those targets of a post that have this status."""
    return sa.update(targets).where(
        targets.c.owner_id == owner_id, targets.c.post_id == post_id, targets.c.status == status
    )


async def retry_failed_targets(tx: Tx, owner_id: str, post_id: str) -> list[TargetRow]:
    """Have the failed targets of a post published from the beginning, now, and return them."""
    again = _update_targets(owner_id, post_id, TargetStatus.FAILED).values(
        status=TargetStatus.PENDING,
        due_at=tx.now,
        progress=None,
        in_flight=None,
        tries=0,
        error=None,
        **msgspec.structs.asdict(RetryState()),
        updated_at=tx.now,
    )
    return await tx.all_as(again.returning(targets), read_target)


async def schedule_lookups_now(tx: Tx, owner_id: str, post_id: str) -> None:
    """Have the platforms asked now about the unconfirmed targets of a post."""
    await tx.execute(_update_targets(owner_id, post_id, TargetStatus.UNCONFIRMED).values(due_at=tx.now))


async def save_target(tx: Tx, target: TargetRow) -> None:
    """Write a target that was found for change."""
    statement = sa.update(targets).where(targets.c.owner_id == target.owner_id, targets.c.id == target.id)
    await tx.execute(statement.values(**get_non_key_values(target, targets)))


async def make_waiting_targets_due(tx: Tx, owner_id: str, account_id: str) -> bool:
    """Make targets that wait for the platform due now. Those that wait after a failure keep their time."""
    statement = sa.update(targets).where(
        targets.c.owner_id == owner_id,
        targets.c.account_id == account_id,
        targets.c.status.in_((TargetStatus.PUBLISHING, TargetStatus.UNCONFIRMED)),
        targets.c.due_at > tx.now,
        TARGET_QUEUE.is_unclaimed(tx.now),
        targets.c.tries == 0,
    )
    return bool(await tx.execute_and_count(statement.values(due_at=tx.now)))


async def resume_prepared(tx: Tx, owner_id: str) -> bool:
    """Make targets due now that wait for their files. Those whose files are still missing wait on.

    Also those that a worker holds: its write has to wait for this one, so that it looks for the files after it.
    """
    statement = sa.update(targets).where(targets.c.owner_id == owner_id, targets.c.status == TargetStatus.PREPARING)
    return bool(await tx.execute_and_count(statement.values(due_at=tx.now)))


async def record_unfit_file(tx: Tx, owner_id: str, key: str, error: dict[str, Any]) -> None:
    """Record with the targets that need a file why it cannot be made to fit."""
    await tx.execute(_update_waiting_for_file(owner_id, key).values(error=error, updated_at=tx.now))


async def list_newly_unfit(tx: Tx, owner_id: str, key: str) -> list[TargetRow]:
    """List the targets that wait for their time, need a file that cannot be made to fit, and do not say so yet."""
    known = sa.func.coalesce(sa.cast(targets.c.error, sa.Text), "").contains(MediaNotConvertible.code, autoescape=True)
    statement = sa.select(targets).where(
        _is_waiting_for_file(owner_id, key), targets.c.status == TargetStatus.PENDING, sa.not_(known)
    )
    return await tx.all_as(statement.order_by(targets.c.id), read_target)


async def clear_passing_file_error(tx: Tx, owner_id: str, key: str) -> None:
    """Clear why a file was missing that is ready now. An error that says so of another file of the target stays if it
    is certain to stay.
    """
    passing = sa.cast(targets.c.error, sa.Text).not_like(f"%{MediaNotConvertible.code}%")
    await tx.execute(_update_waiting_for_file(owner_id, key).where(passing).values(error=None, updated_at=tx.now))


def _update_waiting_for_file(owner_id: str, key: str) -> sa.Update:
    return sa.update(targets).where(_is_waiting_for_file(owner_id, key))


def _is_waiting_for_file(owner_id: str, key: str) -> sa.ColumnElement[bool]:
    return sa.and_(
        targets.c.owner_id == owner_id,
        targets.c.status.in_((TargetStatus.PENDING, TargetStatus.PREPARING)),
        sa.cast(targets.c.preparations, sa.Text).contains(key, autoescape=True),
    )


async def clear_error(tx: Tx, target: TargetRow) -> None:
    statement = sa.update(targets).where(targets.c.owner_id == target.owner_id, targets.c.id == target.id)
    await tx.execute(statement.values(error=None))


async def mark_posts_publishing(tx: Tx, keys: set[PostKey]) -> None:
    of_posts = _matches_keys(keys, posts.c.owner_id, posts.c.id)
    statement = sa.update(posts).where(of_posts, posts.c.status == PostStatus.SCHEDULED)
    await tx.execute(statement.values(status=PostStatus.PUBLISHING, updated_at=tx.now))


def _matches_keys(keys: Collection[PostKey], owner: sa.Column[str], column: sa.Column[str]) -> sa.ColumnElement[bool]:
    """Find rows by owner and id. Two lists, because SQLite scans the whole table for a list of pairs; no id has two
    owners.
    """
    return sa.and_(owner.in_(sorted({key[0] for key in keys})), column.in_(sorted({key[1] for key in keys})))


async def lock_publishing_posts(tx: Tx, keys: Sequence[PostKey]) -> list[PostRow]:
    """Lock those of these posts that are being published, always in the same order."""
    statement = (
        sa.select(posts)
        .where(_matches_keys(keys, posts.c.owner_id, posts.c.id), posts.c.status == PostStatus.PUBLISHING)
        .order_by(posts.c.owner_id, posts.c.id)
        .with_for_update()
    )
    return await tx.all_as(statement, read_post)


async def list_targets_by_key(tx: Tx, keys: Sequence[PostKey]) -> dict[PostKey, list[TargetRow]]:
    statement = sa.select(targets).where(_matches_keys(keys, targets.c.owner_id, targets.c.post_id))
    rows: dict[PostKey, list[TargetRow]] = {key: [] for key in keys}
    for row in await tx.all_as(statement.order_by(targets.c.position), read_target):
        rows[row.owner_id, row.post_id].append(row)
    return rows


async def set_final_status(tx: Tx, statuses: Mapping[PostKey, PostStatus]) -> None:
    times = {"settled_at": tx.now, "updated_at": tx.now}
    rows = [
        {"of_owner": owner_id, "of_post": post_id, "status": status, **times}
        for (owner_id, post_id), status in statuses.items()
    ]
    await tx.execute(_UPDATE_FINAL_STATUS, rows)


async def list_post_times_around(
    tx: Tx, owner_id: str, account_id: str, moment: datetime, span: timedelta, *, exclude: str | None
) -> list[datetime]:
    """Return when posts of an account were or will be published around a time, except one post."""
    values = {"owner": owner_id, "account": account_id, "after": moment - span, "before": moment + span}
    return [row.at for row in await tx.all(_SELECT_TIMES_AROUND, {**values, "exclude": exclude or ""})]


_TARGET_TIME = sa.case((targets.c.status == TargetStatus.PUBLISHED, targets.c.published_at), else_=targets.c.due_at)
_SELECT_TIMES_AROUND = sa.select(_TARGET_TIME.label("at")).where(
    targets.c.owner_id == sa.bindparam("owner"),
    targets.c.account_id == sa.bindparam("account"),
    targets.c.status.in_((TargetStatus.PUBLISHED, *OPEN_TARGET_STATUSES)),
    sa.bindparam("after", type_=UtcDateTime) < _TARGET_TIME,
    sa.bindparam("before", type_=UtcDateTime) > _TARGET_TIME,
    targets.c.post_id != sa.bindparam("exclude"),
)


async def find_known_object_ids(tx: Tx, owner_id: str, account_id: str, object_ids: Sequence[str]) -> set[str]:
    """Return which of these objects on the platform posts of an account became."""
    statement = sa.select(targets.c.platform_post_id).where(
        targets.c.owner_id == owner_id, targets.c.account_id == account_id, targets.c.platform_post_id.in_(object_ids)
    )
    return {row.platform_post_id for row in await tx.all(statement)}


async def find_media_in_use(tx: Tx, owner_id: str, media_ids: Sequence[str]) -> set[str]:
    """Return which of these files an unpublished post uses, in itself or on one of its accounts."""
    waiting = sa.and_(posts.c.owner_id == owner_id, IS_UNPUBLISHED)
    of_waiting = sa.and_(targets.c.owner_id == owner_id, targets.c.post_id.in_(sa.select(posts.c.id).where(waiting)))
    needed: set[str] = set()
    for column, rule in ((posts.c.media, waiting), (targets.c.media, of_waiting)):
        item = _unnest_media(tx, column)
        names = [_extract_text(tx, item, name) for name in ("mediaId", "thumbnailMediaId")]
        used = sa.or_(*(name.in_(media_ids) for name in names))
        for row in await tx.all(sa.select(*names).select_from(column.table, item).where(rule, used).distinct()):
            needed.update(row)
    return needed.intersection(media_ids)


def _unnest_media(tx: Tx, column: sa.Column[Any]) -> Any:
    """Unnest a column of media into rows with one `value` each."""
    if tx.dialect_name == "postgresql":
        return sa.func.json_array_elements(column).table_valued("value", joins_implicitly=True).render_derived()
    return sa.func.json_each(column).table_valued("value", joins_implicitly=True)


def _extract_text(tx: Tx, item: Any, name: str) -> sa.ColumnElement[str]:
    if tx.dialect_name == "postgresql":
        return sa.func.json_extract_path_text(item.c.value, name)
    return sa.func.json_extract(item.c.value, f"$.{name}")
