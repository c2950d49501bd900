"""Events that a server sends to a pixel: people are hashed on arrival, and each event has a result of its own."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from uuid import uuid4

import msgspec

from socialgate.areas.accounts.session import AccountSession
from socialgate.areas.ads import value_conversion
from socialgate.areas.ads.ad_account_reader import AdAccountReader
from socialgate.areas.ads.audiences import NO_PIXELS_PHRASE
from socialgate.areas.ads.event_schemas import PixelEventBody, PixelEventResult, PixelEventsBody, PixelEventsResult
from socialgate.areas.ads.person_hashing import hash_person, validate_person
from socialgate.areas.operations.service import OperationService
from socialgate.contracts.account_connection import AccountCredentials
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.ad_audiences import (
    PIXELS_CAPABILITY,
    HashingRules,
    PixelAdapter,
    PixelEvent,
    RejectedPixelEvent,
)
from socialgate.contracts.failures import PlatformNotFoundError, PlatformRejectedError
from socialgate.contracts.operations import OperationType
from socialgate.core.breaks import collect_yielding_to_event_loop
from socialgate.core.db import Tx
from socialgate.core.errors import Fault, InvalidRequest
from socialgate.core.unit_of_work import UnitOfWork

# How often a batch that the platform rejects as a whole is divided to find the event that it rejects.
_MAX_SEND_CALLS = 24


class ValidatedEvent(msgspec.Struct, frozen=True, kw_only=True):
    """An event, or why it is not sent."""

    id: str
    event: PixelEvent | None
    detail: str | None = None


class PixelEventBatch(msgspec.Struct, frozen=True, kw_only=True):
    pixel_id: str
    test_code: str | None
    events: tuple[ValidatedEvent, ...]


class PixelEventService:
    def __init__(self, desk: AdAccountReader, session: AccountSession, operations: OperationService) -> None:
        self._desk = desk
        self._session = session
        self._operations = operations

    async def send(self, work: UnitOfWork, body: PixelEventsBody) -> PixelEventsResult:
        account = await self._desk.find_account(work, body.ad_account_id)
        part = self._session.get_adapter(account, PIXELS_CAPABILITY, NO_PIXELS_PHRASE)
        if len(body.events) > part.max_events_per_call:
            detail = f"This platform accepts at most {part.max_events_per_call} events at once."
            raise InvalidRequest.for_field("/events", "too_many", detail)
        await self._require_pixel(account, body.pixel_id)
        now = work.db.clock.now()
        ids = _build_event_ids(body.events, work.request_key)
        pairs = zip(body.events, ids, strict=True)
        events = tuple(
            await collect_yielding_to_event_loop(
                _validate_event(event, event_id, part, now) for event, event_id in pairs
            )
        )
        batch = PixelEventBatch(pixel_id=body.pixel_id, test_code=body.test_event_code, events=events)
        return await self._operations.run(work, account, SEND_PIXEL_EVENTS_OPERATION, batch)

    async def _require_pixel(self, account: AccountRow, pixel_id: str) -> None:
        """Reject pixels of other ad accounts, even if the person who connected this one can access them."""
        try:
            await self._desk.read_live(
                account,
                "pixel",
                PIXELS_CAPABILITY,
                NO_PIXELS_PHRASE,
                lambda part, credentials: part.find(credentials, pixel_id),
                pixel_id,
                keep=60.0,
            )
        except PlatformNotFoundError:
            detail = "The ad account has no pixel with this id. GET /ads/pixels lists them."
            raise InvalidRequest.for_field("/pixelId", "not_found", detail) from None


def _build_event_ids(events: Sequence[PixelEventBody], key: str | None) -> list[str]:
    """Give each event an id that is the same whenever the request is repeated: platforms ignore what they have."""
    seed = key or uuid4().hex
    return [
        event.id or sha256(f"{seed} {place} {event.name}".encode()).hexdigest()[:32]
        for place, event in enumerate(events)
    ]


def _validate_event(body: PixelEventBody, event_id: str, part: PixelAdapter, now: datetime) -> ValidatedEvent:
    """Hash the person of an event, and say what is wrong with it. From here on nobody knows more than the platform."""
    faults = [*_validate_event_body(body)]
    if not faults:
        event = _build_event(body, event_id, part.hashing)
        faults = [*part.validate_event(event, now)]
        if not faults:
            return ValidatedEvent(id=event_id, event=event)
    reasons = [f"{fault.pointer}: {fault.detail}" for fault in faults]
    return ValidatedEvent(id=event_id, event=None, detail=" ".join(reasons))


def _validate_event_body(body: PixelEventBody) -> Iterator[Fault]:
    yield from value_conversion.validate_time(body.at, "/at")
    yield from validate_person(body.user, "/user")
    yield from value_conversion.validate_account_currency(body.value, None, "/value")
    for place, product in enumerate(body.products):
        yield from value_conversion.validate_account_currency(product.price, None, f"/products/{place}/price")
        if product.price is not None and body.value is not None and product.price.currency != body.value.currency:
            detail = "All amounts of an event must have the same currency."
            yield Fault(f"/products/{place}/price/currency", "contradiction", detail)


def _build_event(body: PixelEventBody, event_id: str, hashing: HashingRules) -> PixelEvent:
    return PixelEvent(
        name=body.name,
        at=body.at.astimezone(UTC),
        id=event_id,
        source=body.source,
        url=body.url,
        referrer=body.referrer,
        person=hash_person(body.user, hashing),
        value=body.value,
        products=body.products,
        order_id=body.order_id,
        search=body.search,
        options=body.platform_options,
    )


async def _send_valid_events(
    part: PixelAdapter, credentials: AccountCredentials, batch: PixelEventBatch
) -> tuple[RejectedPixelEvent, ...]:
    """Send the valid events, and return those that the platform did not take, by their place in the batch."""
    places = [place for place, event in enumerate(batch.events) if event.event is not None]
    waiting, faults = [places] if places else [], list[RejectedPixelEvent]()
    for _ in range(_MAX_SEND_CALLS):
        if not waiting:
            break
        some = waiting.pop(0)
        events = [
            pixel_event for pixel_event in (batch.events[place].event for place in some) if pixel_event is not None
        ]
        try:
            refused: Sequence[RejectedPixelEvent] = await part.send_events(
                credentials, batch.pixel_id, events, batch.test_code
            )
        except PlatformRejectedError as failure:
            # On some platforms one bad event fails all that are sent with it.
            if len(some) == 1:
                faults.append(RejectedPixelEvent(some[0], failure.detail_with_vendor_message))
            else:
                half = len(some) // 2
                waiting = [some[:half], some[half:], *waiting]
        else:
            faults += [RejectedPixelEvent(some[fault.position], fault.detail) for fault in refused]
    left = [place for some in waiting for place in some]
    detail = "The platform rejected it together with others. Send it again in a smaller request."
    return (*faults, *(RejectedPixelEvent(place, detail) for place in left))


async def _record_event_results(
    tx: Tx, account: AccountRow, batch: PixelEventBatch, refused: tuple[RejectedPixelEvent, ...]
) -> PixelEventsResult:
    why = {fault.position: fault.detail for fault in refused}
    results = [
        _build_result(event.id, event.detail if event.event is None else why.get(place))
        for place, event in enumerate(batch.events)
    ]
    rejected = sum(result.status == "rejected" for result in results)
    return PixelEventsResult(
        ad_account_id=account.id,
        pixel_id=batch.pixel_id,
        accepted=len(results) - rejected,
        rejected=rejected,
        events=results,
        sent_at=tx.now,
    )


def _build_result(event_id: str, detail: str | None) -> PixelEventResult:
    return PixelEventResult(id=event_id, status="accepted" if detail is None else "rejected", detail=detail)


SEND_PIXEL_EVENTS_OPERATION = OperationType(
    name="pixelEvents.send",
    request=PixelEventBatch,
    response_type=PixelEventsResult,
    capability=PIXELS_CAPABILITY,
    unsupported_phrase=NO_PIXELS_PHRASE,
    call=_send_valid_events,
    record=_record_event_results,
    # Platforms ignore events that they already have, by their ids.
    look=_send_valid_events,
    summarize_request=lambda batch: {"pixelId": batch.pixel_id, "events": len(batch.events)},
    get_object_id=lambda batch, _: batch.pixel_id,
)
