"""Signed tokens: the published keys, and the signatures on ID tokens and security events."""

from base64 import urlsafe_b64decode
from collections.abc import Mapping
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any

import msgspec
from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from cryptography.x509.oid import NameOID

from socialgate_sandbox.kit import World, hexadecimal
from socialgate_sandbox.kit.oauth import base64url
from socialgate_sandbox.vendors.google.state import SigningKey

# The key that Google signs with, and the key of the app's service account.
PLATFORM, SERVICE_ACCOUNT = "platform", "service-account"
_BITS, _EXPONENT = 2048, 65537


class Key:
    def __init__(self, kid: str, pem: str) -> None:
        private = serialization.load_pem_private_key(pem.encode(), None)
        assert isinstance(private, rsa.RSAPrivateKey)
        self.kid, self.pem, self.private = kid, pem, private

    def sign(self, claims: Mapping[str, Any], kind: str = "JWT") -> str:
        head = {"alg": "RS256", "kid": self.kid, "typ": kind}
        text = f"{base64url(msgspec.json.encode(head))}.{base64url(msgspec.json.encode(claims))}"
        signature = self.private.sign(text.encode(), padding.PKCS1v15(), hashes.SHA256())
        return f"{text}.{base64url(signature)}"

    def jwk(self) -> dict[str, str]:
        numbers = self.private.public_key().public_numbers()
        names = {"kty": "RSA", "alg": "RS256", "use": "sig", "kid": self.kid}
        return names | {"n": _number(numbers.n), "e": _number(numbers.e)}

    def claims(self, token: str) -> dict[str, Any] | None:
        """Return the claims of a token if it was signed with this key."""
        try:
            text, _, signature = token.rpartition(".")
            public = self.private.public_key()
            public.verify(_decoded(signature), text.encode(), padding.PKCS1v15(), hashes.SHA256())
            found = msgspec.json.decode(_decoded(text.partition(".")[2]))
        except (ValueError, InvalidSignature):
            return None
        return found if isinstance(found, dict) else None


def key(world: World, name: str = PLATFORM) -> Key:
    """Find or create a key: creating takes a moment, so only callers that need one wait for it."""
    found = world.store.find(SigningKey, parent=name)
    if not found:
        private = rsa.generate_private_key(_EXPONENT, _BITS)
        form, none = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        pem = private.private_bytes(serialization.Encoding.PEM, form, none).decode()
        found = [world.store.put(SigningKey(id=hexadecimal(40), parent=name, pem=pem))]
    return _read(found[0].id, found[0].pem)


@lru_cache(maxsize=16)
def _read(kid: str, pem: str) -> Key:
    """Parsing a key takes as long as a dozen responses."""
    return Key(kid, pem)


def certificate(signer: Key, now: datetime) -> str:
    """Format the public key as a certificate, as in the older list of keys."""
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "federated-signon.system.gserviceaccount.com")])
    builder = x509.CertificateBuilder().subject_name(name).issuer_name(name).serial_number(1)
    builder = builder.public_key(signer.private.public_key())
    builder = builder.not_valid_before(now - timedelta(days=1)).not_valid_after(now + timedelta(days=14))
    return builder.sign(signer.private, hashes.SHA256()).public_bytes(serialization.Encoding.PEM).decode()


def _decoded(text: str) -> bytes:
    return urlsafe_b64decode(text + "=" * (-len(text) % 4))


def _number(value: int) -> str:
    return base64url(value.to_bytes((value.bit_length() + 7) // 8, "big"))
