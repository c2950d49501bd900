"""Formats of fields are described in words: nobody has to read a regular expression in an error."""

import pkgutil
import re
from collections.abc import Iterator
from importlib import import_module
from typing import Annotated, Any

import msgspec
import pytest
from msgspec import Meta, inspect

import socialgate.areas
from socialgate.web.field_errors import build_body_error
from socialgate.web.patterns import PATTERN_PHRASES
from socialgate.web.schemas import ApiModel, QueryParameters, RequestBody

# A value that fits none of the patterns, except those that any word fits.
WRONG = " \n"


def shapes(kind: type[ApiModel]) -> Iterator[type[ApiModel]]:
    for type_ in kind.__subclasses__():
        yield type_
        yield from shapes(type_)


def patterns_in(kind: Any) -> Iterator[str]:
    if isinstance(kind, inspect.StrType) and kind.pattern is not None:
        yield kind.pattern
    for name in ("type", "types", "item_type", "value_type"):
        inner = getattr(kind, name, None)
        for item in inner if isinstance(inner, tuple) else [inner]:
            if isinstance(item, inspect.Type) and not isinstance(item, inspect.StructType):
                yield from patterns_in(item)


def used() -> set[str]:
    for module in pkgutil.walk_packages(socialgate.areas.__path__, "socialgate.areas."):
        import_module(module.name)
    kinds = {
        type_
        for base in (RequestBody, QueryParameters, ApiModel)
        for type_ in shapes(base)
        if not getattr(type_, "__parameters__", ())
    }
    infos = [inspect.type_info(kind) for kind in kinds]
    fields = [field.type for info in infos if isinstance(info, inspect.StructType) for field in info.fields]
    return {pattern for kind in fields for pattern in patterns_in(kind)}


def test_every_pattern_of_a_request_has_words() -> None:
    result = used()
    assert len(result) > 10
    assert result - PATTERN_PHRASES.keys() == set()


@pytest.mark.parametrize("pattern", PATTERN_PHRASES)
def test_an_error_says_the_format_in_words(pattern: str) -> None:
    assert not re.search(pattern, WRONG)
    kind = msgspec.defstruct("Thing", [("name", Annotated[str, Meta(pattern=pattern)])])
    with pytest.raises(msgspec.ValidationError) as refused:
        msgspec.convert({"name": WRONG}, kind)
    (fault,) = build_body_error(refused.value, kind, {"name": WRONG}).errors
    words = "name must not be blank." if pattern == r"\S" else f"name must be {PATTERN_PHRASES[pattern]}"
    assert fault.detail.startswith(words)
    assert pattern not in fault.detail


def test_a_pattern_without_words_is_not_shown_either() -> None:
    kind = msgspec.defstruct("Thing", [("name", Annotated[str, Meta(pattern="^x+$")])])
    with pytest.raises(msgspec.ValidationError) as refused:
        msgspec.convert({"name": "y"}, kind)
    assert "x+" not in build_body_error(refused.value, kind, {"name": "y"}).detail
