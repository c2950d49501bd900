"""One target on its way to the platform: a small state machine, with each step recorded before and after.

Nothing is published twice. A stage that makes a post public starts only after a commit that says so; a process that
finds it started but not ended asks the platform instead of running it, and leaves it open if the platform cannot tell.

It has more than 400 lines: all of it is one state machine, which is read as a whole.
"""

import asyncio
from base64 import b64decode, b64encode
from datetime import datetime, timedelta
from typing import Any

import msgspec

from socialgate.areas.accounts import store as accounts
from socialgate.areas.accounts.session import AccountSession
from socialgate.areas.media.links import MediaLinks
from socialgate.areas.media.renditions.job import MediaNotConvertible
from socialgate.areas.media.renditions.service import RenditionService
from socialgate.areas.media.service import MediaService
from socialgate.areas.posts import retry_policy, store
from socialgate.areas.posts.contents import FilesNotReadyError, MediaDeletedError, decode_preparations, load_content
from socialgate.areas.posts.finding import find_live_post
from socialgate.areas.posts.preparing import request_missing, resume_if_settled
from socialgate.areas.posts.step_writer import TargetUpdateWriter
from socialgate.areas.posts.steps import (
    RetryState,
    StageAdvanced,
    StageStarted,
    TargetChange,
    TargetFailed,
    TargetPostponed,
    TargetPublished,
    TargetUnconfirmed,
    TargetUpdate,
    WaitingForFiles,
)
from socialgate.areas.posts.tables import PROGRESS_SEALING_PURPOSE, TargetRow, TargetStatus
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.failures import (
    PlatformDuplicateError,
    PlatformFailure,
    PlatformRateLimitError,
    PlatformRejectedError,
)
from socialgate.contracts.publishing import (
    PUBLISH_POST_CAPABILITY,
    Inconclusive,
    LookupResult,
    NextStage,
    PostContent,
    PostPublisher,
    PublishedPost,
    PublishingProgress,
    SafeToRetry,
    StageResult,
)
from socialgate.core.db import Database, Tx
from socialgate.core.encryption import EncryptionPurpose, Keyring
from socialgate.core.errors import ServiceError
from socialgate.core.events import TargetError
from socialgate.core.jitter import random_between
from socialgate.core.jobs.queue import ClaimedRow
from socialgate.core.restores import RESTORED_ERROR_CODE

_MAX_STORED_ATTEMPTS = 50
# When a target looks for its files again by itself. Usually it is continued as soon as they are ready.
_FILES_DELAY = timedelta(seconds=30)
# Targets that wait for a quota are spread over this time.
_MAX_QUOTA_SPREAD_SECONDS = 50
_FOUND_NOT_PUBLISHED_OUTCOME = "found_not_published"


class PublishDependencies:
    """What a run works with."""

    def __init__(
        self,
        *,
        db: Database,
        session: AccountSession,
        library: MediaService,
        links: MediaLinks,
        step_writer: TargetUpdateWriter,
        keyring: Keyring,
        renditions: RenditionService,
    ) -> None:
        self.db = db
        self.session = session
        self.library = library
        self.links = links
        self.ledger = step_writer
        self.keyring = keyring
        self.renditions = renditions
        self.stopping = asyncio.Event()


class CannotPublishError(Exception):
    """It cannot even be started."""

    def __init__(self, error: TargetError) -> None:
        super().__init__(error.detail)
        self.error = error


class PublishRun:
    def __init__(self, deps: PublishDependencies, claimed: ClaimedRow[TargetRow]) -> None:
        self.row = row = claimed.row
        self._claimed = claimed
        self._deps = deps
        self._attempts: list[dict[str, Any]] = list(row.attempts)
        self._retry = RetryState.from_row(row)
        self._tries = row.tries
        self._in_flight = row.in_flight

    async def run(self) -> None:
        """Take the target as far as it goes now."""
        publishing: PostPublisher | None = None
        try:
            publishing = self._get_publisher()
            account, content = await self._deps.db.read(self._load)
        except FilesNotReadyError:
            await self._wait_for_files()
            return
        except CannotPublishError as unpublishable:
            await self._fail_or_leave_open(publishing, unpublishable.error)
            return
        progress: PublishingProgress | None
        if self._is_held:
            progress = await self._look_up_held_target(publishing, account, content)
        else:
            progress = self._load_progress(publishing, content)
        while progress is not None:
            if self._deps.stopping.is_set():
                # A stage that was started without a known result stays so for the next worker.
                await self._postpone(progress, timedelta(0), begun=self._in_flight)
                return
            progress = await self._run_stage(publishing, account, content, progress)

    async def _wait_for_files(self) -> None:
        """Wait until files are made to fit, or fail if that is known to be impossible.

        What may have been impossible only for some time, such as for lack of space, is tried once more when it is due.
        """
        waits = self.row.status in {TargetStatus.PENDING, TargetStatus.PREPARING}
        if waits and self.row.error is not None:
            error = msgspec.convert(self.row.error, TargetError)
            if self.row.status is TargetStatus.PREPARING or error.code == MediaNotConvertible.code:
                await self._record_failure("prepare", error)
                return
        all_ready = await self._deps.db.write(request_missing, self._deps.renditions, self.row)
        if not all_ready:
            await self._note_delay()
        due_at = self._now + (timedelta(0) if all_ready else _FILES_DELAY)
        await self._write(WaitingForFiles(TargetStatus.PREPARING if waits else self.row.status, due_at))
        # A file that became ready before this was written could not continue a target that did not wait yet.
        await self._deps.db.write(resume_if_settled, self._deps.renditions, self.row)

    async def _note_delay(self) -> None:
        """Show why the files are not ready, such as for lack of space: once, however often this looks for them."""
        needed = decode_preparations(self.row)
        delay = await self._deps.db.read(self._deps.renditions.find_delay, self.row.owner_id, needed)
        last = self._attempts[-1] if self._attempts else {}
        if delay is not None and (last.get("outcome"), last.get("detail")) != (delay.code, delay.detail):
            self._add_attempt("prepare", delay.code, delay.detail, delay.next_at, self._retry)

    async def _run_stage(
        self, publishing: PostPublisher, account: AccountRow, content: PostContent, progress: PublishingProgress
    ) -> PublishingProgress | None:
        """Run a stage, or look up its result. None: there is nothing more to do now."""
        once = progress.stage in publishing.non_repeatable_stages
        if once and self._in_flight == progress.stage:
            return await self._look_up_stage(publishing, account, content, progress)
        await self._record_stage_start(progress)
        files = self._deps.library.get_reader(self.row.owner_id)
        try:
            step = await self._deps.session.call_for_account(
                account, lambda credentials: publishing.run_stage(credentials, content, progress, files)
            )
        except PlatformFailure as failure:
            return await self._handle_failure(progress, failure, once=once)
        return await self._handle_step(progress, step)

    async def _look_up_stage(
        self, publishing: PostPublisher, account: AccountRow, content: PostContent, progress: PublishingProgress
    ) -> PublishingProgress | None:
        """Ask the platform. Whatever it says, the stage is not run again unless it is certain."""
        try:
            sight = await self._deps.session.call_for_account(
                account, lambda credentials: publishing.look_up_result(credentials, content, progress)
            )
        except PlatformFailure as failure:
            sight = Inconclusive(failure.detail)
        return await self._handle_lookup(progress, sight)

    async def _look_up_held_target(
        self, publishing: PostPublisher, account: AccountRow, content: PostContent
    ) -> PublishingProgress | None:
        """Ask the platform about a target that a restore holds back: it may have got further than is recorded."""
        before = None if self.row.progress is None else self._decrypt_progress(self.row.progress)
        if before is not None and before.stage in publishing.non_repeatable_stages:
            self._in_flight = before.stage
            return await self._look_up_stage(publishing, account, content, before)
        try:
            sight = await find_live_post(self._deps.db, self._deps.session, account, self.row, content)
        except PlatformFailure as failure:
            sight = Inconclusive(failure.detail)
        return await self._handle_lookup(before or publishing.create_progress(content), sight)

    async def _record_stage_start(self, progress: PublishingProgress) -> None:
        """Record what is about to be done. It is done only after this commit."""
        if self._in_flight != progress.stage:
            self._in_flight = progress.stage
            await self._write(StageStarted(progress.stage, self._encrypt_progress(progress)))

    async def _handle_step(self, progress: PublishingProgress, step: StageResult) -> PublishingProgress | None:
        if isinstance(step, PublishedPost):
            await self._record_published(progress, step)
            return None
        self._tries = 0
        if step.wait > 0:
            wait = timedelta(seconds=step.wait)
            self._add_attempt(progress.stage, "waiting", None, self._now + wait)
            await self._postpone(step.progress, wait)
            return None
        if step.progress.stage != progress.stage:
            self._add_attempt(progress.stage, "done", None)
            self._in_flight = None
        else:
            # The same stage continues, such as the next part of an upload.
            await self._write(StageAdvanced(self._encrypt_progress(step.progress)))
        return step.progress

    async def _handle_lookup(
        self, progress: PublishingProgress, lookup_result: LookupResult
    ) -> PublishingProgress | None:
        match lookup_result:
            case PublishedPost():
                self._add_attempt(progress.stage, "found_published", None)
                await self._record_published(progress, lookup_result)
                return None
            case NextStage():
                return await self._handle_step(progress, lookup_result)
            case SafeToRetry():
                return await self._repeat_if_safe(progress)
            case Inconclusive():
                await self._mark_unconfirmed(progress.stage, lookup_result.reason)
                return None

    async def _repeat_if_safe(self, progress: PublishingProgress) -> PublishingProgress | None:
        """Run a stage again, if that is harmless, after two lookups some time apart found nothing.

        The platform may still be executing the call whose response was lost: the two should not overlap.
        """
        if self._tries >= retry_policy.MAX_STAGE_REPEATS:
            await self._mark_unconfirmed(progress.stage, "The platform neither publishes nor rejects it.")
            return None
        if not self._has_settled_as_not_found():
            settles_at = self._now + retry_policy.STAGE_REPEAT_DELAY
            self._add_attempt(
                progress.stage, _FOUND_NOT_PUBLISHED_OUTCOME, None, settles_at, RetryState(settles_at=settles_at)
            )
            await self._postpone(progress, retry_policy.STAGE_REPEAT_DELAY, begun=progress.stage)
            return None
        self._add_attempt(progress.stage, _FOUND_NOT_PUBLISHED_OUTCOME, None)
        self._tries += 1
        self._in_flight = None
        return msgspec.structs.replace(progress, has_lost_call=True)

    def _has_settled_as_not_found(self) -> bool:
        """Return whether the previous lookup also found nothing, long enough ago."""
        settles_at = self._retry.settles_at
        return settles_at is not None and settles_at <= self._now

    async def _handle_failure(
        self, progress: PublishingProgress, failure: PlatformFailure, *, once: bool
    ) -> PublishingProgress | None:
        sequel = retry_policy.choose_next_action(failure, self._tries, runs_once=once)
        match sequel:
            case retry_policy.LookUpOutcome():
                self._add_attempt(progress.stage, failure.code, failure.detail)
                return progress
            case retry_policy.RetryStage():
                self._tries += 1
                self._add_attempt(
                    progress.stage, failure.code, failure.detail, self._now + sequel.after, self._count_failure(failure)
                )
                await self._postpone(progress, sequel.after)
            case retry_policy.WaitForQuota():
                await self._wait_for_quota(progress, failure, sequel.after)
            case retry_policy.FailTarget():
                if progress.has_lost_call or (
                    progress.handed_over and not isinstance(failure, PlatformRejectedError | PlatformDuplicateError)
                ):
                    # The platform has it: only its own rejection of this very call means that it will not be published.
                    await self._mark_unconfirmed(progress.stage, failure.detail)
                    return None
                await self._record_failure(progress.stage, sequel.error)
        return None

    async def _wait_for_quota(self, progress: PublishingProgress, failure: PlatformFailure, after: timedelta) -> None:
        """Wait for a quota. Targets that wait for the same quota retry at different times, less and less often: however
        many there are, they do not keep everybody busy with rejected calls.
        """
        after += timedelta(seconds=random_between(0, min(self._retry.rate_limits, _MAX_QUOTA_SPREAD_SECONDS)))
        self._add_attempt(progress.stage, failure.code, failure.detail, self._now + after, self._count_failure(failure))
        await self._postpone(progress, after)

    def _count_failure(self, failure: PlatformFailure) -> RetryState:
        rate_limits = self._retry.rate_limits + 1 if isinstance(failure, PlatformRateLimitError) else 0
        return RetryState(rate_limits=rate_limits)

    async def _record_published(self, progress: PublishingProgress, done: PublishedPost) -> None:
        self._add_attempt(progress.stage, "published", None)
        await self._write(TargetPublished(done, done.published_at or self._now))

    async def _fail_or_leave_open(self, publishing: PostPublisher | None, error: TargetError) -> None:
        """Fail a target that cannot continue; one whose worker died may be published, and stays open."""
        begun = self._in_flight
        before = None if self.row.progress is None else self._decrypt_progress(self.row.progress)
        public = begun is not None and (publishing is None or begun in publishing.non_repeatable_stages)
        if self._is_held or public or (before is not None and (before.handed_over or before.has_lost_call)):
            await self._mark_unconfirmed(begun or "watch", error.detail)
        else:
            await self._record_failure(begun or "prepare", error)

    async def _record_failure(self, stage: str, error: TargetError) -> None:
        self._add_attempt(stage, error.code, error.detail)
        await self._write(TargetFailed(error))

    async def _mark_unconfirmed(self, stage: str, why: str) -> None:
        """The outcome is unknown. The platform is asked a few more times, then a person decides."""
        lookups = self._retry.unclear_lookups
        retry = RetryState(unclear_lookups=lookups + 1)
        if self._is_held:
            # Only a person has it asked again.
            self._add_attempt(stage, "not_told", why, retry=retry)
            await self._write(TargetUnconfirmed(msgspec.convert(self.row.error, TargetError), self._tries, None))
            return
        due_at = self._now + retry_policy.LOOKUP_DELAYS[lookups] if lookups < len(retry_policy.LOOKUP_DELAYS) else None
        self._add_attempt(stage, "not_told", why, due_at, retry)
        await self._write(TargetUnconfirmed(retry_policy.build_unknown_outcome_error(why), self._tries, due_at))

    async def _postpone(self, progress: PublishingProgress, after: timedelta, *, begun: str | None = None) -> None:
        """Release the target until it is due again, with the stage that may already have been executed, if any."""
        await self._write(TargetPostponed(self._encrypt_progress(progress), begun, self._tries, self._now + after))

    async def _write(self, change: TargetChange) -> None:
        """Record the state of the target, with the attempts so far."""
        attempts = self._attempts[-_MAX_STORED_ATTEMPTS:]
        await self._deps.ledger.write(TargetUpdate(self._claimed, attempts, self._retry, change))

    def _add_attempt(
        self,
        stage: str,
        outcome: str,
        detail: str | None,
        next_at: datetime | None = None,
        retry: RetryState | None = None,
    ) -> None:
        """Note an attempt for people, and what a retry must remember of it: usually nothing."""
        self._retry = retry or RetryState()
        attempt = {"at": self._now, "stage": stage, "outcome": outcome, "detail": detail, "nextAt": next_at}
        self._attempts.append(msgspec.to_builtins(attempt))

    def _get_publisher(self) -> PostPublisher:
        try:
            post_publisher = self._deps.session.get_connector(self.row.platform).find_adapter(
                self.row.kind, PUBLISH_POST_CAPABILITY
            )
        except ServiceError as error:
            raise CannotPublishError(retry_policy.build_system_error(error)) from None
        assert post_publisher is not None, "validation lets no post through to a kind that cannot"
        return post_publisher

    def _load_progress(self, publishing: PostPublisher, content: PostContent) -> PublishingProgress:
        if self.row.progress is None:
            return publishing.create_progress(content)
        return self._decrypt_progress(self.row.progress)

    def _encrypt_progress(self, progress: PublishingProgress) -> str:
        """What a stage leaves for the next may be a secret, such as the URL of an upload in progress."""
        return b64encode(
            self._deps.keyring.seal(msgspec.json.encode(progress).decode(), self._sealing_purpose)
        ).decode()

    def _decrypt_progress(self, sealed: str) -> PublishingProgress:
        return msgspec.json.decode(
            self._deps.keyring.unseal(b64decode(sealed), self._sealing_purpose), type=PublishingProgress
        )

    @property
    def _is_held(self) -> bool:
        """Whether a restore holds it back."""
        return self.row.status is TargetStatus.UNCONFIRMED and (self.row.error or {}).get("code") == RESTORED_ERROR_CODE

    @property
    def _sealing_purpose(self) -> EncryptionPurpose:
        return PROGRESS_SEALING_PURPOSE.build_purpose(owner_id=self.row.owner_id, id=self.row.id)

    async def _load(self, tx: Tx) -> tuple[AccountRow, PostContent]:
        post = await store.find_post(tx, self.row.owner_id, self.row.post_id)
        account = await accounts.find_account(tx, self.row.owner_id, self.row.account_id)
        if account is None or account.status != "connected":
            raise CannotPublishError(retry_policy.build_account_error(None if account is None else account.lost_reason))
        assert post is not None, "a target has a post"
        try:
            return account, await load_content(tx, post, self.row, self._deps.links)
        except MediaDeletedError as error:
            raise CannotPublishError(retry_policy.build_user_error("media_gone", str(error))) from None

    @property
    def _now(self) -> datetime:
        return self._deps.db.clock.now()
