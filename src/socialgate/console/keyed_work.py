"""Work whose form has a key: what it starts on a platform is not started again if the form is sent twice."""

from hashlib import sha256
from typing import Any

from socialgate.console.forms import KEY_FIELD, FormData
from socialgate.console.visit import Visit
from socialgate.core.db import Tx
from socialgate.core.unit_of_work import UnitOfWork
from socialgate.web.form_keys import is_form_key


class FormRecorder:
    """Names a request by the key of its form, so that operations find what they have done. It stores no response:
    pages answer with a redirect.
    """

    def __init__(self, request_key: str) -> None:
        self.request_key = request_key
        self.recorded = False

    async def record(self, tx: Tx, answer: Any, status: int | None) -> None:
        del tx, answer, status


def open_keyed_work(visit: Visit, form: FormData, purpose: str) -> UnitOfWork:
    """Return the work of the visit, named by the key of the form. `purpose` tells several operations of one apart."""
    key = form.value(KEY_FIELD)
    if not is_form_key(key):
        return visit.work
    name = f"{visit.owner_id} {visit.caller.credential_id} {visit.path} {purpose} {key}"
    return UnitOfWork(visit.work.db, visit.caller, FormRecorder(sha256(name.encode()).hexdigest()))
