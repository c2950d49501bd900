"""What happens to a post after its call: it is processed for a while, and then it is ready or has failed.

Nothing runs in the background: `stage` computes the state from the clock. People and tests choose the fate of the next
posts of an account.
"""

from datetime import datetime, timedelta
from typing import Literal

from socialgate_sandbox.kit import StoredObject, VendorContext, generate_hex

ProcessingStage = Literal["waiting", "processing", "failed", "ready"]


class PostFate(StoredObject):
    """What happens to the next posts of an account, its parent: `failure` is the platform's word for how they end.

    `seconds` is how long processing takes, if not as long as usual.
    """

    seconds: float | None = None
    failure: str = ""
    times: int = 1


def set_post_fate(
    context: VendorContext,
    account: str,
    failure: str,
    *,
    seconds: float | None = None,
    times: int = 1,
    replace_earlier: bool = False,
) -> None:
    """Choose the fate of the next posts, after those whose fate was chosen before, or `replace_earlier` ones."""
    if replace_earlier:
        context.store.delete_all(PostFate, parent=account)
    if times > 0:
        key = generate_hex(16)
        context.store.put(PostFate(id=key, parent=account, seconds=seconds, failure=failure, times=times))


def take_post_fate(context: VendorContext, account: str) -> PostFate:
    """Use up one time of the next fate. Without one, a post succeeds after the usual time."""
    fate = next(iter(context.store.find(PostFate, parent=account, limit=1)), None)
    if fate is None:
        return PostFate(id="")
    fate.times -= 1
    if fate.times > 0:
        context.store.put(fate)
    else:
        context.store.delete(PostFate, fate.id)
    return fate


def start_processing(context: VendorContext, account: str, default_seconds: float) -> tuple[datetime, str]:
    """Return when a post received now will be ready, and the failure with which it will have ended by then."""
    fate = take_post_fate(context, account)
    return context.clock.now() + timedelta(
        seconds=default_seconds if fate.seconds is None else fate.seconds
    ), fate.failure


def compute_stage(context: VendorContext, ready_at: datetime | None, failure: str = "") -> ProcessingStage:
    """Return the state of something that is processed until `ready_at`, and then ends with a failure if there is one.

    It is waiting for its bytes as long as it has no such time.
    """
    if ready_at is None:
        return "waiting"
    if ready_at > context.clock.now():
        return "processing"
    return "failed" if failure else "ready"
