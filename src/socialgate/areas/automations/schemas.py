"""Requests and responses of automations.

Areas define which triggers, conditions and actions exist (`contracts/automations.py`). Here they are open objects,
which the service decodes by their `type` and the documentation shows as unions.
"""

from datetime import datetime
from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, UnsetType, field

from socialgate.areas.automations.tables import RunStatus
from socialgate.core.fields import CreatedAt, ProfileIdField, UpdatedAt
from socialgate.web.pagination import ListQuery
from socialgate.web.schemas import RequestBody, ResponseModel, build_open_union_annotation

MAX_CONDITIONS = 20
MAX_ACTIONS = 20

_EXAMPLE_AUTOMATION_ID = "auto_01h455vb4pex5vsknk084sn02q"
_EXAMPLE_PROFILE_ID = "prf_01h455vb4pex5vsknk084sn02q"
_EXAMPLE_ACCOUNT_ID = "acc_01h455vb4pex5vsknk084sn02q"
_EXAMPLE_RUN_ID = "run_01h455vb4pex5vsknk084sn02q"
_EXAMPLE_TIME = "2026-11-15T09:30:00Z"
_COOLDOWN_DESCRIPTION = "For this many seconds after a run, the same contact does not trigger another."

AutomationName = Annotated[
    str, Meta(min_length=1, max_length=100, description="Shown in lists, and in the `automation.triggered` event.")
]
Cooldown = Annotated[int, Meta(ge=0, le=31_536_000, description=_COOLDOWN_DESCRIPTION)]
Trigger = Annotated[
    dict[str, Any], build_open_union_annotation("AutomationTrigger", "The trigger: a `type` with its options.")
]
Condition = Annotated[dict[str, Any], build_open_union_annotation("AutomationCondition", "A `type` with its options.")]
Action = Annotated[dict[str, Any], build_open_union_annotation("AutomationAction", "A `type` with its options.")]
Conditions = Annotated[list[Condition], Meta(max_length=MAX_CONDITIONS, description="All of them must be true.")]
Actions = Annotated[list[Action], Meta(min_length=1, max_length=MAX_ACTIONS, description="The actions, in order.")]

_EXAMPLE_TRIGGER = {"type": "comment.received", "accountIds": [_EXAMPLE_ACCOUNT_ID]}
_EXAMPLE_CONDITIONS = [{"type": "keyword", "any": ["price", "how much"], "match": "fuzzy"}]
_EXAMPLE_ACTIONS = [
    {"type": "reply", "text": "We sent you a message, {{contact.name|there}}."},
    {"type": "sendMessage", "text": "Our price list: https://bakery.example/prices"},
]


class NewAutomation(RequestBody, frozen=True, kw_only=True):
    """An automation to create."""

    profile_id: Annotated[str, Meta(max_length=40, description="The profile whose accounts it applies to.")]
    name: AutomationName
    trigger: Trigger
    actions: Actions
    conditions: Conditions = field(default_factory=list)
    cooldown: Cooldown = 0
    active: bool = True
    """Whether it runs. False keeps it without running it; runs in progress end."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "profileId": _EXAMPLE_PROFILE_ID,
            "name": "Price list on comment",
            "trigger": _EXAMPLE_TRIGGER,
            "conditions": _EXAMPLE_CONDITIONS,
            "actions": _EXAMPLE_ACTIONS,
            "cooldown": 3600,
        }


class AutomationChanges(RequestBody, frozen=True, kw_only=True):
    """What to change. Omitted fields stay as they are; lists are replaced as a whole."""

    name: AutomationName | UnsetType = UNSET
    trigger: Trigger | UnsetType = UNSET
    conditions: Conditions | UnsetType = UNSET
    actions: Actions | UnsetType = UNSET
    cooldown: Cooldown | UnsetType = UNSET
    active: bool | UnsetType = UNSET
    """Whether it runs. False keeps it without running it; runs in progress end."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"active": False}


class AutomationsQuery(ListQuery, frozen=True, kw_only=True):
    """Which automations to list."""

    profile_id: Annotated[str, Meta(max_length=40, description="Only automations of this profile.")] | None = None
    active: Annotated[bool, Meta(description="Only active ones (true) or only disabled ones (false).")] | None = None


class RunsQuery(ListQuery, frozen=True, kw_only=True):
    """Which runs to list."""

    status: Annotated[RunStatus, Meta(description="Only runs with this status.")] | None = None


class AutomationStats(ResponseModel, frozen=True, kw_only=True):
    """How often it ran. Runs that were held back are not counted."""

    runs: int
    """How many runs there were. Those that were held back are not counted."""
    failures: int
    """How many of them failed."""
    last_run_at: datetime | None
    """When the last one started. Null if there was none."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"runs": 42, "failures": 1, "lastRunAt": _EXAMPLE_TIME}


class Automation(ResponseModel, frozen=True, kw_only=True):
    """An automatic reaction to a trigger. `nextAt` is when a schedule runs next."""

    id: str
    """The id, `auto_…`."""
    profile_id: ProfileIdField
    name: str
    """Shown in lists, and in the `automation.triggered` event."""
    active: bool
    """Whether it runs."""
    trigger: Trigger
    conditions: list[Condition]
    """All of them must be true for it to run."""
    actions: list[Action]
    """The actions, in the order in which they run."""
    cooldown: int
    """For this many seconds after a run, the same contact does not trigger another."""
    stats: AutomationStats
    """How often it ran."""
    next_at: datetime | None
    """When a schedule runs next. Null for other triggers, and while it is not active."""
    created_at: CreatedAt
    updated_at: UpdatedAt

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "id": _EXAMPLE_AUTOMATION_ID,
            "profileId": _EXAMPLE_PROFILE_ID,
            "name": "Price list on comment",
            "active": True,
            "trigger": _EXAMPLE_TRIGGER,
            "conditions": _EXAMPLE_CONDITIONS,
            "actions": _EXAMPLE_ACTIONS,
            "cooldown": 3600,
            "stats": AutomationStats.example(),
            "nextAt": None,
            "createdAt": _EXAMPLE_TIME,
            "updatedAt": _EXAMPLE_TIME,
        }


class RunError(ResponseModel, frozen=True, kw_only=True):
    """Why a step, and with it the run, failed."""

    code: str
    """The code of the error, as in a problem."""
    detail: str
    """What went wrong and how to fix it, for people to read."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"code": "window_closed", "detail": "The person's last message is too old."}


class RunStep(ResponseModel, frozen=True, kw_only=True):
    """The result of one action. `detail` has the ids of what it created, or until when it waits.

    `unconfirmed` means that it may have taken effect, and is not repeated automatically; `skipped` is a wait that ended
    early, together with its run.
    """

    action: str
    """The `type` of the action."""
    status: Literal["done", "waiting", "skipped", "failed", "unconfirmed"]
    """The result; `unconfirmed` means that it may have taken effect."""
    at: datetime
    """When it ended, or began to wait."""
    detail: dict[str, Any]
    """The ids of what it created, such as `messageId`, or until when it waits."""
    error: RunError | None
    """Why it failed. Null otherwise."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "action": "reply",
            "status": "done",
            "at": _EXAMPLE_TIME,
            "detail": {"commentId": "17900000000000001"},
            "error": None,
        }


class AutomationRun(ResponseModel, frozen=True, kw_only=True):
    """One run: what triggered it, and its steps so far. `reason` says why it was skipped."""

    id: str
    """The id, `run_…`."""
    automation_id: str
    """The automation, `auto_…`."""
    account_id: str
    """The account on which it was triggered."""
    contact_id: str | None
    """The platform's id of the person who triggered it. Null if nobody did, as for a schedule."""
    status: RunStatus
    """`running` also while it waits; `skipped` if it was held back, or its automation was disabled or deleted."""
    trigger: dict[str, Any]
    """What happened: the `type` of the trigger, and what it is about, such as the contact, the text and ids."""
    steps: list[RunStep]
    """The actions that were run, in order."""
    reason: str | None
    """Why it was skipped, for people to read. Null otherwise."""
    error: RunError | None
    """Why it failed. Null otherwise."""
    created_at: datetime
    """When it was triggered."""
    finished_at: datetime | None
    """When it ended. Null while it is running or waiting."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "id": _EXAMPLE_RUN_ID,
            "automationId": _EXAMPLE_AUTOMATION_ID,
            "accountId": _EXAMPLE_ACCOUNT_ID,
            "contactId": "6512",
            "status": "done",
            "trigger": {"type": "comment.received", "text": "Price?", "commentId": "17900000000000000"},
            "steps": [RunStep.example()],
            "reason": None,
            "error": None,
            "createdAt": _EXAMPLE_TIME,
            "finishedAt": _EXAMPLE_TIME,
        }


class SampleContact(RequestBody, frozen=True, kw_only=True):
    """The contact of the sample."""

    id: Annotated[str, Meta(min_length=1, max_length=300)] = "sample"
    """The platform's id of the person."""
    name: Annotated[str, Meta(max_length=300)] | None = None
    """The display name, for `{{contact.name}}`."""
    username: Annotated[str, Meta(max_length=300)] | None = None
    """The handle, for `{{contact.username}}`."""
    phone: Annotated[str, Meta(max_length=30)] | None = None
    """The phone number in E.164 format, for `{{contact.phone}}`."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"name": "Ana Souza", "username": "ana.souza"}


_FIELDS_DESCRIPTION = "Other fields of the trigger, by their dotted names."


class SampleEvent(RequestBody, frozen=True, kw_only=True):
    """A sample event. Without an account, the first account of the trigger is used."""

    account_id: Annotated[str, Meta(max_length=40)] | None = None
    """The account on which it happens, `acc_…`."""
    text: Annotated[str, Meta(max_length=65_536)] = ""
    """The text of the message or comment."""
    contact: SampleContact = SampleContact()
    """The person who triggers it."""
    at: Annotated[datetime, Meta(tz=True, description="When it happens. Unset: now.")] | None = None
    fields: Annotated[
        dict[str, str | int | float | bool | None], Meta(max_length=50, description=_FIELDS_DESCRIPTION)
    ] = field(default_factory=dict)

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"text": "What is the prise?", "contact": SampleContact.example()}


class DryRunBody(RequestBody, frozen=True, kw_only=True):
    """The sample to try an automation with."""

    sample: SampleEvent
    """What would happen on the platform."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"sample": SampleEvent.example()}


class CheckedCondition(ResponseModel, frozen=True, kw_only=True):
    """Whether one condition is true for the sample."""

    type: str
    """The `type` of the condition."""
    holds: bool
    """Whether it is true."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"type": "keyword", "holds": True}


class PlannedStep(ResponseModel, frozen=True, kw_only=True):
    """What one action would do, with its texts filled in. `at` is when, counted from the sample. `detail` is what the
    action adds, such as what a model would be asked.
    """

    action: Action
    """The action, with its placeholders filled in."""
    would_run: bool
    """Whether it would run; false for actions after a `stop`."""
    at: datetime | None
    """When it would run. Null if it would not."""
    detail: dict[str, Any]
    """What the action adds, such as the messages that an AI model would get."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "action": {"type": "reply", "text": "We sent you a message, Ana Souza."},
            "wouldRun": True,
            "at": _EXAMPLE_TIME,
            "detail": {},
        }


class DryRunResult(ResponseModel, frozen=True, kw_only=True):
    """What would happen. `heldBack` says why nothing would, although the conditions are true, such as a cooldown.
    `triggerReason` says why the trigger does not accept the sample.
    """

    would_run: bool
    """Whether the automation would run."""
    trigger_accepts: bool
    """Whether the trigger accepts the sample."""
    trigger_reason: str | None
    """Why it does not. Null if it does."""
    conditions: list[CheckedCondition]
    """Each condition, in order."""
    held_back: str | None
    """Why nothing would happen although the conditions are true, such as a cooldown. Null otherwise."""
    steps: list[PlannedStep]
    """Each action, in order."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {
            "wouldRun": True,
            "triggerAccepts": True,
            "triggerReason": None,
            "conditions": [CheckedCondition.example()],
            "heldBack": None,
            "steps": [PlannedStep.example()],
        }
