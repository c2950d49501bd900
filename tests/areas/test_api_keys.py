import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

import httpx
import pytest

from socialgate.areas.identity.tokens import generate_api_key, generate_session_token, is_api_key
from support.problems import fault_of, problem_of
from support.service import OwnerFixture, StartService

FIELDS = {
    "id",
    "name",
    "preview",
    "scope",
    "profileIds",
    "permission",
    "expiresAt",
    "lastUsedAt",
    "createdAt",
    "updatedAt",
}
SECOND = timedelta(seconds=1)


class Key:
    """An API key that was just made: what was shown of it, and a client that uses it."""

    def __init__(self, owner: OwnerFixture, **fields: Any) -> None:
        response = create(owner, **fields)
        assert response.status_code == 201, response.text
        self.shown: dict[str, Any] = response.json()
        self.value: str = self.shown.pop("key")
        self.id: str = self.shown["id"]
        self.client = owner.running.client(self.value)
        self._session = owner.session

    def change(self, **fields: Any) -> httpx.Response:
        return self._session.patch(f"/api-keys/{self.id}", json=fields)

    def revoke(self) -> httpx.Response:
        return self._session.delete(f"/api-keys/{self.id}")


def create(owner: OwnerFixture, **fields: Any) -> httpx.Response:
    return owner.session.post("/api-keys", json={"name": "a key", "scope": "all", **fields})


@pytest.fixture
def key(lasting_owner: OwnerFixture) -> Key:
    return Key(lasting_owner)


@pytest.fixture
def own_owner(start_service: StartService) -> Iterator[OwnerFixture]:
    """An owner on a service whose clock may be moved."""
    with start_service() as running:
        running.clock.stop()
        yield running.new_owner()


def test_a_key_has_the_form_that_scanners_look_for(key: Key) -> None:
    assert re.fullmatch(r"sg_test_[0-9A-Za-z]{40}", key.value)
    assert is_api_key(key.value)


def test_where_platforms_are_real_keys_are_live(start_service: StartService) -> None:
    with start_service(sandbox=False) as running:
        key = Key(running.new_owner())
        assert re.fullmatch(r"sg_live_[0-9A-Za-z]{40}", key.value)
        assert key.client.get("/profiles").status_code == 200


@pytest.mark.parametrize("test", [True, False])
def test_a_key_with_one_letter_changed_is_told_by_its_checksum(test: bool) -> None:
    value = generate_api_key(test=test)
    for place in range(8, len(value)):
        wrong = "0" if value[place] != "0" else "1"
        assert not is_api_key(value[:place] + wrong + value[place + 1 :])
    assert not is_api_key(value.replace("sg_test_", "sg_live_") if test else value.replace("sg_live_", "sg_test_"))


def test_the_value_is_shown_once(lasting_owner: OwnerFixture, key: Key) -> None:
    assert key.shown.keys() == FIELDS
    shown = [
        lasting_owner.session.get("/api-keys").text,
        key.client.get("/auth/me").text,
        key.change(name="new").text,
        key.revoke().text,
    ]
    assert not any(key.value in text for text in shown)


def test_the_preview_is_enough_to_recognise_a_key_and_no_more(key: Key) -> None:
    start, end = key.shown["preview"].split("…")
    assert key.value.startswith(start)
    assert key.value.endswith(end)
    assert len(start.removeprefix("sg_test_") + end) <= 8


def test_a_key_is_for_all_profiles_and_may_write_unless_told_otherwise(key: Key) -> None:
    assert key.shown == {
        **key.shown,
        "name": "a key",
        "scope": "all",
        "profileIds": [],
        "permission": "read-write",
        "expiresAt": None,
        "lastUsedAt": None,
    }


def test_a_key_for_all_profiles_covers_those_made_later(owner: OwnerFixture) -> None:
    key = Key(owner)
    later = owner.new_profile()
    assert key.client.patch(f"/profiles/{later}", json={"name": "x"}).status_code == 200


def test_a_limited_key_names_its_profiles_each_once(owner: OwnerFixture) -> None:
    first, second = owner.profile_id, owner.new_profile()
    key = Key(owner, scope="profiles", profileIds=[second, first, second])
    assert key.shown["scope"] == "profiles"
    assert key.shown["profileIds"] == sorted([first, second])


def test_a_limited_key_needs_profiles_of_the_owner(owner: OwnerFixture, other_owner: OwnerFixture) -> None:
    for profile_ids in ([other_owner.profile_id], ["prf_01h455vb4pex5vsknk084sn02q"], [owner.profile_id, "nonsense"]):
        answer = create(owner, scope="profiles", profileIds=profile_ids)
        assert fault_of(answer) == ("/profileIds", "not_found")
    assert fault_of(create(owner, scope="profiles", profileIds=[])) == ("/profileIds", "invalid")
    assert fault_of(create(owner, scope="profiles")) == ("/profileIds", "required")


def test_a_key_for_all_profiles_names_none(owner: OwnerFixture) -> None:
    answer = create(owner, scope="all", profileIds=[owner.profile_id])
    assert fault_of(answer) == ("/profileIds", "contradiction")


@pytest.mark.parametrize(
    ("fields", "place"),
    [
        ({"name": ""}, "/name"),
        ({"name": "x" * 101}, "/name"),
        ({"scope": "some"}, "/scope"),
        ({"scope": None}, "/scope"),
        ({"permission": "write"}, "/permission"),
        ({"expiresAt": "2999-01-01"}, "/expiresAt"),
        ({"expiresAt": "2999-01-01T00:00:00"}, "/expiresAt"),
        ({"expiresAt": 32503680000}, "/expiresAt"),
        ({"expiresAt": "2020-01-01T00:00:00Z"}, "/expiresAt"),
        ({"expiresAt": "9999-12-31T23:59:59-23:59"}, "/expiresAt"),
        ({"expiresAt": "0001-01-01T00:00:00+23:59"}, "/expiresAt"),
        ({"key": "sg_test_mine"}, "/key"),
    ],
)
def test_a_key_against_the_rules_is_refused(lasting_owner: OwnerFixture, fields: dict[str, Any], place: str) -> None:
    assert fault_of(create(lasting_owner, **fields))[0] == place


def test_a_key_that_is_rejected_says_why(own_owner: OwnerFixture) -> None:
    running = own_owner.running

    def why(token: str) -> str:
        answer = running.client(token).get("/auth/me")
        return str(problem_of(answer, 401, "unauthenticated")["detail"])

    end = running.clock.now().replace(microsecond=0) + timedelta(hours=1)
    expiring, revoked = Key(own_owner, expiresAt=end.isoformat()), Key(own_owner)
    assert revoked.revoke().status_code == 200
    assert re.match(
        r"The API key was revoked at \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\. Create a new one\.", why(revoked.value)
    )
    running.advance_time(timedelta(hours=1))
    assert why(expiring.value).startswith(f"The API key expired at {end:%Y-%m-%dT%H:%M:%SZ}.")
    # A key of another deployment, one that was not copied completely, and something else.
    assert why(generate_api_key(test=True)).startswith("There is no such API key here.")
    assert why(expiring.value[:-1]).startswith("This is not a complete API key")
    assert why("hunter2").startswith("This is neither an API key nor a session token.")
    assert why(generate_session_token()).startswith("The session is unknown, or has ended.")
    signed_in = running.new_owner()
    running.advance_time(timedelta(days=15))
    assert why(signed_in.session_token).startswith("The session expired at ")


def test_a_key_stops_when_it_expires(own_owner: OwnerFixture) -> None:
    clock = own_owner.running.clock
    end = clock.now() + timedelta(days=1)
    just_in_time, too_late = Key(own_owner, expiresAt=end.isoformat()), Key(own_owner, expiresAt=end.isoformat())
    assert datetime.fromisoformat(just_in_time.shown["expiresAt"]) == end
    clock.offset += timedelta(days=1) - SECOND
    assert just_in_time.client.get("/profiles").status_code == 200
    clock.offset += SECOND
    problem_of(too_late.client.get("/profiles"), 401, "unauthenticated")
    later = (clock.now() + SECOND).isoformat()
    assert too_late.change(expiresAt=later).status_code == 200
    assert too_late.client.get("/profiles").status_code == 200


def test_times_are_shown_in_utc(lasting_owner: OwnerFixture) -> None:
    key = Key(lasting_owner, expiresAt="2999-01-01T00:30:00+05:30")
    assert key.shown["expiresAt"] == "2998-12-31T19:00:00Z"
    assert key.shown["createdAt"].endswith("Z")


def test_it_is_shown_when_a_key_was_last_used(own_owner: OwnerFixture) -> None:
    key = Key(own_owner)
    own_owner.running.clock.offset += timedelta(hours=1)
    key.client.get("/profiles")
    (shown,) = own_owner.session.get("/api-keys").json()["data"]
    assert datetime.fromisoformat(shown["lastUsedAt"]) == own_owner.running.clock.now()
    assert shown["updatedAt"] == key.shown["updatedAt"]


def test_keys_are_listed_newest_first_and_only_the_owners(owner: OwnerFixture, other_owner: OwnerFixture) -> None:
    Key(other_owner)
    created = [Key(owner).id for _ in range(3)]
    listed = owner.session.get("/api-keys").json()
    assert [row["id"] for row in listed["data"]] == created[::-1]
    assert all(row.keys() == FIELDS for row in listed["data"])


def test_a_key_tells_about_itself(lasting_owner: OwnerFixture, key: Key) -> None:
    me = key.client.get("/auth/me").json()
    assert (me["owner"]["id"], me["user"], me["key"]["id"]) == (lasting_owner.id, None, key.id)


def test_a_change_touches_only_what_it_names(lasting_owner: OwnerFixture) -> None:
    key = Key(lasting_owner, expiresAt="2999-01-01T00:00:00Z")
    changed = key.change(name="another").json()
    assert changed == {**key.shown, "name": "another", "updatedAt": changed["updatedAt"]}
    assert changed["updatedAt"] > key.shown["updatedAt"]
    assert key.change(expiresAt=None).json()["expiresAt"] is None


def test_a_key_made_to_read_only_stops_writing_at_once(lasting_owner: OwnerFixture) -> None:
    key = Key(lasting_owner, scope="profiles", profileIds=[lasting_owner.profile_id])
    path = f"/profiles/{lasting_owner.profile_id}"
    assert key.client.patch(path, json={"name": "x"}).status_code == 200
    assert key.change(permission="read").json()["permission"] == "read"
    problem_of(key.client.patch(path, json={"name": "y"}), 403, "read_only_key")
    assert key.client.get("/profiles").status_code == 200
    key.change(permission="read-write")
    assert key.client.patch(path, json={"name": "z"}).status_code == 200


def test_other_profiles_hold_at_once(owner: OwnerFixture) -> None:
    second = owner.new_profile()
    key = Key(owner, scope="profiles", profileIds=[owner.profile_id])
    assert [row["id"] for row in key.client.get("/profiles").json()["data"]] == [owner.profile_id]
    assert key.change(profileIds=[second, second]).json()["profileIds"] == [second]
    assert [row["id"] for row in key.client.get("/profiles").json()["data"]] == [second]
    problem_of(key.client.patch(f"/profiles/{owner.profile_id}", json={"name": "x"}), 403, "out_of_scope")


def test_an_expiry_set_later_is_in_the_future(key: Key) -> None:
    assert fault_of(key.change(expiresAt="2020-01-01T00:00:00Z")) == ("/expiresAt", "in_the_past")
    assert fault_of(key.change(expiresAt="9999-12-31T23:59:59-23:59")) == ("/expiresAt", "too_late")


def test_the_scope_stays_for_life(lasting_owner: OwnerFixture, key: Key) -> None:
    assert fault_of(key.change(scope="profiles")) == ("/scope", "unknown_field")
    assert fault_of(key.change(profileIds=[lasting_owner.profile_id])) == ("/profileIds", "contradiction")
    limited = Key(lasting_owner, scope="profiles", profileIds=[lasting_owner.profile_id])
    assert fault_of(limited.change(profileIds=[])) == ("/profileIds", "invalid")
    assert fault_of(limited.change(profileIds=None))[0] == "/profileIds"
    assert fault_of(limited.change(profileIds=["nonsense"])) == ("/profileIds", "not_found")


def test_a_revoked_key_stops_at_once_and_is_gone(lasting_owner: OwnerFixture, key: Key) -> None:
    assert key.client.get("/profiles").status_code == 200
    answer = key.revoke()
    assert answer.status_code == 200
    assert answer.json() == {**answer.json(), "id": key.id, "deleted": True}
    problem_of(key.client.get("/profiles"), 401, "unauthenticated")
    problem_of(key.revoke(), 404, "not_found")
    problem_of(key.change(name="x"), 404, "not_found")
    listed = lasting_owner.session.get("/api-keys", params={"limit": 200}).json()["data"]
    assert key.id not in {row["id"] for row in listed}


def test_revoking_one_key_leaves_the_others(lasting_owner: OwnerFixture, key: Key) -> None:
    other = Key(lasting_owner)
    key.revoke()
    assert other.client.get("/profiles").status_code == 200


def test_a_key_cannot_look_after_keys(lasting_owner: OwnerFixture, key: Key) -> None:
    answers = [
        key.client.post("/api-keys", json={"name": "x", "scope": "all"}),
        key.client.get("/api-keys"),
        key.client.patch(f"/api-keys/{key.id}", json={"permission": "read-write"}),
        key.client.delete(f"/api-keys/{key.id}"),
    ]
    for answer in answers:
        problem_of(answer, 403, "session_required")
    assert lasting_owner.session.get("/api-keys").status_code == 200
