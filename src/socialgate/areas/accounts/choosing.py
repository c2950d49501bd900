"""Choosing what to connect on our own page, if a platform gives access to many accounts at once.

A person who comes back from the platform without a `redirectUrl` of the customer gets a list, and a ticket for what was
granted. The ticket is only valid for this choice, and expires like an attempt to connect.
"""

import secrets
from collections.abc import Sequence
from typing import Any

import msgspec

from socialgate.areas.accounts import grants, store
from socialgate.areas.accounts.connect import STATE_LIFE, Connect, ConnectStateGone, Outcome, hashed
from socialgate.areas.accounts.lifecycle import ConnectedElsewhere
from socialgate.areas.accounts.tables import GrantRow
from socialgate.areas.accounts.vault import Vault
from socialgate.contracts.connecting import DiscoveredAccount, Place
from socialgate.contracts.failures import PlatformFailure
from socialgate.contracts.platforms import Platform
from socialgate.core.db import Database, Tx

_OVER = "This choice has expired, or the account was disconnected in the meantime. Start again."


class Offer(msgspec.Struct, frozen=True, kw_only=True):
    """What a person can connect, and the ticket for doing so."""

    ticket: str
    accounts: Sequence[DiscoveredAccount]
    missing: str | None = None


class Choosing:
    def __init__(self, db: Database, vault: Vault, connect: Connect) -> None:
        self._db = db
        self._vault = vault
        self._connect = connect

    async def offer(self, platform: str, outcome: Outcome) -> Offer | None:
        """Offer a choice if one is due: the person signed in, but nothing was connected automatically."""
        if outcome.error is not None or outcome.account_ids or outcome.redirect_url is not None:
            return None
        place = Place(outcome.owner_id, outcome.profile_id, Platform(platform))
        grant = await self._db.read(grants.newest, place.owner_id, place.profile_id, platform)
        return None if grant is None else await self._offer(place, grant)

    async def choose(self, platform: str, ticket: str, ids: Sequence[str]) -> tuple[Outcome, Offer | None]:
        """Connect what was chosen. Until something is connected, the same list can be used again."""
        self._connect.redirect(platform)
        row = await self._db.read(store.find_state, hashed(ticket), _namespace(platform))
        if row is None:
            raise ConnectStateGone(_OVER)
        place = Place(row.owner_id, row.profile_id, Platform(platform))
        grant = await self._db.read(grants.find, row.owner_id, self._vault.open_verifier(row))
        if grant is None:
            raise ConnectStateGone(_OVER)
        outcome = Outcome(owner_id=row.owner_id, profile_id=row.profile_id, redirect_url=None)
        found = await self._found(place, grant)
        chosen = [account for account in found if account.platform_account_id in set(ids)]
        if not chosen:
            return outcome, Offer(ticket=ticket, accounts=found, missing="Choose at least one account.")
        try:
            rows = await self._connect.attach(place, grant.id, chosen)
        except ConnectedElsewhere as failure:
            return outcome, Offer(ticket=ticket, accounts=found, missing=failure.detail)
        await self._db.write(store.use_state, hashed(ticket), _namespace(platform))
        ids_of, names = tuple(row.id for row in rows), tuple(row.name for row in rows)
        return msgspec.structs.replace(outcome, account_ids=ids_of, names=names), None

    async def _offer(self, place: Place, grant: GrantRow) -> Offer:
        ticket = secrets.token_urlsafe(32)
        found = await self._found(place, grant)
        await self._db.write(self._remember, place, grant.id, ticket)
        return Offer(ticket=ticket, accounts=found)

    async def _found(self, place: Place, grant: GrantRow) -> list[DiscoveredAccount]:
        """List the accounts, and the ad accounts if they may be read."""
        found = list(await self._connect.discover(grant, place.platform, ads=False))
        try:
            found += await self._connect.discover(grant, place.platform, ads=True)
        except PlatformFailure:
            return found
        return found

    async def _remember(self, tx: Tx, place: Place, grant_id: str, ticket: str) -> None:
        values: dict[str, Any] = {
            "state_hash": hashed(ticket),
            "owner_id": place.owner_id,
            "profile_id": place.profile_id,
            "platform": _namespace(place.platform),
            "kinds": [],
            "redirect_url": None,
            "verifier": self._vault.seal_verifier(hashed(ticket), grant_id),
            "expires_at": tx.now + STATE_LIFE,
        }
        await store.insert_state(tx, values)


def _namespace(platform: str) -> str:
    """Keep tickets separate from the states of attempts to connect: neither can be used as the other."""
    return f"choose {platform}"
