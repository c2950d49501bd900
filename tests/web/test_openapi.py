"""What client generators need the OpenAPI document to say, and that it is true."""

import re
from collections.abc import Iterator
from typing import Any

import httpx
import jsonschema
import pytest

from socialgate.connectors.registry import MANIFESTS
from socialgate.contracts.platforms import ConnectMethod, DeploymentVendor, Platform
from socialgate.core.errors import list_error_types
from socialgate.core.events import EVENT_TYPES
from socialgate.core.jobs.service import JobTypes
from socialgate.web.route import RouteTag, route
from socialgate.web.sdk_names import NOUNS, VERBS
from socialgate.web.tags import TAG_ORDER
from support.factories import account_on
from support.generations import generate
from support.problems import problem_of
from support.routes import resolve_parameter, routes
from support.service import OwnerFixture, RunningService

Document = dict[str, Any]
LATER = "2030-01-01T12:00:00Z"


@pytest.fixture(scope="module")
def document(service: RunningService) -> Document:
    result: Document = service.client().get("/openapi.json").json()
    return result


@pytest.fixture
def schemas(document: Document) -> Document:
    result: Document = document["components"]["schemas"]
    return result


def schemas_in(value: Any, at: tuple[str | int, ...] = ()) -> Iterator[tuple[tuple[str | int, ...], Document]]:
    """Walk over every object in a document except examples, with its place."""
    if isinstance(value, dict):
        yield at, value
        for name, part in value.items():
            if name != "example":
                yield from schemas_in(part, (*at, name))
    elif isinstance(value, list):
        for position, part in enumerate(value):
            yield from schemas_in(part, (*at, position))


def operations(document: Document) -> Iterator[Document]:
    for methods in document["paths"].values():
        yield from methods.values()


def parameters_of(document: Document, operation: Document) -> list[Document]:
    """Give the parameters of an operation, also those that it shares with others."""
    shared = document["components"]["parameters"]
    return [resolve_parameter(item, shared) for item in operation["parameters"]]


def name_of(reference: str) -> str:
    return reference.rpartition("/")[2]


def responses_of(document: Document, method: str, path: str, status: int) -> Document:
    result: Document = document["paths"][path][method]["responses"][str(status)]
    return result


def test_names_are_words_and_unique(schemas: Document) -> None:
    assert [name for name in schemas if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name)] == []
    assert len({re.sub(r"\W|_", "", name).lower() for name in schemas}) == len(schemas)
    titles = [schema["title"] for schema in schemas.values() if "title" in schema]
    assert len(set(titles)) == len(titles)


def test_operations_are_named_in_camel_case(document: Document) -> None:
    names = [operation["operationId"] for operation in operations(document)]
    assert [name for name in names if not re.fullmatch(r"[a-z][A-Za-z0-9]*", name)] == []


def test_tags_are_in_the_order_of_the_page(service: RunningService, document: Document) -> None:
    page = service.client().get("/docs").text
    shown = re.findall(r"<h2>([^<]+)</h2>", page)
    tags = [tag["name"] for tag in document["tags"]]
    assert tags[: len(tags) - 1] == shown[: len(tags) - 1]
    assert tags[-1] == "Webhooks"


def test_every_enum_has_a_type(document: Document) -> None:
    enums = [(at, item) for at, item in schemas_in(document) if isinstance(item.get("enum"), list) or "const" in item]
    assert len(enums) > 100
    assert [at for at, item in enums if "type" not in item] == []


def sent_names(document: Document, schemas: Document) -> set[str]:
    """Find the components that callers send."""
    bodies = [operation.get("requestBody", {}) for operation in operations(document)]
    parameters = [parameters_of(document, operation) for operation in operations(document)]
    waiting = [name_of(item["$ref"]) for _, item in schemas_in([*bodies, *parameters]) if "$ref" in item]
    result: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name not in result:
            result.add(name)
            waiting += [
                name_of(item["$ref"]) for _, item in schemas_in(schemas[name]) if isinstance(item.get("$ref"), str)
            ]
    return result


def test_enums_are_closed_in_requests_and_open_in_responses(document: Document, schemas: Document) -> None:
    sent = sent_names(document, schemas)
    for name, schema in schemas.items():
        parts = [part for _, part in schemas_in(schema)]
        if name in sent:
            assert not any("x-extensible-enum" in part for part in parts), name
        else:
            assert not any(isinstance(part.get("enum"), list) and len(part["enum"]) > 1 for part in parts), name
    kind = schemas[name_of(schemas["Account"]["properties"]["kind"]["$ref"])]
    assert "telegram_bot" in kind["x-extensible-enum"]
    assert kind["type"] == "string"


def test_every_enum_is_a_named_type(document: Document, schemas: Document) -> None:
    for name, schema in schemas.items():
        for at, part in schemas_in(schema):
            values = part.get("enum", part.get("x-extensible-enum"))
            assert not isinstance(values, list) or len(values) == 1 or at == (), (name, at)
    for operation in operations(document):
        for parameter in parameters_of(document, operation):
            assert parameter["in"] == "path" or len(parameter["schema"].get("enum", [])) < 2, parameter


def test_an_enum_that_is_sent_and_received_is_two_types(schemas: Document) -> None:
    assert schemas["PlatformInput"]["enum"] == schemas["Platform"]["x-extensible-enum"]


def test_no_union_is_without_a_name(schemas: Document) -> None:
    for name, schema in schemas.items():
        for at, part in schemas_in(schema):
            alternatives: list[Document] = part.get("anyOf") or part.get("oneOf") or []
            members = [alternative for alternative in alternatives if alternative != {"type": "null"}]
            assert len(members) < 2 or at == (), (name, at)
            objects = [member for member in members if "$ref" in member]
            assert len(objects) < 2 or "discriminator" in part, (name, at)


def test_every_success_has_a_schema_unless_it_has_no_content(document: Document) -> None:
    empty = {"headMedia", "createUpload", "headUpload", "sendUpload", "authLogout", "authChangePassword"}
    # What programs of others send is only accepted.
    empty |= {"sendMcp", "receiveInboundWebhook"}
    for operation in operations(document):
        successes = [(status, item) for status, item in operation["responses"].items() if status.startswith("2")]
        assert successes, operation["operationId"]
        for status, response in successes:
            schemas = [content["schema"] for content in response.get("content", {}).values()]
            assert schemas or status == "204" or operation["operationId"] in empty, operation["operationId"]


def test_every_error_response_lists_its_codes(document: Document) -> None:
    known = {kind.code for kind in list_error_types()}
    for operation in operations(document):
        for status, response in operation["responses"].items():
            if status.startswith(("4", "5")):
                assert set(response["x-error-codes"]) <= known
                assert all(f"`{code}`" in response["description"] for code in response["x-error-codes"])
                assert name_of(response["content"]["application/problem+json"]["schema"]["$ref"]) == "Problem"


def test_parameters_that_several_routes_have_are_components(document: Document) -> None:
    own = [
        (parameter["in"], parameter["name"], str(parameter))
        for operation in operations(document)
        for parameter in operation["parameters"]
        if "$ref" not in parameter
    ]
    shared = {(item["in"], item["name"]) for item in document["components"]["parameters"].values()}
    assert {("query", "limit"), ("query", "cursor"), ("path", "accountId"), ("header", "Idempotency-Key")} <= shared
    repeated = [place for place in own if own.count(place) > 1 and place[:2] not in shared]
    assert repeated == []


def test_the_server_is_the_deployment(service: RunningService, document: Document) -> None:
    assert document["servers"] == [{"url": service.address}]


def test_operations_are_named_by_their_method_in_clients(document: Document) -> None:
    named = {item["operationId"]: item["x-sdk"] for item in operations(document) if "x-sdk" in item}
    assert named["createPost"] == {"resource": "posts", "method": "create"}
    assert named["setLeadState"] == {"resource": "leads", "method": "set_state"}
    assert named["listAdSets"] == {"resource": "ads.ad_sets", "method": "list"}
    assert named["accountHealth"] == {"resource": "accounts", "method": "health"}
    assert {"receiveInboundWebhook", "connectFinish", "sendUpload"}.isdisjoint(named)
    methods = [(name["resource"], name["method"]) for name in named.values()]
    assert len(set(methods)) == len(methods)
    resources = {resource for resource, _ in methods}
    assert [f"{resource}.{method}" for resource, method in methods if f"{resource}.{method}" in resources] == []


def test_every_word_of_the_vocabulary_is_used(service: RunningService) -> None:
    used = {operation.spec.sdk.method for operation in routes(service) if operation.spec.sdk is not None}
    assert used == VERBS | NOUNS


def test_a_route_needs_a_name_in_clients() -> None:
    with pytest.raises(TypeError, match=r'GET /moons needs a name in clients, such as sdk="posts.create"'):
        route("GET", "/moons", tag=RouteTag("Moons", "For tests."))


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("moons.fetch", "fetch is not in the vocabulary"),
        ("list", "is not the name of a method in clients"),
        ("Moons.list", "is not the name of a method in clients"),
    ],
)
def test_a_name_outside_of_the_vocabulary_is_refused(name: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        route("GET", "/moons", sdk=name, tag=RouteTag("Moons", "For tests."))


def test_every_tag_has_its_place_in_the_order(document: Document) -> None:
    assert tuple(tag["name"] for tag in document["tags"]) == (*TAG_ORDER, "Webhooks")


@pytest.mark.parametrize(("union", "suffix"), [("Event", "Event"), ("EventEnvelope", "Envelope")])
def test_an_event_is_one_of_those_that_there_are(schemas: Document, union: str, suffix: str) -> None:
    chosen = schemas[union]["discriminator"]
    assert chosen["propertyName"] == "event"
    assert set(chosen["mapping"]) == {*EVENT_TYPES, "unknown"}
    for event, kind in EVENT_TYPES.items():
        member = schemas[name_of(chosen["mapping"][event])]["properties"]
        assert (member["event"]["enum"], name_of(member["data"]["$ref"])) == ([event], kind.__name__)
    other = schemas[f"Other{suffix}"]["properties"]["event"]["pattern"]
    assert not any(re.search(other, event) for event in EVENT_TYPES)
    assert re.search(other, "sun.rose")


def test_feed_stream_and_webhooks_have_the_union(document: Document, schemas: Document) -> None:
    assert name_of(schemas["EventPage"]["properties"]["data"]["items"]["$ref"]) == "Event"
    stream = responses_of(document, "get", "/events/stream", 200)["content"]["text/event-stream"]
    assert name_of(stream["schema"]["$ref"]) == "EventEnvelope"
    mapping = schemas["EventEnvelope"]["discriminator"]["mapping"]
    for event in EVENT_TYPES:
        body = document["webhooks"][event]["post"]["requestBody"]["content"]["application/json"]
        assert body["schema"]["$ref"] == mapping[event]


def test_the_result_of_a_task_has_a_type(service: RunningService, schemas: Document) -> None:
    jobs = service.service.container.get(JobTypes).public_types
    mapping = schemas["Task"]["discriminator"]["mapping"]
    assert set(mapping) == {*jobs, "unknown"}
    for name, job in jobs.items():
        result = schemas[name_of(mapping[name])]["properties"]["result"]["anyOf"][0]
        assert job.result is None or name_of(result["$ref"]) == job.result.__name__


def test_a_task_fits_its_type(owner: OwnerFixture, document: Document) -> None:
    created = generate(owner.session, "copy", prompt="Rye bread")
    task = owner.session.get(f"/tasks/{created['id']}").json()
    schema = {"$ref": "#/components/schemas/AiCopyTask", "components": document["components"]}
    jsonschema.Draft202012Validator(schema).validate(task)
    assert task["result"]["variants"]


def test_problems_list_their_codes(schemas: Document) -> None:
    codes = schemas[name_of(schemas["Problem"]["properties"]["code"]["$ref"])]["x-extensible-enum"]
    assert {kind.code for kind in list_error_types()} >= set(codes)
    assert {"invalid", "not_found", "plan_limit_reached", "too_many_streams"} <= set(codes)


def test_responses_declare_their_headers(document: Document) -> None:
    def headers(method: str, path: str, status: int) -> set[str]:
        return set(responses_of(document, method, path, status).get("headers", {}))

    assert headers("get", "/profiles/{profileId}", 200) == {"ETag"}
    assert headers("post", "/profiles", 201) == {"ETag", "Idempotent-Replayed"}
    assert headers("post", "/profiles", 409) == {"Idempotent-Replayed", "Retry-After"}
    assert headers("post", "/profiles", 422) == {"Idempotent-Replayed"}
    assert headers("get", "/profiles", 429) == headers("get", "/profiles", 503) == {"Retry-After"}
    assert headers("post", "/ai/generate-copy", 202) == {"Location", "Idempotent-Replayed"}
    assert "Location" in headers("post", "/commerce/products/batch", 202) & headers("get", "/ads/insights", 202)


def test_a_response_without_content_declares_none(document: Document) -> None:
    empty = [item["responses"]["204"] for item in operations(document) if "204" in item["responses"]]
    assert len(empty) >= 4
    assert not any("content" in response for response in empty)


def test_uploads_in_chunks_declare_their_headers_and_bodies(document: Document) -> None:
    begin, piece = document["paths"]["/uploads"]["post"], document["paths"]["/uploads/{uploadId}"]["patch"]
    request = {item["name"]: item["required"] for item in parameters_of(document, begin) if item["in"] == "header"}
    assert request == {"Tus-Resumable": False, "Upload-Length": True, "Upload-Metadata": False}
    state = {"Tus-Resumable", "Upload-Offset", "Upload-Length", "Upload-Expires"}
    assert set(begin["responses"]["201"]["headers"]) == {"Location", *state}
    assert list(piece["requestBody"]["content"]) == ["application/offset+octet-stream"]
    assert [item["name"] for item in parameters_of(document, piece) if item["required"]] == [
        "uploadId",
        "Upload-Offset",
    ]
    assert set(piece["responses"]["204"]["headers"]) == state
    assert set(document["paths"]["/uploads/{uploadId}"]["head"]["responses"]["200"]["headers"]) == state


def choices(document: Document, method: str, path: str) -> list[str]:
    (result,) = [item for item in parameters_of(document, document["paths"][path][method]) if item["in"] == "path"]
    values: list[str] = result["schema"]["enum"]
    return values


def test_platforms_in_paths_are_listed(document: Document) -> None:
    redirect = {name for name, manifest in MANIFESTS.items() if manifest.method is ConnectMethod.REDIRECT}
    for method, path in (("get", ""), ("get", "/start"), ("get", "/callback"), ("post", "/choose")):
        assert set(choices(document, method, f"/connect/{{platform}}{path}")) == redirect
    assert set(choices(document, "post", "/webhooks/{platform}")) == {*Platform, *DeploymentVendor}


def test_times_in_queries_have_a_format(document: Document) -> None:
    request = {item["name"]: item["schema"] for item in parameters_of(document, document["paths"]["/posts"]["get"])}
    assert request["from"] == request["to"] == {"type": "string", "format": "date-time"}


def test_the_example_of_a_post_shows_what_it_asks_for(document: Document) -> None:
    operation = document["paths"]["/posts"]["post"]
    request = operation["requestBody"]["content"]["application/json"]["example"]
    answer = operation["responses"]["201"]["content"]["application/json"]["example"]
    assert request["draft"]
    assert (answer["status"], answer["targets"][0]["status"]) == ("draft", "pending")
    assert answer["content"] == request["content"]


def test_options_are_chosen_by_the_kind(schemas: Document) -> None:
    for union in ("NewTargetOptions", "NewMessageBodyOptions"):
        chosen = schemas[union]["discriminator"]
        assert chosen["propertyName"] == "kind"
        for kind, member in chosen["mapping"].items():
            options = schemas[name_of(member)]
            assert options["properties"]["kind"]["enum"] == [kind]
            assert "kind" in options["required"]


def test_the_kind_in_options_is_compared_with_the_account(owner: OwnerFixture) -> None:
    account_id = account_on(owner, Platform.TELEGRAM)

    def create(**options: Any) -> httpx.Response:
        target = {"accountId": account_id, "options": {"chatId": "@generated", **options}}
        body = {"profileId": owner.profile_id, "content": "News", "scheduledFor": LATER, "targets": [target]}
        return owner.session.post("/posts", json=body)

    for answer in (create(), create(kind="telegram_bot")):
        assert answer.status_code == 201, answer.text
        assert answer.json()["targets"][0]["options"] == {"chatId": "@generated"}
    (fault,) = problem_of(create(kind="threads"), 422, "invalid")["errors"]
    assert (fault["pointer"], fault["code"]) == ("/targets/0/options/kind", "invalid_option")


def test_options_names_every_method(service: RunningService) -> None:
    methods: dict[str, set[str]] = {}
    for operation in routes(service):
        methods.setdefault(operation.path, {"OPTIONS"}).add(operation.method)
    client = service.client()
    for path, names in methods.items():
        answer = client.options(re.sub(r"{\w+}", "meta", path))
        assert (answer.status_code, set(answer.headers["allow"].split(", "))) == (204, names), path
