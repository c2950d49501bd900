# Generated from the OpenAPI document by `make reference`. Do not edit: change the route and run it again.
"""Connect accounts: by consent in a browser, by a credential, or by scanning a code."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from .. import params
from .._async.client import AsyncRawSender
from .._async.pages import AsyncPages
from .._call import Call, new_key
from .._models import OMIT, Omit
from .._resource import AsyncResource, Resource, async_raw, async_raw_page, raw, raw_page
from .._sync.client import RawSender
from .._sync.pages import Pages
from .._wire import fill, pack, pack_query
from ..types import (
    Account,
    ConnectableAccounts,
    ConnectedAccounts,
    ConnectedAdAccounts,
    ConnectLink,
    ConnectLinkCreated,
    ConnectLinkPage,
    ConnectStarted,
    DeletionConfirmation,
    PairingQrCode,
)


class ConnectLinksResource(Resource):
    """Connect accounts: by consent in a browser, by a credential, or by scanning a code."""

    @cached_property
    def with_raw_response(self) -> ConnectLinksResourceWithRawResponse:
        """The same methods, which return status and headers too."""
        return ConnectLinksResourceWithRawResponse(ConnectLinksResource(RawSender(self._root), self._root))

    def list(
        self,
        *,
        limit: int | None = None,
        profile_id: str | None = None,
    ) -> Pages[ConnectLink, ConnectLinkPage]:
        """List the connect links, newest first, without their URLs. Expired links are listed for 30 more days.

        Args:
            limit: Maximum number of rows per page.
            profile_id: Only links of this profile.

        """
        call: Call[ConnectLinkPage] = Call(
            method="GET",
            path="/connect/links",
            returns=ConnectLinkPage,
            query=pack_query({"limit": limit, "profileId": profile_id}),
        )
        return Pages(self._client, call, "cursor")

    def get(
        self,
        link_id: str,
    ) -> ConnectLink:
        """Return one connect link, with the accounts that were connected with it.

        Args:
            link_id: The id of a connect link, `lnk_…`; not the token in its URL.

        """
        call: Call[ConnectLink] = Call(
            method="GET",
            path=fill("/connect/links/{}", link_id),
            returns=ConnectLink,
        )
        return self._client.send(call)

    def create(
        self,
        *,
        profile_id: str,
        platforms: Sequence[params.PlatformInput] | None = None,
        redirect_url: str | None = None,
        expires_in_hours: int | Omit = OMIT,
        uses: int | Omit = OMIT,
        brand: params.LinkBrandLike | None = None,
        embed_origins: Sequence[str] | None = None,
        idempotency_key: str | None = None,
    ) -> ConnectLinkCreated:
        """Create a link to a page on which somebody without a login connects accounts to a profile.

        Send the person `url`: it is in this response only. The page offers the platforms, leads through the consent,
        the choice of accounts, the form or the code of each, and then to `redirectUrl` with `status=connected`,
        `denied` or `failed`, with `platform`, and with `accountIds`, separated by commas. Each account that is
        connected is reported with `account.connected`.

        Args:
            profile_id: The profile that the account will belong to.
            platforms: What the page offers. Unset: every configured platform.
            redirect_url: Where the person goes at the end, with `status`, `platform` and `accountIds` added. The rules
                are those of `GET /connect/{platform}`. Unset: the person stays on the page.
            expires_in_hours: For how many hours the link works.
            uses: How often each kind of account can be connected with the link. One sign-in with several chosen
                accounts is one use, and for Meta it covers Pages, Instagram and ad accounts.
            brand: How the page looks. Unset: neutral.
            embed_origins: The origins of your pages that may show the page in an iframe, such as
                `https://app.example.com`. Unset: none.
            idempotency_key: The same key does it once, however often it is called. By default each call has its own.

        Error codes beside the common ones: `body_too_large`, `idempotency_key_in_use`, `idempotency_key_reused`,
        `link_limit`, `malformed_json`, `platform_not_configured`, `unsupported_media_type`.

        """
        call: Call[ConnectLinkCreated] = Call(
            method="POST",
            path="/connect/links",
            returns=ConnectLinkCreated,
            body=pack(
                "NewConnectLink",
                {
                    "profile_id": profile_id,
                    "platforms": platforms,
                    "redirect_url": redirect_url,
                    "expires_in_hours": expires_in_hours,
                    "uses": uses,
                    "brand": brand,
                    "embed_origins": embed_origins,
                },
                without_none=("platforms", "redirect_url", "brand", "embed_origins"),
            ),
            idempotency_key=idempotency_key or new_key(),
        )
        return self._client.send(call)

    def delete(
        self,
        link_id: str,
    ) -> DeletionConfirmation:
        """Delete a connect link. Its page stops working immediately; what was connected with it stays.

        Args:
            link_id: The id of a connect link, `lnk_…`; not the token in its URL.

        """
        call: Call[DeletionConfirmation] = Call(
            method="DELETE",
            path=fill("/connect/links/{}", link_id),
            returns=DeletionConfirmation,
        )
        return self._client.send(call)


class ConnectLinksResourceWithRawResponse:
    """Methods that return status and headers too."""

    def __init__(self, resource: ConnectLinksResource) -> None:
        self.list = raw_page(resource.list)
        self.get = raw(resource.get)
        self.create = raw(resource.create)
        self.delete = raw(resource.delete)


class AsyncConnectLinksResource(AsyncResource):
    """Connect accounts: by consent in a browser, by a credential, or by scanning a code."""

    @cached_property
    def with_raw_response(self) -> AsyncConnectLinksResourceWithRawResponse:
        """The same methods, which return status and headers too."""
        return AsyncConnectLinksResourceWithRawResponse(
            AsyncConnectLinksResource(AsyncRawSender(self._root), self._root)
        )

    def list(
        self,
        *,
        limit: int | None = None,
        profile_id: str | None = None,
    ) -> AsyncPages[ConnectLink, ConnectLinkPage]:
        """List the connect links, newest first, without their URLs. Expired links are listed for 30 more days.

        Args:
            limit: Maximum number of rows per page.
            profile_id: Only links of this profile.

        """
        call: Call[ConnectLinkPage] = Call(
            method="GET",
            path="/connect/links",
            returns=ConnectLinkPage,
            query=pack_query({"limit": limit, "profileId": profile_id}),
        )
        return AsyncPages(self._client, call, "cursor")

    async def get(
        self,
        link_id: str,
    ) -> ConnectLink:
        """Return one connect link, with the accounts that were connected with it.

        Args:
            link_id: The id of a connect link, `lnk_…`; not the token in its URL.

        """
        call: Call[ConnectLink] = Call(
            method="GET",
            path=fill("/connect/links/{}", link_id),
            returns=ConnectLink,
        )
        return await self._client.send(call)

    async def create(
        self,
        *,
        profile_id: str,
        platforms: Sequence[params.PlatformInput] | None = None,
        redirect_url: str | None = None,
        expires_in_hours: int | Omit = OMIT,
        uses: int | Omit = OMIT,
        brand: params.LinkBrandLike | None = None,
        embed_origins: Sequence[str] | None = None,
        idempotency_key: str | None = None,
    ) -> ConnectLinkCreated:
        """Create a link to a page on which somebody without a login connects accounts to a profile.

        Send the person `url`: it is in this response only. The page offers the platforms, leads through the consent,
        the choice of accounts, the form or the code of each, and then to `redirectUrl` with `status=connected`,
        `denied` or `failed`, with `platform`, and with `accountIds`, separated by commas. Each account that is
        connected is reported with `account.connected`.

        Args:
            profile_id: The profile that the account will belong to.
            platforms: What the page offers. Unset: every configured platform.
            redirect_url: Where the person goes at the end, with `status`, `platform` and `accountIds` added. The rules
                are those of `GET /connect/{platform}`. Unset: the person stays on the page.
            expires_in_hours: For how many hours the link works.
            uses: How often each kind of account can be connected with the link. One sign-in with several chosen
                accounts is one use, and for Meta it covers Pages, Instagram and ad accounts.
            brand: How the page looks. Unset: neutral.
            embed_origins: The origins of your pages that may show the page in an iframe, such as
                `https://app.example.com`. Unset: none.
            idempotency_key: The same key does it once, however often it is called. By default each call has its own.

        Error codes beside the common ones: `body_too_large`, `idempotency_key_in_use`, `idempotency_key_reused`,
        `link_limit`, `malformed_json`, `platform_not_configured`, `unsupported_media_type`.

        """
        call: Call[ConnectLinkCreated] = Call(
            method="POST",
            path="/connect/links",
            returns=ConnectLinkCreated,
            body=pack(
                "NewConnectLink",
                {
                    "profile_id": profile_id,
                    "platforms": platforms,
                    "redirect_url": redirect_url,
                    "expires_in_hours": expires_in_hours,
                    "uses": uses,
                    "brand": brand,
                    "embed_origins": embed_origins,
                },
                without_none=("platforms", "redirect_url", "brand", "embed_origins"),
            ),
            idempotency_key=idempotency_key or new_key(),
        )
        return await self._client.send(call)

    async def delete(
        self,
        link_id: str,
    ) -> DeletionConfirmation:
        """Delete a connect link. Its page stops working immediately; what was connected with it stays.

        Args:
            link_id: The id of a connect link, `lnk_…`; not the token in its URL.

        """
        call: Call[DeletionConfirmation] = Call(
            method="DELETE",
            path=fill("/connect/links/{}", link_id),
            returns=DeletionConfirmation,
        )
        return await self._client.send(call)


class AsyncConnectLinksResourceWithRawResponse:
    """Methods that return status and headers too."""

    def __init__(self, resource: AsyncConnectLinksResource) -> None:
        self.list = async_raw_page(resource.list)
        self.get = async_raw(resource.get)
        self.create = async_raw(resource.create)
        self.delete = async_raw(resource.delete)


class ConnectResource(Resource):
    """Connect accounts: by consent in a browser, by a credential, or by scanning a code."""

    @cached_property
    def links(self) -> ConnectLinksResource:
        return ConnectLinksResource(self._client, self._root)

    @cached_property
    def with_raw_response(self) -> ConnectResourceWithRawResponse:
        """The same methods, which return status and headers too."""
        return ConnectResourceWithRawResponse(ConnectResource(RawSender(self._root), self._root))

    def attach(
        self,
        profile_id: str,
        *,
        ids: Sequence[str],
        idempotency_key: str | None = None,
    ) -> ConnectedAccounts:
        """Connect some of the available Pages and Instagram accounts: all of them, or none if one fails.

        Args:
            profile_id: The id of a profile, `prf_…`.
            ids: `id`s from the list of available accounts.
            idempotency_key: The same key does it once, however often it is called. By default each call has its own.

        Error codes beside the common ones: `body_too_large`, `connect_first`, `connected_elsewhere`,
        `idempotency_key_in_use`, `idempotency_key_reused`, `malformed_json`, `needs_reconnection`,
        `permission_missing`, `plan_limit_reached`, `platform_not_configured`, `platform_not_found`,
        `platform_rate_limited`, `platform_rejected`, `platform_unavailable`, `unsupported_media_type`.

        """
        call: Call[ConnectedAccounts] = Call(
            method="POST",
            path=fill("/profiles/{}/connect/meta", profile_id),
            returns=ConnectedAccounts,
            body=pack("AccountSelectionBody", {"ids": ids}),
            idempotency_key=idempotency_key or new_key(),
        )
        return self._client.send(call)

    def attach_ad_accounts(
        self,
        profile_id: str,
        *,
        ids: Sequence[str],
        idempotency_key: str | None = None,
    ) -> ConnectedAdAccounts:
        """Connect some of the available ad accounts: all of them, or none if one fails.

        Args:
            profile_id: The id of a profile, `prf_…`.
            ids: `id`s from the list of available accounts.
            idempotency_key: The same key does it once, however often it is called. By default each call has its own.

        Error codes beside the common ones: `body_too_large`, `connect_first`, `connected_elsewhere`,
        `idempotency_key_in_use`, `idempotency_key_reused`, `malformed_json`, `needs_reconnection`,
        `permission_missing`, `plan_limit_reached`, `platform_not_configured`, `platform_not_found`,
        `platform_rate_limited`, `platform_rejected`, `platform_unavailable`, `unsupported_media_type`.

        """
        call: Call[ConnectedAdAccounts] = Call(
            method="POST",
            path=fill("/profiles/{}/connect/meta/adaccounts", profile_id),
            returns=ConnectedAdAccounts,
            body=pack("AdAccountChoice", {"ids": ids}),
            idempotency_key=idempotency_key or new_key(),
        )
        return self._client.send(call)

    def available(
        self,
        profile_id: str,
    ) -> ConnectableAccounts:
        """List the Pages and Instagram accounts that the person who signed in last can connect.

        Args:
            profile_id: The id of a profile, `prf_…`.

        Error codes beside the common ones: `connect_first`, `needs_reconnection`, `permission_missing`,
        `platform_not_configured`, `platform_not_found`, `platform_rate_limited`, `platform_rejected`,
        `platform_unavailable`.

        """
        call: Call[ConnectableAccounts] = Call(
            method="GET",
            path=fill("/profiles/{}/connect/meta/available", profile_id),
            returns=ConnectableAccounts,
        )
        return self._client.send(call)

    def available_ad_accounts(
        self,
        profile_id: str,
    ) -> ConnectableAccounts:
        """List the ad accounts that the person who signed in last can connect.

        Args:
            profile_id: The id of a profile, `prf_…`.

        Error codes beside the common ones: `connect_first`, `needs_reconnection`, `permission_missing`,
        `platform_not_configured`, `platform_not_found`, `platform_rate_limited`, `platform_rejected`,
        `platform_unavailable`.

        """
        call: Call[ConnectableAccounts] = Call(
            method="GET",
            path=fill("/profiles/{}/connect/meta/adaccounts/available", profile_id),
            returns=ConnectableAccounts,
        )
        return self._client.send(call)

    def start(
        self,
        platform: str,
        *,
        profile_id: str,
        redirect_url: str | None = None,
        kind: Sequence[params.KindInput] | None = None,
        same_browser: bool | None = None,
    ) -> ConnectStarted:
        """Start connecting accounts of `meta`, `threads`, `tiktok`, `tiktokads` or `google`.

        Send the person's browser to `authUrl`. Afterwards it is redirected to `redirectUrl` with `connected=1`,
        `profileId` and `accountId`, or with `error`. If several accounts were connected, `accountIds` lists all of
        them. On `meta`, then choose the person's accounts with `POST /profiles/{profileId}/connect/meta`, and ad
        accounts with `POST /profiles/{profileId}/connect/meta/adaccounts`. Without a `redirectUrl` the person sees what
        was connected. On `meta`, and on `google` if there are several accounts, they first choose what to connect on
        that page.

        Args:
            platform: The name of a platform, from `GET /platforms`. One of meta, threads, tiktok, tiktokads, google.
            profile_id: The profile that the account will belong to.
            redirect_url: Where the browser is redirected at the end: a URL of this service, or one that the deployment
                allows with SOCIALGATE_CONNECT_REDIRECTS; on a service that only this machine can reach, also any URL on
                localhost. Without it, a page shows the result, and the person chooses there what to connect if there is
                a choice.
            kind: Only these kinds of accounts. Can be repeated.
            same_browser: Whether only the browser that opened `authUrl` may finish. `authUrl` is then a URL of this
                service, which sets a cookie and redirects the browser to the platform.

        Error codes beside the common ones: `platform_not_configured`.

        """
        call: Call[ConnectStarted] = Call(
            method="GET",
            path=fill("/connect/{}", platform),
            returns=ConnectStarted,
            query=pack_query(
                {"profileId": profile_id, "redirectUrl": redirect_url, "kind": kind, "sameBrowser": same_browser}
            ),
        )
        return self._client.send(call)

    def telegram(
        self,
        *,
        profile_id: str,
        bot_token: str,
        idempotency_key: str | None = None,
    ) -> Account:
        """Connect a Telegram bot. Its token is verified, and its webhook is set up.

        Args:
            profile_id: The profile that the account will belong to.
            bot_token: The token from BotFather.
            idempotency_key: The same key does it once, however often it is called. By default each call has its own.

        Error codes beside the common ones: `body_too_large`, `connected_elsewhere`, `credential_rejected`,
        `idempotency_key_in_use`, `idempotency_key_reused`, `malformed_json`, `needs_reconnection`, `outcome_unknown`,
        `permission_missing`, `plan_limit_reached`, `platform_not_configured`, `platform_not_found`,
        `platform_rate_limited`, `platform_rejected`, `platform_unavailable`, `unsupported_media_type`.

        """
        call: Call[Account] = Call(
            method="POST",
            path="/connect/telegram",
            returns=Account,
            body=pack("TelegramConnection", {"profile_id": profile_id, "bot_token": bot_token}),
            idempotency_key=idempotency_key or new_key(),
        )
        return self._client.send(call)

    def wasender(
        self,
        *,
        profile_id: str,
        name: str,
        phone_number: str,
        access_token: str | None = None,
        idempotency_key: str | None = None,
    ) -> Account:
        """Start pairing a WhatsApp number. Show the person the code from `GET /accounts/{accountId}/wasender/qr`.

        With an `Idempotency-Key` it is safe to retry, even if the first response was lost: no second session is created
        at WaSender. If it is unknown whether a session exists, the response is 502 and names the operation.

        Args:
            profile_id: The profile that the account will belong to.
            name: Display name, also of the session at WaSender.
            phone_number: The number to pair, such as +51987654321.
            access_token: A WaSender personal access token. If not set, the service uses its own.
            idempotency_key: The same key does it once, however often it is called. By default each call has its own.

        Error codes beside the common ones: `already_paired`, `body_too_large`, `connected_elsewhere`,
        `credential_rejected`, `idempotency_key_in_use`, `idempotency_key_reused`, `malformed_json`,
        `needs_reconnection`, `outcome_unknown`, `permission_missing`, `plan_limit_reached`, `platform_not_configured`,
        `platform_not_found`, `platform_rate_limited`, `platform_rejected`, `platform_unavailable`,
        `unsupported_media_type`.

        """
        call: Call[Account] = Call(
            method="POST",
            path="/connect/wasender",
            returns=Account,
            body=pack(
                "WasenderConnection",
                {"profile_id": profile_id, "name": name, "phone_number": phone_number, "access_token": access_token},
                without_none=("access_token",),
            ),
            idempotency_key=idempotency_key or new_key(),
        )
        return self._client.send(call)

    def wasender_qr(
        self,
        account_id: str,
    ) -> PairingQrCode:
        """Return a new code to scan, as text, PNG and SVG, or report that the phone is paired.

        Args:
            account_id: The id of an account, `acc_…`, from `GET /accounts`. Leads also accept an ad account, `adacc_…`.

        Error codes beside the common ones: `needs_reconnection`, `pairing_ended`, `permission_missing`,
        `platform_not_configured`, `platform_not_found`, `platform_rate_limited`, `platform_rejected`,
        `platform_unavailable`.

        """
        call: Call[PairingQrCode] = Call(
            method="GET",
            path=fill("/accounts/{}/wasender/qr", account_id),
            returns=PairingQrCode,
        )
        return self._client.send(call)

    def whatsapp_cloud(
        self,
        *,
        profile_id: str,
        phone_number_id: str,
        waba_id: str,
        access_token: str,
        app_secret: str,
        pin: str | None = None,
        idempotency_key: str | None = None,
    ) -> Account:
        """Connect a WhatsApp Cloud API number. It is verified with Meta, and its webhooks are set up.

        Args:
            profile_id: The profile that the account will belong to.
            phone_number_id: The ID of the number at Meta, which is not the number itself.
            waba_id: The ID of the WhatsApp Business Account at Meta.
            access_token: A system user's token with both WhatsApp permissions.
            app_secret: The secret of the Meta app that sends the webhooks.
            pin: Six digits of your choice, if the number is not registered yet.
            idempotency_key: The same key does it once, however often it is called. By default each call has its own.

        Error codes beside the common ones: `body_too_large`, `connected_elsewhere`, `credential_rejected`,
        `idempotency_key_in_use`, `idempotency_key_reused`, `malformed_json`, `needs_reconnection`, `outcome_unknown`,
        `permission_missing`, `plan_limit_reached`, `platform_not_configured`, `platform_not_found`,
        `platform_rate_limited`, `platform_rejected`, `platform_unavailable`, `unsupported_media_type`.

        """
        call: Call[Account] = Call(
            method="POST",
            path="/connect/whatsapp-cloud",
            returns=Account,
            body=pack(
                "WhatsappCloudConnection",
                {
                    "profile_id": profile_id,
                    "phone_number_id": phone_number_id,
                    "waba_id": waba_id,
                    "access_token": access_token,
                    "app_secret": app_secret,
                    "pin": pin,
                },
                without_none=("pin",),
            ),
            idempotency_key=idempotency_key or new_key(),
        )
        return self._client.send(call)


class ConnectResourceWithRawResponse:
    """Methods that return status and headers too."""

    def __init__(self, resource: ConnectResource) -> None:
        self.attach = raw(resource.attach)
        self.attach_ad_accounts = raw(resource.attach_ad_accounts)
        self.available = raw(resource.available)
        self.available_ad_accounts = raw(resource.available_ad_accounts)
        self.start = raw(resource.start)
        self.telegram = raw(resource.telegram)
        self.wasender = raw(resource.wasender)
        self.wasender_qr = raw(resource.wasender_qr)
        self.whatsapp_cloud = raw(resource.whatsapp_cloud)


class AsyncConnectResource(AsyncResource):
    """Connect accounts: by consent in a browser, by a credential, or by scanning a code."""

    @cached_property
    def links(self) -> AsyncConnectLinksResource:
        return AsyncConnectLinksResource(self._client, self._root)

    @cached_property
    def with_raw_response(self) -> AsyncConnectResourceWithRawResponse:
        """The same methods, which return status and headers too."""
        return AsyncConnectResourceWithRawResponse(AsyncConnectResource(AsyncRawSender(self._root), self._root))

    async def attach(
        self,
        profile_id: str,
        *,
        ids: Sequence[str],
        idempotency_key: str | None = None,
    ) -> ConnectedAccounts:
        """Connect some of the available Pages and Instagram accounts: all of them, or none if one fails.

        Args:
            profile_id: The id of a profile, `prf_…`.
            ids: `id`s from the list of available accounts.
            idempotency_key: The same key does it once, however often it is called. By default each call has its own.

        Error codes beside the common ones: `body_too_large`, `connect_first`, `connected_elsewhere`,
        `idempotency_key_in_use`, `idempotency_key_reused`, `malformed_json`, `needs_reconnection`,
        `permission_missing`, `plan_limit_reached`, `platform_not_configured`, `platform_not_found`,
        `platform_rate_limited`, `platform_rejected`, `platform_unavailable`, `unsupported_media_type`.

        """
        call: Call[ConnectedAccounts] = Call(
            method="POST",
            path=fill("/profiles/{}/connect/meta", profile_id),
            returns=ConnectedAccounts,
            body=pack("AccountSelectionBody", {"ids": ids}),
            idempotency_key=idempotency_key or new_key(),
        )
        return await self._client.send(call)

    async def attach_ad_accounts(
        self,
        profile_id: str,
        *,
        ids: Sequence[str],
        idempotency_key: str | None = None,
    ) -> ConnectedAdAccounts:
        """Connect some of the available ad accounts: all of them, or none if one fails.

        Args:
            profile_id: The id of a profile, `prf_…`.
            ids: `id`s from the list of available accounts.
            idempotency_key: The same key does it once, however often it is called. By default each call has its own.

        Error codes beside the common ones: `body_too_large`, `connect_first`, `connected_elsewhere`,
        `idempotency_key_in_use`, `idempotency_key_reused`, `malformed_json`, `needs_reconnection`,
        `permission_missing`, `plan_limit_reached`, `platform_not_configured`, `platform_not_found`,
        `platform_rate_limited`, `platform_rejected`, `platform_unavailable`, `unsupported_media_type`.

        """
        call: Call[ConnectedAdAccounts] = Call(
            method="POST",
            path=fill("/profiles/{}/connect/meta/adaccounts", profile_id),
            returns=ConnectedAdAccounts,
            body=pack("AdAccountChoice", {"ids": ids}),
            idempotency_key=idempotency_key or new_key(),
        )
        return await self._client.send(call)

    async def available(
        self,
        profile_id: str,
    ) -> ConnectableAccounts:
        """List the Pages and Instagram accounts that the person who signed in last can connect.

        Args:
            profile_id: The id of a profile, `prf_…`.

        Error codes beside the common ones: `connect_first`, `needs_reconnection`, `permission_missing`,
        `platform_not_configured`, `platform_not_found`, `platform_rate_limited`, `platform_rejected`,
        `platform_unavailable`.

        """
        call: Call[ConnectableAccounts] = Call(
            method="GET",
            path=fill("/profiles/{}/connect/meta/available", profile_id),
            returns=ConnectableAccounts,
        )
        return await self._client.send(call)

    async def available_ad_accounts(
        self,
        profile_id: str,
    ) -> ConnectableAccounts:
        """List the ad accounts that the person who signed in last can connect.

        Args:
            profile_id: The id of a profile, `prf_…`.

        Error codes beside the common ones: `connect_first`, `needs_reconnection`, `permission_missing`,
        `platform_not_configured`, `platform_not_found`, `platform_rate_limited`, `platform_rejected`,
        `platform_unavailable`.

        """
        call: Call[ConnectableAccounts] = Call(
            method="GET",
            path=fill("/profiles/{}/connect/meta/adaccounts/available", profile_id),
            returns=ConnectableAccounts,
        )
        return await self._client.send(call)

    async def start(
        self,
        platform: str,
        *,
        profile_id: str,
        redirect_url: str | None = None,
        kind: Sequence[params.KindInput] | None = None,
        same_browser: bool | None = None,
    ) -> ConnectStarted:
        """Start connecting accounts of `meta`, `threads`, `tiktok`, `tiktokads` or `google`.

        Send the person's browser to `authUrl`. Afterwards it is redirected to `redirectUrl` with `connected=1`,
        `profileId` and `accountId`, or with `error`. If several accounts were connected, `accountIds` lists all of
        them. On `meta`, then choose the person's accounts with `POST /profiles/{profileId}/connect/meta`, and ad
        accounts with `POST /profiles/{profileId}/connect/meta/adaccounts`. Without a `redirectUrl` the person sees what
        was connected. On `meta`, and on `google` if there are several accounts, they first choose what to connect on
        that page.

        Args:
            platform: The name of a platform, from `GET /platforms`. One of meta, threads, tiktok, tiktokads, google.
            profile_id: The profile that the account will belong to.
            redirect_url: Where the browser is redirected at the end: a URL of this service, or one that the deployment
                allows with SOCIALGATE_CONNECT_REDIRECTS; on a service that only this machine can reach, also any URL on
                localhost. Without it, a page shows the result, and the person chooses there what to connect if there is
                a choice.
            kind: Only these kinds of accounts. Can be repeated.
            same_browser: Whether only the browser that opened `authUrl` may finish. `authUrl` is then a URL of this
                service, which sets a cookie and redirects the browser to the platform.

        Error codes beside the common ones: `platform_not_configured`.

        """
        call: Call[ConnectStarted] = Call(
            method="GET",
            path=fill("/connect/{}", platform),
            returns=ConnectStarted,
            query=pack_query(
                {"profileId": profile_id, "redirectUrl": redirect_url, "kind": kind, "sameBrowser": same_browser}
            ),
        )
        return await self._client.send(call)

    async def telegram(
        self,
        *,
        profile_id: str,
        bot_token: str,
        idempotency_key: str | None = None,
    ) -> Account:
        """Connect a Telegram bot. Its token is verified, and its webhook is set up.

        Args:
            profile_id: The profile that the account will belong to.
            bot_token: The token from BotFather.
            idempotency_key: The same key does it once, however often it is called. By default each call has its own.

        Error codes beside the common ones: `body_too_large`, `connected_elsewhere`, `credential_rejected`,
        `idempotency_key_in_use`, `idempotency_key_reused`, `malformed_json`, `needs_reconnection`, `outcome_unknown`,
        `permission_missing`, `plan_limit_reached`, `platform_not_configured`, `platform_not_found`,
        `platform_rate_limited`, `platform_rejected`, `platform_unavailable`, `unsupported_media_type`.

        """
        call: Call[Account] = Call(
            method="POST",
            path="/connect/telegram",
            returns=Account,
            body=pack("TelegramConnection", {"profile_id": profile_id, "bot_token": bot_token}),
            idempotency_key=idempotency_key or new_key(),
        )
        return await self._client.send(call)

    async def wasender(
        self,
        *,
        profile_id: str,
        name: str,
        phone_number: str,
        access_token: str | None = None,
        idempotency_key: str | None = None,
    ) -> Account:
        """Start pairing a WhatsApp number. Show the person the code from `GET /accounts/{accountId}/wasender/qr`.

        With an `Idempotency-Key` it is safe to retry, even if the first response was lost: no second session is created
        at WaSender. If it is unknown whether a session exists, the response is 502 and names the operation.

        Args:
            profile_id: The profile that the account will belong to.
            name: Display name, also of the session at WaSender.
            phone_number: The number to pair, such as +51987654321.
            access_token: A WaSender personal access token. If not set, the service uses its own.
            idempotency_key: The same key does it once, however often it is called. By default each call has its own.

        Error codes beside the common ones: `already_paired`, `body_too_large`, `connected_elsewhere`,
        `credential_rejected`, `idempotency_key_in_use`, `idempotency_key_reused`, `malformed_json`,
        `needs_reconnection`, `outcome_unknown`, `permission_missing`, `plan_limit_reached`, `platform_not_configured`,
        `platform_not_found`, `platform_rate_limited`, `platform_rejected`, `platform_unavailable`,
        `unsupported_media_type`.

        """
        call: Call[Account] = Call(
            method="POST",
            path="/connect/wasender",
            returns=Account,
            body=pack(
                "WasenderConnection",
                {"profile_id": profile_id, "name": name, "phone_number": phone_number, "access_token": access_token},
                without_none=("access_token",),
            ),
            idempotency_key=idempotency_key or new_key(),
        )
        return await self._client.send(call)

    async def wasender_qr(
        self,
        account_id: str,
    ) -> PairingQrCode:
        """Return a new code to scan, as text, PNG and SVG, or report that the phone is paired.

        Args:
            account_id: The id of an account, `acc_…`, from `GET /accounts`. Leads also accept an ad account, `adacc_…`.

        Error codes beside the common ones: `needs_reconnection`, `pairing_ended`, `permission_missing`,
        `platform_not_configured`, `platform_not_found`, `platform_rate_limited`, `platform_rejected`,
        `platform_unavailable`.

        """
        call: Call[PairingQrCode] = Call(
            method="GET",
            path=fill("/accounts/{}/wasender/qr", account_id),
            returns=PairingQrCode,
        )
        return await self._client.send(call)

    async def whatsapp_cloud(
        self,
        *,
        profile_id: str,
        phone_number_id: str,
        waba_id: str,
        access_token: str,
        app_secret: str,
        pin: str | None = None,
        idempotency_key: str | None = None,
    ) -> Account:
        """Connect a WhatsApp Cloud API number. It is verified with Meta, and its webhooks are set up.

        Args:
            profile_id: The profile that the account will belong to.
            phone_number_id: The ID of the number at Meta, which is not the number itself.
            waba_id: The ID of the WhatsApp Business Account at Meta.
            access_token: A system user's token with both WhatsApp permissions.
            app_secret: The secret of the Meta app that sends the webhooks.
            pin: Six digits of your choice, if the number is not registered yet.
            idempotency_key: The same key does it once, however often it is called. By default each call has its own.

        Error codes beside the common ones: `body_too_large`, `connected_elsewhere`, `credential_rejected`,
        `idempotency_key_in_use`, `idempotency_key_reused`, `malformed_json`, `needs_reconnection`, `outcome_unknown`,
        `permission_missing`, `plan_limit_reached`, `platform_not_configured`, `platform_not_found`,
        `platform_rate_limited`, `platform_rejected`, `platform_unavailable`, `unsupported_media_type`.

        """
        call: Call[Account] = Call(
            method="POST",
            path="/connect/whatsapp-cloud",
            returns=Account,
            body=pack(
                "WhatsappCloudConnection",
                {
                    "profile_id": profile_id,
                    "phone_number_id": phone_number_id,
                    "waba_id": waba_id,
                    "access_token": access_token,
                    "app_secret": app_secret,
                    "pin": pin,
                },
                without_none=("pin",),
            ),
            idempotency_key=idempotency_key or new_key(),
        )
        return await self._client.send(call)


class AsyncConnectResourceWithRawResponse:
    """Methods that return status and headers too."""

    def __init__(self, resource: AsyncConnectResource) -> None:
        self.attach = async_raw(resource.attach)
        self.attach_ad_accounts = async_raw(resource.attach_ad_accounts)
        self.available = async_raw(resource.available)
        self.available_ad_accounts = async_raw(resource.available_ad_accounts)
        self.start = async_raw(resource.start)
        self.telegram = async_raw(resource.telegram)
        self.wasender = async_raw(resource.wasender)
        self.wasender_qr = async_raw(resource.wasender_qr)
        self.whatsapp_cloud = async_raw(resource.whatsapp_cloud)
