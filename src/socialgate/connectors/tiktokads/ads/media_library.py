"""Images and videos in the library of an ad account, and whom its ads come from."""

import hashlib
import secrets
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import msgspec

from socialgate.connectors.advertising import build_publisher_identity, get_account_currency
from socialgate.connectors.json_paths import get_text_or_number
from socialgate.connectors.multipart import FilePart, encode_multipart
from socialgate.connectors.tiktokads.ads.mappings import encode_json
from socialgate.connectors.tiktokads.ads.spark_ads import fetch_ad_format
from socialgate.connectors.tiktokads.api import TikTokAdsApi
from socialgate.connectors.tiktokads.commerce import api_for_account
from socialgate.connectors.tiktokads.paging import PageInfo
from socialgate.contracts.account_connection import AccountCredentials
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.ad_values import AdIdentity, AdMediaAsset, AdTargeting
from socialgate.contracts.ads import MinBudgets
from socialgate.contracts.failures import PlatformRejectedError, PlatformUnavailableError
from socialgate.contracts.media_rules import validate_file
from socialgate.contracts.money import Money
from socialgate.contracts.platforms import Kind, MediaRule, Platform
from socialgate.contracts.publishing import MediaFile, MediaReader
from socialgate.core.errors import Fault

_MIB = 1024 * 1024
_PIECE, _UPLOAD_TIMEOUT_SECONDS = 8 * _MIB, 120.0
IMAGE_RULE = MediaRule(mime_types=("image/jpeg", "image/png"), max_count=35, max_bytes=10 * _MIB)
VIDEO_RULE = MediaRule(
    mime_types=("video/mp4", "video/quicktime", "video/mpeg", "video/x-msvideo"),
    max_bytes=500 * _MIB,
    min_seconds=5,
    max_seconds=600,
)
# What TikTok's help center states, which is in dollars only. Its rejections name the minimum in other currencies.
_MIN_BUDGETS = {("campaign", "USD"): Money(50_00, "USD"), ("adset", "USD"): Money(20_00, "USD")}
_CUSTOM_IDENTITY_TYPE = "CUSTOMIZED_USER"
_PAGE_SIZE, _MAX_PAGES = 100, 20


class _UploadedImage(msgspec.Struct, frozen=True):
    image_id: str


class _VideosResponse(msgspec.Struct, frozen=True):
    list: Sequence[Mapping[str, Any]] = ()


class _Identities(msgspec.Struct, frozen=True):
    identity_list: Sequence[Mapping[str, Any]] | None = ()
    page_info: PageInfo = PageInfo()


class TikTokMediaLibrary:
    def __init__(self, api: TikTokAdsApi) -> None:
        self._api = api

    def validate_media_file(self, file: MediaFile) -> Sequence[Fault]:
        if file.type not in {"image", "video"}:
            return [Fault("", "media_type", "An ad shows images or a video.")]
        rule = IMAGE_RULE if file.type == "image" else VIDEO_RULE
        return [*validate_file("an ad on TikTok", rule, file, "")]

    async def upload_file(self, credentials: AccountCredentials, file: MediaFile, media: MediaReader) -> AdMediaAsset:
        """Upload an image, or have TikTok fetch a video. Names must be new, so each upload gets another one."""
        name = f"{secrets.token_hex(4)}-{file.file_name}"[-100:]
        fields = {"advertiser_id": credentials.platform_account_id, "file_name": name}
        if file.type == "video":
            body = {**fields, "upload_type": "UPLOAD_BY_URL", "video_url": file.url}
            path, post = "file/video/ad/upload/", api_for_account(self._api, credentials).post
            rows = await post(path, list[Mapping[str, Any]], body, repeatable=True, deadline=_UPLOAD_TIMEOUT_SECONDS)
            return AdMediaAsset(id=get_text_or_number(rows[0], "video_id"), type="video")
        starts = range(0, file.size, _PIECE)
        pieces = [await media.read(file.id, start, min(_PIECE, file.size - start)) for start in starts]
        digest = hashlib.md5(b"".join(pieces), usedforsecurity=False).hexdigest()
        sent = FilePart(name="image_file", file_name=name, mime_type=file.mime_type, byte_chunks=pieces)
        form = encode_multipart({**fields, "upload_type": "UPLOAD_BY_FILE", "image_signature": digest}, [sent])
        return AdMediaAsset(id=await self._upload_image(credentials, **form), type="image")

    async def get_ready_asset(self, credentials: AccountCredentials, asset: AdMediaAsset) -> AdMediaAsset | None:
        """Wait for the video, then make the cover that TikTok suggests an image of the library: ads require one."""
        if asset.type == "image" or asset.cover is not None:
            return asset
        query = {"advertiser_id": credentials.platform_account_id, "video_ids": encode_json([asset.id])}
        try:
            rows = (
                await api_for_account(self._api, credentials).get("file/video/ad/info/", _VideosResponse, **query)
            ).list
        except PlatformUnavailableError:
            return None
        cover = get_text_or_number(rows[0], "video_cover_url") if rows else ""
        if not cover or rows[0].get("displayable") is False:
            return None
        name = {"file_name": f"{secrets.token_hex(8)}.jpg", "upload_type": "UPLOAD_BY_URL", "image_url": cover}
        image = await self._upload_image(credentials, json={"advertiser_id": credentials.platform_account_id, **name})
        return msgspec.structs.replace(asset, cover=image)

    async def _upload_image(self, credentials: AccountCredentials, **sent: Any) -> str:
        call = api_for_account(self._api, credentials).call
        path, deadline = "file/image/ad/upload/", _UPLOAD_TIMEOUT_SECONDS
        return (await call("POST", path, _UploadedImage, repeatable=True, deadline=deadline, **sent)).image_id


class TikTokAdAccountAdapter:
    def __init__(self, api: TikTokAdsApi) -> None:
        self._api = api

    async def get_min_budgets(self, credentials: AccountCredentials, level: Literal["campaign", "adset"]) -> MinBudgets:
        """Look up the smallest budgets. For a lifetime budget of an ad set, TikTok multiplies it by the days itself."""
        least = _MIN_BUDGETS.get((level, get_account_currency(credentials)))
        return MinBudgets(daily=least, lifetime=least)

    async def validate_adset(
        self, credentials: AccountCredentials, targeting: AdTargeting, options: Mapping[str, Any]
    ) -> Sequence[Fault]:
        """TikTok requires nothing else."""
        del credentials, targeting, options
        return []

    async def resolve_publisher(
        self, credentials: AccountCredentials, ad_identity: AdIdentity | None, post_id: str | None
    ) -> AdIdentity:
        """Find an identity. Only TikTok accounts have posts; others are a name and a picture for ads."""
        rows = [
            row
            for row in await self._list_identities(credentials)
            if post_id is None or _get_identity_type(row) != _CUSTOM_IDENTITY_TYPE
        ]
        able = [row for row in rows if ad_identity is None or _matches_publisher(row, ad_identity)]
        if len(able) != 1:
            none = "The ad account has no such identity. Link the TikTok account to it in TikTok Ads Manager."
            text = "The ad account has several identities. Send `accountId` or `publisherId`." if able else none
            raise PlatformRejectedError(text, platform=Platform.TIKTOKADS, field="/accountId")
        result, center = able[0], get_text_or_number(able[0], "identity_authorized_bc_id")
        whole = ":".join(filter(None, (_get_identity_type(result), get_text_or_number(result, "identity_id"), center)))
        if post_id is not None and await fetch_ad_format(self._api, credentials, whole, post_id) is None:
            text = "The TikTok account has no such post, or does not allow ads with it."
            raise PlatformRejectedError(text, platform=Platform.TIKTOKADS, field="/postId")
        kind = None if _get_identity_type(result) == _CUSTOM_IDENTITY_TYPE else Kind.TIKTOK
        names = {
            "name": get_text_or_number(result, "display_name") or None,
            "username": get_text_or_number(result, "username") or None,
        }
        return AdIdentity(id=whole, kind=kind, **names)

    def build_publisher_identity(self, account: AccountRow) -> AdIdentity:
        return build_publisher_identity(account)

    def parse_author_id(self, post_id: str) -> str | None:
        del post_id
        return None

    async def _list_identities(self, credentials: AccountCredentials) -> list[Mapping[str, Any]]:
        result: list[Mapping[str, Any]] = []
        for page in range(1, _MAX_PAGES + 1):
            query = {"advertiser_id": credentials.platform_account_id, "page": page, "page_size": _PAGE_SIZE}
            some = await api_for_account(self._api, credentials).get("identity/get/", _Identities, **query)
            result += some.identity_list or ()
            if some.page_info.get_next_cursor(_PAGE_SIZE) is None:
                break
        return result


def _get_identity_type(row: Mapping[str, Any]) -> str:
    return get_text_or_number(row, "identity_type")


def _matches_publisher(row: Mapping[str, Any], ad_identity: AdIdentity) -> bool:
    """A connected TikTok account has another id here: only its names are the same."""
    if ad_identity.kind is Kind.TIKTOK:
        names = {name.casefold() for name in (ad_identity.name, ad_identity.username) if name}
        shown = {get_text_or_number(row, name).casefold() for name in ("display_name", "username")}
        return _get_identity_type(row) != _CUSTOM_IDENTITY_TYPE and bool(names & shown)
    return ad_identity.id.split(":")[-1 if ":" not in ad_identity.id else 1] == get_text_or_number(row, "identity_id")
