"""Images and videos in the library of an ad account, and whom its ads come from."""

import hashlib
import secrets
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import msgspec

from socialgate.connectors.advertising import currency_of, publisher_of
from socialgate.connectors.json_paths import text_at
from socialgate.connectors.multipart import Attached, form_of
from socialgate.connectors.tiktokads.ads.posts import format_of
from socialgate.connectors.tiktokads.ads.words import text_of
from socialgate.connectors.tiktokads.commerce import access
from socialgate.connectors.tiktokads.paging import Pages
from socialgate.connectors.tiktokads.wire import TikTokAdsApi
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.ad_values import AdTargeting, Asset, Publisher
from socialgate.contracts.ads import BudgetLimits
from socialgate.contracts.connecting import AccountCredentials
from socialgate.contracts.failures import Rejected, TemporarilyUnavailable
from socialgate.contracts.media_rules import file_faults
from socialgate.contracts.money import Money
from socialgate.contracts.platforms import Kind, MediaRule, Platform
from socialgate.contracts.publishing import MediaFile, MediaReader
from socialgate.core.errors import Fault

_MIB = 1024 * 1024
_PIECE, _SLOW_SECONDS = 8 * _MIB, 120.0
IMAGE = MediaRule(mime_types=("image/jpeg", "image/png"), max_count=35, max_bytes=10 * _MIB)
VIDEO = MediaRule(
    mime_types=("video/mp4", "video/quicktime", "video/mpeg", "video/x-msvideo"),
    max_bytes=500 * _MIB,
    min_seconds=5,
    max_seconds=600,
)
# What TikTok's help center states, which is in dollars only. Its rejections name the minimum in other currencies.
_LEAST = {("campaign", "USD"): Money(50_00, "USD"), ("adset", "USD"): Money(20_00, "USD")}
_CUSTOM = "CUSTOMIZED_USER"
_ROWS, _MOST_PAGES = 100, 20


class _Image(msgspec.Struct, frozen=True):
    image_id: str


class _Videos(msgspec.Struct, frozen=True):
    list: Sequence[Mapping[str, Any]] = ()


class _Identities(msgspec.Struct, frozen=True):
    identity_list: Sequence[Mapping[str, Any]] | None = ()
    page_info: Pages = Pages()


class TikTokLibrary:
    def __init__(self, api: TikTokAdsApi) -> None:
        self._api = api

    def faults(self, file: MediaFile) -> Sequence[Fault]:
        if file.type not in {"image", "video"}:
            return [Fault("", "media_type", "An ad shows images or a video.")]
        rule = IMAGE if file.type == "image" else VIDEO
        return [*file_faults("an ad on TikTok", rule, file, "")]

    async def upload(self, held: AccountCredentials, file: MediaFile, media: MediaReader) -> Asset:
        """Upload an image, or have TikTok fetch a video. Names must be new, so each upload gets another one."""
        name = f"{secrets.token_hex(4)}-{file.file_name}"[-100:]
        fields = {"advertiser_id": held.platform_account_id, "file_name": name}
        if file.type == "video":
            body = {**fields, "upload_type": "UPLOAD_BY_URL", "video_url": file.url}
            path, post = "file/video/ad/upload/", access(self._api, held).post
            rows = await post(path, list[Mapping[str, Any]], body, repeatable=True, deadline=_SLOW_SECONDS)
            return Asset(id=text_at(rows[0], "video_id"), type="video")
        starts = range(0, file.size, _PIECE)
        pieces = [await media.read(file.id, start, min(_PIECE, file.size - start)) for start in starts]
        digest = hashlib.md5(b"".join(pieces), usedforsecurity=False).hexdigest()
        sent = Attached(name="image_file", file_name=name, mime_type=file.mime_type, pieces=pieces)
        form = form_of({**fields, "upload_type": "UPLOAD_BY_FILE", "image_signature": digest}, [sent])
        return Asset(id=await self._image(held, **form), type="image")

    async def ready(self, held: AccountCredentials, asset: Asset) -> Asset | None:
        """Wait for the video, then make the cover that TikTok suggests an image of the library: ads require one."""
        if asset.type == "image" or asset.cover is not None:
            return asset
        query = {"advertiser_id": held.platform_account_id, "video_ids": text_of([asset.id])}
        try:
            rows = (await access(self._api, held).get("file/video/ad/info/", _Videos, **query)).list
        except TemporarilyUnavailable:
            return None
        cover = text_at(rows[0], "video_cover_url") if rows else ""
        if not cover or rows[0].get("displayable") is False:
            return None
        name = {"file_name": f"{secrets.token_hex(8)}.jpg", "upload_type": "UPLOAD_BY_URL", "image_url": cover}
        image = await self._image(held, json={"advertiser_id": held.platform_account_id, **name})
        return msgspec.structs.replace(asset, cover=image)

    async def _image(self, held: AccountCredentials, **sent: Any) -> str:
        call = access(self._api, held).call
        path, deadline = "file/image/ad/upload/", _SLOW_SECONDS
        return (await call("POST", path, _Image, repeatable=True, deadline=deadline, **sent)).image_id


class TikTokAccount:
    def __init__(self, api: TikTokAdsApi) -> None:
        self._api = api

    async def limits(self, held: AccountCredentials, level: Literal["campaign", "adset"]) -> BudgetLimits:
        """Look up the smallest budgets. For a lifetime budget of an ad set, TikTok multiplies it by the days itself."""
        least = _LEAST.get((level, currency_of(held)))
        return BudgetLimits(daily=least, lifetime=least)

    async def adset_faults(
        self, held: AccountCredentials, targeting: AdTargeting, options: Mapping[str, Any]
    ) -> Sequence[Fault]:
        """TikTok requires nothing else."""
        del held, targeting, options
        return []

    async def publisher(self, held: AccountCredentials, wanted: Publisher | None, post_id: str | None) -> Publisher:
        """Find an identity. Only TikTok accounts have posts; others are a name and a picture for ads."""
        rows = [row for row in await self._identities(held) if post_id is None or _type(row) != _CUSTOM]
        able = [row for row in rows if wanted is None or _is_meant(row, wanted)]
        if len(able) != 1:
            none = "The ad account has no such identity. Link the TikTok account to it in TikTok Ads Manager."
            text = "The ad account has several identities. Send `accountId` or `publisherId`." if able else none
            raise Rejected(text, platform=Platform.TIKTOKADS, field="/accountId")
        found, center = able[0], text_at(able[0], "identity_authorized_bc_id")
        whole = ":".join(filter(None, (_type(found), text_at(found, "identity_id"), center)))
        if post_id is not None and await format_of(self._api, held, whole, post_id) is None:
            text = "The TikTok account has no such post, or does not allow ads with it."
            raise Rejected(text, platform=Platform.TIKTOKADS, field="/postId")
        kind = None if _type(found) == _CUSTOM else Kind.TIKTOK
        names = {"name": text_at(found, "display_name") or None, "username": text_at(found, "username") or None}
        return Publisher(id=whole, kind=kind, **names)

    def publisher_of(self, account: AccountRow) -> Publisher:
        return publisher_of(account)

    def author_of(self, post_id: str) -> str | None:
        del post_id
        return None

    async def _identities(self, held: AccountCredentials) -> list[Mapping[str, Any]]:
        found: list[Mapping[str, Any]] = []
        for page in range(1, _MOST_PAGES + 1):
            query = {"advertiser_id": held.platform_account_id, "page": page, "page_size": _ROWS}
            some = await access(self._api, held).get("identity/get/", _Identities, **query)
            found += some.identity_list or ()
            if some.page_info.after(_ROWS) is None:
                break
        return found


def _type(row: Mapping[str, Any]) -> str:
    return text_at(row, "identity_type")


def _is_meant(row: Mapping[str, Any], wanted: Publisher) -> bool:
    """A connected TikTok account has another id here: only its names are the same."""
    if wanted.kind is Kind.TIKTOK:
        names = {name.casefold() for name in (wanted.name, wanted.username) if name}
        shown = {text_at(row, name).casefold() for name in ("display_name", "username")}
        return _type(row) != _CUSTOM and bool(names & shown)
    return wanted.id.split(":")[-1 if ":" not in wanted.id else 1] == text_at(row, "identity_id")
