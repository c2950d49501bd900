from collections.abc import Iterator
from datetime import datetime, timedelta
from http.cookies import SimpleCookie
from typing import Any
from uuid import uuid4

import httpx
import pytest

from socialgate.areas.identity.authentication import SESSION_IDLE_TIMEOUT
from socialgate.areas.identity.service import SESSION_LIFETIME
from socialgate.areas.identity.store import purge_sessions
from support.parallel import run_simultaneously
from support.problems import fault_of, problem_of
from support.service import PASSWORD, OwnerFixture, RunningService, StartService

SECOND, DAY = timedelta(seconds=1), timedelta(days=1)
EVERYWHERE = "0.0.0.0"  # noqa: S104 - a deployment beyond loopback, reached over loopback for the time of a test


def new_email() -> str:
    return f"{uuid4().hex}@example.com"


def register(running: RunningService, email: str | None = None, **fields: Any) -> httpx.Response:
    body = {"email": email or new_email(), "password": PASSWORD, **fields}
    return running.client().post("/auth/register", json=body)


def login(running: RunningService, email: str, password: str = PASSWORD, address: str = "127.0.0.1") -> httpx.Response:
    """Sign in from an address, as a proxy on this machine reports it."""
    headers = {"X-Forwarded-For": address}
    return running.client().post("/auth/login", json={"email": email, "password": password}, headers=headers)


def new_session(owner: OwnerFixture) -> httpx.Client:
    """Sign in anew. What is remembered of a session for half a second does not concern one never used."""
    answer = login(owner.running, owner.email)
    assert answer.status_code == 200
    return owner.running.client(answer.json()["token"])


def works(session: httpx.Client) -> bool:
    answer = session.get("/auth/me")
    assert answer.status_code in {200, 401}
    return answer.status_code == 200


def forget(owner: OwnerFixture) -> None:
    """Make the service look up every credential of the owner anew, as half a second would."""
    session = new_session(owner)
    created = session.post("/api-keys", json={"name": "x", "scope": "all"}).json()
    assert session.delete(f"/api-keys/{created['id']}").status_code == 200


@pytest.fixture
def own_owner(start_service: StartService) -> Iterator[OwnerFixture]:
    """An owner on a service whose clock may be moved."""
    with start_service() as running:
        running.clock.stop()
        yield running.new_owner()


def test_registering_makes_an_owner_a_user_and_a_session(service: RunningService) -> None:
    email = new_email()
    answer = register(service, email, name="Ana")
    assert answer.status_code == 201
    opened = answer.json()
    assert opened.keys() == {"token", "expiresAt", "user", "owner"}
    assert opened["token"].startswith("ses_")
    assert opened["owner"]["id"].startswith("own_")
    assert opened["owner"]["name"] == "Ana"
    assert opened["user"] == {**opened["user"], "email": email, "name": "Ana"}
    me = service.client(opened["token"]).get("/auth/me").json()
    assert me == {"owner": opened["owner"], "user": opened["user"], "key": None}


def test_a_user_without_a_name_is_called_by_the_e_mail(service: RunningService) -> None:
    email = new_email()
    opened = register(service, email).json()
    assert (opened["owner"]["name"], opened["user"]["name"]) == (email, None)


def test_the_session_comes_as_a_cookie_too(service: RunningService) -> None:
    answer = register(service)
    cookie = SimpleCookie(answer.headers["set-cookie"])["sg_session"]
    assert cookie.value == answer.json()["token"]
    assert cookie["httponly"]
    assert cookie["samesite"].lower() == "lax"
    assert cookie["path"] == "/"
    assert int(cookie["max-age"]) == SESSION_LIFETIME.total_seconds()
    assert not cookie["secure"]


def test_the_cookie_is_for_https_where_the_service_is(start_service: StartService) -> None:
    with start_service(base_url="https://gate.example.com") as running:
        assert SimpleCookie(register(running).headers["set-cookie"])["sg_session"]["secure"]


@pytest.mark.parametrize(
    "email", ["ana", "@example.com", "ana@", "a b@example.com", "a@b@c", "a@b\n", "\na@b", "a@b\t", f"{'a' * 65}@b"]
)
def test_what_is_no_e_mail_is_refused(service: RunningService, email: str) -> None:
    assert fault_of(register(service, email))[0] == "/email"


def test_an_e_mail_that_grows_too_long_in_lower_case_is_refused(service: RunningService) -> None:
    """The letter has two in lower case, and the column holds 254."""
    assert fault_of(register(service, "İ" * 60 + "@" + "İ" * 180)) == ("/email", "too_long")


@pytest.mark.parametrize("password", ["", "short", "x" * 9, "x" * 201])
def test_a_password_has_10_to_200_characters(service: RunningService, password: str) -> None:
    assert fault_of(register(service, password=password))[0] == "/password"


def test_a_taken_e_mail_is_409_in_any_case_and_form(service: RunningService) -> None:
    local = f"Rene\u0301{uuid4().hex}"
    assert register(service, f"{local}@Example.com").status_code == 201
    for twin in (f"{local}@Example.com", f"{local}@example.com".upper(), f"René{local[5:]}@example.com"):
        problem_of(register(service, twin), 409, "email_taken")


def test_one_e_mail_registered_at_once_makes_one_owner(service: RunningService) -> None:
    email = new_email()
    statuses = sorted(answer.status_code for answer in run_simultaneously(8, lambda _: register(service, email)))
    assert statuses == [201] + [409] * 7


def test_signing_in_takes_the_e_mail_in_any_case(owner: OwnerFixture) -> None:
    assert login(owner.running, owner.email.upper()).json()["owner"]["id"] == owner.id


def test_a_wrong_password_and_an_unknown_e_mail_cannot_be_told_apart(owner: OwnerFixture) -> None:
    problems = [
        problem_of(login(owner.running, email, password), 401, "login_failed")
        for email, password in ((owner.email, "not the password"), (new_email(), PASSWORD))
    ]
    assert problems[0]["detail"] == problems[1]["detail"]


@pytest.mark.parametrize("password", [PASSWORD.upper(), PASSWORD + " ", " " + PASSWORD, "", PASSWORD[:-1]])
def test_only_the_exact_password_opens(lasting_owner: OwnerFixture, password: str) -> None:
    problem_of(login(lasting_owner.running, lasting_owner.email, password), 401, "login_failed")


def test_sessions_are_apart(owner: OwnerFixture) -> None:
    first, second = new_session(owner), new_session(owner)
    assert first.post("/auth/logout").status_code == 204
    assert not works(first)
    assert works(second)
    assert works(owner.session)


def test_signing_out_clears_the_cookie(owner: OwnerFixture) -> None:
    headers = {"Cookie": f"sg_session={owner.session_token}", "Sec-Fetch-Site": "same-origin"}
    answer = owner.running.client().post("/auth/logout", headers=headers)
    assert answer.status_code == 204
    assert answer.content == b""
    cookie = SimpleCookie(answer.headers["set-cookie"])["sg_session"]
    assert (cookie.value, cookie["max-age"], cookie["path"]) == ("", "0", "/")


@pytest.mark.both_engines
def test_a_new_password_ends_the_other_sessions_and_not_its_own(owner: OwnerFixture) -> None:
    others = [new_session(owner) for _ in range(2)]
    assert all(works(session) for session in others)
    change = {"currentPassword": PASSWORD, "newPassword": "another long password"}
    answer = owner.session.post("/auth/password", json=change)
    assert (answer.status_code, answer.content) == (204, b"")
    assert works(owner.session)
    assert not any(works(session) for session in others)
    problem_of(login(owner.running, owner.email), 401, "login_failed")
    assert login(owner.running, owner.email, "another long password").status_code == 200


def test_a_new_password_leaves_the_api_keys_and_other_owners_alone(
    owner: OwnerFixture, other_owner: OwnerFixture
) -> None:
    key = owner.key()
    owner.session.post("/auth/password", json={"currentPassword": PASSWORD, "newPassword": "another long password"})
    assert key.get("/auth/me").status_code == 200
    assert works(other_owner.session)


def test_a_new_password_needs_the_old_one(owner: OwnerFixture) -> None:
    other = new_session(owner)
    for change, place in (
        ({"currentPassword": "not the password", "newPassword": "another long password"}, "/currentPassword"),
        ({"currentPassword": PASSWORD, "newPassword": "short"}, "/newPassword"),
        ({"newPassword": "another long password"}, "/currentPassword"),
    ):
        assert fault_of(owner.session.post("/auth/password", json=change))[0] == place
    assert works(other)
    assert login(owner.running, owner.email).status_code == 200


def test_a_session_says_when_it_ends(own_owner: OwnerFixture) -> None:
    opened = login(own_owner.running, own_owner.email).json()
    assert datetime.fromisoformat(opened["expiresAt"]) == own_owner.running.clock.now() + SESSION_LIFETIME


def test_a_session_idles_out_after_14_days(own_owner: OwnerFixture) -> None:
    assert SESSION_IDLE_TIMEOUT == 14 * DAY
    just_in_time, too_late = new_session(own_owner), new_session(own_owner)
    own_owner.running.clock.offset += SESSION_IDLE_TIMEOUT - SECOND
    assert works(just_in_time)
    own_owner.running.clock.offset += SECOND
    assert not works(too_late)


def test_a_session_in_use_does_not_idle_out_but_ends_after_90_days(own_owner: OwnerFixture) -> None:
    assert SESSION_LIFETIME == 90 * DAY
    clock = own_owner.running.clock
    session = new_session(own_owner)
    for _ in range(6):
        clock.offset += SESSION_IDLE_TIMEOUT - DAY
        forget(own_owner)
        assert works(session)
    clock.offset = SESSION_LIFETIME - SECOND
    forget(own_owner)
    assert works(session)
    clock.offset = SESSION_LIFETIME
    forget(own_owner)
    assert not works(session)


def test_only_sessions_that_have_ended_are_swept_away(own_owner: OwnerFixture) -> None:
    running = own_owner.running
    running.clock.offset += DAY
    young = new_session(own_owner)
    assert running.write(purge_sessions, running.clock.now() + SESSION_LIFETIME - SECOND) == 1
    assert works(young)
    forget(own_owner)
    assert not works(own_owner.session)


def test_a_deployment_can_be_closed(start_service: StartService) -> None:
    with start_service(signup="closed") as running:
        problem_of(register(running), 403, "signup_closed")


def test_a_deployment_beyond_loopback_can_be_open(start_service: StartService) -> None:
    with start_service(host=EVERYWHERE, signup="open") as running:
        assert [register(running).status_code for _ in range(2)] == [201, 201]


@pytest.mark.parametrize("exposed", [{"host": EVERYWHERE}, {"base_url": "https://gate.example.com"}])
def test_beyond_loopback_the_first_owner_shuts_the_door(start_service: StartService, exposed: dict[str, str]) -> None:
    with start_service(**exposed) as running:
        email = new_email()
        assert register(running, email).status_code == 201
        problem_of(register(running), 403, "signup_closed")
        problem_of(register(running, email), 403, "signup_closed")
        assert login(running, email).status_code == 200


def test_of_many_first_owners_at_once_one_comes_in(start_service: StartService) -> None:
    with start_service(host=EVERYWHERE) as running:
        answers = run_simultaneously(10, lambda _: register(running))
        assert sorted(answer.status_code for answer in answers) == [201] + [403] * 9
        assert {answer.json()["code"] for answer in answers if answer.status_code == 403} == {"signup_closed"}


@pytest.fixture(scope="module")
def wary(start_service: StartService) -> Iterator[RunningService]:
    """A service that takes three tries to sign in per e-mail, and nine per address."""
    with start_service(login_limit=3, trusted_proxies="127.0.0.1") as running:
        running.clock.stop()
        yield running


def address(number: int) -> str:
    return f"203.0.113.{number}"


def test_guessing_a_password_is_slowed_down_per_e_mail(wary: RunningService) -> None:
    email = new_email()
    assert register(wary, email).status_code == 201
    tries = [login(wary, email, "a wrong guess", address(number)) for number in range(3)]
    assert [answer.status_code for answer in tries] == [401, 401, 429]
    answer = login(wary, email, PASSWORD, address(4))
    assert problem_of(answer, 429, "rate_limited")["retryAfter"] <= 900
    wary.clock.offset += timedelta(seconds=int(answer.headers["retry-after"]))
    assert login(wary, email, PASSWORD, address(5)).status_code == 200


def test_other_spellings_of_an_e_mail_are_no_other_e_mail(wary: RunningService) -> None:
    name = uuid4().hex
    spellings = [f"{first}{name}@example.com" for first in ("e\u0301", "\u00e9", "E\u0301", "\u00c9")]
    tries = [login(wary, email, PASSWORD, address(10 + number)) for number, email in enumerate(spellings)]
    assert [answer.status_code for answer in tries] == [401, 401, 401, 429]


def test_guessing_is_slowed_down_per_address(wary: RunningService) -> None:
    tries = [login(wary, new_email(), address=address(20)).status_code for _ in range(10)]
    assert tries == [401] * 9 + [429]
    assert login(wary, new_email(), address=address(21)).status_code == 401


def test_a_network_of_ipv6_counts_as_one_address(wary: RunningService) -> None:
    tries = [login(wary, new_email(), address=f"2001:db8::{number:x}").status_code for number in range(10)]
    assert tries == [401] * 9 + [429]
    assert login(wary, new_email(), address="2001:db8:0:1::1").status_code == 401


def test_registering_is_slowed_down_as_signing_in_is(wary: RunningService) -> None:
    headers = {"X-Forwarded-For": address(30)}

    def attempt(_: int) -> int:
        body = {"email": new_email(), "password": PASSWORD}
        return wary.client().post("/auth/register", json=body, headers=headers).status_code

    assert sorted(run_simultaneously(12, attempt)) == [201] * 9 + [429] * 3


def test_guessing_at_once_gets_no_more_tries(wary: RunningService) -> None:
    email = new_email()
    answers = run_simultaneously(9, lambda number: login(wary, email, "a wrong guess", address(40 + number)))
    assert sorted(answer.status_code for answer in answers) == [401] * 3 + [429] * 6


def test_guessing_the_password_of_an_open_session_is_slowed_down(wary: RunningService) -> None:
    opened = wary.client().post(
        "/auth/register", json={"email": new_email(), "password": PASSWORD}, headers={"X-Forwarded-For": address(60)}
    )
    session = wary.client(opened.json()["token"])
    guess = {"currentPassword": "a wrong guess", "newPassword": "another long password"}
    tries = [session.post("/auth/password", json=guess).status_code for _ in range(4)]
    assert tries == [422] * 3 + [429]
