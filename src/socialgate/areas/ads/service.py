"""Campaigns, ad sets, ads and creatives of ad accounts: read live, and changed by operations."""

import msgspec

from socialgate.areas.accounts.session import AccountSession
from socialgate.areas.ads import store, value_conversion, views
from socialgate.areas.ads.ad_account_reader import AdAccountReader, get_currency
from socialgate.areas.ads.ad_assets import AdAssets
from socialgate.areas.ads.creative_schemas import (
    BoostBody,
    DarkPostBody,
    NewCreativeBody,
    PromotedPost,
    PromotionFields,
)
from socialgate.areas.ads.local_creatives import (
    CREATIVE_ID_PREFIX,
    LocalCreatives,
    build_local_item,
    extract_creative_fields,
)
from socialgate.areas.ads.object_operations import (
    CREATE_AD_OPERATION,
    CREATE_ADSET_OPERATION,
    CREATE_CAMPAIGN_OPERATION,
    CREATE_CREATIVE_OPERATION,
    NO_ADS_PHRASE,
)
from socialgate.areas.ads.platform_rules import AdPlatformRules
from socialgate.areas.ads.post_titles import PostTitles
from socialgate.areas.ads.promotions import BOOST, DARK_POST, Promotion, build_adset_options_pointer
from socialgate.areas.ads.publisher_resolver import PublisherRequest, PublisherResolver
from socialgate.areas.ads.schemas import (
    Ad,
    AdSetsQuery,
    AdsQuery,
    CampaignsQuery,
    NewAdBody,
    NewAdSetBody,
    NewCampaignBody,
)
from socialgate.areas.operations.service import OperationService
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.ad_objects import AdCreative, AdSet, Campaign
from socialgate.contracts.ad_values import AdSchedule, AdStatus, Goal, Optimization
from socialgate.contracts.ads import (
    ADVERTISING_CAPABILITY,
    AdAdapters,
    AdQuery,
    NewAdSet,
    NewAdUnit,
    NewCampaign,
    NewCreative,
)
from socialgate.contracts.failures import PlatformNotFoundError
from socialgate.core.db import Tx
from socialgate.core.errors import Fault, InvalidRequest
from socialgate.core.ids import new_id
from socialgate.core.unit_of_work import UnitOfWork
from socialgate.web.field_errors import require_no_errors
from socialgate.web.schemas import Page


class AdService:
    def __init__(
        self,
        desk: AdAccountReader,
        session: AccountSession,
        rules: AdPlatformRules,
        publishers: PublisherResolver,
        creatives: LocalCreatives,
        assets: AdAssets,
        titles: PostTitles,
        operations: OperationService,
    ) -> None:
        self._desk = desk
        self._session = session
        self._rules = rules
        self._publishers = publishers
        self._creatives = creatives
        self._assets = assets
        self._titles = titles
        self._operations = operations

    async def list_campaigns(self, work: UnitOfWork, query: CampaignsQuery) -> Page[Campaign]:
        account, requested_query = await self._desk.find_account(work, query.ad_account_id), _parse_query(query)
        return await self._desk.list_page(
            account,
            "campaigns",
            ADVERTISING_CAPABILITY,
            NO_ADS_PHRASE,
            lambda part: part.campaigns,
            requested_query,
            views.build_item_view_builder(Campaign),
        )

    async def get_campaign(self, work: UnitOfWork, ad_account_id: str, campaign_id: str) -> Campaign:
        account = await self._desk.find_account(work, ad_account_id)
        return views.build_item_view_builder(Campaign)(account, await self._fetch_campaign(account, campaign_id))

    async def list_adsets(self, work: UnitOfWork, query: AdSetsQuery) -> Page[AdSet]:
        account, requested_query = await self._desk.find_account(work, query.ad_account_id), _parse_query(query)
        requested_query = msgspec.structs.replace(requested_query, campaign_id=query.campaign_id)
        return await self._desk.list_page(
            account,
            "adsets",
            ADVERTISING_CAPABILITY,
            NO_ADS_PHRASE,
            lambda part: part.adsets,
            requested_query,
            views.build_item_view_builder(AdSet),
        )

    async def list_ads(self, work: UnitOfWork, query: AdsQuery) -> Page[Ad]:
        account, requested_query = await self._desk.find_account(work, query.ad_account_id), _parse_query(query)
        requested_query = msgspec.structs.replace(
            requested_query, campaign_id=query.campaign_id, adset_id=query.adset_id
        )
        return await self._desk.list_page(
            account,
            "ads",
            ADVERTISING_CAPABILITY,
            NO_ADS_PHRASE,
            lambda part: part.ads,
            requested_query,
            views.build_ad_view,
        )

    async def create_campaign(self, work: UnitOfWork, body: NewCampaignBody) -> Campaign:
        account = await self._desk.find_account(work, body.ad_account_id)
        part = self._get_ads_adapter(account)
        new = NewCampaign(
            **value_conversion.build_creation_fields(work, body.name),
            configured_status=body.status,
            options=body.platform_options,
            goal=body.goal,
            budget=body.budget,
            spend_cap=body.spend_cap,
            bid=body.bid,
            schedule=value_conversion.convert_schedule_to_utc(body.schedule),
            special_categories=body.special_categories,
            countries=body.countries,
        )
        currency = get_currency(account)
        limits = await self._rules.read_budget_limits(account, "campaign", new.budget)
        ours = [
            *value_conversion.validate_budget(new.budget, None, currency, limits),
            *value_conversion.validate_account_currency(new.spend_cap, currency, "/spendCap"),
            *value_conversion.validate_bid(new.bid, currency),
            *value_conversion.validate_schedule(new.schedule, new.asked_at),
        ]
        require_no_errors(ours, part.campaigns.validate_new_object(new), "campaign")
        return await self._operations.run(work, account, CREATE_CAMPAIGN_OPERATION, new)

    async def create_adset(self, work: UnitOfWork, body: NewAdSetBody) -> AdSet:
        account = await self._desk.find_account(work, body.ad_account_id)
        part = self._get_ads_adapter(account)
        campaign = await self._fetch_campaign(account, body.campaign_id)
        new = NewAdSet(
            **value_conversion.build_creation_fields(work, body.name),
            configured_status=body.status,
            options=body.platform_options,
            campaign_id=body.campaign_id,
            goal=campaign.goal,
            optimization=body.optimization,
            budget=body.budget,
            bid=body.bid,
            schedule=value_conversion.convert_schedule_to_utc(body.schedule) or AdSchedule(),
            targeting=body.targeting,
            promoted_object=body.promotes,
        )
        await self._publishers.require_page_access(work, new.promoted_object)
        theirs = [
            *part.adsets.validate_new_object(new),
            *await self._rules.validate_targeting(account, new.targeting, new.options),
        ]
        require_no_errors([*await self._validate_adset(account, new, campaign)], theirs, "ad set")
        return await self._operations.run(work, account, CREATE_ADSET_OPERATION, new)

    async def create_ad(self, work: UnitOfWork, body: NewAdBody) -> Ad:
        account = await self._desk.find_account(work, body.ad_account_id)
        part = self._get_ads_adapter(account)
        creative = await self._creatives.get_local_creative(work, account, body.creative_id, "/creativeId")
        new = NewAdUnit(
            **value_conversion.build_creation_fields(work, body.name),
            configured_status=body.status,
            options=body.platform_options,
            adset_id=body.adset_id,
            creative_id=body.creative_id if creative is None else None,
            creative=creative,
            pixel_id=body.pixel_id,
        )
        require_no_errors([], part.ads.validate_new_object(new), "ad")
        return await self._operations.run(work, account, CREATE_AD_OPERATION, new)

    async def create_creative(self, work: UnitOfWork, body: NewCreativeBody) -> AdCreative:
        account = await self._desk.find_account(work, body.ad_account_id)
        part = self._get_ads_adapter(account)
        shown = PublisherRequest(
            account_id=body.account_id,
            publisher_id=body.publisher_id,
            post_id=body.post_id,
            platform_post_id=body.platform_post_id,
        )
        publisher, post_id = await self._publishers.resolve_publisher(work, account, shown)
        new = NewCreative(
            **value_conversion.build_creation_fields(work, body.name),
            options=body.platform_options,
            publisher=publisher,
            post_id=post_id,
            assets=await self._assets.upload_assets(work, account, body.media),
            **extract_creative_fields(body),
        )
        if part.creatives is None:
            # An ad with it shows what the platform would reject, before there is an ad set for it.
            trial = NewAdUnit(**value_conversion.build_creation_fields(work, body.name), adset_id="", creative=new)
            require_no_errors([], part.ads.validate_new_object(trial), "creative")
            return await work.write(self._insert_creative, account, new)
        require_no_errors([], part.creatives.validate_new_object(new), "creative")
        return await self._operations.run(work, account, CREATE_CREATIVE_OPERATION, new)

    async def boost_post(self, work: UnitOfWork, body: BoostBody) -> PromotedPost:
        account = await self._desk.find_account(work, body.ad_account_id)
        shown = PublisherRequest(
            account_id=body.account_id,
            publisher_id=body.publisher_id,
            post_id=body.post_id,
            platform_post_id=body.platform_post_id,
        )
        publisher, post_id = await self._publishers.resolve_publisher(work, account, shown, needs_post=True)
        # Some platforms accept a name only once.
        name = body.name or f"Boost of {await self._find_post_title(work, body) or post_id}, {_format_now(work)}"
        creative = NewCreative(
            **value_conversion.build_creation_fields(work, name),
            publisher=publisher,
            post_id=post_id,
            url=body.url,
            call_to_action=body.call_to_action,
        )
        promotion = await self._build_promotion(work, account, body, name, creative)
        promotion = msgspec.structs.replace(promotion, post_id=body.post_id)
        return await self._operations.run_series(work, account, BOOST, promotion)

    async def create_dark_post(self, work: UnitOfWork, body: DarkPostBody) -> PromotedPost:
        account = await self._desk.find_account(work, body.ad_account_id)
        dark_creative, at = body.creative, "/creative"
        shown = PublisherRequest(account_id=dark_creative.account_id, publisher_id=dark_creative.publisher_id, at=at)
        publisher, _ = await self._publishers.resolve_publisher(work, account, shown)
        name = body.name or f"Dark post of {_format_now(work)}"
        creative = NewCreative(
            **value_conversion.build_creation_fields(work, name),
            publisher=publisher,
            assets=await self._assets.upload_assets(work, account, dark_creative.media, at),
            **extract_creative_fields(dark_creative),
        )
        promotion = await self._build_promotion(work, account, body, name, creative)
        return await self._operations.run_series(work, account, DARK_POST, promotion)

    async def _find_post_title(self, work: UnitOfWork, body: BoostBody) -> str | None:
        if body.post_id is None or body.account_id is None:
            return None
        return await work.read(self._titles.build_post_title, work.caller.owner_id, body.post_id, body.account_id)

    async def _build_promotion(
        self, work: UnitOfWork, account: AccountRow, body: PromotionFields, name: str, creative: NewCreative
    ) -> Promotion:
        """Describe everything that is to be created, and check all of it before the first call."""
        campaign = NewCampaign(
            **value_conversion.build_creation_fields(work, name),
            configured_status=body.status,
            goal=body.goal,
            special_categories=body.special_categories,
            countries=body.targeting.countries,
        )
        optimization = body.optimization
        if optimization is None and body.goal is Goal.VIDEO_VIEWS:
            # Not every platform has this goal for campaigns; all can optimise for it.
            optimization = Optimization.VIDEO_VIEWS
        adset = NewAdSet(
            **value_conversion.build_creation_fields(work, name),
            configured_status=body.status,
            options=body.adset_options,
            campaign_id="",
            goal=body.goal,
            optimization=optimization,
            budget=body.budget,
            bid=body.bid,
            schedule=value_conversion.convert_schedule_to_utc(body.schedule) or AdSchedule(),
            targeting=body.targeting,
            promoted_object=body.promotes,
        )
        await self._publishers.require_page_access(work, adset.promoted_object)
        ad = NewAdUnit(
            **value_conversion.build_creation_fields(work, name),
            configured_status=body.status,
            adset_id="",
            creative=creative,
        )
        part = self._get_ads_adapter(account)
        sets = [
            *part.adsets.validate_new_object(adset),
            *await self._rules.validate_targeting(account, adset.targeting, adset.options),
        ]
        shows = (
            part.ads.validate_new_object(ad) if part.creatives is None else part.creatives.validate_new_object(creative)
        )
        inside = "/creative" if isinstance(body, DarkPostBody) else ""
        faults = [
            *part.campaigns.validate_new_object(campaign),
            *(Fault(build_adset_options_pointer(fault.pointer), fault.code, fault.detail) for fault in sets),
            *(Fault(f"{inside}{fault.pointer}", fault.code, fault.detail) for fault in shows),
        ]
        require_no_errors([*await self._validate_adset(account, adset, None)], faults, "ad")
        return Promotion(campaign=campaign, adset=adset, creative=creative, ad=ad)

    async def _validate_adset(self, account: AccountRow, new: NewAdSet, campaign: Campaign | None) -> list[Fault]:
        currency = get_currency(account)
        limits = await self._rules.read_budget_limits(account, "adset", new.budget)
        faults = [
            *value_conversion.validate_budget(new.budget, new.schedule, currency, limits),
            *value_conversion.validate_bid(new.bid, currency),
            *value_conversion.validate_schedule(new.schedule, new.asked_at),
            *value_conversion.validate_targeting(new.targeting, required=True),
        ]
        has_budget = campaign is not None and campaign.budget is not None
        if has_budget and new.budget is not None:
            detail = "The campaign has a budget, which it divides among its ad sets. Omit it here."
            faults.append(Fault("/budget", "contradiction", detail))
        elif not has_budget and new.budget is None:
            detail = "The campaign has no budget, so the ad set needs one."
            faults.append(Fault("/budget", "required", detail))
        return faults

    async def _fetch_campaign(self, account: AccountRow, campaign_id: str) -> Campaign:
        try:
            return await self._desk.read_live(
                account,
                "campaign",
                ADVERTISING_CAPABILITY,
                NO_ADS_PHRASE,
                lambda part, credentials: part.campaigns.find(credentials, campaign_id),
                campaign_id,
            )
        except PlatformNotFoundError:
            detail = "The ad account has no campaign with this id. GET /ads/campaigns lists them."
            raise InvalidRequest.for_field("/campaignId", "not_found", detail) from None

    def _get_ads_adapter(self, account: AccountRow) -> AdAdapters:
        return self._session.get_adapter(account, ADVERTISING_CAPABILITY, NO_ADS_PHRASE)

    async def _insert_creative(self, tx: Tx, account: AccountRow, new: NewCreative) -> AdCreative:
        creative_id = new_id(CREATIVE_ID_PREFIX)
        await store.insert_creative(tx, account.owner_id, creative_id, account.id, msgspec.to_builtins(new))
        row = await self._creatives.find_creative(tx, account, creative_id)
        assert row is not None, "it was written in this very transaction"
        return views.build_item_view_builder(AdCreative)(account, build_local_item(row))


def _format_now(work: UnitOfWork) -> str:
    return f"{work.db.clock.now():%Y-%m-%d %H:%M:%S}"


def _parse_query(query: CampaignsQuery) -> AdQuery:
    known = [status.value for status in AdStatus]
    params = tuple(dict.fromkeys(value.strip() for value in (query.status or "").split(",") if value.strip()))
    if unknown := [value for value in params if value not in known]:
        raise InvalidRequest.for_field(
            "?status", "invalid", f"Unknown status: {', '.join(unknown)}. Known: {', '.join(known)}."
        )
    statuses = tuple(AdStatus(value) for value in params)
    return AdQuery(statuses=statuses, name=query.q, limit=query.limit, cursor=query.cursor)
