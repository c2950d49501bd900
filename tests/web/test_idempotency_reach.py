"""What is stored under an `Idempotency-Key` stays within what its API key may see now."""

from collections.abc import Callable

import httpx
import pytest

from support.problems import problem_of
from support.service import OwnerFixture

pytestmark = pytest.mark.both_engines

REPLAYED = "idempotent-replayed"
HOOK = {"url": "https://hooks.example.com/in", "events": ["post.published"]}

Ask = Callable[[httpx.Client, str, str], httpx.Response]


class Limited:
    """A key for two profiles, of which one is taken from it."""

    def __init__(self, owner: OwnerFixture) -> None:
        self.owner = owner
        self.kept, self.lost = owner.profile_id, owner.new_profile()
        fields = {"name": "limited", "scope": "profiles", "profileIds": [self.kept, self.lost]}
        created = owner.session.post("/api-keys", json=fields).json()
        self.id: str = created["id"]
        self.client = owner.running.client(created["key"])

    def change(self, **fields: object) -> None:
        changed = self.owner.session.patch(f"/api-keys/{self.id}", json=fields)
        assert changed.status_code == 200, changed.text

    def narrow(self) -> None:
        self.change(profileIds=[self.kept])


@pytest.fixture
def limited(owner: OwnerFixture) -> Limited:
    return Limited(owner)


def draft(client: httpx.Client, profile_id: str, key: str) -> httpx.Response:
    body = {"profileId": profile_id, "content": "secret plans", "draft": True}
    return client.post("/posts", json=body, headers={"Idempotency-Key": key})


def slot(client: httpx.Client, profile_id: str, key: str) -> httpx.Response:
    body = {"profileId": profile_id, "weekday": "monday", "time": "09:00"}
    return client.post("/queue/slots", json=body, headers={"Idempotency-Key": key})


def upload(client: httpx.Client, profile_id: str, key: str) -> httpx.Response:
    params = {"profileId": profile_id}
    return client.post("/upload", params=params, content=b"a file", headers={"Idempotency-Key": key})


def refused(client: httpx.Client, profile_id: str, key: str) -> httpx.Response:
    body = {"profileId": profile_id, "content": "to nobody"}
    return client.post("/posts", json=body, headers={"Idempotency-Key": key})


@pytest.mark.one_engine
@pytest.mark.parametrize("ask", [draft, slot, upload, refused])
def test_a_narrowed_key_is_given_again_only_what_it_still_covers(limited: Limited, ask: Ask) -> None:
    inside, outside = ask(limited.client, limited.kept, "in"), ask(limited.client, limited.lost, "out")
    assert inside.status_code == outside.status_code != 403
    assert ask(limited.client, limited.lost, "out").headers[REPLAYED] == "true"
    limited.narrow()
    again = ask(limited.client, limited.kept, "in")
    assert (again.content, again.headers[REPLAYED]) == (inside.content, "true")
    problem_of(ask(limited.client, limited.lost, "out"), 403, "out_of_scope")
    problem_of(ask(limited.client, limited.lost, "new"), 403, "out_of_scope")


def test_what_a_key_is_given_back_it_is_given_again(limited: Limited) -> None:
    first = draft(limited.client, limited.lost, "k")
    limited.narrow()
    problem_of(draft(limited.client, limited.lost, "k"), 403, "out_of_scope")
    limited.change(profileIds=[limited.kept, limited.lost])
    assert draft(limited.client, limited.lost, "k").content == first.content


def test_a_hook_that_lists_a_lost_profile_is_not_shown_again(limited: Limited) -> None:
    def create() -> httpx.Response:
        return limited.client.post("/hooks", json=HOOK, headers={"Idempotency-Key": "k"})

    first = create()
    assert set(first.json()["profileScope"]) == {limited.kept, limited.lost}
    assert create().headers[REPLAYED] == "true"
    limited.narrow()
    problem_of(create(), 403, "out_of_scope")
    assert len(limited.client.get("/hooks").json()["data"]) == 1


def test_what_was_done_to_a_hook_inside_the_reach_is_answered_again(limited: Limited) -> None:
    narrow_key = limited.owner.limited_key(limited.kept)
    hook_id = narrow_key.post("/hooks", json=HOOK).json()["id"]

    def ping() -> httpx.Response:
        return limited.client.post(f"/hooks/{hook_id}/test", headers={"Idempotency-Key": "k"})

    first = ping()
    assert first.status_code == 202
    limited.narrow()
    assert (ping().content, ping().headers[REPLAYED]) == (first.content, "true")


def test_a_file_without_a_named_profile_belongs_to_the_profile_that_the_key_had(owner: OwnerFixture) -> None:
    limited = Limited(owner)
    limited.change(profileIds=[limited.lost])

    def send() -> httpx.Response:
        return limited.client.post("/upload", content=b"a file", headers={"Idempotency-Key": "k"})

    assert send().json()["profileId"] == limited.lost
    limited.narrow()
    problem_of(send(), 403, "out_of_scope")


def test_an_answer_about_no_profile_is_given_again_to_a_narrowed_key(limited: Limited) -> None:
    def mistake() -> httpx.Response:
        return limited.client.post("/posts", json={"nonsense": 1}, headers={"Idempotency-Key": "k"})

    first = mistake()
    problem_of(first, 422, "invalid")
    limited.narrow()
    assert mistake().content == first.content


def test_a_key_that_may_only_read_is_given_nothing_again(limited: Limited) -> None:
    assert draft(limited.client, limited.kept, "k").status_code == 201
    limited.change(permission="read")
    problem_of(draft(limited.client, limited.kept, "k"), 403, "read_only_key")


def test_a_revoked_key_is_given_nothing_again(limited: Limited) -> None:
    assert draft(limited.client, limited.kept, "k").status_code == 201
    assert limited.owner.session.delete(f"/api-keys/{limited.id}").status_code == 200
    problem_of(draft(limited.client, limited.kept, "k"), 401, "unauthenticated")


def test_a_key_for_all_profiles_is_given_everything_again(owner: OwnerFixture) -> None:
    client = owner.key()
    assert draft(client, owner.new_profile(), "k").status_code == 201
    other = owner.new_profile()
    first = draft(client, other, "other")
    assert draft(client, other, "other").content == first.content
