"""Subscribing to the leads of an ad account, with a separate URL for each."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from socialgate.connectors.tiktokads.api import TikTokAdsApi
from socialgate.connectors.tiktokads.manifest import LEADS_SCOPE
from socialgate.contracts.account_connection import AccountCredentials, WebhookEndpoint
from socialgate.contracts.failures import NeedsReconnectionError, PermissionMissingError, PlatformNotFoundError

_SUBSCRIBED_ENTITY = "LEAD"
_PAGE_SIZE = 1000
# A list that never ends would keep a request forever.
_MAX_PAGES = 100


class _Subscription(msgspec.Struct, frozen=True):
    subscription_id: int | str
    subscription_detail: Mapping[str, Any] = {}


class _PageInfo(msgspec.Struct, frozen=True):
    total_page: int = 1


class _SubscriptionPage(msgspec.Struct, frozen=True):
    subscriptions: Sequence[_Subscription] = ()
    page_info: _PageInfo = _PageInfo()


class TikTokAdsWebhookSubscriber:
    """Only an administrator of the ad account can read its leads: for others there is nothing to subscribe to."""

    def __init__(self, api: TikTokAdsApi) -> None:
        self._api = api

    async def subscribe(self, credentials: AccountCredentials, callback: WebhookEndpoint) -> None:
        """Subscribe with the current token. An earlier subscription may have a dead one."""
        if LEADS_SCOPE not in credentials.grant.scopes:
            return
        token = credentials.grant.access_token
        detail = {
            "access_token": token,
            "advertiser_id": credentials.platform_account_id,
            "lead_source": "INSTANT_FORM",
        }
        values = {"subscribe_entity": _SUBSCRIBED_ENTITY, "callback_url": callback.url, "subscription_detail": detail}
        before = await self._list_subscription_ids(credentials.platform_account_id)
        try:
            # A second one sends the same leads again, which are known by then.
            await self._post("subscribe", values, token, callback.url)
        except PermissionMissingError:
            return
        for value in before:
            await self._delete_subscription(value)

    async def unsubscribe(self, credentials: AccountCredentials) -> None:
        try:
            for value in await self._list_subscription_ids(credentials.platform_account_id):
                await self._delete_subscription(value)
        except NeedsReconnectionError:
            return

    async def _list_subscription_ids(self, advertiser: str) -> Sequence[str]:
        """List the subscriptions for an ad account among all of the app."""
        subscriptions: list[_Subscription] = []
        access = self._api.build_authorized_client()
        for page in range(1, _MAX_PAGES + 1):
            query = {
                **self._api.app_credentials,
                "subscribe_entity": _SUBSCRIBED_ENTITY,
                "page": page,
                "page_size": _PAGE_SIZE,
            }
            rows = await access.get("subscription/get/", _SubscriptionPage, **query)
            subscriptions += rows.subscriptions
            if page >= rows.page_info.total_page:
                break
        return [
            str(subscription.subscription_id)
            for subscription in subscriptions
            if str(subscription.subscription_detail.get("advertiser_id")) == advertiser
        ]

    async def _delete_subscription(self, subscription: str) -> None:
        try:
            await self._post("unsubscribe", {"subscription_id": subscription})
        except PlatformNotFoundError:
            return

    async def _post(self, action: str, fields: Mapping[str, Any], *hidden: str) -> None:
        access, body = self._api.build_authorized_client(), {**self._api.app_credentials, **fields}
        hidden = (*hidden, self._api.app_credentials["secret"])
        await access.post(f"subscription/{action}/", object, body, repeatable=True, secret_values=hidden)
