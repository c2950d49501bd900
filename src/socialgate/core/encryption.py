"""Encryption of what must be read back: AES-256-GCM, with keys that can be rotated.

An encrypted (sealed) value starts with the id of its key, so that an old key still decrypts its values. The purpose and
owner of a value are authenticated with it: a row that is copied to another owner does not decrypt there.
"""

import hmac
import os
import secrets
from base64 import b64decode, b64encode
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from string import Formatter
from typing import Any, NewType

import msgspec
import sqlalchemy as sa
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from socialgate.core.db import Tx, UtcDateTime, metadata
from socialgate.core.settings import Settings, SettingsError

KEY_BYTES = 32
KEY_ID_BYTES = 4
_NONCE_BYTES = 12
KEY_FILE_NAME = "secret.key"

# Which keys were used here: a node that lacks one of them must not start.
key_ids = sa.Table(
    "key_ids",
    metadata,
    sa.Column("id", sa.String(8), primary_key=True),
    sa.Column("first_used_at", UtcDateTime, nullable=False),
)


class DecryptionError(Exception):
    """An encrypted value cannot be decrypted: another key, another purpose, or damaged."""


# The purpose and owner of a value. A `EncryptionPurposeTemplate` creates them.
EncryptionPurpose = NewType("EncryptionPurpose", str)
_COLUMN_INFO_KEY = "sealing"


class EncryptionPurposeTemplate(msgspec.Struct, frozen=True):
    """What the values of one column are encrypted for. The text contains the names of columns that identify its rows.

    Nothing is encrypted without one, and `socialgate reseal` finds the columns whose `column_info` has one.
    """

    template: str

    def build_purpose(self, **row: str) -> EncryptionPurpose:
        return EncryptionPurpose(self.template.format_map(row))

    @property
    def column_names(self) -> list[str]:
        return [name for _, name, _, _ in Formatter().parse(self.template) if name]

    @property
    def column_info(self) -> dict[str, Any]:
        return {_COLUMN_INFO_KEY: self}


def get_purpose_template(column: sa.Column[Any]) -> EncryptionPurposeTemplate | None:
    purpose_template: EncryptionPurposeTemplate | None = column.info.get(_COLUMN_INFO_KEY)
    return purpose_template


class Keyring:
    def __init__(self, keys: list[bytes]) -> None:
        """Take keys, the one to encrypt with first; the others only decrypt."""
        self._raw = tuple(keys)
        self._keys: Mapping[bytes, AESGCM] = {_compute_key_id(key): AESGCM(key) for key in keys}
        self._current = _compute_key_id(keys[0])

    @property
    def current_id(self) -> str:
        return self._current.hex()

    @property
    def older_ids(self) -> list[str]:
        return [key_id.hex() for key_id in self._keys if key_id != self._current]

    def has_key(self, key_id: str) -> bool:
        return bytes.fromhex(key_id) in self._keys

    def derive_signing_keys(self, purpose: str) -> list[bytes]:
        """Derive keys for signing, the current one first: the keys themselves only encrypt."""
        return [hmac.new(key, f"socialgate {purpose}".encode(), sha256).digest() for key in self._raw]

    def seal(self, text: str, purpose: EncryptionPurpose) -> bytes:
        nonce = os.urandom(_NONCE_BYTES)
        return self._current + nonce + self._keys[self._current].encrypt(nonce, text.encode(), purpose.encode())

    def unseal(self, sealed: bytes, purpose: EncryptionPurpose) -> str:
        key = self._keys.get(sealed[:KEY_ID_BYTES])
        if key is None:
            raise DecryptionError("It was encrypted with a key that this node does not have.")
        nonce, content = sealed[KEY_ID_BYTES : KEY_ID_BYTES + _NONCE_BYTES], sealed[KEY_ID_BYTES + _NONCE_BYTES :]
        try:
            return key.decrypt(nonce, content, purpose.encode()).decode()
        except (InvalidTag, ValueError) as error:
            raise DecryptionError("It was encrypted for another purpose, or is damaged.") from error


def load_keyring(settings: Settings) -> Keyring:
    """Read the keys from the setting, or from a file in the data directory that is created if it is missing."""
    if settings.secret_key is not None:
        return Keyring([_decode_key("SOCIALGATE_SECRET_KEY", part) for part in settings.secret_key.split(",")])
    return Keyring(read_or_create_keys(settings.data_dir / KEY_FILE_NAME))


def read_or_create_keys(path: Path) -> list[bytes]:
    """Read the keys of a file, one per line. A missing file is created with one key, readable only by its owner."""
    if not path.exists():
        _create_key_file(path)
    # An empty file is also an invalid key.
    lines = path.read_text(encoding="ascii", errors="replace").split() or [""]
    return [_decode_key(str(path), line) for line in lines]


async def register_key(tx: Tx, keyring: Keyring) -> None:
    """Refuse to start with data that this node could not read."""
    await tx.execute(tx.build_insert_if_absent(key_ids), {"id": keyring.current_id, "first_used_at": tx.now})
    await list_registered_keys(tx, keyring)


async def list_registered_keys(tx: Tx, keyring: Keyring) -> list[str]:
    """List the keys that were used here, all of which this node must have."""
    result = [str(row.id) for row in await tx.all(sa.select(key_ids.c.id).order_by(key_ids.c.first_used_at))]
    unknown = [key_id for key_id in result if not keyring.has_key(key_id)]
    if unknown:
        raise SettingsError(
            f"The database contains secrets encrypted with the key {unknown[0]}, which this node does not have. Set "
            f"the same SOCIALGATE_SECRET_KEY on all nodes, or copy {KEY_FILE_NAME} from the node that created it."
        )
    return result


async def unregister_keys(tx: Tx, ids: list[str]) -> None:
    """Let nodes start without these keys from now on."""
    await tx.execute(sa.delete(key_ids).where(key_ids.c.id.in_(ids)))


def _decode_key(where: str, text: str) -> bytes:
    try:
        key = b64decode(text.strip(), validate=True)
    except ValueError:
        key = b""
    if len(key) != KEY_BYTES:
        raise SettingsError(
            f"{where}: a key must be {KEY_BYTES} bytes in base64. Create one with: openssl rand -base64 32"
        )
    return key


def _create_key_file(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f"{path.name}.{secrets.token_hex(4)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(b64encode(os.urandom(KEY_BYTES)) + b"\n")
        file.flush()
        os.fsync(file.fileno())
    try:
        # Two processes may start at once: the first one creates the key, the other one uses it.
        os.link(draft, path)
    except FileExistsError:
        pass
    finally:
        draft.unlink()


def _compute_key_id(key: bytes) -> bytes:
    return sha256(b"socialgate key id" + key).digest()[:KEY_ID_BYTES]
