"""Tokens and secrets at rest: encrypted for one owner and one row, and decrypted only to call the platform."""

import hashlib
from collections.abc import Mapping, Sequence

import msgspec

from socialgate.areas.accounts.tables import (
    ACCOUNT_SEALING_PURPOSE,
    GRANT_SEALING_PURPOSE,
    VERIFIER_SEALING_PURPOSE,
    WEBHOOK_SEALING_PURPOSE,
    ConnectStateRow,
    GrantRow,
    RegistrationRow,
)
from socialgate.contracts.account_connection import AccountCredentials, Grant, WebhookEndpoint
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.platforms import Kind
from socialgate.core.encryption import Keyring

_TOKEN_ALIAS_HASH_LENGTH = 32


class WebhookSecrets(msgspec.Struct, frozen=True, kw_only=True):
    """What verifies a platform's webhooks for one account. `platform_secrets` came from the platform.

    Each has one purpose: a token that is sent openly in a handshake must not sign anything, and vice versa.
    """

    secret: str
    verify_token: str
    platform_secrets: tuple[str, ...] = ()

    def get_candidates(self, method: str) -> Sequence[str]:
        return (self.verify_token,) if method == "GET" else (*self.platform_secrets, self.secret)


class CredentialCipher:
    def __init__(self, keyring: Keyring) -> None:
        self._keyring = keyring

    def encrypt_grant(self, owner_id: str, grant_id: str, grant: Grant) -> bytes:
        return self._keyring.seal(
            msgspec.json.encode(grant).decode(), GRANT_SEALING_PURPOSE.build_purpose(owner_id=owner_id, id=grant_id)
        )

    def decrypt_grant(self, row: GrantRow) -> Grant:
        opened = self._keyring.unseal(row.sealed, GRANT_SEALING_PURPOSE.build_purpose(owner_id=row.owner_id, id=row.id))
        return msgspec.json.decode(opened, type=Grant)

    def encrypt_account_secret(self, owner_id: str, account_id: str, secret: Mapping[str, str]) -> bytes:
        return self._keyring.seal(
            msgspec.json.encode(secret).decode(),
            ACCOUNT_SEALING_PURPOSE.build_purpose(owner_id=owner_id, id=account_id),
        )

    def decrypt_app_secret(self, account: AccountRow) -> str | None:
        """The secret with which this customer's own app signs, if customers provide one."""
        opened = self._keyring.unseal(
            account.require_sealed_secret,
            ACCOUNT_SEALING_PURPOSE.build_purpose(owner_id=account.owner_id, id=account.id),
        )
        return msgspec.json.decode(opened, type=dict[str, str]).get("app_secret")

    def decrypt_credentials(self, account: AccountRow, grant: Grant) -> AccountCredentials:
        opened = self._keyring.unseal(
            account.require_sealed_secret,
            ACCOUNT_SEALING_PURPOSE.build_purpose(owner_id=account.owner_id, id=account.id),
        )
        return AccountCredentials(
            kind=Kind(account.kind),
            platform_account_id=account.platform_account_id,
            grant=grant,
            secret=msgspec.json.decode(opened, type=dict[str, str]),
            details=account.details,
        )

    def encrypt_webhook_secrets(self, platform: str, inbound_key: str, secrets: WebhookSecrets) -> bytes:
        return self._keyring.seal(
            msgspec.json.encode(secrets).decode(),
            WEBHOOK_SEALING_PURPOSE.build_purpose(platform=platform, inbound_key=inbound_key),
        )

    def decrypt_webhook_secrets(self, row: RegistrationRow) -> WebhookSecrets:
        opened = self._keyring.unseal(
            row.sealed, WEBHOOK_SEALING_PURPOSE.build_purpose(platform=row.platform, inbound_key=row.inbound_key)
        )
        return msgspec.json.decode(opened, type=WebhookSecrets)

    def encrypt_verifier(self, state_hash: str, verifier: str) -> bytes:
        return self._keyring.seal(verifier, VERIFIER_SEALING_PURPOSE.build_purpose(state_hash=state_hash))

    def decrypt_verifier(self, row: ConnectStateRow) -> str:
        return self._keyring.unseal(row.verifier, VERIFIER_SEALING_PURPOSE.build_purpose(state_hash=row.state_hash))


def hash_refresh_token_aliases(names: Sequence[str]) -> str:
    """Identifies which refresh token a platform refers to, without being part of one."""
    return " ".join(
        hashlib.sha256(f"token name {name}".encode()).hexdigest()[:_TOKEN_ALIAS_HASH_LENGTH] for name in names
    )


def build_webhook_endpoint(public_url: str, platform: str, routing_id: str, secrets: WebhookSecrets) -> WebhookEndpoint:
    return WebhookEndpoint(
        url=f"{public_url}/webhooks/{platform}?r={routing_id}",
        secret=secrets.secret,
        verify_token=secrets.verify_token,
    )
