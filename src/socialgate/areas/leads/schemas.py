from datetime import datetime
from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, UnsetType

from socialgate.areas.accounts.live_reads import LiveQuery
from socialgate.areas.leads.tables import LeadStateName
from socialgate.contracts.leads import ACCOUNT, AT, FORM, QUESTION_TYPE_DESCRIPTION, LeadThankYou
from socialgate.core.fields import UpdatedAt
from socialgate.core.lead_answers import LeadAnswer
from socialgate.web.pagination import ListQuery
from socialgate.web.schemas import NonBlankText, QueryParameters, RequestBody, ResponseModel

_EXAMPLE_LEAD_ID = "lead_01h455vb4pex5vsknk084sn02q"
_EXAMPLE_ETAG = '"6604d4e241600"'
_ANSWER_KEY_DESCRIPTION = "The key of the answer in a lead. Default: derived from the type or the label."

ShortText = Annotated[NonBlankText, Meta(max_length=300)]
HttpUrl = Annotated[str, Meta(max_length=2048, pattern="^https?://[^ ]+$")]
AnswerKey = Annotated[
    str, Meta(min_length=1, max_length=100, pattern="^[A-Za-z0-9_]+$", description=_ANSWER_KEY_DESCRIPTION)
]
Note = Annotated[str, Meta(max_length=2000, description="A note for your team.")]
Assignee = Annotated[str, Meta(max_length=200, description="Who is responsible for it; any text.")]


class LeadFormsQuery(LiveQuery, frozen=True, kw_only=True):
    """Which page of the list of forms."""


class LeadsQuery(ListQuery, frozen=True, kw_only=True):
    """Which leads to list."""

    form: Annotated[str, Meta(min_length=1, max_length=300, description="Only leads of this form.")] | None = None
    since: Annotated[datetime, Meta(tz=True, description="Only leads submitted since then.")] | None = None
    state: LeadStateName | None = None
    """Only leads in this state."""


class SimulatedLeadQuery(QueryParameters, frozen=True, kw_only=True):
    """Where the simulated person lives."""

    country: (
        Annotated[
            str,
            Meta(
                pattern="^[A-Z]{2}$",
                description="US, GB, DE, FR or SE. Default: the country of the account, otherwise that of the form's "
                "language, otherwise US.",
            ),
        ]
        | None
    ) = None

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"country": "DE"}


class NewLeadOption(RequestBody, frozen=True, kw_only=True):
    """An answer to choose from."""

    label: ShortText
    """What people see."""
    key: AnswerKey | None = None

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"key": "small", "label": "Up to 10 people"}


class NewLeadQuestion(RequestBody, frozen=True, kw_only=True):
    """A question. `text` and `choice` need a `label`; for other types the platform has its own wording."""

    type: Annotated[str, Meta(min_length=1, max_length=40, pattern="^[a-z_]+$", description=QUESTION_TYPE_DESCRIPTION)]
    key: AnswerKey | None = None
    label: ShortText | None = None
    """The question as people see it. Required for `text` and `choice`."""
    options: Annotated[list[NewLeadOption], Meta(max_length=100)] = msgspec.field(default_factory=list)
    """The answers to choose from. Required for `choice`."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"type": "choice", "key": "how_many", "label": "For how many?", "options": [NewLeadOption.example()]}


class NewLeadThankYouPage(RequestBody, frozen=True, kw_only=True):
    """What people see after submitting the form. The button opens `url`."""

    title: ShortText
    """The heading."""
    body: Annotated[str, Meta(max_length=2000)] | None = None
    """The text below it."""
    button_text: ShortText | None = None
    """What the button says."""
    url: HttpUrl | None = None
    """The page that the button opens."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return LeadThankYou.example()


class NewLeadForm(RequestBody, frozen=True, kw_only=True):
    """A form to create. It cannot be changed afterwards."""

    name: ShortText
    """The name, which only you see. It must be unique on the Page."""
    questions: Annotated[list[NewLeadQuestion], Meta(min_length=1, max_length=50)]
    """The questions, in order."""
    privacy_policy_url: HttpUrl
    """The URL of your privacy policy. Platforms require one."""
    privacy_policy_text: Annotated[NonBlankText, Meta(max_length=70)] | None = None
    """The text of the link to your privacy policy."""
    locale: (
        Annotated[str, Meta(pattern="^[a-z]{2}_[A-Z]{2}$", description="The language of the form, such as `pt_BR`.")]
        | None
    ) = None
    follow_up_url: HttpUrl | None = None
    """The page that opens after submitting, if there is no `thankYou` with a `url`."""
    thank_you: NewLeadThankYouPage | None = None
    """What people see after submitting it. By default the platform's own page."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "name": "Order a cake",
            "questions": [{"type": "full_name"}, {"type": "email"}, NewLeadQuestion.example()],
            "privacyPolicyUrl": "https://bakery.example.com/privacy",
            "thankYou": NewLeadThankYouPage.example(),
        }


class Lead(ResponseModel, frozen=True, kw_only=True):
    """The answers of one person. `test` marks a lead from the simulator or from the platform's own testing tool.

    `fields` maps the keys of the questions to the answers as the platform sent them. `answers` are the same answers,
    named and typed with the questions of the form.

    `createdAt` is when the person submitted it, `receivedAt` when Socialgate received it. `state`, `assignee` and
    `note` are your own: the platform does not know them. Send `etag` as `If-Match` when you change them.
    """

    id: str
    """Our id, `lead_…`."""
    platform_lead_id: str
    """The platform's own id."""
    account_id: str
    """The account or ad account whose form was submitted."""
    form_id: str
    """The platform's id of the form."""
    form_name: str | None
    """The name of the form. Null if it is unknown."""
    ad_id: str | None
    """The platform's id of the ad that led to the form. Null if there is none."""
    campaign_id: str | None
    """The platform's id of the campaign of that ad. Null if there is none."""
    fields: dict[str, str]
    """The answers as the platform sent them, by the keys of the questions."""
    answers: list[LeadAnswer]
    """The same answers, with their questions and typed values."""
    state: LeadStateName
    """How far your team has come with it."""
    assignee: str | None
    """Who is responsible for it. Null if nobody is."""
    note: str | None
    """A note of your team. Null if there is none."""
    test: bool
    """Whether it comes from the simulator or from the platform's testing tool."""
    created_at: datetime
    """When the person submitted the form."""
    received_at: datetime
    """When this service received it."""
    etag: str
    """The version of its state. Send it as `If-Match` with a change."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "id": _EXAMPLE_LEAD_ID,
            "platformLeadId": "55459717045641545",
            "accountId": ACCOUNT,
            "formId": FORM,
            "formName": "Order a cake",
            "adId": "238500000001",
            "campaignId": "238500000002",
            "fields": {"full_name": "Ana Torres", "how_many": "small"},
            "answers": [
                {
                    "key": "full_name",
                    "label": "Full name",
                    "type": "full_name",
                    "value": "Ana Torres",
                    "valueLabel": None,
                },
                LeadAnswer.example(),
            ],
            "state": "new",
            "assignee": None,
            "note": None,
            "test": False,
            "createdAt": AT,
            "receivedAt": "2026-11-15T09:30:02Z",
            "etag": _EXAMPLE_ETAG,
        }

    @classmethod
    def simulated_example(cls) -> dict[str, Any]:
        """Return the example of a lead from the simulator: it is a test, and no ad led to it."""
        return {
            **cls.example(),
            "platformLeadId": f"test_{_EXAMPLE_LEAD_ID}",
            "adId": None,
            "campaignId": None,
            "test": True,
            "receivedAt": AT,
        }


class LeadStateHistoryEntry(ResponseModel, frozen=True, kw_only=True):
    """A change: when, by which credential, and between which states."""

    at: datetime
    """When it was changed."""
    by: str
    """The credential that changed it: an API key, a session or an automation."""
    from_: LeadStateName = msgspec.field(name="from")
    """The state before."""
    to: LeadStateName
    """The state after."""
    note: str | None
    """The note after the change. Null if there was none."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        by = "key_01h455vb4pex5vsknk084sn02q"
        return {"at": AT, "by": by, "from": "new", "to": "contacted", "note": "Called, wants a quote"}


class LeadState(ResponseModel, frozen=True, kw_only=True):
    """Your team's progress with a lead. `history` contains the last 100 changes, oldest first.

    Send `etag` as `If-Match` with the next change.
    """

    lead_id: str
    """The lead, `lead_…`."""
    state: LeadStateName
    """How far your team has come with it."""
    assignee: str | None
    """Who is responsible for it. Null if nobody is."""
    note: str | None
    """A note of your team. Null if there is none."""
    history: list[LeadStateHistoryEntry]
    """The last 100 changes, oldest first."""
    updated_at: UpdatedAt
    etag: str
    """The version. Send it as `If-Match` with the next change."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "leadId": _EXAMPLE_LEAD_ID,
            "state": "contacted",
            "assignee": "Bram",
            "note": "Called, wants a quote",
            "history": [LeadStateHistoryEntry.example()],
            "updatedAt": AT,
            "etag": _EXAMPLE_ETAG,
        }


class LeadStateChanges(RequestBody, frozen=True, kw_only=True):
    """The changes. Omitted fields keep their values."""

    state: LeadStateName | UnsetType = UNSET
    """The new state. A lead can go from any state to any other."""
    assignee: Assignee | UnsetType | None = UNSET
    note: Note | UnsetType | None = UNSET

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"state": "contacted", "assignee": "Bram", "note": "Called, wants a quote"}
