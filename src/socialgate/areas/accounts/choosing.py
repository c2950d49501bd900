"""Choosing what to connect on our own page, if a person has access to several accounts.

A person who comes back from the platform without a `redirectUrl` of the customer gets a list, and a ticket for what was
granted. The ticket is only valid for this choice, and expires like an attempt to connect. The grant is encrypted in it:
if nothing is chosen, nothing is left.
"""

import secrets
from collections.abc import Sequence
from typing import Any

import msgspec

from socialgate.areas.accounts import store
from socialgate.areas.accounts.connect import STATE_LIFE, Connect, ConnectStateInvalid, hashed
from socialgate.areas.accounts.lifecycle import ConnectedElsewhere
from socialgate.areas.accounts.outcomes import Choice, Outcome, ShownAccount, shown
from socialgate.areas.accounts.vault import Vault
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.connecting import DiscoveredAccount, Grant, Place
from socialgate.contracts.platforms import Kind, Platform
from socialgate.core.db import Database, Tx
from socialgate.core.errors import PlanLimitReached

_OVER = "This choice was already made, or has expired. Start again if an account is missing."
# For a person who is the customer's customer, and cannot change the plan.
_TOO_MANY = (
    "This many accounts cannot be connected at the moment. Choose fewer, or contact the company that sent you this "
    "link."
)


class Offer(msgspec.Struct, frozen=True, kw_only=True):
    """What a person can connect, and the ticket for doing so. `platform` is its name for people."""

    ticket: str
    platform: str
    accounts: Sequence[ShownAccount]
    missing: str | None = None


class Choosing:
    def __init__(self, db: Database, vault: Vault, connect: Connect) -> None:
        self._db = db
        self._vault = vault
        self._connect = connect

    async def offer(self, platform: str, outcome: Outcome) -> Offer | None:
        """Offer a choice if one is due."""
        choice = outcome.choice
        if choice is None:
            return None
        place = Place(outcome.owner_id, outcome.profile_id, Platform(platform))
        ticket = secrets.token_urlsafe(32)
        await self._db.write(self._remember, place, choice, ticket)
        return await self._offer(place, ticket, choice.found)

    async def choose(
        self, platform: str, ticket: str, ids: Sequence[str], *, everything: bool = False
    ) -> tuple[Outcome, Offer | None]:
        """Connect what was chosen. Until something is connected, the same list can be used again."""
        redirect = self._connect.redirect(platform)
        row = await self._db.read(store.find_state, hashed(ticket), _namespace(platform))
        if row is None:
            raise ConnectStateInvalid(_OVER)
        place = Place(row.owner_id, row.profile_id, Platform(platform))
        outcome = Outcome(owner_id=row.owner_id, profile_id=row.profile_id, redirect_url=None)
        grant = msgspec.json.decode(self._vault.open_verifier(row), type=Grant)
        found = await redirect.discover(grant, [Kind(kind) for kind in row.kinds])
        chosen = [account for account in found if everything or account.platform_account_id in set(ids)]
        if not chosen:
            return outcome, await self._offer(place, ticket, found, "Choose at least one account.")
        try:
            rows = await self._db.write(self._use, place, ticket, grant, chosen)
        except PlanLimitReached:
            return outcome, await self._offer(place, ticket, found, _TOO_MANY)
        except ConnectedElsewhere as failure:
            return outcome, await self._offer(place, ticket, found, failure.detail)
        await self._connect.set_up(place, [row.id for row in rows])
        return outcome.of(self._connect.manifest(platform), rows), None

    async def _offer(
        self, place: Place, ticket: str, found: Sequence[DiscoveredAccount], missing: str | None = None
    ) -> Offer:
        manifest = self._connect.manifest(place.platform)
        held = await self._connect.held(place, found)
        accounts = [shown(manifest, account, connected=account in held) for account in found]
        return Offer(ticket=ticket, platform=manifest.name, accounts=accounts, missing=missing)

    async def _use(
        self, tx: Tx, place: Place, ticket: str, grant: Grant, chosen: Sequence[DiscoveredAccount]
    ) -> list[AccountRow]:
        """Use the ticket with the choice: of two that are sent at the same time, one connects something."""
        if await store.use_state(tx, hashed(ticket), _namespace(place.platform)) is None:
            raise ConnectStateInvalid(_OVER)
        return await self._connect.attach_all(tx, place, grant, chosen)

    async def _remember(self, tx: Tx, place: Place, choice: Choice, ticket: str) -> None:
        values: dict[str, Any] = {
            "state_hash": hashed(ticket),
            "owner_id": place.owner_id,
            "profile_id": place.profile_id,
            "platform": _namespace(place.platform),
            "kinds": list(choice.kinds),
            "redirect_url": None,
            "verifier": self._vault.seal_verifier(hashed(ticket), msgspec.json.encode(choice.grant).decode()),
            "expires_at": tx.now + STATE_LIFE,
        }
        await store.insert_state(tx, values)


def _namespace(platform: str) -> str:
    """Keep tickets separate from the states of attempts to connect: neither can be used as the other."""
    return f"choose {platform}"
