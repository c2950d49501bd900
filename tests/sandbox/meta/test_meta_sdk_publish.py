"""Publishing with Meta's own SDK."""

from pathlib import Path
from typing import Any

import pytest
from facebook_business.adobjects.advideo import AdVideo
from facebook_business.adobjects.igmedia import IGMedia
from facebook_business.adobjects.iguser import IGUser
from facebook_business.adobjects.page import Page
from facebook_business.adobjects.pagepost import PagePost
from facebook_business.adobjects.photo import Photo
from facebook_business.api import FacebookAdsApi
from facebook_business.exceptions import FacebookRequestError

from sandbox.graph_media import MediaHost, checksum, jpeg, mp4
from sandbox.meta.sdk import Sdk, ids
from sandbox.meta.signing_in import Meta
from socialgate_sandbox.vendors.meta.seed import ADA, BAKERY, BAKERY_IG


@pytest.fixture
def api(meta: Meta, sdk: Sdk) -> FacebookAdsApi:
    return sdk.api(meta.page(ADA, BAKERY))


def send_file(api: FacebookAdsApi, edge: str, file: Path, params: dict[str, Any]) -> str:
    """Upload with the SDK's own transport: its classes for Pages know no files."""
    with file.open("rb") as opened:
        return str(api.call("POST", (BAKERY, edge), params=params, files={"source": opened}).json()["id"])


def test_posts(api: FacebookAdsApi) -> None:
    page = Page(BAKERY, api=api)
    key = page.create_feed(params={"message": "Hello", "link": "https://example.com/"})["id"]
    post = PagePost(key, api=api)
    assert post.api_get(fields=["message", "permalink_url"])["message"] == "Hello"
    post.api_update(params={"message": "Hello again"})
    assert [row["message"] for row in page.get_published_posts(fields=["message"])] == ["Hello again"]
    assert ids(page.get_posts()) == ids(page.get_feed()) == [key]
    assert ids(page.get_scheduled_posts()) == []
    post.api_delete()
    assert ids(page.get_posts()) == []


def test_photos_from_disk_and_in_one_post(meta: Meta, api: FacebookAdsApi, tmp_path: Path) -> None:
    page = Page(BAKERY, api=api)
    files = [tmp_path / "1.jpg", tmp_path / "2.jpg"]
    for number, file in enumerate(files):
        file.write_bytes(jpeg(size=2000 + number))
    keys = [send_file(api, "photos", file, {"published": False}) for file in files]
    page.create_feed(params={"message": "Two", "attached_media": [{"media_fbid": key} for key in keys]})
    line = meta.platform.act("feed", account=BAKERY)["data"][0]
    assert [media["sha256"] for media in line["media"]] == [checksum(file.read_bytes()) for file in files]
    assert sorted(ids(page.get_photos())) == sorted(keys)
    Photo(keys[0], api=api).api_delete()
    assert ids(page.get_photos()) == keys[1:]


def test_videos_and_stories(meta: Meta, api: FacebookAdsApi, host: MediaHost, tmp_path: Path) -> None:
    page = Page(BAKERY, api=api)
    by_address = page.create_video(params={"file_url": host.add("a.mp4", mp4()), "description": "Film"})["id"]
    film = tmp_path / "b.mp4"
    film.write_bytes(mp4(3000))
    by_file = send_file(api, "videos", film, {})
    meta.platform.pass_time(6)
    assert AdVideo(by_address, api=api).api_get(fields=["status"])["status"]["video_status"] == "ready"
    assert ids(page.get_videos()) == [by_file, by_address]
    begun = page.create_video_reel(params={"upload_phase": AdVideo.UploadPhase.start})
    assert begun["upload_url"]
    photo = page.create_photo(params={"url": host.add("s.jpg", jpeg()), "published": False})["id"]
    page.create_photo_story(params={"photo_id": photo})
    assert [row["media_type"] for row in page.get_stories()] == ["photo"]


def test_instagram(meta: Meta, api: FacebookAdsApi, host: MediaHost) -> None:
    account = IGUser(BAKERY_IG, api=api)
    params = {"image_url": host.add("a.jpg", jpeg()), "caption": "Buns"}
    container = account.create_media(params=params)["id"]
    with pytest.raises(FacebookRequestError) as failed:
        account.create_media_publish(params={"creation_id": int(container)})
    assert (failed.value.api_error_code(), failed.value.api_error_subcode()) == (9007, 2207027)
    meta.platform.pass_time(2)
    key = account.create_media_publish(params={"creation_id": int(container)})["id"]
    media = IGMedia(key, api=api)
    assert media.api_get(fields=["caption", "permalink", "like_count"])["caption"] == "Buns"
    limit = next(iter(account.get_content_publishing_limit(fields=["config", "quota_usage"])))
    assert (limit["quota_usage"], limit["config"]["quota_total"]) == (1, 100)
    assert ids(account.get_media(fields=["caption", "timestamp"])) == [key]
    assert ids(account.get_stories()) == []
    media.api_delete()
    assert ids(account.get_media()) == []
