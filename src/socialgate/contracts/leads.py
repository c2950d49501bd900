"""Leads: the forms that people fill in, and their answers."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Protocol, TypeAlias

import msgspec

from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.connecting import AccountCredentials
from socialgate.contracts.inbound import Concern, Fact
from socialgate.contracts.operations import NotSeen
from socialgate.contracts.platforms import Capability, Kind
from socialgate.contracts.publishing import CannotTell, NotThere
from socialgate.core.errors import Fault
from socialgate.core.facts import FactAbout

# Types of custom questions: a choice of `options`, and free text.
CHOICE, TEXT = "choice", "text"


class Option(msgspec.Struct, frozen=True, kw_only=True):
    """An answer to choose from. People see the `label`; the lead contains the `key`."""

    key: str
    label: str


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """`key` is the key of the answer in a lead. `type` is `text`, `choice`, or what is asked for, such as `email`."""

    key: str
    label: str
    type: str
    options: tuple[Option, ...] = ()


class ThankYou(msgspec.Struct, frozen=True, kw_only=True):
    """What people see after submitting the form."""

    title: str | None = None
    body: str | None = None
    button_text: str | None = None
    url: str | None = None


class FormItem(msgspec.Struct, frozen=True, kw_only=True):
    """A form. Fields that the platform does not provide are None; a list may omit the questions."""

    id: str
    name: str | None = None
    status: str | None = None
    locale: str | None = None
    questions: tuple[Question, ...] = ()
    privacy_policy_url: str | None = None
    thank_you: ThankYou | None = None
    lead_count: int | None = None
    created_at: datetime | None = None


class FormPage(msgspec.Struct, frozen=True, kw_only=True):
    items: Sequence[FormItem]
    cursor: str | None


class NewForm(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    questions: tuple[Question, ...]
    privacy_policy_url: str
    locale: str | None = None
    privacy_policy_text: str | None = None
    follow_up_url: str | None = None
    thank_you: ThankYou | None = None
    # When it was requested: an older form was not created by this request.
    asked_at: datetime


class LeadItem(msgspec.Struct, frozen=True, kw_only=True):
    """The answers of one person, by the keys of the questions."""

    id: str
    form_id: str
    created_at: datetime
    fields: Mapping[str, str]
    form_name: str | None = None
    ad_id: str | None = None
    campaign_id: str | None = None
    test: bool = False


class Swept(msgspec.Struct, frozen=True, kw_only=True):
    """One step of a sweep: what was found, and where to continue; None at the end.

    `items` may be read lazily from a large file, so iterate over it in a thread. `wait` is how many seconds to wait for
    a platform that is preparing its response.
    """

    items: Iterable[LeadItem]
    place: Mapping[str, Any] | None
    wait: float = 0.0


class Leads(Protocol):
    """`is_live` says that leads can be read within a request. Otherwise the platform needs minutes for a list."""

    is_live: bool

    async def forms(self, held: AccountCredentials, limit: int, cursor: str | None) -> FormPage:
        """List the forms of an account, newest first. The cursor is the platform's own."""

    async def form(self, held: AccountCredentials, form_id: str) -> FormItem:
        """Read one form with its questions. PlatformNotFound if the account has none with this id."""

    def named(self, key: str, /) -> Question | None:
        """Return the question that a key of an answer is, where keys are the questions themselves.

        None if only the form knows.
        """

    async def country(self, held: AccountCredentials) -> str | None:
        """Read the country of an account: its ISO code or its English name, None if the platform does not say."""

    async def fetch(self, held: AccountCredentials, lead_id: str) -> LeadItem:
        """Read one lead of which the platform sent only the id."""

    async def sweep(self, held: AccountCredentials, since: datetime, place: Mapping[str, Any] | None) -> Swept:
        """Read the leads of all forms since a time, step by step: `place` is where the last step ended."""


Looked: TypeAlias = FormItem | NotThere | NotSeen | CannotTell


class LeadForms(Protocol):
    """Creating forms, on platforms with an API for it."""

    def faults(self, new: NewForm) -> Sequence[Fault]:
        """Report everything that the platform would reject, with pointers into the request."""

    async def create(self, held: AccountCredentials, new: NewForm) -> FormItem:
        """Create it, with a single call."""

    async def look(self, held: AccountCredentials, new: NewForm) -> Looked:
        """Look up the result of a `create` whose response was lost."""


class LeadReported(Fact, frozen=True, kw_only=True):
    """The platform reports that somebody submitted a form of an account. `lead` is None if it must be fetched."""

    kind: Kind
    account: str
    lead_id: str
    lead: LeadItem | None = None

    @property
    def concern(self) -> Concern:
        return Concern(accounts=((self.kind, self.account),))


class LeadArrived(msgspec.Struct, FactAbout[AccountRow], frozen=True, kw_only=True):
    """A lead was stored and reported. Sent with the row of its account."""

    lead_id: str
    lead: LeadItem


LEADS: Capability[Leads] = Capability("readLeads")
LEAD_FORMS: Capability[LeadForms] = Capability("createLeadForm")
