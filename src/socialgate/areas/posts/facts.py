"""What platforms report about posts that they work on."""

from collections.abc import Sequence

from socialgate.areas.posts import store
from socialgate.areas.posts.ledger import PUBLISHING
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.inbound import PublishingMoved
from socialgate.core.db import Tx


async def publishing_moved(tx: Tx, fact: PublishingMoved, accounts: Sequence[AccountRow]) -> None:
    """Look now at what waits for the platform: it has come further."""
    del fact
    for account in accounts:
        if await store.make_due_now(tx, account.owner_id, account.id):
            tx.wake(PUBLISHING)
