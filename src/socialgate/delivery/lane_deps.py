"""What every lane of an engine shares."""

from collections.abc import Callable
from datetime import datetime

import msgspec

from socialgate.core.clock import Clock
from socialgate.core.metrics import Metrics
from socialgate.core.secrets import Keyring
from socialgate.delivery.headroom import Headroom
from socialgate.delivery.plan import Schedule
from socialgate.delivery.recorder import Recorder
from socialgate.delivery.send import Sender
from socialgate.delivery.store import LaneStore


class LaneDeps(msgspec.Struct, frozen=True, kw_only=True):
    """What every lane of an engine shares."""

    store: LaneStore
    recorder: Recorder
    sender: Sender
    keyring: Keyring
    clock: Clock
    metrics: Metrics
    schedule: Schedule
    headroom: Headroom
    # Called with the time at which a delivery of the hook is due again.
    due_again: Callable[[str, datetime], None]
