"""Who is let in: the forms of credentials, the proof that a cookie needs, and the operator's door."""

from collections.abc import Iterator

import httpx
import pytest

from socialgate.areas.identity.tokens import generate_api_key, generate_session_token
from support.problems import problem_of
from support.service import OwnerFixture, RunningService, StartService

TOKEN = "an operator's token of some length"
OWN, FOREIGN = "same-origin", "https://evil.example"


def with_cookie(
    owner: OwnerFixture, headers: dict[str, str] | None = None, cookie: str = "sg_session={}"
) -> httpx.Response:
    """Write something with the session cookie."""
    headers = {"Cookie": cookie.format(owner.session_token), **(headers or {})}
    return owner.running.client().post("/profiles", json={"name": "x"}, headers=headers)


@pytest.mark.parametrize(
    "authorization",
    [
        b"Bearer nonsense",
        b"Bearer",
        b"bearer",
        b"Basic b3duZXI6cGFzc3dvcmQ=",
        b"Bearer ses_",
        b"Bearer \xe9",
        b"Bearer \xed\xa0\x80",
        b"Bearer sg_test_" + b"x" * 40,
        b"Bearer sg_live_" + b"0" * 40,
        b"Bearer ses_" + b"x" * 10_000,
    ],
    ids=lambda value: value[:30].decode("latin-1"),
)
def test_a_credential_that_nobody_gave_out_is_401(service: RunningService, authorization: bytes) -> None:
    answer = service.client().get("/auth/me", headers={b"Authorization": authorization})
    problem_of(answer, 401, "unauthenticated")
    assert answer.headers["www-authenticate"] == "Bearer"


def test_a_credential_of_the_right_form_that_nobody_gave_out_is_401(service: RunningService) -> None:
    for token in (generate_api_key(test=True), generate_api_key(test=False), generate_session_token()):
        problem_of(service.client(token).get("/auth/me"), 401, "unauthenticated")


def test_a_credential_with_anything_added_is_401(service: RunningService, lasting_owner: OwnerFixture) -> None:
    for value in (lasting_owner.session_token, lasting_owner.key_value()):
        assert service.client(value).get("/auth/me").status_code == 200
        for wrong in (value + "x", value[:-1], value.upper(), value + " x", "x" + value, value.replace("_", "-", 1)):
            problem_of(service.client(wrong).get("/auth/me"), 401, "unauthenticated")


@pytest.mark.parametrize("scheme", ["Bearer", "bearer", "BEARER"])
def test_the_scheme_has_no_case(lasting_owner: OwnerFixture, scheme: str) -> None:
    headers = {"Authorization": f"{scheme} {lasting_owner.session_token}"}
    assert lasting_owner.running.client().get("/auth/me", headers=headers).status_code == 200


def test_a_credential_in_the_query_opens_nothing(lasting_owner: OwnerFixture) -> None:
    for name in ("api_key", "token", "access_token", "key"):
        answer = lasting_owner.running.client().get("/profiles", params={name: lasting_owner.session_token})
        problem_of(answer, 401, "unauthenticated")


@pytest.mark.parametrize(
    "cookie",
    [
        "sg_session={}",
        "a=b; sg_session={}",
        "sg_session={}; a=b",
        'theme={{"dark":1}}; sg_session={}',
        "odd [name]=1;sg_session={}",
        "empty; =; ;sg_session={}",
    ],
)
def test_the_cookie_opens_reads_whatever_stands_beside_it(lasting_owner: OwnerFixture, cookie: str) -> None:
    headers = {"Cookie": cookie.format(lasting_owner.session_token)}
    assert lasting_owner.running.client().get("/auth/me", headers=headers).status_code == 200


@pytest.mark.parametrize("cookie", ["", "sg_session=", "sg_session=x", "xsg_session={}", "sg_session", "SG_SESSION={}"])
def test_another_cookie_opens_nothing(lasting_owner: OwnerFixture, cookie: str) -> None:
    headers = {"Cookie": cookie.format(lasting_owner.session_token)}
    problem_of(lasting_owner.running.client().get("/auth/me", headers=headers), 401, "unauthenticated")


def test_an_api_key_in_the_cookie_is_taken_no_better_than_a_session(lasting_owner: OwnerFixture) -> None:
    headers = {"Cookie": f"sg_session={lasting_owner.key_value()}"}
    answer = lasting_owner.running.client().post("/profiles", json={"name": "x"}, headers=headers)
    problem_of(answer, 403, "cross_site_request")


@pytest.mark.parametrize(
    ("site", "origin", "taken"),
    [
        (OWN, None, True),
        (OWN, "own", True),
        (OWN, FOREIGN, True),
        ("same-site", None, False),
        ("same-site", "own", False),
        ("cross-site", None, False),
        ("cross-site", "own", False),
        ("none", None, False),
        ("none", "own", False),
        ("Same-Origin", None, False),
        ("", "own", False),
        (None, "own", True),
        (None, FOREIGN, False),
        (None, "null", False),
        (None, "", False),
        (None, "http://[broken", False),
        (None, "own.evil.example", False),
        (None, "evil.example/own", False),
        (None, None, False),
    ],
)
def test_a_write_with_the_cookie_needs_the_browsers_word(
    lasting_owner: OwnerFixture, site: str | None, origin: str | None, taken: bool
) -> None:
    headers = {}
    if site is not None:
        headers["Sec-Fetch-Site"] = site
    if origin is not None:
        headers["Origin"] = origin.replace("own", lasting_owner.running.url) if "own" in origin else origin
    answer = with_cookie(lasting_owner, headers)
    if taken:
        assert answer.status_code == 201
    else:
        problem_of(answer, 403, "cross_site_request")


@pytest.mark.parametrize("headers", [{}, {"Origin": FOREIGN}, {"Sec-Fetch-Site": "cross-site", "Origin": FOREIGN}])
def test_a_write_with_the_header_needs_no_such_word(lasting_owner: OwnerFixture, headers: dict[str, str]) -> None:
    assert lasting_owner.session.post("/profiles", json={"name": "x"}, headers=headers).status_code == 201


def test_the_header_wins_over_the_cookie(lasting_owner: OwnerFixture) -> None:
    answer = with_cookie(lasting_owner, {"Authorization": "Bearer nonsense", "Sec-Fetch-Site": OWN})
    problem_of(answer, 401, "unauthenticated")
    right = {"Authorization": f"Bearer {lasting_owner.session_token}"}
    assert with_cookie(lasting_owner, right, cookie="sg_session=x").status_code == 201


def test_reads_with_the_cookie_need_no_word(lasting_owner: OwnerFixture) -> None:
    headers = {"Cookie": f"sg_session={lasting_owner.session_token}", "Sec-Fetch-Site": "cross-site"}
    assert lasting_owner.running.client().get("/profiles", headers=headers).status_code == 200


def test_behind_a_proxy_the_public_address_is_our_own(start_service: StartService) -> None:
    with start_service(base_url="https://gate.example.com") as running:
        owner = running.new_owner()
        assert with_cookie(owner, {"Origin": "https://gate.example.com"}).status_code == 201
        assert with_cookie(owner, {"Origin": "https://gate.example.com", "Host": "inner:8080"}).status_code == 201
        for origin in (
            "http://gate.example.com",
            "https://gate.example.com:444",
            "https://gate.example.com.evil.example",
        ):
            problem_of(with_cookie(owner, {"Origin": origin}), 403, "cross_site_request")


@pytest.fixture(scope="module")
def measured(start_service: StartService) -> Iterator[RunningService]:
    with start_service(metrics_token=TOKEN) as running:
        yield running


def test_metrics_are_shut_unless_a_token_is_set(service: RunningService, lasting_owner: OwnerFixture) -> None:
    for client in (service.client(), service.client(TOKEN), lasting_owner.session, lasting_owner.key()):
        problem_of(client.get("/metrics"), 401, "unauthenticated")


def test_metrics_open_to_the_token_and_nothing_else(measured: RunningService) -> None:
    owner = measured.new_owner()
    for token in (None, TOKEN[:-1], TOKEN + "x", TOKEN.upper(), "", owner.session_token, owner.key_value()):
        problem_of(measured.client(token).get("/metrics"), 401, "unauthenticated")
    answer = measured.client(TOKEN).get("/metrics")
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/plain; version=")
    assert answer.headers["content-type"].count("charset") == 1


def test_metrics_count_what_happened_without_naming_anybody(measured: RunningService) -> None:
    owner = measured.new_owner()
    unknown = "prf_01h455vb4pex5vsknk084sn02q"
    owner.session.patch(f"/profiles/{unknown}", json={"name": "x"})
    measured.client("nonsense").get("/profiles")
    measured.client().get(f"/{unknown}")
    text = measured.client(TOKEN).get("/metrics").text
    for method, route in (("PATCH", "/profiles/{profile_id}"), ("GET", "(none)")):
        assert f'socialgate_http_requests_total{{method="{method}",route="{route}",status="404"}} ' in text
    assert "socialgate_refused_credentials_total" in text
    for word in (unknown, owner.id, owner.profile_id, owner.email, owner.session_token):
        assert word not in text


def test_the_shape_of_the_metrics_does_not_grow_with_what_callers_make_up(measured: RunningService) -> None:
    # What goes on by itself, such as cleaning up, is not what callers bring about.
    counted = ("socialgate_http_", "socialgate_refused_")

    def shape_after(word: str) -> set[str]:
        client = measured.client()
        client.get(f"/{word}")
        client.get(f"/docs/errors/{word}")
        client.get("/profiles", headers={"X-Request-Id": word, "User-Agent": word})
        lines = measured.client(TOKEN).get("/metrics").text.splitlines()
        return {line.rpartition(" ")[0] for line in lines if line.startswith(counted) and "/metrics" not in line}

    assert shape_after("one") == shape_after("two")
