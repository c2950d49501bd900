# Generated from the OpenAPI document by `make reference`. Do not edit: change the route and run it again.
"""Connected accounts and ad accounts: their status, their health, and how to disconnect them."""

from __future__ import annotations

from functools import cached_property

from .. import params
from .._async.client import AsyncRawSender
from .._async.pages import AsyncPages
from .._call import Call
from .._resource import AsyncResource, Resource, async_raw, async_raw_page, raw, raw_page
from .._sync.client import RawSender
from .._sync.pages import Pages
from .._wire import fill, pack, pack_query
from ..types import (
    Account,
    AccountHealth,
    AccountPage,
    DeletionConfirmation,
    HealthReport,
    HistoryEntry,
    HistoryEntryPage,
    PlatformAccountProfile,
    PlatformObjectDeleted,
)


class AccountsResource(Resource):
    """Connected accounts and ad accounts: their status, their health, and how to disconnect them."""

    @cached_property
    def with_raw_response(self) -> AccountsResourceWithRawResponse:
        """The same methods, which return status and headers too."""
        return AccountsResourceWithRawResponse(AccountsResource(RawSender(self._root), self._root))

    def list(
        self,
        *,
        limit: int | None = None,
        profile_id: str | None = None,
        platform: params.PlatformInput | None = None,
        status: params.AccountsQueryStatus | None = None,
        kind: params.AccountsQueryKind | None = None,
    ) -> Pages[Account, AccountPage]:
        """List the connected accounts, newest first. Ad accounts have a separate list.

        Args:
            limit: Maximum number of rows per page.
            profile_id: Only accounts of this profile.
            platform: Only accounts on this platform.
            status: Only accounts with this status.
            kind: Only accounts of this kind.

        """
        call: Call[AccountPage] = Call(
            method="GET",
            path="/accounts",
            returns=AccountPage,
            query=pack_query(
                {"limit": limit, "profileId": profile_id, "platform": platform, "status": status, "kind": kind}
            ),
        )
        return Pages(self._client, call, "cursor")

    def get(
        self,
        account_id: str,
    ) -> Account:
        """Return one connected account.

        Args:
            account_id: The id of an account, `acc_…`, from `GET /accounts`. Leads also accept an ad account, `adacc_…`.

        """
        call: Call[Account] = Call(
            method="GET",
            path=fill("/accounts/{}", account_id),
            returns=Account,
        )
        return self._client.send(call)

    def update(
        self,
        account_id: str,
        *,
        profile_id: str,
    ) -> Account:
        """Move an account to another profile.

        Its conversations move with it, and its events have the new profile from now on. Posts that are already
        scheduled for it stay in the profile in which they were created, and are published as planned.

        Args:
            account_id: The id of an account, `acc_…`, from `GET /accounts`. Leads also accept an ad account, `adacc_…`.
            profile_id: The profile to move the account to.

        Error codes beside the common ones: `body_too_large`, `malformed_json`, `unsupported_media_type`.

        """
        call: Call[Account] = Call(
            method="PATCH",
            path=fill("/accounts/{}", account_id),
            returns=Account,
            body=pack("AccountChanges", {"profile_id": profile_id}),
        )
        return self._client.send(call)

    def about(
        self,
        account_id: str,
    ) -> PlatformAccountProfile:
        """Read the current profile of an account or ad account from its platform.

        Args:
            account_id: The id of an account, `acc_…`, from `GET /accounts`. Leads also accept an ad account, `adacc_…`.

        Error codes beside the common ones: `needs_reconnection`, `permission_missing`, `platform_not_configured`,
        `platform_not_found`, `platform_rate_limited`, `platform_rejected`, `platform_unavailable`.

        """
        call: Call[PlatformAccountProfile] = Call(
            method="GET",
            path=fill("/accounts/{}/about", account_id),
            returns=PlatformAccountProfile,
        )
        return self._client.send(call)

    def delete_post(
        self,
        account_id: str,
        object_id: str,
    ) -> PlatformObjectDeleted:
        """Delete a post on the platform by the platform's own id, whether or not it was posted here.

        Args:
            account_id: The id of an account, `acc_…`, from `GET /accounts`. Leads also accept an ad account, `adacc_…`.
            object_id: The platform's own id of a post, from the history of the account.

        Error codes beside the common ones: `needs_reconnection`, `not_supported`, `outcome_unknown`,
        `permission_missing`, `platform_not_configured`, `platform_not_found`, `platform_rate_limited`,
        `platform_rejected`, `platform_unavailable`.

        """
        call: Call[PlatformObjectDeleted] = Call(
            method="DELETE",
            path=fill("/accounts/{}/posts/{}", account_id, object_id),
            returns=PlatformObjectDeleted,
        )
        return self._client.send(call)

    def disconnect(
        self,
        account_id: str,
    ) -> DeletionConfirmation:
        """Disconnect an account. Its tokens are deleted, its history stays, and `account.disconnected` is sent.

        If possible, the permission is also revoked on the platform, unless other accounts need it. The event is sent
        for every account that leaves the list, including a number whose code was never scanned.

        Args:
            account_id: The id of an account, `acc_…`, from `GET /accounts`. Leads also accept an ad account, `adacc_…`.

        """
        call: Call[DeletionConfirmation] = Call(
            method="DELETE",
            path=fill("/accounts/{}", account_id),
            returns=DeletionConfirmation,
        )
        return self._client.send(call)

    def health(
        self,
        *,
        limit: int | None = None,
        profile_id: str | None = None,
        refresh: bool | None = None,
    ) -> Pages[AccountHealth, HealthReport]:
        """Return the health of accounts and ad accounts: tokens, permissions, limits, and how to fix problems.

        Every account is checked once an hour, and immediately when its platform reports a problem. `refresh=true`
        checks now. If a platform does not respond, the account is `unknown`, never disconnected.

        Args:
            limit: Maximum number of rows per page.
            profile_id: Only the accounts of this profile.
            refresh: Check the accounts of this page now, all at once, instead of returning the last check.

        """
        call: Call[HealthReport] = Call(
            method="GET",
            path="/accounts/health",
            returns=HealthReport,
            query=pack_query({"limit": limit, "profileId": profile_id, "refresh": refresh}),
        )
        return Pages(self._client, call, "cursor")

    def history(
        self,
        account_id: str,
        *,
        limit: int | None = None,
    ) -> Pages[HistoryEntry, HistoryEntryPage]:
        """List the live posts of the account, read from the platform, whether or not they were posted here.

        Args:
            account_id: The id of an account, `acc_…`, from `GET /accounts`. Leads also accept an ad account, `adacc_…`.
            limit: Rows per page; platforms may return fewer.

        Error codes beside the common ones: `needs_reconnection`, `not_supported`, `permission_missing`,
        `platform_not_configured`, `platform_not_found`, `platform_rate_limited`, `platform_rejected`,
        `platform_unavailable`.

        """
        call: Call[HistoryEntryPage] = Call(
            method="GET",
            path=fill("/accounts/{}/history", account_id),
            returns=HistoryEntryPage,
            query=pack_query({"limit": limit}),
        )
        return Pages(self._client, call, "cursor")


class AccountsResourceWithRawResponse:
    """Methods that return status and headers too."""

    def __init__(self, resource: AccountsResource) -> None:
        self.list = raw_page(resource.list)
        self.get = raw(resource.get)
        self.update = raw(resource.update)
        self.about = raw(resource.about)
        self.delete_post = raw(resource.delete_post)
        self.disconnect = raw(resource.disconnect)
        self.health = raw_page(resource.health)
        self.history = raw_page(resource.history)


class AsyncAccountsResource(AsyncResource):
    """Connected accounts and ad accounts: their status, their health, and how to disconnect them."""

    @cached_property
    def with_raw_response(self) -> AsyncAccountsResourceWithRawResponse:
        """The same methods, which return status and headers too."""
        return AsyncAccountsResourceWithRawResponse(AsyncAccountsResource(AsyncRawSender(self._root), self._root))

    def list(
        self,
        *,
        limit: int | None = None,
        profile_id: str | None = None,
        platform: params.PlatformInput | None = None,
        status: params.AccountsQueryStatus | None = None,
        kind: params.AccountsQueryKind | None = None,
    ) -> AsyncPages[Account, AccountPage]:
        """List the connected accounts, newest first. Ad accounts have a separate list.

        Args:
            limit: Maximum number of rows per page.
            profile_id: Only accounts of this profile.
            platform: Only accounts on this platform.
            status: Only accounts with this status.
            kind: Only accounts of this kind.

        """
        call: Call[AccountPage] = Call(
            method="GET",
            path="/accounts",
            returns=AccountPage,
            query=pack_query(
                {"limit": limit, "profileId": profile_id, "platform": platform, "status": status, "kind": kind}
            ),
        )
        return AsyncPages(self._client, call, "cursor")

    async def get(
        self,
        account_id: str,
    ) -> Account:
        """Return one connected account.

        Args:
            account_id: The id of an account, `acc_…`, from `GET /accounts`. Leads also accept an ad account, `adacc_…`.

        """
        call: Call[Account] = Call(
            method="GET",
            path=fill("/accounts/{}", account_id),
            returns=Account,
        )
        return await self._client.send(call)

    async def update(
        self,
        account_id: str,
        *,
        profile_id: str,
    ) -> Account:
        """Move an account to another profile.

        Its conversations move with it, and its events have the new profile from now on. Posts that are already
        scheduled for it stay in the profile in which they were created, and are published as planned.

        Args:
            account_id: The id of an account, `acc_…`, from `GET /accounts`. Leads also accept an ad account, `adacc_…`.
            profile_id: The profile to move the account to.

        Error codes beside the common ones: `body_too_large`, `malformed_json`, `unsupported_media_type`.

        """
        call: Call[Account] = Call(
            method="PATCH",
            path=fill("/accounts/{}", account_id),
            returns=Account,
            body=pack("AccountChanges", {"profile_id": profile_id}),
        )
        return await self._client.send(call)

    async def about(
        self,
        account_id: str,
    ) -> PlatformAccountProfile:
        """Read the current profile of an account or ad account from its platform.

        Args:
            account_id: The id of an account, `acc_…`, from `GET /accounts`. Leads also accept an ad account, `adacc_…`.

        Error codes beside the common ones: `needs_reconnection`, `permission_missing`, `platform_not_configured`,
        `platform_not_found`, `platform_rate_limited`, `platform_rejected`, `platform_unavailable`.

        """
        call: Call[PlatformAccountProfile] = Call(
            method="GET",
            path=fill("/accounts/{}/about", account_id),
            returns=PlatformAccountProfile,
        )
        return await self._client.send(call)

    async def delete_post(
        self,
        account_id: str,
        object_id: str,
    ) -> PlatformObjectDeleted:
        """Delete a post on the platform by the platform's own id, whether or not it was posted here.

        Args:
            account_id: The id of an account, `acc_…`, from `GET /accounts`. Leads also accept an ad account, `adacc_…`.
            object_id: The platform's own id of a post, from the history of the account.

        Error codes beside the common ones: `needs_reconnection`, `not_supported`, `outcome_unknown`,
        `permission_missing`, `platform_not_configured`, `platform_not_found`, `platform_rate_limited`,
        `platform_rejected`, `platform_unavailable`.

        """
        call: Call[PlatformObjectDeleted] = Call(
            method="DELETE",
            path=fill("/accounts/{}/posts/{}", account_id, object_id),
            returns=PlatformObjectDeleted,
        )
        return await self._client.send(call)

    async def disconnect(
        self,
        account_id: str,
    ) -> DeletionConfirmation:
        """Disconnect an account. Its tokens are deleted, its history stays, and `account.disconnected` is sent.

        If possible, the permission is also revoked on the platform, unless other accounts need it. The event is sent
        for every account that leaves the list, including a number whose code was never scanned.

        Args:
            account_id: The id of an account, `acc_…`, from `GET /accounts`. Leads also accept an ad account, `adacc_…`.

        """
        call: Call[DeletionConfirmation] = Call(
            method="DELETE",
            path=fill("/accounts/{}", account_id),
            returns=DeletionConfirmation,
        )
        return await self._client.send(call)

    def health(
        self,
        *,
        limit: int | None = None,
        profile_id: str | None = None,
        refresh: bool | None = None,
    ) -> AsyncPages[AccountHealth, HealthReport]:
        """Return the health of accounts and ad accounts: tokens, permissions, limits, and how to fix problems.

        Every account is checked once an hour, and immediately when its platform reports a problem. `refresh=true`
        checks now. If a platform does not respond, the account is `unknown`, never disconnected.

        Args:
            limit: Maximum number of rows per page.
            profile_id: Only the accounts of this profile.
            refresh: Check the accounts of this page now, all at once, instead of returning the last check.

        """
        call: Call[HealthReport] = Call(
            method="GET",
            path="/accounts/health",
            returns=HealthReport,
            query=pack_query({"limit": limit, "profileId": profile_id, "refresh": refresh}),
        )
        return AsyncPages(self._client, call, "cursor")

    def history(
        self,
        account_id: str,
        *,
        limit: int | None = None,
    ) -> AsyncPages[HistoryEntry, HistoryEntryPage]:
        """List the live posts of the account, read from the platform, whether or not they were posted here.

        Args:
            account_id: The id of an account, `acc_…`, from `GET /accounts`. Leads also accept an ad account, `adacc_…`.
            limit: Rows per page; platforms may return fewer.

        Error codes beside the common ones: `needs_reconnection`, `not_supported`, `permission_missing`,
        `platform_not_configured`, `platform_not_found`, `platform_rate_limited`, `platform_rejected`,
        `platform_unavailable`.

        """
        call: Call[HistoryEntryPage] = Call(
            method="GET",
            path=fill("/accounts/{}/history", account_id),
            returns=HistoryEntryPage,
            query=pack_query({"limit": limit}),
        )
        return AsyncPages(self._client, call, "cursor")


class AsyncAccountsResourceWithRawResponse:
    """Methods that return status and headers too."""

    def __init__(self, resource: AsyncAccountsResource) -> None:
        self.list = async_raw_page(resource.list)
        self.get = async_raw(resource.get)
        self.update = async_raw(resource.update)
        self.about = async_raw(resource.about)
        self.delete_post = async_raw(resource.delete_post)
        self.disconnect = async_raw(resource.disconnect)
        self.health = async_raw_page(resource.health)
        self.history = async_raw_page(resource.history)
