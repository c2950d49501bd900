"""Events that a server sends to a pixel: people are hashed on arrival, and each event has a result of its own."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from uuid import uuid4

import msgspec

from socialgate.areas.accounts.session import AccountSession
from socialgate.areas.ads import values
from socialgate.areas.ads.audiences import LACKS_PIXELS
from socialgate.areas.ads.desk import AdDesk
from socialgate.areas.ads.event_schemas import EventResult, PixelEventBody, PixelEventsBody, PixelEventsResult
from socialgate.areas.ads.people import hashed, person_faults
from socialgate.areas.operations.service import Operations
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.ad_audiences import PIXELS, EventFault, Hashing, PixelEvent, Pixels
from socialgate.contracts.connecting import AccountCredentials
from socialgate.contracts.failures import PlatformNotFound, Rejected
from socialgate.contracts.operations import OperationType
from socialgate.core.breaks import with_breaks
from socialgate.core.db import Tx
from socialgate.core.errors import Fault, Invalid
from socialgate.core.work import Work

# How often a batch that the platform rejects as a whole is divided to find the event that it rejects.
_MOST_CALLS = 24


class Judged(msgspec.Struct, frozen=True, kw_only=True):
    """An event, or why it is not sent."""

    id: str
    event: PixelEvent | None
    detail: str | None = None


class EventBatch(msgspec.Struct, frozen=True, kw_only=True):
    pixel_id: str
    test_code: str | None
    events: tuple[Judged, ...]


class PixelFeed:
    def __init__(self, desk: AdDesk, session: AccountSession, operations: Operations) -> None:
        self._desk = desk
        self._session = session
        self._operations = operations

    async def send(self, work: Work, body: PixelEventsBody) -> PixelEventsResult:
        account = await self._desk.account(work, body.ad_account_id)
        part = self._session.part(account, PIXELS, LACKS_PIXELS)
        if len(body.events) > part.most_events:
            detail = f"This platform accepts at most {part.most_events} events at once."
            raise Invalid.at("/events", "too_many", detail)
        await self._require_pixel(account, body.pixel_id)
        now = work.db.clock.now()
        ids = _ids(body.events, work.idempotency)
        judged = (_judged(one, event_id, part, now) for one, event_id in zip(body.events, ids, strict=True))
        events = tuple(await with_breaks(judged))
        batch = EventBatch(pixel_id=body.pixel_id, test_code=body.test_event_code, events=events)
        return await self._operations.run(work, account, SEND, batch)

    async def _require_pixel(self, account: AccountRow, pixel_id: str) -> None:
        """Reject pixels of other ad accounts, even if the person who connected this one can access them."""
        try:
            await self._desk.read(
                account,
                "pixel",
                PIXELS,
                LACKS_PIXELS,
                lambda part, held: part.find(held, pixel_id),
                pixel_id,
                keep=60.0,
            )
        except PlatformNotFound:
            detail = "The ad account has no pixel with this id. GET /ads/pixels lists them."
            raise Invalid.at("/pixelId", "not_found", detail) from None


def _ids(events: Sequence[PixelEventBody], key: str | None) -> list[str]:
    """Give each event an id that is the same whenever the request is repeated: platforms ignore what they have."""
    seed = key or uuid4().hex
    return [
        one.id or sha256(f"{seed} {place} {one.name}".encode()).hexdigest()[:32] for place, one in enumerate(events)
    ]


def _judged(body: PixelEventBody, event_id: str, part: Pixels, now: datetime) -> Judged:
    """Hash the person of an event, and say what is wrong with it. From here on nobody knows more than the platform."""
    faults = [*_faults(body)]
    if not faults:
        event = _event(body, event_id, part.hashing)
        faults = [*part.event_faults(event, now)]
        if not faults:
            return Judged(id=event_id, event=event)
    reasons = [f"{fault.pointer}: {fault.detail}" for fault in faults]
    return Judged(id=event_id, event=None, detail=" ".join(reasons))


def _faults(body: PixelEventBody) -> Iterator[Fault]:
    yield from values.moment_faults(body.at, "/at")
    yield from person_faults(body.user, "/user")
    yield from values.currency_faults(body.value, None, "/value")
    for place, product in enumerate(body.products):
        yield from values.currency_faults(product.price, None, f"/products/{place}/price")
        if product.price is not None and body.value is not None and product.price.currency != body.value.currency:
            detail = "All amounts of an event must have the same currency."
            yield Fault(f"/products/{place}/price/currency", "contradiction", detail)


def _event(body: PixelEventBody, event_id: str, hashing: Hashing) -> PixelEvent:
    return PixelEvent(
        name=body.name,
        at=body.at.astimezone(UTC),
        id=event_id,
        source=body.source,
        url=body.url,
        referrer=body.referrer,
        person=hashed(body.user, hashing),
        value=body.value,
        products=body.products,
        order_id=body.order_id,
        search=body.search,
        options=body.platform_options,
    )


async def _send(part: Pixels, held: AccountCredentials, batch: EventBatch) -> tuple[EventFault, ...]:
    """Send the valid events, and return those that the platform did not take, by their place in the batch."""
    places = [place for place, one in enumerate(batch.events) if one.event is not None]
    waiting, faults = [places] if places else [], list[EventFault]()
    for _ in range(_MOST_CALLS):
        if not waiting:
            break
        some = waiting.pop(0)
        events = [one for one in (batch.events[place].event for place in some) if one is not None]
        try:
            refused: Sequence[EventFault] = await part.send(held, batch.pixel_id, events, batch.test_code)
        except Rejected as failure:
            # On some platforms one bad event fails all that are sent with it.
            if len(some) == 1:
                faults.append(EventFault(some[0], failure.explained))
            else:
                half = len(some) // 2
                waiting = [some[:half], some[half:], *waiting]
        else:
            faults += [EventFault(some[fault.position], fault.detail) for fault in refused]
    left = [place for some in waiting for place in some]
    detail = "The platform rejected it together with others. Send it again in a smaller request."
    return (*faults, *(EventFault(place, detail) for place in left))


async def _record(tx: Tx, account: AccountRow, batch: EventBatch, refused: tuple[EventFault, ...]) -> PixelEventsResult:
    why = {fault.position: fault.detail for fault in refused}
    results = [
        _result(one.id, one.detail if one.event is None else why.get(place)) for place, one in enumerate(batch.events)
    ]
    rejected = sum(one.status == "rejected" for one in results)
    return PixelEventsResult(
        ad_account_id=account.id,
        pixel_id=batch.pixel_id,
        accepted=len(results) - rejected,
        rejected=rejected,
        events=results,
        sent_at=tx.now,
    )


def _result(event_id: str, detail: str | None) -> EventResult:
    return EventResult(id=event_id, status="accepted" if detail is None else "rejected", detail=detail)


SEND = OperationType(
    name="pixelEvents.send",
    request=EventBatch,
    answer=PixelEventsResult,
    capability=PIXELS,
    lacks=LACKS_PIXELS,
    call=_send,
    record=_record,
    # Platforms ignore events that they already have, by their ids.
    look=_send,
    shown=lambda batch: {"pixelId": batch.pixel_id, "events": len(batch.events)},
    object_id=lambda batch, _: batch.pixel_id,
)
