"""Connectors by themselves, speaking to the sandbox of a running service."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import sqlalchemy as sa

from socialgate.areas.accounts.tables import accounts, grants, read_account, read_grant
from socialgate.areas.accounts.vault import Vault
from socialgate.connectors.catalogue import BUILDERS, MANIFESTS
from socialgate.connectors.wire import App, Wire
from socialgate.contracts.catalogue import Connector
from socialgate.contracts.connecting import AccountCredentials
from socialgate.contracts.platforms import Platform
from socialgate.core.egress import Door, SystemResolver, trusted
from socialgate.core.pauses import Pauses
from support.database import rows
from support.service import SANDBOX_KEYS, RunningService


def app_of(platform: Platform) -> App:
    """Give what the sandbox knows this deployment as."""
    return SANDBOX_KEYS.apps[platform]


@contextmanager
def connector_of(running: RunningService, platform: Platform) -> Iterator[Connector]:
    """Build a connector that remembers nothing of earlier calls."""
    resolver = SystemResolver()
    door = Door(policy=trusted, resolver=resolver, user_agent="Socialgate/test")
    pauses, base = Pauses(running.service.db), f"{running.sandbox.url}/{platform}"
    wire = Wire(door, running.clock, pauses, platform, base, one_host=MANIFESTS[platform].one_host)
    try:
        yield BUILDERS[platform](app_of(platform), wire)
    finally:
        door.close()
        resolver.close()


def held_of(running: RunningService, account_id: str) -> AccountCredentials:
    """Open what is needed to speak for an account."""
    vault = Vault(running.service.keyring)
    account = _only(running, sa.select(accounts).where(accounts.c.id == account_id))
    grant = _only(running, sa.select(grants).where(grants.c.id == account.grant_id))
    return vault.held(read_account(account), vault.open_grant(read_grant(grant)))


def _only(running: RunningService, statement: sa.Select[Any]) -> sa.Row[Any]:
    (row,) = rows(running, statement)
    return row
