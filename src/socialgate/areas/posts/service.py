"""Posts: validated, stored, listed, changed, cancelled, tried again, and decided on by people."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, TypeAlias

import msgspec
import sqlalchemy as sa
from msgspec import UNSET

from socialgate.areas.media import store as media
from socialgate.areas.posts import store, times
from socialgate.areas.posts.contents import media_ids
from socialgate.areas.posts.ledger import PUBLISHING, release_media, report_failure, settle
from socialgate.areas.posts.schemas import (
    Attempt,
    MediaRef,
    NewPost,
    NewTarget,
    Post,
    PostChanges,
    PostMedia,
    PostsQuery,
    Reconciliation,
    Target,
    Verdict,
)
from socialgate.areas.posts.sizes import metadata_faults, post_faults
from socialgate.areas.posts.validation import Draft, Findings, Validation
from socialgate.contracts.platforms import Kind, Platform
from socialgate.contracts.profiles import ProfileBook
from socialgate.core.caller import Caller
from socialgate.core.db import Tx
from socialgate.core.errors import Conflict, Invalid, NotFound
from socialgate.core.events import PostScheduled, TargetError, TargetRef
from socialgate.core.ids import new_id
from socialgate.core.outbox import emit
from socialgate.web.edits import Expected, next_version
from socialgate.web.schema import Page

_EDITABLE = ("draft", "scheduled")
Rows: TypeAlias = Sequence[sa.Row[Any]]


class PostNotEditable(Conflict):
    """The post is being published, or has been. What is out cannot be changed here.

    Make a new post, or delete this one with `DELETE /posts/{postId}`.
    """

    code = "post_not_editable"
    title = "This post cannot be changed any more"


class NothingToRetry(Conflict):
    """No target of the post has failed.

    `GET /posts/{postId}` shows where each target stands; unconfirmed ones are decided with `/reconcile`.
    """

    code = "nothing_to_retry"
    title = "Nothing has failed"


class NothingUnconfirmed(Conflict):
    """No target of the post waits for a decision."""

    code = "nothing_unconfirmed"
    title = "Nothing is unconfirmed"


class Posts:
    def __init__(self, validation: Validation, profiles: ProfileBook) -> None:
        self._validation = validation
        self._profiles = profiles

    async def validate(self, tx: Tx, caller: Caller, new: NewPost) -> Verdict:
        findings = await self._validate(tx, caller, new, await self._due(tx, caller, new))
        errors = [*findings.errors, *metadata_faults(new.metadata)]
        return Verdict(valid=not errors, errors=errors, warnings=findings.warnings)

    async def create(self, tx: Tx, caller: Caller, new: NewPost, slot: tuple[str, datetime] | None = None) -> Post:
        """Store a post. `slot` is the place in the queue that was found for it."""
        await self._profiles.require(tx, caller, new.profile_id)
        due_at = slot[1] if slot else await self._due(tx, caller, new)
        await _take_turns(tx, caller, new)
        findings = await self._validate(tx, caller, new, due_at)
        findings.errors += metadata_faults(new.metadata)
        if findings.errors:
            raise Invalid("The post would be refused. `errors` says what to change.", errors=findings.errors)
        status = "draft" if new.draft else "scheduled" if due_at > tx.now else "publishing"
        post_id = new_id("post")
        post = {
            "id": post_id,
            "profile_id": new.profile_id,
            "status": status,
            "content": new.content,
            "media": _refs(new.media),
            "first_comment": new.first_comment,
            "scheduled_for": None if new.draft and new.scheduled_for is None else due_at,
            "timezone": new.timezone or await self._zone(tx, caller, new.profile_id),
            "slot_id": slot[0] if slot else None,
            "metadata": new.metadata,
            "created_at": tx.now,
            "updated_at": tx.now,
        }
        rows = _target_rows(tx, post_id, new.targets, findings, None if new.draft else due_at)
        await store.insert(tx, caller.owner_id, post, rows)
        await media.keep(tx, caller.owner_id, _files(new.media, new.targets), None)
        if not new.draft:
            await self.announce(tx, caller.owner_id, post_id)
        return await self.show(tx, caller, post_id)

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
        """Replace what a draft or a scheduled post says. What is due follows in the same transaction."""
        row = self._required(caller, await store.find_for_change(tx, caller.owner_id, post_id))
        expected.check(row.updated_at)
        if row.status not in _EDITABLE:
            raise PostNotEditable(f"The post is {row.status}. Only drafts and scheduled posts can be changed.")
        before = (await store.targets_of(tx, caller.owner_id, [post_id]))[post_id]
        new = _changed(row, before, changes)
        due_at = await self._due(tx, caller, new)
        await _take_turns(tx, caller, new)
        findings = await self._validate(tx, caller, new, due_at, exclude=post_id)
        findings.errors += [*metadata_faults(changes.metadata), *post_faults(new)]
        if findings.errors:
            raise Invalid("The post would be refused. `errors` says what to change.", errors=findings.errors)
        scheduled = not new.draft
        values = {
            "content": new.content,
            "media": _refs(new.media),
            "first_comment": new.first_comment,
            "metadata": new.metadata,
            "timezone": new.timezone,
            "scheduled_for": due_at if scheduled or new.scheduled_for else None,
            "slot_id": row.slot_id if due_at == row.scheduled_for else None,
            "status": "draft" if new.draft else "scheduled" if due_at > tx.now else "publishing",
            "updated_at": next_version(tx.now, row.updated_at),
        }
        await store.update(tx, caller.owner_id, post_id, values)
        await store.delete_targets(tx, caller.owner_id, post_id)
        rows = _target_rows(tx, post_id, new.targets, findings, due_at if scheduled else None)
        await store.add_targets(tx, caller.owner_id, rows)
        await release_media(tx, caller.owner_id, [row, *before])
        await media.keep(tx, caller.owner_id, _files(new.media, new.targets), None)
        if scheduled and (row.status == "draft" or due_at != row.scheduled_for):
            await self.announce(tx, caller.owner_id, post_id)
        return await self.show(tx, caller, post_id)

    async def retry(self, tx: Tx, caller: Caller, post_id: str) -> Post:
        """Publish the failed targets again, as a new round."""
        row = self._required(caller, await store.find_for_change(tx, caller.owner_id, post_id))
        values = {
            "status": "pending",
            "due_at": tx.now,
            "progress": None,
            "in_flight": None,
            "tries": 0,
            "error": None,
            "updated_at": tx.now,
        }
        again = await store.update_targets(tx, caller.owner_id, post_id, values, status=["failed"])
        if not again:
            raise NothingToRetry(
                "No target of this post has failed. GET /posts/{postId} shows where each stands; those that are "
                "unconfirmed are decided with POST /posts/{postId}/reconcile."
            )
        used = media_ids([item for one in (row, *again) for item in one.media or ()])
        await media.keep(tx, caller.owner_id, used, None)
        changed = {"status": "publishing", "updated_at": next_version(tx.now, row.updated_at)}
        if row.status in {"failed", "partial"}:
            changed["round"] = row.round + 1
        await store.update(tx, caller.owner_id, post_id, changed)
        tx.wake(PUBLISHING)
        return await self.show(tx, caller, post_id)

    async def reconcile(self, tx: Tx, caller: Caller, post_id: str, decided: Reconciliation) -> Post:
        """Take a person's word for what became of unconfirmed targets, or have the platforms asked once more."""
        # Targets first, as workers do: one that is about to publish is waited for, and then it is not unconfirmed.
        rows = await store.targets_for_change(tx, caller.owner_id, post_id)
        self._required(caller, await store.find_for_change(tx, caller.owner_id, post_id))
        open_ones = {row.account_id: row for row in rows if row.status == "unconfirmed"}
        if not open_ones:
            raise NothingUnconfirmed("No target of this post waits for a decision.")
        for position, finding in enumerate(decided.findings):
            row = open_ones.pop(finding.account_id, None)
            if row is None:
                detail = "This account has no unconfirmed target in this post, or is named twice."
                raise Invalid.at(f"/findings/{position}/accountId", "not_unconfirmed", detail)
            values = _decided(tx, row, finding)
            await store.update_target(tx, caller.owner_id, row.id, values)
            if values["status"] == "failed":
                await report_failure(tx, row, values["error"])
        if not decided.findings:
            await store.update_targets(tx, caller.owner_id, post_id, {"due_at": tx.now}, status=["unconfirmed"])
            tx.wake(PUBLISHING)
        await settle(tx, caller.owner_id, post_id)
        return await self.show(tx, caller, post_id)

    async def _due(self, tx: Tx, caller: Caller, new: NewPost) -> datetime:
        """Say when a post is due. One that is not scheduled is due now."""
        zone = times.zone_of(new.timezone or await self._zone(tx, caller, new.profile_id))
        if new.publish_now or new.scheduled_for is None:
            return tx.now
        moment = times.moment_of(new.scheduled_for, zone)
        return moment if new.draft else times.require_future(moment, tx.now)

    async def _zone(self, tx: Tx, caller: Caller, profile_id: str) -> str:
        return await self._profiles.timezone(tx, caller.owner_id, profile_id)

    async def _validate(
        self, tx: Tx, caller: Caller, new: NewPost, due_at: datetime, exclude: str | None = None
    ) -> Findings:
        await self._profiles.require(tx, caller, new.profile_id)
        draft = Draft(
            owner_id=caller.owner_id,
            profile_id=new.profile_id,
            content=new.content,
            media=new.media,
            first_comment=new.first_comment,
            targets=new.targets,
            due_at=due_at,
            limited=caller.profiles is not None,
            post_id=exclude,
        )
        return await self._validation.look(tx, draft, complete=not new.draft)

    async def announce(self, tx: Tx, owner_id: str, post_id: str) -> None:
        row = await store.find(tx, owner_id, post_id)
        assert row is not None, "it was written in this very transaction"
        tx.wake(PUBLISHING)
        if row.status != "scheduled":
            return
        of_post = (await store.targets_of(tx, owner_id, [post_id]))[post_id]
        event = PostScheduled(
            post_id=post_id,
            scheduled_for=row.scheduled_for,
            timezone=row.timezone,
            targets=[TargetRef(account_id=one.account_id, platform=one.platform) for one in of_post],
        )
        await emit(tx, owner_id, row.profile_id, event)

    def _required(self, caller: Caller, row: sa.Row[Any] | None) -> sa.Row[Any]:
        if row is None:
            raise NotFound("There is no post with this id. GET /posts lists those that exist.")
        caller.require_profile(row.profile_id)
        return row


async def _take_turns(tx: Tx, caller: Caller, new: NewPost) -> None:
    """Let posts to the same account be counted one after the other, or all of them would take the last free place."""
    for account_id in sorted({target.account_id for target in new.targets}):
        await tx.lock(f"posts {caller.owner_id} {account_id}")


def show_post(row: sa.Row[Any], of_post: Rows) -> Post:
    return Post(
        id=row.id,
        profile_id=row.profile_id,
        status=row.status,
        content=row.content,
        media=[msgspec.convert(item, PostMedia) for item in row.media],
        first_comment=row.first_comment,
        targets=[_show_target(one) for one in of_post],
        scheduled_for=row.scheduled_for,
        timezone=row.timezone,
        queue_slot_id=row.slot_id,
        round=row.round,
        metadata=row.metadata,
        created_at=row.created_at,
        updated_at=row.updated_at,
    )


def _show_target(row: sa.Row[Any]) -> Target:
    return Target(
        account_id=row.account_id,
        platform=Platform(row.platform),
        kind=Kind(row.kind),
        status=row.status,
        content=row.content,
        media=None if row.media is None else [msgspec.convert(item, PostMedia) for item in row.media],
        options=row.options,
        platform_post_id=row.platform_post_id,
        url=row.url,
        published_at=row.published_at,
        warnings=row.warnings,
        error=None if row.error is None else msgspec.convert(row.error, TargetError),
        attempts=[msgspec.convert(attempt, Attempt) for attempt in row.attempts],
    )


def _target_rows(
    tx: Tx, post_id: str, new: Sequence[NewTarget], findings: Findings, due_at: datetime | None
) -> list[dict[str, Any]]:
    return [
        {
            "id": new_id("tgt"),
            "post_id": post_id,
            "position": position,
            "account_id": account.id,
            "platform": account.platform,
            "kind": account.kind,
            "status": "pending",
            "content": target.content,
            "media": None if target.media is None else _refs(target.media),
            "options": target.options,
            "due_at": due_at,
            "attempts": [],
            "warnings": [],
            "created_at": tx.now,
            "updated_at": tx.now,
        }
        for position, (target, account) in enumerate(zip(new, findings.accounts, strict=True))
        if account is not None
    ]


def _decided(tx: Tx, row: sa.Row[Any], finding: Any) -> dict[str, Any]:
    at_rest = {"in_flight": None, "due_at": None, **store.TARGETS.released, "updated_at": tx.now}
    attempt = {"at": tx.now, "stage": row.in_flight or "publish", "detail": None, "nextAt": None}
    if finding.published:
        noted = msgspec.to_builtins({**attempt, "outcome": "confirmed_by_person"})
        return {
            **at_rest,
            "status": "published",
            "platform_post_id": finding.platform_post_id,
            "url": finding.url,
            "published_at": tx.now,
            "error": None,
            "attempts": [*row.attempts, noted],
        }
    noted = msgspec.to_builtins({**attempt, "outcome": "denied_by_person"})
    error = {
        "code": "not_published",
        "category": "outcome_unknown",
        "source": "user",
        "detail": "A person found that it was not published. Send POST /posts/{postId}/retry to publish it.",
        "retryable": True,
    }
    return {**at_rest, "status": "failed", "error": error, "attempts": [*row.attempts, noted]}


def _refs(refs: Sequence[MediaRef]) -> list[dict[str, Any]]:
    return [{"mediaId": ref.media_id, "alt": ref.alt, "thumbnailMediaId": ref.thumbnail_media_id} for ref in refs]


def _files(refs: Sequence[MediaRef], targets: Sequence[NewTarget]) -> list[str]:
    return media_ids([*_refs(refs), *(item for target in targets for item in _refs(target.media or ()))])


def _changed(row: sa.Row[Any], before: Rows, changes: PostChanges) -> NewPost:
    """Make the post that it would be if it were made now."""
    given = {name: value for name, value in msgspec.structs.asdict(changes).items() if value is not UNSET}
    publish_now = bool(given.pop("publish_now", False))
    unchanged = {
        "content": row.content,
        "media": msgspec.convert(row.media, list[MediaRef]),
        "first_comment": row.first_comment,
        "metadata": row.metadata,
        "timezone": row.timezone,
        "scheduled_for": None if row.scheduled_for is None else row.scheduled_for.isoformat(),
        "targets": [
            NewTarget(
                account_id=one.account_id,
                content=one.content,
                media=None if one.media is None else msgspec.convert(one.media, list[MediaRef]),
                options=one.options,
            )
            for one in before
        ],
    }
    # Who takes the time away wants it kept back, not sent at once.
    unscheduled = "scheduled_for" in given and given["scheduled_for"] is None
    stays_draft = not publish_now and (unscheduled or (row.status == "draft" and not given.get("scheduled_for")))
    return NewPost(profile_id=row.profile_id, draft=stays_draft, publish_now=publish_now, **{**unchanged, **given})
