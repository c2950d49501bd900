"""The OpenAPI document is true: whatever is sent, the service answers as the document says."""

import re
from collections.abc import Callable, Iterator
from datetime import timedelta
from functools import partial
from http import HTTPStatus
from typing import Any

import httpx
import jsonschema
import pytest
import schemathesis
import sqlalchemy as sa
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.errors import Unsatisfiable
from openapi_spec_validator import OpenAPIV31SpecValidator
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    negative_data_rejection,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from socialgate.core.db import Tx
from socialgate.core.pauses import pauses
from socialgate.web.api_description import ApiOperation
from socialgate.web.route import RouteAccess
from support.routes import call, label, part_of_path, routes, takes_credential
from support.service import PASSWORD, OwnerFixture, RunningService
from support.soak import LONG, some_of_each
from support.waiting import eventually

# How many requests are made up for a route, the same ones with every run, and for which routes: for one in so many of
# each tag. Strategies take longer to build than requests to answer. The example of every route is sent with each run,
# and its answer checked in the same way (`test_every_example_is_taken_by_its_route`).
SIZES = [pytest.param(2, 6, id="few"), pytest.param(40, 1, id="many", marks=LONG)]
CHECKS: list[Any] = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]
# A chunk of an upload is a file like any other.
schemathesis.serializer.alias("application/offset+octet-stream", "application/octet-stream")
REASONS_OF_STATE = {401, 403, 404, 409, 410}

AnyCase = schemathesis.Case[Any]
Headers = Callable[[], dict[str, str]]
ConnectMethod = Callable[[AnyCase, dict[str, str], list[Any]], None]


@pytest.fixture
def document(service: RunningService) -> dict[str, Any]:
    result: dict[str, Any] = service.client().get("/openapi.json").json()
    return result


def documented(document: dict[str, Any], operation: ApiOperation) -> dict[str, Any]:
    result: dict[str, Any] = document["paths"][operation.path][operation.method.lower()]
    return result


def parts_of(value: Any) -> Iterator[dict[str, Any]]:
    """Walk over every object in a document."""
    if isinstance(value, dict):
        yield value
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for part in inner:
        yield from parts_of(part)


def ends_its_session(operation: ApiOperation) -> bool:
    return operation.spec.access is RouteAccess.SESSION and operation.path.startswith("/auth/")


def needs_own_owner(operation: ApiOperation) -> bool:
    """Return whether a route ends what others of its area need, or needs what others of its area may have paused."""
    return operation.method == "DELETE" or ends_its_session(operation) or "runId" in operation.path_parameters


def signed_in_anew(owner: OwnerFixture) -> dict[str, str]:
    opened = owner.running.client().post("/auth/login", json={"email": owner.email, "password": PASSWORD})
    return bearer(opened.json()["token"])


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def send(case: AnyCase, headers: dict[str, str], checks: list[Any]) -> None:
    case.call_and_validate(headers=headers, checks=checks)


def open_stream(case: AnyCase, headers: dict[str, str], checks: list[Any]) -> None:
    """Check the head alone of a stream that has no end."""
    request = case.as_transport_kwargs(headers=headers)
    sent = {name: request[name] for name in ("method", "url", "params", "headers")}
    with httpx.stream(**sent, timeout=60) as answer:
        endless = answer.headers["content-type"].startswith("text/event-stream")
        content = b"" if endless else answer.read()
        head = httpx.Response(answer.status_code, headers=answer.headers, content=content, request=answer.request)
        head.elapsed = timedelta()
    case.validate_response(head, checks=checks)


def probe(strategy: Any, method: ConnectMethod, headers: Headers, checks: list[Any], examples: int) -> None:
    """Send what the strategy makes up, and check every answer against the document."""

    @settings(
        max_examples=examples,
        derandomize=True,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=strategy)
    def each(case: AnyCase) -> None:
        method(case, headers(), checks)

    each()


class Prober:
    """Sends made-up requests to one route after the other, each with an owner of its own."""

    def __init__(self, running: RunningService) -> None:
        self._running = running
        self._described = schemathesis.openapi.from_url(f"{running.address}/openapi.json")

    def choose(self, mode: GenerationMode, one_in: int) -> list[ApiOperation]:
        """Choose one in so many routes of each tag, other ones for each mode."""
        engine = "sqlite" if mode is GenerationMode.POSITIVE else "postgres"
        return some_of_each(routes(self._running), lambda operation: operation.spec.tag, engine, one_in)

    def check(self, operation: ApiOperation, answer: httpx.Response) -> None:
        """Check an answer against the document."""
        self._target(operation).Case().validate_response(answer, checks=CHECKS)

    def valid(self, operation: ApiOperation, examples: int) -> None:
        """Send what keeps the rules, to things that exist, with a key where one may."""
        owner = self._running.new_owner()
        ids = {name: part_of_path(operation, owner, name) for name in operation.path_parameters}
        with_key = operation.spec.access is RouteAccess.KEY
        headers = partial(bearer, owner.key_value()) if with_key else session_of(owner, operation)
        strategy = self._target(operation).as_strategy(path_parameters=ids)
        probe(strategy, way_of(operation), headers, CHECKS, examples)

    def invalid(self, operation: ApiOperation, examples: int) -> None:
        """Send what breaks the rules, if there are any to break, in a session."""
        headers = session_of(self._running.new_owner(), operation)
        strategy = self._target(operation).as_strategy(generation_mode=GenerationMode.NEGATIVE)
        try:
            probe(strategy, way_of(operation), headers, [*CHECKS, negative_data_rejection], examples)
        except Unsatisfiable:
            assert operation.body is None
            assert operation.spec.query is None

    def _target(self, operation: ApiOperation) -> Any:
        return self._described[operation.path][operation.method]


@pytest.fixture
def prober(service: RunningService) -> Prober:
    return Prober(service)


def session_of(owner: OwnerFixture, operation: ApiOperation) -> Headers:
    return partial(signed_in_anew, owner) if ends_its_session(operation) else partial(bearer, owner.session_token)


def way_of(operation: ApiOperation) -> ConnectMethod:
    return open_stream if operation.spec.answers == "text/event-stream" else send


# The service in this process uses the common source of chance too, which looks as if the strategies did.
ignore_chance = pytest.mark.filterwarnings("ignore:Do not use the `random` module")


@ignore_chance
@pytest.mark.parametrize(("examples", "one_in"), SIZES)
def test_every_answer_is_one_that_the_document_names(
    prober: Prober, subtests: pytest.Subtests, examples: int, one_in: int
) -> None:
    for operation in prober.choose(GenerationMode.POSITIVE, one_in):
        with subtests.test(label(operation)):
            prober.valid(operation, examples)


@ignore_chance
@pytest.mark.parametrize(("examples", "one_in"), SIZES)
def test_what_breaks_a_rule_of_the_document_is_refused_as_it_says(
    prober: Prober, subtests: pytest.Subtests, examples: int, one_in: int
) -> None:
    for operation in prober.choose(GenerationMode.NEGATIVE, one_in):
        with subtests.test(label(operation)):
            prober.invalid(operation, examples)


def test_the_document_is_valid(document: dict[str, Any]) -> None:
    assert document["openapi"].startswith("3.1.")
    OpenAPIV31SpecValidator(document).validate()


def test_every_reference_in_the_document_leads_somewhere(document: dict[str, Any]) -> None:
    references = [part["$ref"] for part in parts_of(document) if isinstance(part.get("$ref"), str)]
    known = {f"#/components/{kind}/{name}" for kind, named in document["components"].items() for name in named}
    assert references
    assert set(references) <= known


def test_every_route_is_in_the_document_and_nothing_else(service: RunningService, document: dict[str, Any]) -> None:
    listed = [(method.upper(), path) for path, methods in document["paths"].items() for method in methods]
    assert sorted(listed) == sorted((operation.method, operation.path) for operation in routes(service))


def test_every_operation_has_a_name_of_its_own_and_words(document: dict[str, Any]) -> None:
    described = [operation for methods in document["paths"].values() for operation in methods.values()]
    names = [operation["operationId"] for operation in described]
    assert len(set(names)) == len(names)
    assert all(operation["summary"] and operation["tags"] for operation in described)


def test_every_example_fits_its_own_schema(
    service: RunningService, document: dict[str, Any], subtests: pytest.Subtests
) -> None:
    for operation in routes(service):
        described = documented(document, operation)
        holders = [described.get("requestBody", {}), *described["responses"].values()]
        contents = [content for holder in holders for content in holder.get("content", {}).values()]
        with subtests.test(label(operation)):
            for content in contents:
                if "example" in content:
                    schema = {**content["schema"], "components": document["components"]}
                    jsonschema.Draft202012Validator(schema).validate(content["example"])


def test_every_object_that_is_sent_or_answered_has_an_example(
    service: RunningService, document: dict[str, Any], subtests: pytest.Subtests
) -> None:
    for operation in routes(service):
        described = documented(document, operation)
        with subtests.test(label(operation)):
            if operation.body is not None:
                assert described["requestBody"]["content"]["application/json"]["example"] is not None
            # Linters take the example of a model for a schema: it has a `type` and a `default`.
            if operation.answer not in {None, str, bytes} and operation.name != "aiModels":
                content = described["responses"][str(operation.status)]["content"]
                assert content[operation.spec.answers]["example"] is not None


def test_no_object_of_ours_takes_unknown_fields(document: dict[str, Any]) -> None:
    bodies = [
        operation["requestBody"]["content"]["application/json"]["schema"]["$ref"].rpartition("/")[2]
        for methods in document["paths"].values()
        for operation in methods.values()
        if "$ref" in operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
    ]
    assert bodies
    assert all(document["components"]["schemas"][name]["additionalProperties"] is False for name in bodies)


def test_every_example_is_taken_by_its_route(
    service: RunningService, prober: Prober, subtests: pytest.Subtests
) -> None:
    # What a route needs takes longer to create than its request: those of one area share it, unless they end it.
    shared: dict[str, OwnerFixture] = {}
    for operation in routes(service, lambda o: takes_credential(o) and o.spec.takes_json):
        owner = None if needs_own_owner(operation) else shared.get(operation.spec.tag)
        if owner is None:
            owner = service.new_owner()
        if not needs_own_owner(operation):
            shared[operation.spec.tag] = owner
        with subtests.test(label(operation)):
            # The examples before this one may have used up what a platform takes in a second.
            eventually(lambda: service.read(nobody_waits))
            answer = eventually(partial(unless_limited, owner, operation))
            taken = answer.status_code in {operation.status} | REASONS_OF_STATE
            assert taken or names_what_is_not_there(answer), answer.text
            if operation.spec.answers != "text/event-stream":
                prober.check(operation, answer)


async def nobody_waits(tx: Tx) -> bool:
    """Return whether all pauses that platforms asked for are over."""
    return await tx.scalar(sa.select(pauses.c.budget).where(pauses.c.until > tx.now).limit(1)) is None


def unless_limited(owner: OwnerFixture, operation: ApiOperation) -> httpx.Response | None:
    """Send the example; None if the platform takes no more calls right now, for it or for connecting its account."""
    try:
        answer = call(owner.session, operation, owner)
    except AssertionError as failure:
        if not re.search("too many calls|asked this service to wait", str(failure)):
            raise
        return None
    return None if answer.status_code == HTTPStatus.TOO_MANY_REQUESTS else answer


def names_what_is_not_there(answer: httpx.Response) -> bool:
    """Look whether all that is wrong is something on the platform that the example names and nobody has created.

    The accounts in the examples are replaced by existing ones, which may be of another kind.
    """
    if answer.status_code != HTTPStatus.UNPROCESSABLE_ENTITY:
        return False
    problem = answer.json()
    faults = problem.get("errors", [])
    absent = all(fault["code"] == "not_found" or fault["pointer"].endswith("/accountId") for fault in faults)
    return problem["code"] == "platform_rejected" or (bool(faults) and absent)


def test_the_examples_of_public_routes_are_taken(service: RunningService, subtests: pytest.Subtests) -> None:
    owner = service.new_owner()
    for operation in routes(service, lambda o: o.spec.access is RouteAccess.PUBLIC and o.spec.takes_json):
        with subtests.test(label(operation)):
            answer = call(service.client(), operation, owner)
            assert answer.status_code in {operation.status} | REASONS_OF_STATE, answer.text


def test_the_document_itself_is_what_the_document_says(service: RunningService, document: dict[str, Any]) -> None:
    answer = service.client().get("/openapi.json")
    (kind, content) = next(iter(document["paths"]["/openapi.json"]["get"]["responses"]["200"]["content"].items()))
    assert answer.headers["content-type"] == kind
    jsonschema.Draft202012Validator(content["schema"]).validate(answer.json())
