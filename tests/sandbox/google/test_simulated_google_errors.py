"""Every failure that can be ordered, in the shape of each family."""

from typing import Any
from urllib.parse import urlsplit

import pytest

from sandbox.google.client import BUSINESS, CALENDAR, YOUTUBE, Google
from socialgate_sandbox.vendors.google.errors import ERRORS
from socialgate_sandbox.vendors.google.seed import ADA_CHANNEL_ID
from support.raw import RawConnection

PATHS = {
    "youtube": "youtube.googleapis.com/youtube/v3/channels",
    "calendar": "www.googleapis.com/calendar/v3/users/me/calendarList",
    "business": "mybusinessaccountmanagement.googleapis.com/v1/accounts",
    "oauth": "oauth2.googleapis.com/tokeninfo",
}
API = {
    "rate_limited": (403, "rateLimitExceeded"),
    "user_rate_limited": (403, "userRateLimitExceeded"),
    "quota_exhausted": (403, "quotaExceeded"),
    "token_expired": (401, "authError"),
    "token_revoked": (401, "authError"),
    "permission_missing": (403, "insufficientPermissions"),
    "forbidden": (403, "forbidden"),
    "account_suspended": (403, "authenticatedUserAccountSuspended"),
    "account_closed": (403, "authenticatedUserAccountClosed"),
    "no_channel": (401, "youtubeSignupRequired"),
    "api_disabled": (403, "accessNotConfigured"),
    "client_invalid": (403, "accessNotConfigured"),
    "admin_policy": (403, "forbidden"),
    "upload_limit": (400, "uploadLimitExceeded"),
    "processing_failure": (400, "processingFailure"),
    "not_found": (404, "notFound"),
    "invalid": (400, "invalid"),
    "sync_expired": (410, "fullSyncRequired"),
    "temporarily_unavailable": (503, "backendError"),
    "internal_error": (500, "backendError"),
}
RPC = {
    "rate_limited": (429, "RESOURCE_EXHAUSTED"),
    "user_rate_limited": (429, "RESOURCE_EXHAUSTED"),
    "quota_exhausted": (429, "RESOURCE_EXHAUSTED"),
    "token_expired": (401, "UNAUTHENTICATED"),
    "permission_missing": (403, "PERMISSION_DENIED"),
    "forbidden": (403, "PERMISSION_DENIED"),
    "api_disabled": (403, "PERMISSION_DENIED"),
    "not_found": (404, "NOT_FOUND"),
    "invalid": (400, "INVALID_ARGUMENT"),
    "temporarily_unavailable": (503, "UNAVAILABLE"),
    "internal_error": (500, "INTERNAL"),
}
OAUTH = {
    "rate_limited": (429, "rate_limit_exceeded"),
    "token_revoked": (400, "invalid_grant"),
    "client_invalid": (401, "invalid_client"),
    "admin_policy": (400, "admin_policy_enforced"),
    "invalid": (400, "invalid_request"),
    "temporarily_unavailable": (503, "temporarily_unavailable"),
    "internal_error": (500, "internal_failure"),
}


def ordered(google: Google, name: str, family: str) -> tuple[int, Any]:
    google.sandbox.control("fail", platform="google", error=name)
    answer = google.get(PATHS[family], "any")
    return answer.status_code, answer.json()["error"]


def test_no_failure_is_left_out() -> None:
    assert set(API) == set(ERRORS)


def test_the_failures_of_youtube_and_calendar(google: Google) -> None:
    for name, (status, reason) in API.items():
        for family in ("youtube", "calendar"):
            number, error = ordered(google, name, family)
            assert (number, error["code"], error["errors"][0]["reason"]) == (status, status, reason), name
            assert {"message", "domain", "reason"} <= set(error["errors"][0])


def test_the_failures_of_the_newer_apis(google: Google) -> None:
    for name, (status, word) in RPC.items():
        number, error = ordered(google, name, "business")
        assert (number, error["code"], error["status"]) == (status, status, word), name
        assert "errors" not in error


def test_the_failures_of_oauth_are_flat(google: Google) -> None:
    for name, expected in OAUTH.items():
        assert ordered(google, name, "oauth") == expected, name


def test_a_failure_hits_one_account_only(google: Google) -> None:
    ada, bram = (google.sign_in(person, YOUTUBE)["access_token"] for person in ("ada", "bram"))
    google.sandbox.control("fail", platform="google", error="rate_limited", account=ADA_CHANNEL_ID)
    query = {"part": "id", "mine": "true"}
    assert google.get(PATHS["youtube"], bram, **query).status_code == 200
    assert google.get(PATHS["youtube"], ada, **query).status_code == 403


@pytest.mark.parametrize("family", ["youtube", "calendar", "business"])
def test_a_call_without_a_token_and_with_a_dead_one(google: Google, family: str) -> None:
    token = google.sign_in("ada", YOUTUBE, CALENDAR, BUSINESS)["access_token"]
    google.sandbox.control("expire", platform="google", account="ada@example.com")
    for value, begins in ((None, "Request is missing required"), (token, "Request had invalid authentication")):
        answer = google.get(PATHS[family], value)
        assert answer.status_code == 401
        assert answer.headers["www-authenticate"].startswith("Bearer realm=")
        assert answer.json()["error"]["status"] == "UNAUTHENTICATED"
        assert answer.json()["error"]["message"].startswith(begins)


def test_what_is_not_there_and_what_cannot_be_read(google: Google) -> None:
    unknown = google.get("youtube.googleapis.com/youtube/v3/teapots")
    assert (unknown.status_code, unknown.headers["content-type"]) == (404, "text/html; charset=utf-8")
    assert "Error 404 (Not Found)!!1" in unknown.text
    token = google.sign_in("ada", CALENDAR)["access_token"]
    url = f"{google.url}/www.googleapis.com/calendar/v3/channels/stop"
    broken = google.http.post(url, content=b"{", headers={"authorization": f"Bearer {token}"})
    assert (broken.status_code, broken.json()["error"]["errors"][0]["reason"]) == (400, "parseError")


def test_the_accounts_that_can_be_connected(google: Google) -> None:
    google.sign_in("cleo")
    listed = google.sandbox.look("accounts", platform="google")["data"]
    kinds = [account["kind"] for account in listed]
    assert {kind: kinds.count(kind) for kind in set(kinds)} == {"user": 4, "channel": 3, "calendar": 7, "location": 18}
    assert [account["name"] for account in listed if account["connected"]] == [
        "Cleo Marchetti (cleo@example.com)",
        "cleo@example.com (owner)",
    ]


def test_nonsense_is_refused_in_googles_own_words(google: Google) -> None:
    token = google.sign_in("ada", YOUTUBE, CALENDAR, BUSINESS)["access_token"]
    watch = {"id": "w", "type": "web_hook", "address": "http://["}
    hub = {"hub.mode": "subscribe", "hub.callback": "http://[", "hub.topic": "http://["}
    answers = [
        google.get("accounts.google.com/o/oauth2/v2/auth", **google.question("openid", redirect_uri="http://[")),
        google.get(PATHS["youtube"], token, part="id", mine="true", maxResults="²"),
        google.get(PATHS["calendar"], token, maxResults="²"),
        google.get(PATHS["calendar"], token, pageToken="YXQ6LTU="),
        google.get(PATHS["business"], token, pageSize="²"),
        google.post("www.googleapis.com/calendar/v3/calendars/primary/events/watch", token, watch),
        google.post("www.googleapis.com/upload/youtube/v3/videos", token, [], part="id", uploadType="resumable"),
        google.http.post(f"{google.url}/pubsubhubbub.appspot.com/subscribe", data=hub),
        google.http.post(f"{google.url}/oauth2.googleapis.com/token", headers={b"authorization": "Basic ä".encode()}),
    ]
    assert [answer.status_code for answer in answers] == [400] * len(answers)
    assert google.get(PATHS["calendar"], token, syncToken=f"CPDAlvWDx70{'9' * 400}").status_code == 410
    far = {"id": "far", "type": "web_hook", "address": f"{google.gateway.url}/x", "expiration": "9" * 300}
    opened = google.post("www.googleapis.com/calendar/v3/calendars/primary/events/watch", token, far)
    assert opened.status_code == 200


@pytest.mark.parametrize("method", ["POST", "PUT"])
@pytest.mark.parametrize("host", ["www.googleapis.com/upload/youtube/v3/videos", "oauth2.googleapis.com/token"])
def test_an_empty_request_must_announce_its_length(google: Google, method: str, host: str) -> None:
    head = f"{method} /google/{host} HTTP/1.1\r\nHost: 127.0.0.1\r\n"
    with RawConnection(urlsplit(google.url).port or 0) as raw:
        refused = raw.send(f"{head}\r\n".encode()).answer()
        assert refused.status == 411
        assert "<title>Error 411 (Length Required)!!1</title>" in refused.body.decode()
        assert f"{method} requests require a <code>Content-length</code> header." in refused.body.decode()
        assert raw.send(f"{head}Content-Length: 0\r\n\r\n".encode()).answer().status != 411
        chunked = f"{head}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
        assert raw.send(chunked.encode()).answer().status != 411


def test_a_deletion_has_no_length(google: Google) -> None:
    head = "DELETE /google/youtube.googleapis.com/youtube/v3/comments HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    with RawConnection(urlsplit(google.url).port or 0) as raw:
        assert raw.send(head.encode()).answer().status == 401
