"""The health of accounts: the result of the last check, stored with the account, and checked again on demand or when
due.
"""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

import msgspec

from socialgate.areas.accounts import store, subscriptions
from socialgate.areas.accounts.health_changes import report_changes
from socialgate.areas.accounts.lifecycle import AccountLifecycle
from socialgate.areas.accounts.schemas import (
    AccountHealth,
    HealthQuery,
    HealthReport,
    HealthSummary,
    Permissions,
    TokenHealth,
)
from socialgate.areas.accounts.session import AccountSession, PlatformNotConfigured
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.catalogue import Catalogue
from socialgate.contracts.connecting import HEALTH, Check, Issue, LimitUse
from socialgate.contracts.failures import NeedsReconnection, PlatformFailure
from socialgate.contracts.platforms import Kind, Platform, Quota
from socialgate.contracts.sign_in_forms import is_paired
from socialgate.core.background import BackgroundTasks
from socialgate.core.caller import Caller
from socialgate.core.db import Tx
from socialgate.core.quotas import Budget, Use, use_of
from socialgate.core.work import Work
from socialgate.web.paging import page_of

# One deadline for all checks of a response: an account that is not checked by then is unknown.
DEADLINE_SECONDS = 10.0
_AT_ONCE = 20
CHECK_EVERY = timedelta(hours=1)
_AGAIN = timedelta(minutes=1)


_SELECT = "Reconnect the account and keep these permissions selected."
_CREATE = "Create a token that has these permissions, and reconnect the account with it."


class Health:
    def __init__(self, catalogue: Catalogue, session: AccountSession, lifecycle: AccountLifecycle) -> None:
        self._catalogue = catalogue
        self._session = session
        self._lifecycle = lifecycle
        self._check_tasks = BackgroundTasks()

    async def close(self) -> None:
        """Cancel the checks that nobody waits for any more. Renewals in progress are completed."""
        await self._check_tasks.give_up()

    async def report(self, work: Work, query: HealthQuery) -> HealthReport:
        rows = await work.read(self._rows, work.caller, query)
        page = page_of(rows, query, _shown)
        if query.refresh:
            checked = await self._check_accounts(work, rows[: query.limit])
            page = msgspec.structs.replace(page, data=checked)
        summary = await work.read(self._summary, work.caller, query.profile_id)
        data = await work.read(self._with_quotas, rows, page.data)
        return HealthReport(summary=summary, data=data, next_cursor=page.next_cursor)

    async def check_account(self, work_db: Any, row: AccountRow) -> AccountHealth:
        """Ask the platform about an account, and store the result."""
        try:
            check = await self._session.call_unrecorded(row, self._session.part(row, HEALTH, "cannot be checked").check)
        except NeedsReconnection as failure:
            found = _lost(row, failure.detail, work_db.clock.now())
            await work_db.write(self._settle_lost, row, found, row.suspicion or failure.detail)
        except (PlatformFailure, PlatformNotConfigured) as failure:
            found = _with_status_unknown(row, failure.detail)
            await work_db.write(self._postpone, row, failure.retry_after)
        else:
            refusal = await work_db.read(subscriptions.refusal, row.platform, row.inbound_key)
            found = self._judge(row, check, refusal, work_db.clock.now())
            await work_db.write(self._settle if row.status == "connected" else self._settle_restored, row, found, check)
        return found

    async def _check_accounts(self, work: Work, rows: Sequence[AccountRow]) -> list[AccountHealth]:
        turn = asyncio.Semaphore(_AT_ONCE)

        async def check_with_limit(row: AccountRow) -> AccountHealth:
            async with turn:
                return await self.check_account(work.db, row)

        tasks = {row.id: self._check_tasks.start(check_with_limit(row)) for row in rows if row.status == "connected"}
        if tasks:
            # Late checks continue on their own: their results are available to the next request.
            await asyncio.wait(tasks.values(), timeout=DEADLINE_SECONDS)
        return [_result(row, tasks.get(row.id)) for row in rows]

    async def _rows(self, tx: Tx, caller: Caller, query: HealthQuery) -> Sequence[AccountRow]:
        if query.profile_id is not None:
            caller.require_profile(query.profile_id)
        where = {"profile_id": query.profile_id}
        return await store.page_of_all(tx, caller.owner_id, caller, query, where)

    async def _with_quotas(
        self, tx: Tx, rows: Sequence[AccountRow], found: Sequence[AccountHealth]
    ) -> list[AccountHealth]:
        """Add the current counts of this service. What the platform reports takes precedence."""
        quotas = {row.id: list(self._quotas(row)) for row in rows}
        uses = await use_of(tx, [budget.key for each in quotas.values() for _, budget in each if budget is not None])
        return [_with_limits(health, quotas[health.account_id], uses) for health in found]

    def _quotas(self, row: AccountRow) -> Iterator[tuple[Quota, Budget | None]]:
        """Return each quota of an account with its count. Chats and endpoints are too many to show."""
        platform = Platform(row.platform)
        whose = {"account": row.platform_account_id, "app": Quota.APP}
        for quota in self._catalogue.manifests[platform].of(Kind(row.kind)).limits.quotas:
            yield quota, quota.budget(platform, whose[quota.per]) if quota.per in whose else None

    async def _summary(self, tx: Tx, caller: Caller, profile_id: str | None) -> HealthSummary:
        counts = await store.health_counts(tx, caller.owner_id, caller, profile_id)
        lost = sum(number for (state, _), number in counts.items() if state == "needs_reconnection")
        alive = {key: number for key, number in counts.items() if key[0] != "needs_reconnection"}

        def saying(word: str) -> int:
            return sum(number for (_, said), number in alive.items() if said == word)

        return HealthSummary(
            total=sum(counts.values()),
            healthy=saying("healthy"),
            warning=saying("warning"),
            error=saying("error") + lost,
            unknown=saying("unknown"),
            needs_reconnection=lost,
        )

    def _judge(self, row: AccountRow, check: Check, refusal: str | None, now: datetime) -> AccountHealth:
        platform = self._catalogue.manifests[Platform(row.platform)]
        manifest = platform.of(Kind(row.kind))
        missing = manifest.missing(check.granted)
        # The cause comes before the platform's report of its effects.
        issues = [*([] if refusal is None else [_not_registered(platform.name, refusal)]), *check.issues]
        if missing:
            issues.append(
                Issue(
                    "permission_missing",
                    f"Not granted: {', '.join(missing)}.",
                    _SELECT if platform.needs_app else _CREATE,
                )
            )
        return AccountHealth(
            account_id=row.id,
            status="healthy" if not issues else "warning" if all(issue.warning for issue in issues) else "error",
            token=TokenHealth(valid=True, expires_at=check.expires_at),
            permissions=Permissions(granted=sorted(check.granted), missing=missing),
            can=manifest.can(check.granted),
            limits=list(check.limits),
            issues=issues,
            checked_at=now,
        )

    async def _settle(self, tx: Tx, row: AccountRow, found: AccountHealth, _: Check) -> None:
        # A platform may announce a revocation before the token stops working: check again soon.
        again = _AGAIN if row.suspicion is not None else CHECK_EVERY
        values: dict[str, Any] = {"health": msgspec.to_builtins(found), "checked_at": tx.now, "suspicion": None}
        # Locked: of two checks at the same moment only one is kept, and only that one reports what changed.
        before = await store.find_account_for_change(tx, row.owner_id, row.id)
        values["reported_issues"] = msgspec.to_builtins(found.issues)
        if await store.settle_check(tx, row, tx.now + again, values) and before is not None:
            await report_changes(tx, before, found, tx.now)

    async def _settle_restored(self, tx: Tx, row: AccountRow, _: AccountHealth, check: Check) -> None:
        """A lost account works again, unless the platform reported something else in the meantime."""
        found = await store.find_account_for_change(tx, row.owner_id, row.id)
        same = found is not None and (found.status, found.lost_at, found.suspicion) == (
            row.status,
            row.lost_at,
            row.suspicion,
        )
        if found is None or not same:
            return
        if check.works:
            await self._lifecycle.restore(tx, found)
        else:
            await self._stay_lost(tx, row)

    async def _settle_lost(self, tx: Tx, row: AccountRow, found: AccountHealth, reason: str) -> None:
        if row.status == "needs_reconnection":
            await self._stay_lost(tx, row)
        elif await self._lifecycle.lose(tx, row, reason, checked=True):
            values = {"health": msgspec.to_builtins(found), "checked_at": tx.now}
            await store.update_account(tx, row.owner_id, row.id, values)

    async def _stay_lost(self, tx: Tx, row: AccountRow) -> None:
        """A platform may announce that an account works before its token does: check once more, soon."""
        again = tx.now + _AGAIN if row.suspicion == store.RESTORED else None
        await store.settle_check(tx, row, again, {"suspicion": None})

    async def _postpone(self, tx: Tx, row: AccountRow, wait: int | None) -> None:
        again = max(_AGAIN, timedelta(seconds=wait or 0))
        await store.settle_check(tx, row, tx.now + again)


def _with_limits(
    health: AccountHealth, quotas: Sequence[tuple[Quota, Budget | None]], uses: Mapping[str, Use]
) -> AccountHealth:
    said = {limit.name for limit in health.limits}
    counted = [_limit(quota, budget, uses) for quota, budget in quotas if quota.name not in said]
    return msgspec.structs.replace(health, limits=[*health.limits, *counted])


def _limit(quota: Quota, budget: Budget | None, uses: Mapping[str, Use]) -> LimitUse:
    if budget is None:
        return LimitUse(name=quota.name, used=None, limit=quota.limit)
    use = uses.get(budget.key)
    if use is None:
        return LimitUse(name=quota.name, used=0, limit=quota.limit)
    return LimitUse(name=quota.name, used=use.used, limit=quota.limit, resets_at=use.frees_at)


def _result(row: AccountRow, task: "asyncio.Task[AccountHealth] | None") -> AccountHealth:
    if task is None:
        return _shown(row)
    if not task.done():
        return _with_status_unknown(row, "The platform did not respond in time.")
    return task.result()


def _shown(row: AccountRow) -> AccountHealth:
    """Show the last check. A state that speaks for itself needs none."""
    match row.status:
        case "needs_reconnection":
            return _lost(row, row.lost_reason or "", row.checked_at)
        case "connecting":
            fix = f"Show the person the code from {_code(row)}."
            return _unknown(row, Issue("not_scanned", "No phone has scanned the code yet.", fix))
        case "expired":
            return _unknown(row, Issue("pairing_ended", "Nobody scanned a code in time.", _pair_again(row)))
    if row.health is None:
        return _with_status_unknown(row, "It has not been checked yet.")
    return msgspec.convert(row.health, AccountHealth)


def _lost(row: AccountRow, reason: str, checked_at: datetime | None) -> AccountHealth:
    fix = "Reconnect the account."
    if is_paired(row.platform):
        fix = f"Scan a new code from {_code(row)}. If that returns 410, start with POST /connect/{row.platform}."
    return AccountHealth(
        account_id=row.id,
        status="error",
        token=TokenHealth(valid=False, expires_at=None),
        permissions=Permissions(granted=[], missing=[]),
        can={},
        limits=[],
        issues=[Issue("needs_reconnection", reason, fix, warning=False)],
        checked_at=checked_at,
    )


def _not_registered(platform: str, refusal: str) -> Issue:
    return Issue(
        "webhook_not_registered",
        f"{platform} has not accepted the webhook of this service, so it reports nothing here: {refusal}",
        "The service keeps trying. If the issue persists, check that SOCIALGATE_BASE_URL is an https URL that is "
        "reachable from the internet, then reconnect the account to try immediately.",
    )


def _pair_again(row: AccountRow) -> str:
    return f"Start again with POST /connect/{row.platform}."


def _code(row: AccountRow) -> str:
    return f"GET /accounts/{row.id}/wasender/qr"


def _with_status_unknown(row: AccountRow, detail: str) -> AccountHealth:
    return _unknown(row, Issue("not_probed", detail, "Try again later with refresh=true."))


def _unknown(row: AccountRow, issue: Issue) -> AccountHealth:
    return AccountHealth(
        account_id=row.id,
        status="unknown",
        token=TokenHealth(valid=None, expires_at=None),
        permissions=Permissions(granted=[], missing=[]),
        can={},
        limits=[],
        issues=[issue],
        checked_at=row.checked_at,
    )
