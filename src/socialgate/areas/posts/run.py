"""One target on its way to the platform: a small state machine, with each step recorded before and after.

Nothing is published twice. A stage that makes a post public starts only after a commit that says so; a process that
finds it started but not ended asks the platform instead of running it, and leaves it open if the platform cannot tell.
"""

import asyncio
from base64 import b64decode, b64encode
from datetime import datetime, timedelta
from typing import Any

import msgspec

from socialgate.areas.accounts import store as accounts
from socialgate.areas.accounts.session import AccountSession
from socialgate.areas.media.links import MediaLinks
from socialgate.areas.media.service import Library
from socialgate.areas.posts import plan, store
from socialgate.areas.posts.contents import MediaGone, content_of
from socialgate.areas.posts.finding import find_live
from socialgate.areas.posts.ledger import Ledger
from socialgate.areas.posts.steps import (
    Advanced,
    Begun,
    Change,
    Failed,
    Postponed,
    Published,
    RetryState,
    StepTaken,
    Unconfirmed,
)
from socialgate.areas.posts.tables import PROGRESS, TargetRow, TargetStatus
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.failures import Duplicate, PlatformFailure, PlatformRateLimited, Rejected
from socialgate.contracts.publishing import (
    POST,
    CannotTell,
    Content,
    Continue,
    Done,
    LookupResult,
    NotThere,
    Progress,
    Publishing,
    Step,
)
from socialgate.core.db import Database, Tx
from socialgate.core.errors import ServiceError
from socialgate.core.events import TargetError
from socialgate.core.jitter import between
from socialgate.core.jobs.queue import Claimed
from socialgate.core.restores import RESTORED
from socialgate.core.secrets import Keyring, Purpose

_MOST_ATTEMPTS_KEPT = 50
# Targets that wait for a quota are spread over this time.
_MAX_QUOTA_SPREAD_SECONDS = 50
_NOT_FOUND = "found_not_published"


class PublishDeps:
    """What a run works with."""

    def __init__(
        self,
        *,
        db: Database,
        session: AccountSession,
        library: Library,
        links: MediaLinks,
        ledger: Ledger,
        keyring: Keyring,
    ) -> None:
        self.db = db
        self.session = session
        self.library = library
        self.links = links
        self.ledger = ledger
        self.keyring = keyring
        self.stopping = asyncio.Event()


class Unpublishable(Exception):
    """It cannot even be started."""

    def __init__(self, error: TargetError) -> None:
        super().__init__(error.detail)
        self.error = error


class Run:
    def __init__(self, deps: PublishDeps, claimed: Claimed[TargetRow]) -> None:
        self.row = row = claimed.row
        self._claimed = claimed
        self._deps = deps
        self._attempts: list[dict[str, Any]] = list(row.attempts)
        self._retry = RetryState.of(row)
        self._tries = row.tries
        self._in_flight = row.in_flight

    async def go(self) -> None:
        """Take the target as far as it goes now."""
        publishing: Publishing | None = None
        try:
            publishing = self._publishing()
            account, content = await self._deps.db.read(self._load)
        except Unpublishable as unpublishable:
            await self._give_up(publishing, unpublishable.error)
            return
        progress: Progress | None
        if self._is_held:
            progress = await self._find_out(publishing, account, content)
        else:
            progress = self._progress(publishing, content)
        while progress is not None:
            if self._deps.stopping.is_set():
                # A stage that was started without a known result stays so for the next worker.
                await self._release(progress, timedelta(0), begun=self._in_flight)
                return
            progress = await self._step(publishing, account, content, progress)

    async def _step(
        self, publishing: Publishing, account: AccountRow, content: Content, progress: Progress
    ) -> Progress | None:
        """Run a stage, or look up its result. None: there is nothing more to do now."""
        once = progress.stage in publishing.once
        if once and self._in_flight == progress.stage:
            return await self._look(publishing, account, content, progress)
        await self._begin(progress)
        files = self._deps.library.of(self.row.owner_id)
        try:
            step = await self._deps.session.call_as(
                account, lambda held: publishing.run(held, content, progress, files)
            )
        except PlatformFailure as failure:
            return await self._after_failure(progress, failure, once=once)
        return await self._moved(progress, step)

    async def _look(
        self, publishing: Publishing, account: AccountRow, content: Content, progress: Progress
    ) -> Progress | None:
        """Ask the platform. Whatever it says, the stage is not run again unless it is certain."""
        try:
            sight = await self._deps.session.call_as(account, lambda held: publishing.look(held, content, progress))
        except PlatformFailure as failure:
            sight = CannotTell(failure.detail)
        return await self._seen(progress, sight)

    async def _find_out(self, publishing: Publishing, account: AccountRow, content: Content) -> Progress | None:
        """Ask the platform about a target that a restore holds back: it may have got further than is recorded."""
        before = None if self.row.progress is None else self._opened(self.row.progress)
        if before is not None and before.stage in publishing.once:
            self._in_flight = before.stage
            return await self._look(publishing, account, content, before)
        try:
            sight = await find_live(self._deps.db, self._deps.session, account, self.row, content)
        except PlatformFailure as failure:
            sight = CannotTell(failure.detail)
        return await self._seen(before or publishing.begin(content), sight)

    async def _begin(self, progress: Progress) -> None:
        """Record what is about to be done. It is done only after this commit."""
        if self._in_flight != progress.stage:
            self._in_flight = progress.stage
            await self._write(Begun(progress.stage, self._sealed(progress)))

    async def _moved(self, progress: Progress, step: Step) -> Progress | None:
        if isinstance(step, Done):
            await self._publish(progress, step)
            return None
        self._tries = 0
        if step.wait > 0:
            wait = timedelta(seconds=step.wait)
            self._note(progress.stage, "waiting", None, self._now + wait)
            await self._release(step.progress, wait)
            return None
        if step.progress.stage != progress.stage:
            self._note(progress.stage, "done", None)
            self._in_flight = None
        else:
            # The same stage continues, such as the next part of an upload.
            await self._write(Advanced(self._sealed(step.progress)))
        return step.progress

    async def _seen(self, progress: Progress, sight: LookupResult) -> Progress | None:
        match sight:
            case Done():
                self._note(progress.stage, "found_published", None)
                await self._publish(progress, sight)
                return None
            case Continue():
                return await self._moved(progress, sight)
            case NotThere():
                return await self._repeat(progress)
            case CannotTell():
                await self._leave_open(progress.stage, sight.why)
                return None

    async def _repeat(self, progress: Progress) -> Progress | None:
        """Run a stage again, if that is harmless, after two lookups some time apart found nothing.

        The platform may still be executing the call whose response was lost: the two should not overlap.
        """
        if self._tries >= plan.MOST_REPEATS:
            await self._leave_open(progress.stage, "The platform neither publishes nor rejects it.")
            return None
        if not self._is_settled():
            settles_at = self._now + plan.SETTLING
            self._note(progress.stage, _NOT_FOUND, None, settles_at, RetryState(settles_at=settles_at))
            await self._release(progress, plan.SETTLING, begun=progress.stage)
            return None
        self._note(progress.stage, _NOT_FOUND, None)
        self._tries += 1
        self._in_flight = None
        return msgspec.structs.replace(progress, lost=True)

    def _is_settled(self) -> bool:
        """Return whether the previous lookup also found nothing, long enough ago."""
        settles_at = self._retry.settles_at
        return settles_at is not None and settles_at <= self._now

    async def _after_failure(self, progress: Progress, failure: PlatformFailure, *, once: bool) -> Progress | None:
        sequel = plan.after_failure(failure, self._tries, once=once)
        match sequel:
            case plan.Ask():
                self._note(progress.stage, failure.code, failure.detail)
                return progress
            case plan.Again():
                self._tries += 1
                self._note(
                    progress.stage, failure.code, failure.detail, self._now + sequel.after, self._counted(failure)
                )
                await self._release(progress, sequel.after)
            case plan.Wait():
                await self._stand_in_line(progress, failure, sequel.after)
            case plan.Fail():
                if progress.lost or (progress.handed_over and not isinstance(failure, Rejected | Duplicate)):
                    # The platform has it: only its own rejection of this very call means that it will not be published.
                    await self._leave_open(progress.stage, failure.detail)
                    return None
                await self._fail(progress.stage, sequel.error)
        return None

    async def _stand_in_line(self, progress: Progress, failure: PlatformFailure, after: timedelta) -> None:
        """Wait for a quota. Targets that wait for the same quota retry at different times, less and less often: however
        many there are, they do not keep everybody busy with rejected calls.
        """
        after += timedelta(seconds=between(0, min(self._retry.rate_limits, _MAX_QUOTA_SPREAD_SECONDS)))
        self._note(progress.stage, failure.code, failure.detail, self._now + after, self._counted(failure))
        await self._release(progress, after)

    def _counted(self, failure: PlatformFailure) -> RetryState:
        rate_limits = self._retry.rate_limits + 1 if isinstance(failure, PlatformRateLimited) else 0
        return RetryState(rate_limits=rate_limits)

    async def _publish(self, progress: Progress, done: Done) -> None:
        self._note(progress.stage, "published", None)
        await self._write(Published(done, done.published_at or self._now))

    async def _give_up(self, publishing: Publishing | None, error: TargetError) -> None:
        """Fail a target that cannot continue; one whose worker died may be published, and stays open."""
        begun = self._in_flight
        before = None if self.row.progress is None else self._opened(self.row.progress)
        public = begun is not None and (publishing is None or begun in publishing.once)
        if self._is_held or public or (before is not None and (before.handed_over or before.lost)):
            await self._leave_open(begun or "watch", error.detail)
        else:
            await self._fail(begun or "prepare", error)

    async def _fail(self, stage: str, error: TargetError) -> None:
        self._note(stage, error.code, error.detail)
        await self._write(Failed(error))

    async def _leave_open(self, stage: str, why: str) -> None:
        """The outcome is unknown. The platform is asked a few more times, then a person decides."""
        lookups = self._retry.unclear_lookups
        retry = RetryState(unclear_lookups=lookups + 1)
        if self._is_held:
            # Only a person has it asked again.
            self._note(stage, "not_told", why, retry=retry)
            await self._write(Unconfirmed(msgspec.convert(self.row.error, TargetError), self._tries, None))
            return
        due_at = self._now + plan.LOOKS[lookups] if lookups < len(plan.LOOKS) else None
        self._note(stage, "not_told", why, due_at, retry)
        await self._write(Unconfirmed(plan.unknown_error(why), self._tries, due_at))

    async def _release(self, progress: Progress, after: timedelta, *, begun: str | None = None) -> None:
        """Release the target until it is due again, with the stage that may already have been executed, if any."""
        await self._write(Postponed(self._sealed(progress), begun, self._tries, self._now + after))

    async def _write(self, change: Change) -> None:
        """Record the state of the target, with the attempts so far."""
        attempts = self._attempts[-_MOST_ATTEMPTS_KEPT:]
        await self._deps.ledger.write(StepTaken(self._claimed, attempts, self._retry, change))

    def _note(
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

    def _publishing(self) -> Publishing:
        try:
            found = self._deps.session.connector(self.row.platform).part(self.row.kind, POST)
        except ServiceError as error:
            raise Unpublishable(plan.system_error(error)) from None
        assert found is not None, "validation lets no post through to a kind that cannot"
        return found

    def _progress(self, publishing: Publishing, content: Content) -> Progress:
        if self.row.progress is None:
            return publishing.begin(content)
        return self._opened(self.row.progress)

    def _sealed(self, progress: Progress) -> str:
        """What a stage leaves for the next may be a secret, such as the URL of an upload in progress."""
        return b64encode(self._deps.keyring.seal(msgspec.json.encode(progress).decode(), self._purpose)).decode()

    def _opened(self, sealed: str) -> Progress:
        return msgspec.json.decode(self._deps.keyring.open(b64decode(sealed), self._purpose), type=Progress)

    @property
    def _is_held(self) -> bool:
        """Whether a restore holds it back."""
        return self.row.status is TargetStatus.UNCONFIRMED and (self.row.error or {}).get("code") == RESTORED

    @property
    def _purpose(self) -> Purpose:
        return PROGRESS.of(owner_id=self.row.owner_id, id=self.row.id)

    async def _load(self, tx: Tx) -> tuple[AccountRow, Content]:
        post = await store.find(tx, self.row.owner_id, self.row.post_id)
        account = await accounts.find_account(tx, self.row.owner_id, self.row.account_id)
        if account is None or account.status != "connected":
            raise Unpublishable(plan.account_error(None if account is None else account.lost_reason))
        assert post is not None, "a target has a post"
        try:
            return account, await content_of(tx, post, self.row, self._deps.links)
        except MediaGone as error:
            raise Unpublishable(plan.user_error("media_gone", str(error))) from None

    @property
    def _now(self) -> datetime:
        return self._deps.db.clock.now()
