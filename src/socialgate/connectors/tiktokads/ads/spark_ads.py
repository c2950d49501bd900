"""Posts of TikTok accounts that ads can show (Spark Ads)."""

from typing import Any

from socialgate.connectors.json_paths import get_text_or_number
from socialgate.connectors.tiktokads.api import TikTokAdsApi
from socialgate.connectors.tiktokads.commerce import api_for_account
from socialgate.contracts.account_connection import AccountCredentials
from socialgate.contracts.failures import PlatformNotFoundError, PlatformRejectedError

_AD_FORMATS_BY_POST_TYPE = {"VIDEO": "SINGLE_VIDEO", "CAROUSEL": "CAROUSEL_ADS"}


def parse_identity(publisher_id: str) -> dict[str, str | None]:
    """Read whom an ad comes from. Its id is the type and the id of the identity, and of a Business Center if any."""
    kind, identity, center = (*publisher_id.split(":"), "", "")[:3]
    return {"identity_type": kind, "identity_id": identity, "identity_authorized_bc_id": center or None}


async def fetch_ad_format(
    api: TikTokAdsApi, credentials: AccountCredentials, publisher_id: str, post_id: str
) -> str | None:
    """Return the format of an ad with a post, or None if the TikTok account has no such post.

    TikTok looks among the videos, and among the photos only if it is asked to.
    """
    query = {"advertiser_id": credentials.platform_account_id, **parse_identity(publisher_id), "item_id": post_id}
    for kind, shown in _AD_FORMATS_BY_POST_TYPE.items():
        try:
            result = await api_for_account(api, credentials).get(
                "identity/video/info/", dict[str, Any], **query, item_type=kind
            )
        except (PlatformNotFoundError, PlatformRejectedError):
            continue
        if get_text_or_number(result, "video_detail", "item_id") == post_id:
            return _AD_FORMATS_BY_POST_TYPE.get(get_text_or_number(result, "video_detail", "item_type"), shown)
    return None
