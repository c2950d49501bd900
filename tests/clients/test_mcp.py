"""Language models use the service through tools, with the official client: over HTTP, and through the command."""

import asyncio
import json
from typing import Any

import httpx
import pytest

from socialgate.areas.mcp import service as mcp_service
from socialgate.mcp.guides import load_guides
from socialgate.mcp.operations import ApiOperations
from socialgate.mcp.results import encode
from socialgate.mcp.tokens import estimate_tokens
from socialgate.mcp.toolbox import ToolAccess, Toolbox
from socialgate.mcp.tools import (
    MAX_RESULT_TOKENS,
    MAX_SCHEMA_TOKENS,
    MAX_TOOLS,
    NOT_FOR_TOOLS,
    READ_TOOLS,
    TOOLS,
    ToolOperations,
)
from support.mcp_client import McpTools, use_http, use_stdio
from support.problems import problem_of
from support.service import OwnerFixture, RunningService

READERS = [tool.name for tool in READ_TOOLS]
# Routes that clients have no method for, by the start of their path, and why no tool calls them.
WITHOUT_METHODS = {
    "/connect/": "pages that a person's browser is sent to",
    "/docs": "pages for people; the tool docs has the guides",
    "/llms": "the tool docs reads it",
    "/mcp": "where the tools are",
    "/media/": "where a file is sent to a signed address, and asked about by platforms",
    "/metrics": "for the operator",
    "/openapi.json": "the tools are made from it",
    "/uploads": "the parts of a resumable upload; upload_media returns a signed address instead",
    "/webhooks/": "for platforms",
}
LISTING = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}


@pytest.fixture(scope="module")
def document(service: RunningService) -> bytes:
    return service.client().get("/openapi.json").content


def test_every_route_has_a_tool(document: bytes) -> None:
    content = json.loads(document)
    operations = ApiOperations(content)
    tools = ToolOperations(operations)
    for name, operation in operations.by_name.items():
        assert (tools.get_tool(operation) is None) == (name in NOT_FOR_TOOLS), (
            f"{name} has no tool: name it in tools.py"
        )
    assert NOT_FOR_TOOLS.keys() <= operations.by_name.keys()
    others = [path for path, item in content["paths"].items() for route in item.values() if "x-sdk" not in route]
    assert [path for path in others if not path.startswith(tuple(WITHOUT_METHODS))] == []


def test_a_route_that_is_added_needs_no_line(document: bytes) -> None:
    """It is found by what it does: a list, a single thing, or a change of a resource that nobody has heard of."""
    content = json.loads(document)
    for method, route, name in (("get", "/profiles", "list"), ("get", "/profiles/{profileId}", "get")):
        added = {**content["paths"][route][method], "x-sdk": {"resource": "moons", "method": name}}
        content["paths"][route.replace("profiles", "moons")] = {method: added}
    changed = {**content["paths"]["/profiles"]["post"], "x-sdk": {"resource": "moons", "method": "create"}}
    content["paths"]["/moons"]["post"] = changed
    tools = ToolOperations(ApiOperations(content))
    by_name = tools.operations.by_name
    assert [tools.get_tool(by_name[f"moons.{name}"]) for name in ("list", "get", "create")] == ["find", "get", "call"]


def test_the_tools_are_few_and_short(document: bytes, capsys: pytest.CaptureFixture[str]) -> None:
    toolbox = Toolbox(document)
    callers = {
        "a session": ToolAccess(can_write=True, is_session=True, profile_ids=None),
        "a key": ToolAccess(can_write=True, is_session=False, profile_ids=None),
        "a read-only key": ToolAccess(can_write=False, is_session=False, profile_ids=None),
    }
    for caller, access in callers.items():
        visible = toolbox.list_tools(access)
        tokens = sum(tool.count_tokens() for tool in visible)
        with capsys.disabled():
            print(f"\nMCP tools for {caller}: {len(visible)}, about {tokens} tokens")  # noqa: T201 - figures of the run
        assert len(visible) <= MAX_TOOLS
        assert tokens <= MAX_SCHEMA_TOKENS


def test_the_tools_stay_short_when_routes_are_added(document: bytes) -> None:
    content = json.loads(document)
    for number in range(12):
        added = {
            **content["paths"]["/ads/boost"]["post"],
            "x-sdk": {"resource": f"ads.new_{number}", "method": "create"},
        }
        content["paths"][f"/ads/new-{number}"] = {"post": added}
        copied = {**content["paths"]["/posts"]["get"], "x-sdk": {"resource": f"new_{number}", "method": "list"}}
        content["paths"][f"/new-{number}"] = {"get": copied}
    toolbox = Toolbox(json.dumps(content).encode())
    visible = toolbox.list_tools(ToolAccess(can_write=True, is_session=True, profile_ids=None))
    assert sum(tool.count_tokens() for tool in visible) <= MAX_SCHEMA_TOKENS


@pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
def test_both_generations_of_the_protocol(service: RunningService, owner: OwnerFixture, mode: str) -> None:
    async def look(tools: McpTools) -> tuple[list[str], str, Any]:
        return await tools.list_names(), tools.client.protocol_version, await tools.call("overview")

    names, version, overview = use_http(service.address, owner.key_value(), look, mode)
    assert names == [tool.name for tool in TOOLS]
    assert version == ("2025-11-25" if mode == "legacy" else mode)
    assert overview["profiles"] == [{"id": owner.profile_id, "name": "Default"}]


def test_the_command_has_the_same_tools(service: RunningService, owner: OwnerFixture) -> None:
    async def work(tools: McpTools) -> Any:
        assert await tools.list_names() == [tool.name for tool in TOOLS]
        created = [await tools.call("manage_workspace", action="profiles.create", name="From afar") for _ in range(2)]
        assert created[0]["result"]["id"] == created[1]["result"]["id"]
        refused = await tools.refuse("get", id="post_01h455vb4pex5vsknk084sn02q")
        described = await tools.call("docs", operation="posts.create")
        return created[1]["note"], refused["code"], described["text"]

    note, code, text = use_stdio(service.address, owner.key_value(), work)
    assert "not repeated" in note
    assert code == "not_found"
    assert "scheduledFor" in text


def test_a_read_only_key_sees_no_tool_that_writes(service: RunningService, owner: OwnerFixture) -> None:
    async def look(tools: McpTools) -> tuple[Any, Any]:
        listed = (await tools.client.list_tools()).tools
        return listed, await tools.refuse("manage_workspace", action="profiles.create", name="No")

    for use in (use_http, use_stdio):
        listed, refused = use(service.address, owner.key_value(permission="read"), look)
        assert [tool.name for tool in listed] == READERS
        assert all(tool.annotations.read_only_hint for tool in listed)
        assert refused["code"] == "not_found"


def test_tools_for_reading_call_nothing_that_writes(document: bytes) -> None:
    tools = ToolOperations(ApiOperations(json.loads(document)))
    assert not [operation.name for name in READERS for operation in tools.list_operations(name) if operation.writes]


def test_a_limited_key_sees_only_its_profile(service: RunningService, owner: OwnerFixture) -> None:
    profile_id = owner.new_profile()
    key = owner.key_value(scope="profiles", profileIds=[profile_id])

    async def look(tools: McpTools) -> tuple[Any, ...]:
        listed = {tool.name: tool.input_schema for tool in (await tools.client.list_tools()).tools}
        overview = await tools.call("overview")
        draft = await tools.call("draft_post", content="Mine")
        refused = await tools.refuse("draft_post", profileId=owner.profile_id, content="Not mine")
        return listed, overview, draft, refused

    listed, overview, draft, refused = use_http(service.address, key, look)
    assert [row["id"] for row in overview["profiles"]] == [profile_id]
    assert listed["draft_post"]["properties"]["profileId"]["enum"] == [profile_id]
    assert "profiles.create" not in listed["manage_workspace"]["properties"]["action"]["enum"]
    assert "api_keys.create" not in listed["manage_workspace"]["properties"]["action"]["enum"]
    assert draft["result"]["profileId"] == profile_id
    assert refused["code"] == "out_of_scope"


def test_guides_are_resources(service: RunningService, owner: OwnerFixture) -> None:
    async def read(tools: McpTools) -> tuple[Any, ...]:
        listed = (await tools.client.list_resources()).resources
        contents = (await tools.client.read_resource("socialgate://guides/posts")).contents
        pages: list[str] = []
        cursor: dict[str, str] = {}
        while True:
            page = await tools.call("docs", guide="posts", **cursor)
            pages.append(page["text"])
            if "cursor" not in page:
                break
            cursor = {"cursor": page["cursor"]}
        return listed, contents, "".join(pages), await tools.call("docs", query="verify signature of a hook")

    listed, contents, paged, answer = use_http(service.address, owner.key_value(), read)
    guides = load_guides()
    assert {resource.uri for resource in listed} == {guide.uri for guide in guides.values()}
    assert contents[0].text == paged == guides["posts"].text
    assert "hooks" in {section["guide"] for section in answer["sections"]}


def test_results_are_short_and_continue(service: RunningService, owner: OwnerFixture) -> None:
    client = owner.key()
    for number in range(8):
        body = {"profileId": owner.profile_id, "content": f"{number} " + "long " * 4_000, "draft": True}
        assert client.post("/posts", json=body).status_code == 201

    async def look(tools: McpTools) -> tuple[Any, Any]:
        page = await tools.call("find", what="posts", limit=50)
        return page, await tools.call("get", id=page["data"][0]["id"])

    page, post = use_http(service.address, owner.key_value(), look)
    assert len(page["data"]) == 8
    for result in (page, post):
        assert estimate_tokens(encode(result)) <= MAX_RESULT_TOKENS
    assert "part" in post["next"]


def test_no_way_around_the_preview(service: RunningService, owner: OwnerFixture) -> None:
    """What another tool previews is previewed here too, and a confirmation that was made up is worth nothing."""
    order = {"operation": "posts.create", "arguments": {"profileId": owner.profile_id, "content": "Now!"}}

    async def work(tools: McpTools) -> tuple[Any, Any]:
        return await tools.call("call", **order), await tools.refuse("call", **order, confirm="abc-def")

    preview, refused = use_http(service.address, owner.key_value(), work)
    assert preview["done"] is False
    assert refused["code"] == "not_confirmed"
    assert owner.session.get("/posts").json()["data"] == []


def test_an_error_says_how_to_fix_it(service: RunningService, owner: OwnerFixture) -> None:
    async def fail(tools: McpTools) -> Any:
        return await tools.refuse(
            "queue", action="slots.create", profileId=owner.profile_id, weekday="payday", time="9"
        )

    refused = use_http(service.address, owner.key_value(), fail)
    assert refused["code"] == "invalid"
    assert {error["pointer"] for error in refused["errors"]} == {"/weekday", "/time"}
    assert refused["explained"].endswith("/docs/errors/invalid")


WRONG_ARGUMENTS: list[tuple[str, dict[str, Any]]] = [
    ("get", {"id": 7}),
    ("get", {"what": "posts", "filters": [1]}),
    ("find", {"what": ["posts"]}),
    ("find", {"what": "posts", "filters": "x"}),
    ("find", {"what": "posts", "limit": "many"}),
    ("wait", {"id": "task_1", "seconds": "x"}),
    ("wait", {"id": ["task_1"]}),
    ("docs", {"query": ["x"]}),
    ("docs", {"guide": {}}),
    ("draft_post", {"content": "x", "again": "z"}),
    ("delete_post", {"postId": "post_1", "confirm": 5}),
    ("call", {"operation": "posts.list", "arguments": "x"}),
    ("call", {"operation": "posts.list", "arguments": {"limit": [1]}}),
    ("call", {"operation": ["posts.list"]}),
    ("catalog", {"action": {"a": 1}}),
]


def test_arguments_of_a_wrong_type_are_named(service: RunningService, owner: OwnerFixture) -> None:
    """What an exception said was the answer: "'int' object has no attribute 'partition'"."""

    async def try_all(tools: McpTools) -> list[Any]:
        return [await tools.refuse(name, **arguments) for name, arguments in WRONG_ARGUMENTS]

    refused = use_http(service.address, owner.key_value(), try_all)
    assert [(answer["code"], " must be " in answer["detail"]) for answer in refused] == [("invalid", True)] * len(
        WRONG_ARGUMENTS
    )


def test_numbers_and_objects_may_come_as_text(service: RunningService, owner: OwnerFixture) -> None:
    async def find(tools: McpTools) -> Any:
        return await tools.call("find", what="posts", limit="2", filters='{"status": "failed"}')

    assert use_http(service.address, owner.key_value(), find)["data"] == []


def test_what_an_exception_says_is_not_shown(owner: OwnerFixture, monkeypatch: pytest.MonkeyPatch) -> None:
    async def broken(*_: Any) -> None:
        raise KeyError("a secret of ours")

    monkeypatch.setattr(Toolbox, "call", broken)
    call = {**LISTING, "method": "tools/call", "params": {"name": "overview", "arguments": {}}}
    answer = owner.key().post("/mcp", json=call)
    assert "a secret of ours" not in answer.text
    assert answer.json()["error"]["code"] == -32603


def test_what_was_refused_can_succeed_later(service: RunningService, owner: OwnerFixture) -> None:
    """The key of a call is made of its arguments, and a refusal is stored with it. It must not last."""

    async def work(tools: McpTools) -> Any:
        order = {"action": "slots.create", "profileId": owner.profile_id, "weekday": "monday", "time": "09:00"}
        first = await tools.call("queue", **order)
        taken = {**order, "timezone": "UTC"}
        refused = [(await tools.refuse("queue", **taken))["code"] for _ in range(2)]
        await tools.confirm(first["undo"]["tool"], **first["undo"]["arguments"])
        return refused, await tools.call("queue", **taken)

    refused, created = use_http(service.address, owner.key_value(), work)
    assert refused == ["slot_exists"] * 2
    assert created["done"] is True


def test_two_calls_at_once_do_it_once(service: RunningService, owner: OwnerFixture) -> None:
    async def work(tools: McpTools) -> list[tuple[bool, Any]]:
        order = {"action": "profiles.create", "name": "At once"}
        return await asyncio.gather(*(tools.try_call("manage_workspace", **order) for _ in range(4)))

    results = use_http(service.address, owner.key_value(), work)
    assert {result["code"] for is_error, result in results if is_error} <= {"idempotency_key_in_use"}
    names = [row["name"] for row in owner.session.get("/profiles").json()["data"]]
    assert names.count("At once") == 1


def test_pages_of_other_sites_are_refused(service: RunningService, owner: OwnerFixture) -> None:
    client = owner.key()
    host = httpx.URL(service.address).netloc.decode()
    for origin, name in (
        ("https://evil.example.com", host),
        # The name of the attacker leads to this machine.
        ("http://evil.example.com:8080", "evil.example.com:8080"),
        ("null", host),
    ):
        answer = client.post("/mcp", json=LISTING, headers={"Origin": origin, "Host": name})
        problem_of(answer, 403, "foreign_origin")
    own = client.post("/mcp", json=LISTING, headers={"Origin": f"http://{host}"})
    assert own.status_code == 200


def test_the_cookie_of_a_browser_is_not_enough(service: RunningService, owner: OwnerFixture) -> None:
    token = owner.session.headers["Authorization"].removeprefix("Bearer ")
    cookies = {"Cookie": f"sg_session={token}", "Sec-Fetch-Site": "same-origin"}
    problem_of(service.client().post("/mcp", json=LISTING, headers=cookies), 401, "unauthenticated")


def test_messages_are_checked_before_they_are_read(owner: OwnerFixture) -> None:
    client = owner.key()
    large = {**LISTING, "params": {"name": "x" * 1024 * 1024}}
    problem_of(client.post("/mcp", json=large), 413, "body_too_large")
    problem_of(client.post("/mcp", json=[LISTING]), 422, "invalid")
    assert client.get("/mcp").status_code == 405
    assert client.post("/mcp", json={"jsonrpc": "2.0", "method": "notifications/initialized"}).status_code == 202
    unknown = client.post("/mcp", json={**LISTING, "method": "nonsense/list"}).json()
    assert unknown["error"]["code"] == -32601


def test_a_deployment_without_the_sdk_says_so(owner: OwnerFixture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mcp_service, "_SDK_PACKAGE", "a_package_that_nobody_has")
    problem_of(owner.key().post("/mcp", json=LISTING), 404, "mcp_not_installed")
