"""Who ads come from and what they show: publishers, posts, files in the platforms' libraries, and stored creatives."""

import asyncio
import textwrap
import unicodedata
from collections.abc import Sequence
from typing import Any

import msgspec

from socialgate.areas.accounts import store as accounts
from socialgate.areas.accounts.service import Accounts
from socialgate.areas.accounts.session import AccountSession
from socialgate.areas.ads import store
from socialgate.areas.ads.changes import LACKS
from socialgate.areas.ads.creative_schemas import AdMedia, CreativeFields
from socialgate.areas.ads.tables import CreativeRow
from socialgate.areas.media.fetching import Fetcher, Unfetchable
from socialgate.areas.media.service import Library
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.ad_values import AdStatus, Asset, Promoted, Publisher
from socialgate.contracts.ads import ADS, AdLibrary, CreativeItem, NewCreative
from socialgate.contracts.failures import PlatformNotFound, Rejected, TemporarilyUnavailable
from socialgate.contracts.platforms import Kind, Platform
from socialgate.contracts.publishing import MediaFile, PostIndex
from socialgate.core.caller import Caller
from socialgate.core.db import Database, Tx
from socialgate.core.errors import Fault, Invalid, OutOfScope
from socialgate.core.ids import is_id
from socialgate.core.work import Work
from socialgate.web.faults import refused

CREATIVE_ID = "crea"
# How long a request waits for a platform to process a video. It is polled less often the longer it takes.
_WAITS = (0.2, 0.5, 1.0, 2.0, 3.0, 4.0, 5.0, 5.0)
_RETRY_SECONDS = 30
# How much of a post's text is in a name. TikTok accepts no emoji there: symbols, their modifiers, and what joins them.
_TITLE = 50
_UNNAMEABLE = frozenset({"So", "Sk", "Cf", "Cs", "Co", "Cn"})
_VARIANTS = "\ufe0e\ufe0f\u20e3"
# Who can advertise with the ad accounts of a platform.
_PUBLISHERS_OF = {
    Platform.META: {Kind.FACEBOOK_PAGE: "a Facebook Page", Kind.INSTAGRAM: "an Instagram account"},
    Platform.TIKTOKADS: {Kind.TIKTOK: "a TikTok account"},
}
_PUBLISHERS = {kind: name for kinds in _PUBLISHERS_OF.values() for kind, name in kinds.items()}
_NO_SUCH = "There is no creative with this id. POST /ads/adcreatives creates one."


class Shown(msgspec.Struct, frozen=True, kw_only=True):
    """Which post to show, and who it comes from, as a request says it. `at` is where the request says it."""

    account_id: str | None
    publisher_id: str | None
    post_id: str | None = None
    platform_post_id: str | None = None
    at: str = ""


class Studio:
    def __init__(
        self,
        db: Database,
        session: AccountSession,
        of_accounts: Accounts,
        index: PostIndex,
        library: Library,
        fetcher: Fetcher,
    ) -> None:
        self._db = db
        self._session = session
        self._accounts = of_accounts
        self._index = index
        self._library = library
        self._fetcher = fetcher

    async def publisher(
        self, work: Work, account: AccountRow, shown: Shown, *, needs_post: bool = False
    ) -> tuple[Publisher, str | None]:
        """Find who an ad comes from, and the platform's id of the post that it shows."""
        wanted, post_id = await work.read(self._wanted, work, account, shown)
        if needs_post and post_id is None:
            detail = "Send the post to boost: `postId` with `accountId`, or `platformPostId`."
            raise Invalid.at(f"{shown.at}/postId", "required", detail)
        part = self._session.part(account, ADS, LACKS)
        try:
            found = await self._session.call_as(account, lambda held: part.account.publisher(held, wanted, post_id))
        except Rejected as failure:
            # The platform's connector does not know where in the request it is.
            failure.errors = tuple(Fault(f"{shown.at}{one.pointer}", one.code, one.detail) for one in failure.errors)
            raise
        # Without a choice in the request, the platform chose.
        await work.read(_require_reach, work.caller, found)
        return found, post_id

    async def require_page(self, work: Work, what: Promoted | None) -> None:
        """Reject to promote a Page that is connected to a profile out of the caller's reach."""
        if what is not None and what.page_id is not None:
            await work.read(_require_reach, work.caller, Publisher(id=what.page_id))

    async def assets(
        self, work: Work, account: AccountRow, media: Sequence[AdMedia], at: str = ""
    ) -> tuple[Asset, ...]:
        """Put files into the platform's library, unless they are there already."""
        files = await self._files(work, account, media, at)
        part = self._session.part(account, ADS, LACKS).library
        faults = [
            Fault(f"{at}/media/{place}{fault.pointer}", fault.code, fault.detail)
            for place, file in enumerate(files)
            for fault in part.faults(file)
        ]
        if faults:
            raise refused("The platform would reject a file", faults)
        return tuple([await self._uploaded(account, part, file) for file in files])

    async def title(self, tx: Tx, owner_id: str, post_id: str, account_id: str) -> str | None:
        """Return the beginning of a post's text, in characters that all platforms accept in a name."""
        text = await self._index.text_of(tx, owner_id, post_id, account_id) or ""
        plain = "".join(one for one in text if unicodedata.category(one) not in _UNNAMEABLE and one not in _VARIANTS)
        return textwrap.shorten(plain, _TITLE, placeholder="…") or None

    async def find(self, tx: Tx, account: AccountRow, creative_id: str) -> CreativeRow | None:
        return await store.find_creative(tx, account.owner_id, account.id, creative_id)

    async def existing(self, work: Work, account: AccountRow, creative_id: str, at: str) -> NewCreative | None:
        """Return a creative that only we have; None if the id is one of the platform.

        One that comes from a connected account whose profile the caller's key does not cover is rejected, as it is when
        it is created.
        """
        creative = await self._stored(account, creative_id, at)
        if work.caller.profiles is None:
            return creative
        if creative is not None:
            sources = tuple(filter(None, (creative.publisher,)))
        else:
            sources = await self._sources(account, creative_id, at)
        if not sources:
            raise OutOfScope("It is unknown which account the creative belongs to. Use a key that covers all profiles.")
        for source in sources:
            await work.read(_require_reach, work.caller, source)
        return creative

    async def _sources(self, account: AccountRow, creative_id: str, at: str) -> tuple[Publisher, ...]:
        """Read who a creative on the platform comes from."""
        objects = self._session.part(account, ADS, LACKS).creatives
        assert objects is not None, "an id of the platform was rejected before"
        try:
            found = await self._session.call_as(account, lambda held: objects.find(held, creative_id))
        except PlatformNotFound:
            raise Invalid.at(at, "not_found", _NO_SUCH) from None
        return tuple(Publisher(id=one) for one in found.publisher_ids)

    async def _stored(self, account: AccountRow, creative_id: str, at: str) -> NewCreative | None:
        part = self._session.part(account, ADS, LACKS)
        if not is_id(CREATIVE_ID, creative_id):
            if part.creatives is None:
                raise Invalid.at(at, "not_found", _NO_SUCH)
            return None
        row = await self._db.read(self.find, account, creative_id)
        if row is None:
            raise Invalid.at(at, "not_found", _NO_SUCH)
        return msgspec.convert(row.creative, NewCreative)

    async def _wanted(
        self, tx: Tx, work: Work, ad_account: AccountRow, shown: Shown
    ) -> tuple[Publisher | None, str | None]:
        caller, at = work.caller, shown.at
        if (shown.post_id is not None) and (shown.platform_post_id is not None):
            raise Invalid.at(f"{at}/postId", "contradiction", "Send either `postId` or `platformPostId`.")
        if (shown.account_id is not None) and (shown.publisher_id is not None):
            raise Invalid.at(f"{at}/accountId", "contradiction", "Send either `accountId` or `publisherId`.")
        for platform_id in filter(None, (shown.publisher_id, (shown.platform_post_id or "").partition("_")[0])):
            await _require_reach(tx, caller, Publisher(id=platform_id))
        if shown.account_id is None:
            if shown.post_id is not None:
                raise Invalid.at(f"{at}/accountId", "required", "Send the account where the post is published.")
            wanted = None if shown.publisher_id is None else Publisher(id=shown.publisher_id)
            return wanted, shown.platform_post_id
        account = await self._accounts.find(tx, caller, shown.account_id)
        _require_publisher(ad_account, account, at)
        post_id = shown.platform_post_id
        if shown.post_id is not None:
            post_id = await self._index.object_of(tx, account.owner_id, shown.post_id, account.id)
            if post_id is None:
                raise Invalid.at(f"{at}/postId", "not_found", await self._unpublished(tx, account, shown.post_id))
        return _publisher(account), post_id

    async def _unpublished(self, tx: Tx, account: AccountRow, post_id: str) -> str:
        if await self._index.is_pending(tx, account.owner_id, post_id, account.id):
            return f"This post is not published yet. Try again once GET /posts/{post_id} shows it as published."
        return (
            "This post is not published on the account. `postId` is a post of this API, from GET /posts; send the "
            "platform's own id of a post as `platformPostId`."
        )

    async def _files(self, work: Work, account: AccountRow, media: Sequence[AdMedia], at: str) -> list[MediaFile]:
        for place, one in enumerate(media):
            if (one.media_id is None) == (one.url is None):
                raise Invalid.at(f"{at}/media/{place}", "invalid", "Set either mediaId or url, not both.")
        urls = {one.url for one in media if one.url is not None}
        fetched = await self._fetcher.fetch(work.caller, account.profile_id, urls) if urls else {}
        files = []
        for place, one in enumerate(media):
            pointer = f"{at}/media/{place}"
            found = fetched.get(one.url or "", one.media_id)
            if isinstance(found, Unfetchable):
                raise Invalid.at(f"{pointer}/url", "unfetchable_media", str(found))
            file = await work.read(self._library.file, work.caller, found or "", f"{pointer}/mediaId")
            if file.type not in {"image", "video"}:
                detail = f"An ad shows images or a video, but the file has the type {file.type}."
                raise Invalid.at(pointer, "media_type", detail)
            files.append(file)
        return files

    async def _uploaded(self, account: AccountRow, part: AdLibrary, file: MediaFile) -> Asset:
        """Upload a file and wait until ads can use it. A repeated request continues to wait for the same upload."""
        owner_id = account.owner_id
        known = await self._db.read(store.find_asset, owner_id, account.id, file.sha256)
        if known is None:
            reader = self._library.of(owner_id)
            asset = await self._session.call_as(account, lambda held: part.upload(held, file, reader))
            await self._db.write(store.save_asset, owner_id, account.id, file.sha256, msgspec.to_builtins(asset))
        else:
            asset = msgspec.convert(known, Asset)
        try:
            return await self._ready(account, part, asset)
        except Rejected:
            # Another attempt uploads it again.
            await self._db.write(store.drop_asset, owner_id, account.id, file.sha256)
            raise

    async def _ready(self, account: AccountRow, part: AdLibrary, asset: Asset) -> Asset:
        for wait in (*_WAITS, None):
            ready = await self._session.call_as(account, lambda held: part.ready(held, asset))
            if ready is not None:
                return ready
            if wait is not None:
                await asyncio.sleep(wait)
        raise TemporarilyUnavailable(
            f"{account.platform} is still processing the file. Send the request again; the file is not uploaded again.",
            platform=account.platform,
            retry_after=_RETRY_SECONDS,
        )


async def _require_reach(tx: Tx, caller: Caller, who: Publisher) -> None:
    """Reject to advertise in the name of a connected account whose profile the caller's key does not cover."""
    for platform_id in filter(None, (who.id, who.page_id)):
        for kind in _PUBLISHERS:
            row = await accounts.find_by_platform_id(tx, caller.owner_id, kind, platform_id)
            if row is not None:
                caller.require_profile(row.profile_id)
    names = _names(who)
    if who.kind is Kind.TIKTOK and names:
        # Ad accounts have other ids for TikTok accounts: only the names are the same.
        for row in await accounts.of_kind(tx, caller.owner_id, Kind.TIKTOK):
            if names & _names(row):
                caller.require_profile(row.profile_id)


def _names(one: Publisher | AccountRow) -> set[str]:
    return {name.casefold() for name in (one.name, one.username) if name}


def creative_values(given: CreativeFields) -> dict[str, Any]:
    names = ("text", "headline", "description", "url", "call_to_action", "form_id")
    return {name: getattr(given, name) for name in names}


def stored_item(row: CreativeRow) -> CreativeItem:
    """Return what the API shows of a creative that only we have."""
    creative = msgspec.convert(row.creative, NewCreative)
    video = next((asset.id for asset in creative.assets if asset.type == "video"), None)
    return CreativeItem(
        id=row.id,
        name=creative.name,
        status=AdStatus.ACTIVE,
        created_at=row.created_at,
        updated_at=row.updated_at,
        options=creative.options,
        post_id=creative.post_id,
        text=creative.text,
        headline=creative.headline,
        description=creative.description,
        url=creative.url,
        call_to_action=creative.call_to_action,
        video_id=video,
    )


def _require_publisher(ad_account: AccountRow, account: AccountRow, at: str) -> None:
    able = _PUBLISHERS_OF.get(ad_account.platform, {})
    if account.kind not in able:
        this = _PUBLISHERS.get(account.kind, f"an account of the kind {account.kind}")
        detail = f"This is {this}. Ads of this ad account come from {' or '.join(able.values())}."
        raise Invalid.at(f"{at}/accountId", "invalid", detail)


def _publisher(account: AccountRow) -> Publisher:
    page = account.details.get("pageId")
    return Publisher(
        id=account.platform_account_id,
        kind=Kind(account.kind),
        name=account.name,
        username=account.username,
        page_id=None if page is None else str(page),
    )
