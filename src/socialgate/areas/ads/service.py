"""Campaigns, ad sets, ads and creatives of ad accounts: read live, and changed by operations."""

import msgspec

from socialgate.areas.accounts.session import AccountSession
from socialgate.areas.ads import showing, store, values
from socialgate.areas.ads.ad_assets import AdAssets
from socialgate.areas.ads.boosts import BOOST, DARK_POST, Promotion, point_to_adset_options
from socialgate.areas.ads.changes import (
    CREATE_AD,
    CREATE_ADSET,
    CREATE_CAMPAIGN,
    CREATE_CREATIVE,
    LACKS,
)
from socialgate.areas.ads.creative_schemas import BoostBody, DarkPostBody, NewCreativeBody, PlanFields, PromotedPost
from socialgate.areas.ads.desk import AdDesk, currency_of
from socialgate.areas.ads.local_creatives import (
    CREATIVE_ID_PREFIX,
    LocalCreatives,
    build_local_item,
    extract_creative_fields,
)
from socialgate.areas.ads.platform_rules import PlatformRules
from socialgate.areas.ads.post_titles import PostTitles
from socialgate.areas.ads.schemas import (
    Ad,
    AdSetsQuery,
    AdsQuery,
    CampaignsQuery,
    NewAdBody,
    NewAdSetBody,
    NewCampaignBody,
)
from socialgate.areas.ads.studio import PublisherResolver, Shown
from socialgate.areas.operations.service import Operations
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.ad_objects import AdCreative, AdSet, Campaign
from socialgate.contracts.ad_values import AdSchedule, AdStatus, Goal, Optimization
from socialgate.contracts.ads import ADS, AdQuery, Ads, NewAdSet, NewAdUnit, NewCampaign, NewCreative
from socialgate.contracts.failures import PlatformNotFound
from socialgate.core.db import Tx
from socialgate.core.errors import Fault, Invalid
from socialgate.core.ids import new_id
from socialgate.core.work import Work
from socialgate.web.faults import require_accepted
from socialgate.web.schema import Page


class AdManager:
    def __init__(
        self,
        desk: AdDesk,
        session: AccountSession,
        rules: PlatformRules,
        publishers: PublisherResolver,
        creatives: LocalCreatives,
        assets: AdAssets,
        titles: PostTitles,
        operations: Operations,
    ) -> None:
        self._desk = desk
        self._session = session
        self._rules = rules
        self._publishers = publishers
        self._creatives = creatives
        self._assets = assets
        self._titles = titles
        self._operations = operations

    async def campaigns(self, work: Work, query: CampaignsQuery) -> Page[Campaign]:
        account, asked = await self._desk.account(work, query.ad_account_id), _asked(query)
        return await self._desk.page(
            account, "campaigns", ADS, LACKS, lambda part: part.campaigns, asked, showing.show_as(Campaign)
        )

    async def adsets(self, work: Work, query: AdSetsQuery) -> Page[AdSet]:
        account, asked = await self._desk.account(work, query.ad_account_id), _asked(query)
        asked = msgspec.structs.replace(asked, campaign_id=query.campaign_id)
        return await self._desk.page(
            account, "adsets", ADS, LACKS, lambda part: part.adsets, asked, showing.show_as(AdSet)
        )

    async def ads(self, work: Work, query: AdsQuery) -> Page[Ad]:
        account, asked = await self._desk.account(work, query.ad_account_id), _asked(query)
        asked = msgspec.structs.replace(asked, campaign_id=query.campaign_id, adset_id=query.adset_id)
        return await self._desk.page(account, "ads", ADS, LACKS, lambda part: part.ads, asked, showing.show_ad)

    async def create_campaign(self, work: Work, body: NewCampaignBody) -> Campaign:
        account = await self._desk.account(work, body.ad_account_id)
        part = self._part(account)
        new = NewCampaign(
            **values.build_common_fields(work, body.name),
            switch=body.status,
            options=body.platform_options,
            goal=body.goal,
            budget=body.budget,
            spend_cap=body.spend_cap,
            bid=body.bid,
            schedule=values.schedule_of(body.schedule),
            special_categories=body.special_categories,
            countries=body.countries,
        )
        currency = currency_of(account)
        limits = await self._rules.read_budget_limits(account, "campaign", new.budget)
        ours = [
            *values.budget_faults(new.budget, None, currency, limits),
            *values.currency_faults(new.spend_cap, currency, "/spendCap"),
            *values.bid_faults(new.bid, currency),
            *values.schedule_faults(new.schedule, new.asked_at),
        ]
        require_accepted(ours, part.campaigns.faults(new), "campaign")
        return await self._operations.run(work, account, CREATE_CAMPAIGN, new)

    async def create_adset(self, work: Work, body: NewAdSetBody) -> AdSet:
        account = await self._desk.account(work, body.ad_account_id)
        part = self._part(account)
        campaign = await self._campaign(account, body.campaign_id)
        new = NewAdSet(
            **values.build_common_fields(work, body.name),
            switch=body.status,
            options=body.platform_options,
            campaign_id=body.campaign_id,
            goal=campaign.goal,
            optimization=body.optimization,
            budget=body.budget,
            bid=body.bid,
            schedule=values.schedule_of(body.schedule) or AdSchedule(),
            targeting=body.targeting,
            promoted=body.promotes,
        )
        await self._publishers.require_page(work, new.promoted)
        theirs = [*part.adsets.faults(new), *await self._rules.validate_targeting(account, new.targeting, new.options)]
        require_accepted([*await self._adset_faults(account, new, campaign)], theirs, "ad set")
        return await self._operations.run(work, account, CREATE_ADSET, new)

    async def create_ad(self, work: Work, body: NewAdBody) -> Ad:
        account = await self._desk.account(work, body.ad_account_id)
        part = self._part(account)
        creative = await self._creatives.get_local_creative(work, account, body.creative_id, "/creativeId")
        new = NewAdUnit(
            **values.build_common_fields(work, body.name),
            switch=body.status,
            options=body.platform_options,
            adset_id=body.adset_id,
            creative_id=body.creative_id if creative is None else None,
            creative=creative,
            pixel_id=body.pixel_id,
        )
        require_accepted([], part.ads.faults(new), "ad")
        return await self._operations.run(work, account, CREATE_AD, new)

    async def create_creative(self, work: Work, body: NewCreativeBody) -> AdCreative:
        account = await self._desk.account(work, body.ad_account_id)
        part = self._part(account)
        shown = Shown(
            account_id=body.account_id,
            publisher_id=body.publisher_id,
            post_id=body.post_id,
            platform_post_id=body.platform_post_id,
        )
        publisher, post_id = await self._publishers.publisher(work, account, shown)
        new = NewCreative(
            **values.build_common_fields(work, body.name),
            options=body.platform_options,
            publisher=publisher,
            post_id=post_id,
            assets=await self._assets.upload_assets(work, account, body.media),
            **extract_creative_fields(body),
        )
        if part.creatives is None:
            # An ad with it shows what the platform would reject, before there is an ad set for it.
            trial = NewAdUnit(**values.build_common_fields(work, body.name), adset_id="", creative=new)
            require_accepted([], part.ads.faults(trial), "creative")
            return await work.write(self._keep_creative, account, new)
        require_accepted([], part.creatives.faults(new), "creative")
        return await self._operations.run(work, account, CREATE_CREATIVE, new)

    async def boost(self, work: Work, body: BoostBody) -> PromotedPost:
        account = await self._desk.account(work, body.ad_account_id)
        shown = Shown(
            account_id=body.account_id,
            publisher_id=body.publisher_id,
            post_id=body.post_id,
            platform_post_id=body.platform_post_id,
        )
        publisher, post_id = await self._publishers.publisher(work, account, shown, needs_post=True)
        # Some platforms accept a name only once.
        name = body.name or f"Boost of {await self._title(work, body) or post_id}, {_now(work)}"
        creative = NewCreative(
            **values.build_common_fields(work, name),
            publisher=publisher,
            post_id=post_id,
            url=body.url,
            call_to_action=body.call_to_action,
        )
        promotion = await self._promotion(work, account, body, name, creative)
        promotion = msgspec.structs.replace(promotion, post_id=body.post_id)
        return await self._operations.run_series(work, account, BOOST, promotion)

    async def dark_post(self, work: Work, body: DarkPostBody) -> PromotedPost:
        account = await self._desk.account(work, body.ad_account_id)
        given, at = body.creative, "/creative"
        shown = Shown(account_id=given.account_id, publisher_id=given.publisher_id, at=at)
        publisher, _ = await self._publishers.publisher(work, account, shown)
        name = body.name or f"Dark post of {_now(work)}"
        creative = NewCreative(
            **values.build_common_fields(work, name),
            publisher=publisher,
            assets=await self._assets.upload_assets(work, account, given.media, at),
            **extract_creative_fields(given),
        )
        promotion = await self._promotion(work, account, body, name, creative)
        return await self._operations.run_series(work, account, DARK_POST, promotion)

    async def _title(self, work: Work, body: BoostBody) -> str | None:
        if body.post_id is None or body.account_id is None:
            return None
        return await work.read(self._titles.build_post_title, work.caller.owner_id, body.post_id, body.account_id)

    async def _promotion(
        self, work: Work, account: AccountRow, body: PlanFields, name: str, creative: NewCreative
    ) -> Promotion:
        """Describe everything that is to be created, and check all of it before the first call."""
        campaign = NewCampaign(
            **values.build_common_fields(work, name),
            switch=body.status,
            goal=body.goal,
            special_categories=body.special_categories,
            countries=body.targeting.countries,
        )
        optimization = body.optimization
        if optimization is None and body.goal is Goal.VIDEO_VIEWS:
            # Not every platform has this goal for campaigns; all can optimise for it.
            optimization = Optimization.VIDEO_VIEWS
        adset = NewAdSet(
            **values.build_common_fields(work, name),
            switch=body.status,
            options=body.adset_options,
            campaign_id="",
            goal=body.goal,
            optimization=optimization,
            budget=body.budget,
            bid=body.bid,
            schedule=values.schedule_of(body.schedule) or AdSchedule(),
            targeting=body.targeting,
            promoted=body.promotes,
        )
        await self._publishers.require_page(work, adset.promoted)
        ad = NewAdUnit(**values.build_common_fields(work, name), switch=body.status, adset_id="", creative=creative)
        part = self._part(account)
        sets = [
            *part.adsets.faults(adset),
            *await self._rules.validate_targeting(account, adset.targeting, adset.options),
        ]
        shows = part.ads.faults(ad) if part.creatives is None else part.creatives.faults(creative)
        inside = "/creative" if isinstance(body, DarkPostBody) else ""
        faults = [
            *part.campaigns.faults(campaign),
            *(Fault(point_to_adset_options(fault.pointer), fault.code, fault.detail) for fault in sets),
            *(Fault(f"{inside}{fault.pointer}", fault.code, fault.detail) for fault in shows),
        ]
        require_accepted([*await self._adset_faults(account, adset, None)], faults, "ad")
        return Promotion(campaign=campaign, adset=adset, creative=creative, ad=ad)

    async def _adset_faults(self, account: AccountRow, new: NewAdSet, campaign: Campaign | None) -> list[Fault]:
        currency = currency_of(account)
        limits = await self._rules.read_budget_limits(account, "adset", new.budget)
        faults = [
            *values.budget_faults(new.budget, new.schedule, currency, limits),
            *values.bid_faults(new.bid, currency),
            *values.schedule_faults(new.schedule, new.asked_at),
            *values.targeting_faults(new.targeting, required=True),
        ]
        has_budget = campaign is not None and campaign.budget is not None
        if has_budget and new.budget is not None:
            detail = "The campaign has a budget, which it divides among its ad sets. Omit it here."
            faults.append(Fault("/budget", "contradiction", detail))
        elif not has_budget and new.budget is None:
            detail = "The campaign has no budget, so the ad set needs one."
            faults.append(Fault("/budget", "required", detail))
        return faults

    async def _campaign(self, account: AccountRow, campaign_id: str) -> Campaign:
        try:
            return await self._desk.read(
                account, "campaign", ADS, LACKS, lambda part, held: part.campaigns.find(held, campaign_id), campaign_id
            )
        except PlatformNotFound:
            detail = "The ad account has no campaign with this id. GET /ads/campaigns lists them."
            raise Invalid.at("/campaignId", "not_found", detail) from None

    def _part(self, account: AccountRow) -> Ads:
        return self._session.part(account, ADS, LACKS)

    async def _keep_creative(self, tx: Tx, account: AccountRow, new: NewCreative) -> AdCreative:
        creative_id = new_id(CREATIVE_ID_PREFIX)
        await store.insert_creative(tx, account.owner_id, creative_id, account.id, msgspec.to_builtins(new))
        row = await self._creatives.find_creative(tx, account, creative_id)
        assert row is not None, "it was written in this very transaction"
        return showing.show_as(AdCreative)(account, build_local_item(row))


def _now(work: Work) -> str:
    return f"{work.db.clock.now():%Y-%m-%d %H:%M:%S}"


def _asked(query: CampaignsQuery) -> AdQuery:
    known = [status.value for status in AdStatus]
    given = tuple(dict.fromkeys(one.strip() for one in (query.status or "").split(",") if one.strip()))
    if unknown := [one for one in given if one not in known]:
        raise Invalid.at("?status", "invalid", f"Unknown status: {', '.join(unknown)}. Known: {', '.join(known)}.")
    statuses = tuple(AdStatus(one) for one in given)
    return AdQuery(statuses=statuses, name=query.q, limit=query.limit, cursor=query.cursor)
