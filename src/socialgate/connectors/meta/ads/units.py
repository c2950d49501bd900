"""Ads at Meta: a creative in an ad set."""

from collections.abc import Iterator, Mapping
from typing import Any

from socialgate.connectors.forms import given
from socialgate.connectors.json_paths import member, text_at
from socialgate.connectors.meta.ads.creatives import CREATIVE_FIELDS, creative_faults, read_creative, sent_creative
from socialgate.connectors.meta.ads.objects import MetaObjects
from socialgate.connectors.meta.ads.words import SWITCHES
from socialgate.connectors.meta.wire import checked
from socialgate.contracts.ad_objects import AdUnitItem
from socialgate.contracts.ads import AdQuery, Change, NewAdUnit
from socialgate.contracts.connecting import AccountCredentials
from socialgate.core.errors import Fault


class AdUnits(MetaObjects[AdUnitItem, NewAdUnit]):
    edge = "ads"
    fields = (
        "id,name,adset_id,campaign_id,status,configured_status,effective_status,created_time,updated_time,issues_info,"
        f"ad_review_feedback,preview_shareable_link,creative{{{CREATIVE_FIELDS}}}"
    )
    states = (
        *("ACTIVE", "PAUSED", "CAMPAIGN_PAUSED", "ADSET_PAUSED", "PENDING_REVIEW", "PREAPPROVED", "DISAPPROVED"),
        *("PENDING_BILLING_INFO", "IN_PROCESS", "WITH_ISSUES", "ARCHIVED", "DELETED"),
    )
    able = frozenset({"name", "switch", "creative_id", "creative"})

    def _faults(self, new: NewAdUnit) -> Iterator[Fault]:
        yield from () if new.creative is None else creative_faults(new.creative)

    def _change_faults(self, change: Change) -> Iterator[Fault]:
        yield from () if change.creative is None else creative_faults(change.creative)

    def _parent(self, query: AdQuery) -> str | None:
        parent = query.adset_id or query.campaign_id
        return None if parent is None else checked(parent)

    def _above(self, new: NewAdUnit) -> str | None:
        return checked(new.adset_id)

    async def _body(self, held: AccountCredentials, new: NewAdUnit) -> Mapping[str, Any]:
        del held
        tracked = {"action.type": ["offsite_conversion"], "fb_pixel": [new.pixel_id]}
        return {
            "name": new.name,
            "adset_id": new.adset_id,
            "status": SWITCHES[new.switch],
            "creative": _creative(new),
            "tracking_specs": [tracked] if new.pixel_id else None,
        }

    async def _changes(self, held: AccountCredentials, change: Change, before: Mapping[str, Any]) -> Mapping[str, Any]:
        del held, before
        status = SWITCHES[change.switch] if change.switch else None
        return {"name": change.name, "status": status, "creative": _creative(change)}

    def _item(self, held: AccountCredentials, row: Mapping[str, Any]) -> AdUnitItem:
        del held
        creative: Any = member(row, "creative")
        creative_id = text_at(creative, "id") or text_at(creative, "creative_id")
        about = {"id": creative_id, "name": text_at(creative, "name") or None}
        is_whole = isinstance(creative, dict) and len(creative) > 1
        return AdUnitItem(
            **self._common(row),
            adset_id=text_at(row, "adset_id"),
            campaign_id=text_at(row, "campaign_id") or None,
            creative_id=creative_id or None,
            creative=read_creative(creative, about) if is_whole else None,
            preview_url=text_at(row, "preview_shareable_link") or None,
        )


def _creative(new: NewAdUnit | Change) -> dict[str, Any] | None:
    if new.creative is None:
        return {"creative_id": new.creative_id} if new.creative_id else None
    return {**new.creative.options, **given(sent_creative(new.creative))}
