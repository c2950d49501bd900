"""Channels, calendars and places, mostly through Google's own client."""

from typing import Any

import pytest

from sandbox.google.client import AUTH, BUSINESS, CALENDAR, YOUTUBE, Google
from sandbox.google.official import HttpError
from socialgate_sandbox.vendors.google.seed import (
    ADA_BUSINESS_ID,
    ADA_CHANNEL_ID,
    ADA_GROUP_ID,
    BAKERY_CALENDAR_ID,
    BRAM_GROUP_ID,
    CLEO_BUSINESS_ID,
)

CHANNELS = "youtube.googleapis.com/youtube/v3/channels"
MASK = "name,title,storefrontAddress,metadata,websiteUri,phoneNumbers"


def test_a_channel_with_every_part(google: Google) -> None:
    with google.sdk("youtube", "v3", google.sign_in("ada", YOUTUBE)) as youtube:
        parts = "id,snippet,contentDetails,statistics,status"
        answer = youtube.channels().list(part=parts, mine=True).execute()
    assert answer["kind"] == "youtube#channelListResponse"
    assert answer["pageInfo"] == {"totalResults": 1, "resultsPerPage": 5}
    [channel] = answer["items"]
    assert channel["id"] == ADA_CHANNEL_ID
    assert channel["snippet"]["customUrl"] == "@adasbakery"
    assert set(channel["snippet"]["thumbnails"]) == {"default", "medium", "high"}
    assert channel["contentDetails"]["relatedPlaylists"]["uploads"] == f"UU{ADA_CHANNEL_ID[2:]}"
    # Counts are texts, and subscribers are told with three digits only.
    assert channel["statistics"]["subscriberCount"] == "12800"
    assert channel["statistics"]["viewCount"] == "481205"
    assert channel["status"]["longUploadsStatus"] == "allowed"


def test_somebody_without_a_channel(google: Google) -> None:
    with google.sdk("youtube", "v3", google.sign_in("cleo", YOUTUBE)) as youtube:
        answer = youtube.channels().list(part="id", mine=True).execute()
    assert "items" not in answer
    assert answer["pageInfo"]["totalResults"] == 0


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        ({"mine": "true"}, "missingRequiredParameter"),
        ({"part": "id"}, "missingRequiredParameter"),
        ({"part": "id", "mine": "true", "id": "UC1"}, "incompatibleParameters"),
        ({"part": "nonsense", "mine": "true"}, "unknownPart"),
        ({"part": "id", "mine": "true", "maxResults": "51"}, "invalidParameter"),
        ({"part": "id", "mine": "true", "pageToken": "rubbish"}, "invalidPageToken"),
    ],
)
def test_a_wrong_question_about_channels(google: Google, query: dict[str, str], reason: str) -> None:
    answer = google.get(CHANNELS, google.sign_in("ada", YOUTUBE)["access_token"], **query)
    error = answer.json()["error"]
    assert (answer.status_code, error["code"], error["errors"][0]["reason"]) == (400, 400, reason)


def test_channels_of_others_are_found_by_id_and_handle_in_pages(google: Google) -> None:
    token = google.sign_in("cleo", f"{AUTH}youtube.readonly")["access_token"]
    named = google.get(CHANNELS, token, part="id", forHandle="AdasBakery").json()
    assert named["items"][0]["id"] == ADA_CHANNEL_ID
    ids = [account["id"] for account in google.sandbox.look("accounts")["data"] if account["kind"] == "channel"]
    first = google.get(CHANNELS, token, part="id", id=",".join(ids), maxResults="2").json()
    rest = google.get(CHANNELS, token, part="id", id=ids, maxResults="2", pageToken=first["nextPageToken"]).json()
    assert "nextPageToken" not in rest
    assert {item["id"] for item in first["items"] + rest["items"]} == set(ids)


def test_the_quota_ends_and_begins_anew_at_midnight_pacific(google: Google) -> None:
    token = google.sign_in("ada", YOUTUBE)["access_token"]
    google.sandbox.control("quota", platform="google", left=2)
    # A refused call costs as much as any other.
    assert google.get(CHANNELS, token, part="nonsense", mine="true").status_code == 400
    assert google.get(CHANNELS, token, part="id", mine="true").status_code == 200
    over = google.get(CHANNELS, token, part="id", mine="true")
    assert over.status_code == 403
    assert over.json()["error"]["errors"][0]["domain"] == "youtube.quota"
    assert over.json()["error"]["errors"][0]["reason"] == "quotaExceeded"
    google.sandbox.control("clock", advance=86400)
    token = google.sign_in("ada", YOUTUBE)["access_token"]
    assert google.get(CHANNELS, token, part="id", mine="true").status_code == 200


def test_a_suspended_channel_and_one_that_is_gone(google: Google) -> None:
    token = google.sign_in("ada", YOUTUBE)["access_token"]
    google.sandbox.control("suspend", platform="google", account=ADA_CHANNEL_ID)
    answer = google.get(CHANNELS, token, part="id", mine="true")
    assert answer.status_code == 403
    assert answer.json()["error"]["errors"][0]["reason"] == "authenticatedUserAccountSuspended"
    google.sandbox.control("unlink", platform="google", account=ADA_CHANNEL_ID)
    assert "items" not in google.get(CHANNELS, token, part="id", mine="true").json()


def test_the_list_of_calendars(google: Google) -> None:
    with google.sdk("calendar", "v3", google.sign_in("ada", CALENDAR)) as calendar:
        whole = calendar.calendarList().list().execute()
        mine = calendar.calendarList().list(minAccessRole="writer").execute()
        first = calendar.calendarList().list(maxResults=2).execute()
        rest = calendar.calendarList().list(maxResults=2, pageToken=first["nextPageToken"]).execute()
        item = calendar.calendarList().get(calendarId="primary").execute()
        holidays = calendar.calendars().get(calendarId=whole["items"][2]["id"]).execute()
    assert [entry["accessRole"] for entry in whole["items"]] == ["owner", "owner", "reader"]
    assert [entry["id"] for entry in mine["items"]] == ["ada@example.com", BAKERY_CALENDAR_ID]
    assert first["items"] + rest["items"] == whole["items"]
    assert "nextSyncToken" not in first
    assert rest["nextSyncToken"]
    assert (item["id"], item["primary"]) == ("ada@example.com", True)
    assert holidays["summary"] == "Holidays in Sweden"
    assert holidays["id"] == "en.swedish#holiday@group.v.calendar.google.com"


def test_the_list_of_calendars_in_steps(google: Google) -> None:
    with google.sdk("calendar", "v3", google.sign_in("ada", CALENDAR)) as calendar:
        seen = calendar.calendarList().list().execute()["nextSyncToken"]
        assert calendar.calendarList().list(syncToken=seen).execute()["items"] == []
        google.sandbox.control("unlink", platform="google", account=BAKERY_CALENDAR_ID)
        news = calendar.calendarList().list(syncToken=seen).execute()["items"]
        assert [(entry["id"], entry["deleted"]) for entry in news] == [(BAKERY_CALENDAR_ID, True)]
        with pytest.raises(HttpError) as refused:
            calendar.calendarList().list(syncToken="rubbish").execute()
        with pytest.raises(HttpError) as missing:
            calendar.calendarList().get(calendarId=BAKERY_CALENDAR_ID).execute()
    assert refused.value.status_code == 410
    assert _reason(refused.value) == "fullSyncRequired"
    assert (missing.value.status_code, _reason(missing.value)) == (404, "notFound")


def test_business_accounts_and_their_places_in_pages(google: Google) -> None:
    tokens = google.sign_in("bram", BUSINESS)
    with google.sdk("mybusinessaccountmanagement", "v1", tokens) as accounts:
        first = accounts.accounts().list(pageSize=2).execute()
        rest = accounts.accounts().list(pageSize=2, pageToken=first["nextPageToken"]).execute()
        item = accounts.accounts().get(name=f"accounts/{ADA_GROUP_ID}").execute()
    assert [account["type"] for account in first["accounts"] + rest["accounts"]] == [
        "PERSONAL",
        "LOCATION_GROUP",
        "LOCATION_GROUP",
    ]
    assert "nextPageToken" not in rest
    assert (item["accountName"], item["role"]) == ("Ada's Bakery", "MANAGER")
    with google.sdk("mybusinessbusinessinformation", "v1", tokens) as information:
        listed: list[dict[str, Any]] = []
        request = information.accounts().locations().list(parent=f"accounts/{BRAM_GROUP_ID}", readMask=MASK)
        pages = 0
        while request is not None:
            page = request.execute()
            assert page["totalSize"] == 12
            listed += page["locations"]
            pages += 1
            request = information.accounts().locations().list_next(request, page)
        alone = information.locations().get(name=listed[0]["name"], readMask="title").execute()
        every = information.accounts().locations().list(parent="accounts/-", readMask="name", pageSize=100).execute()
    assert (pages, len(listed), len(every["locations"])) == (2, 12, 15)
    assert alone == {"title": "Client shop 1"}
    assert set(listed[0]) == set(MASK.split(","))


def test_an_unverified_place_has_no_voice(google: Google) -> None:
    with google.sdk("mybusinessbusinessinformation", "v1", google.sign_in("ada", BUSINESS)) as information:
        answer = information.accounts().locations().list(parent=f"accounts/{ADA_GROUP_ID}", readMask="title,metadata")
        voices = [place["metadata"].get("hasVoiceOfMerchant", False) for place in answer.execute()["locations"]]
    assert voices == [True, True, False]


def test_what_business_refuses(google: Google) -> None:
    token = google.sign_in("cleo", BUSINESS)["access_token"]
    base = "mybusinessbusinessinformation.googleapis.com/v1"
    empty = google.get(f"{base}/accounts/{CLEO_BUSINESS_ID}/locations", token, readMask="name")
    assert (empty.status_code, empty.json()) == (200, {})
    unmasked = google.get(f"{base}/accounts/{CLEO_BUSINESS_ID}/locations", token)
    assert unmasked.json()["error"]["details"][0]["fieldViolations"][0]["field"] == "read_mask"
    foreign = google.get(f"{base}/accounts/{ADA_BUSINESS_ID}/locations", token, readMask="name")
    assert (foreign.status_code, foreign.json()["error"]["status"]) == (403, "PERMISSION_DENIED")
    wrong = google.get(f"{base}/accounts/{CLEO_BUSINESS_ID}/locations", token, readMask="color")
    assert (wrong.status_code, wrong.json()["error"]["status"]) == (400, "INVALID_ARGUMENT")
    missing = google.get(f"{base}/locations/1", token, readMask="name")
    assert (missing.status_code, missing.json()["error"]["status"]) == (404, "NOT_FOUND")


def test_where_the_notices_of_a_business_go(google: Google) -> None:
    name = f"accounts/{ADA_GROUP_ID}/notificationSetting"
    with google.sdk("mybusinessnotifications", "v1", google.sign_in("ada", BUSINESS)) as notices:
        assert notices.accounts().getNotificationSetting(name=name).execute() == {"name": name}
        body = {"pubsubTopic": "projects/p/topics/t", "notificationTypes": ["NEW_REVIEW"]}
        change = notices.accounts().updateNotificationSetting
        changed = change(name=name, body=body, updateMask="pubsubTopic,notification_types").execute()
        assert changed == {"name": name} | body
        assert notices.accounts().getNotificationSetting(name=name).execute() == changed
        with pytest.raises(HttpError) as refused:
            change(name=name, body={"notificationTypes": ["OLD_REVIEW"]}, updateMask="notificationTypes").execute()
    assert refused.value.status_code == 400


def test_an_unticked_scope_is_missed(google: Google) -> None:
    token = google.sign_in("ada", CALENDAR)["access_token"]
    youtube = google.get(CHANNELS, token, part="id", mine="true")
    assert youtube.status_code == 403
    assert youtube.json()["error"]["errors"][0]["reason"] == "insufficientPermissions"
    assert youtube.json()["error"]["details"][0]["reason"] == "ACCESS_TOKEN_SCOPE_INSUFFICIENT"
    business = google.get("mybusinessaccountmanagement.googleapis.com/v1/accounts", token)
    assert (business.status_code, business.json()["error"]["status"]) == (403, "PERMISSION_DENIED")
    assert "errors" not in business.json()["error"]


def _reason(error: HttpError) -> str:
    word: str = error.error_details[0]["reason"]
    return word
