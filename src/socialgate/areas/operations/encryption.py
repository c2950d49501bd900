"""What the rows of operations hold encrypted: the request while its outcome is open, and a response that waits."""

from typing import TypeVar

import msgspec

from socialgate.areas.operations.tables import REQUEST_SEALING_PURPOSE, RESPONSE_SEALING_PURPOSE, OperationRow
from socialgate.core.encryption import Keyring
from socialgate.core.stored_forms import decode_stored, encode_stored

T = TypeVar("T")


class OperationCipher:
    def __init__(self, keyring: Keyring) -> None:
        self._keyring = keyring

    def encrypt_request(self, owner_id: str, operation_id: str, request: msgspec.Struct) -> bytes:
        purpose = REQUEST_SEALING_PURPOSE.build_purpose(owner_id=owner_id, id=operation_id)
        return self._keyring.seal(encode_stored(request).decode(), purpose)

    def encrypt_response(self, row: OperationRow, answer: msgspec.Struct) -> bytes:
        purpose = RESPONSE_SEALING_PURPOSE.build_purpose(owner_id=row.owner_id, id=row.id)
        return self._keyring.seal(msgspec.json.encode(answer).decode(), purpose)

    def decrypt_request(self, row: OperationRow, kind: type[T]) -> T:
        assert row.sealed is not None, "only what is not known yet is asked about"
        opened = self._keyring.unseal(
            row.sealed, REQUEST_SEALING_PURPOSE.build_purpose(owner_id=row.owner_id, id=row.id)
        )
        return decode_stored(opened, kind)

    def decrypt_response(self, row: OperationRow, kind: type[T]) -> T:
        assert row.answer is not None, "only an answer that was kept is given again"
        opened = self._keyring.unseal(
            row.answer, RESPONSE_SEALING_PURPOSE.build_purpose(owner_id=row.owner_id, id=row.id)
        )
        return msgspec.json.decode(opened, type=kind)
