from datetime import datetime
from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, UnsetType

from socialgate.areas.accounts.reading import LiveQuery
from socialgate.areas.leads.tables import State
from socialgate.web.paging import ListQuery
from socialgate.web.schema import Body, Query, View

_ACCOUNT = "acc_01h455vb4pex5vsknk084sn02q"
_LEAD = "lead_01h455vb4pex5vsknk084sn02q"
_FORM = "1201234567890"
_AT = "2026-11-15T09:30:00Z"
_TYPE = (
    "`text`, `choice` (among `options`), or what is asked: `full_name`, `first_name`, `last_name`, `email`, `phone`, "
    "`city`, `state`, `zip`, `country`, `street_address`, `date_of_birth`, `gender`, `company_name`, `job_title`, "
    "`work_email`, `work_phone_number` and others of the platform, in lower case."
)
_KEY = "The name of the answer in a lead. Left out: made from the type or the label."

Short = Annotated[str, Meta(min_length=1, max_length=300)]
Address = Annotated[str, Meta(max_length=2048, pattern="^https?://[^ ]+$")]
Key = Annotated[str, Meta(min_length=1, max_length=100, pattern="^[A-Za-z0-9_]+$", description=_KEY)]
Note = Annotated[str, Meta(max_length=2000, description="What your people should know.")]
Assignee = Annotated[str, Meta(max_length=200, description="Who takes care of it, in your own words.")]


class LeadFormsQuery(LiveQuery, frozen=True, kw_only=True):
    """Which part of the list of forms."""


class LeadsQuery(ListQuery, frozen=True, kw_only=True):
    """Which leads to list."""

    form: Annotated[str, Meta(min_length=1, max_length=300, description="Only those of this form.")] | None = None
    since: Annotated[datetime, Meta(tz=True, description="Only those that were sent since then.")] | None = None
    state: State | None = None


class SimulatedLeadQuery(Query, frozen=True, kw_only=True):
    """Where the person of a simulated lead lives."""

    country: (
        Annotated[
            str, Meta(pattern="^[A-Z]{2}$", description="US, GB, DE, FR or SE. Left out: the country of the account.")
        ]
        | None
    ) = None

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"country": "DE"}


class LeadOption(View, frozen=True, kw_only=True):
    """One answer to choose. A lead has the `key`, people see the `label`."""

    key: str
    label: str

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"key": "small", "label": "Up to 10 people"}


class LeadQuestion(View, frozen=True, kw_only=True):
    """What a form asks. `key` is the name of the answer in `fields` of a lead."""

    key: str
    label: str
    type: Annotated[str, Meta(description=_TYPE)]
    options: list[LeadOption]

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"key": "how_many", "label": "For how many?", "type": "choice", "options": [LeadOption.example()]}


class LeadThankYou(View, frozen=True, kw_only=True):
    """What people see once they have sent the form."""

    title: str | None
    body: str | None
    button_text: str | None
    url: str | None

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "title": "Thank you",
            "body": "We call you tomorrow.",
            "buttonText": "See our cakes",
            "url": "https://bakery.example.com/cakes",
        }


class LeadForm(View, frozen=True, kw_only=True):
    """A lead form. What the platform does not tell is null; a list may come without the questions."""

    id: str
    account_id: str
    name: str | None
    status: str | None
    locale: str | None
    questions: list[LeadQuestion]
    privacy_policy_url: str | None
    thank_you: LeadThankYou | None
    lead_count: int | None
    created_at: datetime | None

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "id": _FORM,
            "accountId": _ACCOUNT,
            "name": "Order a cake",
            "status": "active",
            "locale": "en_US",
            "questions": [LeadQuestion.example()],
            "privacyPolicyUrl": "https://bakery.example.com/privacy",
            "thankYou": LeadThankYou.example(),
            "leadCount": 12,
            "createdAt": _AT,
        }


class NewLeadOption(Body, frozen=True, kw_only=True):
    """One answer to choose."""

    label: Short
    key: Key | None = None

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"key": "small", "label": "Up to 10 people"}


class NewLeadQuestion(Body, frozen=True, kw_only=True):
    """A question. `text` and `choice` need a `label`; for the others the platform has its own words."""

    type: Annotated[str, Meta(min_length=1, max_length=40, pattern="^[a-z_]+$", description=_TYPE)]
    key: Key | None = None
    label: Short | None = None
    options: Annotated[list[NewLeadOption], Meta(max_length=100)] = msgspec.field(default_factory=list)

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"type": "choice", "key": "how_many", "label": "For how many?", "options": [NewLeadOption.example()]}


class NewLeadThankYou(Body, frozen=True, kw_only=True):
    """What people see once they have sent the form. `url` is where the button goes."""

    title: Short
    body: Annotated[str, Meta(max_length=2000)] | None = None
    button_text: Short | None = None
    url: Address | None = None

    @classmethod
    def example(cls) -> dict[str, Any]:
        return LeadThankYou.example()


class NewLeadForm(Body, frozen=True, kw_only=True):
    """A form to create. Platforms let nothing of it be changed afterwards."""

    name: Short
    questions: Annotated[list[NewLeadQuestion], Meta(min_length=1, max_length=50)]
    privacy_policy_url: Address
    privacy_policy_text: Annotated[str, Meta(min_length=1, max_length=70)] | None = None
    locale: Annotated[str, Meta(pattern="^[a-z]{2}_[A-Z]{2}$", description="Such as `pt_BR`.")] | None = None
    follow_up_url: Address | None = None
    thank_you: NewLeadThankYou | None = None

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "name": "Order a cake",
            "questions": [{"type": "full_name"}, {"type": "email"}, NewLeadQuestion.example()],
            "privacyPolicyUrl": "https://bakery.example.com/privacy",
            "thankYou": NewLeadThankYou.example(),
        }


class Lead(View, frozen=True, kw_only=True):
    """What one person answered. `test` marks a lead of the simulator, or of the platform's own testing tool.

    `createdAt` is when the person sent it, `receivedAt` when it arrived here. `state`, `assignee` and `note` are yours:
    the platform does not know them.
    """

    id: str
    platform_lead_id: str
    account_id: str
    form_id: str
    form_name: str | None
    ad_id: str | None
    campaign_id: str | None
    fields: dict[str, str]
    state: State
    assignee: str | None
    note: str | None
    test: bool
    created_at: datetime
    received_at: datetime

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "id": _LEAD,
            "platformLeadId": "55459717045641545",
            "accountId": _ACCOUNT,
            "formId": _FORM,
            "formName": "Order a cake",
            "adId": "238500000001",
            "campaignId": "238500000002",
            "fields": {"full_name": "Ana Torres", "email": "ana@example.com", "how_many": "small"},
            "state": "new",
            "assignee": None,
            "note": None,
            "test": False,
            "createdAt": _AT,
            "receivedAt": "2026-11-15T09:30:02Z",
        }


class LeadStateChange(View, frozen=True, kw_only=True):
    """One change: when, by which credential, and from which state to which."""

    at: datetime
    by: str
    from_: State = msgspec.field(name="from")
    to: State
    note: str | None

    @classmethod
    def example(cls) -> dict[str, Any]:
        by = "key_01h455vb4pex5vsknk084sn02q"
        return {"at": _AT, "by": by, "from": "new", "to": "contacted", "note": "Called, wants an offer"}


class LeadState(View, frozen=True, kw_only=True):
    """How far your people are with a lead. `history` has the last 100 changes, oldest first."""

    lead_id: str
    state: State
    assignee: str | None
    note: str | None
    history: list[LeadStateChange]
    updated_at: datetime

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "leadId": _LEAD,
            "state": "contacted",
            "assignee": "Bram",
            "note": "Called, wants an offer",
            "history": [LeadStateChange.example()],
            "updatedAt": _AT,
        }


class LeadStateChanges(Body, frozen=True, kw_only=True):
    """What to change. A field that is left out stays as it is."""

    state: State | UnsetType = UNSET
    assignee: Assignee | UnsetType | None = UNSET
    note: Note | UnsetType | None = UNSET

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"state": "contacted", "assignee": "Bram", "note": "Called, wants an offer"}
