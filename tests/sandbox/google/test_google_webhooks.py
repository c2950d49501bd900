"""What Google sends: security events, calendar notices, and the handshake of the feed hub."""

from base64 import b64encode, urlsafe_b64decode
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from hashlib import sha512
from typing import Any

import pytest

from sandbox.google.client import CALENDAR, YOUTUBE, Google
from sandbox.google.official import channel as watching
from sandbox.google.official import crypt, jwt, requests
from socialgate_sandbox.vendors.google.seed import ADA_CHANNEL_ID, BAKERY_CALENDAR_ID, GOOGLE_USER_IDS
from support.simulation import ReceivedWebhook

EVENT = "https://schemas.openid.net/secevent/"
PUSH = f"{EVENT}risc/delivery-method/push"
AUDIENCE = "https://risc.googleapis.com/google.identity.risc.v1beta.RiscManagementService"
HUB = "pubsubhubbub.appspot.com/subscribe"
TOPIC = f"https://www.youtube.com/feeds/videos.xml?channel_id={ADA_CHANNEL_ID}"


def events_of(google: Google, arrived: ReceivedWebhook) -> dict[str, Any]:
    """Check the signature with Google's own library and give what happened."""
    assert arrived.path == "/webhooks/google"
    assert arrived.headers["content-type"] == "application/secevent+jwt"
    header = jwt.decode_header(arrived.body)
    certificate = google.get("www.googleapis.com/oauth2/v1/certs").json()[header["kid"]]
    signed, _, signature = arrived.body.rpartition(b".")
    assert crypt.verify_signature(signed, urlsafe_b64decode(signature + b"=="), certificate)
    claims: dict[str, Any] = jwt.decode(arrived.body, verify=False)
    assert (claims["iss"], claims["aud"]) == ("https://accounts.google.com/", "sandbox-google")
    assert claims["jti"]
    assert "exp" not in claims
    events: dict[str, Any] = claims["events"]
    return events


@pytest.mark.parametrize(
    ("how", "event", "more", "lives"),
    [
        ("", "oauth/event-type/tokens-revoked", {}, False),
        ("password_changed", "risc/event-type/sessions-revoked", {}, True),
        ("credential_change", "risc/event-type/account-credential-change-required", {}, True),
        ("hijacked", "risc/event-type/account-disabled", {"reason": "hijacking"}, False),
        ("bulk_account", "risc/event-type/account-disabled", {"reason": "bulk-account"}, False),
        ("account_deleted", "risc/event-type/account-disabled", {}, False),
    ],
)
def test_a_user_takes_it_back(google: Google, how: str, event: str, more: dict[str, str], *, lives: bool) -> None:
    tokens = google.sign_in("ada", YOUTUBE)
    google.sandbox.control("revoke", platform="google", account=ADA_CHANNEL_ID, how=how)
    [arrived] = google.gateway.wait_for(1)
    subject = {"subject_type": "iss-sub", "iss": "https://accounts.google.com/", "sub": GOOGLE_USER_IDS["ada"]}
    assert events_of(google, arrived) == {f"{EVENT}{event}": {"subject": subject} | more}
    assert google.refresh(tokens["refresh_token"]).is_success is lives
    assert google.get("www.googleapis.com/oauth2/v2/userinfo", tokens["access_token"]).is_success is lives


@pytest.mark.parametrize("how", ["token", "token_hash"])
def test_a_single_token_is_named_without_being_told(google: Google, how: str) -> None:
    tokens = google.sign_in("ada", YOUTUBE)
    google.sandbox.control("revoke", platform="google", account="ada@example.com", how=how)
    [arrived] = google.gateway.wait_for(1)
    token = tokens["refresh_token"]
    named = {
        "token": ("prefix", token[:16]),
        "token_hash": (
            "hash_base64_sha512_sha512",
            b64encode(sha512(sha512(token.encode()).digest()).digest()).decode(),
        ),
    }[how]
    [(kind, about)] = events_of(google, arrived).items()
    assert kind == f"{EVENT}oauth/event-type/token-revoked"
    assert about["subject"] == {
        "subject_type": "oauth_token",
        "token_type": "refresh_token",
        "token_identifier_alg": named[0],
        "token": named[1],
    }
    assert google.refresh(token).json()["error"] == "invalid_grant"


def test_google_tells_nothing_to_who_does_not_know_the_user(google: Google) -> None:
    code = google.come_back(google.question(YOUTUBE), person=GOOGLE_USER_IDS["ada"])["code"]
    token = google.exchange(code).json()["refresh_token"]
    response = google.sandbox.control("revoke", platform="google", account=GOOGLE_USER_IDS["ada"])
    assert response["notified"] is False
    assert google.refresh(token).json()["error"] == "invalid_grant"
    google.sign_in("bram")
    google.sandbox.control("revoke", platform="google", account=GOOGLE_USER_IDS["bram"], how="silent")
    assert google.sandbox.look("deliveries")["data"] == []


def test_a_disabled_account_comes_back(google: Google) -> None:
    google.sign_in("ada")
    google.sandbox.control("revoke", platform="google", account=GOOGLE_USER_IDS["ada"], how="hijacked")
    page = google.get("accounts.google.com/o/oauth2/v2/auth", **google.question("openid"))
    assert "Ada Lindqvist" not in page.text
    google.sandbox.control("enable", platform="google", account=GOOGLE_USER_IDS["ada"])
    arrived = google.gateway.wait_for(2)[1]
    assert list(events_of(google, arrived)) == [f"{EVENT}risc/event-type/account-enabled"]
    assert google.sign_in("ada")["access_token"]


def test_the_stream_is_steered_with_the_service_account(google: Google) -> None:
    result = google.get("accounts.google.com/.well-known/risc-configuration").json()
    assert result["issuer"] == "https://accounts.google.com/"
    assert google.http.get(result["jwks_uri"]).json()["keys"]
    key = google.sandbox.control("service_account", platform="google")
    url = f"{google.url}/risc.googleapis.com/v1beta/stream"
    with requests.AuthorizedSession(jwt.Credentials.from_service_account_info(key, audience=AUDIENCE)) as session:
        assert session.get(url).json()["status"] == "enabled"
        elsewhere = f"{google.gateway.url}/webhooks/google"
        revoked = f"{EVENT}oauth/event-type/tokens-revoked"
        body = {"delivery": {"delivery_method": PUSH, "url": elsewhere}, "events_requested": [revoked]}
        assert session.post(f"{url}:update", json=body).json() == {}
        assert session.get(url).json()["events_requested"] == [revoked]
        assert session.post(f"{url}:verify", json={"state": "ping-7"}).json() == {}
        assert session.post(f"{url}/status:update", json={"status": "disabled"}).json() == {}
        assert session.get(f"{url}/status").json() == {"status": "disabled"}
        wrong = session.post(f"{url}:update", json=body | {"events_requested": ["rubbish"]})
        assert (wrong.status_code, wrong.json()["error"]["status"]) == (400, "INVALID_ARGUMENT")
    [arrived] = google.gateway.wait_for(1)
    assert events_of(google, arrived) == {f"{EVENT}risc/event-type/verification": {"state": "ping-7"}}
    google.sign_in("ada")
    assert google.sandbox.control("revoke", platform="google", account=GOOGLE_USER_IDS["ada"])["notified"] is False


def test_the_stream_is_closed_to_others(google: Google) -> None:
    path = "risc.googleapis.com/v1beta/stream"
    assert google.get(path).status_code == 401
    assert google.get(path, google.sign_in("ada")["access_token"]).status_code == 401


def test_a_calendar_is_watched(google: Google) -> None:
    address = f"{google.gateway.url}/webhooks/google"
    tokens = google.sign_in("ada", CALENDAR)
    with google.sdk("calendar", "v3", tokens) as calendar:
        requested = watching.new_webhook_channel(address, token="secret-of-ours")
        opened = calendar.events().watch(calendarId=BAKERY_CALENDAR_ID, body=requested.body()).execute()
        requested.update(opened)
        [arrived] = google.gateway.wait_for(1)
        assert arrived.body == b""
        notice = watching.notification_from_headers(requested, _titled(arrived))
        assert (notice.state, notice.message_number) == ("sync", 1)
        assert arrived.headers["x-goog-channel-token"] == "secret-of-ours"
        ends = datetime.fromtimestamp(int(opened["expiration"]) / 1000, UTC)
        assert abs(ends - datetime.now(UTC) - timedelta(days=7)) < timedelta(minutes=5)
        assert parsedate_to_datetime(arrived.headers["x-goog-channel-expiration"]) == ends.replace(microsecond=0)
        calendar.channels().stop(body={"id": requested.id, "resourceId": requested.resource_id}).execute()
        again = google.post(
            "www.googleapis.com/calendar/v3/channels/stop",
            tokens["access_token"],
            {"id": requested.id, "resourceId": requested.resource_id},
        )
    assert (again.status_code, again.json()["error"]["errors"][0]["reason"]) == (404, "notFound")


def test_the_list_of_calendars_is_watched_until_the_channel_expires(google: Google) -> None:
    address = f"{google.gateway.url}/elsewhere"
    with google.sdk("calendar", "v3", google.sign_in("ada", CALENDAR)) as calendar:
        body = {"id": "list-1", "type": "web_hook", "address": address, "params": {"ttl": "3600"}}
        calendar.calendarList().watch(body=body).execute()
        calendar.calendarList().watch(body=body | {"id": "list-2", "params": {"ttl": "60"}}).execute()
        google.sandbox.control("clock", advance=61)
        google.sandbox.control("unlink", platform="google", account=BAKERY_CALENDAR_ID)
    arrived = google.gateway.wait_for(3)
    pairs = [
        (received_webhook.headers["x-goog-channel-id"], received_webhook.headers["x-goog-resource-state"])
        for received_webhook in arrived
    ]
    assert pairs == [("list-1", "sync"), ("list-2", "sync"), ("list-1", "exists")]
    assert "x-goog-channel-token" not in arrived[0].headers


def test_what_a_watch_is_refused_for(google: Google) -> None:
    token = google.sign_in("ada", CALENDAR)["access_token"]
    path = "www.googleapis.com/calendar/v3/calendars/primary/events/watch"
    body = {"id": "one", "type": "web_hook", "address": f"{google.gateway.url}/x"}
    assert google.post(path, token, body).status_code == 200
    answers = [
        google.post(path, token, body),
        google.post(path, token, body | {"id": ""}),
        google.post(path, token, body | {"id": "two", "type": "pigeon"}),
        google.post(path, token, body | {"id": "two", "address": "http://plain.example/x"}),
    ]
    reasons = [(answer.status_code, answer.json()["error"]["errors"][0]["reason"]) for answer in answers]
    words = ("channelIdNotUnique", "required", "invalid", "push.webhookUrlNotHttps")
    assert reasons == [(400, word) for word in words]


def test_the_hub_believes_a_callback_only_after_its_challenge(google: Google) -> None:
    form = {"hub.callback": f"{google.gateway.url}/webhooks/google", "hub.mode": "subscribe", "hub.topic": TOPIC}
    url = f"{google.url}/{HUB}"
    assert google.http.post(url, data=form | {"hub.verify": "async"}).status_code == 202
    assert google.http.post(url, data=form | {"hub.verify": "sync"}).status_code == 204
    deaf = form | {"hub.callback": f"{google.url}/nowhere", "hub.verify": "sync"}
    assert google.http.post(url, data=deaf).status_code == 409
    assert google.http.post(url, data=form | {"hub.topic": "https://www.youtube.com/"}).status_code == 400
    assert google.http.post(url, data=form | {"hub.mode": "unsubscribe"}).status_code == 202


def _titled(arrived: ReceivedWebhook) -> dict[str, str]:
    """Write the names of headers as the library expects them."""
    return {name.upper(): value for name, value in arrived.headers.items()}
