"""What is public on a TikTok account. TikTok does not let apps delete anything."""

from socialgate.connectors.post_options import drop_none
from socialgate.connectors.tiktok.api import TikTokApi, TikTokVideo
from socialgate.connectors.webhook_helpers import parse_unix_time
from socialgate.contracts.account_connection import AccountCredentials
from socialgate.contracts.failures import PlatformRejectedError
from socialgate.contracts.platforms import Platform
from socialgate.contracts.publishing import HistoryEntry, HistoryPage


class TikTokPosts:
    def __init__(self, api: TikTokApi) -> None:
        self._api = api

    async def list_live_posts(self, credentials: AccountCredentials, limit: int, cursor: str | None) -> HistoryPage:
        video_page = await self._api.list_videos(credentials, limit, _parse_cursor(cursor))
        more = video_page.has_more and video_page.cursor is not None
        return HistoryPage(
            items=[_parse_post(video) for video in video_page.videos], cursor=str(video_page.cursor) if more else None
        )


def _parse_cursor(cursor: str | None) -> int | None:
    if cursor is None:
        return None
    if not (cursor.isascii() and cursor.isdecimal()):
        raise PlatformRejectedError(
            "This is not a cursor of TikTok. Start with the first page.", platform=Platform.TIKTOK
        )
    return int(cursor)


def _parse_post(video: TikTokVideo) -> HistoryEntry:
    kind = "image" if _is_photo(video) else "video"
    media = {
        "type": kind,
        "thumbnailUrl": video.cover_image_url,
        "width": video.width,
        "height": video.height,
        "duration": video.duration if kind == "video" else None,
    }
    counts = {
        "views": video.view_count,
        "likes": video.like_count,
        "comments": video.comment_count,
        "shares": video.share_count,
    }
    return HistoryEntry(
        id=video.id,
        type=kind,
        text=video.video_description or video.title or "",
        url=video.share_url,
        created_at=parse_unix_time(video.create_time),
        media=(drop_none(media),),
        counts=drop_none(counts),
    )


def _is_photo(video: TikTokVideo) -> bool:
    """TikTok lists photos among the videos without a field for it: their URL and zero duration reveal them."""
    url = video.share_url or ""
    return "/photo/" in url or (video.duration == 0 and "/video/" not in url)
