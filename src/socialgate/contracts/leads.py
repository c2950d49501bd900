"""Leads: the forms that people fill in, and what they answered."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Protocol, TypeAlias

import msgspec

from socialgate.contracts.connecting import AccountCredentials
from socialgate.contracts.inbound import Concern, Fact
from socialgate.contracts.operations import NotSeen
from socialgate.contracts.platforms import Capability, Kind
from socialgate.contracts.publishing import CannotTell, NotThere
from socialgate.core.errors import Fault

# Types of questions that are the form's own: a choice among `options`, and any text.
CHOICE, TEXT = "choice", "text"


class Option(msgspec.Struct, frozen=True, kw_only=True):
    """One answer to choose. A lead has the `key`; people see the `label`."""

    key: str
    label: str


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """`key` names the answer in a lead. `type` is `text`, `choice`, or what is asked, such as `email`."""

    key: str
    label: str
    type: str
    options: tuple[Option, ...] = ()


class ThankYou(msgspec.Struct, frozen=True, kw_only=True):
    """What people see once they have sent the form."""

    title: str | None = None
    body: str | None = None
    button_text: str | None = None
    url: str | None = None


class FormItem(msgspec.Struct, frozen=True, kw_only=True):
    """A form. What the platform does not tell is None; a list may leave out the questions."""

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
    # When it was asked for: what is older than this was not made by this request.
    asked_at: datetime


class LeadItem(msgspec.Struct, frozen=True, kw_only=True):
    """What one person answered, by the keys of the questions."""

    id: str
    form_id: str
    created_at: datetime
    fields: Mapping[str, str]
    form_name: str | None = None
    ad_id: str | None = None
    campaign_id: str | None = None
    test: bool = False


class Swept(msgspec.Struct, frozen=True, kw_only=True):
    """One step of reading leads back: what was found, and where to go on; None at the end.

    `items` may be read from a large file as they are asked for, which is work for a thread. `wait` is how many seconds
    to give to a platform that prepares its answer.
    """

    items: Iterable[LeadItem]
    place: Mapping[str, Any] | None
    wait: float = 0.0


class Leads(Protocol):
    """`is_live` tells that leads can be read within a request. Elsewhere the platform needs minutes for a list."""

    is_live: bool

    async def forms(self, held: AccountCredentials, limit: int, cursor: str | None) -> FormPage:
        """List the forms of an account, newest first. The cursor is the platform's own."""

    async def form(self, held: AccountCredentials, form_id: str) -> FormItem:
        """Read one form with its questions. PlatformNotFound where the account has none with this id."""

    async def fetch(self, held: AccountCredentials, lead_id: str) -> LeadItem:
        """Read one lead of which the platform has told nothing but the id."""

    async def sweep(self, held: AccountCredentials, since: datetime, place: Mapping[str, Any] | None) -> Swept:
        """Read leads of all forms since a moment, step by step: `place` is where the last step ended."""


Looked: TypeAlias = FormItem | NotThere | NotSeen | CannotTell


class LeadForms(Protocol):
    """Making forms, where a platform lets programs do that."""

    def faults(self, new: NewForm) -> Sequence[Fault]:
        """Name what the platform would refuse, all at once, with pointers into the request."""

    async def create(self, held: AccountCredentials, new: NewForm) -> FormItem:
        """Make it, by one call."""

    async def look(self, held: AccountCredentials, new: NewForm) -> Looked:
        """Find out by reading what became of a `create` whose answer was lost."""


class LeadReported(Fact, frozen=True, kw_only=True):
    """The platform says that somebody filled in a form of an account. `lead` is None where it has to be fetched."""

    kind: Kind
    account: str
    lead_id: str
    lead: LeadItem | None = None

    @property
    def concern(self) -> Concern:
        return Concern(accounts=((self.kind, self.account),))


class LeadArrived(msgspec.Struct, frozen=True, kw_only=True):
    """A lead was written down and reported. Told with the row of its account."""

    lead_id: str
    lead: LeadItem


LEADS: Capability[Leads] = Capability("readLeads")
LEAD_FORMS: Capability[LeadForms] = Capability("createLeadForm")
