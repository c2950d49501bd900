"""Who ads come from, and which post they show."""

import msgspec

from socialgate.areas.accounts.service import AccountService
from socialgate.areas.accounts.session import AccountSession
from socialgate.areas.ads.object_operations import NO_ADS_PHRASE
from socialgate.areas.ads.publishers import Publishers
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.ad_values import AdIdentity, AdPromotion
from socialgate.contracts.ads import ADVERTISING_CAPABILITY
from socialgate.contracts.failures import PlatformRejectedError
from socialgate.contracts.publishing import PublishedPostLookup
from socialgate.core.db import Tx
from socialgate.core.errors import Fault, InvalidRequest
from socialgate.core.unit_of_work import UnitOfWork


class PublisherRequest(msgspec.Struct, frozen=True, kw_only=True):
    """Which post to show, and who it comes from, as a request says it. `at` is where the request says it."""

    account_id: str | None
    publisher_id: str | None
    post_id: str | None = None
    platform_post_id: str | None = None
    at: str = ""


class PublisherResolver:
    def __init__(
        self, session: AccountSession, of_accounts: AccountService, index: PublishedPostLookup, publishers: Publishers
    ) -> None:
        self._session = session
        self._accounts = of_accounts
        self._index = index
        self._publishers = publishers

    async def resolve_publisher(
        self, work: UnitOfWork, account: AccountRow, shown: PublisherRequest, *, needs_post: bool = False
    ) -> tuple[AdIdentity, str | None]:
        """Find who an ad comes from, and the platform's id of the post that it shows."""
        ad_identity, post_id = await work.read(self._find_requested_identity, work, account, shown)
        if needs_post and post_id is None:
            detail = "Send the post to boost: `postId` with `accountId`, or `platformPostId`."
            raise InvalidRequest.for_field(f"{shown.at}/postId", "required", detail)
        part = self._session.get_adapter(account, ADVERTISING_CAPABILITY, NO_ADS_PHRASE)
        try:
            known_identity = await self._session.call_for_account(
                account, lambda credentials: part.account_adapter.resolve_publisher(credentials, ad_identity, post_id)
            )
        except PlatformRejectedError as failure:
            # The platform's connector does not know where in the request it is.
            failure.errors = tuple(
                Fault(f"{shown.at}{error.pointer}", error.code, error.detail) for error in failure.errors
            )
            raise
        # Without a choice in the request, the platform chose.
        await work.read(self._publishers.require_publisher_access, work.caller, known_identity)
        return known_identity, post_id

    async def require_page_access(self, work: UnitOfWork, promoted: AdPromotion | None) -> None:
        """Reject to promote a Page that is connected to a profile out of the caller's reach."""
        if promoted is not None and promoted.page_id is not None:
            await work.read(self._publishers.require_publisher_access, work.caller, AdIdentity(id=promoted.page_id))

    async def require_publisher_access(self, work: UnitOfWork, publisher: AdIdentity) -> None:
        """Reject a publisher that is connected to a profile out of the caller's reach."""
        await work.read(self._publishers.require_publisher_access, work.caller, publisher)

    async def _find_requested_identity(
        self, tx: Tx, work: UnitOfWork, ad_account: AccountRow, shown: PublisherRequest
    ) -> tuple[AdIdentity | None, str | None]:
        caller, at = work.caller, shown.at
        if (shown.post_id is not None) and (shown.platform_post_id is not None):
            raise InvalidRequest.for_field(f"{at}/postId", "contradiction", "Send either `postId` or `platformPostId`.")
        if (shown.account_id is not None) and (shown.publisher_id is not None):
            raise InvalidRequest.for_field(
                f"{at}/accountId", "contradiction", "Send either `accountId` or `publisherId`."
            )
        rules = self._session.get_adapter(ad_account, ADVERTISING_CAPABILITY, NO_ADS_PHRASE).account_adapter
        author_id = None if shown.platform_post_id is None else rules.parse_author_id(shown.platform_post_id)
        for platform_id in filter(None, (shown.publisher_id, author_id)):
            await self._publishers.require_publisher_access(tx, caller, AdIdentity(id=platform_id))
        if shown.account_id is None:
            if shown.post_id is not None:
                raise InvalidRequest.for_field(
                    f"{at}/accountId", "required", "Send the account where the post is published."
                )
            ad_identity = None if shown.publisher_id is None else AdIdentity(id=shown.publisher_id)
            return ad_identity, shown.platform_post_id
        account = await self._accounts.find(tx, caller, shown.account_id)
        self._publishers.require_can_publish_ads(ad_account, account, at)
        post_id = shown.platform_post_id
        if shown.post_id is not None:
            post_id = await self._index.get_platform_post_id(tx, account.owner_id, shown.post_id, account.id)
            if post_id is None:
                raise InvalidRequest.for_field(
                    f"{at}/postId", "not_found", await self._explain_unpublished(tx, account, shown.post_id)
                )
        return rules.build_publisher_identity(account), post_id

    async def _explain_unpublished(self, tx: Tx, account: AccountRow, post_id: str) -> str:
        if await self._index.is_pending(tx, account.owner_id, post_id, account.id):
            return f"This post is not published yet. Try again once GET /posts/{post_id} shows it as published."
        return (
            "This post is not published on the account. `postId` is a post of this API, from GET /posts; send the "
            "platform's own id of a post as `platformPostId`."
        )
