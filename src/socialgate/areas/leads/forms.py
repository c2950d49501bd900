"""The questions of lead forms, remembered so that answers can be named and typed.

A form is read from its platform when the first of its leads arrives, and again when a lead answers a question that was
not there before. A form that cannot be read never holds back a lead.
"""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Protocol

import msgspec
import structlog

from socialgate.areas.accounts.reading import LiveReads, Read
from socialgate.areas.accounts.session import AccountSession
from socialgate.areas.leads import store
from socialgate.areas.leads.answers import answers_of
from socialgate.areas.leads.tables import FormRow
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.failures import (
    NotSupported,
    PermissionMissing,
    PlatformFailure,
    PlatformNotFound,
    Rejected,
)
from socialgate.contracts.leads import LEADS, TEXT, LeadForm, LeadQuestion, Leads
from socialgate.core.db import Database, Tx
from socialgate.core.lead_answers import LeadAnswer

LACKS = "has no lead forms"
_LONGEST_NAME = 300
# A lead waits no longer than this for the questions of its form.
_PATIENCE_SECONDS = 5.0
_AT_ONCE = 10
# What the platform will say again if it is asked again soon, and what it may not.
_DEFINITE = (PlatformNotFound, Rejected, PermissionMissing, NotSupported)
_AFTER_DEFINITE = timedelta(hours=1)
_AFTER_TEMPORARY = timedelta(minutes=1)

log = structlog.get_logger(__name__)


class Submission(Protocol):
    """A lead, stored or just read from its platform."""

    @property
    def form_id(self) -> str: ...

    @property
    def fields(self) -> Mapping[str, str]: ...


class Asked:
    """What is known about the questions of some forms of an account."""

    def __init__(self, part: Leads, forms: Iterable[FormRow]) -> None:
        self._part = part
        self._forms = {row.form_id: row for row in forms}
        self._questions = {row.form_id: {one.key: one for one in _questions(row)} for row in self._forms.values()}

    def answers(self, lead: Submission) -> list[LeadAnswer]:
        known = self._questions.get(lead.form_id, {})
        found = {key: known.get(key) or self._part.named(key) for key in lead.fields}
        return answers_of(lead.fields, {key: one for key, one in found.items() if one is not None})

    def name_of(self, form_id: str) -> str | None:
        row = self._forms.get(form_id)
        return None if row is None else row.name

    def unknown(self, leads: Iterable[Submission]) -> dict[str, set[str]]:
        """List the forms with questions that are not known yet, and their keys."""
        unknown: dict[str, set[str]] = {}
        for lead in leads:
            known = self._questions.get(lead.form_id, {})
            keys = {key for key in lead.fields if key not in known and self._part.named(key) is None}
            if keys and lead.form_id:
                unknown.setdefault(lead.form_id, set()).update(keys)
        return unknown

    def with_unknown(self, form_id: str, keys: Iterable[str]) -> list[LeadQuestion]:
        """Return the questions of a form, and one without a label for each key that it may turn out not to ask for.

        Without these, an answer that no question belongs to would cause the form to be read with every lead.
        """
        return [
            *(LeadQuestion(key=key, label="", type=TEXT) for key in sorted(keys)),
            *self._questions.get(form_id, {}).values(),
        ]

    def may_read(self, form_id: str, now: datetime) -> bool:
        row = self._forms.get(form_id)
        return row is None or row.read_again_at is None or row.read_again_at <= now


class FormBook:
    def __init__(self, db: Database, session: AccountSession, reads: LiveReads) -> None:
        self._db = db
        self._session = session
        self._reads = reads

    async def stored(self, tx: Tx, account: AccountRow, leads: Iterable[Submission]) -> Asked:
        """Return what is stored about the forms of some leads, without asking the platform."""
        part = self._session.part(account, LEADS, LACKS)
        ids = sorted({lead.form_id for lead in leads})
        return Asked(part, await store.forms(tx, account.owner_id, account.id, ids))

    async def learn(self, account: AccountRow, leads: Sequence[Submission]) -> Asked:
        """Return what is known about the forms of some leads, after reading from the platform what is not."""
        asked = await self._db.read(self.stored, account, leads)
        now = self._db.clock.now()
        unknown = {form_id: keys for form_id, keys in asked.unknown(leads).items() if asked.may_read(form_id, now)}
        if not unknown:
            return asked
        await self._read_all(account, {form_id: asked.with_unknown(form_id, keys) for form_id, keys in unknown.items()})
        return await self._db.read(self.stored, account, leads)

    async def keep(
        self, tx: Tx, account: AccountRow, form: LeadForm, known_before: Iterable[LeadQuestion] = ()
    ) -> None:
        """Store a form that was read. Leads still contain answers to questions that it no longer has."""
        asked = {one.key: one for one in (*known_before, *form.questions)}
        values = {
            "name": None if form.name is None else form.name[:_LONGEST_NAME],
            "questions": msgspec.to_builtins(list(asked.values())),
            "read_again_at": None,
            "updated_at": tx.now,
        }
        await store.save_form(tx, account.owner_id, account.id, form.id, values)

    async def read(self, account: AccountRow, form_id: str) -> LeadForm:
        read = Read(
            name="lead-form",
            params=(form_id,),
            capability=LEADS,
            lacks=LACKS,
            call=lambda part, held: part.form(held, form_id),
        )
        return (await self._reads.read(account, read)).value

    async def _read_all(self, account: AccountRow, known_before: Mapping[str, Sequence[LeadQuestion]]) -> None:
        """Read forms, some at a time. While the platform is failing, the rest is left for the next lead."""
        ids = sorted(known_before)
        for start in range(0, len(ids), _AT_ONCE):
            some = ids[start : start + _AT_ONCE]
            found = await asyncio.gather(*(self._try(account, form_id) for form_id in some))
            await self._db.write(self._settle, account, dict(zip(some, found, strict=True)), known_before)
            if _AFTER_TEMPORARY in found:
                break

    async def _try(self, account: AccountRow, form_id: str) -> LeadForm | timedelta:
        """Read a form; if that fails, return for how long not to try again."""
        try:
            async with asyncio.timeout(_PATIENCE_SECONDS):
                return await self.read(account, form_id)
        except TimeoutError:
            return _AFTER_TEMPORARY
        except PlatformFailure as failure:
            log.info("lead_form_not_read", account=account.id, platform=account.platform, detail=failure.detail)
            return _AFTER_DEFINITE if isinstance(failure, _DEFINITE) else _AFTER_TEMPORARY

    async def _settle(
        self,
        tx: Tx,
        account: AccountRow,
        found: Mapping[str, LeadForm | timedelta],
        known_before: Mapping[str, Sequence[LeadQuestion]],
    ) -> None:
        for form_id, result in found.items():
            if isinstance(result, LeadForm):
                await self.keep(tx, account, result, known_before[form_id])
            else:
                await store.postpone_form(tx, account.owner_id, account.id, form_id, tx.now + result)


def _questions(row: FormRow) -> list[LeadQuestion]:
    return msgspec.convert(row.questions, list[LeadQuestion])
