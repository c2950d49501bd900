"""The way into the console and out of it, and who does not get in."""

import html
import re
from collections.abc import Iterator
from urllib.parse import quote

import httpx
import pytest
from litestar.routes import HTTPRoute

from console.browser import FORM, OWN, Browser, location, signed_in
from socialgate.console.pages.media import PROGRESS_PATH
from socialgate.core.settings import Settings
from socialgate.entry.serve import _print_startup_message
from socialgate.web.route import RouteAccess, get_route_spec
from support.problems import problem_of
from support.service import PASSWORD, OwnerFixture, RunningService, StartService


def pages(service: RunningService, *access: RouteAccess) -> list[tuple[str, str]]:
    """List the pages as method and path, with ids that nobody has."""
    result = [
        (str(method), re.sub(r"{[^}]+}", "nobody", route.path))
        for route in service.service.app.routes
        if isinstance(route, HTTPRoute)
        for handler in route.route_handlers
        if (spec := get_route_spec(handler)) is not None and spec.access in access
        for method in handler.http_methods
    ]
    assert result
    return result


def cookie_of(answer: httpx.Response) -> tuple[str, set[str]]:
    """Read the session cookie: its value and its flags."""
    (input_value,) = answer.headers.get_list("set-cookie")
    value, *flags = input_value.split("; ")
    name, _, token = value.partition("=")
    assert name == "sg_session"
    return token, {flag.lower() for flag in flags}


def test_signing_in_opens_the_console_and_signing_out_ends_the_session(owner: OwnerFixture) -> None:
    browser = Browser(owner.running)
    shown = browser.get("/console/login")
    assert shown.status_code == 200
    assert 'action="/console/login"' in shown.text
    # Whoever tries it on their own machine is told where the first password is.
    assert "first-login.txt" in shown.text
    answer = browser.sign_in(owner.email.upper())
    assert location(answer) == "/console"
    token, flags = cookie_of(answer)
    assert flags == {"httponly", "path=/", "samesite=lax", f"max-age={90 * 24 * 3600}"}
    assert owner.email in browser.get("/console").text
    assert owner.running.client(token).get("/auth/me").json()["user"]["email"] == owner.email

    answer = browser.press("/console/logout")
    assert location(answer) == "/console/login"
    assert "sg_session" not in browser.client.cookies
    assert location(browser.get("/console")) == "/console/login"
    problem_of(owner.running.client(token).get("/auth/me"), 401, "unauthenticated")
    assert owner.session.get("/auth/me").status_code == 200


def test_a_wrong_sign_in_says_so_and_keeps_the_email_alone(service: RunningService, owner: OwnerFixture) -> None:
    browser = Browser(service)
    for email, password in ((owner.email, "not the password"), ("nobody@example.com", "not the password")):
        answer = browser.sign_in(email, password)
        assert answer.status_code == 401
        assert "The email or the password is wrong." in answer.text
        assert f'value="{email}"' in answer.text
        assert password not in answer.text
        assert "set-cookie" not in answer.headers
    assert browser.sign_in("no address", PASSWORD).status_code == 422
    assert "This cannot be left empty." in browser.press("/console/login", email=owner.email).text


@pytest.fixture(scope="module")
def strict(start_service: StartService) -> Iterator[RunningService]:
    with start_service(login_limit=2, base_url="https://gate.example.com") as running:
        yield running


def test_guesses_count_together_with_those_at_the_api_and_https_makes_the_cookie_secure(
    strict: RunningService,
) -> None:
    owner = strict.new_owner()
    assert "first-login.txt" not in Browser(strict).get("/console/login").text
    answer = Browser(strict).sign_in(owner.email)
    assert "secure" in cookie_of(answer)[1]
    api = strict.client().post("/auth/login", json={"email": owner.email, "password": PASSWORD})
    assert cookie_of(api)[1] == cookie_of(answer)[1]
    refused = Browser(strict).sign_in(owner.email)
    assert refused.status_code == 429
    assert int(refused.headers["retry-after"]) > 0
    assert "Wait" in refused.text
    login = {"email": owner.email, "password": PASSWORD}
    problem_of(strict.client().post("/auth/login", json=login), 429, "rate_limited")


def test_without_a_session_every_page_leads_to_the_sign_in(
    service: RunningService, owner: OwnerFixture, subtests: pytest.Subtests
) -> None:
    key = owner.key_value()
    browser = Browser(service)
    browser.sign_in(owner.email)
    ended = browser.client.cookies["sg_session"]
    browser.press("/console/logout")
    headers = [
        {},
        {"Cookie": f"sg_session={ended}"},
        {"Cookie": "sg_session=nonsense"},
        {"Cookie": f"sg_session={key}"},
        {"Authorization": f"Bearer {owner.session_token}"},
        {"Authorization": f"Bearer {key}"},
    ]
    for method, path in pages(service, RouteAccess.PAGE):
        with subtests.test(f"{method} {path}"):
            for header in headers:
                answer = service.client().request(method, path, headers={**OWN, **header})
                # A frame has no room for the sign-in: it says that one is signed out.
                if path == PROGRESS_PATH:
                    assert answer.status_code == 401
                else:
                    assert location(answer) in {"/console/login", f"/console/login?next={quote(path, safe='')}"}
    assert len(owner.session.get("/api-keys").json()["data"]) == 1


def test_a_signed_out_link_comes_back_to_its_page_after_the_sign_in(owner: OwnerFixture) -> None:
    browser = Browser(owner.running)
    expected = "/console/media?utm_source=mail&cursor=a%2Fb"
    sign_in = location(browser.get(expected))
    shown = browser.get(sign_in)
    (destination,) = re.findall(r'name="next" value="([^"]*)"', shown.text)
    assert html.unescape(destination) == expected
    fields = {"email": owner.email, "next": expected}
    again = browser.press("/console/login", password="not the password", **fields)
    assert html.escape(expected) in again.text
    assert location(browser.press("/console/login", password=PASSWORD, **fields)) == expected


@pytest.mark.parametrize(
    "elsewhere",
    [
        "https://evil.example",
        "//evil.example",
        "/\\evil.example",
        "/console//evil.example\n",
        "/console/\\evil.example",
        "/consoles",
        "/console@evil.example",
        "/console/é",
        "javascript:alert(1)",
        "/console/" + "a" * 2000,
    ],
)
def test_a_sign_in_never_leads_to_another_site(owner: OwnerFixture, elsewhere: str) -> None:
    browser = Browser(owner.running)
    shown = browser.get("/console/login", params={"next": elsewhere})
    assert 'name="next" value="/console"' in shown.text
    answer = browser.press("/console/login", email=owner.email, password=PASSWORD, next=elsewhere)
    assert answer.status_code == 422 or location(answer) == "/console"


@pytest.mark.parametrize("path", ["/console", "/console/login", "/console/hooks", "/docs", "/docs/errors/invalid"])
def test_pages_ignore_query_parameters_that_they_do_not_know(owner: OwnerFixture, path: str) -> None:
    answer = signed_in(owner).get(path, params={"utm_source": "mail", "fbclid": "1"})
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/html")


def test_the_api_keeps_rejecting_unknown_query_parameters(owner: OwnerFixture) -> None:
    problem_of(owner.session.get("/profiles", params={"utm_source": "mail"}), 422, "invalid")


def test_a_form_of_another_site_does_nothing(
    service: RunningService, owner: OwnerFixture, subtests: pytest.Subtests
) -> None:
    cookie = {"Cookie": f"sg_session={owner.session_token}", "Content-Type": FORM}
    foreign = [
        {},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Origin": "https://evil.example"},
        {"Origin": "null"},
    ]
    for method, path in pages(service, RouteAccess.PAGE, RouteAccess.OPEN_PAGE):
        if method == "POST":
            with subtests.test(path):
                for params in foreign:
                    content = f"email={owner.email}&password={PASSWORD}&name=x&scope=all"
                    answer = service.client().post(path, content=content, headers={**cookie, **params})
                    assert answer.status_code == 403
                    assert "set-cookie" not in answer.headers
                    assert "must come from our own pages" in answer.text
    assert owner.session.get("/api-keys").json()["data"] == []
    own = {"Origin": service.url}
    assert location(service.client().post("/console/logout", headers={**cookie, **own})) == "/console/login"


def test_a_bearer_token_beside_the_cookie_is_overlooked(owner: OwnerFixture) -> None:
    headers = {"Cookie": f"sg_session={owner.session_token}", "Authorization": "Bearer nonsense"}
    assert owner.running.client().get("/console", headers=headers).status_code == 200


def test_the_root_leads_people_to_the_console_and_programs_nowhere(service: RunningService) -> None:
    answer = Browser(service).get("/")
    assert location(answer) == "/console"
    assert answer.headers["vary"] == "Accept"
    problem_of(service.client().get("/", headers={"Accept": "application/json"}), 404, "not_found")


@pytest.mark.parametrize(
    "path", ["/console/nowhere", "/console/a/b/c", "/console/hooks/hook_1", "/console/hooks/%00", "/console/hooks/%ff"]
)
def test_a_page_that_does_not_exist_says_so(owner: OwnerFixture, path: str) -> None:
    answer = signed_in(owner).get(path)
    assert answer.status_code == 404
    assert "This page does not exist, or you do not have access to it." in answer.text


@pytest.mark.parametrize(
    ("path", "parent"),
    [
        ("/console/theme", "/console"),
        ("/console/logout", "/console"),
        ("/console/keys/key_1", "/console/keys"),
        ("/console/keys/key_1/revoke", "/console/keys/key_1"),
        ("/console/hooks/hook_1/deliveries", "/console/hooks/hook_1"),
        ("/console/hooks/hook_1/test", "/console/hooks/hook_1"),
        ("/console/hooks/hook_1/deliveries/dlv_1/retry", "/console/hooks/hook_1/deliveries/dlv_1"),
        ("//console/logout", "/console"),
        ("/console/hooks/%0d%0aa%22/test", None),
    ],
)
def test_the_address_of_a_button_leads_to_its_page(owner: OwnerFixture, path: str, parent: str | None) -> None:
    url = owner.running.address + path
    answer = signed_in(owner).client.get(url)
    if parent is None:
        assert answer.status_code == 404
    else:
        assert location(answer) == parent


def test_the_greeting_names_the_console(capsys: pytest.CaptureFixture[str]) -> None:
    _print_startup_message(Settings(port=8123), None, None)
    lines = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert lines.index(["Console", "http://127.0.0.1:8123/console"]) < lines.index(["API", "http://127.0.0.1:8123"])
