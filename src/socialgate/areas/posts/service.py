"""Posts: validating, storing, listing, changing, cancelling, retrying and reconciling them.

More than 400 lines, because all of them lock, check and write the same rows, and share how a post is read.
"""

from collections.abc import Sequence
from datetime import datetime
from zoneinfo import ZoneInfo

import msgspec
from msgspec import UNSET

from socialgate.areas.media import store as media
from socialgate.areas.media.renditions.preparations import Preparation
from socialgate.areas.media.renditions.service import RenditionService
from socialgate.areas.posts import post_timing, store
from socialgate.areas.posts.contents import encode_refs, list_media_ids, list_requested_media_ids
from socialgate.areas.posts.metering import update_post_count
from socialgate.areas.posts.post_timing import ImmediateTiming, PostTiming, QueueTiming, ScheduledTiming
from socialgate.areas.posts.preparing import request_renditions, show_changes
from socialgate.areas.posts.reconciling import NOT_PUBLISHED_ERROR, apply_finding
from socialgate.areas.posts.schemas import (
    MediaRef,
    NewPost,
    NewTarget,
    Post,
    PostBody,
    PostChanges,
    PostsQuery,
    Reconciliation,
)
from socialgate.areas.posts.sizes import validate_metadata_size, validate_post_size
from socialgate.areas.posts.step_writer import (
    PUBLISHING_WAKE_KEY,
    emit_platform_failed,
    finish_publishing_round,
    notify_post_published,
    release_media,
)
from socialgate.areas.posts.tables import PostRow, PostStatus, TargetRow, TargetStatus
from socialgate.areas.posts.validation import PostToValidate, PostValidator, ValidationIssues
from socialgate.areas.posts.verdict_schemas import PostValidationResult
from socialgate.areas.posts.views import build_post_view
from socialgate.contracts.platforms import Kind, Platform
from socialgate.contracts.profiles import ProfileDirectory
from socialgate.contracts.renditions import Fit
from socialgate.core.caller import Caller
from socialgate.core.db import Tx
from socialgate.core.errors import Conflict, InvalidRequest, NotFound
from socialgate.core.events import PostScheduled, TargetRef
from socialgate.core.ids import new_id
from socialgate.core.outbox import emit_event
from socialgate.web.etags import ExpectedVersion, get_next_updated_at
from socialgate.web.field_errors import build_invalid_request
from socialgate.web.option_validation import remove_kind_field
from socialgate.web.pagination import build_page
from socialgate.web.schemas import Page

_EDITABLE_STATUSES = (PostStatus.DRAFT, PostStatus.SCHEDULED)


class PostNotEditableError(Conflict):
    """The post is being published, or was published, so it can no longer be changed here.

    Create a new post, or delete this one with `DELETE /posts/{postId}`.
    """

    code = "post_not_editable"
    title = "This post can no longer be changed"


class NothingToRetryError(Conflict):
    """No target of the post has failed.

    `GET /posts/{postId}` shows the status of each target; decide unconfirmed ones with `/reconcile`.
    """

    code = "nothing_to_retry"
    title = "Nothing has failed"


class NothingUnconfirmedError(Conflict):
    """No target of the post needs a decision."""

    code = "nothing_unconfirmed"
    title = "Nothing is unconfirmed"


class PostService:
    def __init__(self, validation: PostValidator, profiles: ProfileDirectory, renditions: RenditionService) -> None:
        self._validation = validation
        self._renditions = renditions
        self._profiles = profiles

    async def validate(self, tx: Tx, caller: Caller, new: NewPost) -> PostValidationResult:
        timing = post_timing.parse_timing(
            new, post_timing.parse_timezone(await self._get_timezone(tx, caller, new)), tx.now
        )
        await self._profiles.require_access(tx, caller, new.profile_id)
        findings = await self._validate(tx, caller, new, timing)
        errors = [*findings.errors, *validate_metadata_size(new.metadata)]
        targets = [
            show_changes(target.account_id, preparations)
            for target, preparations in zip(new.targets, findings.preparations, strict=True)
        ]
        return PostValidationResult(valid=not errors, errors=errors, warnings=findings.warnings, targets=targets)

    async def create(self, tx: Tx, caller: Caller, new: NewPost) -> Post:
        """Store a post that chooses its time itself."""
        await self._profiles.require_access(tx, caller, new.profile_id)
        zone = await self._get_timezone(tx, caller, new)
        return await self._add(
            tx, caller, new, post_timing.parse_timing(new, post_timing.parse_timezone(zone), tx.now), zone
        )

    async def enqueue(self, tx: Tx, caller: Caller, new: PostBody, place: QueueTiming) -> Post:
        """Store a post in the slot that was found for it."""
        zone = await self._get_timezone(tx, caller, new)
        # The slot has the time; the zone is only shown with it, but must be valid all the same.
        post_timing.parse_timezone(zone)
        return await self._add(tx, caller, new, place, zone)

    async def show(self, tx: Tx, caller: Caller, post_id: str) -> Post:
        row = self._require_post(caller, await store.find_post(tx, caller.owner_id, post_id))
        return build_post_view(row, (await store.list_targets(tx, caller.owner_id, [post_id]))[post_id])

    async def list(self, tx: Tx, caller: Caller, query: PostsQuery) -> Page[Post]:
        if query.profile_id is not None:
            caller.require_profile_access(query.profile_id)
        post_timing.require_offsets(query.since, query.until)
        rows, of_posts, more = await store.list_posts_page(tx, caller.owner_id, caller, query)
        return build_page(rows, lambda row: build_post_view(row, of_posts[row.id]), more=more)

    async def change(
        self,
        tx: Tx,
        caller: Caller,
        post_id: str,
        changes: PostChanges,
        expected: ExpectedVersion,
        place: QueueTiming | None = None,
    ) -> Post:
        """Replace the content of a draft or a scheduled post. Its due time changes in the same transaction.

        `place` is the slot of the queue that was found for it; without one, the changes say when it is due.
        """
        row = self._require_post(caller, await store.find_post_for_change(tx, caller.owner_id, post_id))
        expected.require_updated_at(row.updated_at)
        if row.status not in _EDITABLE_STATUSES:
            raise PostNotEditableError(f"The post is {row.status}. Only drafts and scheduled posts can be changed.")
        before = (await store.list_targets(tx, caller.owner_id, [post_id]))[post_id]
        new = _merge_changes(row, before, changes)
        zone = await self._get_timezone(tx, caller, new)
        timing = place or _merge_timing(row, changes, post_timing.parse_timezone(zone), tx.now)
        await _lock_accounts(tx, caller, new)
        findings = await self._validate(tx, caller, new, timing, exclude=post_id)
        findings.errors += [*validate_metadata_size(changes.metadata), *validate_post_size(new)]
        if findings.errors:
            raise build_invalid_request("", findings.errors)
        post = msgspec.structs.replace(
            row,
            content=new.content,
            media=encode_refs(new.media),
            first_comment=new.first_comment,
            metadata=new.metadata,
            timezone=zone,
            status=_get_initial_status(timing, tx.now),
            scheduled_for=post_timing.get_scheduled_time(timing, tx.now),
            slot_id=_get_slot_id(timing),
            updated_at=get_next_updated_at(tx.now, row.updated_at),
        )
        post = update_post_count(tx, post, row.status)
        of_post = _build_targets(tx, post, new.targets, findings)
        await store.replace_post(tx, post, of_post)
        await release_media(tx, caller.owner_id, [row, *before])
        await media.set_expiry(tx, caller.owner_id, list_requested_media_ids(new.media, new.targets), None)
        if row.status is PostStatus.DRAFT or post.scheduled_for != row.scheduled_for:
            await self.schedule_publishing(tx, post, of_post)
        else:
            await request_renditions(tx, self._renditions, post, of_post)
        return build_post_view(post, of_post)

    async def retry(self, tx: Tx, caller: Caller, post_id: str) -> Post:
        """Publish the failed targets again, as a new round."""
        row = self._require_post(caller, await store.find_post_for_change(tx, caller.owner_id, post_id))
        again = await store.retry_failed_targets(tx, caller.owner_id, post_id)
        if not again:
            raise NothingToRetryError(
                "No target of this post has failed. GET /posts/{postId} shows the status of each target; decide "
                "unconfirmed ones with POST /posts/{postId}/reconcile."
            )
        await media.set_expiry(tx, caller.owner_id, list_media_ids([row, *again]), None)
        ended = row.status in {PostStatus.FAILED, PostStatus.PARTIAL}
        updated_at = get_next_updated_at(tx.now, row.updated_at)
        await store.begin_publishing_round(tx, row, row.round + 1 if ended else row.round, updated_at)
        tx.wake_on_commit(PUBLISHING_WAKE_KEY)
        return await self.show(tx, caller, post_id)

    async def reconcile(self, tx: Tx, caller: Caller, post_id: str, reconciliation: Reconciliation) -> Post:
        """Record a person's decision about unconfirmed targets, or have the platforms asked again."""
        # Targets first, as workers do: one that is about to publish is waited for, and then it is not unconfirmed.
        rows = await store.lock_targets(tx, caller.owner_id, post_id)
        self._require_post(caller, await store.find_post_for_change(tx, caller.owner_id, post_id))
        open_ones = {row.account_id: row for row in rows if row.status is TargetStatus.UNCONFIRMED}
        if not open_ones:
            raise NothingUnconfirmedError("No target of this post needs a decision.")
        for position, finding in enumerate(reconciliation.findings):
            row = open_ones.pop(finding.account_id, None)
            if row is None:
                detail = "This account has no unconfirmed target in this post, or occurs twice."
                raise InvalidRequest.for_field(f"/findings/{position}/accountId", "not_unconfirmed", detail)
            await store.save_target(tx, apply_finding(row, finding, tx.now))
            if not finding.published:
                await emit_platform_failed(tx, row, NOT_PUBLISHED_ERROR)
            else:
                await notify_post_published(tx, row, finding.platform_post_id, finding.url, tx.now)
        if not reconciliation.findings:
            await store.schedule_lookups_now(tx, caller.owner_id, post_id)
            tx.wake_on_commit(PUBLISHING_WAKE_KEY)
        await finish_publishing_round(tx, caller.owner_id, post_id)
        return await self.show(tx, caller, post_id)

    async def schedule_publishing(self, tx: Tx, post: PostRow, of_post: Sequence[TargetRow]) -> None:
        """Have a post published when it is due, and report a scheduled one."""
        if post.status is PostStatus.DRAFT:
            return
        await request_renditions(tx, self._renditions, post, of_post)
        tx.wake_on_commit(PUBLISHING_WAKE_KEY)
        if post.status is not PostStatus.SCHEDULED:
            return
        assert post.scheduled_for is not None, "what is scheduled has a time"
        event = PostScheduled(
            post_id=post.id,
            scheduled_for=post.scheduled_for,
            timezone=post.timezone,
            targets=[TargetRef(account_id=row.account_id, platform=row.platform, kind=row.kind) for row in of_post],
            metadata=post.metadata,
        )
        await emit_event(tx, post.owner_id, post.profile_id, event)

    async def _add(self, tx: Tx, caller: Caller, new: PostBody, timing: PostTiming, zone: str) -> Post:
        await _lock_accounts(tx, caller, new)
        findings = await self._validate(tx, caller, new, timing)
        findings.errors += validate_metadata_size(new.metadata)
        if findings.errors:
            raise build_invalid_request("", findings.errors)
        post = PostRow(
            owner_id=caller.owner_id,
            id=new_id("post"),
            profile_id=new.profile_id,
            status=_get_initial_status(timing, tx.now),
            content=new.content,
            media=encode_refs(new.media),
            first_comment=new.first_comment,
            scheduled_for=post_timing.get_scheduled_time(timing, tx.now),
            timezone=zone,
            slot_id=_get_slot_id(timing),
            metadata=new.metadata,
            round=1,
            settled_at=None,
            created_at=tx.now,
            updated_at=tx.now,
        )
        post = update_post_count(tx, post)
        of_post = _build_targets(tx, post, new.targets, findings)
        await store.insert_post(tx, post, of_post)
        await media.set_expiry(tx, caller.owner_id, list_requested_media_ids(new.media, new.targets), None)
        await self.schedule_publishing(tx, post, of_post)
        return build_post_view(post, of_post)

    async def _get_timezone(self, tx: Tx, caller: Caller, new: PostBody) -> str:
        return new.timezone or await self._profiles.get_timezone(tx, caller.owner_id, new.profile_id)

    async def _validate(
        self, tx: Tx, caller: Caller, new: PostBody, timing: PostTiming, exclude: str | None = None
    ) -> ValidationIssues:
        draft = PostToValidate(
            owner_id=caller.owner_id,
            profile_id=new.profile_id,
            content=new.content,
            media=new.media,
            first_comment=new.first_comment,
            targets=new.targets,
            due_at=post_timing.compute_due_time(timing, tx.now),
            limited=caller.allowed_profile_ids is not None,
            fit=await self._profiles.get_fit(tx, caller.owner_id, new.profile_id),
            post_id=exclude,
        )
        return await self._validation.validate(tx, draft, complete=not isinstance(timing, post_timing.DraftTiming))

    def _require_post(self, caller: Caller, row: PostRow | None) -> PostRow:
        if row is None:
            raise NotFound("There is no post with this id. GET /posts lists the existing ones.")
        caller.require_profile_access(row.profile_id)
        return row


async def _lock_accounts(tx: Tx, caller: Caller, new: PostBody) -> None:
    """Count posts to the same account one after the other; otherwise all of them would take the last free place."""
    for account_id in sorted({target.account_id for target in new.targets}):
        await tx.lock(f"posts {caller.owner_id} {account_id}")


def _get_initial_status(timing: PostTiming, now: datetime) -> PostStatus:
    if isinstance(timing, post_timing.DraftTiming):
        return PostStatus.DRAFT
    return PostStatus.SCHEDULED if post_timing.compute_due_time(timing, now) > now else PostStatus.PUBLISHING


def _get_slot_id(timing: PostTiming) -> str | None:
    return timing.slot_id if isinstance(timing, QueueTiming) else None


def _get_target_status(post: PostRow, preparations: Sequence[Preparation]) -> TargetStatus:
    is_waiting = post.status is PostStatus.PUBLISHING and preparations
    return TargetStatus.PREPARING if is_waiting else TargetStatus.PENDING


def _build_targets(tx: Tx, post: PostRow, new: Sequence[NewTarget], findings: ValidationIssues) -> list[TargetRow]:
    return [
        TargetRow(
            owner_id=post.owner_id,
            id=new_id("tgt"),
            post_id=post.id,
            position=position,
            account_id=account.id,
            platform=Platform(account.platform),
            kind=Kind(account.kind),
            status=_get_target_status(post, findings.preparations[position]),
            content=target.content,
            media=None if target.media is None else encode_refs(target.media),
            options=remove_kind_field(target.options),
            progress=None,
            in_flight=None,
            due_at=None if post.status is PostStatus.DRAFT else post.scheduled_for,
            claim_id=None,
            claim_until=None,
            tries=0,
            attempts=[],
            platform_post_id=None,
            url=None,
            published_at=None,
            warnings=[],
            error=None,
            created_at=tx.now,
            updated_at=tx.now,
            fit=None if target.fit is None else msgspec.to_builtins(target.fit),
            preparations=msgspec.to_builtins(findings.preparations[position]) or None,
        )
        for position, (target, account) in enumerate(zip(new, findings.accounts, strict=True))
        if account is not None
    ]


def _merge_changes(row: PostRow, before: Sequence[TargetRow], changes: PostChanges) -> PostBody:
    """Create the post as if it were sent now."""
    targets = [
        NewTarget(
            account_id=row.account_id,
            content=row.content,
            media=None if row.media is None else msgspec.convert(row.media, list[MediaRef]),
            options=row.options,
            fit=None if row.fit is None else msgspec.convert(row.fit, Fit),
        )
        for row in before
    ]
    return PostBody(
        profile_id=row.profile_id,
        content=row.content if changes.content is UNSET else changes.content,
        media=msgspec.convert(row.media, list[MediaRef]) if changes.media is UNSET else changes.media,
        targets=targets if changes.targets is UNSET else changes.targets,
        timezone=row.timezone if changes.timezone is UNSET else changes.timezone,
        first_comment=row.first_comment if changes.first_comment is UNSET else changes.first_comment,
        metadata=row.metadata if changes.metadata is UNSET else changes.metadata,
    )


def _merge_timing(row: PostRow, changes: PostChanges, zone: ZoneInfo, now: datetime) -> PostTiming:
    """Return when the changed post is to be published. A post whose time is unchanged also keeps its slot."""
    if changes.publish_now:
        return ImmediateTiming()
    if changes.scheduled_for is None:
        # Removing the time means keeping the post back, not publishing it immediately.
        return post_timing.DraftTiming(None)
    if changes.scheduled_for is not UNSET:
        at = post_timing.parse_time(changes.scheduled_for, zone)
    elif row.status is PostStatus.DRAFT or row.scheduled_for is None:
        return post_timing.DraftTiming(row.scheduled_for)
    else:
        at = row.scheduled_for
    at = post_timing.require_future(at, now)
    return QueueTiming(row.slot_id, at) if row.slot_id is not None and at == row.scheduled_for else ScheduledTiming(at)
