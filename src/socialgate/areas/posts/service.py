"""Posts: validating, storing, listing, changing, cancelling, retrying and reconciling them."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import msgspec
from msgspec import UNSET

from socialgate.areas.media import store as media
from socialgate.areas.posts import store, times
from socialgate.areas.posts.contents import files_of, media_ids
from socialgate.areas.posts.counting import counted
from socialgate.areas.posts.ledger import PUBLISHING, release_media, report_failure, settle, tell_published
from socialgate.areas.posts.schemas import (
    Finding,
    MediaRef,
    NewPost,
    NewTarget,
    Post,
    PostChanges,
    PostsQuery,
    Reconciliation,
    Verdict,
    Written,
)
from socialgate.areas.posts.sizes import metadata_faults, post_faults
from socialgate.areas.posts.tables import PostRow, PostStatus, TargetRow, TargetStatus
from socialgate.areas.posts.times import At, InQueue, Now, Timing
from socialgate.areas.posts.validation import Draft, Findings, Validation
from socialgate.areas.posts.views import show_post
from socialgate.contracts.platforms import Kind, Platform
from socialgate.contracts.profiles import ProfileBook
from socialgate.core.caller import Caller
from socialgate.core.db import Tx
from socialgate.core.errors import Conflict, Invalid, NotFound
from socialgate.core.events import PostScheduled, TargetError, TargetRef
from socialgate.core.ids import new_id
from socialgate.core.outbox import emit
from socialgate.web.edits import Expected, next_version
from socialgate.web.faults import refused
from socialgate.web.options import without_kind
from socialgate.web.schema import Page

_EDITABLE = (PostStatus.DRAFT, PostStatus.SCHEDULED)
_NOT_PUBLISHED = TargetError(
    code="not_published",
    category="outcome_unknown",
    source="user",
    detail="A person found that it was not published. Send POST /posts/{postId}/retry to publish it.",
    retryable=True,
)


class PostNotEditable(Conflict):
    """The post is being published, or was published, so it can no longer be changed here.

    Create a new post, or delete this one with `DELETE /posts/{postId}`.
    """

    code = "post_not_editable"
    title = "This post can no longer be changed"


class NothingToRetry(Conflict):
    """No target of the post has failed.

    `GET /posts/{postId}` shows the status of each target; decide unconfirmed ones with `/reconcile`.
    """

    code = "nothing_to_retry"
    title = "Nothing has failed"


class NothingUnconfirmed(Conflict):
    """No target of the post needs a decision."""

    code = "nothing_unconfirmed"
    title = "Nothing is unconfirmed"


class Posts:
    def __init__(self, validation: Validation, profiles: ProfileBook) -> None:
        self._validation = validation
        self._profiles = profiles

    async def validate(self, tx: Tx, caller: Caller, new: NewPost) -> Verdict:
        timing = times.timing_of(new, times.zone_of(await self._zone(tx, caller, new)), tx.now)
        await self._profiles.require(tx, caller, new.profile_id)
        findings = await self._validate(tx, caller, new, timing)
        errors = [*findings.errors, *metadata_faults(new.metadata)]
        return Verdict(valid=not errors, errors=errors, warnings=findings.warnings)

    async def create(self, tx: Tx, caller: Caller, new: NewPost) -> Post:
        """Store a post that chooses its time itself."""
        await self._profiles.require(tx, caller, new.profile_id)
        zone = await self._zone(tx, caller, new)
        return await self._add(tx, caller, new, times.timing_of(new, times.zone_of(zone), tx.now), zone)

    async def enqueue(self, tx: Tx, caller: Caller, new: Written, place: InQueue) -> Post:
        """Store a post in the slot that was found for it."""
        zone = await self._zone(tx, caller, new)
        # The slot has the time; the zone is only shown with it, but must be valid all the same.
        times.zone_of(zone)
        return await self._add(tx, caller, new, place, zone)

    async def show(self, tx: Tx, caller: Caller, post_id: str) -> Post:
        row = self._required(caller, await store.find(tx, caller.owner_id, post_id))
        return show_post(row, (await store.targets_of(tx, caller.owner_id, [post_id]))[post_id])

    async def list(self, tx: Tx, caller: Caller, query: PostsQuery) -> Page[Post]:
        if query.profile_id is not None:
            caller.require_profile(query.profile_id)
        times.require_zones(query.since, query.until)
        chosen = await store.choice(tx, caller.owner_id, caller, query)
        rows = await store.find_all(tx, caller.owner_id, chosen.ids)
        of_posts = await store.targets_of(tx, caller.owner_id, chosen.ids)
        return chosen.page(rows, lambda row: show_post(row, of_posts[row.id]))

    async def change(self, tx: Tx, caller: Caller, post_id: str, changes: PostChanges, expected: Expected) -> Post:
        """Replace the content of a draft or a scheduled post. Its due time changes in the same transaction."""
        row = self._required(caller, await store.find_for_change(tx, caller.owner_id, post_id))
        expected.check(row.updated_at)
        if row.status not in _EDITABLE:
            raise PostNotEditable(f"The post is {row.status}. Only drafts and scheduled posts can be changed.")
        before = (await store.targets_of(tx, caller.owner_id, [post_id]))[post_id]
        new = _changed(row, before, changes)
        zone = await self._zone(tx, caller, new)
        timing = _changed_timing(row, changes, times.zone_of(zone), tx.now)
        await _take_turns(tx, caller, new)
        findings = await self._validate(tx, caller, new, timing, exclude=post_id)
        findings.errors += [*metadata_faults(changes.metadata), *post_faults(new)]
        if findings.errors:
            raise refused("", findings.errors)
        post = msgspec.structs.replace(
            row,
            content=new.content,
            media=_refs(new.media),
            first_comment=new.first_comment,
            metadata=new.metadata,
            timezone=zone,
            status=_status(timing, tx.now),
            scheduled_for=times.scheduled_for(timing, tx.now),
            slot_id=_slot(timing),
            updated_at=next_version(tx.now, row.updated_at),
        )
        post = counted(tx, post, row.status)
        of_post = _targets(tx, post, new.targets, findings)
        await store.replace(tx, post, of_post)
        await release_media(tx, caller.owner_id, [row, *before])
        await media.keep(tx, caller.owner_id, _files(new.media, new.targets), None)
        if row.status is PostStatus.DRAFT or post.scheduled_for != row.scheduled_for:
            await self.announce(tx, post, of_post)
        return show_post(post, of_post)

    async def retry(self, tx: Tx, caller: Caller, post_id: str) -> Post:
        """Publish the failed targets again, as a new round."""
        row = self._required(caller, await store.find_for_change(tx, caller.owner_id, post_id))
        again = await store.retry_failed(tx, caller.owner_id, post_id)
        if not again:
            raise NothingToRetry(
                "No target of this post has failed. GET /posts/{postId} shows the status of each target; decide "
                "unconfirmed ones with POST /posts/{postId}/reconcile."
            )
        await media.keep(tx, caller.owner_id, files_of([row, *again]), None)
        ended = row.status in {PostStatus.FAILED, PostStatus.PARTIAL}
        updated_at = next_version(tx.now, row.updated_at)
        await store.begin_round(tx, row, row.round + 1 if ended else row.round, updated_at)
        tx.wake(PUBLISHING)
        return await self.show(tx, caller, post_id)

    async def reconcile(self, tx: Tx, caller: Caller, post_id: str, decided: Reconciliation) -> Post:
        """Record a person's decision about unconfirmed targets, or have the platforms asked again."""
        # Targets first, as workers do: one that is about to publish is waited for, and then it is not unconfirmed.
        rows = await store.targets_for_change(tx, caller.owner_id, post_id)
        self._required(caller, await store.find_for_change(tx, caller.owner_id, post_id))
        open_ones = {row.account_id: row for row in rows if row.status is TargetStatus.UNCONFIRMED}
        if not open_ones:
            raise NothingUnconfirmed("No target of this post needs a decision.")
        for position, finding in enumerate(decided.findings):
            row = open_ones.pop(finding.account_id, None)
            if row is None:
                detail = "This account has no unconfirmed target in this post, or occurs twice."
                raise Invalid.at(f"/findings/{position}/accountId", "not_unconfirmed", detail)
            await store.save_target(tx, _decided(row, finding, tx.now))
            if not finding.published:
                await report_failure(tx, row, _NOT_PUBLISHED)
            else:
                await tell_published(tx, row, finding.platform_post_id, finding.url, tx.now)
        if not decided.findings:
            await store.look_again(tx, caller.owner_id, post_id)
            tx.wake(PUBLISHING)
        await settle(tx, caller.owner_id, post_id)
        return await self.show(tx, caller, post_id)

    async def announce(self, tx: Tx, post: PostRow, of_post: Sequence[TargetRow]) -> None:
        """Have a post published when it is due, and report a scheduled one."""
        if post.status is PostStatus.DRAFT:
            return
        tx.wake(PUBLISHING)
        if post.status is not PostStatus.SCHEDULED:
            return
        assert post.scheduled_for is not None, "what is scheduled has a time"
        event = PostScheduled(
            post_id=post.id,
            scheduled_for=post.scheduled_for,
            timezone=post.timezone,
            targets=[TargetRef(account_id=one.account_id, platform=one.platform, kind=one.kind) for one in of_post],
            metadata=post.metadata,
        )
        await emit(tx, post.owner_id, post.profile_id, event)

    async def _add(self, tx: Tx, caller: Caller, new: Written, timing: Timing, zone: str) -> Post:
        await _take_turns(tx, caller, new)
        findings = await self._validate(tx, caller, new, timing)
        findings.errors += metadata_faults(new.metadata)
        if findings.errors:
            raise refused("", findings.errors)
        post = PostRow(
            owner_id=caller.owner_id,
            id=new_id("post"),
            profile_id=new.profile_id,
            status=_status(timing, tx.now),
            content=new.content,
            media=_refs(new.media),
            first_comment=new.first_comment,
            scheduled_for=times.scheduled_for(timing, tx.now),
            timezone=zone,
            slot_id=_slot(timing),
            metadata=new.metadata,
            round=1,
            settled_at=None,
            created_at=tx.now,
            updated_at=tx.now,
        )
        post = counted(tx, post)
        of_post = _targets(tx, post, new.targets, findings)
        await store.insert(tx, post, of_post)
        await media.keep(tx, caller.owner_id, _files(new.media, new.targets), None)
        await self.announce(tx, post, of_post)
        return show_post(post, of_post)

    async def _zone(self, tx: Tx, caller: Caller, new: Written) -> str:
        return new.timezone or await self._profiles.timezone(tx, caller.owner_id, new.profile_id)

    async def _validate(
        self, tx: Tx, caller: Caller, new: Written, timing: Timing, exclude: str | None = None
    ) -> Findings:
        draft = Draft(
            owner_id=caller.owner_id,
            profile_id=new.profile_id,
            content=new.content,
            media=new.media,
            first_comment=new.first_comment,
            targets=new.targets,
            due_at=times.due_at(timing, tx.now),
            limited=caller.profiles is not None,
            post_id=exclude,
        )
        return await self._validation.look(tx, draft, complete=not isinstance(timing, times.Draft))

    def _required(self, caller: Caller, row: PostRow | None) -> PostRow:
        if row is None:
            raise NotFound("There is no post with this id. GET /posts lists the existing ones.")
        caller.require_profile(row.profile_id)
        return row


async def _take_turns(tx: Tx, caller: Caller, new: Written) -> None:
    """Count posts to the same account one after the other; otherwise all of them would take the last free place."""
    for account_id in sorted({target.account_id for target in new.targets}):
        await tx.lock(f"posts {caller.owner_id} {account_id}")


def _status(timing: Timing, now: datetime) -> PostStatus:
    if isinstance(timing, times.Draft):
        return PostStatus.DRAFT
    return PostStatus.SCHEDULED if times.due_at(timing, now) > now else PostStatus.PUBLISHING


def _slot(timing: Timing) -> str | None:
    return timing.slot_id if isinstance(timing, InQueue) else None


def _targets(tx: Tx, post: PostRow, new: Sequence[NewTarget], findings: Findings) -> list[TargetRow]:
    return [
        TargetRow(
            owner_id=post.owner_id,
            id=new_id("tgt"),
            post_id=post.id,
            position=position,
            account_id=account.id,
            platform=Platform(account.platform),
            kind=Kind(account.kind),
            status=TargetStatus.PENDING,
            content=target.content,
            media=None if target.media is None else _refs(target.media),
            options=without_kind(target.options),
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
        )
        for position, (target, account) in enumerate(zip(new, findings.accounts, strict=True))
        if account is not None
    ]


def _decided(row: TargetRow, finding: Finding, now: datetime) -> TargetRow:
    """Return the target as a person found it, finished."""
    outcome = "confirmed_by_person" if finding.published else "denied_by_person"
    attempt = {"at": now, "stage": row.in_flight or "publish", "detail": None, "nextAt": None, "outcome": outcome}
    rest = msgspec.structs.replace(
        row,
        in_flight=None,
        due_at=None,
        claim_id=None,
        claim_until=None,
        attempts=[*row.attempts, msgspec.to_builtins(attempt)],
        updated_at=now,
    )
    if not finding.published:
        error = msgspec.to_builtins(_NOT_PUBLISHED)
        return msgspec.structs.replace(rest, status=TargetStatus.FAILED, error=error)
    return msgspec.structs.replace(
        rest,
        status=TargetStatus.PUBLISHED,
        platform_post_id=finding.platform_post_id,
        url=finding.url,
        published_at=now,
        error=None,
        confirmed_by_person=True,
    )


def _refs(refs: Sequence[MediaRef]) -> list[dict[str, Any]]:
    return [{"mediaId": ref.media_id, "alt": ref.alt, "thumbnailMediaId": ref.thumbnail_media_id} for ref in refs]


def _files(refs: Sequence[MediaRef], targets: Sequence[NewTarget]) -> list[str]:
    return media_ids([*_refs(refs), *(item for target in targets for item in _refs(target.media or ()))])


def _changed(row: PostRow, before: Sequence[TargetRow], changes: PostChanges) -> Written:
    """Create the post as if it were sent now."""
    targets = [
        NewTarget(
            account_id=one.account_id,
            content=one.content,
            media=None if one.media is None else msgspec.convert(one.media, list[MediaRef]),
            options=one.options,
        )
        for one in before
    ]
    return Written(
        profile_id=row.profile_id,
        content=row.content if changes.content is UNSET else changes.content,
        media=msgspec.convert(row.media, list[MediaRef]) if changes.media is UNSET else changes.media,
        targets=targets if changes.targets is UNSET else changes.targets,
        timezone=row.timezone if changes.timezone is UNSET else changes.timezone,
        first_comment=row.first_comment if changes.first_comment is UNSET else changes.first_comment,
        metadata=row.metadata if changes.metadata is UNSET else changes.metadata,
    )


def _changed_timing(row: PostRow, changes: PostChanges, zone: ZoneInfo, now: datetime) -> Timing:
    """Return when the changed post is to be published. A post whose time is unchanged also keeps its slot."""
    if changes.publish_now:
        return Now()
    if changes.scheduled_for is None:
        # Removing the time means keeping the post back, not publishing it immediately.
        return times.Draft(None)
    if changes.scheduled_for is not UNSET:
        at = times.moment_of(changes.scheduled_for, zone)
    elif row.status is PostStatus.DRAFT or row.scheduled_for is None:
        return times.Draft(row.scheduled_for)
    else:
        at = row.scheduled_for
    at = times.require_future(at, now)
    return InQueue(row.slot_id, at) if row.slot_id is not None and at == row.scheduled_for else At(at)
