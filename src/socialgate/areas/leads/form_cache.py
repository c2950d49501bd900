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

from socialgate.areas.accounts.live_reads import LiveRead, LiveReads
from socialgate.areas.accounts.session import AccountSession
from socialgate.areas.leads import store
from socialgate.areas.leads.answers import build_answers
from socialgate.areas.leads.tables import LeadFormRow
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.failures import (
    NotSupportedError,
    PermissionMissingError,
    PlatformFailure,
    PlatformNotFoundError,
    PlatformRejectedError,
)
from socialgate.contracts.leads import LEADS_CAPABILITY, TEXT, LeadAdapter, LeadForm, LeadQuestion
from socialgate.core.db import Database, Tx
from socialgate.core.lead_answers import LeadAnswer

NO_LEAD_FORMS_PHRASE = "has no lead forms"
_MAX_NAME_LENGTH = 300
# A lead waits no longer than this for the questions of its form.
_FETCH_TIMEOUT_SECONDS = 5.0
_MAX_CONCURRENT_FETCHES = 10
# What the platform will say again if it is asked again soon, and what it may not.
_PERMANENT_ERRORS = (PlatformNotFoundError, PlatformRejectedError, PermissionMissingError, NotSupportedError)
_PERMANENT_RETRY_DELAY = timedelta(hours=1)
_TEMPORARY_RETRY_DELAY = timedelta(minutes=1)

log = structlog.get_logger(__name__)


class LeadSubmission(Protocol):
    """A lead, stored or just read from its platform."""

    @property
    def form_id(self) -> str: ...

    @property
    def fields(self) -> Mapping[str, str]: ...


class FormQuestions:
    """What is known about the questions of some forms of an account."""

    def __init__(self, part: LeadAdapter, forms: Iterable[LeadFormRow]) -> None:
        self._part = part
        self._forms = {row.form_id: row for row in forms}
        self._questions = {
            row.form_id: {lead_question.key: lead_question for lead_question in _parse_questions(row)}
            for row in self._forms.values()
        }

    def build_lead_answers(self, lead: LeadSubmission) -> list[LeadAnswer]:
        known = self._questions.get(lead.form_id, {})
        result = {key: known.get(key) or self._part.build_question(key) for key in lead.fields}
        return build_answers(
            lead.fields, {key: lead_question for key, lead_question in result.items() if lead_question is not None}
        )

    def get_form_name(self, form_id: str) -> str | None:
        row = self._forms.get(form_id)
        return None if row is None else row.name

    def find_unknown_keys(self, leads: Iterable[LeadSubmission]) -> dict[str, set[str]]:
        """List the forms with questions that are not known yet, and their keys."""
        unknown: dict[str, set[str]] = {}
        for lead in leads:
            known = self._questions.get(lead.form_id, {})
            keys = {key for key in lead.fields if key not in known and self._part.build_question(key) is None}
            if keys and lead.form_id:
                unknown.setdefault(lead.form_id, set()).update(keys)
        return unknown

    def list_questions_with_placeholders(self, form_id: str, keys: Iterable[str]) -> list[LeadQuestion]:
        """Return the questions of a form, and one without a label for each key that it may turn out not to ask for.

        Without these, an answer that no question belongs to would cause the form to be read with every lead.
        """
        return [
            *(LeadQuestion(key=key, label="", type=TEXT) for key in sorted(keys)),
            *self._questions.get(form_id, {}).values(),
        ]

    def is_read_allowed(self, form_id: str, now: datetime) -> bool:
        row = self._forms.get(form_id)
        return row is None or row.read_again_at is None or row.read_again_at <= now


class LeadFormCache:
    def __init__(self, db: Database, session: AccountSession, reads: LiveReads) -> None:
        self._db = db
        self._session = session
        self._reads = reads

    async def load(self, tx: Tx, account: AccountRow, leads: Iterable[LeadSubmission]) -> FormQuestions:
        """Return what is stored about the forms of some leads, without asking the platform."""
        part = self._session.get_adapter(account, LEADS_CAPABILITY, NO_LEAD_FORMS_PHRASE)
        ids = sorted({lead.form_id for lead in leads})
        return FormQuestions(part, await store.list_forms(tx, account.owner_id, account.id, ids))

    async def load_or_fetch(self, account: AccountRow, leads: Sequence[LeadSubmission]) -> FormQuestions:
        """Return what is known about the forms of some leads, after reading from the platform what is not."""
        form_questions = await self._db.read(self.load, account, leads)
        now = self._db.clock.now()
        unknown = {
            form_id: keys
            for form_id, keys in form_questions.find_unknown_keys(leads).items()
            if form_questions.is_read_allowed(form_id, now)
        }
        if not unknown:
            return form_questions
        await self._fetch_forms(
            account,
            {
                form_id: form_questions.list_questions_with_placeholders(form_id, keys)
                for form_id, keys in unknown.items()
            },
        )
        return await self._db.read(self.load, account, leads)

    async def save_form(
        self, tx: Tx, account: AccountRow, form: LeadForm, known_before: Iterable[LeadQuestion] = ()
    ) -> None:
        """Store a form that was read. Leads still contain answers to questions that it no longer has."""
        form_questions = {lead_question.key: lead_question for lead_question in (*known_before, *form.questions)}
        values = {
            "name": None if form.name is None else form.name[:_MAX_NAME_LENGTH],
            "questions": msgspec.to_builtins(list(form_questions.values())),
            "read_again_at": None,
            "updated_at": tx.now,
        }
        await store.save_form(tx, account.owner_id, account.id, form.id, values)

    async def fetch_form(self, account: AccountRow, form_id: str) -> LeadForm:
        read = LiveRead(
            name="lead-form",
            params=(form_id,),
            capability=LEADS_CAPABILITY,
            unsupported_phrase=NO_LEAD_FORMS_PHRASE,
            call=lambda part, credentials: part.fetch_form(credentials, form_id),
        )
        return (await self._reads.read(account, read)).value

    async def _fetch_forms(self, account: AccountRow, known_before: Mapping[str, Sequence[LeadQuestion]]) -> None:
        """Read forms, some at a time. While the platform is failing, the rest is left for the next lead."""
        ids = sorted(known_before)
        for start in range(0, len(ids), _MAX_CONCURRENT_FETCHES):
            some = ids[start : start + _MAX_CONCURRENT_FETCHES]
            result = await asyncio.gather(*(self._try_fetch(account, form_id) for form_id in some))
            await self._db.write(self._save_results, account, dict(zip(some, result, strict=True)), known_before)
            if _TEMPORARY_RETRY_DELAY in result:
                break

    async def _try_fetch(self, account: AccountRow, form_id: str) -> LeadForm | timedelta:
        """Read a form; if that fails, return for how long not to try again."""
        try:
            async with asyncio.timeout(_FETCH_TIMEOUT_SECONDS):
                return await self.fetch_form(account, form_id)
        except TimeoutError:
            return _TEMPORARY_RETRY_DELAY
        except PlatformFailure as failure:
            log.info("lead_form_not_read", account=account.id, platform=account.platform, detail=failure.detail)
            return _PERMANENT_RETRY_DELAY if isinstance(failure, _PERMANENT_ERRORS) else _TEMPORARY_RETRY_DELAY

    async def _save_results(
        self,
        tx: Tx,
        account: AccountRow,
        match: Mapping[str, LeadForm | timedelta],
        known_before: Mapping[str, Sequence[LeadQuestion]],
    ) -> None:
        for form_id, result in match.items():
            if isinstance(result, LeadForm):
                await self.save_form(tx, account, result, known_before[form_id])
            else:
                await store.postpone_form_read(tx, account.owner_id, account.id, form_id, tx.now + result)


def _parse_questions(row: LeadFormRow) -> list[LeadQuestion]:
    return msgspec.convert(row.questions, list[LeadQuestion])
