"""Requests that change something of an ad account, each under a name of its own, and what became of them there."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any
from uuid import uuid4

import msgspec

from socialgate.contracts.platforms import Kind
from socialgate_sandbox.vendors.meta.seed import BAKERY
from socialgate_sandbox.vendors.meta.seed import BAKERY_PIXEL as META_PIXEL
from socialgate_sandbox.vendors.tiktokads.seed import BAKERY_IDENTITY, BAKERY_POST
from socialgate_sandbox.vendors.tiktokads.seed import BAKERY_PIXEL as TIKTOK_PIXEL
from support.crash_deployment import CrashDeployment
from support.platform_requests import PlatformRequest
from support.seeded_vendors import page_post

_BUDGET = {"amount": 80_000, "currency": "SEK", "type": "daily"}
_RULES = [{"field": "url", "operator": "contains", "values": ["/thank-you"]}]


class AdAccountFixture(msgspec.Struct, frozen=True, kw_only=True):
    """Where people advertise: an ad account, its pixel, and a post with who published it."""

    platform: str
    kind: Kind
    advertiser: str
    pixel: str
    post: dict[str, str]

    def place(self, stage: CrashDeployment) -> dict[str, str]:
        rows = stage.send_request("GET", "/adaccounts")["data"]
        items = [row for row in rows if (row["platform"], row["name"]) == (self.platform, self.advertiser)]
        return {"adAccountId": items[0]["id"]}


META_AD_ACCOUNT = AdAccountFixture(
    platform="meta",
    kind=Kind.META_ADS,
    advertiser="Bakery ads",
    pixel=META_PIXEL,
    post={"publisherId": BAKERY, "platformPostId": page_post(0)},
)
TIKTOK_AD_ACCOUNT = AdAccountFixture(
    platform="tiktokads",
    kind=Kind.TIKTOK_ADS,
    advertiser="Ada's Bakery",
    pixel=TIKTOK_PIXEL,
    post={"publisherId": BAKERY_IDENTITY, "platformPostId": BAKERY_POST},
)


def _find_ids_by_name(desk: AdAccountFixture, stage: CrashDeployment, path: str, name: str, **query: str) -> set[str]:
    result = stage.send_request("GET", path, params={**desk.place(stage), "q": name, "limit": 100, **query})["data"]
    return {item["id"] for item in result if item["name"] == name}


def _create(desk: AdAccountFixture, stage: CrashDeployment, path: str, **body: Any) -> str:
    return str(stage.send_request("POST", path, json={**desk.place(stage), **body})["id"])


def _campaign(desk: AdAccountFixture, stage: CrashDeployment) -> str:
    return _create(desk, stage, "/ads/campaigns", name=f"Killed {uuid4().hex}", goal="traffic")


def _adset(desk: AdAccountFixture, stage: CrashDeployment) -> dict[str, Any]:
    campaign, targeting = _campaign(desk, stage), {"countries": ["NO"]}
    return {"campaignId": campaign, "budget": _BUDGET, "targeting": targeting, "optimization": "clicks"}


def _creation(
    desk: AdAccountFixture, stage: CrashDeployment, path: str, query: dict[str, str] | None = None, **body: Any
) -> PlatformRequest:
    name = f"Killed {uuid4().hex[:24]}"
    constructor = partial(_find_ids_by_name, desk, stage, path, name, **(query or {}))
    sent = {**desk.place(stage), "name": name, **body}
    return PlatformRequest(path=path, body=sent, effects=lambda: len(constructor()), object_ids=constructor)


def campaign(desk: AdAccountFixture, stage: CrashDeployment) -> PlatformRequest:
    return _creation(desk, stage, "/ads/campaigns", goal="traffic")


def adset(desk: AdAccountFixture, stage: CrashDeployment) -> PlatformRequest:
    return _creation(desk, stage, "/ads/adsets", **_adset(desk, stage))


def ad(desk: AdAccountFixture, stage: CrashDeployment) -> PlatformRequest:
    group = _create(desk, stage, "/ads/adsets", name="Killed", **_adset(desk, stage))
    creative = _create(desk, stage, "/ads/adcreatives", name="Killed", **desk.post)
    return _creation(desk, stage, "/ads/ads", adsetId=group, creativeId=creative)


def boost(desk: AdAccountFixture, stage: CrashDeployment) -> PlatformRequest:
    body: dict[str, Any] = {"budget": _BUDGET, "targeting": {"countries": ["NO"]}, **desk.post}
    subject = _creation(desk, stage, "/ads/ads", **body)
    return msgspec.structs.replace(subject, path="/ads/boost")


def audience(desk: AdAccountFixture, stage: CrashDeployment) -> PlatformRequest:
    return _creation(desk, stage, "/ads/audiences", people=[{"email": "ada@example.com"}])


def conversion(desk: AdAccountFixture, stage: CrashDeployment) -> PlatformRequest:
    pixel = {"pixelId": desk.pixel}
    return _creation(desk, stage, "/ads/custom-conversions", pixel, **pixel, event="Purchase", rules=_RULES)


def _create_object(desk: AdAccountFixture, stage: CrashDeployment, kind: str) -> tuple[str, str, dict[str, str], str]:
    """Create something to change: where it is listed, its name, how it is listed, and its id."""
    name, pixel = f"Killed {uuid4().hex[:24]}", {"pixelId": desk.pixel}
    bodies: dict[str, tuple[str, dict[str, Any], dict[str, str]]] = {
        "campaign": ("/ads/campaigns", {"goal": "traffic"}, {}),
        "audience": ("/ads/audiences", {}, {}),
        "customConversion": ("/ads/custom-conversions", {**pixel, "event": "Purchase", "rules": _RULES}, pixel),
    }
    path, body, query = bodies[kind]
    return path, name, query, _create(desk, stage, path, name=name, **body)


def change(kind: str, desk: AdAccountFixture, stage: CrashDeployment) -> PlatformRequest:
    path, _, query, object_id = _create_object(desk, stage, kind)
    renamed = f"Killed {uuid4().hex[:24]}"
    named = {**desk.place(stage), "type": kind, "id": object_id}
    return PlatformRequest(
        method="PATCH",
        path="/ads/object",
        body={**named, "name": renamed},
        effects=lambda: len(_find_ids_by_name(desk, stage, path, renamed, **query)),
        object_ids=lambda: {object_id},
    )


def deletion(kind: str, desk: AdAccountFixture, stage: CrashDeployment) -> PlatformRequest:
    path, name, query, object_id = _create_object(desk, stage, kind)
    place = desk.place(stage)["adAccountId"]
    return PlatformRequest(
        method="DELETE",
        path=f"/ads/object?adAccountId={place}&type={kind}&id={object_id}",
        effects=lambda: int(not _find_ids_by_name(desk, stage, path, name, **query)),
        object_ids=lambda: {object_id},
    )


Make = Callable[[AdAccountFixture, CrashDeployment], PlatformRequest]
# By the names of operations, with the objects that `change` and `deletion` are tried on.
SUBJECTS: Sequence[tuple[str, Make]] = (
    ("campaigns.create", campaign),
    ("adsets.create", adset),
    ("ads.create", ad),
    ("ads.boost", boost),
    ("audiences.create", audience),
    ("customConversions.create", conversion),
    ("ads.update", partial(change, "campaign")),
    ("audiences.update", partial(change, "audience")),
    ("customConversions.update", partial(change, "customConversion")),
    ("ads.delete", partial(deletion, "campaign")),
    ("audiences.delete", partial(deletion, "audience")),
    ("customConversions.delete", partial(deletion, "customConversion")),
)
