"""What becomes of a message that an account sent: it is delivered and read, or it fails, at once or later.

Each step has its time, so the state of a message is a function of the clock. Tests choose the fate of the next messages
with the verb `sending`.
"""

from collections.abc import Iterable
from typing import Literal, TypeAlias

import msgspec

from socialgate_sandbox.kit import ActionRequest, Thing, World

State: TypeAlias = Literal["sent", "delivered", "read", "played", "failed"]
# A later state hides the ones before it.
_RANKS: tuple[State, ...] = ("sent", "delivered", "read", "played", "failed")


class Step(msgspec.Struct, frozen=True):
    """A state that is reached at a time, 0 if it was reached at once: no clock that is moved back changes that."""

    state: State
    at: float = 0.0


def step(world: World, state: State, after: float = 0.0) -> Step:
    return Step(state, world.clock.time() + after if after else 0.0)


def state_at(world: World, steps: Iterable[Step]) -> State | None:
    """Return the state that has been reached. A step that is reported later has not happened yet."""
    now = world.clock.time()
    reached = {step.state for step in steps if step.at <= now}
    return next((state for state in reversed(_RANKS) if state in reached), None)


class Fate(Thing):
    """What happens to the next messages of an account (the id); `times` is how many."""

    failure: int = 0
    title: str = ""
    at_once: bool = False
    silent: bool = False
    times: int = 0


class Sending(ActionRequest, frozen=True, kw_only=True):
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


class Reported(ActionRequest, frozen=True, kw_only=True):
    """Report a state of a message again, or out of order."""

    message: str
    status: State


def choose_fate(world: World, account: str, order: Sending) -> None:
    times = order.times if order.failure or order.silent else 0
    chosen = {name: getattr(order, name) for name in ("failure", "title", "at_once", "silent")}
    world.store.put(Fate(id=account, times=times, **chosen))


def next_fate(world: World, account: str) -> Fate:
    """Return what was chosen for the message that is being sent; by default all goes well."""
    found = world.store.get(Fate, account)
    if found is None or found.times == 0:
        return Fate(id=account, at_once=found.at_once if found is not None else False)
    found.times -= 1
    return world.store.put(found)
