import re
from typing import Any

import pytest

from socialgate.core.events import EVENT_TYPES
from support.service import RunningService

HEADERS = {
    "X-Service-Signature",
    "X-Service-Event",
    "X-Service-Delivery",
    "webhook-id",
    "webhook-timestamp",
    "webhook-signature",
}


@pytest.fixture(scope="module")
def document(service: RunningService) -> dict[str, Any]:
    result: dict[str, Any] = service.client().get("/openapi.json").json()
    return result


def name_of(reference: dict[str, str]) -> str:
    return reference["$ref"].rpartition("/")[2]


def test_every_event_is_described_with_its_envelope_its_headers_and_an_example(document: dict[str, Any]) -> None:
    assert list(document["webhooks"]) == list(EVENT_TYPES)
    components = document["components"]
    for name, described in document["webhooks"].items():
        operation = described["post"]
        parameters = [components["parameters"][name_of(item)] for item in operation["parameters"]]
        assert {parameter["name"] for parameter in parameters} == HEADERS
        assert all(parameter["description"] for parameter in parameters)
        content = operation["requestBody"]["content"]["application/json"]
        schema = components["schemas"][name_of(content["schema"])]
        assert list(schema["properties"]) == ["event", "ownerId", "profileId", "data"]
        assert schema["required"] == list(schema["properties"])
        assert schema["additionalProperties"] is False
        assert schema["properties"]["event"].items() >= {"type": "string", "enum": [name]}.items()
        assert schema["properties"]["data"]["$ref"].endswith(f"/{EVENT_TYPES[name].__name__}")
        assert content["example"]["data"] == EVENT_TYPES[name].example()


def test_the_stream_is_described_as_one(document: dict[str, Any]) -> None:
    operation = document["paths"]["/events/stream"]["get"]
    assert list(operation["responses"]["200"]["content"]) == ["text/event-stream"]
    assert "Last-Event-ID" in {parameter["name"] for parameter in operation["parameters"]}


def test_the_text_for_programs_lists_the_events_after_the_endpoints(
    service: RunningService, document: dict[str, Any]
) -> None:
    endpoints, _, events = service.client().get("/llms-full.txt").text.partition("\n# Events\n")
    routes = re.findall(r"^(?:GET|HEAD|POST|PUT|PATCH|DELETE) /.*$", endpoints, re.MULTILINE)
    assert len(routes) == sum(len(methods) for methods in document["paths"].values())
    assert not re.findall(r"^[A-Z]+ /", events, re.MULTILINE)
    assert re.findall(r"^## (.*)$", events, re.MULTILINE) == list(EVENT_TYPES)
    for name in ("accountId", "msgId", "reconnected", "adAccountId", "hookId"):
        assert f"\n- {name}: " in events
