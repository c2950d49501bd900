"""Subscribing to the leads of an ad account, with a separate URL for each."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from socialgate.connectors.tiktokads.manifest import LEADS
from socialgate.connectors.tiktokads.wire import TikTokAdsApi
from socialgate.contracts.connecting import AccountCredentials, Callback
from socialgate.contracts.failures import NeedsReconnection, PermissionMissing, PlatformNotFound

_ENTITY = "LEAD"
_ROWS = 1000
# A list that never ends would keep a request forever.
_MOST_PAGES = 100


class _Subscription(msgspec.Struct, frozen=True):
    subscription_id: int | str
    subscription_detail: Mapping[str, Any] = {}


class _Pages(msgspec.Struct, frozen=True):
    total_page: int = 1


class _Subscriptions(msgspec.Struct, frozen=True):
    subscriptions: Sequence[_Subscription] = ()
    page_info: _Pages = _Pages()


class TikTokAdsSubscribing:
    """Only an administrator of the ad account can read its leads: for others there is nothing to subscribe to."""

    def __init__(self, api: TikTokAdsApi) -> None:
        self._api = api

    async def subscribe(self, held: AccountCredentials, callback: Callback) -> None:
        """Subscribe with the current token. An earlier subscription may have a dead one."""
        if LEADS not in held.grant.scopes:
            return
        token = held.grant.access_token
        detail = {
            "access_token": token,
            "advertiser_id": held.platform_account_id,
            "lead_source": "INSTANT_FORM",
        }
        wanted = {"subscribe_entity": _ENTITY, "callback_url": callback.url, "subscription_detail": detail}
        before = await self._of(held.platform_account_id)
        try:
            # A second one sends the same leads again, which are known by then.
            await self._post("subscribe", wanted, token, callback.url)
        except PermissionMissing:
            return
        for one in before:
            await self._end(one)

    async def unsubscribe(self, held: AccountCredentials) -> None:
        try:
            for one in await self._of(held.platform_account_id):
                await self._end(one)
        except NeedsReconnection:
            return

    async def _of(self, advertiser: str) -> Sequence[str]:
        """List the subscriptions for an ad account among all of the app."""
        found: list[_Subscription] = []
        access = self._api.access()
        for page in range(1, _MOST_PAGES + 1):
            query = {**self._api.credentials, "subscribe_entity": _ENTITY, "page": page, "page_size": _ROWS}
            rows = await access.get("subscription/get/", _Subscriptions, **query)
            found += rows.subscriptions
            if page >= rows.page_info.total_page:
                break
        return [
            str(one.subscription_id) for one in found if str(one.subscription_detail.get("advertiser_id")) == advertiser
        ]

    async def _end(self, subscription: str) -> None:
        try:
            await self._post("unsubscribe", {"subscription_id": subscription})
        except PlatformNotFound:
            return

    async def _post(self, what: str, fields: Mapping[str, Any], *hidden: str) -> None:
        access, body = self._api.access(), {**self._api.credentials, **fields}
        hidden = (*hidden, self._api.credentials["secret"])
        await access.post(f"subscription/{what}/", object, body, repeatable=True, hidden=hidden)
