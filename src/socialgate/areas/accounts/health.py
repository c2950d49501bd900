"""The health of accounts: the result of the last check, stored with the account, and checked again on demand or when
due.
"""

import asyncio
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

import msgspec

from socialgate.areas.accounts import account_lookup, registration_store, store
from socialgate.areas.accounts.health_changes import report_health_changes
from socialgate.areas.accounts.lifecycle import AccountLifecycle
from socialgate.areas.accounts.schemas import (
    AccountHealth,
    AccountPermissions,
    HealthQuery,
    HealthReport,
    HealthSummary,
    TokenHealth,
)
from socialgate.areas.accounts.session import AccountSession, PlatformNotConfiguredError
from socialgate.contracts.account_connection import ACCOUNT_HEALTH_CAPABILITY, AccountCheck, AccountIssue, LimitUse
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.connector_registry import ConnectorRegistry
from socialgate.contracts.failures import NeedsReconnectionError, PlatformFailure
from socialgate.contracts.platforms import Kind, Platform, Quota
from socialgate.contracts.sign_in_forms import uses_qr_pairing
from socialgate.core.background import BackgroundTasks
from socialgate.core.caller import Caller
from socialgate.core.db import Tx
from socialgate.core.quotas import BudgetUsage, QuotaBudget, get_budget_usage
from socialgate.core.unit_of_work import UnitOfWork
from socialgate.web.pagination import build_page_from_rows

# One deadline for all checks of a response: an account that is not checked by then is unknown.
HEALTH_CHECK_DEADLINE_SECONDS = 10.0
_MAX_CONCURRENT_CHECKS = 20
HEALTH_CHECK_INTERVAL = timedelta(hours=1)
_RECHECK_DELAY = timedelta(minutes=1)


_GRANT_PERMISSIONS_HINT = "Reconnect the account and keep these permissions selected."
_NEW_CREDENTIALS_HINT = "Create a token that has these permissions, and reconnect the account with it."


class AccountHealthService:
    def __init__(self, catalogue: ConnectorRegistry, session: AccountSession, lifecycle: AccountLifecycle) -> None:
        self._catalogue = catalogue
        self._session = session
        self._lifecycle = lifecycle
        self._check_tasks = BackgroundTasks()

    async def close(self) -> None:
        """Cancel the checks that nobody waits for any more. Renewals in progress are completed."""
        await self._check_tasks.cancel_all()

    async def build_report(self, work: UnitOfWork, query: HealthQuery) -> HealthReport:
        rows = await work.read(self._list_rows, work.caller, query)
        page = build_page_from_rows(rows, query, _build_stored_health)
        if query.refresh:
            checked = await self._check_accounts(work, rows[: query.limit])
            page = msgspec.structs.replace(page, data=checked)
        summary = await work.read(self._build_summary, work.caller, query.profile_id)
        data = await work.read(self._add_quota_usage, rows, page.data)
        return HealthReport(summary=summary, data=data, next_cursor=page.next_cursor)

    async def describe(self, tx: Tx, caller: Caller, account_ids: Sequence[str]) -> Mapping[str, AccountHealth]:
        """Return the last check of some accounts by their ids, with the current counts of their quotas."""
        rows = [
            row
            for row in await account_lookup.list_rows(tx, caller.owner_id, account_ids)
            if caller.can_access_profiles(row.profile_id)
        ]
        stored = [_build_stored_health(row) for row in rows]
        return {health.account_id: health for health in await self._add_quota_usage(tx, rows, stored)}

    async def check_account(self, db: Any, row: AccountRow) -> AccountHealth:
        """Ask the platform about an account, and store the result."""
        try:
            check = await self._session.call_without_marking_lost(
                row, self._session.get_adapter(row, ACCOUNT_HEALTH_CAPABILITY, "cannot be checked").check
            )
        except NeedsReconnectionError as failure:
            account_health = _build_lost_health(row, failure.detail, db.clock.now())
            await db.write(self._save_check_that_found_loss, row, account_health, row.suspicion or failure.detail)
        except (PlatformFailure, PlatformNotConfiguredError) as failure:
            account_health = _build_unchecked_health(row, failure.detail)
            await db.write(self._postpone_check, row, failure.retry_after)
        else:
            refusal = await db.read(registration_store.find_registration_error, row.platform, row.inbound_key)
            account_health = self._build_health(row, check, refusal, db.clock.now())
            await db.write(
                self._save_check if row.status == "connected" else self._save_check_of_lost_account,
                row,
                account_health,
                check,
            )
        return account_health

    async def _check_accounts(self, work: UnitOfWork, rows: Sequence[AccountRow]) -> list[AccountHealth]:
        turn = asyncio.Semaphore(_MAX_CONCURRENT_CHECKS)

        async def check_with_limit(row: AccountRow) -> AccountHealth:
            async with turn:
                return await self.check_account(work.db, row)

        tasks = {row.id: self._check_tasks.start(check_with_limit(row)) for row in rows if row.status == "connected"}
        if tasks:
            # Late checks continue on their own: their results are available to the next request.
            await asyncio.wait(tasks.values(), timeout=HEALTH_CHECK_DEADLINE_SECONDS)
        return [_build_account_health(row, tasks.get(row.id)) for row in rows]

    async def _list_rows(self, tx: Tx, caller: Caller, query: HealthQuery) -> Sequence[AccountRow]:
        if query.profile_id is not None:
            caller.require_profile_access(query.profile_id)
        where = {"profile_id": query.profile_id}
        return await store.list_all_rows_page(tx, caller.owner_id, caller, query, where)

    async def _add_quota_usage(
        self, tx: Tx, rows: Sequence[AccountRow], account_healths: Sequence[AccountHealth]
    ) -> list[AccountHealth]:
        """Add the current counts of this service. What the platform reports takes precedence."""
        quotas = {row.id: list(self._list_quotas(row)) for row in rows}
        uses = await get_budget_usage(
            tx, [budget.key for each in quotas.values() for _, budget in each if budget is not None]
        )
        return [_merge_limits(health, quotas[health.account_id], uses) for health in account_healths]

    def _list_quotas(self, row: AccountRow) -> Iterator[tuple[Quota, QuotaBudget | None]]:
        """Return each quota of an account with its count. Chats and endpoints are too many to show."""
        platform = Platform(row.platform)
        whose = {"account": row.platform_account_id, "app": Quota.APP_OWNER}
        for quota in self._catalogue.manifests[platform].get_kind_manifest(Kind(row.kind)).limits.quotas:
            yield quota, quota.build_budget(platform, whose[quota.per]) if quota.per in whose else None

    async def _build_summary(self, tx: Tx, caller: Caller, profile_id: str | None) -> HealthSummary:
        counts = await store.count_by_health(tx, caller.owner_id, caller, profile_id)
        # Only of connected accounts, the last check says how they are.
        by_check: Counter[str] = Counter()
        for (state, check), number in counts.items():
            by_check[check if state == "connected" else state] += number
        lost, connecting, expired = (by_check[state] for state in ("needs_reconnection", "connecting", "expired"))
        return HealthSummary(
            total=sum(counts.values()),
            healthy=by_check["healthy"],
            warning=by_check["warning"],
            error=by_check["error"] + lost,
            unknown=by_check["unknown"] + connecting + expired,
            needs_reconnection=lost,
            connecting=connecting,
            expired=expired,
        )

    def _build_health(
        self, row: AccountRow, check: AccountCheck, registration_error: str | None, now: datetime
    ) -> AccountHealth:
        platform = self._catalogue.manifests[Platform(row.platform)]
        manifest = platform.get_kind_manifest(Kind(row.kind))
        missing = manifest.get_missing_scopes(check.granted_scopes)
        # The cause comes before the platform's report of its effects.
        issues = [
            *([] if registration_error is None else [_build_not_registered_issue(platform.name, registration_error)]),
            *check.issues,
        ]
        if missing:
            issues.append(
                AccountIssue(
                    "permission_missing",
                    f"Not granted: {', '.join(missing)}.",
                    _GRANT_PERMISSIONS_HINT if platform.needs_app else _NEW_CREDENTIALS_HINT,
                )
            )
        return AccountHealth(
            account_id=row.id,
            status="healthy" if not issues else "warning" if all(issue.warning for issue in issues) else "error",
            token=TokenHealth(valid=True, expires_at=check.expires_at),
            permissions=AccountPermissions(granted=sorted(check.granted_scopes), missing=missing),
            can=manifest.get_allowed_uses(check.granted_scopes),
            limits=list(check.limits),
            issues=issues,
            checked_at=now,
        )

    async def _save_check(self, tx: Tx, row: AccountRow, account_health: AccountHealth, _: AccountCheck) -> None:
        # A platform may announce a revocation before the token stops working: check again soon.
        again = _RECHECK_DELAY if row.suspicion is not None else HEALTH_CHECK_INTERVAL
        values: dict[str, Any] = {
            "health": msgspec.to_builtins(account_health),
            "checked_at": tx.now,
            "suspicion": None,
        }
        # Locked: of two checks at the same moment only one is kept, and only that one reports what changed.
        before = await store.find_account_for_change(tx, row.owner_id, row.id)
        values["reported_issues"] = msgspec.to_builtins(account_health.issues)
        if await store.save_check(tx, row, tx.now + again, values) and before is not None:
            await report_health_changes(tx, before, account_health, tx.now)

    async def _save_check_of_lost_account(self, tx: Tx, row: AccountRow, _: AccountHealth, check: AccountCheck) -> None:
        """A lost account works again, unless the platform reported something else in the meantime."""
        existing_row = await store.find_account_for_change(tx, row.owner_id, row.id)
        same = existing_row is not None and (existing_row.status, existing_row.lost_at, existing_row.suspicion) == (
            row.status,
            row.lost_at,
            row.suspicion,
        )
        if existing_row is None or not same:
            return
        if check.is_usable:
            await self._lifecycle.mark_connected(tx, existing_row)
        else:
            await self._recheck_lost_account_soon(tx, row)

    async def _save_check_that_found_loss(
        self, tx: Tx, row: AccountRow, account_health: AccountHealth, reason: str
    ) -> None:
        if row.status == "needs_reconnection":
            await self._recheck_lost_account_soon(tx, row)
        elif await self._lifecycle.mark_lost(tx, row, reason, found_by_check=True):
            values = {"health": msgspec.to_builtins(account_health), "checked_at": tx.now}
            await store.update_account(tx, row.owner_id, row.id, values)

    async def _recheck_lost_account_soon(self, tx: Tx, row: AccountRow) -> None:
        """A platform may announce that an account works before its token does: check once more, soon."""
        again = tx.now + _RECHECK_DELAY if row.suspicion == store.ACCESS_RESTORED_SUSPICION else None
        await store.save_check(tx, row, again, {"suspicion": None})

    async def _postpone_check(self, tx: Tx, row: AccountRow, wait: int | None) -> None:
        again = max(_RECHECK_DELAY, timedelta(seconds=wait or 0))
        await store.save_check(tx, row, tx.now + again)


def _merge_limits(
    health: AccountHealth, quotas: Sequence[tuple[Quota, QuotaBudget | None]], uses: Mapping[str, BudgetUsage]
) -> AccountHealth:
    payload = {limit.name for limit in health.limits}
    windows = {quota.name: quota.seconds for quota, _ in quotas}
    reported = [
        msgspec.structs.replace(limit, window_seconds=limit.window_seconds or windows.get(limit.name))
        for limit in health.limits
    ]
    counted = [_build_limit_use(quota, budget, uses) for quota, budget in quotas if quota.name not in payload]
    return msgspec.structs.replace(health, limits=[*reported, *counted])


def _build_limit_use(quota: Quota, budget: QuotaBudget | None, uses: Mapping[str, BudgetUsage]) -> LimitUse:
    unused = LimitUse(name=quota.name, used=0, limit=quota.limit, window_seconds=quota.seconds)
    if budget is None:
        return msgspec.structs.replace(unused, used=None)
    use = uses.get(budget.key)
    return unused if use is None else msgspec.structs.replace(unused, used=use.used, resets_at=use.frees_at)


def _build_account_health(row: AccountRow, task: "asyncio.Task[AccountHealth] | None") -> AccountHealth:
    if task is None:
        return _build_stored_health(row)
    if not task.done():
        return _build_unchecked_health(row, "The platform did not respond in time.")
    return task.result()


def _build_stored_health(row: AccountRow) -> AccountHealth:
    """Show the last check. A state that speaks for itself needs none."""
    match row.status:
        case "needs_reconnection":
            return _build_lost_health(row, row.lost_reason or "", row.checked_at)
        case "connecting":
            fix = f"Show the person the code from {_build_qr_route(row)}."
            return _build_unknown_health(row, AccountIssue("not_scanned", "No phone has scanned the code yet.", fix))
        case "expired":
            return _build_unknown_health(
                row, AccountIssue("pairing_ended", "Nobody scanned a code in time.", _build_pair_again_hint(row))
            )
    if row.health is None:
        return _build_unchecked_health(row, "It has not been checked yet.")
    return msgspec.convert(row.health, AccountHealth)


def _build_lost_health(row: AccountRow, reason: str, checked_at: datetime | None) -> AccountHealth:
    fix = "Reconnect the account."
    if uses_qr_pairing(row.platform):
        fix = (
            f"Scan a new code from {_build_qr_route(row)}. If that returns 410, start with POST "
            f"/connect/{row.platform}."
        )
    return AccountHealth(
        account_id=row.id,
        status="error",
        token=TokenHealth(valid=False, expires_at=None),
        permissions=AccountPermissions(granted=[], missing=[]),
        can={},
        limits=[],
        issues=[AccountIssue("needs_reconnection", reason, fix, warning=False)],
        checked_at=checked_at,
    )


def _build_not_registered_issue(platform: str, registration_error: str) -> AccountIssue:
    return AccountIssue(
        "webhook_not_registered",
        f"{platform} has not accepted the webhook of this service, so it reports nothing here: {registration_error}",
        "The service keeps trying. If the issue persists, check that SOCIALGATE_BASE_URL is an https URL that is "
        "reachable from the internet, then reconnect the account to try immediately.",
    )


def _build_pair_again_hint(row: AccountRow) -> str:
    return f"Start again with POST /connect/{row.platform}."


def _build_qr_route(row: AccountRow) -> str:
    return f"GET /accounts/{row.id}/wasender/qr"


def _build_unchecked_health(row: AccountRow, detail: str) -> AccountHealth:
    return _build_unknown_health(row, AccountIssue("not_probed", detail, "Try again later with refresh=true."))


def _build_unknown_health(row: AccountRow, issue: AccountIssue) -> AccountHealth:
    return AccountHealth(
        account_id=row.id,
        status="unknown",
        token=TokenHealth(valid=None, expires_at=None),
        permissions=AccountPermissions(granted=[], missing=[]),
        can={},
        limits=[],
        issues=[issue],
        checked_at=row.checked_at,
    )
