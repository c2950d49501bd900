"""Reporting that problems of an account appeared or disappeared.

They are compared with those that were last reported, and not with the last check: that is forgotten when an account is
lost or reconnected, and a reconnection is how most problems disappear.
"""

from datetime import datetime

import msgspec

from socialgate.areas.accounts.lifecycle import build_event_account_id
from socialgate.areas.accounts.schemas import AccountHealth
from socialgate.contracts.account_connection import AccountIssue
from socialgate.contracts.accounts import AccountRow
from socialgate.core.db import Tx
from socialgate.core.events import AccountHealthChanged, HealthIssue
from socialgate.core.outbox import emit_event


async def report_health_changes(
    tx: Tx, before: AccountRow, account_health: AccountHealth, checked_at: datetime
) -> None:
    """Emit `account.health` if other problems were found than at the check before. A problem is known by its code."""
    old = {issue.code: issue for issue in msgspec.convert(before.reported_issues or [], list[AccountIssue])}
    new = {issue.code: issue for issue in account_health.issues}
    appeared, disappeared = _list_new_issues(old, new), _list_new_issues(new, old)
    if not appeared and not disappeared:
        return
    assert account_health.status != "unknown", "an account that was checked has a status"
    event = AccountHealthChanged(
        **build_event_account_id(before),
        platform=before.platform,
        kind=before.kind,
        status=account_health.status,
        appeared=appeared,
        disappeared=disappeared,
        checked_at=checked_at,
    )
    await emit_event(tx, before.owner_id, before.profile_id, event)


def _list_new_issues(known: dict[str, AccountIssue], issues: dict[str, AccountIssue]) -> list[HealthIssue]:
    """Return what is found and was not known."""
    return [
        HealthIssue(code=issue.code, detail=issue.detail, fix=issue.fix)
        for code, issue in issues.items()
        if code not in known
    ]
