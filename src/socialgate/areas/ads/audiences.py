"""Audiences, pixels and custom conversions. People are hashed on arrival and uploaded by a task."""

import asyncio
from collections.abc import Iterator

import msgspec

from socialgate.areas.accounts.session import AccountSession
from socialgate.areas.ads import value_conversion, views
from socialgate.areas.ads.ad_account_reader import AdAccountReader, get_currency
from socialgate.areas.ads.audience_schemas import (
    Audience,
    AudiencesQuery,
    ConversionsQuery,
    NewAudienceBody,
    NewConversionBody,
)
from socialgate.areas.ads.audience_uploads import AudienceCreation, AudienceUploadQueue, build_audience_creation_type
from socialgate.areas.ads.object_operations import (
    CREATE_CONVERSION_OPERATION,
    NO_AUDIENCES_PHRASE,
    NO_CONVERSIONS_PHRASE,
)
from socialgate.areas.ads.person_hashing import hash_person, validate_person
from socialgate.areas.operations.service import OperationService
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.ad_audiences import (
    AUDIENCES_CAPABILITY,
    CUSTOM_CONVERSIONS_CAPABILITY,
    PIXELS_CAPABILITY,
    AudienceAdapter,
    AudienceItem,
    AudienceKind,
    CustomConversion,
    HashedPerson,
    NewAudience,
    NewConversion,
    Pixel,
)
from socialgate.contracts.ads import AdQuery
from socialgate.core.errors import Fault, InvalidRequest
from socialgate.core.unit_of_work import UnitOfWork
from socialgate.web.field_errors import require_no_errors
from socialgate.web.schemas import Page

NO_PIXELS_PHRASE = "has no pixels"
_MAX_FAULTS = 50
_REQUIRED_FIELDS = {
    AudienceKind.CUSTOMERS: (),
    AudienceKind.WEBSITE: ("pixel_id",),
    AudienceKind.LOOKALIKE: ("source_id", "countries"),
}
_JSON_NAMES = {"pixel_id": "pixelId", "source_id": "sourceId", "countries": "countries"}


class AudienceService:
    def __init__(
        self, desk: AdAccountReader, session: AccountSession, operations: OperationService, queue: AudienceUploadQueue
    ) -> None:
        self._desk = desk
        self._session = session
        self._operations = operations
        self._queue = queue
        self._creation_type = build_audience_creation_type(queue)

    async def list_audiences(self, work: UnitOfWork, query: AudiencesQuery) -> Page[Audience]:
        account = await self._desk.find_account(work, query.ad_account_id)
        requested_query = AdQuery(name=query.q, limit=query.limit, cursor=query.cursor)
        return await self._desk.list_page(
            account,
            "audiences",
            AUDIENCES_CAPABILITY,
            NO_AUDIENCES_PHRASE,
            lambda part: part,
            requested_query,
            views.build_item_view_builder(Audience),
        )

    async def list_pixels(self, work: UnitOfWork, query: AudiencesQuery) -> Page[Pixel]:
        account = await self._desk.find_account(work, query.ad_account_id)
        requested_query = AdQuery(name=query.q, limit=query.limit, cursor=query.cursor)
        return await self._desk.list_page(
            account,
            "pixels",
            PIXELS_CAPABILITY,
            NO_PIXELS_PHRASE,
            lambda part: part,
            requested_query,
            views.build_item_view_builder(Pixel),
        )

    async def list_conversions(self, work: UnitOfWork, query: ConversionsQuery) -> Page[CustomConversion]:
        account = await self._desk.find_account(work, query.ad_account_id)
        part = self._session.get_adapter(account, CUSTOM_CONVERSIONS_CAPABILITY, NO_CONVERSIONS_PHRASE)
        if part.needs_pixel and query.pixel_id is None:
            detail = "This platform lists custom conversions by pixel. Send `pixelId`; GET /ads/pixels lists them."
            raise InvalidRequest.for_field("?pixelId", "required", detail)
        requested_query = AdQuery(pixel_id=query.pixel_id, name=query.q, limit=query.limit, cursor=query.cursor)
        return await self._desk.list_page(
            account,
            "conversions",
            CUSTOM_CONVERSIONS_CAPABILITY,
            NO_CONVERSIONS_PHRASE,
            lambda part: part,
            requested_query,
            views.build_item_view_builder(CustomConversion),
        )

    async def create_conversion(self, work: UnitOfWork, body: NewConversionBody) -> CustomConversion:
        account = await self._desk.find_account(work, body.ad_account_id)
        part = self._session.get_adapter(account, CUSTOM_CONVERSIONS_CAPABILITY, NO_CONVERSIONS_PHRASE)
        new = NewConversion(
            **value_conversion.build_creation_fields(work, body.name),
            options=body.platform_options,
            pixel_id=body.pixel_id,
            event=body.event,
            description=body.description,
            rules=body.rules,
            value=body.value,
        )
        ours = value_conversion.validate_account_currency(new.value, get_currency(account), "/value")
        require_no_errors(ours, part.validate_new_object(new), "custom conversion")
        return await self._operations.run(work, account, CREATE_CONVERSION_OPERATION, new)

    async def create_or_extend_audience(self, work: UnitOfWork, body: NewAudienceBody) -> Audience:
        """Create an audience, or change who is in one. People are uploaded by a task once there is an audience."""
        account = await self._desk.find_account(work, body.ad_account_id)
        part = self._session.get_adapter(account, AUDIENCES_CAPABILITY, NO_AUDIENCES_PHRASE)
        # From here on nobody in this process knows more of these people than the platform will. Ten thousand of them
        # take a moment.
        people = await asyncio.to_thread(_hash_people, body, part)
        if body.audience_id is not None:
            item = await self._find_customer_audience(account, part, body)
            shown = views.build_item_view_builder(Audience)(account, item)
            return await work.write(self._queue.add, account, shown, body.action, people)
        new = self._build_new_audience(work, body)
        require_no_errors(_validate_new_audience(body), part.validate_new_object(new), "audience")
        audience_creation = AudienceCreation(new=new, people=people)
        return await self._operations.run(work, account, self._creation_type, audience_creation)

    def _build_new_audience(self, work: UnitOfWork, body: NewAudienceBody) -> NewAudience:
        return NewAudience(
            **value_conversion.build_creation_fields(work, body.name or ""),
            options=body.platform_options,
            kind=AudienceKind(body.kind),
            description=body.description,
            retention_days=body.retention_days,
            pixel_id=body.pixel_id,
            url_contains=body.url_contains,
            event=body.event,
            source_id=body.source_id,
            countries=body.countries,
            ratio=body.ratio,
        )

    async def _find_customer_audience(
        self, account: AccountRow, part: AudienceAdapter, body: NewAudienceBody
    ) -> AudienceItem:
        audience_id = body.audience_id or ""
        if not body.people:
            raise InvalidRequest.for_field("/people", "required", "Send the people to add or remove.")
        item = await self._session.call_for_account(account, lambda credentials: part.find(credentials, audience_id))
        if item.kind is not AudienceKind.CUSTOMERS:
            detail = f"People can only be added to a list of customers, but this audience is of the kind {item.kind}."
            raise InvalidRequest.for_field("/audienceId", "contradiction", detail)
        return item


def _hash_people(body: NewAudienceBody, part: AudienceAdapter) -> tuple[HashedPerson, ...]:
    require_no_errors(_validate_people(body, part), (), "audience")
    return tuple(hash_person(person, part.hashing) for person in body.people)


def _validate_people(body: NewAudienceBody, part: AudienceAdapter) -> Iterator[Fault]:
    """Report people who cannot be normalised, without quoting them."""
    reported = 0
    for place, person in enumerate(body.people):
        for fault in validate_person(person, f"/people/{place}"):
            reported += 1
            if reported > _MAX_FAULTS:
                return
            yield fault
        params = {name for name, value in msgspec.structs.asdict(person).items() if value is not None}
        if params and not params & part.uploadable_fields:
            able = ", ".join(sorted(part.uploadable_fields))
            yield Fault(f"/people/{place}", "not_supported", f"This platform matches people by: {able}.")


def _validate_new_audience(body: NewAudienceBody) -> Iterator[Fault]:
    if not body.name:
        yield Fault("/name", "required", "An audience needs a name.")
    if body.action != "add":
        yield Fault("/action", "contradiction", "To remove people, send `audienceId`.")
    kind = AudienceKind(body.kind)
    if body.people and kind is not AudienceKind.CUSTOMERS:
        yield Fault("/people", "contradiction", "Only a list of customers has people that you upload.")
    for name in _REQUIRED_FIELDS[kind]:
        if not getattr(body, name):
            yield Fault(f"/{_JSON_NAMES[name]}", "required", f"An audience of the kind {kind} needs this.")
