"""Images and videos in the library of an ad account, what it is allowed to spend, and whom its ads come from."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import msgspec

from socialgate.connectors.advertising import build_publisher_identity, get_account_currency
from socialgate.connectors.client import APP_BUDGET, VendorCall
from socialgate.connectors.graph.dialect import GraphNode, GraphPage
from socialgate.connectors.graph.publishing import PUBLISH_TIMEOUT_SECONDS
from socialgate.connectors.json_paths import get_objects, get_path, get_text_or_number
from socialgate.connectors.meta.ads.mappings import DSA_FIELDS, parse_money
from socialgate.connectors.meta.ads.regions import regional_faults
from socialgate.connectors.meta.ads.targeting import targets_eu
from socialgate.connectors.meta.api import GRAPH_URL, MetaApi, raise_not_found_if_missing, require_object_id
from socialgate.connectors.meta.uploads import VideoStatus
from socialgate.connectors.multipart import FilePart, encode_multipart
from socialgate.contracts.account_connection import AccountCredentials
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.ad_values import AdIdentity, AdMediaAsset, AdTargeting
from socialgate.contracts.ads import MinBudgets
from socialgate.contracts.failures import PermissionMissingError, PlatformNotFoundError, PlatformRejectedError
from socialgate.contracts.media_rules import validate_file
from socialgate.contracts.platforms import Kind, MediaRule, Platform
from socialgate.contracts.publishing import MediaFile, MediaReader
from socialgate.core.errors import Fault

_MIB = 1024 * 1024
_CHUNK_BYTES = 8 * _MIB
IMAGE_RULE = MediaRule(mime_types=("image/jpeg", "image/png", "image/gif"), max_bytes=30 * _MIB)
VIDEO_RULE = MediaRule(mime_types=("video/mp4", "video/quicktime"), max_bytes=4 * 1024 * _MIB, max_seconds=241 * 60)
_PAGE_FIELDS = "id,name,instagram_business_account{id,username}"
_EU_DISCLOSURE_REQUIRED_DETAIL = (
    "For ads in the European Union, Meta requires the names of the beneficiary (dsa_beneficiary) and the payer "
    "(dsa_payor). Set {name}, or a default for it in the ad account."
)
_PUBLISHER_NOT_ALLOWED_DETAIL = (
    "The ad account cannot advertise for it. Give it access to the Page in Meta Business settings."
)


class _ImageUploadResponse(msgspec.Struct):
    images: dict[str, Any]


class MetaMediaLibrary:
    def __init__(self, graph: MetaApi) -> None:
        self._graph = graph

    def validate_media_file(self, file: MediaFile) -> Sequence[Fault]:
        if file.type not in {"image", "video"}:
            return [Fault("", "media_type", "An ad shows images or a video.")]
        rule = IMAGE_RULE if file.type == "image" else VIDEO_RULE
        return [*validate_file("an ad at Meta", rule, file, "")]

    async def upload_file(self, credentials: AccountCredentials, file: MediaFile, media: MediaReader) -> AdMediaAsset:
        """Upload an image, or have Meta fetch a video. An image that it already has keeps its hash."""
        api = self._graph.for_account(credentials)
        if file.type == "video":
            params = {"file_url": file.url, "name": file.file_name}
            node = await api.post(
                f"{api.budget}/advideos", GraphNode, params, repeatable=True, deadline=PUBLISH_TIMEOUT_SECONDS
            )
            return AdMediaAsset(id=str(node.id), type="video")
        starts = range(0, file.size, _CHUNK_BYTES)
        pieces = [await media.read(file.id, start, min(_CHUNK_BYTES, file.size - start)) for start in starts]
        image = FilePart(name="filename", file_name=file.file_name, mime_type=file.mime_type, byte_chunks=pieces)
        call = VendorCall(
            method="POST",
            url=f"{GRAPH_URL}/{api.budget}/adimages",
            repeatable=True,
            token=api.token,
            budgets=(api.budget, APP_BUDGET),
            deadline=PUBLISH_TIMEOUT_SECONDS,
            **encode_multipart({}, [image]),
        )
        result = next(iter((await self._graph.client.call(call, _ImageUploadResponse)).images.values()), None)
        if not get_text_or_number(result, "hash"):
            raise PlatformRejectedError("Meta did not accept this image.", platform=Platform.META, field="/media")
        return AdMediaAsset(id=get_text_or_number(result, "hash"), type="image")

    async def get_ready_asset(self, credentials: AccountCredentials, asset: AdMediaAsset) -> AdMediaAsset | None:
        if asset.type == "image":
            return asset
        row = await self._graph.for_account(credentials).get(
            require_object_id(asset.id), dict[str, Any], fields="status,picture,thumbnails"
        )
        status = msgspec.convert(row.get("status") or {}, VideoStatus, strict=False)
        if status.has_failed:
            text = f"Meta could not process the video. {status.error_message}".strip()
            raise PlatformRejectedError(text, platform=Platform.META, category="user_content", field="/media")
        if not status.is_ready:
            return None
        thumbnails = get_objects(row, "thumbnails", "data")
        best = [thumbnail for thumbnail in thumbnails if thumbnail.get("is_preferred")] or thumbnails
        cover = get_text_or_number(best[0], "uri") if best else get_text_or_number(row, "picture")
        return msgspec.structs.replace(asset, cover=cover or None)


class MetaAdAccountAdapter:
    def __init__(self, graph: MetaApi) -> None:
        self._graph = graph

    async def get_min_budgets(self, credentials: AccountCredentials, level: Literal["campaign", "adset"]) -> MinBudgets:
        """Read the smallest daily budget, for what is paid by impressions. Meta checks the rest itself."""
        del level
        api, currency = self._graph.for_account(credentials), get_account_currency(credentials)
        rows = (await api.get(f"{api.budget}/minimum_budgets", GraphPage[Any])).data
        own = [row for row in rows if get_text_or_number(row, "currency") == currency]
        return MinBudgets(daily=parse_money(get_path(own[0], "min_daily_budget_imp"), currency) if own else None)

    async def validate_adset(
        self, credentials: AccountCredentials, targeting: AdTargeting, options: Mapping[str, Any]
    ) -> Sequence[Fault]:
        """Some countries require ads to name their beneficiary and their payer."""
        return [
            *await self._validate_eu_disclosure(credentials, targeting, options),
            *regional_faults(targeting, options),
        ]

    async def _validate_eu_disclosure(
        self, credentials: AccountCredentials, targeting: AdTargeting, options: Mapping[str, Any]
    ) -> Sequence[Fault]:
        missing = [name for name in DSA_FIELDS if not options.get(name)]
        if not missing or not targets_eu(targeting):
            return []
        api = self._graph.for_account(credentials)
        row = await api.get(api.budget, dict[str, Any], fields=",".join(f"default_{name}" for name in DSA_FIELDS))
        return [
            Fault(f"/platformOptions/{name}", "required", _EU_DISCLOSURE_REQUIRED_DETAIL.format(name=name))
            for name in missing
            if not get_text_or_number(row, f"default_{name}")
        ]

    async def resolve_publisher(
        self, credentials: AccountCredentials, ad_identity: AdIdentity | None, post_id: str | None
    ) -> AdIdentity:
        api = self._graph.for_account(credentials)
        rows = await api.list_all(f"{api.budget}/promote_pages", GraphPage[Any], _PAGE_FIELDS)
        known_ones = [ad_identity for row in rows for ad_identity in _parse_publishers(row)]
        acting_identity = _select_publisher(known_ones, ad_identity, post_id)
        if post_id is not None:
            await self._require_promotable(credentials, acting_identity, post_id)
        return acting_identity

    def build_publisher_identity(self, account: AccountRow) -> AdIdentity:
        """Ads on Instagram also need the Page of the account."""
        return msgspec.structs.replace(
            build_publisher_identity(account), page_id=get_text_or_number(account.details, "pageId") or None
        )

    def parse_author_id(self, post_id: str) -> str | None:
        """Posts of Pages begin with the id of the Page."""
        return post_id.partition("_")[0]

    async def _require_promotable(self, credentials: AccountCredentials, ad_identity: AdIdentity, post_id: str) -> None:
        is_page = ad_identity.kind is Kind.FACEBOOK_PAGE
        fields = "is_eligible_for_promotion" if is_page else "boost_eligibility_info"
        post = f"{ad_identity.id}_{post_id}" if is_page and "_" not in post_id else post_id
        api = self._graph.for_account(credentials)
        try:
            async with raise_not_found_if_missing(api):
                row = await api.get(require_object_id(post), dict[str, Any], fields=f"id,{fields}")
        except PlatformNotFoundError:
            raise PlatformRejectedError("Meta has no such post.", platform=Platform.META, field="/postId") from None
        except PermissionMissingError:
            # The person may advertise for the Page without being allowed to read it: Meta decides when it is promoted.
            return
        able = row.get(fields) if is_page else get_path(row, fields, "eligible_to_boost")
        if able is False:
            why = get_text_or_number(row, fields, "boost_ineligible_reason")
            text = f"Meta does not promote this post. {why}".strip()
            raise PlatformRejectedError(text, platform=Platform.META, field="/postId")


def _parse_publishers(row: Any) -> list[AdIdentity]:
    page = AdIdentity(
        id=get_text_or_number(row, "id"), kind=Kind.FACEBOOK_PAGE, name=get_text_or_number(row, "name") or None
    )
    linked = get_text_or_number(row, "instagram_business_account", "id")
    if not linked:
        return [page]
    username = get_text_or_number(row, "instagram_business_account", "username") or None
    return [page, AdIdentity(id=linked, kind=Kind.INSTAGRAM, username=username, page_id=page.id)]


def _select_publisher(
    publishers: Sequence[AdIdentity], requested_identity: AdIdentity | None, post_id: str | None
) -> AdIdentity:
    """Find who is meant. The id of a Facebook post begins with its Page."""
    pages = [ad_identity for ad_identity in publishers if ad_identity.kind is Kind.FACEBOOK_PAGE]
    if requested_identity is not None:
        able = [ad_identity for ad_identity in publishers if ad_identity.id == requested_identity.id]
    elif post_id is not None and "_" in post_id:
        able = [page for page in pages if page.id == post_id.partition("_")[0]]
    else:
        able = pages
    if len(able) == 1:
        return able[0]
    text = (
        _PUBLISHER_NOT_ALLOWED_DETAIL
        if not able
        else "The ad account can advertise for several Pages. Send `accountId` or `publisherId`."
    )
    raise PlatformRejectedError(text, platform=Platform.META, field="/accountId")
