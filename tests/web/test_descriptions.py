"""Everything in the OpenAPI document says what it is: properties, parameters and headers."""

from collections.abc import Iterator
from typing import Annotated, Any, Literal

import pytest
from msgspec import UNSET, Meta, UnsetType

from socialgate.web.field_words import describe_fields
from socialgate.web.json_schema import build_schemas
from socialgate.web.schemas import RequestBody, ResponseModel
from support.routes import resolve_parameter
from support.service import RunningService

# What is below these says when a schema applies, or what it must not be: its properties are described elsewhere.
CONDITIONS = {"if", "not", "dependentSchemas", "example", "examples"}


class Common(ResponseModel, frozen=True, kw_only=True):
    """What has a name."""

    name: str
    """Shown in lists."""
    size: int = 0


class Loaf(Common, frozen=True, kw_only=True):
    """A loaf.

    size: is described below, not here.
    """

    size: int = 1
    """In grams; the description may take
    more than one line.
    """
    baked: Annotated[str, Meta(max_length=20, description="From the type.")] | None
    sold: Annotated[str, Meta(max_length=20, description="From the type.")] | UnsetType = UNSET
    """From below the field."""
    deleted: Annotated[Literal[True], Meta(description="Always true.")] = True
    nothing: str

    @classmethod
    def example(cls) -> dict[str, Any]:
        """Return an example."""
        return {}


class Slice(RequestBody, frozen=True, kw_only=True, tag="slice", tag_field="type"):
    """One of several things."""

    number: int
    """From 1."""


def described(kind: type) -> dict[str, str | None]:
    _, components = build_schemas([kind])
    return {name: part.get("description") for name, part in components[kind.__name__]["properties"].items()}


def test_a_field_is_described_below_it_or_by_its_type() -> None:
    assert described(Loaf) == {
        "name": "Shown in lists.",
        "size": "In grams; the description may take more than one line.",
        "baked": "From the type.",
        "sold": "From below the field.",
        "deleted": "Always true.",
        "nothing": None,
    }
    assert described(Common) == {"name": "Shown in lists.", "size": None}


def test_the_description_of_an_optional_field_is_at_the_property() -> None:
    _, components = build_schemas([Loaf])
    baked = components["Loaf"]["properties"]["baked"]
    assert baked["anyOf"] == [{"type": "string", "maxLength": 20}, {"type": "null"}]


def test_a_member_of_a_union_says_what_selects_it() -> None:
    assert described(Slice) == {"type": "Always `slice`.", "number": "From 1."}


def test_describing_twice_changes_nothing() -> None:
    _, components = build_schemas([Loaf])
    properties = components["Loaf"]["properties"]
    before = {name: dict(part) for name, part in properties.items()}
    describe_fields(Loaf, properties)
    assert properties == before


@pytest.fixture(scope="module")
def document(service: RunningService) -> dict[str, Any]:
    result: dict[str, Any] = service.client().get("/openapi.json").json()
    return result


def properties_in(schema: Any, at: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """List the properties of every object schema, with where they are."""
    if isinstance(schema, list):
        for place, part in enumerate(schema):
            yield from properties_in(part, f"{at}/{place}")
        return
    if not isinstance(schema, dict):
        return
    properties = schema.get("properties", {})
    for name, part in properties.items():
        yield f"{at}/{name}", part
        yield from properties_in(part, f"{at}/{name}")
    for name, part in schema.items():
        if name not in {*CONDITIONS, "properties"}:
            yield from properties_in(part, f"{at}/{name}")


def test_every_property_says_what_it_is(document: dict[str, Any]) -> None:
    schemas = {name: document[name] for name in ("paths", "webhooks")} | document["components"]["schemas"]
    result = [item for name, schema in schemas.items() for item in properties_in(schema, name)]
    assert len(result) > 1_900, "the properties were not found"
    assert [at for at, part in result if not part.get("description")] == []


def test_every_parameter_says_what_it_is(document: dict[str, Any]) -> None:
    shared = document["components"]["parameters"]
    parameters = [
        (f"{method.upper()} {path} {parameter['name']}", parameter)
        for path, operations in document["paths"].items()
        for method, operation in operations.items()
        for parameter in (resolve_parameter(item, shared) for item in operation["parameters"])
    ]
    assert [at for at, parameter in parameters if not parameter.get("description")] == []


def test_descriptions_are_sentences_and_short(document: dict[str, Any]) -> None:
    result = [
        item for name, schema in document["components"]["schemas"].items() for item in properties_in(schema, name)
    ]
    texts = [(at, part.get("description", "")) for at, part in result]
    assert [at for at, text in texts if not text.rstrip().endswith((".", ":", "…"))] == []
    assert [at for at, text in texts if len(text) > 400] == []
