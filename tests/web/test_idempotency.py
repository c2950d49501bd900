from collections.abc import Iterator
from datetime import timedelta
from hashlib import sha256
from typing import Any

import httpx
import pytest
import sqlalchemy as sa
from litestar.types import HTTPReceiveMessage

from socialgate.areas.profiles.schemas import NewProfile
from socialgate.areas.profiles.service import ProfileService
from socialgate.core.caller import Caller
from socialgate.core.db import Tx
from socialgate.core.errors import IdempotencyKeyInUse
from socialgate.core.ids import new_id
from socialgate.core.unit_of_work import UnitOfWork
from socialgate.web.fingerprint import RequestFingerprint
from socialgate.web.idempotency import (
    IDEMPOTENCY_KEY_LEASE,
    IDEMPOTENCY_KEY_RETENTION,
    IdempotencyKeyClaim,
    _claim_key,
    _KeyScope,
    idempotency_keys,
    purge_idempotency_keys,
)
from support.database import dump, list_plain_forms, rows, run_sql
from support.factories import get_or_create_id
from support.parallel import run_simultaneously
from support.problems import problem_of
from support.service import PASSWORD, OwnerFixture, RunningService, StartService

pytestmark = pytest.mark.both_engines

BODY = b'{"name":"Bakery"}'
OTHER_BODY = b'{"name":"Butcher"}'
BODY_HASH = sha256(BODY).digest()
REPLAYED = "idempotent-replayed"
SECOND = timedelta(seconds=1)


async def _nothing() -> HTTPReceiveMessage:
    raise AssertionError("nobody reads it")


class KeyHolder:
    """An API key of an owner, with the name that the service knows it by."""

    def __init__(self, owner: OwnerFixture) -> None:
        created = owner.session.post("/api-keys", json={"name": "holder", "scope": "all"}).json()
        self.owner = owner
        self.caller = Caller(owner_id=owner.id, credential_id=created["id"])
        self.client = owner.running.client(created["key"])

    def create(self, key: str, body: bytes = BODY) -> httpx.Response:
        headers = {"Idempotency-Key": key, "Content-Type": "application/json"}
        return self.client.post("/profiles", content=body, headers=headers)

    def place(self, key: str) -> _KeyScope:
        return _KeyScope(self.owner.id, self.caller.credential_id, "POST", "/profiles", key)

    def claim(self, key: str, body: bytes = BODY) -> IdempotencyKeyClaim:
        fingerprint = RequestFingerprint(_nothing)
        fingerprint.digest = sha256(body).digest()
        return IdempotencyKeyClaim(self.place(key), fingerprint, self.caller, 201)

    def made(self) -> list[str]:
        """List the profiles that were made beside the first one."""
        listed = self.client.get("/profiles", params={"limit": 200}).json()["data"]
        return [profile["id"] for profile in listed if profile["id"] != self.owner.profile_id]

    def leave_claim(self, key: str, lease: timedelta) -> None:
        """Leave what a process leaves that dies between its claim and its effect."""

        async def insert(tx: Tx) -> None:
            values = {
                "owner_id": self.owner.id,
                "credential_id": self.caller.credential_id,
                "method": "POST",
                "path": "/profiles",
                "key": key,
                "body_hash": BODY_HASH,
                "fence": new_id("fnc"),
                "lease_until": tx.now + lease,
                "expires_at": tx.now + IDEMPOTENCY_KEY_RETENTION,
            }
            await tx.execute(sa.insert(idempotency_keys).values(values))

        self.owner.running.write(insert)


@pytest.fixture
def holder(owner: OwnerFixture) -> KeyHolder:
    return KeyHolder(owner)


@pytest.fixture
def own_holder(start_service: StartService) -> Iterator[KeyHolder]:
    """A holder on a service of its own, whose clock and tables may be touched."""
    with start_service() as running:
        yield KeyHolder(running.new_owner())


def test_the_same_key_many_times_at_once_has_one_effect(holder: KeyHolder) -> None:
    answers = run_simultaneously(20, lambda _: holder.create("k"))
    done = [answer for answer in answers if answer.status_code == 201]
    for answer in answers:
        if answer not in done:
            assert problem_of(answer, 409, "idempotency_key_in_use")["retryAfter"] >= 1
    assert len({answer.content for answer in done}) == 1
    assert [answer.headers.get(REPLAYED) for answer in done].count(None) == 1
    assert holder.made() == [done[0].json()["id"]]


def test_a_replay_is_the_first_answer_and_says_that_it_is_one(holder: KeyHolder) -> None:
    first, again = holder.create("k"), holder.create("k")
    assert (first.status_code, again.status_code) == (201, 201)
    assert first.content == again.content
    assert REPLAYED not in first.headers
    assert again.headers[REPLAYED] == "true"
    for name in ("content-type", "etag"):
        assert first.headers[name] == again.headers[name]
    assert first.headers["x-request-id"] != again.headers["x-request-id"]


def test_another_body_under_the_same_key_is_refused(holder: KeyHolder) -> None:
    first = holder.create("k")
    problem_of(holder.create("k", OTHER_BODY), 422, "idempotency_key_reused")
    assert holder.made() == [first.json()["id"]]


def test_a_refusal_is_replayed(holder: KeyHolder) -> None:
    wrong = b'{"name":"x","timezone":"Mars/Olympus"}'
    first, again = holder.create("k", wrong), holder.create("k", wrong)
    problem_of(again, 422, "invalid")
    assert first.content == again.content
    assert (first.headers.get(REPLAYED), again.headers.get(REPLAYED)) == (None, "true")


def test_malformed_json_is_replayed_too(holder: KeyHolder) -> None:
    first, again = holder.create("k", b"{"), holder.create("k", b"{")
    problem_of(again, 400, "malformed_json")
    assert first.content == again.content
    problem_of(holder.create("k"), 422, "idempotency_key_reused")


def test_a_request_that_still_runs_is_409_with_a_time_to_ask_again(holder: KeyHolder) -> None:
    holder.leave_claim("k", IDEMPOTENCY_KEY_LEASE)
    answer = holder.create("k")
    assert problem_of(answer, 409, "idempotency_key_in_use")["retryAfter"] == int(answer.headers["retry-after"])
    assert holder.made() == []


def test_after_a_crash_the_time_that_is_left_is_sent(own_holder: KeyHolder) -> None:
    """A client that keeps to it asks again once, and not sixty times."""
    clock = own_holder.owner.running.clock
    clock.stop()
    own_holder.leave_claim("k", IDEMPOTENCY_KEY_LEASE)
    for passed, left in ((0, 60), (17.5, 43), (59.9, 1)):
        clock.offset = timedelta(seconds=passed)
        refused = problem_of(own_holder.create("k"), 409, "idempotency_key_in_use")
        assert refused["retryAfter"] == left
    clock.offset = IDEMPOTENCY_KEY_LEASE
    assert own_holder.create("k").status_code == 201


@pytest.mark.one_engine
def test_a_request_that_this_process_is_answering_ends_soon(own_holder: KeyHolder) -> None:
    """Its lease is not what decides then."""
    answers = run_simultaneously(20, lambda _: own_holder.create("k"))
    waits = [answer.json()["retryAfter"] for answer in answers if answer.status_code == 409]
    assert set(waits) <= {1}


def test_a_crash_between_claim_and_effect_does_not_lock_the_key(holder: KeyHolder) -> None:
    holder.leave_claim("k", -SECOND)
    answer = holder.create("k")
    assert answer.status_code == 201
    assert REPLAYED not in answer.headers
    assert holder.create("k").headers[REPLAYED] == "true"
    assert holder.made() == [answer.json()["id"]]


def test_a_slow_request_that_lost_its_lease_cannot_commit_its_effect(own_holder: KeyHolder) -> None:
    running = own_holder.owner.running
    slow = own_holder.claim("k")
    running.write(_claim_key, slow)
    running.clock.offset = IDEMPOTENCY_KEY_LEASE + SECOND
    fast = own_holder.create("k")
    assert fast.status_code == 201

    async def finish() -> Any:
        work = UnitOfWork(running.service.db, own_holder.caller, slow)
        return await work.write(ProfileService().create, own_holder.caller, NewProfile(name="Twin"))

    with pytest.raises(IdempotencyKeyInUse):
        running.run(finish())
    assert own_holder.made() == [fast.json()["id"]]
    assert own_holder.create("k").content == fast.content


def test_a_slow_request_that_lost_its_lease_to_one_that_still_runs_cannot_commit_either(own_holder: KeyHolder) -> None:
    running = own_holder.owner.running
    slow, fast = own_holder.claim("k"), own_holder.claim("k")
    running.write(_claim_key, slow)
    running.clock.offset = IDEMPOTENCY_KEY_LEASE + SECOND
    running.write(_claim_key, fast)
    with pytest.raises(IdempotencyKeyInUse):
        running.write(slow.record_error, 404, b"{}")
    running.write(slow.release)
    problem_of(own_holder.create("k"), 409, "idempotency_key_in_use")


@pytest.mark.one_engine
def test_a_refusal_for_the_rate_is_not_kept(start_service: StartService) -> None:
    with start_service(rate_limit=1) as running:
        running.clock.stop()
        holder = KeyHolder(running_owner_with_rate(running))
        assert holder.create("other").status_code == 201
        problem_of(holder.create("k"), 429, "rate_limited")
        running.clock.offset += timedelta(minutes=1)
        answer = holder.create("k")
        assert answer.status_code == 201
        assert REPLAYED not in answer.headers


def running_owner_with_rate(running: RunningService) -> OwnerFixture:
    """Make an owner where each credential has one request a minute: every step takes a minute of its own."""
    running.clock.offset += timedelta(minutes=1)
    owner = running.new_owner()
    running.clock.offset += timedelta(minutes=1)
    return owner


def test_a_refusal_for_the_rate_that_the_route_itself_gives_is_not_kept_either(own_holder: KeyHolder) -> None:
    clock = own_holder.owner.running.clock
    clock.stop()
    path = f"/hooks/{get_or_create_id(own_holder.owner, 'hookId')}/test"

    def ping(key: str) -> httpx.Response:
        return own_holder.client.post(path, headers={"Idempotency-Key": key})

    assert ping("first").status_code == 202
    refused = ping("second")
    problem_of(refused, 429)
    clock.offset += timedelta(seconds=int(refused.headers["retry-after"]))
    answer = ping("second")
    assert answer.status_code == 202
    assert REPLAYED not in answer.headers


def test_a_fault_of_ours_is_not_kept(own_holder: KeyHolder) -> None:
    running = own_holder.owner.running
    run_sql(running, "ALTER TABLE profiles RENAME TO hidden")
    problem_of(own_holder.create("k"), 500, "internal_error")
    run_sql(running, "ALTER TABLE hidden RENAME TO profiles")
    answer = own_holder.create("k")
    assert answer.status_code == 201
    assert REPLAYED not in answer.headers


@pytest.mark.one_engine
def test_a_new_api_key_is_shown_once_and_stored_nowhere(owner: OwnerFixture) -> None:
    def create_key() -> dict[str, Any]:
        answer = owner.session.post("/api-keys", json={"name": "n", "scope": "all"}, headers={"Idempotency-Key": "k"})
        assert answer.status_code == 201
        result: dict[str, Any] = answer.json()
        return result

    first, again = create_key(), create_key()
    value = first.pop("key")
    assert "secretWithheld" not in first
    assert again == {**first, "secretWithheld": True}
    assert owner.running.client(value).get("/profiles").status_code == 200
    stored = dump(owner.running)
    assert first["id"] in stored
    assert not any(form in stored for form in list_plain_forms(value))


@pytest.mark.one_engine
def test_a_key_is_remembered_for_24_hours(own_holder: KeyHolder) -> None:
    clock = own_holder.owner.running.clock
    clock.stop()
    first = own_holder.create("k")
    clock.offset += IDEMPOTENCY_KEY_RETENTION - SECOND
    assert own_holder.create("k").content == first.content
    clock.offset += SECOND
    later = own_holder.create("k", OTHER_BODY)
    assert later.status_code == 201
    assert REPLAYED not in later.headers
    assert own_holder.made() == [later.json()["id"], first.json()["id"]]


@pytest.mark.one_engine
def test_only_what_has_expired_is_swept_away(own_holder: KeyHolder) -> None:
    running = own_holder.owner.running
    running.clock.stop()
    own_holder.create("old")
    running.clock.offset += timedelta(hours=1)
    young = own_holder.create("young")
    running.clock.offset += IDEMPOTENCY_KEY_RETENTION - timedelta(minutes=30)
    # The worker may have done it already.
    running.write(purge_idempotency_keys, running.clock.now())
    of_owner = idempotency_keys.c.owner_id == own_holder.owner.id
    assert len(rows(running, idempotency_keys.select().where(of_owner))) == 1
    assert own_holder.create("young").content == young.content


def test_a_key_belongs_to_its_credential(owner: OwnerFixture) -> None:
    first, second = KeyHolder(owner), KeyHolder(owner)
    answers = [first.create("k"), second.create("k", OTHER_BODY)]
    assert [answer.status_code for answer in answers] == [201, 201]
    assert not any(REPLAYED in answer.headers for answer in answers)


def test_a_key_belongs_to_its_route(owner: OwnerFixture) -> None:
    headers = {"Idempotency-Key": "k"}
    body = {"name": "same"}
    profile = owner.session.post("/profiles", json=body, headers=headers)
    key = owner.session.post("/api-keys", json={**body, "scope": "all"}, headers=headers)
    assert (profile.status_code, key.status_code) == (201, 201)


@pytest.mark.parametrize("key", ["", "two words", "k" * 256, "\u00fc", "tab\there"])
@pytest.mark.one_engine
def test_a_key_that_is_no_key_is_400(holder: KeyHolder, key: str) -> None:
    headers = {b"Idempotency-Key": key.encode("latin-1")}
    problem_of(holder.client.post("/profiles", json={"name": "x"}, headers=headers), 400, "malformed_request")
    assert holder.made() == []


@pytest.mark.one_engine
def test_two_keys_at_once_are_400(holder: KeyHolder) -> None:
    headers = [("Idempotency-Key", "a"), ("Idempotency-Key", "b")]
    problem_of(holder.client.post("/profiles", json={"name": "x"}, headers=headers), 400, "malformed_request")


@pytest.mark.parametrize("key", ["k", "k" * 255, "!~", "{}[]<>'\"`\\;--"])
@pytest.mark.one_engine
def test_any_visible_characters_make_a_key(holder: KeyHolder, key: str) -> None:
    assert [holder.create(key).headers.get(REPLAYED) for _ in range(2)] == [None, "true"]


@pytest.mark.one_engine
def test_signing_in_and_up_takes_no_key(service: RunningService, owner: OwnerFixture) -> None:
    headers = {"Idempotency-Key": "k"}
    credentials = {"email": owner.email, "password": PASSWORD}
    problem_of(service.client().post("/auth/register", json=credentials, headers=headers), 409, "email_taken")
    opened = [service.client().post("/auth/login", json=credentials, headers=headers) for _ in range(2)]
    assert len({answer.json()["token"] for answer in opened}) == 2
    assert not any(REPLAYED in answer.headers for answer in opened)


@pytest.mark.one_engine
def test_a_change_takes_no_key(owner: OwnerFixture) -> None:
    path, headers = f"/profiles/{owner.profile_id}", {"Idempotency-Key": "k"}
    answers = [owner.session.patch(path, json={"name": "x"}, headers=headers) for _ in range(2)]
    assert not any(REPLAYED in answer.headers for answer in answers)
    assert answers[0].headers["etag"] != answers[1].headers["etag"]
