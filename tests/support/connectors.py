"""Connectors by themselves, speaking to the sandbox of a running service."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import sqlalchemy as sa

from socialgate.areas.accounts.credential_cipher import CredentialCipher
from socialgate.areas.accounts.tables import accounts, grants, read_account, read_grant
from socialgate.connectors.registry import CONNECTOR_FACTORIES, MANIFESTS
from socialgate.connectors.transport import PlatformApp, VendorTransport
from socialgate.contracts.account_connection import AccountCredentials
from socialgate.contracts.connector_registry import Connector
from socialgate.contracts.platforms import Platform
from socialgate.core.egress import EgressClient, SystemResolver, allow_any_address
from socialgate.core.pauses import PlatformPauses
from support.database import rows
from support.service import SANDBOX_KEYS, RunningService


def app_of(platform: Platform) -> PlatformApp:
    """Give what the sandbox knows this deployment as."""
    return SANDBOX_KEYS.apps[platform]


@contextmanager
def connector_of(running: RunningService, platform: Platform) -> Iterator[Connector]:
    """Build a connector that remembers nothing of earlier calls."""
    resolver = SystemResolver()
    door = EgressClient(policy=allow_any_address, resolver=resolver, user_agent="Socialgate/test")
    pauses, base = PlatformPauses(running.service.db), f"{running.sandbox.url}/{platform}"
    wire = VendorTransport(
        door, running.clock, pauses, platform, base, one_host=MANIFESTS[platform].base_url_replaces_host
    )
    try:
        yield CONNECTOR_FACTORIES[platform](app_of(platform), wire)
    finally:
        door.close()
        resolver.close()


def open_credentials(running: RunningService, account_id: str) -> AccountCredentials:
    """Open what is needed to speak for an account."""
    vault = CredentialCipher(running.service.keyring)
    account = _only(running, sa.select(accounts).where(accounts.c.id == account_id))
    grant = _only(running, sa.select(grants).where(grants.c.id == account.grant_id))
    return vault.decrypt_credentials(read_account(account), vault.decrypt_grant(read_grant(grant)))


def _only(running: RunningService, statement: sa.Select[Any]) -> sa.Row[Any]:
    (row,) = rows(running, statement)
    return row
