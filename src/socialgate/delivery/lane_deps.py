"""What every lane of an engine shares."""

from collections.abc import Callable
from datetime import datetime

import msgspec

from socialgate.core.clock import Clock
from socialgate.core.encryption import Keyring
from socialgate.core.metrics import Metrics
from socialgate.delivery.result_writer import ResultWriter
from socialgate.delivery.retry_policy import RetrySchedule
from socialgate.delivery.sender import DeliverySender
from socialgate.delivery.slowness import SlownessDetector
from socialgate.delivery.store import LaneStore
from socialgate.delivery.unrecorded import UnrecordedDeliveries


class LaneDeps(msgspec.Struct, frozen=True, kw_only=True):
    """What every lane of an engine shares."""

    store: LaneStore
    recorder: ResultWriter
    unrecorded: UnrecordedDeliveries
    sender: DeliverySender
    keyring: Keyring
    clock: Clock
    metrics: Metrics
    schedule: RetrySchedule
    headroom: SlownessDetector
    # Called with the time at which a delivery of the hook is due again.
    due_again: Callable[[str, datetime], None]
