"""What is kept of an attempt that goes wrong in a way that nobody foresaw."""

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime

from socialgate.core.addresses import IpAddress
from socialgate.core.clock import SystemClock
from socialgate.core.egress import EgressClient, allow_any_address
from socialgate.delivery.retry_policy import AttemptFailed
from socialgate.delivery.sender import DeliverySender
from socialgate.delivery.signing import HookSigner
from socialgate.delivery.store import DueDelivery

JOB = DueDelivery("dlv_1", "evt_1", "lead.received", b"{}", datetime.now(UTC), 2, None, "prf_1")


def test_a_fault_of_our_own_ends_the_attempt_and_is_on_record() -> None:
    async def resolve(_host: str) -> Sequence[IpAddress]:
        raise RuntimeError("The resolver is broken.")

    door = EgressClient(policy=allow_any_address, resolver=resolve, user_agent="Test")
    sender = DeliverySender(door, SystemClock(), deadline=5)
    attempted = asyncio.run(
        sender.attempt_delivery("https://hooks.example.test/", HookSigner(["a secret of sixteen"]), JOB)
    )
    assert attempted.outcome == AttemptFailed("internal_error")
    record = attempted.record
    assert (record.number, record.error, record.status_code, record.response_body) == (3, "internal_error", None, None)
    assert record.at <= attempted.ended_at
