"""Audiences, pixels and custom conversions. People are hashed on arrival and uploaded by a task."""

import asyncio
from collections.abc import Iterator

import msgspec

from socialgate.areas.accounts.session import AccountSession
from socialgate.areas.ads import showing, values
from socialgate.areas.ads.audience_schemas import (
    Audience,
    AudiencesQuery,
    ConversionsQuery,
    NewAudienceBody,
    NewConversionBody,
)
from socialgate.areas.ads.changes import CREATE_CONVERSION, LACKS_AUDIENCES, LACKS_CONVERSIONS
from socialgate.areas.ads.desk import AdDesk, currency_of
from socialgate.areas.ads.people import hashed, person_faults
from socialgate.areas.ads.uploads import AudienceCreation, PeopleQueue, audience_creation
from socialgate.areas.operations.service import Operations
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.ad_audiences import (
    AUDIENCES,
    CUSTOM_CONVERSIONS,
    PIXELS,
    AudienceItem,
    AudienceKind,
    Audiences,
    CustomConversion,
    NewAudience,
    NewConversion,
    PersonData,
    Pixel,
)
from socialgate.contracts.ads import AdQuery
from socialgate.core.errors import Fault, Invalid
from socialgate.core.work import Work
from socialgate.web.faults import require_accepted
from socialgate.web.schema import Page

LACKS_PIXELS = "has no pixels"
_MOST_FAULTS = 50
_NEEDED = {
    AudienceKind.CUSTOMERS: (),
    AudienceKind.WEBSITE: ("pixel_id",),
    AudienceKind.LOOKALIKE: ("source_id", "countries"),
}
_NAMES = {"pixel_id": "pixelId", "source_id": "sourceId", "countries": "countries"}


class AudienceDesk:
    def __init__(self, desk: AdDesk, session: AccountSession, operations: Operations, queue: PeopleQueue) -> None:
        self._desk = desk
        self._session = session
        self._operations = operations
        self._queue = queue
        self._creation = audience_creation(queue)

    async def audiences(self, work: Work, query: AudiencesQuery) -> Page[Audience]:
        account = await self._desk.account(work, query.ad_account_id)
        asked = AdQuery(name=query.q, limit=query.limit, cursor=query.cursor)
        return await self._desk.page(
            account, "audiences", AUDIENCES, LACKS_AUDIENCES, lambda part: part, asked, showing.show_as(Audience)
        )

    async def pixels(self, work: Work, query: AudiencesQuery) -> Page[Pixel]:
        account = await self._desk.account(work, query.ad_account_id)
        asked = AdQuery(name=query.q, limit=query.limit, cursor=query.cursor)
        return await self._desk.page(
            account, "pixels", PIXELS, LACKS_PIXELS, lambda part: part, asked, showing.show_as(Pixel)
        )

    async def conversions(self, work: Work, query: ConversionsQuery) -> Page[CustomConversion]:
        account = await self._desk.account(work, query.ad_account_id)
        part = self._session.part(account, CUSTOM_CONVERSIONS, LACKS_CONVERSIONS)
        if part.needs_pixel and query.pixel_id is None:
            detail = "This platform lists custom conversions by pixel. Send `pixelId`; GET /ads/pixels lists them."
            raise Invalid.at("?pixelId", "required", detail)
        asked = AdQuery(pixel_id=query.pixel_id, name=query.q, limit=query.limit, cursor=query.cursor)
        return await self._desk.page(
            account,
            "conversions",
            CUSTOM_CONVERSIONS,
            LACKS_CONVERSIONS,
            lambda part: part,
            asked,
            showing.show_as(CustomConversion),
        )

    async def create_conversion(self, work: Work, body: NewConversionBody) -> CustomConversion:
        account = await self._desk.account(work, body.ad_account_id)
        part = self._session.part(account, CUSTOM_CONVERSIONS, LACKS_CONVERSIONS)
        new = NewConversion(
            **values.build_common_fields(work, body.name),
            options=body.platform_options,
            pixel_id=body.pixel_id,
            event=body.event,
            description=body.description,
            rules=body.rules,
            value=body.value,
        )
        ours = values.currency_faults(new.value, currency_of(account), "/value")
        require_accepted(ours, part.faults(new), "custom conversion")
        return await self._operations.run(work, account, CREATE_CONVERSION, new)

    async def create_audience(self, work: Work, body: NewAudienceBody) -> Audience:
        """Create an audience, or change who is in one. People are uploaded by a task once there is an audience."""
        account = await self._desk.account(work, body.ad_account_id)
        part = self._session.part(account, AUDIENCES, LACKS_AUDIENCES)
        # From here on nobody in this process knows more of these people than the platform will. Ten thousand of them
        # take a moment.
        people = await asyncio.to_thread(_hashed, body, part)
        if body.audience_id is not None:
            item = await self._existing(account, part, body)
            shown = showing.show_as(Audience)(account, item)
            return await work.write(self._queue.add, account, shown, body.action, people)
        new = self._new(work, body)
        require_accepted(_new_faults(body), part.faults(new), "audience")
        asked = AudienceCreation(new=new, people=people)
        return await self._operations.run(work, account, self._creation, asked)

    def _new(self, work: Work, body: NewAudienceBody) -> NewAudience:
        return NewAudience(
            **values.build_common_fields(work, body.name or ""),
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

    async def _existing(self, account: AccountRow, part: Audiences, body: NewAudienceBody) -> AudienceItem:
        audience_id = body.audience_id or ""
        if not body.people:
            raise Invalid.at("/people", "required", "Send the people to add or remove.")
        item = await self._session.call_as(account, lambda held: part.find(held, audience_id))
        if item.kind is not AudienceKind.CUSTOMERS:
            detail = f"People can only be added to a list of customers, but this audience is of the kind {item.kind}."
            raise Invalid.at("/audienceId", "contradiction", detail)
        return item


def _hashed(body: NewAudienceBody, part: Audiences) -> tuple[PersonData, ...]:
    require_accepted(_people_faults(body, part), (), "audience")
    return tuple(hashed(person, part.hashing) for person in body.people)


def _people_faults(body: NewAudienceBody, part: Audiences) -> Iterator[Fault]:
    """Report people who cannot be normalised, without quoting them."""
    reported = 0
    for place, person in enumerate(body.people):
        for fault in person_faults(person, f"/people/{place}"):
            reported += 1
            if reported > _MOST_FAULTS:
                return
            yield fault
        given = {name for name, value in msgspec.structs.asdict(person).items() if value is not None}
        if given and not given & part.identifiers:
            able = ", ".join(sorted(part.identifiers))
            yield Fault(f"/people/{place}", "not_supported", f"This platform matches people by: {able}.")


def _new_faults(body: NewAudienceBody) -> Iterator[Fault]:
    if not body.name:
        yield Fault("/name", "required", "An audience needs a name.")
    if body.action != "add":
        yield Fault("/action", "contradiction", "To remove people, send `audienceId`.")
    kind = AudienceKind(body.kind)
    if body.people and kind is not AudienceKind.CUSTOMERS:
        yield Fault("/people", "contradiction", "Only a list of customers has people that you upload.")
    for name in _NEEDED[kind]:
        if not getattr(body, name):
            yield Fault(f"/{_NAMES[name]}", "required", f"An audience of the kind {kind} needs this.")
