"""Videos, reels and stories with Meta's own SDK: interrupted, scheduled, with covers."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from facebook_business.adobjects.advideo import AdVideo
from facebook_business.adobjects.igmedia import IGMedia
from facebook_business.adobjects.iguser import IGUser
from facebook_business.adobjects.page import Page
from facebook_business.adobjects.pagepost import PagePost
from facebook_business.api import FacebookAdsApi
from facebook_business.exceptions import FacebookRequestError

from sandbox.graph_media import MediaHost, checksum, jpeg, movie, mp4
from sandbox.meta.sdk import Sdk, ids
from sandbox.meta.signing_in import Meta
from socialgate_sandbox.vendors.meta.seed import ADA, BAKERY, BAKERY_IG


@pytest.fixture
def token(meta: Meta) -> str:
    return meta.page(ADA, BAKERY)


@pytest.fixture
def api(sdk: Sdk, token: str) -> FacebookAdsApi:
    return sdk.api(token)


def status_of(api: FacebookAdsApi, video: str) -> Any:
    return AdVideo(video, api=api).api_get(fields=["status"])["status"]


def in_an_hour(meta: Meta) -> int:
    now = datetime.fromisoformat(meta.platform.running.client.get("/_control/clock").json()["now"])
    return int((now + timedelta(hours=1)).astimezone(UTC).timestamp())


def uploaded_reel(api: FacebookAdsApi, token: str, content: bytes) -> str:
    begun = Page(BAKERY, api=api).create_video_reel(params={"upload_phase": AdVideo.UploadPhase.start})
    headers = {"Authorization": f"OAuth {token}", "offset": "0", "file_size": str(len(content))}
    assert httpx.post(begun["upload_url"], headers=headers, content=content).json() == {"success": True}
    return str(begun["video_id"])


def test_a_cancelled_upload_is_never_published(meta: Meta, api: FacebookAdsApi, tmp_path: Path) -> None:
    page, chunk = Page(BAKERY, api=api), tmp_path / "chunk.mp4"
    chunk.write_bytes(mp4(3000))
    begun = page.create_video(params={"upload_phase": AdVideo.UploadPhase.start, "file_size": 9000}).export_all_data()
    session = begun["upload_session_id"]
    params = {"upload_phase": AdVideo.UploadPhase.transfer, "upload_session_id": session, "start_offset": 0}
    with chunk.open("rb") as opened:
        files = {"video_file_chunk": opened}
        assert api.call("POST", (BAKERY, "videos"), params=params, files=files).json()["start_offset"] == "3000"
    phase = status_of(api, begun["video_id"])["uploading_phase"]
    assert dict(phase) == {"status": "in_progress", "bytes_transferred": 3000, "source_file_size": 9000}
    page.create_video(params={"upload_phase": AdVideo.UploadPhase.cancel, "upload_session_id": session})
    meta.platform.pass_time(60)
    assert ids(page.get_posts()) == ids(page.get_videos()) == []
    with pytest.raises(FacebookRequestError):
        status_of(api, begun["video_id"])


def test_a_whole_upload_can_still_be_cancelled(api: FacebookAdsApi, token: str) -> None:
    page, video = Page(BAKERY, api=api), uploaded_reel(api, token, mp4())
    page.create_video_reel(params={"upload_phase": AdVideo.UploadPhase.cancel, "video_id": video})
    with pytest.raises(FacebookRequestError):
        page.create_video_reel(params={"upload_phase": AdVideo.UploadPhase.finish, "video_id": video})


def test_an_unknown_phase_is_refused(meta: Meta, token: str) -> None:
    for edge in ("videos", "video_reels", "video_stories"):
        answer = meta.post(f"{BAKERY}/{edge}", token, upload_phase="begin")
        assert "upload_phase must be one of" in answer.json()["error"]["message"]


def test_a_scheduled_reel_waits_for_its_time(meta: Meta, api: FacebookAdsApi, token: str) -> None:
    page, video = Page(BAKERY, api=api), uploaded_reel(api, token, movie(8, 720, 1280))
    due = in_an_hour(meta)
    page.create_video_reel(
        params={
            "upload_phase": AdVideo.UploadPhase.finish,
            "video_id": video,
            "video_state": AdVideo.VideoState.scheduled,
            "scheduled_publish_time": due,
        }
    )
    meta.platform.pass_time(60)
    waiting = AdVideo(video, api=api).api_get(fields=["published", "scheduled_publish_time", "status"])
    assert waiting["published"] is False
    assert datetime.fromisoformat(waiting["scheduled_publish_time"]).timestamp() == due
    phases = waiting["status"]
    assert (phases["video_status"], phases["publishing_phase"]["publish_status"]) == ("ready", "scheduled")
    assert phases["uploading_phase"]["bytes_transferred"] == 20000
    meta.platform.pass_time(3600)
    seen = AdVideo(video, api=api).api_get(fields=["published", "status"])
    assert (seen["published"], seen["status"]["publishing_phase"]["publish_status"]) == (True, "published")


def test_scheduled_videos_and_drafts_are_not_published(meta: Meta, api: FacebookAdsApi, host: MediaHost) -> None:
    page, url = Page(BAKERY, api=api), host.add("a.mp4", mp4())
    params = {"file_url": url, "published": False, "scheduled_publish_time": in_an_hour(meta)}
    later = page.create_video(params=params)["id"]
    draft = page.create_video(params={"file_url": url, "published": False})["id"]
    meta.platform.pass_time(60)
    assert status_of(api, later)["publishing_phase"]["publish_status"] == "scheduled"
    assert status_of(api, draft)["publishing_phase"]["publish_status"] == "draft"
    assert [AdVideo(key, api=api).api_get(fields=["published"])["published"] for key in (later, draft)] == [
        False,
        False,
    ]


def test_a_video_of_a_page_has_a_picture(meta: Meta, api: FacebookAdsApi, tmp_path: Path) -> None:
    picture, clip = tmp_path / "cover.jpg", tmp_path / "clip.mp4"
    picture.write_bytes(jpeg(640, 360))
    clip.write_bytes(movie(3, 640, 360))
    with picture.open("rb") as thumb, clip.open("rb") as source:
        files = {"thumb": thumb, "source": source}
        video = AdVideo(api.call("POST", (BAKERY, "videos"), params={}, files=files).json()["id"], api=api)
    meta.platform.pass_time(6)
    seen = video.api_get(fields=["picture", "source"])
    assert checksum(httpx.get(seen["picture"]).content) == checksum(picture.read_bytes())
    assert checksum(httpx.get(seen["source"]).content) == checksum(clip.read_bytes())
    assert [(row["uri"], row["width"]) for row in video.get_thumbnails()] == [(seen["picture"], 640)]


def test_covers_of_reels_and_addresses_of_stories(meta: Meta, api: FacebookAdsApi, host: MediaHost) -> None:
    account, video, cover = IGUser(BAKERY_IG, api=api), host.add("a.mp4", mp4()), jpeg(1080, 1920)
    reel = {"media_type": "REELS", "video_url": video}
    items = [
        account.create_media(params=params)["id"]
        for params in (
            reel | {"cover_url": host.add("cover.jpg", cover)},
            reel,
            {"media_type": "STORIES", "video_url": video},
        )
    ]
    meta.platform.pass_time(6)
    media = [IGMedia(account.create_media_publish(params={"creation_id": int(key)})["id"], api=api) for key in items]
    covered, plain, story = (item.api_get(fields=["permalink", "media_url", "thumbnail_url"]) for item in media)
    assert checksum(httpx.get(covered["thumbnail_url"]).content) == checksum(cover)
    assert httpx.get(plain["thumbnail_url"]).headers["content-type"] == "image/png"
    assert httpx.get(plain["media_url"]).headers["content-type"] == "video/mp4"
    assert "/reel/" in plain["permalink"]
    assert story["permalink"].startswith("https://www.instagram.com/stories/lindqvist.bakery/")


def test_a_video_is_changed_and_published_later(
    meta: Meta, api: FacebookAdsApi, host: MediaHost, tmp_path: Path
) -> None:
    page = Page(BAKERY, api=api)
    params = {"file_url": host.add("a.mp4", mp4()), "description": "Old", "published": False}
    video = AdVideo(page.create_video(params=params)["id"], api=api)
    meta.platform.pass_time(6)
    video.api_update(params={"description": "New", "name": "Title"})
    assert (video.api_get(fields=["description", "published"])["description"], ids(page.get_posts())) == ("New", [])
    api.call("POST", (video["id"],), params={"published": True})
    assert [row["message"] for row in page.get_posts(fields=["message"])] == ["New"]
    picture = tmp_path / "cover.jpg"
    picture.write_bytes(jpeg(320, 180))
    with picture.open("rb") as opened:
        api.call("POST", (video["id"], "thumbnails"), params={"is_preferred": True}, files={"source": opened})
    assert [row["width"] for row in video.get_thumbnails()] == [320]


def test_a_page_takes_any_type_of_video_and_shows_a_picture_of_it(
    meta: Meta, api: FacebookAdsApi, host: MediaHost
) -> None:
    page = Page(BAKERY, api=api)
    for name, beginning in (("a.webm", b"\x1aE\xdf\xa3"), ("a.wmv", b"\x30\x26\xb2\x75"), ("a.txt", b"Hello")):
        page.create_video(params={"file_url": host.add(name, beginning.ljust(900, b"v")), "description": name})
    meta.platform.pass_time(6)
    posts = list(page.get_posts(fields=["message", "full_picture"]))
    assert [post["message"] for post in posts] == ["a.wmv", "a.webm"]
    assert httpx.get(posts[0]["full_picture"]).headers["content-type"] == "image/png"
    [attached] = PagePost(posts[0]["id"], api=api).get_attachments()
    assert attached["media"]["image"]["src"] == posts[0]["full_picture"]
