"""What happens to a post after its call: it is processed for a while, and then it is ready or has failed.

Nothing runs in the background: `stage` computes the state from the clock. People and tests choose the fate of the next
posts of an account.
"""

from datetime import datetime, timedelta
from typing import Literal

from socialgate_sandbox.kit import Thing, World, hexadecimal

Stage = Literal["waiting", "processing", "failed", "ready"]


class PostFate(Thing):
    """What happens to the next posts of an account, its parent: `failure` is the platform's word for how they end.

    `seconds` is how long processing takes, if not as long as usual.
    """

    seconds: float | None = None
    failure: str = ""
    times: int = 1


def choose_fate(
    world: World, account: str, failure: str, *, seconds: float | None = None, times: int = 1, instead: bool = False
) -> None:
    """Choose the fate of the next posts, after those whose fate was chosen before, or `instead` of that."""
    if instead:
        world.store.clear(PostFate, parent=account)
    if times > 0:
        key = hexadecimal(16)
        world.store.put(PostFate(id=key, parent=account, seconds=seconds, failure=failure, times=times))


def next_fate(world: World, account: str) -> PostFate:
    """Use up one time of the next fate. Without one, a post succeeds after the usual time."""
    fate = next(iter(world.store.find(PostFate, parent=account, limit=1)), None)
    if fate is None:
        return PostFate(id="")
    fate.times -= 1
    if fate.times > 0:
        world.store.put(fate)
    else:
        world.store.delete(PostFate, fate.id)
    return fate


def processing(world: World, account: str, usual: float) -> tuple[datetime, str]:
    """Return when a post received now will be ready, and the failure with which it will have ended by then."""
    fate = next_fate(world, account)
    return world.clock.now() + timedelta(seconds=usual if fate.seconds is None else fate.seconds), fate.failure


def stage(world: World, ready: datetime | None, failure: str = "") -> Stage:
    """Return the state of something that is processed until `ready`, and then ends with a failure if there is one.

    It is waiting for its bytes as long as it has no such time.
    """
    if ready is None:
        return "waiting"
    if ready > world.clock.now():
        return "processing"
    return "failed" if failure else "ready"
