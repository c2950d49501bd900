"""Reviews of a place. Google ships no client for this old API, so it is plain HTTP."""

from base64 import b64decode, urlsafe_b64decode
from typing import Any

import httpx
import msgspec
import pytest

from sandbox.google.client import BUSINESS, YOUTUBE, Google
from sandbox.google.official import crypt, jwt
from socialgate_sandbox.vendors.google.seed import ADA_GROUP_ID, BRAM_GROUP_ID
from support.simulation import ReceivedWebhook

V4 = "mybusiness.googleapis.com/v4"
# Those whom the sandbox begins with: Dario, somebody without a name or a word, and Finn, the newest last.
STARS = ["TWO", "FOUR", "FIVE"]


@pytest.fixture
def token(google: Google) -> str:
    result: str = google.sign_in("ada", BUSINESS)["access_token"]
    return result


@pytest.fixture
def places(google: Google, token: str) -> list[str]:
    path = f"mybusinessbusinessinformation.googleapis.com/v1/accounts/{ADA_GROUP_ID}/locations"
    listed = google.get(path, token, readMask="name").json()["locations"]
    return [f"accounts/{ADA_GROUP_ID}/{place['name']}" for place in listed]


def call(google: Google, token: str, method: str, name: str, body: Any = None, **query: str) -> httpx.Response:
    headers = {"authorization": f"Bearer {token}"}
    return google.http.request(method, f"{google.url}/{V4}/{name}", params=query, json=body, headers=headers)


def write_review(google: Google, place: str, **fields: Any) -> dict[str, Any]:
    order = {"platform": "google", "account": place.rpartition("/")[2]} | fields
    done: dict[str, Any] = google.sandbox.control("review", **order)
    return done


def stars(listed: httpx.Response) -> list[str]:
    return [item["starRating"] for item in listed.json()["reviews"]]


def test_the_reviews_of_a_place(google: Google, token: str, places: list[str]) -> None:
    listed = call(google, token, "GET", f"{places[0]}/reviews").json()
    assert (listed["averageRating"], listed["totalReviewCount"]) == (3.7, 3)
    newest, silent, oldest = listed["reviews"]
    assert newest["reviewer"]["displayName"] == "Finn O'Sullivan"
    photo = google.http.get(newest["reviewer"]["profilePhotoUrl"])
    assert photo.headers["content-type"] == "image/png"
    assert newest["name"] == f"{places[0]}/reviews/{newest['reviewId']}"
    assert "reviewReply" not in newest
    assert silent["reviewer"] == {"displayName": "A Google user", "isAnonymous": True}
    assert "comment" not in silent
    assert oldest["reviewReply"]["updateTime"] > oldest["createTime"]
    assert call(google, token, "GET", oldest["name"]).json() == oldest
    assert call(google, token, "GET", f"{places[1]}/reviews").json() == {}


def test_reviews_are_ordered_and_paged(google: Google, token: str, places: list[str]) -> None:
    path = f"{places[0]}/reviews"
    assert stars(call(google, token, "GET", path)) == STARS
    assert stars(call(google, token, "GET", path, orderBy="rating desc")) == STARS[::-1]
    write_review(google, places[0], person="dario", stars=1)
    assert stars(call(google, token, "GET", path, orderBy="updateTime desc")) == ["ONE", "TWO", "FOUR"]
    assert stars(call(google, token, "GET", path, orderBy="rating")) == ["ONE", "TWO", "FOUR"]
    first = call(google, token, "GET", path, pageSize="2")
    rest = call(google, token, "GET", path, pageSize="2", pageToken=first.json()["nextPageToken"])
    assert (stars(first), stars(rest)) == (["ONE", "TWO"], ["FOUR"])
    assert "nextPageToken" not in rest.json()
    for wrong in ({"pageSize": "51"}, {"pageSize": "x"}, {"orderBy": "updateTime"}, {"pageToken": "x"}):
        answer = call(google, token, "GET", path, **wrong)
        assert (answer.status_code, answer.json()["error"]["status"]) == (400, "INVALID_ARGUMENT")


def test_a_place_answers(google: Google, token: str, places: list[str]) -> None:
    name = call(google, token, "GET", f"{places[0]}/reviews").json()["reviews"][0]["name"]
    for message in ("Sorry!", "Sorry, Finn! " + "ö" * 2041):
        reply = call(google, token, "PUT", f"{name}/reply", {"comment": message}).json()
        assert reply["comment"] == message
        assert call(google, token, "GET", name).json()["reviewReply"] == reply
    for wrong in ("", "ö" * 2049):
        refused = call(google, token, "PUT", f"{name}/reply", {"comment": wrong}).json()["error"]
        assert refused["details"][0]["fieldViolations"][0]["field"] == "review_reply.comment"
    assert call(google, token, "DELETE", f"{name}/reply").json() == {}
    assert "reviewReply" not in call(google, token, "GET", name).json()
    assert call(google, token, "DELETE", f"{name}/reply").json()["error"]["status"] == "NOT_FOUND"
    # What a customer said cannot be deleted.
    assert call(google, token, "DELETE", name).status_code == 404


def test_the_reviews_of_several_places(google: Google, token: str, places: list[str]) -> None:
    write_review(google, places[1], stars=3, text="Fine")
    path = f"accounts/{ADA_GROUP_ID}/locations:batchGetReviews"
    body: dict[str, Any] = {"locationNames": places[:2], "ignoreRatingOnlyReviews": True, "pageSize": 2}
    first = call(google, token, "POST", path, body).json()
    rest = call(google, token, "POST", path, body | {"pageToken": first["nextPageToken"]}).json()
    result = [
        (item["name"], item["review"]["starRating"]) for item in first["locationReviews"] + rest["locationReviews"]
    ]
    assert result == [(places[1], "THREE"), (places[0], "TWO"), (places[0], "FIVE")]
    unverified = call(google, token, "POST", path, {"locationNames": [places[2]]})
    assert unverified.json()["error"]["status"] == "PERMISSION_DENIED"
    nowhere = call(google, token, "POST", path, {"locationNames": [f"accounts/{ADA_GROUP_ID}/locations/1"]})
    assert nowhere.json()["error"]["status"] == "NOT_FOUND"


def test_who_may_read_reviews(google: Google, token: str, places: list[str]) -> None:
    assert call(google, token, "GET", f"{places[2]}/reviews").json()["error"]["status"] == "PERMISSION_DENIED"
    assert call(google, token, "GET", f"{places[0]}/reviews/x").json()["error"]["status"] == "NOT_FOUND"
    [*_others, oldest] = call(google, token, "GET", f"{places[0]}/reviews").json()["reviews"]
    elsewhere = oldest["name"].replace(places[0], places[1])
    assert call(google, token, "GET", elsewhere).json()["error"]["status"] == "NOT_FOUND"
    wrong = f"{places[0].replace(ADA_GROUP_ID, BRAM_GROUP_ID)}/reviews"
    assert call(google, token, "GET", wrong).json()["error"]["status"] == "NOT_FOUND"
    cleo = google.sign_in("cleo", BUSINESS)["access_token"]
    assert call(google, cleo, "GET", f"{places[0]}/reviews").json()["error"]["status"] == "PERMISSION_DENIED"
    poor = google.sign_in("ada", YOUTUBE)["access_token"]
    assert call(google, poor, "GET", f"{places[0]}/reviews").status_code == 403


def pushed(google: Google, arrived: ReceivedWebhook) -> dict[str, str]:
    """Check the push with Google's own library, as a receiver does, and give what it tells."""
    assert arrived.path == "/webhooks/google"
    value = arrived.headers["authorization"].removeprefix("Bearer ")
    certificate = google.get("www.googleapis.com/oauth2/v1/certs").json()[jwt.decode_header(value)["kid"]]
    signed, _, signature = value.rpartition(".")
    assert crypt.verify_signature(signed, urlsafe_b64decode(signature + "=="), certificate)
    claims = jwt.decode(value, verify=False)
    assert (claims["iss"], claims["aud"]) == ("https://accounts.google.com", "sandbox-verify-token")
    assert claims["email_verified"] is True
    assert claims["exp"] - claims["iat"] == 3600
    body = msgspec.json.decode(arrived.body)
    assert body["subscription"].startswith("projects/p/subscriptions/")
    assert body["message"]["messageId"]
    payload: dict[str, str] = msgspec.json.decode(b64decode(body["message"]["data"]))
    return payload


def test_an_account_hears_of_reviews_that_it_asked_for(google: Google, places: list[str]) -> None:
    assert write_review(google, places[1], stars=5)["notified"] is False
    with google.sdk("mybusinessnotifications", "v1", google.sign_in("ada", BUSINESS)) as notices:
        name = f"accounts/{ADA_GROUP_ID}/notificationSetting"
        body = {"pubsubTopic": "projects/p/topics/t", "notificationTypes": ["NEW_REVIEW", "UPDATED_REVIEW"]}
        change = notices.accounts().updateNotificationSetting
        change(name=name, body=body, updateMask="pubsubTopic,notificationTypes").execute()
        new = write_review(google, places[1], person="elif", stars=4, text="Good")
        edited = write_review(google, places[1], person="elif", stars=1, text="No longer", anonymous=True)
        assert new == edited == {"review": new["review"], "notified": True}
        change(name=name, body={"notificationTypes": ["NEW_REVIEW"]}, updateMask="notificationTypes").execute()
    assert write_review(google, places[1], person="elif", stars=2)["notified"] is False
    payload = [pushed(google, arrived) for arrived in google.gateway.wait_for(2)]
    about = {"locationName": places[1], "reviewName": new["review"]}
    assert payload == [{"notificationType": kind} | about for kind in ("NEW_REVIEW", "UPDATED_REVIEW")]


def test_a_changed_review_keeps_its_answer(google: Google, token: str, places: list[str]) -> None:
    before = call(google, token, "GET", f"{places[0]}/reviews").json()["reviews"][2]
    write_review(google, places[0], person="dario", stars=3, text="They were gone")
    after = call(google, token, "GET", before["name"]).json()
    assert (after["starRating"], after["comment"]) == ("THREE", "They were gone")
    assert (after["createTime"], after["reviewReply"]) == (before["createTime"], before["reviewReply"])
    assert after["updateTime"] > before["updateTime"]


def test_people_see_reviews_on_the_page_of_a_place(google: Google, places: list[str]) -> None:
    place = places[0].rpartition("/")[2]
    rows = google.sandbox.look("feed", platform="google", account=place)["data"]
    assert [(row["kind"], row["title"][:5], len(row["comments"])) for row in rows] == [
        ("review", "★★☆☆☆", 0),
        ("review", "★★★★☆", 0),
        ("review", "★★★★★", 1),
    ]
    assert rows[2]["comments"][0]["author"] == "Ada's Bakery Södermalm"


def test_what_a_reviewer_is_told(google: Google, places: list[str]) -> None:
    first, _second, unverified = (place.rpartition("/")[2] for place in places)
    orders = [
        {"account": first, "stars": 6},
        {"account": first, "stars": 5, "person": "ada"},
        {"account": "1", "stars": 5},
        {"account": unverified, "stars": 5},
    ]
    url = f"{google.sandbox.url}/_control/review"
    answers = [google.http.post(url, json={"platform": "google"} | order) for order in orders]
    assert [answer.status_code for answer in answers] == [422, 422, 404, 404]
