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

from socialgate_sandbox.kit import VendorContext, generate_hex
from socialgate_sandbox.kit.oauth import encode_base64url
from socialgate_sandbox.vendors.google.state import SigningKey

# The key that Google signs with, and the key of the app's service account.
PLATFORM_KEY_NAME, SERVICE_ACCOUNT_KEY_NAME = "platform", "service-account"
_KEY_BITS, _PUBLIC_EXPONENT = 2048, 65537


class JwtKey:
    def __init__(self, kid: str, pem: str) -> None:
        private = serialization.load_pem_private_key(pem.encode(), None)
        assert isinstance(private, rsa.RSAPrivateKey)
        self.kid, self.pem, self.private_key = kid, pem, private

    def sign_claims(self, claims: Mapping[str, Any], type_header: str = "JWT") -> str:
        head = {"alg": "RS256", "kid": self.kid, "typ": type_header}
        text = f"{encode_base64url(msgspec.json.encode(head))}.{encode_base64url(msgspec.json.encode(claims))}"
        signature = self.private_key.sign(text.encode(), padding.PKCS1v15(), hashes.SHA256())
        return f"{text}.{encode_base64url(signature)}"

    def build_jwk(self) -> dict[str, str]:
        numbers = self.private_key.public_key().public_numbers()
        names = {"kty": "RSA", "alg": "RS256", "use": "sig", "kid": self.kid}
        return names | {"n": _encode_number(numbers.n), "e": _encode_number(numbers.e)}

    def verify_token(self, token: str) -> dict[str, Any] | None:
        """Return the claims of a token if it was signed with this key."""
        try:
            text, _, signature = token.rpartition(".")
            public = self.private_key.public_key()
            public.verify(_decode_base64url(signature), text.encode(), padding.PKCS1v15(), hashes.SHA256())
            result = msgspec.json.decode(_decode_base64url(text.partition(".")[2]))
        except (ValueError, InvalidSignature):
            return None
        return result if isinstance(result, dict) else None


def get_or_create_key(context: VendorContext, key_name: str = PLATFORM_KEY_NAME) -> JwtKey:
    """Find or create a key: creating takes a moment, so only callers that need one wait for it."""
    signing_keys = context.store.find(SigningKey, parent=key_name)
    if not signing_keys:
        private = rsa.generate_private_key(_PUBLIC_EXPONENT, _KEY_BITS)
        form, none = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        pem = private.private_bytes(serialization.Encoding.PEM, form, none).decode()
        signing_keys = [context.store.put(SigningKey(id=generate_hex(40), parent=key_name, pem=pem))]
    return _load_key(signing_keys[0].id, signing_keys[0].pem)


@lru_cache(maxsize=16)
def _load_key(kid: str, pem: str) -> JwtKey:
    """Parsing a key takes as long as a dozen responses."""
    return JwtKey(kid, pem)


def build_certificate(jwt_key: JwtKey, now: datetime) -> str:
    """Format the public key as a certificate, as in the older list of keys."""
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "federated-signon.system.gserviceaccount.com")])
    builder = x509.CertificateBuilder().subject_name(name).issuer_name(name).serial_number(1)
    builder = builder.public_key(jwt_key.private_key.public_key())
    builder = builder.not_valid_before(now - timedelta(days=1)).not_valid_after(now + timedelta(days=14))
    return builder.sign(jwt_key.private_key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM).decode()


def _decode_base64url(text: str) -> bytes:
    return urlsafe_b64decode(text + "=" * (-len(text) % 4))


def _encode_number(value: int) -> str:
    return encode_base64url(value.to_bytes((value.bit_length() + 7) // 8, "big"))
