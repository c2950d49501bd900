"""Several workers on one database: they process the webhooks of the same accounts without waiting for each other."""

import asyncio
import logging
import random
from collections import Counter
from typing import Any
from uuid import uuid4

import msgspec
import pytest
import sqlalchemy as sa

from socialgate.areas.inbound.store import NewInboundRequest, claim_due_requests, insert_inbound_requests
from socialgate.areas.inbound.webhook_writer import INBOUND_WAKE_KEY
from socialgate.areas.inbound.worker import InboundWorker
from socialgate.areas.inbox.tables import messages
from socialgate.contracts.webhooks import WebhookRequest
from socialgate.core.db import Tx
from socialgate.core.ids import new_id
from support.database import rows
from support.sandbox import Sandbox
from support.service import OwnerFixture, RunningService, StartService
from support.waiting import eventually
from support.webhooks import address_of

BOTS = 6
WORKERS = 3
# As many as they all take at once.
SAID = 250 * (WORKERS + 1)


def connect_bot(sandbox: Sandbox, owner: OwnerFixture) -> str:
    created = sandbox.control("newbot", platform="telegram", person="ada", name="Shop", username=f"S{uuid4().hex}Bot")
    body = {"profileId": owner.profile_id, "botToken": created["token"]}
    answer = owner.session.post("/connect/telegram", json=body)
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


def written(running: RunningService, number: int, routing_id: str) -> NewInboundRequest:
    """Make a webhook of Telegram as it is stored: a person writes to a bot."""
    person = {"id": 1000 + number % 7, "type": "private", "first_name": "Ana"}
    message = {"message_id": number + 1, "date": 1_790_000_000 + number, "chat": person, "from": person, "text": "Hi"}
    body = msgspec.json.encode({"update_id": number, "message": message})
    came = WebhookRequest(method="POST", query={"r": routing_id}, headers={}, body=body)
    return NewInboundRequest(
        id=new_id("inb"),
        platform="telegram",
        routing_id=routing_id,
        request=msgspec.json.encode(came),
        received_at=running.clock.now(),
    )


@pytest.mark.both_engines
def test_workers_never_wait_for_each_other(start_service: StartService, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    with start_service() as running, Sandbox(running) as sandbox:
        owner = OwnerFixture(running)
        addresses = [address_of(running, connect_bot(sandbox, owner)).routing_id for _ in range(BOTS)]
        chance = random.Random(20261116)  # noqa: S311 - it is to be the same each time
        arrived = [written(running, number, chance.choice(addresses)) for number in range(SAID)]

        async def store_all(tx: Tx) -> None:
            await insert_inbound_requests(tx, arrived)
            tx.wake_on_commit(INBOUND_WAKE_KEY)

        async def begin() -> list[tuple[InboundWorker, "asyncio.Task[Any]"]]:
            workers = [running.service.container.call_with_services(InboundWorker) for _ in range(WORKERS)]
            return [(worker, asyncio.create_task(worker.run())) for worker in workers]

        async def end(workers: list[tuple[InboundWorker, "asyncio.Task[Any]"]]) -> None:
            for worker, task in workers:
                worker.stop()
                await task

        workers = running.run(begin())
        running.write(store_all)
        eventually(lambda: _stored(running, owner) == SAID)
        running.run(end(workers))
        assert _stored(running, owner) == SAID
    assert "unit_run_again" not in caplog.text


def _stored(running: RunningService, owner: OwnerFixture) -> int:
    ((number,),) = rows(running, sa.select(sa.func.count()).where(messages.c.owner_id == owner.id))
    return int(number)


@pytest.mark.both_engines
def test_the_addresses_of_a_customer_share_its_turns(start_service: StartService) -> None:
    """Each webhook URL had turns of its own, so a customer with ten bots had ten times those of another."""
    # Nobody else claims them.
    with start_service(worker="separate") as running, Sandbox(running) as sandbox:
        many, owner_fixture = OwnerFixture(running), OwnerFixture(running)
        addresses = [address_of(running, connect_bot(sandbox, many)).routing_id for _ in range(3)]
        other = address_of(running, connect_bot(sandbox, owner_fixture)).routing_id
        arrived = [written(running, number, addresses[number % 3]) for number in range(9)]
        arrived += [written(running, number, other) for number in range(9, 12)]
        running.write(insert_inbound_requests, arrived)
        claimed = running.write(claim_due_requests, 6, 1024**2)
        assert Counter(due.sender.customer for due in claimed) == {many.id: 3, owner_fixture.id: 3}
        # Its own addresses take turns as well.
        assert {due.claimed.row.routing_id for due in claimed} == {*addresses, other}


@pytest.mark.both_engines
def test_large_requests_do_not_keep_small_ones_out(start_service: StartService) -> None:
    with start_service(worker="separate") as running:
        arrived = [written(running, number, f"address-{number}") for number in range(6)]
        padding = b" " * 10_000
        large = [
            msgspec.structs.replace(new_inbound, request=new_inbound.request + padding) for new_inbound in arrived[:3]
        ]
        running.write(insert_inbound_requests, [*large, *arrived[3:]])
        claimed = running.write(claim_due_requests, 250, 5_000)
        # One of them, so that not all are in memory at once.
        assert {due.claimed.row.id for due in claimed} == {new_inbound.id for new_inbound in (arrived[0], *arrived[3:])}
