"""Leads: the forms that people fill in, and their answers."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any, Protocol, TypeAlias

import msgspec
from msgspec import Meta

from socialgate.contracts.account_connection import AccountCredentials
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.operations import NotFoundYet
from socialgate.contracts.platforms import Capability, Kind
from socialgate.contracts.publishing import Inconclusive, SafeToRetry
from socialgate.contracts.webhooks import AffectedAccounts, PlatformFact
from socialgate.core.errors import Fault
from socialgate.core.facts import FactAbout
from socialgate.core.shapes import EMPTY_TUPLE_FIELD, UNREPORTED_FIELD, ResponseModel, StoredValue

FORM, ACCOUNT, AT = "1201234567890", "acc_01h455vb4pex5vsknk084sn02q", "2026-11-15T09:30:00Z"
QUESTION_TYPE_DESCRIPTION = (
    "`text`, `choice` (one of `options`), or what is asked for: `full_name`, `first_name`, `last_name`, `email`, "
    "`phone`, `city`, `state`, `zip`, `country`, `street_address`, `date_of_birth`, `gender`, `company_name`, "
    "`job_title`, `work_email`, `work_phone_number` and other types of the platform, in lower case."
)
# Types of custom questions: a choice of `options`, and free text.
CHOICE, TEXT = "choice", "text"


class LeadOption(ResponseModel, StoredValue, frozen=True, kw_only=True):
    """An answer to choose from. People see the `label`; the lead contains the `key`."""

    key: str
    """What a lead contains if it was chosen."""
    label: str
    """What people see."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"key": "small", "label": "Up to 10 people"}


class LeadQuestion(ResponseModel, StoredValue, frozen=True, kw_only=True):
    """A question of a form. `key` is the key of the answer in the `fields` of a lead."""

    key: str
    """The key of the answer in the `fields` of a lead."""
    label: str
    """The question as people see it."""
    type: Annotated[str, Meta(description=QUESTION_TYPE_DESCRIPTION)]
    options: tuple[LeadOption, ...] = EMPTY_TUPLE_FIELD
    """The answers to choose from. Empty for other types."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"key": "how_many", "label": "For how many?", "type": "choice", "options": [LeadOption.example()]}


class LeadThankYou(ResponseModel, StoredValue, frozen=True, kw_only=True):
    """What people see after submitting the form."""

    title: str | None = UNREPORTED_FIELD
    """The heading. Null if there is none."""
    body: str | None = UNREPORTED_FIELD
    """The text. Null if there is none."""
    button_text: str | None = UNREPORTED_FIELD
    """What the button says. Null if there is none."""
    url: str | None = UNREPORTED_FIELD
    """What the button opens. Null if there is none."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "title": "Thank you",
            "body": "We will call you tomorrow.",
            "buttonText": "See our cakes",
            "url": "https://bakery.example.com/cakes",
        }


class LeadForm(ResponseModel, frozen=True, kw_only=True):
    """A lead form. Fields that the platform does not provide are null; lists may omit the questions."""

    id: str
    """The platform's own id."""
    account_id: str = msgspec.field(default_factory=str)
    """The account or ad account that it belongs to."""
    name: str | None = UNREPORTED_FIELD
    """The name, which only you see. Null if the platform does not report it."""
    status: str | None = UNREPORTED_FIELD
    """The platform's own status, such as `ACTIVE`. Null if it does not report one."""
    locale: str | None = UNREPORTED_FIELD
    """The language, such as `pt_BR`. Null if the platform does not report it."""
    questions: tuple[LeadQuestion, ...] = EMPTY_TUPLE_FIELD
    """The questions, in order. Lists may omit them."""
    privacy_policy_url: str | None = UNREPORTED_FIELD
    """The URL of your privacy policy. Null if the platform does not report it."""
    thank_you: LeadThankYou | None = UNREPORTED_FIELD
    """What people see after submitting it. Null if the platform does not report it."""
    lead_count: int | None = UNREPORTED_FIELD
    """How many leads the platform has counted. Null if it does not report it."""
    created_at: datetime | None = UNREPORTED_FIELD
    """When it was created. Null if the platform does not report it."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "id": FORM,
            "accountId": ACCOUNT,
            "name": "Order a cake",
            "status": "active",
            "locale": "en_US",
            "questions": [LeadQuestion.example()],
            "privacyPolicyUrl": "https://bakery.example.com/privacy",
            "thankYou": LeadThankYou.example(),
            "leadCount": 12,
            "createdAt": AT,
        }


class LeadFormPage(msgspec.Struct, frozen=True, kw_only=True):
    items: Sequence[LeadForm]
    cursor: str | None


class NewForm(msgspec.Struct, frozen=True, kw_only=True):
    name: str
    questions: tuple[LeadQuestion, ...]
    privacy_policy_url: str
    locale: str | None = None
    privacy_policy_text: str | None = None
    follow_up_url: str | None = None
    thank_you: LeadThankYou | None = None
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


class LeadBatch(msgspec.Struct, frozen=True, kw_only=True):
    """One step of a sweep: what was found, and where to continue; None at the end.

    `items` may be read lazily from a large file, so iterate over it in a thread. `wait` is how many seconds to wait for
    a platform that is preparing its response.
    """

    items: Iterable[LeadItem]
    checkpoint: Mapping[str, Any] | None = msgspec.field(name="place")
    wait: float = 0.0


class LeadAdapter(Protocol):
    """`can_read_within_request` says that leads can be read within a request. Otherwise the platform needs minutes for
    a list.
    """

    can_read_within_request: bool

    async def list_forms(self, credentials: AccountCredentials, limit: int, cursor: str | None) -> LeadFormPage:
        """List the forms of an account, newest first. The cursor is the platform's own."""

    async def fetch_form(self, credentials: AccountCredentials, form_id: str) -> LeadForm:
        """Read one form with its questions. PlatformNotFound if the account has none with this id."""

    def build_question(self, key: str, /) -> LeadQuestion | None:
        """Return the question that a key of an answer is, where keys are the questions themselves.

        None if only the form knows.
        """

    async def fetch_country(self, credentials: AccountCredentials) -> str | None:
        """Read the country of an account: its ISO code or its English name, None if the platform does not say."""

    async def fetch_lead(self, credentials: AccountCredentials, lead_id: str) -> LeadItem:
        """Read one lead of which the platform sent only the id."""

    async def read_lead_batch(
        self, credentials: AccountCredentials, since: datetime, place: Mapping[str, Any] | None
    ) -> LeadBatch:
        """Read the leads of all forms since a time, step by step: `place` is where the last step ended."""


LookupResult: TypeAlias = LeadForm | SafeToRetry | NotFoundYet | Inconclusive


class LeadFormAdapter(Protocol):
    """Creating forms, on platforms with an API for it."""

    def validate_new_object(self, new: NewForm) -> Sequence[Fault]:
        """Report everything that the platform would reject, with pointers into the request."""

    async def create(self, credentials: AccountCredentials, new: NewForm) -> LeadForm:
        """Create it, with a single call."""

    async def look_up_result(self, credentials: AccountCredentials, new: NewForm) -> LookupResult:
        """Look up the result of a `create` whose response was lost."""


class LeadReported(PlatformFact, frozen=True, kw_only=True):
    """The platform reports that somebody submitted a form of an account. `lead` is None if it must be fetched."""

    kind: Kind
    account: str
    lead_id: str
    lead: LeadItem | None = None

    @property
    def affected_accounts(self) -> AffectedAccounts:
        return AffectedAccounts(accounts=((self.kind, self.account),))


class LeadStored(msgspec.Struct, FactAbout[AccountRow], frozen=True, kw_only=True):
    """A lead was stored and reported. Sent with the row of its account."""

    lead_id: str
    lead: LeadItem


LEADS_CAPABILITY: Capability[LeadAdapter] = Capability("readLeads")
LEAD_FORMS_CAPABILITY: Capability[LeadFormAdapter] = Capability("createLeadForm")
