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
from socialgate.areas.accounts.connect_outcome import (
    AccountSummary,
    ConnectOutcome,
    GrantedAccounts,
    build_account_summary,
)
from socialgate.areas.accounts.credential_cipher import CredentialCipher
from socialgate.areas.accounts.lifecycle import ConnectedElsewhereError
from socialgate.areas.accounts.redirect_connect import (
    CONNECT_STATE_LIFETIME,
    ConnectStateInvalidError,
    RedirectConnectService,
    hash_connect_state,
)
from socialgate.areas.accounts.tables import ConnectStateRow
from socialgate.contracts.account_connection import AccountOwner, DiscoveredAccount, Grant
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.connect_links import LinkUses, LinkVisit, build_use_scope
from socialgate.contracts.platforms import Kind, Platform
from socialgate.core.db import Database, Tx
from socialgate.core.errors import PlanLimitReached

_SELECTION_EXPIRED_MESSAGE = "This choice was already made, or has expired. Start again if an account is missing."
# For a person who is the customer's customer, and cannot change the plan.
_TOO_MANY_ACCOUNTS_MESSAGE = (
    "This many accounts cannot be connected at the moment. Choose fewer, or contact the company that sent you this "
    "link."
)


class AccountSelectionForm(msgspec.Struct, frozen=True, kw_only=True):
    """What a person can connect, and the ticket for doing so. `platform` is its name for people."""

    ticket: str
    platform: str
    accounts: Sequence[AccountSummary]
    missing: str | None = None


class AccountSelectionService:
    def __init__(self, db: Database, vault: CredentialCipher, connect: RedirectConnectService, links: LinkUses) -> None:
        self._db = db
        self._links = links
        self._vault = vault
        self._connect = connect

    async def start_selection(self, platform: str, outcome: ConnectOutcome) -> AccountSelectionForm | None:
        """Offer a choice if one is due."""
        choice = outcome.choice
        if choice is None:
            return None
        place = AccountOwner(outcome.owner_id, outcome.profile_id, Platform(platform))
        ticket = secrets.token_urlsafe(32)
        await self._db.write(self._insert_ticket, place, choice, ticket, outcome.visit)
        return await self._build_form(place, ticket, choice.accounts)

    async def load_selection(self, platform: str, ticket: str, visit: LinkVisit) -> AccountSelectionForm:
        """Show the choice again that a visitor of a connect link has."""
        row = await self._find_ticket(platform, ticket, visit)
        _, discovered_accounts = await self._discover_accounts(platform, row)
        place = AccountOwner(row.owner_id, row.profile_id, Platform(platform))
        return await self._build_form(place, ticket, discovered_accounts)

    async def connect_selected(
        self,
        platform: str,
        ticket: str,
        ids: Sequence[str],
        *,
        select_all: bool = False,
        visit: LinkVisit | None = None,
    ) -> tuple[ConnectOutcome, AccountSelectionForm | None]:
        """Connect what was chosen. Until something is connected, the same list can be used again.

        Only the visitor of a connect link who signed in can choose from what that person has.
        """
        row = await self._find_ticket(platform, ticket, visit)
        if visit is None:
            return await self._connect_selected(platform, ticket, row, ids, select_all=select_all)
        return await self._links.connect_once(
            visit,
            build_use_scope(Platform(platform), [Kind(kind) for kind in row.kinds]),
            lambda: self._connect_selected(platform, ticket, row, ids, select_all=select_all),
            lambda result: result[0].account_ids,
        )

    async def _find_ticket(self, platform: str, ticket: str, visit: LinkVisit | None) -> ConnectStateRow:
        self._connect.get_redirect_adapter(platform)
        row = await self._db.read(
            store.find_connect_state, hash_connect_state(ticket), _build_ticket_namespace(platform)
        )
        if row is None or row.visit != visit:
            raise ConnectStateInvalidError(_SELECTION_EXPIRED_MESSAGE)
        return row

    async def _discover_accounts(
        self, platform: str, row: ConnectStateRow
    ) -> tuple[Grant, Sequence[DiscoveredAccount]]:
        """List what the grant in a ticket gives access to."""
        redirect = self._connect.get_redirect_adapter(platform)
        grant = msgspec.json.decode(self._vault.decrypt_verifier(row), type=Grant)
        return grant, await redirect.discover_accounts(grant, [Kind(kind) for kind in row.kinds])

    async def _connect_selected(
        self, platform: str, ticket: str, row: ConnectStateRow, ids: Sequence[str], *, select_all: bool
    ) -> tuple[ConnectOutcome, AccountSelectionForm | None]:
        place = AccountOwner(row.owner_id, row.profile_id, Platform(platform))
        outcome = ConnectOutcome(owner_id=row.owner_id, profile_id=row.profile_id, redirect_url=None, visit=row.visit)
        grant, discovered_accounts = await self._discover_accounts(platform, row)
        chosen = [account for account in discovered_accounts if select_all or account.platform_account_id in set(ids)]
        if not chosen:
            return outcome, await self._build_form(place, ticket, discovered_accounts, "Choose at least one account.")
        try:
            rows = await self._db.write(self._consume_ticket_and_connect, place, ticket, grant, chosen)
        except PlanLimitReached:
            return outcome, await self._build_form(place, ticket, discovered_accounts, _TOO_MANY_ACCOUNTS_MESSAGE)
        except ConnectedElsewhereError as failure:
            return outcome, await self._build_form(place, ticket, discovered_accounts, failure.detail)
        await self._connect.register_webhooks(place, [row.id for row in rows])
        return outcome.with_connected(self._connect.get_manifest(platform), rows), None

    async def _build_form(
        self,
        place: AccountOwner,
        ticket: str,
        discovered_accounts: Sequence[DiscoveredAccount],
        missing: str | None = None,
    ) -> AccountSelectionForm:
        manifest = self._connect.get_manifest(place.platform)
        discovered = await self._connect.find_already_connected(place, discovered_accounts)
        accounts = [
            build_account_summary(manifest, account, connected=account in discovered) for account in discovered_accounts
        ]
        return AccountSelectionForm(ticket=ticket, platform=manifest.name, accounts=accounts, missing=missing)

    async def _consume_ticket_and_connect(
        self, tx: Tx, place: AccountOwner, ticket: str, grant: Grant, chosen: Sequence[DiscoveredAccount]
    ) -> list[AccountRow]:
        """Use the ticket with the choice: of two that are sent at the same time, one connects something."""
        if (
            await store.consume_connect_state(tx, hash_connect_state(ticket), _build_ticket_namespace(place.platform))
            is None
        ):
            raise ConnectStateInvalidError(_SELECTION_EXPIRED_MESSAGE)
        return await self._connect.save_grant_and_attach(tx, place, grant, chosen)

    async def _insert_ticket(
        self, tx: Tx, place: AccountOwner, choice: GrantedAccounts, ticket: str, visit: LinkVisit | None
    ) -> None:
        values: dict[str, Any] = {
            "state_hash": hash_connect_state(ticket),
            "owner_id": place.owner_id,
            "profile_id": place.profile_id,
            "platform": _build_ticket_namespace(place.platform),
            "kinds": list(choice.kinds),
            "redirect_url": None,
            "verifier": self._vault.encrypt_verifier(
                hash_connect_state(ticket), msgspec.json.encode(choice.grant).decode()
            ),
            "expires_at": tx.now + CONNECT_STATE_LIFETIME,
            "link_id": None if visit is None else visit.link_id,
            "visit_hash": None if visit is None else visit.visit_hash,
        }
        await store.insert_connect_state(tx, values)


def _build_ticket_namespace(platform: str) -> str:
    """Keep tickets separate from the states of attempts to connect: neither can be used as the other."""
    return f"choose {platform}"
