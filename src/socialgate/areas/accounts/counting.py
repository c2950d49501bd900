"""How many accounts an owner has connected: all that are listed, ad accounts included."""

from socialgate.areas.accounts import store
from socialgate.core.db import Tx
from socialgate.core.metering import OF_OWNER, Metric, meter_level


def recount(tx: Tx, owner_id: str, profile_id: str) -> None:
    """Count the accounts of a profile and its owner when this transaction ends."""
    tx.collect(_write, set[tuple[str, str]]).add((owner_id, profile_id))


async def _write(tx: Tx, changed: set[tuple[str, str]]) -> None:
    for owner_id in sorted({owner_id for owner_id, _ in changed}):
        # Counted under a lock, so that transactions which end at the same moment see each other.
        await tx.lock(f"accounts counted {owner_id}")
        counts = await store.live_counts(tx, owner_id)
        profiles = [profile_id for owner, profile_id in changed if owner == owner_id]
        levels = {profile_id: counts.get(profile_id, 0) for profile_id in profiles}
        await meter_level(tx, owner_id, Metric.CONNECTED_ACCOUNTS, {OF_OWNER: sum(counts.values()), **levels})
