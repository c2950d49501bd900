"""Webhooks that are signed as each platform signs its own, for bodies that a test makes up.

Secrets of the app are those that the sandbox has registered. Secrets of one address are opened from the database of the
service, and Google's key is taken from the sandbox: nobody else has them.
"""

import hmac
import sqlite3
import time
from base64 import urlsafe_b64encode
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import httpx
import msgspec
import sqlalchemy as sa
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from socialgate.areas.accounts.credential_cipher import CredentialCipher, WebhookSecrets
from socialgate.areas.accounts.tables import accounts, read_registration, registrations
from socialgate.contracts.platforms import Platform
from support.database import rows
from support.sandbox import Sandbox
from support.service import SANDBOX_KEYS, RunningService

VERIFY_TOKEN = SANDBOX_KEYS.apps[Platform.META].verify_token
FIXTURES = Path(__file__).parents[1] / "connectors"


class SignedRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A request of a platform, ready to be sent."""

    platform: str
    body: bytes
    headers: Mapping[str, str] = {}
    query: Mapping[str, str] = {}

    def send(self, client: httpx.Client) -> httpx.Response:
        return client.post(
            f"/webhooks/{self.platform}", params=dict(self.query), headers=dict(self.headers), content=self.body
        )


Sign = Callable[[bytes], SignedRequest]


class Address(msgspec.Struct, frozen=True):
    """Where a platform sends the webhooks of one account, and what proves them."""

    routing_id: str
    secrets: WebhookSecrets


def secret_of(platform: str) -> str:
    """Give the secret of our app on a platform; customers of WhatsApp bring the same app in the sandbox."""
    return SANDBOX_KEYS.apps[Platform(platform)].secret


def address_of(running: RunningService, account_id: str) -> Address:
    same = sa.and_(
        registrations.c.platform == accounts.c.platform, registrations.c.inbound_key == accounts.c.inbound_key
    )
    (row,) = rows(running, sa.select(registrations).join(accounts, same).where(accounts.c.id == account_id))
    return Address(
        row.routing_id, CredentialCipher(running.service.keyring).decrypt_webhook_secrets(read_registration(row))
    )


def sign_as_meta(platform: str, **query: str) -> Sign:
    """Sign as all of Meta's products do."""

    def sign(body: bytes) -> SignedRequest:
        digest = hmac.digest(secret_of(platform).encode(), body, "sha256").hex()
        return SignedRequest(
            platform=platform, body=body, headers={"X-Hub-Signature-256": f"sha256={digest}"}, query=query
        )

    return sign


def tiktok(body: bytes, at: float | None = None) -> SignedRequest:
    moment = int(time.time() if at is None else at)
    digest = hmac.digest(secret_of("tiktok").encode(), f"{moment}.".encode() + body, "sha256").hex()
    return SignedRequest(platform="tiktok", body=body, headers={"TikTok-Signature": f"t={moment},s={digest}"})


def tiktokads(body: bytes) -> SignedRequest:
    digest = hmac.digest(secret_of("tiktokads").encode(), body, "sha256").hex()
    return SignedRequest(platform="tiktokads", body=body, headers={"X-Open-Signature": digest})


def with_secret(platform: str, header: str, secret: str, routing_id: str) -> Sign:
    """Send the secret itself along, to the address that it belongs to."""
    return lambda body: SignedRequest(platform=platform, body=body, headers={header: secret}, query={"r": routing_id})


class Google:
    """Signs as Google does, with the key that the sandbox publishes."""

    def __init__(self, sandbox: Sandbox) -> None:
        # The key is made when somebody asks for it.
        assert sandbox.http.get("/google/www.googleapis.com/oauth2/v3/certs").is_success
        with sqlite3.connect(sandbox.running.settings.data_dir / "sandbox.db") as db:
            request = "SELECT body FROM things WHERE vendor = 'google' AND kind = 'SigningKey' AND parent = 'platform'"
            (body,) = db.execute(request).fetchone()
        db.close()
        stored = msgspec.json.decode(body)
        private = load_pem_private_key(stored["pem"].encode(), None)
        assert isinstance(private, rsa.RSAPrivateKey)
        self._kid, self._private = stored["id"], private

    def token(self, claims: bytes) -> str:
        head = msgspec.json.encode({"alg": "RS256", "kid": self._kid, "typ": "JWT"})
        text = f"{_unpadded(head)}.{_unpadded(claims)}"
        signature = self._private.sign(text.encode(), padding.PKCS1v15(), hashes.SHA256())
        return f"{text}.{_unpadded(signature)}"

    def security_event(self, claims: bytes) -> SignedRequest:
        headers = {"Content-Type": "application/secevent+jwt"}
        return SignedRequest(platform="google", body=self.token(claims).encode(), headers=headers)

    def push(self, body: bytes, expires: float | None = None) -> SignedRequest:
        """Send through Pub/Sub, whose tokens name a secret audience."""
        until = int(expires or time.time() + 3600)
        claims = {"iss": "https://accounts.google.com", "aud": VERIFY_TOKEN, "exp": until}
        proof = self.token(msgspec.json.encode(claims))
        headers = {"Content-Type": "application/json", "Authorization": f"Bearer {proof}"}
        return SignedRequest(platform="google", body=body, headers=headers)


def signer_of(sandbox: Sandbox, platform: str, account_id: str | None = None) -> Sign:
    """Give what signs for a platform; where each address has a secret of its own, for that of an account."""
    if platform in {"meta", "threads"}:
        return sign_as_meta(platform)
    if platform in {"tiktok", "tiktokads"}:
        return tiktok if platform == "tiktok" else tiktokads
    if platform == "google":
        return Google(sandbox).push
    assert account_id is not None, f"{platform} signs for each account"
    address = address_of(sandbox.running, account_id)
    if platform == "whatsapp-cloud":
        return sign_as_meta(platform, r=address.routing_id)
    if platform == "telegram":
        return with_secret(platform, "X-Telegram-Bot-Api-Secret-Token", address.secrets.secret, address.routing_id)
    return with_secret(platform, "X-Webhook-Signature", address.secrets.platform_secrets[0], address.routing_id)


def fixtures_of(platform: str) -> dict[str, bytes]:
    """Give true bodies of a platform, by name."""
    folder = FIXTURES / platform.replace("-", "_") / "fixtures"
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def security_claims(body: bytes, **changed: Any) -> bytes:
    """Make a fixture of a security event one for the app that the sandbox knows."""
    return msgspec.json.encode({**msgspec.json.decode(body), "aud": "sandbox-google", **changed})


def _unpadded(data: bytes) -> str:
    return urlsafe_b64encode(data).rstrip(b"=").decode()
