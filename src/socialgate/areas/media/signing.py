"""URLs that give access to one file: platforms download media, and people upload a file, without a credential."""

import hmac
from base64 import urlsafe_b64decode, urlsafe_b64encode
from datetime import datetime
from hashlib import sha256

import msgspec

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


class UploadTicket(msgspec.Struct, frozen=True, kw_only=True, array_like=True):
    """The permission to upload one file: for whom, and what it will be."""

    owner_id: str
    credential_id: str
    profile_id: str | None
    file_name: str
    media_id: str
    # In seconds since 1970.
    until: int


class UploadTicketSigner:
    """Writes a ticket into a URL, so that nothing has to be stored before the file is there."""

    def __init__(self, keyring: Keyring) -> None:
        self._keys = keyring.derive_signing_keys("upload addresses")

    def encode(self, ticket: UploadTicket) -> str:
        content = urlsafe_b64encode(msgspec.json.encode(ticket)).rstrip(b"=")
        return f"{content.decode()}.{_sign_ticket(self._keys[0], content)}"

    def decode(self, text: str, now: datetime) -> UploadTicket | None:
        """Read a ticket. None if it is not ours, or no longer valid."""
        content, _, signature = text.encode().partition(b".")
        genuine = [hmac.compare_digest(_sign_ticket(key, content).encode(), signature) for key in self._keys]
        if not any(genuine):
            return None
        padded = content + b"=" * (-len(content) % 4)
        ticket = msgspec.json.decode(urlsafe_b64decode(padded), type=UploadTicket)
        return ticket if now.timestamp() < ticket.until else None


def _sign_ticket(key: bytes, content: bytes) -> str:
    return urlsafe_b64encode(hmac.new(key, content, sha256).digest()[:24]).decode()
