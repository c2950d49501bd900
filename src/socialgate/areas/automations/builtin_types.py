"""The general types for automations: schedules, hooks, waiting and stopping."""

from datetime import datetime, timedelta
from typing import Annotated, Any, Literal
from zoneinfo import ZoneInfo

import msgspec
from msgspec import Meta

from socialgate.areas.hooks.deliveries import DeliveryService
from socialgate.areas.hooks.schemas import DeliveryQueued
from socialgate.areas.posts.queue_schemas import ClockTime, Weekday
from socialgate.areas.posts.slot_times import WEEKDAYS, iterate_occurrences
from socialgate.contracts.automations import ActionStep, ActionType, AutomationOptions, TriggerOptions, TriggerType
from socialgate.core.caller import Caller
from socialgate.core.errors import Fault
from socialgate.core.unit_of_work import UnitOfWork

_EXAMPLE_ACCOUNT_ID = "acc_01h455vb4pex5vsknk084sn02q"
_WAIT_UNIT_DURATIONS = {"minutes": timedelta(minutes=1), "hours": timedelta(hours=1), "days": timedelta(days=1)}
MAX_WAIT = timedelta(days=30)


class ScheduleTrigger(TriggerOptions, frozen=True, kw_only=True, tag="schedule"):
    """At these times of day in the profile's time zone, on these days: one run for each account.

    If times were missed while the service was down, it runs once when the service is back.
    """

    account_ids: Annotated[list[Annotated[str, Meta(max_length=40)]], Meta(min_length=1, max_length=50)]
    """The accounts to run on, `acc_…`: one run for each."""
    times: Annotated[list[ClockTime], Meta(min_length=1, max_length=24)]
    """Times of day in the profile's time zone, such as `09:30`."""
    weekdays: Annotated[list[Weekday], Meta(max_length=7, description="The days of the week. Empty: every day.")] = (
        msgspec.field(default_factory=list)
    )

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"type": "schedule", "accountIds": [_EXAMPLE_ACCOUNT_ID], "times": ["09:00"], "weekdays": ["monday"]}

    def next_after(self, moment: datetime, timezone: str) -> datetime:
        days = [WEEKDAYS.index(day) for day in self.weekdays] or range(7)
        zone = ZoneInfo(timezone)
        return min(next(iterate_occurrences(day, clock, zone, moment)) for day in days for clock in self.times)


class CallHookAction(AutomationOptions, frozen=True, kw_only=True, tag="callHook"):
    """Send the `automation.triggered` event of this run to one of your hooks, even if the hook does not list it."""

    hook_id: Annotated[str, Meta(max_length=40)]
    """The hook to send it to, `hook_…`."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"type": "callHook", "hookId": "hook_01h455vb4pex5vsknk084sn02q"}


class WaitAction(AutomationOptions, frozen=True, kw_only=True, tag="wait"):
    """Continue later: after one minute to 30 days. Waits survive restarts."""

    amount: Annotated[int, Meta(ge=1, le=43_200)]
    """How long to wait, in `unit`. At most 30 days in total."""
    unit: Literal["minutes", "hours", "days"] = "minutes"
    """What `amount` counts."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"type": "wait", "amount": 2, "unit": "days"}

    @property
    def length(self) -> timedelta:
        return self.amount * _WAIT_UNIT_DURATIONS[self.unit]


class StopAction(AutomationOptions, frozen=True, kw_only=True, tag="stop"):
    """End the run here. The actions after it do not run."""

    @classmethod
    def example(cls) -> dict[str, Any]:
        return {"type": "stop"}


class CallHookPerformer:
    """Sends runs to hooks, the same way events are resent: signed, retried, and shown with the hook."""

    def __init__(self, deliveries: DeliveryService) -> None:
        self._deliveries = deliveries

    async def execute(self, work: UnitOfWork, step: ActionStep[CallHookAction]) -> DeliveryQueued:
        assert step.event_id is not None, "a run that has steps was reported"
        # The automation's creator had access to the hook; a hook may cover more profiles than this one.
        caller = Caller(owner_id=work.caller.owner_id, credential_id=work.caller.credential_id)
        return await work.write(self._deliveries.send_event, caller, step.options.hook_id, step.event_id)


SCHEDULE_TRIGGER = TriggerType(
    options=ScheduleTrigger,
    subject_type="time",
    fields={"account.id": "The account.", "schedule.at": "The scheduled time."},
)
BUILTIN_ACTION_TYPES = (
    ActionType(
        options=CallHookAction,
        handler=CallHookPerformer,
        summarize_outcome=lambda queued: {"deliveryId": queued.delivery_id},
    ),
    ActionType(options=WaitAction, faults=lambda options, _: _validate_wait(options)),
    ActionType(options=StopAction),
)


def _validate_wait(options: WaitAction) -> list[Fault]:
    if options.length <= MAX_WAIT:
        return []
    return [Fault("/amount", "out_of_range", f"A run can wait at most {MAX_WAIT.days} days at a time.")]
