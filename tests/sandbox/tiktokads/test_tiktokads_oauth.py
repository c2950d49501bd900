"""How an advertiser lets the app in, and out."""

import pytest

from sandbox.tiktokads.client import APP, TikTokAds, TiktokSDKError, sdk
from socialgate_sandbox.vendors.tiktokads.seed import BAKERY_ADVERTISER, CLIENT_ADVERTISERS, SCHOOL_ADVERTISER, USER_IDS


def test_an_advertiser_signs_in_through_the_official_client(ads: TikTokAds) -> None:
    page = ads.http.get(f"{ads.url}/portal/auth", params={"app_id": APP["app_id"], "redirect_uri": ads.redirect})
    assert "Bram Okafor" in page.text
    back = ads.come_back(person=USER_IDS["ada"])
    assert back["state"] == "s1"
    body = sdk.Oauth2AccessTokenBody(auth_code=back["auth_code"], **APP)
    data = sdk.AuthenticationApi(ads.official).oauth2_access_token(body=body)["data"]
    assert data["advertiser_ids"] == [BAKERY_ADVERTISER, SCHOOL_ADVERTISER]
    assert {1, 2, 12_000_000} <= set(data["scope"])
    assert data["access_token"]
    with pytest.raises(TiktokSDKError, match="40110"):
        sdk.AuthenticationApi(ads.official).oauth2_access_token(body=body)["data"]


def test_an_advertiser_unticks_says_no_or_has_nothing(ads: TikTokAds) -> None:
    back = ads.come_back(person=USER_IDS["ada"], asked="1", scope=["2", "4"])
    assert ads.exchange(back["auth_code"])["data"]["scope"] == [1, 2, 4]
    denied = ads.come_back(decision="deny")
    assert "auth_code" not in denied
    assert denied["state"] == "s1"
    none = ads.exchange(ads.come_back(person=USER_IDS["cleo"])["auth_code"])
    assert none["data"]["advertiser_ids"] == []


@pytest.mark.parametrize("change", [{"app_id": "other"}, {"redirect_uri": "https://elsewhere.example/"}])
def test_a_wrong_question_shows_an_error_page(ads: TikTokAds, change: dict[str, str]) -> None:
    query = {"app_id": APP["app_id"], "redirect_uri": ads.redirect} | change
    assert ads.http.get(f"{ads.url}/portal/auth", params=query).status_code == 400


def test_a_code_works_once_and_for_an_hour(ads: TikTokAds) -> None:
    code = ads.come_back()["auth_code"]
    assert ads.exchange(code, secret="wrong")["code"] == 40101
    assert "advertiser_ids" not in ads.exchange(code, return_advertiser_ids=False)["data"]
    again = ads.exchange(code)
    assert (again["code"], again["data"]) == (40110, {})
    late = ads.come_back()["auth_code"]
    ads.sandbox.control("clock", advance=3601)
    assert ads.exchange(late)["code"] == 40110
    assert ads.post("oauth2/access_token/", APP)["code"] == 40002


def test_the_twin_with_the_words_of_oauth(ads: TikTokAds) -> None:
    form = {"client_id": APP["app_id"], "client_secret": APP["secret"], "grant_type": "authorization_code"}
    url = f"{ads.url}/open_api/v1.3/oauth/token/"
    answer = ads.http.post(url, data=form | {"code": ads.come_back()["auth_code"]}).json()
    assert (answer["code"], answer["advertiser_ids"]) == (0, [BAKERY_ADVERTISER, SCHOOL_ADVERTISER])
    refresh = form | {"grant_type": "refresh_token", "refresh_token": "x"}
    assert ads.http.post(url, data=refresh).json()["code"] == 40107


def test_a_token_lives_until_it_is_revoked(ads: TikTokAds) -> None:
    token = ads.sign_in("ada")
    ads.sandbox.control("clock", advance=3 * 365 * 86400)
    assert ads.get("user/info/", token)["data"]["display_name"] == "Ada Lindqvist"
    revoked = ads.post("oauth2/revoke_token/", APP | {"access_token": token})
    assert revoked["data"] == {"app_id": APP["app_id"], "advertiser_ids": [BAKERY_ADVERTISER, SCHOOL_ADVERTISER]}
    assert ads.get("user/info/", token)["code"] == 40105
    assert ads.post("oauth2/revoke_token/", APP | {"access_token": token})["code"] == 40105


def test_an_advertiser_takes_it_back(ads: TikTokAds) -> None:
    ada, bram = ads.sign_in("ada"), ads.sign_in("bram")
    ads.sandbox.control("revoke", platform="tiktokads", account=BAKERY_ADVERTISER, how="advertiser")
    left = [item["advertiser_id"] for item in ads.get("oauth2/advertiser/get/", ada, **APP)["data"]["list"]]
    assert left == [SCHOOL_ADVERTISER]
    assert ads.get("advertiser/info/", ada, advertiser_ids=[BAKERY_ADVERTISER])["code"] == 40001
    assert ads.get("advertiser/info/", bram, advertiser_ids=[CLIENT_ADVERTISERS[0]])["code"] == 0
    ads.sandbox.control("revoke", platform="tiktokads", account=SCHOOL_ADVERTISER)
    assert ads.get("user/info/", ada)["code"] == 40105
    assert ads.get("user/info/", bram)["code"] == 0
    assert ads.sandbox.look("deliveries")["data"] == []
