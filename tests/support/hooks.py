"""Hooks and events for tests of the delivery engine, put straight into the tables."""

from datetime import UTC, datetime
from typing import Any

import msgspec
import sqlalchemy as sa

from socialgate.core import outbox
from socialgate.core.db import Tx
from socialgate.core.events import LeadReceived
from socialgate.core.ids import new_id
from support.receiver import ReceivedRequest
from support.service import OwnerFixture, RunningService
from support.waiting import eventually

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo="


def lead(number: int = 1) -> LeadReceived:
    return LeadReceived(
        lead_id=f"lead_{number}",
        account_id="acc_1",
        platform="meta",
        form_id="1",
        form_name="Newsletter",
        ad_id=None,
        campaign_id=None,
        created_at=datetime(2026, 11, 15, tzinfo=UTC),
        fields={"number": str(number)},
        answers=[],
        test=False,
    )


def add_hook(owner: OwnerFixture, url: str, **columns: Any) -> str:
    """Make a hook for leads, with whatever columns the test needs to be otherwise."""
    return str(owner.running.write(_insert_hook, owner, url, columns))


async def _insert_hook(tx: Tx, owner: OwnerFixture, url: str, columns: dict[str, Any]) -> str:
    hook_id = new_id("hook")
    sealed = owner.running.service.keyring.seal(SECRET, outbox.get_secret_purpose(owner.id, hook_id))
    values = {
        "events": ["lead.received"],
        "ordered": False,
        "active": True,
        "activated_at": tx.now,
        "secret": sealed,
        "created_at": tx.now,
        "updated_at": tx.now,
        **columns,
    }
    await tx.execute(sa.insert(outbox.hooks).values(owner_id=owner.id, id=hook_id, url=url, **values))
    await tx.execute(sa.insert(outbox.lanes).values(hook_id=hook_id, owner_id=owner.id))
    return hook_id


def change_hook(owner: OwnerFixture, hook_id: str, **columns: Any) -> None:
    async def change(tx: Tx) -> None:
        statement = sa.update(outbox.hooks).where(outbox.hooks.c.owner_id == owner.id, outbox.hooks.c.id == hook_id)
        await tx.execute(statement.values(**columns))
        tx.wake_on_commit(hook_id)

    owner.running.write(change)


def change_lane(owner: OwnerFixture, hook_id: str, **columns: Any) -> None:
    async def change(tx: Tx) -> None:
        await tx.execute(sa.update(outbox.lanes).where(outbox.lanes.c.hook_id == hook_id).values(**columns))

    owner.running.write(change)


def emit(owner: OwnerFixture, *numbers: int) -> None:
    """Emit leads with these numbers, all in one transaction."""

    async def unit(tx: Tx) -> None:
        for number in numbers:
            await outbox.emit_event(tx, owner.id, owner.profile_id, lead(number))

    owner.running.write(unit)


class Delivery(msgspec.Struct, frozen=True, kw_only=True):
    """A delivery as the table has it."""

    id: str
    event_id: str
    status: str
    attempts: list[outbox.StoredAttempt]
    due_at: datetime | None
    number: int | None


def deliveries_of(owner: OwnerFixture, hook_id: str) -> list[Delivery]:
    """Read a hook's deliveries, oldest first."""
    return list(owner.running.read(_deliveries, owner.id, hook_id))


async def _deliveries(tx: Tx, owner_id: str, hook_id: str) -> list[Delivery]:
    table, events = outbox.deliveries, outbox.events
    same = sa.and_(events.c.owner_id == table.c.owner_id, events.c.id == table.c.event_id)
    rows = await tx.all(
        sa.select(table, events.c.body)
        .join(events, same)
        .where(table.c.owner_id == owner_id, table.c.hook_id == hook_id)
        .order_by(table.c.id)
    )
    return [
        Delivery(
            id=row.id,
            event_id=row.event_id,
            status=row.status,
            attempts=outbox.decode_attempts(row.attempts),
            due_at=row.due_at,
            number=_number(row.body),
        )
        for row in rows
    ]


def _number(body: bytes) -> int | None:
    data = msgspec.json.decode(body)["data"]
    return int(data["fields"]["number"]) if "fields" in data else None


def hook_row(owner: OwnerFixture, hook_id: str) -> Any:
    async def find(tx: Tx) -> Any:
        return await tx.first(sa.select(outbox.hooks).where(outbox.hooks.c.id == hook_id))

    return owner.running.read(find)


def lane_row(running: RunningService, hook_id: str) -> Any:
    async def find(tx: Tx) -> Any:
        return await tx.first(sa.select(outbox.lanes).where(outbox.lanes.c.hook_id == hook_id))

    return running.read(find)


def wait_for_deliveries(owner: OwnerFixture, hook_id: str, count: int = 1) -> list[Delivery]:
    """Wait until a hook has so many deliveries and none of them is pending."""
    return eventually(
        lambda: (
            [d for d in deliveries_of(owner, hook_id) if d.status != "pending"][:count]
            if sum(d.status != "pending" for d in deliveries_of(owner, hook_id)) >= count
            else []
        )
    )


def wait_for_attempts(owner: OwnerFixture, hook_id: str, attempts: int = 1) -> Delivery:
    """Wait until the first delivery of a hook has had so many attempts."""
    return eventually(lambda: next((d for d in deliveries_of(owner, hook_id) if len(d.attempts) >= attempts), None))


def numbers(received: list[ReceivedRequest]) -> list[int]:
    return [
        int(msgspec.json.decode(received_request.body)["data"]["fields"]["number"]) for received_request in received
    ]
