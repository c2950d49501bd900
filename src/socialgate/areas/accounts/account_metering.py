"""How many accounts an owner has connected: all that are listed, ad accounts included."""

from socialgate.areas.accounts import store
from socialgate.core.db import Tx
from socialgate.core.metering import OWNER_PART_ID, UsageMetric, record_usage_levels


def schedule_account_recount(tx: Tx, owner_id: str, profile_id: str) -> None:
    """Count the accounts of a profile and its owner when this transaction ends."""
    tx.get_commit_batch(_meter_connected_accounts, set[tuple[str, str]]).add((owner_id, profile_id))


async def _meter_connected_accounts(tx: Tx, changed: set[tuple[str, str]]) -> None:
    for owner_id in sorted({owner_id for owner_id, _ in changed}):
        # Counted under a lock, so that transactions which end at the same moment see each other.
        await tx.lock(f"accounts counted {owner_id}")
        counts = await store.count_by_profile(tx, owner_id)
        profiles = [profile_id for owner, profile_id in changed if owner == owner_id]
        levels = {profile_id: counts.get(profile_id, 0) for profile_id in profiles}
        await record_usage_levels(
            tx, owner_id, UsageMetric.CONNECTED_ACCOUNTS, {OWNER_PART_ID: sum(counts.values()), **levels}
        )
