from http import HTTPStatus

from litestar import Response

from socialgate.areas.accounts.routes import LIVE_READ_ERRORS, OPERATION_ERRORS
from socialgate.areas.ads.audience_schemas import (
    Audience,
    AudiencesQuery,
    ConversionsQuery,
    NewAudienceBody,
    NewConversionBody,
)
from socialgate.areas.ads.audiences import AudienceService
from socialgate.areas.ads.creative_schemas import BoostBody, DarkPostBody, NewCreativeBody, PromotedPost
from socialgate.areas.ads.event_schemas import PixelEventsBody, PixelEventsResult
from socialgate.areas.ads.insight_schemas import AdInsightsQuery, AdReport, PlacesQuery
from socialgate.areas.ads.insights import AdInsightsService, ReportNotReadyError
from socialgate.areas.ads.objects import AdObjectService
from socialgate.areas.ads.pixel_events import PixelEventService
from socialgate.areas.ads.schemas import (
    Ad,
    AdObject,
    AdObjectChangesBody,
    AdObjectDeleted,
    AdObjectDeletionQuery,
    AdSetsQuery,
    AdsQuery,
    CampaignsQuery,
    NewAdBody,
    NewAdSetBody,
    NewCampaignBody,
)
from socialgate.areas.ads.service import AdService
from socialgate.areas.media.fetching import TooManyFetchesError
from socialgate.contracts.ad_audiences import CustomConversion, Pixel
from socialgate.contracts.ad_objects import AdCreative, AdSet, Campaign
from socialgate.contracts.ads import TargetingOption
from socialgate.contracts.failures import NotSupportedError, PlatformDuplicateError
from socialgate.core.errors import NotFound, StorageUnavailable
from socialgate.core.jobs.service import TooManyTasks
from socialgate.core.metering import UsageMetric
from socialgate.core.unit_of_work import UnitOfWork
from socialgate.web.etags import ExpectedVersion
from socialgate.web.route import LOCATION_HEADER, RouteTag, route
from socialgate.web.schemas import Page

TAG = RouteTag("Ads", "Campaigns, ad sets, ads, audiences, pixels and insights of ad accounts.")
_READ_ERRORS = (NotFound, NotSupportedError, *LIVE_READ_ERRORS)
_CHANGE_ERRORS = (NotFound, NotSupportedError, PlatformDuplicateError, *OPERATION_ERRORS)


@route("GET", "/ads/campaigns", sdk="ads.campaigns.list", tag=TAG, query=CampaignsQuery, raises=_READ_ERRORS)
async def list_campaigns(params: CampaignsQuery, work: UnitOfWork, ads: AdService) -> Page[Campaign]:
    """List the campaigns of an ad account, live from the platform."""
    return await ads.list_campaigns(work, params)


@route("POST", "/ads/campaigns", sdk="ads.campaigns.create", tag=TAG, raises=_CHANGE_ERRORS)
async def create_campaign(data: NewCampaignBody, work: UnitOfWork, ads: AdService) -> Campaign:
    """Create a campaign. It is paused unless you send `status: active`.

    Send an `Idempotency-Key`: repeating the request with it never creates a second campaign. The budget is checked
    against the currency of the ad account, and the minimum if the platform publishes it, before the platform is called.
    """
    return await ads.create_campaign(work, data)


@route("GET", "/ads/adsets", sdk="ads.ad_sets.list", tag=TAG, query=AdSetsQuery, raises=_READ_ERRORS)
async def list_adsets(params: AdSetsQuery, work: UnitOfWork, ads: AdService) -> Page[AdSet]:
    """List the ad sets of an ad account or a campaign, live from the platform."""
    return await ads.list_adsets(work, params)


@route("POST", "/ads/adsets", sdk="ads.ad_sets.create", tag=TAG, raises=_CHANGE_ERRORS)
async def create_adset(data: NewAdSetBody, work: UnitOfWork, ads: AdService) -> AdSet:
    """Create an ad set in a campaign. It is paused unless you send `status: active`."""
    return await ads.create_adset(work, data)


@route("GET", "/ads/ads", sdk="ads.ads.list", tag=TAG, query=AdsQuery, raises=_READ_ERRORS)
async def list_ads(params: AdsQuery, work: UnitOfWork, ads: AdService) -> Page[Ad]:
    """List the ads of an ad account, a campaign or an ad set, live from the platform."""
    return await ads.list_ads(work, params)


@route("POST", "/ads/ads", sdk="ads.ads.create", tag=TAG, raises=_CHANGE_ERRORS)
async def create_ad(data: NewAdBody, work: UnitOfWork, ads: AdService) -> Ad:
    """Create an ad from a creative. It is paused unless you send `status: active`."""
    return await ads.create_ad(work, data)


@route(
    "POST",
    "/ads/adcreatives",
    sdk="ads.creatives.create",
    tag=TAG,
    raises=(TooManyFetchesError, StorageUnavailable, *_CHANGE_ERRORS),
    meters=(UsageMetric.UPLOAD_BYTES,),
)
async def create_adcreative(data: NewCreativeBody, work: UnitOfWork, ads: AdService) -> AdCreative:
    """Create a creative, with its images or video.

    Files are uploaded to the ad account first. If the platform takes longer than 20 seconds to process a video, the
    response is 503 with `Retry-After`; a repeated request continues to wait and does not upload it again.
    """
    return await ads.create_creative(work, data)


@route("PATCH", "/ads/object", sdk="ads.update", tag=TAG, raises=_CHANGE_ERRORS)
async def change_ad_object(
    data: AdObjectChangesBody, work: UnitOfWork, objects: AdObjectService, expected: ExpectedVersion
) -> AdObject:
    """Change an object of any type: its name, budget, schedule or targeting; start or pause it with `status`.

    A new `targeting` replaces the previous one as a whole, so include what you want to keep. Send `If-Match` with the
    `etag` from the last response or from the list: if the object has been changed since, the response is 412.
    """
    return await objects.update(work, data, expected)


@route("DELETE", "/ads/object", sdk="ads.delete", tag=TAG, query=AdObjectDeletionQuery, raises=_CHANGE_ERRORS)
async def delete_ad_object(
    params: AdObjectDeletionQuery, work: UnitOfWork, objects: AdObjectService
) -> AdObjectDeleted:
    """Delete an object of any type, with everything in it.

    A deleted campaign stops at once and cannot be restored. To stop it for a while, pause it.
    """
    return await objects.delete(work, params)


@route("POST", "/ads/boost", sdk="ads.boost", tag=TAG, raises=_CHANGE_ERRORS)
async def boost_post(data: BoostBody, work: UnitOfWork, ads: AdService) -> PromotedPost:
    """Advertise a published post: creates a campaign, an ad set and an ad that shows it.

    They are created together: if one step fails, the objects that the others created are deleted. Those that could not
    be deleted are listed in the error and in the `steps` of the operation. Everything is paused unless you send
    `status: active`.
    """
    return await ads.boost_post(work, data)


@route(
    "POST",
    "/ads/darkpost",
    sdk="ads.dark_post",
    tag=TAG,
    raises=(TooManyFetchesError, StorageUnavailable, *_CHANGE_ERRORS),
    meters=(UsageMetric.UPLOAD_BYTES,),
)
async def create_dark_post(data: DarkPostBody, work: UnitOfWork, ads: AdService) -> PromotedPost:
    """Create an ad that never appears as a post on the profile, with its campaign and ad set.

    They are created together, as for a boost.
    """
    return await ads.create_dark_post(work, data)


@route(
    "GET",
    "/ads/insights",
    sdk="ads.insights",
    tag=TAG,
    query=AdInsightsQuery,
    also=(HTTPStatus.ACCEPTED,),
    sends=(LOCATION_HEADER,),
    raises=(ReportNotReadyError, TooManyTasks, *_READ_ERRORS),
)
async def read_ad_insights(params: AdInsightsQuery, work: UnitOfWork, numbers: AdInsightsService) -> Response[AdReport]:
    """Read how ads perform, by account, campaign, ad set or ad.

    If a query takes too long to answer directly, a report is prepared: the response is 202 with a `task`, and you read
    the rows with `taskId` once it has succeeded. Amounts are in the currency of the ad account. Numbers may be up to 60
    seconds old.
    """
    report = await numbers.read_insights(work, params)
    if report.task is None:
        return Response(report)
    location = {"Location": f"/tasks/{report.task.id}"}
    return Response(report, status_code=HTTPStatus.ACCEPTED, headers=location)


@route("GET", "/ads/locations", sdk="ads.locations", tag=TAG, query=PlacesQuery, raises=_READ_ERRORS)
async def find_ad_locations(params: PlacesQuery, work: UnitOfWork, numbers: AdInsightsService) -> Page[TargetingOption]:
    """Find places to show ads in, or interests with `kind=interest`, by the beginning of their name."""
    return await numbers.search_locations(work, params)


@route("GET", "/ads/audiences", sdk="ads.audiences.list", tag=TAG, query=AudiencesQuery, raises=_READ_ERRORS)
async def list_audiences(params: AudiencesQuery, work: UnitOfWork, audiences: AudienceService) -> Page[Audience]:
    """List the audiences of an ad account, live from the platform."""
    return await audiences.list_audiences(work, params)


@route("POST", "/ads/audiences", sdk="ads.audiences.create", tag=TAG, raises=(TooManyTasks, *_CHANGE_ERRORS))
async def create_audience(data: NewAudienceBody, work: UnitOfWork, audiences: AudienceService) -> Audience:
    """Create an audience, or add people to a list of customers and remove them, up to 10,000 at once.

    Email addresses and phone numbers are normalized and hashed with SHA-256 before anything is stored. A task uploads
    the hashes: see `upload` in the response.
    """
    return await audiences.create_or_extend_audience(work, data)


@route("GET", "/ads/pixels", sdk="ads.pixels", tag=TAG, query=AudiencesQuery, raises=_READ_ERRORS)
async def list_pixels(params: AudiencesQuery, work: UnitOfWork, audiences: AudienceService) -> Page[Pixel]:
    """List the pixels of an ad account, live from the platform."""
    return await audiences.list_pixels(work, params)


@route("POST", "/ads/pixel-events", sdk="ads.send_events", tag=TAG, raises=_CHANGE_ERRORS)
async def send_pixel_events(
    data: PixelEventsBody, work: UnitOfWork, pixel_feed: PixelEventService
) -> PixelEventsResult:
    """Send events from your server to a pixel, up to 1,000 at once, with a result for each.

    Personal data is normalized and hashed with SHA-256 before anything is stored. An invalid event does not
    affect the others. Platforms count an event with the same name and id only once.
    """
    return await pixel_feed.send(work, data)


@route(
    "GET", "/ads/custom-conversions", sdk="ads.conversions.list", tag=TAG, query=ConversionsQuery, raises=_READ_ERRORS
)
async def list_conversions(
    params: ConversionsQuery, work: UnitOfWork, audiences: AudienceService
) -> Page[CustomConversion]:
    """List the custom conversions of an ad account. Some platforms require `pixelId`."""
    return await audiences.list_conversions(work, params)


@route("POST", "/ads/custom-conversions", sdk="ads.conversions.create", tag=TAG, raises=_CHANGE_ERRORS)
async def create_conversion(data: NewConversionBody, work: UnitOfWork, audiences: AudienceService) -> CustomConversion:
    """Create a custom conversion: events of a pixel that match all rules are counted as a conversion."""
    return await audiences.create_conversion(work, data)


routes = [
    list_campaigns,
    create_campaign,
    list_adsets,
    create_adset,
    list_ads,
    create_ad,
    create_adcreative,
    change_ad_object,
    delete_ad_object,
    boost_post,
    create_dark_post,
    read_ad_insights,
    find_ad_locations,
    list_audiences,
    create_audience,
    list_pixels,
    send_pixel_events,
    list_conversions,
    create_conversion,
]
