"""Posts of TikTok accounts that ads can show (Spark Ads)."""

from typing import Any

from socialgate.connectors.json_paths import text_at
from socialgate.connectors.tiktokads.commerce import access
from socialgate.connectors.tiktokads.wire import TikTokAdsApi
from socialgate.contracts.connecting import AccountCredentials
from socialgate.contracts.failures import PlatformNotFound, Rejected

_FORMATS = {"VIDEO": "SINGLE_VIDEO", "CAROUSEL": "CAROUSEL_ADS"}


def identity_of(publisher_id: str) -> dict[str, str | None]:
    """Read whom an ad comes from. Its id is the type and the id of the identity, and of a Business Center if any."""
    kind, identity, center = (*publisher_id.split(":"), "", "")[:3]
    return {"identity_type": kind, "identity_id": identity, "identity_authorized_bc_id": center or None}


async def format_of(api: TikTokAdsApi, held: AccountCredentials, publisher_id: str, post_id: str) -> str | None:
    """Return the format of an ad with a post, or None if the TikTok account has no such post.

    TikTok looks among the videos, and among the photos only if it is asked to.
    """
    query = {"advertiser_id": held.platform_account_id, **identity_of(publisher_id), "item_id": post_id}
    for kind, shown in _FORMATS.items():
        try:
            found = await access(api, held).get("identity/video/info/", dict[str, Any], **query, item_type=kind)
        except (PlatformNotFound, Rejected):
            continue
        if text_at(found, "video_detail", "item_id") == post_id:
            return _FORMATS.get(text_at(found, "video_detail", "item_type"), shown)
    return None
