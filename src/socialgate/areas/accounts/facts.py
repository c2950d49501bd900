"""What platforms report about accounts, as far as this area handles it."""

from collections.abc import Sequence

from socialgate.areas.accounts import store
from socialgate.areas.accounts.lifecycle import MAINTENANCE_TOPIC, AccountLifecycle
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.webhooks import AccessLost, AccessRestored, HealthChanged
from socialgate.core.db import Tx


class AccountFactHandlers:
    def __init__(self, lifecycle: AccountLifecycle) -> None:
        self._lifecycle = lifecycle

    async def handle_access_lost(self, tx: Tx, fact: AccessLost, accounts: Sequence[AccountRow]) -> None:
        """Have them checked. A late webhook must not disconnect an account that was reconnected in the meantime."""
        if await store.request_check_of_loss(tx, accounts, fact.reason):
            tx.wake_on_commit(MAINTENANCE_TOPIC)

    async def handle_health_changed(self, tx: Tx, _: HealthChanged, accounts: Sequence[AccountRow]) -> None:
        for account in accounts:
            await store.request_check(tx, account)
        tx.wake_on_commit(MAINTENANCE_TOPIC)

    async def handle_access_restored(self, tx: Tx, fact: AccessRestored, accounts: Sequence[AccountRow]) -> None:
        """Finish a pairing. Any other account is checked: a late webhook must not restore one that was lost since."""
        for account in accounts:
            if await store.request_check_of_recovery(tx, account):
                tx.wake_on_commit(MAINTENANCE_TOPIC)
            else:
                await self._lifecycle.mark_connected(tx, account, fact.name, fact.username)
