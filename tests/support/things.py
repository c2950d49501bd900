"""Real things for the places where routes name one: each public name has a factory here.

A route with a path parameter that is not listed fails the tests that walk all routes, and they say so.
"""

from collections.abc import Callable
from http import HTTPStatus
from typing import Any

import pytest

from socialgate.core.ids import is_id
from support.service import PASSWORD, OwnerOf

Factory = Callable[[OwnerOf], str]


def _first_profile(owner: OwnerOf) -> str:
    return owner.profile_id


def _new_key(owner: OwnerOf) -> str:
    return str(_made(owner, "/api-keys", {"name": "a thing", "scope": "all"})["id"])


def _new_hook(owner: OwnerOf) -> str:
    return str(_made(owner, "/hooks", {"url": "https://hooks.example.com/in", "events": ["post.published"]})["id"])


def _new_delivery(owner: OwnerOf) -> str:
    if owner.session.get(f"/hooks/{thing_of(owner, 'hookId')}").status_code == HTTPStatus.NOT_FOUND:
        # A test that calls every route has deleted the hook before it came here.
        owner.things["hookId"] = _new_hook(owner)
    return str(_made(owner, f"/hooks/{owner.things['hookId']}/test")["deliveryId"])


# What belongs to an owner, by the name of its id in paths, queries and bodies.
FACTORIES: dict[str, Factory] = {
    "profileId": _first_profile,
    "keyId": _new_key,
    "hookId": _new_hook,
    "deliveryId": _new_delivery,
}

# Path parameters that are words of the interface and belong to nobody.
WORDS = {"code": "not_found"}

# Fields of bodies whose right value depends on who calls.
_VALUES = {"currentPassword": PASSWORD}


def thing_of(owner: OwnerOf, name: str) -> str:
    """Give the id that stands for this name with this owner, and make the thing if it is not there yet."""
    if name in WORDS:
        return WORDS[name]
    if name not in FACTORIES:
        pytest.fail(
            f"No test knows how to make a {name!r}. Add a factory for it to FACTORIES in tests/support/things.py, "
            "or to WORDS if it is a word of the interface and not an id."
        )
    if name not in owner.things:
        owner.things[name] = FACTORIES[name](owner)
    return owner.things[name]


def with_real_things(example: Any, owner: OwnerOf, name: str = "") -> Any:
    """Put the owner's own things into an example where it names some."""
    if name in _VALUES:
        return _VALUES[name]
    if isinstance(example, dict):
        return {field: with_real_things(value, owner, field) for field, value in example.items()}
    if isinstance(example, list):
        singular = f"{name.removesuffix('Ids')}Id" if name.endswith("Ids") else name
        return [with_real_things(value, owner, singular) for value in example]
    if isinstance(example, str) and is_id(example.partition("_")[0], example):
        return thing_of(owner, name)
    return example


def _made(owner: OwnerOf, path: str, body: dict[str, Any] | None = None) -> Any:
    answer = owner.session.post(path, json=body)
    assert answer.is_success, answer.text
    return answer.json()
