"""How Meta and an app authenticate each other: hashes of tokens and bodies with the app's secret."""

import base64
import hashlib
import hmac
from collections.abc import Iterable
from urllib.parse import unquote_to_bytes

import msgspec

from socialgate.connectors.webhook_helpers import decode_json_or_none, verify_signature

_SIGNED_REQUEST_PREFIX = b"signed_request="
_SIGNATURE_PREFIX = "sha256="


class AppRemoval(msgspec.Struct):
    """Who removed the app, or asked for deletion: the content of a signed request."""

    user_id: str | int = ""
    issued_at: int | float | str = 0
    algorithm: str = ""


def build_appsecret_proof(secret: str, token: str) -> str:
    """Prove that a token is used by its own app: a stolen one is of no use without the secret."""
    return hmac.new(secret.encode(), token.encode(), hashlib.sha256).hexdigest()


def verify_meta_signature(body: bytes, header: str, keys: Iterable[str]) -> bool:
    return header.startswith(_SIGNATURE_PREFIX) and any(
        verify_signature(header.removeprefix(_SIGNATURE_PREFIX), key, body) for key in keys
    )


def is_signed_request(body: bytes) -> bool:
    """Distinguish signed requests from webhooks by the first bytes alone.

    Verifying and parsing must agree on what a body is: one that is JSON to the one and a form to the other could
    smuggle in forged facts with a signature that does not cover them.
    """
    return body.startswith(_SIGNED_REQUEST_PREFIX)


def verify_signed_request(body: bytes, keys: Iterable[str]) -> AppRemoval | None:
    """Read a signed request that one of these keys signed, None if none did."""
    seal, _, payload = _split_signed_request(body)
    try:
        data = _decode_base64url(seal)
    except ValueError:
        return None
    signed = any(
        hmac.compare_digest(data, hmac.new(key.encode(), payload, hashlib.sha256).digest()) for key in keys if key
    )
    return parse_signed_request(body) if signed else None


def parse_signed_request(body: bytes) -> AppRemoval | None:
    """Read a signed request that was verified when it arrived."""
    try:
        removal = decode_json_or_none(_decode_base64url(_split_signed_request(body)[2]), AppRemoval)
    except ValueError:
        return None
    return removal if removal is not None and removal.user_id and removal.algorithm.upper() == "HMAC-SHA256" else None


def _split_signed_request(body: bytes) -> tuple[bytes, bytes, bytes]:
    return unquote_to_bytes(body.removeprefix(_SIGNED_REQUEST_PREFIX).partition(b"&")[0]).partition(b".")


def _decode_base64url(part: bytes) -> bytes:
    """Raises ValueError if it is not base64."""
    bare = part.rstrip(b"=")
    return base64.urlsafe_b64decode(bare + b"=" * (-len(bare) % 4))
