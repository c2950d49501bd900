"""Tokens and secrets at rest: encrypted for one owner and one row, and decrypted only to call the platform."""

import hashlib
from collections.abc import Mapping, Sequence

import msgspec

from socialgate.areas.accounts.tables import (
    ACCOUNT,
    GRANT,
    VERIFIER,
    WEBHOOK,
    ConnectStateRow,
    GrantRow,
    RegistrationRow,
)
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.connecting import AccountCredentials, Callback, Grant
from socialgate.contracts.platforms import Kind
from socialgate.core.secrets import Keyring

_MARK = 32


class WebhookSecrets(msgspec.Struct, frozen=True, kw_only=True):
    """What verifies a platform's webhooks for one account. `brought` came from the platform.

    Each has one purpose: a token that is sent openly in a handshake must not sign anything, and vice versa.
    """

    secret: str
    verify_token: str
    brought: tuple[str, ...] = ()

    def for_method(self, method: str) -> Sequence[str]:
        return (self.verify_token,) if method == "GET" else (*self.brought, self.secret)


class Vault:
    def __init__(self, keyring: Keyring) -> None:
        self._keyring = keyring

    def seal_grant(self, owner_id: str, grant_id: str, grant: Grant) -> bytes:
        return self._keyring.seal(msgspec.json.encode(grant).decode(), GRANT.of(owner_id=owner_id, id=grant_id))

    def open_grant(self, row: GrantRow) -> Grant:
        opened = self._keyring.open(row.sealed, GRANT.of(owner_id=row.owner_id, id=row.id))
        return msgspec.json.decode(opened, type=Grant)

    def seal_secret(self, owner_id: str, account_id: str, secret: Mapping[str, str]) -> bytes:
        return self._keyring.seal(msgspec.json.encode(secret).decode(), ACCOUNT.of(owner_id=owner_id, id=account_id))

    def customers_secret(self, account: AccountRow) -> str | None:
        """The secret with which this customer's own app signs, if customers provide one."""
        opened = self._keyring.open(account.secrets, ACCOUNT.of(owner_id=account.owner_id, id=account.id))
        return msgspec.json.decode(opened, type=dict[str, str]).get("app_secret")

    def held(self, account: AccountRow, grant: Grant) -> AccountCredentials:
        opened = self._keyring.open(account.secrets, ACCOUNT.of(owner_id=account.owner_id, id=account.id))
        return AccountCredentials(
            kind=Kind(account.kind),
            platform_account_id=account.platform_account_id,
            grant=grant,
            secret=msgspec.json.decode(opened, type=dict[str, str]),
            details=account.details,
        )

    def seal_webhook(self, platform: str, inbound_key: str, secrets: WebhookSecrets) -> bytes:
        return self._keyring.seal(
            msgspec.json.encode(secrets).decode(), WEBHOOK.of(platform=platform, inbound_key=inbound_key)
        )

    def open_webhook(self, row: RegistrationRow) -> WebhookSecrets:
        opened = self._keyring.open(row.sealed, WEBHOOK.of(platform=row.platform, inbound_key=row.inbound_key))
        return msgspec.json.decode(opened, type=WebhookSecrets)

    def seal_verifier(self, state_hash: str, verifier: str) -> bytes:
        return self._keyring.seal(verifier, VERIFIER.of(state_hash=state_hash))

    def open_verifier(self, row: ConnectStateRow) -> str:
        return self._keyring.open(row.verifier, VERIFIER.of(state_hash=row.state_hash))


def marks_of(names: Sequence[str]) -> str:
    """Identifies which refresh token a platform refers to, without being part of one."""
    return " ".join(hashlib.sha256(f"token name {name}".encode()).hexdigest()[:_MARK] for name in names)


def callback_of(public_url: str, platform: str, routing_id: str, secrets: WebhookSecrets) -> Callback:
    return Callback(
        url=f"{public_url}/webhooks/{platform}?r={routing_id}",
        secret=secrets.secret,
        verify_token=secrets.verify_token,
    )
