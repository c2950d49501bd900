"""What is public on a TikTok account. TikTok does not let apps delete anything."""

from socialgate.connectors.forms import given
from socialgate.connectors.receiving import moment
from socialgate.connectors.tiktok.wire import TikTokApi, Video
from socialgate.contracts.connecting import AccountCredentials
from socialgate.contracts.failures import Rejected
from socialgate.contracts.platforms import Platform
from socialgate.contracts.publishing import HistoryEntry, HistoryPage


class TikTokHistory:
    def __init__(self, api: TikTokApi) -> None:
        self._api = api

    async def history(self, held: AccountCredentials, limit: int, cursor: str | None) -> HistoryPage:
        found = await self._api.videos(held, limit, _time(cursor))
        more = found.has_more and found.cursor is not None
        return HistoryPage(items=[_item(video) for video in found.videos], cursor=str(found.cursor) if more else None)


def _time(cursor: str | None) -> int | None:
    if cursor is None:
        return None
    if not (cursor.isascii() and cursor.isdecimal()):
        raise Rejected("This is not a cursor of TikTok. Start with the first page.", platform=Platform.TIKTOK)
    return int(cursor)


def _item(video: Video) -> HistoryEntry:
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
        created_at=moment(video.create_time),
        media=(given(media),),
        counts=given(counts),
    )


def _is_photo(video: Video) -> bool:
    """TikTok lists photos among the videos without a field for it: their URL and zero duration reveal them."""
    url = video.share_url or ""
    return "/photo/" in url or (video.duration == 0 and "/video/" not in url)
