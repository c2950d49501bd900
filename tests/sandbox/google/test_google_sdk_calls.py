"""Calls of Google's own client that ask for less, for more, or for several things at once."""

from datetime import datetime, timedelta
from io import BytesIO
from typing import Any

import pytest

from sandbox.google.client import BUSINESS, CALENDAR, YOUTUBE, Google
from sandbox.google.official import HttpError, http
from sandbox.graph_media import movie
from socialgate_sandbox.vendors.google.seed import ADA_CHANNEL_ID, ADA_GROUP_ID

VIDEOS = "youtube.googleapis.com/youtube/v3/videos"
PLAIN = {"snippet": {"title": "Semlor", "categoryId": "26", "defaultLanguage": "en"}, "status": {}}


def uploaded(youtube: Any, content: bytes = b"film", part: str = "snippet,status", **more: Any) -> dict[str, Any]:
    media = http.MediaIoBaseUpload(BytesIO(content), "video/mp4")
    created = youtube.videos().insert(part=part, body=PLAIN | more, media_body=media).execute()
    return dict(created)


def reason(failed: pytest.ExceptionInfo[HttpError]) -> tuple[int, str]:
    return failed.value.status_code, failed.value.error_details[0]["reason"]


def test_a_time_with_an_offset_is_told_in_utc(google: Google) -> None:
    now = datetime.fromisoformat(google.sandbox.look("clock")["now"])
    due = (now + timedelta(days=2)).replace(microsecond=0, tzinfo=None)
    status = {"privacyStatus": "private", "publishAt": f"{due.isoformat()}+05:30"}
    with google.sdk("youtube", "v3", google.sign_in("ada", YOUTUBE)) as youtube:
        key = uploaded(youtube, status=status)["id"]
        [seen] = youtube.videos().list(part="status", id=key).execute()["items"]
    assert seen["status"]["publishAt"] == f"{(due - timedelta(hours=5, minutes=30)).isoformat()}Z"


def test_a_caller_gets_the_fields_it_asked_for(google: Google) -> None:
    with google.sdk("youtube", "v3", google.sign_in("ada", YOUTUBE)) as youtube:
        key = uploaded(youtube)["id"]
        listing = youtube.videos().list
        seen = listing(part="snippet,status", id=key, fields="items(id,snippet/title),pageInfo/totalResults").execute()
        assert seen == {"items": [{"id": key, "snippet": {"title": "Semlor"}}], "pageInfo": {"totalResults": 1}}
        seen = listing(part="snippet,status", id=key, fields="items/snippet(title,thumbnails/*/width)").execute()
        assert set(seen["items"][0]["snippet"]) == {"title", "thumbnails"}
        assert seen["items"][0]["snippet"]["thumbnails"]["default"] == {"width": 120}
        assert set(listing(part="id", id=key, fields="*").execute()) == {"kind", "etag", "items", "pageInfo"}
        for wrong in ("items(id", "items)", "items//id", ",", "items,,kind"):
            with pytest.raises(HttpError) as failed:
                listing(part="snippet", id=key, fields=wrong).execute()
            assert reason(failed) == (400, "invalidParameter")
    with google.sdk("calendar", "v3", google.sign_in("ada", CALENDAR)) as calendar:
        assert set(calendar.calendarList().list(fields="items/id").execute()["items"][0]) == {"id"}


def test_words_in_other_languages_are_kept(google: Google) -> None:
    words = {"sv": {"title": "Semlor på svenska", "description": "Gott"}, "de": {"title": "Semmeln", "description": ""}}
    with google.sdk("youtube", "v3", google.sign_in("ada", YOUTUBE)) as youtube:
        created = uploaded(youtube, part="snippet,status,localizations", localizations=words)
        assert created["localizations"] == words
        listing = youtube.videos().list
        [seen] = listing(part="snippet,localizations", id=created["id"], hl="sv-SE").execute()["items"]
        assert (seen["snippet"]["title"], seen["snippet"]["localized"]) == ("Semlor", words["sv"])
        assert seen["localizations"] == words
        change = {"id": created["id"], "snippet": PLAIN["snippet"], "localizations": {"de": words["de"]}}
        youtube.videos().update(part="snippet,localizations", body=change).execute()
        [seen] = listing(part="localizations", id=created["id"]).execute()["items"]
        assert set(seen["localizations"]) == {"de"}
        plain = {"title": "Semlor", "categoryId": "26"}
        with pytest.raises(HttpError) as failed:
            uploaded(youtube, part="snippet,localizations", snippet=plain, localizations=words)
        assert reason(failed) == (400, "defaultLanguageNotSet")


def test_a_video_is_as_long_as_its_bytes_say(google: Google) -> None:
    lengths = {3723: "PT1H2M3S", 59.6: "PT1M", 7: "PT7S"}
    with google.sdk("youtube", "v3", google.sign_in("ada", YOUTUBE)) as youtube:
        keys = [uploaded(youtube, movie(seconds, 1080, 1920))["id"] for seconds in lengths]
        google.sandbox.control("clock", advance=20)
        seen = youtube.videos().list(part="contentDetails,fileDetails", id=",".join(keys)).execute()["items"]
    assert [item["contentDetails"]["duration"] for item in seen] == list(lengths.values())
    assert seen[2]["fileDetails"]["durationMs"] == "7000"
    assert seen[2]["fileDetails"]["videoStreams"] == [{"widthPixels": 1080, "heightPixels": 1920}]


def test_threads_by_their_ids_and_of_a_channel(google: Google) -> None:
    with google.sdk("youtube", "v3", google.sign_in("ada", YOUTUBE)) as youtube:
        video, threads = uploaded(youtube)["id"], youtube.commentThreads()
        items = [
            threads.insert(
                part="snippet",
                body={"snippet": {"videoId": video, "topLevelComment": {"snippet": {"textOriginal": message}}}},
            ).execute()["id"]
            for message in ("One", "Two", "Three")
        ]
        chosen = threads.list(part="snippet,replies", id=f"{items[0]},{items[2]}", textFormat="plainText").execute()
        assert [item["id"] for item in chosen["items"]] == [items[0], items[2]]
        every = threads.list(part="snippet", allThreadsRelatedToChannelId=ADA_CHANNEL_ID, maxResults=100).execute()
        assert sorted(item["id"] for item in every["items"]) == sorted(items)
        assert threads.list(part="snippet", channelId=ADA_CHANNEL_ID).execute()["items"] == []


def test_places_are_filtered_sorted_and_masked(google: Google) -> None:
    tokens = google.sign_in("ada", BUSINESS)
    with google.sdk("mybusinessbusinessinformation", "v1", tokens) as business:
        listing, parent = business.accounts().locations().list, f"accounts/{ADA_GROUP_ID}"
        every = listing(parent="accounts/-", readMask="title,storeCode").execute()["locations"]
        titles = sorted(place["title"] for place in every)
        assert len(titles) > 1
        request = {"parent": "accounts/-", "readMask": "title,storefrontAddress.locality,metadata.placeId"}
        first = listing(**request, filter=f'title="{titles[0]}"').execute()
        assert [place["title"] for place in first["locations"]] == [titles[0]]
        assert first["totalSize"] == 1
        assert set(first["locations"][0]["storefrontAddress"]) == {"locality"}
        both = f'title="{titles[0]}" OR title="{titles[1]}"'
        result = listing(**request, filter=both, orderBy="title desc").execute()["locations"]
        assert [place["title"] for place in result] == titles[1::-1]
        nothing = listing(**request, filter=f'title="{titles[0]}" AND openInfo.status=CLOSED_PERMANENTLY').execute()
        assert nothing == {}
        snake = listing(parent=parent, readMask="storefront_address.postal_code").execute()["locations"]
        assert all(set(place["storefrontAddress"]) == {"postalCode"} for place in snake)
        for wrong in ({"filter": "shoes=1"}, {"filter": "title"}, {"orderBy": "phone"}):
            with pytest.raises(HttpError) as failed:
                listing(**request, **wrong).execute()
            assert failed.value.status_code == 400
    with google.sdk("mybusinessaccountmanagement", "v1", tokens) as accounts:
        groups = accounts.accounts().list(filter="type=LOCATION_GROUP").execute()["accounts"]
        assert [group["name"] for group in groups] == [f"accounts/{ADA_GROUP_ID}"]


def test_a_batch_answers_each_call_by_itself(google: Google) -> None:
    seen: dict[str, Any] = {}

    def note(key: str, answer: Any, error: Exception | None) -> None:
        seen[key] = error or answer

    tokens = google.sign_in("ada", YOUTUBE, CALENDAR)
    with google.sdk("youtube", "v3", tokens) as youtube:
        key = uploaded(youtube)["id"]
        batch = youtube.new_batch_http_request(callback=note)
        batch.add(youtube.channels().list(part="id", mine=True), request_id="channel")
        batch.add(youtube.videos().list(part="snippet", id=key, fields="items/snippet/title"), request_id="video")
        body = {"id": key, "snippet": PLAIN["snippet"] | {"title": "Åäö"}}
        batch.add(youtube.videos().update(part="snippet", body=body), request_id="change")
        batch.add(youtube.videos().delete(id="nothing"), request_id="lost")
        batch.execute()
        assert seen["channel"]["items"][0]["id"] == ADA_CHANNEL_ID
        assert seen["video"] == {"items": [{"snippet": {"title": "Semlor"}}]}
        assert seen["change"]["snippet"]["title"] == "Åäö"
        assert isinstance(seen["lost"], HttpError)
        assert seen["lost"].status_code == 404
        [changed] = youtube.videos().list(part="snippet", id=key).execute()["items"]
        assert changed["snippet"]["title"] == "Åäö"
    with google.sdk("calendar", "v3", tokens) as calendar:
        batch = calendar.new_batch_http_request(callback=note)
        batch.add(calendar.calendarList().list(), request_id="calendars")
        batch.execute()
        assert seen["calendars"]["items"]


def test_a_batch_as_google_itself_is_called(google: Google) -> None:
    """Call with bare paths, as they are without a host before them."""
    token = google.sign_in("ada", YOUTUBE)["access_token"]
    part = (
        "Content-Type: application/http\r\nContent-ID: <one>\r\n\r\nGET /youtube/v3/channels?part=id&mine=true\r\n\r\n"
    )
    body = f"--b\r\n{part}\r\n--b--\r\n".encode()
    headers = {"authorization": f"Bearer {token}", "content-type": "multipart/mixed; boundary=b"}
    answer = google.http.post(f"{google.url}/www.googleapis.com/batch/youtube/v3", content=body, headers=headers)
    assert "<response-one>" in answer.text
    assert ADA_CHANNEL_ID in answer.text
    empty = google.http.post(f"{google.url}/www.googleapis.com/batch", content=b"", headers=headers)
    assert empty.status_code == 400


def test_videos_are_searched_rated_and_charted(google: Google) -> None:
    with google.sdk("youtube", "v3", google.sign_in("ada", YOUTUBE)) as youtube:
        items = [
            uploaded(youtube, snippet=PLAIN["snippet"] | {"title": title}, status={"privacyStatus": privacy})["id"]
            for title, privacy in (("Rye bread", "public"), ("Oat bread", "public"), ("Rye secrets", "private"))
        ]
        searching = youtube.search().list
        result = searching(part="snippet", q="rye", type="video").execute()["items"]
        assert [item["id"]["videoId"] for item in result] == [items[0]]
        own = searching(part="snippet", q="rye", forMine=True, type="video").execute()["items"]
        assert [item["id"]["videoId"] for item in own] == [items[2], items[0]]
        assert searching(part="id", channelId="UCnone").execute()["items"] == []
        youtube.videos().rate(id=items[1], rating="like").execute()
        rated = youtube.videos().getRating(id=f"{items[0]},{items[1]}").execute()["items"]
        assert [item["rating"] for item in rated] == ["none", "like"]
        listing = youtube.videos().list
        assert [item["id"] for item in listing(part="id", myRating="like").execute()["items"]] == [items[1]]
        charted = listing(part="id", chart="mostPopular", maxResults=1).execute()
        assert (len(charted["items"]), charted["pageInfo"]["totalResults"]) == (1, 2)
        assert listing(part="id", id=f"{items[0]},{items[0]}").execute()["pageInfo"]["totalResults"] == 1
        uploads = f"UU{ADA_CHANNEL_ID[2:]}"
        item = youtube.playlistItems().list(part="snippet", playlistId=uploads, videoId=items[0]).execute()
        assert [item["snippet"]["title"] for item in item["items"]] == ["Rye bread"]
        categories = youtube.videoCategories().list(part="snippet", regionCode="SE").execute()["items"]
        assert {"26": "Howto & Style"}.items() <= {
            category["id"]: category["snippet"]["title"] for category in categories
        }.items()
        with pytest.raises(HttpError) as failed:
            youtube.videos().rate(id="nothing", rating="like").execute()
        assert reason(failed) == (404, "videoNotFound")


def test_threads_are_searched(google: Google) -> None:
    with google.sdk("youtube", "v3", google.sign_in("ada", YOUTUBE)) as youtube:
        video, threads = uploaded(youtube)["id"], youtube.commentThreads()
        for message in ("I like rye", "Oat for me"):
            snippet = {"videoId": video, "topLevelComment": {"snippet": {"textOriginal": message}}}
            threads.insert(part="snippet", body={"snippet": snippet}).execute()
        result = threads.list(part="snippet", videoId=video, searchTerms="RYE", textFormat="plainText").execute()[
            "items"
        ]
    assert [item["snippet"]["topLevelComment"]["snippet"]["textDisplay"] for item in result] == ["I like rye"]
