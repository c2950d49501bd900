"""What the rows of operations hold encrypted: the request while its outcome is open, and a response that waits."""

from typing import TypeVar

import msgspec

from socialgate.areas.operations.tables import ANSWER, REQUEST, OperationRow
from socialgate.core.secrets import Keyring
from socialgate.core.stored_forms import decode_stored, encode_stored

T = TypeVar("T")


class Sealed:
    def __init__(self, keyring: Keyring) -> None:
        self._keyring = keyring

    def request(self, owner_id: str, operation_id: str, request: msgspec.Struct) -> bytes:
        purpose = REQUEST.of(owner_id=owner_id, id=operation_id)
        return self._keyring.seal(encode_stored(request).decode(), purpose)

    def answer(self, row: OperationRow, answer: msgspec.Struct) -> bytes:
        purpose = ANSWER.of(owner_id=row.owner_id, id=row.id)
        return self._keyring.seal(msgspec.json.encode(answer).decode(), purpose)

    def request_of(self, row: OperationRow, kind: type[T]) -> T:
        assert row.sealed is not None, "only what is not known yet is asked about"
        opened = self._keyring.open(row.sealed, REQUEST.of(owner_id=row.owner_id, id=row.id))
        return decode_stored(opened, kind)

    def answer_of(self, row: OperationRow, kind: type[T]) -> T:
        assert row.answer is not None, "only an answer that was kept is given again"
        opened = self._keyring.open(row.answer, ANSWER.of(owner_id=row.owner_id, id=row.id))
        return msgspec.json.decode(opened, type=kind)
