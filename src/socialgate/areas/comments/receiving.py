"""Reporting comments and reviews, each once, whether the platform pushes them or they are looked for."""

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta

import msgspec

from socialgate.areas.comments import store
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.comments import Comment, CommentReceived
from socialgate.contracts.connector_registry import ConnectorRegistry
from socialgate.contracts.platforms import Kind, Platform
from socialgate.core import events, outbox
from socialgate.core.db import Tx
from socialgate.core.jobs.service import JobService

COMMENT_FETCH_JOB = "comments.fetch"
# What is older is not reported: it was known, or the service was down for too long.
MAX_COMMENT_AGE = timedelta(days=14)
# Platforms report whole seconds, and their clocks differ from ours.
_CLOCK_SKEW = timedelta(minutes=1)


class CommentReporter:
    def __init__(self, jobs: JobService, catalogue: ConnectorRegistry) -> None:
        self._jobs = jobs
        self._manifests = catalogue.manifests

    async def on_comment_reported(self, tx: Tx, fact: CommentReceived, accounts: Sequence[AccountRow]) -> None:
        """Report a comment that the platform sent. Of a review it only sends the id: a job reads the rest."""
        for account in accounts:
            if self._has_reviews(account):
                values = {"accountId": account.id}
                await self._jobs.enqueue(
                    tx, COMMENT_FETCH_JOB, account.owner_id, values, key=f"{account.id} {fact.comment.id}"
                )
            elif fact.change == "created":
                await self._record_comment(tx, account, fact.comment)

    async def report_new_comments(self, tx: Tx, account: AccountRow, items: Sequence[Comment]) -> None:
        """Report those of a list that are new. They are ordered by id, so that two transactions with the same comments
        do not deadlock.
        """
        for item in sorted(items, key=lambda comment: comment.id):
            await self._record_comment(tx, account, item)

    async def _record_comment(self, tx: Tx, account: AccountRow, item: Comment) -> None:
        if item.own or not await store.mark_comment_reported(tx, account.owner_id, account.id, item.id):
            return
        event = (
            _build_review_event(account, item) if self._has_reviews(account) else _build_comment_event(account, item)
        )
        await outbox.emit_event(tx, account.owner_id, account.profile_id, event)

    def _has_reviews(self, account: AccountRow) -> bool:
        return self._manifests[Platform(account.platform)].get_kind_manifest(Kind(account.kind)).comments_are_reviews


def get_earliest_new_comment_time(account: AccountRow, now: datetime) -> datetime:
    """Return since when comments may be new: none from before the account was connected."""
    return max(account.created_at, now - MAX_COMMENT_AGE) - _CLOCK_SKEW


def iterate_comments_written_since(items: Sequence[Comment], since: datetime) -> Iterator[Comment]:
    """Return the comments in a list, and the replies to them, that were written since then."""
    for item in items:
        if item.created_at is not None and item.created_at >= since:
            yield item
        yield from iterate_comments_written_since(item.replies, since)


def _build_review_event(account: AccountRow, item: Comment) -> events.ReviewReceived:
    review = events.ReceivedReview(
        id=item.id,
        object_id=item.object_id,
        author=_build_author(item),
        text=item.text,
        rating=item.rating,
        created_at=item.created_at,
    )
    return events.ReviewReceived(account_id=account.id, platform=account.platform, kind=account.kind, review=review)


def _build_comment_event(account: AccountRow, item: Comment) -> events.CommentReceived:
    comment = events.ReceivedComment(
        id=item.id,
        object_id=item.object_id,
        parent_id=item.parent_id,
        author=_build_author(item),
        text=item.text,
        created_at=item.created_at,
        url=item.url,
    )
    return events.CommentReceived(account_id=account.id, platform=account.platform, kind=account.kind, comment=comment)


def _build_author(item: Comment) -> events.ReceivedAuthor | None:
    return None if item.author is None else events.ReceivedAuthor(**msgspec.structs.asdict(item.author))
