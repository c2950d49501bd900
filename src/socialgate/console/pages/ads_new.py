"""A new ad in three steps: its campaign, whom it is shown to, and what it shows. Each step is checked as by the API."""

from collections.abc import Sequence

from socialgate.areas.accounts.schemas import AdAccount
from socialgate.areas.accounts.service import AccountService
from socialgate.areas.ads.audiences import AudienceService
from socialgate.areas.ads.creative_schemas import NewCreativeBody
from socialgate.areas.ads.objects import AdObjectService
from socialgate.areas.ads.schemas import Ad, AdObjectDeletionQuery, NewAdBody, NewAdSetBody, NewCampaignBody
from socialgate.areas.ads.service import AdService
from socialgate.areas.media.schemas import MediaItem, MediaQuery
from socialgate.areas.media.service import MediaService
from socialgate.console.advertising.ad_accounts import choose_account, list_ad_accounts, list_publishers
from socialgate.console.advertising.ad_choices import list_audience_choices, list_pixels
from socialgate.console.advertising.ad_forms import (
    BUDGET_TYPES,
    BUTTONS,
    CATEGORIES,
    GOALS,
    OPTIMIZATIONS,
    read_body,
)
from socialgate.console.forms import FormData, read_form
from socialgate.console.keyed_work import run_once
from socialgate.console.page import Done, Outcome, Values, console_page
from socialgate.console.pages.ads import ADS_PATH, AdAccountChoice
from socialgate.console.pages.media import get_own_address, is_previewed
from socialgate.console.rendering import AnyRequest
from socialgate.console.visit import PageQuery, Visit
from socialgate.contracts.ad_fields import PlatformId
from socialgate.contracts.ad_objects import AdCreative, AdSet, Campaign
from socialgate.contracts.ad_values import AdType
from socialgate.contracts.ads import ADVERTISING_CAPABILITY
from socialgate.contracts.connector_registry import ConnectorRegistry
from socialgate.core.errors import InvalidRequest, NotFound, ServiceError

NEW_AD_PATH = "/console/ads/new"
_LIBRARY_FILES = 24
_SHOWN_TYPES = ("image", "video")
_MIN_SERVER_ERROR_STATUS = 500


class NewAdQuery(PageQuery, frozen=True, kw_only=True):
    """How far it is: nothing yet, a campaign, or an ad set in it."""

    account: AdAccountChoice | None = None
    campaign: PlatformId | None = None
    adset: PlatformId | None = None


@console_page(NEW_AD_PATH, "ad_new.html", query=NewAdQuery)
async def new_ad_page(
    visit: Visit,
    params: NewAdQuery,
    accounts: AccountService,
    ads: AdService,
    audiences: AudienceService,
    library: MediaService,
    catalogue: ConnectorRegistry,
) -> Values:
    able = await list_ad_accounts(visit, accounts, ADVERTISING_CAPABILITY.name)
    account = choose_account(able, params.account)
    step = 1 if params.campaign is None else 2 if params.adset is None else 3
    values: dict[str, object] = {
        "accounts": able,
        "account": account,
        "step": step,
        "campaign": await _find_campaign(visit, ads, account, params.campaign),
        "goals": GOALS,
        "optimizations": OPTIMIZATIONS,
        "categories": CATEGORIES,
        "buttons": BUTTONS,
        "budget_types": BUDGET_TYPES,
        "ads_path": ADS_PATH,
    }
    if account is not None and step == 2:  # noqa: PLR2004 - of three steps
        values["audiences"] = await list_audience_choices(visit, audiences, account)
        values["pixels"] = await list_pixels(visit, audiences, account)
    elif account is not None and step == 3:  # noqa: PLR2004 - of three steps
        values["publishers"] = await list_publishers(visit, accounts, catalogue, [account])
        values["library"] = await _list_files(visit, library)
        values |= {"address_of": get_own_address, "is_previewed": is_previewed}
    return values


@new_ad_page.form("campaign", None)
async def create_campaign(
    visit: Visit, params: NewAdQuery, request: AnyRequest, accounts: AccountService, ads: AdService
) -> Outcome:
    form, account = await _read(visit, params, request, accounts, "campaign")
    body = read_body(form, account, visit.zone, NewCampaignBody)
    campaign = await run_once(visit, form, "campaign", Campaign, lambda work: ads.create_campaign(work, body))
    to = visit.link(NEW_AD_PATH, account=account.id, campaign=campaign.id)
    return Done(f"{campaign.name} was created. It spends nothing until an ad in it runs.", to=to)


@new_ad_page.form("adset", None)
async def create_adset(
    visit: Visit, params: NewAdQuery, request: AnyRequest, accounts: AccountService, ads: AdService
) -> Outcome:
    form, account = await _read(visit, params, request, accounts, "adset")
    body = read_body(form, account, visit.zone, NewAdSetBody, campaignId=params.campaign)
    adset = await run_once(visit, form, f"adset {params.campaign}", AdSet, lambda work: ads.create_adset(work, body))
    to = visit.link(NEW_AD_PATH, account=account.id, campaign=params.campaign, adset=adset.id)
    return Done(f"{adset.name} was created. It spends nothing until an ad in it runs.", to=to)


@new_ad_page.form("ad", None)
async def create_ad(
    visit: Visit,
    params: NewAdQuery,
    request: AnyRequest,
    accounts: AccountService,
    ads: AdService,
    objects: AdObjectService,
) -> Outcome:
    form, account = await _read(visit, params, request, accounts, "ad")
    status = form.value("status", "paused")
    body = read_body(form.replaced(status=()), account, visit.zone, NewCreativeBody)
    creative = await run_once(visit, form, "creative", AdCreative, lambda work: ads.create_creative(work, body))
    new = NewAdBody(
        ad_account_id=account.id,
        adset_id=params.adset or "",
        creative_id=creative.id,
        name=body.name,
        status="active" if status == "active" else "paused",
    )
    try:
        created = await run_once(visit, form, "ad", Ad, lambda work: ads.create_ad(work, new))
    except ServiceError as failure:
        if failure.status < _MIN_SERVER_ERROR_STATUS:
            await _remove_creative(visit, objects, account, creative.id)
        raise
    to = visit.link(ADS_PATH, account=account.id, campaign=params.campaign)
    is_on = new.status == "active"
    return Done(f"{created.name} was created {'and is on' if is_on else 'as paused'}.", to=to)


async def _list_files(visit: Visit, library: MediaService) -> Sequence[MediaItem]:
    query = MediaQuery(limit=_LIBRARY_FILES, profile_id=visit.query.profile)
    listed = (await visit.work.read(library.list_media, visit.caller, query)).data
    return [item for item in listed if item.type in _SHOWN_TYPES]


async def _find_campaign(
    visit: Visit, ads: AdService, account: AdAccount | None, campaign_id: str | None
) -> Campaign | None:
    if account is None or campaign_id is None:
        return None
    try:
        return await ads.get_campaign(visit.work, account.id, campaign_id)
    except InvalidRequest as failure:
        raise NotFound("The ad account has no campaign with this id. It may have been deleted.") from failure


async def _read(
    visit: Visit, params: NewAdQuery, request: AnyRequest, accounts: AccountService, name: str
) -> tuple[FormData, AdAccount]:
    form = await read_form(request)
    visit.keep_form(name, form)
    account = choose_account(await list_ad_accounts(visit, accounts, ADVERTISING_CAPABILITY.name), params.account)
    if account is None:
        raise NotFound("There is no ad account. Connect one first.")
    return form, account


async def _remove_creative(visit: Visit, objects: AdObjectService, account: AdAccount, creative_id: str) -> None:
    """Remove what an ad that was rejected would have shown. If that fails too, it is not in anybody's way."""
    query = AdObjectDeletionQuery(ad_account_id=account.id, type=AdType.ADCREATIVE, id=creative_id)
    try:
        await objects.delete(visit.work, query)
    except ServiceError:
        return
