"""Creatives that only this service has, because the platform has none of their own, and the creatives of platforms."""

from typing import Any

import msgspec

from socialgate.areas.accounts.session import AccountSession
from socialgate.areas.ads import store
from socialgate.areas.ads.creative_schemas import CreativeFields
from socialgate.areas.ads.object_operations import NO_ADS_PHRASE
from socialgate.areas.ads.publisher_resolver import PublisherResolver
from socialgate.areas.ads.tables import CreativeRow
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.ad_objects import CreativeItem
from socialgate.contracts.ad_values import AdIdentity, AdStatus
from socialgate.contracts.ads import ADVERTISING_CAPABILITY, NewCreative
from socialgate.contracts.failures import PlatformNotFoundError
from socialgate.core.db import Database, Tx
from socialgate.core.errors import InvalidRequest, OutOfScope
from socialgate.core.ids import is_id
from socialgate.core.unit_of_work import UnitOfWork

CREATIVE_ID_PREFIX = "crea"
_CREATIVE_NOT_FOUND_MESSAGE = "There is no creative with this id. POST /ads/adcreatives creates one."


class LocalCreatives:
    def __init__(self, db: Database, session: AccountSession, publishers: PublisherResolver) -> None:
        self._db = db
        self._session = session
        self._publishers = publishers

    async def find_creative(self, tx: Tx, account: AccountRow, creative_id: str) -> CreativeRow | None:
        return await store.find_creative(tx, account.owner_id, account.id, creative_id)

    async def get_local_creative(
        self, work: UnitOfWork, account: AccountRow, creative_id: str, at: str
    ) -> NewCreative | None:
        """Return a creative that only we have; None if the id is one of the platform.

        One that comes from a connected account whose profile the caller's key does not cover is rejected, as it is when
        it is created.
        """
        creative = await self._load_local_creative(account, creative_id, at)
        if work.caller.allowed_profile_ids is None:
            return creative
        if creative is not None:
            sources = tuple(filter(None, (creative.publisher,)))
        else:
            sources = await self._read_publishers(account, creative_id, at)
        if not sources:
            raise OutOfScope("It is unknown which account the creative belongs to. Use a key that covers all profiles.")
        for source in sources:
            await self._publishers.require_publisher_access(work, source)
        return creative

    async def _read_publishers(self, account: AccountRow, creative_id: str, at: str) -> tuple[AdIdentity, ...]:
        """Read who a creative on the platform comes from."""
        objects = self._session.get_adapter(account, ADVERTISING_CAPABILITY, NO_ADS_PHRASE).creatives
        assert objects is not None, "an id of the platform was rejected before"
        try:
            creative_item = await self._session.call_for_account(
                account, lambda credentials: objects.find(credentials, creative_id)
            )
        except PlatformNotFoundError:
            raise InvalidRequest.for_field(at, "not_found", _CREATIVE_NOT_FOUND_MESSAGE) from None
        return tuple(AdIdentity(id=publisher_id) for publisher_id in creative_item.publisher_ids)

    async def _load_local_creative(self, account: AccountRow, creative_id: str, at: str) -> NewCreative | None:
        part = self._session.get_adapter(account, ADVERTISING_CAPABILITY, NO_ADS_PHRASE)
        if not is_id(CREATIVE_ID_PREFIX, creative_id):
            if part.creatives is None:
                raise InvalidRequest.for_field(at, "not_found", _CREATIVE_NOT_FOUND_MESSAGE)
            return None
        row = await self._db.read(self.find_creative, account, creative_id)
        if row is None:
            raise InvalidRequest.for_field(at, "not_found", _CREATIVE_NOT_FOUND_MESSAGE)
        return msgspec.convert(row.creative, NewCreative)


def extract_creative_fields(creative_fields: CreativeFields) -> dict[str, Any]:
    names = ("text", "headline", "description", "url", "call_to_action", "form_id")
    return {name: getattr(creative_fields, name) for name in names}


def build_local_item(row: CreativeRow) -> CreativeItem:
    """Return what the API shows of a creative that only we have."""
    creative = msgspec.convert(row.creative, NewCreative)
    video = next((asset.id for asset in creative.assets if asset.type == "video"), None)
    return CreativeItem(
        id=row.id,
        name=creative.name,
        status=AdStatus.ACTIVE,
        created_at=row.created_at,
        updated_at=row.updated_at,
        options=creative.options,
        post_id=creative.post_id,
        text=creative.text,
        headline=creative.headline,
        description=creative.description,
        url=creative.url,
        call_to_action=creative.call_to_action,
        video_id=video,
    )
