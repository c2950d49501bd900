"""Images and videos in the library of an ad account, what it is allowed to spend, and whom its ads come from."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import msgspec

from socialgate.connectors.advertising import currency_of, publisher_of
from socialgate.connectors.client import APP, Call
from socialgate.connectors.graph.dialect import Node, Rows
from socialgate.connectors.graph.publishing import SLOW_SECONDS
from socialgate.connectors.json_paths import member, rows_at, text_at
from socialgate.connectors.meta.ads.regions import regional_faults
from socialgate.connectors.meta.ads.targeting import reaches_union
from socialgate.connectors.meta.ads.words import DSA, read_money
from socialgate.connectors.meta.uploads import VideoStatus
from socialgate.connectors.meta.wire import GRAPH, Graph, checked, known
from socialgate.connectors.multipart import Attached, form_of
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.ad_values import AdTargeting, Asset, Publisher
from socialgate.contracts.ads import BudgetLimits
from socialgate.contracts.connecting import AccountCredentials
from socialgate.contracts.failures import PermissionMissing, PlatformNotFound, Rejected
from socialgate.contracts.media_rules import file_faults
from socialgate.contracts.platforms import Kind, MediaRule, Platform
from socialgate.contracts.publishing import MediaFile, MediaReader
from socialgate.core.errors import Fault

_MIB = 1024 * 1024
_PIECE = 8 * _MIB
IMAGE = MediaRule(mime_types=("image/jpeg", "image/png", "image/gif"), max_bytes=30 * _MIB)
VIDEO = MediaRule(mime_types=("video/mp4", "video/quicktime"), max_bytes=4 * 1024 * _MIB, max_seconds=241 * 60)
_PAGES = "id,name,instagram_business_account{id,username}"
_UNION = (
    "For ads in the European Union, Meta requires the names of the beneficiary (dsa_beneficiary) and the payer "
    "(dsa_payor). Send {name}, or set a default for it in the ad account."
)
_UNKNOWN = "The ad account cannot advertise for it. Give it access to the Page in Meta Business settings."


class _Images(msgspec.Struct):
    images: dict[str, Any]


class MetaLibrary:
    def __init__(self, graph: Graph) -> None:
        self._graph = graph

    def faults(self, file: MediaFile) -> Sequence[Fault]:
        if file.type not in {"image", "video"}:
            return [Fault("", "media_type", "An ad shows images or a video.")]
        rule = IMAGE if file.type == "image" else VIDEO
        return [*file_faults("an ad at Meta", rule, file, "")]

    async def upload(self, held: AccountCredentials, file: MediaFile, media: MediaReader) -> Asset:
        """Upload an image, or have Meta fetch a video. An image that it already has keeps its hash."""
        api = self._graph.of(held)
        if file.type == "video":
            params = {"file_url": file.url, "name": file.file_name}
            made = await api.post(f"{api.budget}/advideos", Node, params, repeatable=True, deadline=SLOW_SECONDS)
            return Asset(id=str(made.id), type="video")
        starts = range(0, file.size, _PIECE)
        pieces = [await media.read(file.id, start, min(_PIECE, file.size - start)) for start in starts]
        image = Attached(name="filename", file_name=file.file_name, mime_type=file.mime_type, pieces=pieces)
        call = Call(
            method="POST",
            url=f"{GRAPH}/{api.budget}/adimages",
            repeatable=True,
            token=api.token,
            budgets=(api.budget, APP),
            deadline=SLOW_SECONDS,
            **form_of({}, [image]),
        )
        found = next(iter((await self._graph.client.call(call, _Images)).images.values()), None)
        if not text_at(found, "hash"):
            raise Rejected("Meta did not accept this image.", platform=Platform.META, field="/media")
        return Asset(id=text_at(found, "hash"), type="image")

    async def ready(self, held: AccountCredentials, asset: Asset) -> Asset | None:
        if asset.type == "image":
            return asset
        row = await self._graph.of(held).get(checked(asset.id), dict[str, Any], fields="status,picture,thumbnails")
        status = msgspec.convert(row.get("status") or {}, VideoStatus, strict=False)
        if status.failed:
            text = f"Meta could not process the video. {status.why}".strip()
            raise Rejected(text, platform=Platform.META, category="user_content", field="/media")
        if not status.ready:
            return None
        thumbnails = rows_at(row, "thumbnails", "data")
        best = [one for one in thumbnails if one.get("is_preferred")] or thumbnails
        cover = text_at(best[0], "uri") if best else text_at(row, "picture")
        return msgspec.structs.replace(asset, cover=cover or None)


class MetaAccount:
    def __init__(self, graph: Graph) -> None:
        self._graph = graph

    async def limits(self, held: AccountCredentials, level: Literal["campaign", "adset"]) -> BudgetLimits:
        """Read the smallest daily budget, for what is paid by impressions. Meta checks the rest itself."""
        del level
        api, currency = self._graph.of(held), currency_of(held)
        rows = (await api.get(f"{api.budget}/minimum_budgets", Rows[Any])).data
        own = [row for row in rows if text_at(row, "currency") == currency]
        return BudgetLimits(daily=read_money(member(own[0], "min_daily_budget_imp"), currency) if own else None)

    async def adset_faults(
        self, held: AccountCredentials, targeting: AdTargeting, options: Mapping[str, Any]
    ) -> Sequence[Fault]:
        """Some countries require ads to name their beneficiary and their payer."""
        return [*await self._union_faults(held, targeting, options), *regional_faults(targeting, options)]

    async def _union_faults(
        self, held: AccountCredentials, targeting: AdTargeting, options: Mapping[str, Any]
    ) -> Sequence[Fault]:
        missing = [name for name in DSA if not options.get(name)]
        if not missing or not reaches_union(targeting):
            return []
        api = self._graph.of(held)
        row = await api.get(api.budget, dict[str, Any], fields=",".join(f"default_{name}" for name in DSA))
        return [
            Fault(f"/platformOptions/{name}", "required", _UNION.format(name=name))
            for name in missing
            if not text_at(row, f"default_{name}")
        ]

    async def publisher(self, held: AccountCredentials, wanted: Publisher | None, post_id: str | None) -> Publisher:
        api = self._graph.of(held)
        rows = await api.all(f"{api.budget}/promote_pages", Rows[Any], _PAGES)
        known_ones = [one for row in rows for one in _publishers(row)]
        who = _chosen(known_ones, wanted, post_id)
        if post_id is not None:
            await self._require_promotable(held, who, post_id)
        return who

    def publisher_of(self, account: AccountRow) -> Publisher:
        """Ads on Instagram also need the Page of the account."""
        return msgspec.structs.replace(publisher_of(account), page_id=text_at(account.details, "pageId") or None)

    def author_of(self, post_id: str) -> str | None:
        """Posts of Pages begin with the id of the Page."""
        return post_id.partition("_")[0]

    async def _require_promotable(self, held: AccountCredentials, who: Publisher, post_id: str) -> None:
        is_page = who.kind is Kind.FACEBOOK_PAGE
        fields = "is_eligible_for_promotion" if is_page else "boost_eligibility_info"
        post = f"{who.id}_{post_id}" if is_page and "_" not in post_id else post_id
        api = self._graph.of(held)
        try:
            async with known(api):
                row = await api.get(checked(post), dict[str, Any], fields=f"id,{fields}")
        except PlatformNotFound:
            raise Rejected("Meta has no such post.", platform=Platform.META, field="/postId") from None
        except PermissionMissing:
            # The person may advertise for the Page without being allowed to read it: Meta decides when it is promoted.
            return
        able = row.get(fields) if is_page else member(row, fields, "eligible_to_boost")
        if able is False:
            why = text_at(row, fields, "boost_ineligible_reason")
            text = f"Meta does not promote this post. {why}".strip()
            raise Rejected(text, platform=Platform.META, field="/postId")


def _publishers(row: Any) -> list[Publisher]:
    page = Publisher(id=text_at(row, "id"), kind=Kind.FACEBOOK_PAGE, name=text_at(row, "name") or None)
    linked = text_at(row, "instagram_business_account", "id")
    if not linked:
        return [page]
    username = text_at(row, "instagram_business_account", "username") or None
    return [page, Publisher(id=linked, kind=Kind.INSTAGRAM, username=username, page_id=page.id)]


def _chosen(ones: Sequence[Publisher], wanted: Publisher | None, post_id: str | None) -> Publisher:
    """Find who is meant. The id of a Facebook post begins with its Page."""
    pages = [one for one in ones if one.kind is Kind.FACEBOOK_PAGE]
    if wanted is not None:
        able = [one for one in ones if one.id == wanted.id]
    elif post_id is not None and "_" in post_id:
        able = [one for one in pages if one.id == post_id.partition("_")[0]]
    else:
        able = pages
    if len(able) == 1:
        return able[0]
    text = (
        _UNKNOWN if not able else "The ad account can advertise for several Pages. Send `accountId` or `publisherId`."
    )
    raise Rejected(text, platform=Platform.META, field="/accountId")
