"""Posts of a place. Google ships no client for this old API, so it is plain HTTP."""

from hashlib import sha256
from typing import Any

import httpx
import pytest

from sandbox.google.client import BUSINESS, Google
from sandbox.graph_media import jpeg
from sandbox.media_host import MediaHost
from socialgate_sandbox.vendors.google.seed import ADA_GROUP_ID

POST: dict[str, Any] = {"languageCode": "sv", "summary": "Semlor!", "topicType": "STANDARD"}
EVENT = {"title": "Tasting", "schedule": {"startDate": {"year": 2030, "month": 2, "day": 1}, "endDate": {"year": 2030}}}


def places(google: Google, token: str) -> list[str]:
    path = f"mybusinessbusinessinformation.googleapis.com/v1/accounts/{ADA_GROUP_ID}/locations"
    return [place["name"] for place in google.get(path, token, readMask="name").json()["locations"]]


@pytest.fixture
def token(google: Google) -> str:
    result: str = google.sign_in("ada", BUSINESS)["access_token"]
    return result


@pytest.fixture
def parent(google: Google, token: str) -> str:
    return f"mybusiness.googleapis.com/v4/accounts/{ADA_GROUP_ID}/{places(google, token)[0]}/localPosts"


def call(google: Google, token: str, method: str, path: str, body: Any = None, **query: str) -> httpx.Response:
    headers = {"authorization": f"Bearer {token}"}
    return google.http.request(method, f"{google.url}/{path}", params=query, json=body, headers=headers)


def test_a_post_goes_live(google: Google, token: str, parent: str, media: MediaHost) -> None:
    photo = jpeg(250, 250, 10_240)
    url = media.put("bun.jpg", "image/jpeg", photo)
    button = {"actionType": "LEARN_MORE", "url": "https://adas-bakery.example.com/"}
    params = POST | {"callToAction": button, "media": [{"mediaFormat": "PHOTO", "sourceUrl": url}]}
    created = call(google, token, "POST", parent, params).json()
    assert created["name"].startswith(parent.partition("/v4/")[2])
    assert (created["state"], created["callToAction"], created["summary"]) == ("PROCESSING", button, "Semlor!")
    assert created["media"][0]["googleUrl"]
    google.sandbox.control("clock", advance=6)
    path = f"mybusiness.googleapis.com/v4/{created['name']}"
    assert call(google, token, "GET", path).json()["state"] == "LIVE"
    place = parent.split("/")[-2]
    [shown] = google.sandbox.control("feed", platform="google", account=place)["posts"]
    assert shown["files"][0]["sha256"] == sha256(photo).hexdigest()
    changed = call(google, token, "PATCH", path, {"summary": "Gone"}, updateMask="summary").json()
    assert (changed["summary"], changed["callToAction"]) == ("Gone", button)
    assert call(google, token, "PATCH", path, {"summary": "x"}).status_code == 400
    assert call(google, token, "DELETE", path).json() == {}
    assert call(google, token, "GET", path).json()["error"]["status"] == "NOT_FOUND"


@pytest.mark.parametrize(
    ("content_type", "photo"),
    [
        ("image/jpeg", jpeg(250, 250, 10_239)),
        ("image/jpeg", jpeg(249, 900, 20_000)),
        ("image/jpeg", jpeg(900, 900, (5 << 20) + 1)),
        ("image/gif", b"GIF89a" + bytes(20_000)),
    ],
    ids=["bytes", "pixels", "too large", "format"],
)
def test_a_photo_is_what_google_documents(
    google: Google, token: str, parent: str, media: MediaHost, content_type: str, photo: bytes
) -> None:
    url = media.put("bun", content_type, photo)
    refused = call(google, token, "POST", parent, POST | {"media": [{"mediaFormat": "PHOTO", "sourceUrl": url}]})
    assert refused.json()["error"]["status"] == "INVALID_ARGUMENT"


def test_a_post_is_rejected(google: Google, token: str, parent: str) -> None:
    google.sandbox.control("outcome", platform="google", account=parent.split("/")[-2], result="REJECTED")
    first, second = (call(google, token, "POST", parent, POST).json()["name"] for _ in range(2))
    google.sandbox.control("clock", advance=6)
    states = [
        call(google, token, "GET", f"mybusiness.googleapis.com/v4/{name}").json()["state"] for name in (first, second)
    ]
    assert states == ["REJECTED", "LIVE"]


def test_processing_of_a_post_can_take_longer(google: Google, token: str, parent: str) -> None:
    google.sandbox.control("outcome", platform="google", account=parent.split("/")[-2], seconds=100)
    name = call(google, token, "POST", parent, POST).json()["name"]
    states = []
    for passed in (6, 95):
        google.sandbox.control("clock", advance=passed)
        states.append(call(google, token, "GET", f"mybusiness.googleapis.com/v4/{name}").json()["state"])
    assert states == ["PROCESSING", "LIVE"]


def test_posts_are_listed_in_pages(google: Google, token: str, parent: str) -> None:
    assert call(google, token, "GET", parent).json() == {}
    names = [call(google, token, "POST", parent, POST).json()["name"] for _ in range(3)]
    first = call(google, token, "GET", parent, pageSize="2").json()
    rest = call(google, token, "GET", parent, pageSize="2", pageToken=first["nextPageToken"]).json()
    assert [post["name"] for post in first["localPosts"] + rest["localPosts"]] == names[::-1]
    assert "nextPageToken" not in rest
    assert call(google, token, "GET", parent, pageSize="101").status_code == 400


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"topicType": "PARTY"}, "topic_type"),
        ({"summary": "x" * 1501}, "summary"),
        ({"topicType": "EVENT"}, "event"),
        ({"topicType": "OFFER", "event": {"title": "x"}}, "event"),
        ({"callToAction": {"actionType": "DANCE"}}, "call_to_action.action_type"),
        ({"callToAction": {"actionType": "SHOP"}}, "call_to_action.url"),
        ({"media": [{"mediaFormat": "VIDEO", "sourceUrl": "https://x.example/a.mp4"}]}, "media"),
        ({"media": "picture"}, "media"),
        ({"media": [{"mediaFormat": "PHOTO", "sourceUrl": "http://127.0.0.1:9/a.jpg"}]}, "media.source_url"),
    ],
)
def test_what_a_post_is_refused_for(
    google: Google, token: str, parent: str, change: dict[str, Any], field: str
) -> None:
    answer = call(google, token, "POST", parent, POST | change)
    error = answer.json()["error"]
    assert (answer.status_code, error["status"]) == (400, "INVALID_ARGUMENT")
    assert error["details"][0]["fieldViolations"][0]["field"] == f"local_post.{field}"


@pytest.mark.parametrize(
    ("change", "place", "name"),
    [
        ({"title": "x"}, "local_post", "title"),
        ({"callToAction": {"actionType": "CALL", "label": "x"}}, "local_post.call_to_action", "label"),
        ({"topicType": "EVENT", "event": {**EVENT, "place": "x"}}, "local_post.event", "place"),
        ({"media": [{"mediaFormat": "PHOTO", "url": "x"}]}, "local_post.media[0]", "url"),
    ],
)
def test_names_that_a_post_does_not_have_are_refused(
    google: Google, token: str, parent: str, change: dict[str, Any], place: str, name: str
) -> None:
    answer = call(google, token, "POST", parent, POST | change)
    error = answer.json()["error"]
    assert (answer.status_code, error["status"]) == (400, "INVALID_ARGUMENT")
    message = f"Invalid JSON payload received. Unknown name \"{name}\" at '{place}': Cannot find field."
    assert error["details"][0]["fieldViolations"] == [{"field": place, "description": message}]
    assert error["message"] == message


def test_unknown_query_parameters_are_refused(google: Google, token: str, parent: str) -> None:
    answer = call(google, token, "GET", parent, maxResults="5")
    assert (answer.status_code, "Cannot bind query parameter" in answer.text) == (400, True)


def test_events_and_calls_are_taken(google: Google, token: str, parent: str) -> None:
    assert call(google, token, "POST", parent, POST | {"topicType": "EVENT", "event": EVENT}).status_code == 200
    assert call(google, token, "POST", parent, POST | {"callToAction": {"actionType": "CALL"}}).status_code == 200


def test_who_may_post_where(google: Google, token: str, parent: str) -> None:
    _first, _second, unverified = places(google, token)
    path = f"mybusiness.googleapis.com/v4/accounts/{ADA_GROUP_ID}/{unverified}/localPosts"
    assert call(google, token, "POST", path, POST).json()["error"]["status"] == "PERMISSION_DENIED"
    cleo = google.sign_in("cleo", BUSINESS)["access_token"]
    assert call(google, cleo, "POST", parent, POST).json()["error"]["status"] == "PERMISSION_DENIED"
    bram = google.sign_in("bram", BUSINESS)["access_token"]
    assert call(google, bram, "POST", parent, POST).status_code == 200
    wrong = parent.replace(ADA_GROUP_ID, "1")
    assert call(google, token, "GET", wrong).json()["error"]["status"] == "NOT_FOUND"
