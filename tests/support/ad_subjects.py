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
from support.crashing import Stage
from support.stocked import page_post
from support.subjects import Subject

_BUDGET = {"amount": 80_000, "currency": "SEK", "type": "daily"}
_RULES = [{"field": "url", "operator": "contains", "values": ["/thank-you"]}]


class Desk(msgspec.Struct, frozen=True, kw_only=True):
    """Where people advertise: an ad account, its pixel, and a post with who published it."""

    platform: str
    kind: Kind
    advertiser: str
    pixel: str
    post: dict[str, str]

    def place(self, stage: Stage) -> dict[str, str]:
        rows = stage.ask("GET", "/adaccounts")["data"]
        found = [one for one in rows if (one["platform"], one["name"]) == (self.platform, self.advertiser)]
        return {"adAccountId": found[0]["id"]}


META_DESK = Desk(
    platform="meta",
    kind=Kind.META_ADS,
    advertiser="Bakery ads",
    pixel=META_PIXEL,
    post={"publisherId": BAKERY, "platformPostId": page_post(0)},
)
TIKTOK_DESK = Desk(
    platform="tiktokads",
    kind=Kind.TIKTOK_ADS,
    advertiser="Ada's Bakery",
    pixel=TIKTOK_PIXEL,
    post={"publisherId": BAKERY_IDENTITY, "platformPostId": BAKERY_POST},
)


def _named(desk: Desk, stage: Stage, path: str, name: str, **query: str) -> set[str]:
    found = stage.ask("GET", path, params={**desk.place(stage), "q": name, "limit": 100, **query})["data"]
    return {one["id"] for one in found if one["name"] == name}


def _made(desk: Desk, stage: Stage, path: str, **body: Any) -> str:
    return str(stage.ask("POST", path, json={**desk.place(stage), **body})["id"])


def _campaign(desk: Desk, stage: Stage) -> str:
    return _made(desk, stage, "/ads/campaigns", name=f"Killed {uuid4().hex}", goal="traffic")


def _adset(desk: Desk, stage: Stage) -> dict[str, Any]:
    campaign, targeting = _campaign(desk, stage), {"countries": ["NO"]}
    return {"campaignId": campaign, "budget": _BUDGET, "targeting": targeting, "optimization": "clicks"}


def _creation(desk: Desk, stage: Stage, path: str, query: dict[str, str] | None = None, **body: Any) -> Subject:
    name = f"Killed {uuid4().hex[:24]}"
    made = partial(_named, desk, stage, path, name, **(query or {}))
    sent = {**desk.place(stage), "name": name, **body}
    return Subject(path=path, body=sent, effects=lambda: len(made()), object_ids=made)


def campaign(desk: Desk, stage: Stage) -> Subject:
    return _creation(desk, stage, "/ads/campaigns", goal="traffic")


def adset(desk: Desk, stage: Stage) -> Subject:
    return _creation(desk, stage, "/ads/adsets", **_adset(desk, stage))


def ad(desk: Desk, stage: Stage) -> Subject:
    group = _made(desk, stage, "/ads/adsets", name="Killed", **_adset(desk, stage))
    creative = _made(desk, stage, "/ads/adcreatives", name="Killed", **desk.post)
    return _creation(desk, stage, "/ads/ads", adsetId=group, creativeId=creative)


def boost(desk: Desk, stage: Stage) -> Subject:
    body: dict[str, Any] = {"budget": _BUDGET, "targeting": {"countries": ["NO"]}, **desk.post}
    subject = _creation(desk, stage, "/ads/ads", **body)
    return msgspec.structs.replace(subject, path="/ads/boost")


def audience(desk: Desk, stage: Stage) -> Subject:
    return _creation(desk, stage, "/ads/audiences", people=[{"email": "ada@example.com"}])


def conversion(desk: Desk, stage: Stage) -> Subject:
    pixel = {"pixelId": desk.pixel}
    return _creation(desk, stage, "/ads/custom-conversions", pixel, **pixel, event="Purchase", rules=_RULES)


def _of(desk: Desk, stage: Stage, kind: str) -> tuple[str, str, dict[str, str], str]:
    """Create something to change: where it is listed, its name, how it is listed, and its id."""
    name, pixel = f"Killed {uuid4().hex[:24]}", {"pixelId": desk.pixel}
    bodies: dict[str, tuple[str, dict[str, Any], dict[str, str]]] = {
        "campaign": ("/ads/campaigns", {"goal": "traffic"}, {}),
        "audience": ("/ads/audiences", {}, {}),
        "customConversion": ("/ads/custom-conversions", {**pixel, "event": "Purchase", "rules": _RULES}, pixel),
    }
    path, body, query = bodies[kind]
    return path, name, query, _made(desk, stage, path, name=name, **body)


def change(kind: str, desk: Desk, stage: Stage) -> Subject:
    path, _, query, object_id = _of(desk, stage, kind)
    renamed = f"Killed {uuid4().hex[:24]}"
    named = {**desk.place(stage), "type": kind, "id": object_id}
    return Subject(
        method="PATCH",
        path="/ads/object",
        body={**named, "name": renamed},
        effects=lambda: len(_named(desk, stage, path, renamed, **query)),
        object_ids=lambda: {object_id},
    )


def deletion(kind: str, desk: Desk, stage: Stage) -> Subject:
    path, name, query, object_id = _of(desk, stage, kind)
    place = desk.place(stage)["adAccountId"]
    return Subject(
        method="DELETE",
        path=f"/ads/object?adAccountId={place}&type={kind}&id={object_id}",
        effects=lambda: int(not _named(desk, stage, path, name, **query)),
        object_ids=lambda: {object_id},
    )


Make = Callable[[Desk, Stage], Subject]
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
