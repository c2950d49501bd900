"""The counters of TikTok: totals of now, and no series."""

from typing import Any

from sandbox.tiktok.client import TikTok, clip
from sandbox.tiktok.test_tiktok_publish import init, put, upload_of
from socialgate_sandbox.vendors.tiktok.seed import ADA_OPEN_ID

COUNTS = "view_count,like_count,comment_count,share_count"
USER = "follower_count,following_count,likes_count,video_count"
DAY = 86400


def _user(tiktok: TikTok, token: str) -> dict[str, int]:
    user: dict[str, int] = tiktok.get("user/info/", token, fields=USER).json()["data"]["user"]
    return user


def _truth(tiktok: TikTok) -> Any:
    return tiktok.sandbox.look("numbers", platform="tiktok", account=ADA_OPEN_ID)


def test_counters_of_a_user_and_of_videos_grow(tiktok: TikTok) -> None:
    tokens = tiktok.sign_in()
    token = tokens["access_token"]
    assert _user(tiktok, token) == {
        "follower_count": 12870,
        "following_count": 84,
        "likes_count": 301_442,
        "video_count": 0,
    }
    begun = init(tiktok, token, upload_of(10), {"privacy_level": "PUBLIC_TO_EVERYONE", "title": "Film"})
    put(tiktok, begun["upload_url"], clip(10), 0, 10)
    tiktok.sandbox.control("clock", advance=120)
    video = tiktok.post("video/list/", token, {}, fields=f"id,{COUNTS}").json()["data"]["videos"][0]
    assert [video[name] for name in COUNTS.split(",")] == [0, 0, 0, 0]
    tiktok.sandbox.control("clock", advance=30 * DAY)
    token = tiktok.refresh(tokens["refresh_token"]).json()["access_token"]
    request = {"filters": {"video_ids": [video["id"]]}}
    later = tiktok.post("video/query/", token, request, fields=f"id,{COUNTS}").json()["data"]["videos"][0]
    assert later["view_count"] > later["like_count"] > later["comment_count"] > 0
    truth = _truth(tiktok)
    assert {item["id"]: item["metrics"] for item in truth["posts"]} == {
        later["id"]: {name: later[name] for name in COUNTS.split(",")}
    }
    user = _user(tiktok, token)
    assert user["video_count"] == 1
    assert user["likes_count"] > 301_442 + later["like_count"]
    assert user["follower_count"] == truth["days"][-1]["followers"] > 12870
    grown = [
        day["followers"] - before["followers"] - day["metrics"]["new_followers"] + day["metrics"]["lost_followers"]
        for before, day in zip(truth["days"], truth["days"][1:], strict=False)
    ]
    assert not any(grown)
