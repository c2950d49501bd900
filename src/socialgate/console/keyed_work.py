"""Work whose form has a key: what it starts on a platform is not started again if the form is sent twice."""

from collections.abc import Awaitable, Callable
from hashlib import sha256
from typing import Any, TypeVar

import msgspec

from socialgate.console.forms import KEY_FIELD, FormData
from socialgate.console.visit import Visit
from socialgate.core.caller import Caller
from socialgate.core.db import Tx
from socialgate.core.unit_of_work import UnitOfWork
from socialgate.web.form_keys import find_form_response, is_form_key, record_form_response

V = TypeVar("V", bound=msgspec.Struct)


class FormRecorder:
    """Stores the result of a form under its key. Operations name what they do by it, so that they find it again."""

    def __init__(self, caller: Caller, path: str, key: str) -> None:
        self._caller = caller
        self._path = path
        self._key = key
        self.recorded = False

    @property
    def request_key(self) -> str:
        name = f"form {self._caller.owner_id} {self._caller.credential_id} {self._path} {self._key}"
        return sha256(name.encode()).hexdigest()

    async def record(self, tx: Tx, answer: Any, status: int | None) -> None:
        del status
        await record_form_response(tx, self._caller, self._path, self._key, msgspec.json.encode(answer))


async def run_once(
    visit: Visit,
    form: FormData,
    purpose: str,
    response_type: type[V],
    run: Callable[[UnitOfWork], Awaitable[V]],
) -> V:
    """Do what a form asks for, or return the result if the same form has done it before.

    `purpose` says what is created and where, so that a key stands for one object only.
    """
    key = form.value(KEY_FIELD)
    if not is_form_key(key):
        return await run(visit.work)
    path = f"{visit.path} {purpose}"
    stored = await visit.work.read(find_form_response, visit.caller, path, key)
    if stored is not None:
        return msgspec.json.decode(stored, type=response_type)
    return await run(UnitOfWork(visit.work.db, visit.caller, FormRecorder(visit.caller, path, key)))
