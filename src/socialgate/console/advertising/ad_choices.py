"""What people choose from when they advertise. A platform that does not answer leaves them with fewer choices."""

from collections.abc import Sequence

from socialgate.areas.accounts.schemas import AdAccount
from socialgate.areas.ads.audience_schemas import Audience, AudiencesQuery
from socialgate.areas.ads.audiences import AudienceService
from socialgate.console.visit import Visit
from socialgate.contracts.ad_audiences import AUDIENCES_CAPABILITY, PIXELS_CAPABILITY, Pixel
from socialgate.core.errors import ServiceError

_MAX_CHOICES = 100


async def list_audience_choices(visit: Visit, audiences: AudienceService, account: AdAccount) -> Sequence[Audience]:
    """List the audiences to choose from. Without them, people can still be chosen by place and age."""
    if AUDIENCES_CAPABILITY.name not in account.capabilities:
        return ()
    try:
        query = AudiencesQuery(ad_account_id=account.id, limit=_MAX_CHOICES)
        return (await audiences.list_audiences(visit.work, query)).data
    except ServiceError:
        return ()


async def list_pixels(visit: Visit, audiences: AudienceService, account: AdAccount) -> Sequence[Pixel]:
    if PIXELS_CAPABILITY.name not in account.capabilities:
        return ()
    try:
        return (await audiences.list_pixels(visit.work, AudiencesQuery(ad_account_id=account.id))).data
    except ServiceError:
        return ()
