"""URLs that give access to one file: platforms download media without a credential."""

import hmac
from base64 import urlsafe_b64encode
from datetime import datetime
from hashlib import sha256

from socialgate.core.encryption import Keyring


class MediaUrlSigner:
    def __init__(self, keyring: Keyring, public_url: str) -> None:
        self._keys = keyring.derive_signing_keys("media addresses")
        self._public_url = public_url

    def build_url(self, media_id: str, until: datetime) -> str:
        moment = int(until.timestamp())
        return f"{self._public_url}/media/{media_id}?until={moment}&signature={_sign(self._keys[0], media_id, moment)}"

    def is_valid(self, media_id: str, until: int, signature: str, now: datetime) -> bool:
        """Return whether a signature is ours and still valid. URLs signed with an older key stay valid too."""
        genuine = [hmac.compare_digest(_sign(key, media_id, until).encode(), signature.encode()) for key in self._keys]
        return any(genuine) and now.timestamp() < until


def _sign(key: bytes, media_id: str, until: int) -> str:
    digest = hmac.new(key, f"{media_id} {until}".encode(), sha256).digest()
    return urlsafe_b64encode(digest[:24]).decode()
