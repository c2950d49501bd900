"""Objects of ad accounts as the API shows them."""

import hashlib
from collections.abc import Callable
from typing import TypeVar

import msgspec

from socialgate.areas.ads.schemas import Ad
from socialgate.contracts.accounts import AccountRow
from socialgate.contracts.ad_objects import AdItem, AdUnitItem
from socialgate.core.stored_forms import encode_stored

V = TypeVar("V", bound=AdItem)

# What people set. What a platform finds out by itself, such as the result of a review or a size, is no new version.
_VERSIONED_FIELDS = (
    *(
        "id",
        "name",
        "configured_status",
        "updated_at",
        "options",
        "budget",
        "spend_cap",
        "bid",
        "schedule",
        "special_categories",
    ),
    *(
        "targeting",
        "optimization",
        "promoted_object",
        "creative_id",
        "description",
        "value",
        "post_id",
        "text",
        "headline",
    ),
    *("url", "call_to_action", "video_id"),
)


def compute_etag(item: AdItem) -> str:
    """Name the version of an object by its content: platforms only show the second in which it was changed."""
    # Platforms without creatives as objects of their own have their content in the ad.
    parts = (item, getattr(item, "creative", None))
    content = [getattr(part, name, None) for part in parts for name in _VERSIONED_FIELDS]
    return f'"{hashlib.sha256(encode_stored(content, order="deterministic")).hexdigest()[:20]}"'


def build_item_view_builder(kind: type[V]) -> Callable[[AccountRow, AdItem], V]:
    """Return what shows an object with the fields of `kind`, and what only we know: the ad account and the version."""

    def show(account: AccountRow, item: AdItem) -> V:
        values = {name: getattr(item, name) for name in kind.__struct_fields__ if hasattr(item, name)}
        return kind(**{**values, "ad_account_id": account.id, "etag": compute_etag(item)})

    return show


def build_ad_view(account: AccountRow, item: AdUnitItem) -> Ad:
    inside = item.creative
    return Ad(
        **msgspec.structs.asdict(build_item_view_builder(AdItem)(account, item)),
        adset_id=item.adset_id,
        campaign_id=item.campaign_id,
        creative_id=item.creative_id,
        post_id=None if inside is None else inside.post_id,
        text=None if inside is None else inside.text,
        url=None if inside is None else inside.url,
        preview_url=item.preview_url,
    )
