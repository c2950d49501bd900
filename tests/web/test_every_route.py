"""Rules that hold on every route. The routes are read from the app: a new one is covered without being named.

Nothing here gets as far as to change something, so all tests share two owners. What a database has a part in runs on
both engines: who calls, what is whose, and what an id may be made of.
"""

from collections.abc import Callable
from itertools import product

import httpx
import pytest

from socialgate.areas.identity.tokens import generate_api_key, generate_session_token
from socialgate.core.ids import is_id, new_id
from socialgate.web.api_description import ApiOperation, describe_query_parameters, list_fields
from socialgate.web.request import MAX_JSON_BYTES
from socialgate.web.route import RouteAccess
from support.factories import FACTORIES, get_or_create_id
from support.problems import problem_of
from support.routes import (
    body_of,
    call,
    is_open_to_callers,
    label,
    owned_parameters,
    part_of_path,
    path_of,
    query_of,
    routes,
    takes_body,
    takes_credential,
)
from support.service import OwnerFixture, RunningService

METHODS = {"GET", "POST", "PUT", "PATCH", "DELETE"}
JSON = {"Content-Type": "application/json"}


@pytest.fixture(scope="module")
def standing(service: RunningService) -> OwnerFixture:
    """Give the owner of one thing of each kind, which no test here changes."""
    return service.new_owner()


@pytest.fixture(scope="module")
def stranger(service: RunningService) -> OwnerFixture:
    return service.new_owner()


def reads_query(operation: ApiOperation) -> bool:
    spec, says_why = operation.spec, operation.method != "HEAD"
    is_strict = spec.takes_json and not spec.accepts_any_query and not spec.is_page
    return is_open_to_callers(operation) and is_strict and says_why


def reads_no_body(operation: ApiOperation) -> bool:
    # The response to a HEAD has no body that could say why.
    is_shown = operation.method != "HEAD" and takes_credential(operation)
    return is_shown and operation.body is None and operation.spec.takes_json


def names_a_profile(operation: ApiOperation) -> str | None:
    """Return where, outside its path, a route is told a profile."""
    if any(field.name == "profileId" for field in describe_query_parameters(operation.spec.query)):
        return "query"
    if takes_body(operation) and any(field.name == "profileId" for field in list_fields(operation.body)):
        return "body"
    return None


def test_without_a_credential_nothing_but_the_public_routes_opens(
    service: RunningService, standing: OwnerFixture, subtests: pytest.Subtests
) -> None:
    for operation in routes(service):
        with subtests.test(label(operation)):
            answer = call(service.client(), operation, standing)
            if operation.spec.access is RouteAccess.PUBLIC:
                assert answer.status_code != 401 or answer.json()["code"] != "unauthenticated"
            else:
                problem_of(answer, 401, "unauthenticated")
                assert answer.headers["www-authenticate"] == "Bearer"


@pytest.mark.both_engines
@pytest.mark.parametrize("form", [lambda: "nonsense", lambda: generate_api_key(test=True), generate_session_token])
def test_a_credential_that_nobody_gave_out_opens_nothing(
    service: RunningService, standing: OwnerFixture, subtests: pytest.Subtests, form: Callable[[], str]
) -> None:
    client = service.client(form())
    for operation in routes(service, lambda operation: operation.spec.access is not RouteAccess.PUBLIC):
        with subtests.test(label(operation)):
            answer = call(client, operation, standing)
            problem_of(answer, 401, "unauthenticated")
            assert answer.headers["www-authenticate"] == "Bearer"


@pytest.mark.both_engines
def test_the_things_of_another_owner_cannot_be_told_from_those_that_do_not_exist(
    service: RunningService, standing: OwnerFixture, stranger: OwnerFixture, subtests: pytest.Subtests
) -> None:
    def answers(operation: ApiOperation, name: str, thing: str) -> dict[str, object]:
        problem = problem_of(call(standing.session, operation, standing, ids={name: thing}), 404, "not_found")
        return {field: problem.get(field) for field in ("title", "detail", "code")}

    for operation in routes(
        service, lambda operation: takes_credential(operation) and bool(owned_parameters(operation))
    ):
        for name in owned_parameters(operation):
            with subtests.test(label(operation), parameter=name):
                theirs = part_of_path(operation, stranger, name)
                unknown = new_id(theirs.partition("_")[0])
                assert answers(operation, name, theirs) == answers(operation, name, unknown)


@pytest.mark.both_engines
def test_a_key_limited_to_another_profile_is_refused_what_lies_outside(
    service: RunningService, standing: OwnerFixture, subtests: pytest.Subtests
) -> None:
    limited = standing.limited_key(standing.new_profile())
    for operation in routes(service, lambda operation: operation.spec.access is RouteAccess.KEY):
        if owned_parameters(operation):
            with subtests.test(label(operation), where="path"):
                problem_of(call(limited, operation, standing), 403, "out_of_scope")
        where = names_a_profile(operation)
        if where == "query":
            with subtests.test(label(operation), where=where):
                params = {**query_of(operation, standing), "profileId": standing.profile_id}
                problem_of(call(limited, operation, standing, params=params), 403, "out_of_scope")
        if where == "body":
            with subtests.test(label(operation), where=where):
                body = {**body_of(operation, standing), "profileId": standing.profile_id}
                problem_of(call(limited, operation, standing, json=body), 403, "out_of_scope")


def test_some_route_is_refused_to_a_key_limited_to_another_profile(service: RunningService) -> None:
    assert routes(
        service, lambda o: o.spec.access is RouteAccess.KEY and bool(owned_parameters(o) or names_a_profile(o))
    )


def test_an_api_key_does_not_open_what_is_for_sessions(
    service: RunningService, standing: OwnerFixture, subtests: pytest.Subtests
) -> None:
    key = standing.key()
    for operation in routes(service, lambda operation: operation.spec.access is RouteAccess.SESSION):
        with subtests.test(label(operation)):
            problem_of(call(key, operation, standing), 403, "session_required")


def test_a_read_key_writes_nothing(service: RunningService, standing: OwnerFixture, subtests: pytest.Subtests) -> None:
    reader = standing.key(permission="read")
    for operation in routes(
        service, lambda operation: operation.spec.access is RouteAccess.KEY and operation.spec.writes
    ):
        with subtests.test(label(operation)):
            problem_of(call(reader, operation, standing), 403, "read_only_key")


@pytest.mark.both_engines
def test_a_read_key_reads(service: RunningService, standing: OwnerFixture, subtests: pytest.Subtests) -> None:
    reader = standing.key(permission="read")
    for name in FACTORIES:
        # Some answers need what their address does not name, such as a slot that is free.
        get_or_create_id(standing, name)
    for operation in routes(service, lambda o: o.spec.access is RouteAccess.KEY and not o.spec.writes):
        with subtests.test(label(operation)):
            answer = call(reader, operation, standing)
            # A post of these owners is not published anywhere.
            is_unpublished = operation.name == "listComments" and answer.json().get("code") == "not_found"
            assert answer.status_code == operation.status or is_unpublished


def test_what_changes_something_counts_as_a_write(service: RunningService) -> None:
    reading = routes(service, lambda operation: takes_credential(operation) and not operation.spec.writes)
    asking = [operation for operation in reading if operation.method not in {"GET", "HEAD"}]
    # A question that is too long for an address is sent as a body.
    # What a tool does is a request of its own, which counts for itself.
    questions = {("POST", "validate"), ("POST", "dry-run"), ("POST", "mcp")}
    assert {(operation.method, operation.path.rpartition("/")[2]) for operation in asking} <= questions


@pytest.mark.parametrize("body", [b"{", b""])
def test_a_body_that_is_not_json_is_400(
    service: RunningService, standing: OwnerFixture, subtests: pytest.Subtests, body: bytes
) -> None:
    for operation in routes(service, takes_body):
        with subtests.test(label(operation)):
            answer = call(standing.session, operation, standing, content=body, headers=JSON)
            problem_of(answer, 400, "malformed_json")


def test_an_unknown_field_is_422_and_named(
    service: RunningService, standing: OwnerFixture, subtests: pytest.Subtests
) -> None:
    for operation in routes(service, takes_body):
        with subtests.test(label(operation)):
            body = {**(body_of(operation, standing) or {}), "surprise/~": 1}
            problem = problem_of(call(standing.session, operation, standing, json=body), 422, "invalid")
            (fault,) = problem["errors"]
            assert (fault["pointer"], fault["code"]) == ("/surprise~1~0", "unknown_field")
            assert "surprise/~" in fault["detail"]


def test_a_body_where_none_is_read_is_422(
    service: RunningService, standing: OwnerFixture, subtests: pytest.Subtests
) -> None:
    for operation in routes(service, reads_no_body):
        with subtests.test(label(operation)):
            answer = call(standing.session, operation, standing, json={"surprise": 1})
            (fault,) = problem_of(answer, 422, "invalid")["errors"]
            assert (fault["pointer"], fault["code"]) == ("", "invalid")
            assert "has no body" in fault["detail"]


def test_an_unknown_query_parameter_is_422_and_named(
    service: RunningService, standing: OwnerFixture, subtests: pytest.Subtests
) -> None:
    for operation in routes(service, reads_query):
        with subtests.test(label(operation)):
            params = {**query_of(operation, standing), "surprise": "1"}
            problem = problem_of(call(standing.session, operation, standing, params=params), 422, "invalid")
            (fault,) = problem["errors"]
            assert (fault["pointer"], fault["code"]) == ("?surprise", "unknown_parameter")


@pytest.mark.parametrize("kind", ["application/x-www-form-urlencoded", None])
def test_a_body_of_another_type_is_415(
    service: RunningService, standing: OwnerFixture, subtests: pytest.Subtests, kind: str | None
) -> None:
    headers = {} if kind is None else {"Content-Type": kind}
    for operation in routes(service, takes_body):
        with subtests.test(label(operation)):
            answer = call(standing.session, operation, standing, content=b"{}", headers=headers)
            problem_of(answer, 415, "unsupported_media_type")


def test_a_body_over_one_mebibyte_is_413(
    service: RunningService, standing: OwnerFixture, subtests: pytest.Subtests
) -> None:
    body = b'"' + b"x" * (MAX_JSON_BYTES - 1) + b'"'
    for operation in routes(service, takes_body):
        with subtests.test(label(operation)):
            problem_of(call(standing.session, operation, standing, content=body, headers=JSON), 413, "body_too_large")


def test_a_body_of_one_mebibyte_is_read(
    service: RunningService, standing: OwnerFixture, subtests: pytest.Subtests
) -> None:
    """Except by routes that need no credential, which read less."""
    for operation in routes(service, takes_body):
        most = MAX_JSON_BYTES if takes_credential(operation) else 16 * 1024
        body = b'"' + b"x" * (most - 2) + b'"'
        with subtests.test(label(operation)):
            problem_of(call(standing.session, operation, standing, content=body, headers=JSON), 422, "invalid")


def test_a_sane_request_id_comes_back_and_an_insane_one_does_not(
    service: RunningService, standing: OwnerFixture, subtests: pytest.Subtests
) -> None:
    for operation in routes(service):
        with subtests.test(label(operation)):
            sane = call(service.client(), operation, standing, headers={"X-Request-Id": "0b8f.4d-11_X"})
            assert sane.headers.get_list("x-request-id") == ["0b8f.4d-11_X"]
            insane = call(service.client(), operation, standing, headers={"X-Request-Id": "two words"})
            (created,) = insane.headers.get_list("x-request-id")
            assert is_id("req", created)


def test_each_request_gets_an_id_of_its_own(service: RunningService, standing: OwnerFixture) -> None:
    reads = routes(service, lambda operation: operation.method == "GET" and takes_credential(operation))
    shown = [call(standing.session, operation, standing).headers["x-request-id"] for operation in reads * 2]
    assert len(set(shown)) == len(shown)


def test_a_method_that_an_address_does_not_take_is_405_with_those_it_takes(
    service: RunningService, standing: OwnerFixture, subtests: pytest.Subtests
) -> None:
    taken: dict[str, set[str]] = {}
    for operation in routes(service):
        taken.setdefault(path_of(operation, standing), set()).add(operation.method)
    for path, method in product(taken, METHODS):
        if method not in taken[path]:
            with subtests.test(f"{method} {path}"):
                answer = standing.session.request(method, path)
                problem_of(answer, 405, "method_not_allowed")
                assert set(answer.headers["allow"].split(", ")) == taken[path] | {"OPTIONS"}


@pytest.mark.parametrize("path", ["/", "/nowhere", "/profiles/a/b/c", "/Profiles", "/docs/errors/", "/%2e%2e/etc"])
def test_an_address_that_does_not_exist_is_404(standing: OwnerFixture, path: str) -> None:
    answer = standing.session.get(path)
    assert answer.status_code == 404
    assert answer.json()["code"] == "not_found"
    assert answer.headers["content-type"] == "application/problem+json"


@pytest.mark.both_engines
@pytest.mark.parametrize("strange", ["%00", "%ff", "x" * 2000])
def test_a_strange_id_is_404(
    service: RunningService, standing: OwnerFixture, subtests: pytest.Subtests, strange: str
) -> None:
    for operation in routes(service, lambda operation: bool(operation.path_parameters)):
        for name in operation.path_parameters:
            with subtests.test(label(operation), parameter=name):
                answer = call(standing.session, operation, standing, ids={name: strange})
                assert answer.status_code == 404


def test_a_problem_points_at_its_page(service: RunningService) -> None:
    problem = problem_of(service.client().get("/auth/me"), 401)
    assert problem["type"] == f"{service.url}/docs/errors/unauthenticated"
    assert httpx.get(problem["type"]).status_code == 200
