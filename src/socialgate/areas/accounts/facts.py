"""What platforms report about accounts, as far as this area handles it."""

from collections.abc import Sequence

from socialgate.areas.accounts import store
from socialgate.areas.accounts.lifecycle import CARE, AccountLifecycle
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.inbound import AccessLost, AccessRestored, HealthChanged
from socialgate.core.db import Tx


class AccountFacts:
    def __init__(self, lifecycle: AccountLifecycle) -> None:
        self._lifecycle = lifecycle

    async def lost(self, tx: Tx, fact: AccessLost, accounts: Sequence[AccountRow]) -> None:
        """Have them checked. A late webhook must not disconnect an account that was reconnected in the meantime."""
        if await store.suspect(tx, accounts, fact.reason):
            tx.wake(CARE)

    async def changed(self, tx: Tx, _: HealthChanged, accounts: Sequence[AccountRow]) -> None:
        for account in accounts:
            await store.check_now(tx, account)
        tx.wake(CARE)

    async def restored(self, tx: Tx, fact: AccessRestored, accounts: Sequence[AccountRow]) -> None:
        """Finish a pairing. Any other account is checked: a late webhook must not restore one that was lost since."""
        for account in accounts:
            if await store.trust_again(tx, account):
                tx.wake(CARE)
            else:
                await self._lifecycle.restore(tx, account, fact.name, fact.username)
