"""An ad account of the sandbox with Meta's own SDK, and the shortest way to an ad that runs."""

from collections.abc import Callable
from typing import Any

import pytest
from facebook_business.adobjects.adaccount import AdAccount
from facebook_business.exceptions import FacebookRequestError

from sandbox.meta.sdk import Sdk
from sandbox.meta.signing_in import Meta
from socialgate_sandbox.vendors.meta.seed import ADA, ADA_ADS, BAKERY

HOUR, DAY = 3600, 86400
TARGETING = {"geo_locations": {"countries": ["US"]}, "targeting_automation": {"advantage_audience": 0}}
CAMPAIGN = {
    "name": "Buns",
    "objective": "OUTCOME_TRAFFIC",
    "special_ad_categories": [],
    "is_adset_budget_sharing_enabled": False,
    "status": "ACTIVE",
}
AD_SET = {
    "name": "Everybody",
    "optimization_goal": "LINK_CLICKS",
    "billing_event": "IMPRESSIONS",
    "daily_budget": 20_000,
    "targeting": TARGETING,
    "status": "ACTIVE",
}
LINK = {"link": "https://bakery.example.com/", "message": "Warm buns"}
STORY = {"page_id": BAKERY, "link_data": LINK}


class Ads:
    """One ad account."""

    def __init__(self, meta: Meta, sdk: Sdk, person: str = ADA, key: str = ADA_ADS) -> None:
        self.meta = meta
        self.token = meta.long(person)
        self.api = sdk.api(self.token)
        self.account = AdAccount(key, api=self.api)

    def campaign(self, **change: Any) -> str:
        return str(self.account.create_campaign(params=_changed(CAMPAIGN, change))["id"])

    def ad_set(self, campaign: str = "", **change: Any) -> str:
        params = {"campaign_id": campaign or self.campaign(), **AD_SET}
        return str(self.account.create_ad_set(params=_changed(params, change))["id"])

    def declared_ad_set(self, **change: Any) -> str:
        """Make an ad set with declarations. The SDK warns of the documented words: it only knows their numbers."""
        params = _changed({"campaign_id": self.campaign(), **AD_SET}, change)
        return str(self.api.call("POST", (self.account["id"], "adsets"), params=params).json()["id"])

    def creative(self, **change: Any) -> str:
        params = {"name": "Buns", "object_story_spec": STORY}
        return str(self.account.create_ad_creative(params=_changed(params, change))["id"])

    def ad(self, ad_set: str = "", **change: Any) -> str:
        shown = {"creative_id": change.pop("creative", "") or self.creative()}
        params = {"name": "Ad", "adset_id": ad_set or self.ad_set(), "status": "ACTIVE", "creative": shown}
        return str(self.account.create_ad(params=_changed(params, change))["id"])

    def numbers(self, **query: Any) -> Any:
        request = {"platform": "meta", "account": self.account["id"], **query}
        answer = self.meta.platform.running.client.get("/_control/numbers", params=request)
        assert answer.status_code == 200, answer.text
        return answer.json()


def _changed(params: dict[str, Any], change: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in {**params, **change}.items() if value is not None}


def refused(do: Callable[[], Any]) -> FacebookRequestError:
    with pytest.raises(FacebookRequestError) as failed:
        do()
    return failed.value


def codes(do: Callable[[], Any]) -> tuple[Any, Any]:
    error = refused(do)
    return error.api_error_code(), error.api_error_subcode()
