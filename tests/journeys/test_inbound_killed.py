"""A webhook of many messages while its process is killed: it goes on where it was, and doubles nothing."""

import hmac
import time
from collections import Counter
from datetime import timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest
import sqlalchemy as sa

from socialgate.areas.inbound.store import inbound
from socialgate.areas.inbound.worker import MAX_FACTS_OF_UNIT
from socialgate.areas.inbox.tables import messages
from socialgate.core.jobs.queue import DEFAULT_LEASE
from socialgate.core.outbox import events
from socialgate_sandbox.vendors import meta
from socialgate_sandbox.vendors.meta.seed import BAKERY
from support.crash_deployment import CrashDeployment, start_crash_deployment
from support.postgres import new_database
from support.seeded_vendors import connect_page
from support.waiting import eventually

pytestmark = pytest.mark.both_engines

SAID = 9 * MAX_FACTS_OF_UNIT + 7


def batch() -> bytes:
    now = int(time.time() * 1000)
    payload = [
        {
            "sender": {"id": str(7_000_000_000_000_000 + number % 3)},
            "recipient": {"id": BAKERY},
            "timestamp": now + number,
            "message": {"mid": f"m_{number}", "text": f"Hi {number}"},
        }
        for number in range(SAID)
    ]
    return msgspec.json.encode({"object": "page", "entry": [{"id": BAKERY, "time": now, "messaging": payload}]})


def send(stage: CrashDeployment, body: bytes) -> None:
    digest = hmac.digest(b"sandbox-meta-secret", body, "sha256").hex()
    headers = {"X-Hub-Signature-256": f"sha256={digest}"}
    assert stage.http.post("/webhooks/meta", content=body, headers=headers).status_code == 200


def of_webhook(stage: CrashDeployment) -> Any:
    """Find the webhook with the messages: it is the largest one."""
    statement = sa.select(inbound.c.id, inbound.c.position, inbound.c.due_at)
    return stage.read(statement.order_by(sa.func.length(inbound.c.request).desc()).limit(1))[0]


def test_a_webhook_is_processed_on_from_its_position(engine: str, tmp_path: Path, postgres_url: str) -> None:
    url = new_database(postgres_url) if engine == "postgres" else None
    with start_crash_deployment(tmp_path, url, (), [meta.VENDOR]) as stage:
        connect_page(stage)
        stage.postpone_checks()
        stage.clocks.stop()
        send(stage, batch())
        known = 0
        for _ in range(3):
            eventually(lambda known=known: of_webhook(stage).position > known)  # type: ignore[misc]
            stage.victim.kill()
            row = of_webhook(stage)
            known = row.position
            # What is stored of it is what its position says.
            assert (known, row.due_at is not None) == (stored(stage), True)
            stage.victim.start_again()
            stage.victim.wait_until_ready()
            stage.clocks.advance(DEFAULT_LEASE + timedelta(seconds=1), platforms=timedelta(0))
        eventually(lambda: of_webhook(stage).due_at is None)
        assert of_webhook(stage).position == stored(stage) == SAID
        pairs = stage.read(sa.select(events.c.body).where(events.c.name == "message.received"))
        counted = Counter(msgspec.json.decode(row.body)["data"]["msgId"] for row in pairs)
        assert counted == Counter({f"m_{number}": 1 for number in range(SAID)})


def stored(stage: CrashDeployment) -> int:
    return int(stage.read(sa.select(sa.func.count()).select_from(messages))[0][0])
