"""The headers that let a receiver trust a delivery.

There are two signatures: ours over the body, and that of Standard Webhooks over id, time and body, which also protects
against replays.
"""

import hmac
from binascii import a2b_base64, b2a_base64
from collections.abc import Sequence
from datetime import datetime
from secrets import token_bytes

from socialgate.core.encryption import Keyring
from socialgate.core.outbox import get_secret_purpose
from socialgate.delivery.store import Lane

HOOK_SECRET_PREFIX = "whsec_"  # noqa: S105 - the public mark of a secret, not one
MIN_SECRET_LENGTH = 16
MAX_SECRET_LENGTH = 256
_GENERATED_SECRET_BYTES = 32


def generate_hook_secret() -> str:
    return HOOK_SECRET_PREFIX + _encode_base64(token_bytes(_GENERATED_SECRET_BYTES))


def validate_hook_secret(secret: str) -> str | None:
    """What is wrong with a customer's secret, as a sentence that never quotes it."""
    if not MIN_SECRET_LENGTH <= len(secret) <= MAX_SECRET_LENGTH:
        return f"Use a secret of {MIN_SECRET_LENGTH} to {MAX_SECRET_LENGTH} characters."
    if not (secret.isascii() and secret.isprintable()):
        return "Use only printable ASCII characters in the secret."
    return None


class HookSigner:
    """Signs for one hook.

    `secrets` has the current one first; during a rotation the previous one follows. The keys are prepared once, because
    every attempt is signed. `hmac.digest` would be simpler, but it releases the interpreter's lock on every call, and a
    busy worker then waits to get it back.
    """

    def __init__(self, secrets: Sequence[str]) -> None:
        self._service = _build_hmac(secrets[0].encode())
        self._standard = [_build_hmac(get_standard_webhooks_key(secret)) for secret in secrets]

    def build_headers(
        self, *, event: str, event_id: str, delivery_id: str, timestamp: int, body: bytes
    ) -> dict[str, str]:
        """Sign the body bytes as they will be sent.

        `event_id` is the same on every attempt and replay, `timestamp` (Unix seconds) is new for each attempt.
        """
        content = b"%b.%d.%b" % (event_id.encode(), timestamp, body)
        return {
            "X-Service-Signature": "sha256=" + _compute_mac(self._service, body).hex(),
            "X-Service-Event": event,
            "X-Service-Delivery": delivery_id,
            "webhook-id": event_id,
            "webhook-timestamp": str(timestamp),
            "webhook-signature": " ".join(
                ["v1," + _encode_base64(_compute_mac(keyed, content)) for keyed in self._standard]
            ),
        }


def get_standard_webhooks_key(secret: str) -> bytes:
    """The key that Standard Webhooks libraries use: decoded if a secret has that format, otherwise as it is."""
    if secret.startswith(HOOK_SECRET_PREFIX):
        try:
            return a2b_base64(secret[len(HOOK_SECRET_PREFIX) :], strict_mode=True)
        except ValueError:
            pass
    return secret.encode()


def list_sealed_secrets(lane: Lane, now: datetime) -> list[bytes]:
    """List what the hook signs with now, encrypted: its secret, and during a rotation also the previous one."""
    if lane.previous_secret and lane.previous_until and lane.previous_until > now:
        return [lane.secret, lane.previous_secret]
    return [lane.secret]


def build_hook_signer(lane: Lane, sealed: Sequence[bytes], keyring: Keyring) -> HookSigner:
    """Decrypt the secrets of the hook."""
    return HookSigner([keyring.unseal(data, get_secret_purpose(lane.owner_id, lane.hook_id)) for data in sealed])


def _build_hmac(key: bytes) -> hmac.HMAC:
    return hmac.new(key, digestmod="sha256")


def _compute_mac(keyed: hmac.HMAC, content: bytes) -> bytes:
    mac = keyed.copy()
    mac.update(content)
    return mac.digest()


def _encode_base64(raw: bytes) -> str:
    return b2a_base64(raw, newline=False).decode("ascii")
