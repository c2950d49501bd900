"""Campaigns, ad groups and ads of the bakery, made with TikTok's own SDK."""

from datetime import UTC, datetime, timedelta
from typing import Any

from sandbox.tiktokads.client import TikTokAds, sdk
from socialgate_sandbox.vendors.tiktokads.seed import BAKERY_ADVERTISER, BAKERY_IDENTITY

GROUP: dict[str, Any] = {
    "adgroup_name": "Everybody",
    "promotion_type": "WEBSITE",
    "placement_type": "PLACEMENT_TYPE_AUTOMATIC",
    "optimization_goal": "CLICK",
    "billing_event": "CPC",
    "budget_mode": "BUDGET_MODE_DAY",
    "budget": 200.0,
    "schedule_type": "SCHEDULE_FROM_NOW",
    "pacing": "PACING_MODE_SMOOTH",
    "location_ids": ["2661886"],
}


class Advertising:
    """The API with one token."""

    def __init__(self, ads: TikTokAds, token: str) -> None:
        self.ads = ads
        self.token = token
        self.campaigns = sdk.CampaignCreationApi(ads.official)
        self.groups = sdk.AdgroupApi(ads.official)
        self.official = sdk.AdApi(ads.official)
        self.identities = sdk.IdentityApi(ads.official)
        self.reports = sdk.ReportingApi(ads.official)

    def campaign(self, **change: Any) -> dict[str, Any]:
        body = {"advertiser_id": BAKERY_ADVERTISER, "campaign_name": "Buns", "objective_type": "TRAFFIC", **change}
        return _data(self.campaigns.campaign_create(self.token, body=sdk.CampaignCreateBody(**body)))

    def group(self, campaign: str, **change: Any) -> dict[str, Any]:
        start = {"schedule_start_time": self.at()}
        body = {"advertiser_id": BAKERY_ADVERTISER, "campaign_id": campaign, **GROUP, **start, **change}
        return _data(self.groups.adgroup_create(self.token, body=sdk.AdgroupCreateBody(**body)))

    def ad(self, group: str, *creatives: dict[str, Any]) -> dict[str, Any]:
        body = sdk.AdCreateBody(advertiser_id=BAKERY_ADVERTISER, adgroup_id=group, creatives=list(creatives))
        return _data(self.official.ad_create(self.token, body=body))

    def running(self, **change: Any) -> tuple[str, str, str]:
        """Create a campaign with an ad group and an ad that has been approved."""
        campaign = self.campaign(campaign_name=f"Campaign {len(change)} {change.get('budget', '')}")["campaign_id"]
        group = self.group(campaign, **change)["adgroup_id"]
        (ad,) = self.ad(group, creative(self))["ad_ids"]
        self.ads.sandbox.control("clock", advance=301)
        return campaign, group, ad

    def set(self, level: str, keys: list[str], status: str) -> dict[str, Any]:
        body = {"advertiser_id": BAKERY_ADVERTISER, f"{level}_ids": keys, "operation_status": status}
        if level == "campaign":
            return _data(self.campaigns.campaign_status_update(self.token, body=sdk.CampaignStatusUpdateBody(**body)))
        if level == "adgroup":
            return _data(self.groups.adgroup_status_update(self.token, body=sdk.AdgroupStatusUpdateBody(**body)))
        return _data(self.official.ad_status_update(self.token, body=sdk.AdStatusUpdateBody(**body)))

    def status(self, level: str, key: str) -> str:
        calls = {
            "campaign": self.campaigns.campaign_get,
            "adgroup": self.groups.adgroup_get,
            "ad": self.official.ad_get,
        }
        (item,) = calls[level](BAKERY_ADVERTISER, self.token, filtering={f"{level}_ids": [key]})["data"]["list"]
        status: str = item["secondary_status"]
        return status

    def image(self) -> str:
        return str(self._file("image")["image_id"])

    def video(self) -> str:
        created = str(self._file("video")["video_id"])
        self.ads.sandbox.control("clock", advance=2)
        return created

    def at(self, later: timedelta = timedelta()) -> str:
        now = datetime.fromisoformat(self.ads.sandbox.look("clock")["now"])
        return f"{(now + later).astimezone(UTC):%Y-%m-%d %H:%M:%S}"

    def _file(self, kind: str) -> dict[str, Any]:
        """Have a file fetched. The sandbox cannot reach the address, and believes it."""
        url = {f"{kind}_url": f"https://bakery.example.com/bun.{kind}", "upload_type": "UPLOAD_BY_URL"}
        files = sdk.FileApi(self.ads.official)
        upload = files.ad_image_upload if kind == "image" else files.ad_video_upload
        data = upload(self.token, advertiser_id=BAKERY_ADVERTISER, **url)["data"]
        created: dict[str, Any] = data if kind == "image" else data[0]
        return created


def creative(shop: Advertising, **change: Any) -> dict[str, Any]:
    created = {
        "ad_name": "Buns",
        "ad_format": "SINGLE_VIDEO",
        "ad_text": "Warm at seven",
        "identity_type": "TT_USER",
        "identity_id": BAKERY_IDENTITY,
        "call_to_action": "SHOP_NOW",
        "landing_page_url": "https://bakery.example.com/buns",
        **change,
    }
    if "image_ids" not in change:
        created["image_ids"] = [shop.image()]
    if not {"video_id", "tiktok_item_id"} & set(change):
        created["video_id"] = shop.video()
    return created


def _data(answer: dict[str, Any]) -> dict[str, Any]:
    data: dict[str, Any] = answer["data"]
    return data
