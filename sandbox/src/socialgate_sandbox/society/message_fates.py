"""What becomes of a message that an account sent: it is delivered and read, or it fails, at once or later.

Each step has its time, so the state of a message is a function of the clock. Tests choose the fate of the next messages
with the verb `sending`.
"""

from collections.abc import Iterable
from typing import Literal, TypeAlias

import msgspec

from socialgate_sandbox.kit import ActionRequest, StoredObject, VendorContext

DeliveryState: TypeAlias = Literal["sent", "delivered", "read", "played", "failed"]
# A later state hides the ones before it.
_STATE_ORDER: tuple[DeliveryState, ...] = ("sent", "delivered", "read", "played", "failed")


class DeliveryStep(msgspec.Struct, frozen=True):
    """A state that is reached at a time, 0 if it was reached at once: no clock that is moved back changes that."""

    state: DeliveryState
    at: float = 0.0


def build_step(context: VendorContext, state: DeliveryState, delay_seconds: float = 0.0) -> DeliveryStep:
    return DeliveryStep(state, context.clock.get_unix_time() + delay_seconds if delay_seconds else 0.0)


def compute_state(context: VendorContext, steps: Iterable[DeliveryStep]) -> DeliveryState | None:
    """Return the state that has been reached. A step that is reported later has not happened yet."""
    now = context.clock.get_unix_time()
    reached = {step.state for step in steps if step.at <= now}
    return next((state for state in reversed(_STATE_ORDER) if state in reached), None)


class Fate(StoredObject):
    """What happens to the next messages of an account (the id); `times` is how many."""

    failure: int = 0
    title: str = ""
    at_once: bool = False
    silent: bool = False
    times: int = 0


class SetFateRequest(ActionRequest, frozen=True, kw_only=True):
    """Set what happens to the next messages of an account.

    `failure` is a code of the platform, reported later or `atOnce`. `silent` suppresses all reports. With `atOnce`
    alone, messages that cannot be delivered are rejected immediately from now on.
    """

    account: str
    failure: int = 0
    title: str = ""
    at_once: bool = False
    silent: bool = False
    times: int = 1


class ReportStateRequest(ActionRequest, frozen=True, kw_only=True):
    """Report a state of a message again, or out of order."""

    message: str
    status: DeliveryState


def set_message_fate(context: VendorContext, account: str, request: SetFateRequest) -> None:
    times = request.times if request.failure or request.silent else 0
    chosen = {name: getattr(request, name) for name in ("failure", "title", "at_once", "silent")}
    context.store.put(Fate(id=account, times=times, **chosen))


def take_message_fate(context: VendorContext, account: str) -> Fate:
    """Return what was chosen for the message that is being sent; by default all goes well."""
    fate = context.store.get(Fate, account)
    if fate is None or fate.times == 0:
        return Fate(id=account, at_once=fate.at_once if fate is not None else False)
    fate.times -= 1
    return context.store.put(fate)
