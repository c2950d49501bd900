"""What client generators need and msgspec leaves out of the schemas."""

from datetime import datetime
from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, UnsetType

from socialgate.web.json_schema import build_schemas
from socialgate.web.schemas import RequestBody, ResponseModel
from support.service import RunningService


class Answer(ResponseModel, frozen=True, kw_only=True):
    """An answer.

    With a second paragraph.
    """

    at: datetime | None
    free: dict[str, Any]
    known: Annotated[dict[str, Any], Meta(max_length=5)] | None = None
    moments: dict[str, datetime]
    deleted: Literal[True] = True
    secret: str | UnsetType = UNSET


class Terse(ResponseModel, frozen=True, kw_only=True, omit_defaults=True):
    names: tuple[str, ...] = ()


class Request(RequestBody, frozen=True, kw_only=True):
    names: tuple[str, ...] = ()


def component(kind: type) -> dict[str, Any]:
    _, components = build_schemas([kind])
    result: dict[str, Any] = components[kind.__name__]
    return result


def test_a_response_names_the_fields_that_it_always_has() -> None:
    assert component(Answer)["required"] == ["at", "free", "known", "moments", "deleted"]
    assert component(Terse)["required"] == []
    assert component(Request)["required"] == []


def test_a_response_may_get_new_fields_and_a_request_may_not() -> None:
    assert "additionalProperties" not in component(Answer)
    assert component(Request)["additionalProperties"] is False


def test_an_object_of_any_fields_says_so() -> None:
    fields = component(Answer)["properties"]
    assert fields["free"] == {"type": "object", "additionalProperties": True}
    assert fields["known"]["anyOf"][0] == {"type": "object", "maxProperties": 5, "additionalProperties": True}


def test_times_and_constants_have_their_types() -> None:
    fields = component(Answer)["properties"]
    moment = {"type": "string", "format": "date-time"}
    assert fields["at"] == {"anyOf": [moment, {"type": "null"}]}
    assert fields["moments"]["additionalProperties"] == moment
    assert fields["deleted"] == {"type": "boolean", "const": True}


def test_paragraphs_are_not_indented() -> None:
    assert component(Answer)["description"] == "An answer.\n\nWith a second paragraph."


def test_the_body_of_an_upload_is_a_file(service: RunningService) -> None:
    document = service.client().get("/openapi.json").json()
    content = document["paths"]["/upload"]["post"]["requestBody"]["content"]
    assert content["application/octet-stream"] == {"schema": {"type": "string", "format": "binary"}}
    form = document["components"]["schemas"]["UploadForm"]
    assert (form["properties"]["file"]["format"], form["required"]) == ("binary", ["file"])
