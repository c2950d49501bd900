"""Ads at Meta: a creative in an ad set."""

from collections.abc import Iterator, Mapping
from typing import Any

from socialgate.connectors.json_paths import get_path, get_text_or_number
from socialgate.connectors.meta.ads.creatives import CREATIVE_FIELDS, encode_creative, parse_creative, validate_creative
from socialgate.connectors.meta.ads.mappings import VENDOR_NAMES_BY_CONFIGURED_STATUS
from socialgate.connectors.meta.ads.objects import MetaAdObjects
from socialgate.connectors.meta.api import require_object_id
from socialgate.connectors.post_options import drop_none
from socialgate.contracts.account_connection import AccountCredentials
from socialgate.contracts.ad_objects import AdUnitItem
from socialgate.contracts.ads import AdObjectChanges, AdQuery, NewAdUnit
from socialgate.core.errors import Fault


class AdUnits(MetaAdObjects[AdUnitItem, NewAdUnit]):
    edge = "ads"
    fields = (
        "id,name,adset_id,campaign_id,status,configured_status,effective_status,created_time,updated_time,issues_info,"
        f"ad_review_feedback,preview_shareable_link,creative{{{CREATIVE_FIELDS}}}"
    )
    filterable_statuses = (
        *("ACTIVE", "PAUSED", "CAMPAIGN_PAUSED", "ADSET_PAUSED", "PENDING_REVIEW", "PREAPPROVED", "DISAPPROVED"),
        *("PENDING_BILLING_INFO", "IN_PROCESS", "WITH_ISSUES", "ARCHIVED", "DELETED"),
    )
    changeable_fields = frozenset({"name", "configured_status", "creative_id", "creative"})

    def _validate_new(self, new: NewAdUnit) -> Iterator[Fault]:
        yield from () if new.creative is None else validate_creative(new.creative)

    def _validate_change(self, change: AdObjectChanges) -> Iterator[Fault]:
        yield from () if change.creative is None else validate_creative(change.creative)

    def _get_list_parent_id(self, query: AdQuery) -> str | None:
        parent = query.adset_id or query.campaign_id
        return None if parent is None else require_object_id(parent)

    def _get_parent_id(self, new: NewAdUnit) -> str | None:
        return require_object_id(new.adset_id)

    async def _build_create_params(self, credentials: AccountCredentials, new: NewAdUnit) -> Mapping[str, Any]:
        del credentials
        tracked = {"action.type": ["offsite_conversion"], "fb_pixel": [new.pixel_id]}
        return {
            "name": new.name,
            "adset_id": new.adset_id,
            "status": VENDOR_NAMES_BY_CONFIGURED_STATUS[new.configured_status],
            "creative": _encode_creative(new),
            "tracking_specs": [tracked] if new.pixel_id else None,
        }

    async def _build_update_params(
        self, credentials: AccountCredentials, change: AdObjectChanges, before: Mapping[str, Any]
    ) -> Mapping[str, Any]:
        del credentials, before
        status = VENDOR_NAMES_BY_CONFIGURED_STATUS[change.configured_status] if change.configured_status else None
        return {"name": change.name, "status": status, "creative": _encode_creative(change)}

    def _parse_item(self, credentials: AccountCredentials, row: Mapping[str, Any]) -> AdUnitItem:
        del credentials
        creative: Any = get_path(row, "creative")
        creative_id = get_text_or_number(creative, "id") or get_text_or_number(creative, "creative_id")
        about = {"id": creative_id, "name": get_text_or_number(creative, "name") or None}
        is_whole = isinstance(creative, dict) and len(creative) > 1
        return AdUnitItem(
            **self._parse_common_fields(row),
            adset_id=get_text_or_number(row, "adset_id"),
            campaign_id=get_text_or_number(row, "campaign_id") or None,
            creative_id=creative_id or None,
            creative=parse_creative(creative, about) if is_whole else None,
            preview_url=get_text_or_number(row, "preview_shareable_link") or None,
        )


def _encode_creative(new: NewAdUnit | AdObjectChanges) -> dict[str, Any] | None:
    if new.creative is None:
        return {"creative_id": new.creative_id} if new.creative_id else None
    return {**new.creative.options, **drop_none(encode_creative(new.creative))}
