"""A customer's way with hooks: make one, receive, verify, look at the history, rotate the secret."""

import base64
import hashlib
import hmac
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
import standardwebhooks

from support.hooks import emit
from support.receiver import ReceivedRequest, Receiver
from support.service import OwnerFixture, RunningService, StartService
from support.waiting import eventually

pytestmark = pytest.mark.both_engines


@pytest.fixture
def receiver(tmp_path: Path) -> Iterator[Receiver]:
    with Receiver(tmp_path) as started:
        yield started


@pytest.fixture
def running(start_service: StartService, receiver: Receiver) -> Iterator[RunningService]:
    with start_service(hook_allow_nets="127.0.0.0/8", hook_ca_file=receiver.ca_file) as started:
        yield started


@pytest.fixture
def owner(running: RunningService) -> OwnerFixture:
    return running.new_owner()


def create_hook(client: httpx.Client, url: str, **fields: Any) -> dict[str, Any]:
    response = client.post("/hooks", json={"url": url, "events": ["lead.received"], **fields})
    assert response.status_code == 201, response.text
    return dict(response.json())


def verifies_plainly(secret: str, received: ReceivedRequest, body: bytes | None = None) -> bool:
    """What a receiver without any library does: an HMAC over the raw bytes, keyed with the secret as it is."""
    digest = hmac.new(secret.encode(), received.body if body is None else body, hashlib.sha256).hexdigest()
    return hmac.compare_digest("sha256=" + digest, received.headers["x-service-signature"])


def verifies_by_standard(secret: str, received: ReceivedRequest) -> bool:
    """What a Standard Webhooks library does. It takes keys in base64, so a plain secret is encoded for it."""
    key = secret if secret.startswith("whsec_") else base64.b64encode(secret.encode()).decode()
    try:
        standardwebhooks.Webhook(key).verify(received.body, received.headers)
    except standardwebhooks.WebhookVerificationError:
        return False
    return True


@pytest.mark.parametrize("event_name", [None, "a secret of my own, 1234"], ids=["ours", "own"])
def test_a_delivery_verifies_with_independent_implementations(
    owner: OwnerFixture, receiver: Receiver, event_name: str | None
) -> None:
    hook = create_hook(owner.key(), receiver.url(), **({} if event_name is None else {"secret": event_name}))
    assert hook["secret"] == event_name if event_name else hook["secret"].startswith("whsec_")
    emit(owner, 1)
    (received,) = receiver.wait_for_count(1)
    assert verifies_plainly(hook["secret"], received)
    assert verifies_by_standard(hook["secret"], received)
    again = json.dumps(json.loads(received.body)).encode()
    assert again != received.body
    assert not verifies_plainly(hook["secret"], received, again)
    assert not verifies_plainly("another secret of mine", received)
    assert received.headers["x-service-event"] == "lead.received"
    assert received.headers["content-type"] == "application/json"
    assert received.headers["user-agent"].startswith("Socialgate-Hooks/")


def test_the_envelope_has_exactly_four_fields(owner: OwnerFixture, receiver: Receiver) -> None:
    create_hook(owner.key(), receiver.url())
    emit(owner, 7)
    envelope = json.loads(receiver.wait_for_count(1)[0].body)
    assert set(envelope) == {"event", "ownerId", "profileId", "data"}
    assert (envelope["ownerId"], envelope["profileId"]) == (owner.id, owner.profile_id)
    assert envelope["data"]["fields"] == {"number": "7"}


def test_the_history_shows_the_request_exactly_as_it_was_sent(owner: OwnerFixture, receiver: Receiver) -> None:
    client = owner.key()
    hook = create_hook(client, receiver.url())
    emit(owner, 1)
    (received,) = receiver.wait_for_count(1)
    path = f"/hooks/{hook['id']}/deliveries"
    listed = eventually(lambda: client.get(path, params={"status": "succeeded"}).json()["data"])
    detail = client.get(f"{path}/{listed[0]['id']}").json()
    assert detail["request"]["body"].encode() == received.body
    for name, value in detail["request"]["headers"].items():
        assert received.headers[name.lower()] == value
    assert [attempt["statusCode"] for attempt in detail["attempts"]] == [200]


def test_a_test_ping_arrives_though_the_hook_is_inactive(owner: OwnerFixture, receiver: Receiver) -> None:
    client = owner.key()
    hook = create_hook(client, receiver.url())
    assert client.patch(f"/hooks/{hook['id']}", json={"active": False}).status_code == 200
    queued = client.post(f"/hooks/{hook['id']}/test")
    assert queued.status_code == 202
    (received,) = receiver.wait_for_count(1)
    assert received.headers["x-service-event"] == "webhook.test"
    assert received.headers["x-service-delivery"] == queued.json()["deliveryId"]
    assert verifies_plainly(hook["secret"], received)


def test_both_secrets_verify_while_a_rotation_overlaps(owner: OwnerFixture, receiver: Receiver) -> None:
    client = owner.key()
    hook = create_hook(client, receiver.url())
    rotated = client.post(f"/hooks/{hook['id']}/rotate-secret", json={"overlapSeconds": 3600}).json()
    emit(owner, 1)
    (received,) = receiver.wait_for_count(1)
    assert verifies_by_standard(hook["secret"], received)
    assert verifies_by_standard(rotated["secret"], received)
    assert verifies_plainly(rotated["secret"], received)
    assert not verifies_plainly(hook["secret"], received)


def test_what_a_hook_missed_while_it_was_inactive_can_be_recovered(owner: OwnerFixture, receiver: Receiver) -> None:
    client = owner.key()
    hook = create_hook(client, receiver.url())
    client.patch(f"/hooks/{hook['id']}", json={"active": False})
    emit(owner, 1, 2, 3)
    client.patch(f"/hooks/{hook['id']}", json={"active": True})
    recovered = client.post(f"/hooks/{hook['id']}/recover", json={"since": hook["createdAt"]})
    assert (recovered.status_code, recovered.json()["queued"]) == (202, 3)
    received = receiver.wait_for_count(3)
    assert sorted(json.loads(received_request.body)["data"]["fields"]["number"] for received_request in received) == [
        "1",
        "2",
        "3",
    ]


def test_a_replay_has_the_same_event_id_and_a_new_delivery_id(owner: OwnerFixture, receiver: Receiver) -> None:
    client = owner.key()
    hook = create_hook(client, receiver.url())
    emit(owner, 1)
    path = f"/hooks/{hook['id']}/deliveries"
    first = eventually(lambda: client.get(path, params={"status": "succeeded"}).json()["data"])[0]
    assert client.post(f"{path}/{first['id']}/retry").status_code == 202
    received_request, two = receiver.wait_for_count(2)
    assert received_request.headers["webhook-id"] == two.headers["webhook-id"]
    assert received_request.headers["x-service-delivery"] != two.headers["x-service-delivery"]
    assert received_request.body == two.body
