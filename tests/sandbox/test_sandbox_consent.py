"""Which permissions a decision grants."""

from types import SimpleNamespace
from typing import Any, cast

import pytest
from starlette.datastructures import ImmutableMultiDict

from socialgate_sandbox.kernel.call import Call
from socialgate_sandbox.kit.consent_page import (
    ConsentAllowed,
    ConsentDenied,
    LoginCandidate,
    Scope,
    redirect_with_parameters,
    show_or_read_consent,
)

PEOPLE = [LoginCandidate("ada", "Ada"), LoginCandidate("bram", "Bram")]
SCOPES = [Scope("login", required=True), Scope("read"), Scope("write")]


def decide(*fields: tuple[str, str]) -> Any:
    call = SimpleNamespace(method="POST", form=ImmutableMultiDict(list(fields)))
    return show_or_read_consent(cast("Call", call), platform="Tiny", people=PEOPLE, scopes=SCOPES)


ASKED = ("asked", "1")
ALLOW = ("decision", "allow")


@pytest.mark.parametrize(
    ("fields", "outcome"),
    [
        ([ALLOW], ConsentAllowed("ada", ["login", "read", "write"])),
        ([ALLOW, ("person", "bram")], ConsentAllowed("bram", ["login", "read", "write"])),
        ([ALLOW, ASKED, ("person", "bram"), ("scope", "write")], ConsentAllowed("bram", ["login", "write"])),
        ([ALLOW, ASKED], ConsentAllowed("ada", ["login"])),
        ([ALLOW, ASKED, ("scope", "admin")], ConsentAllowed("ada", ["login"])),
        ([("decision", "deny"), ASKED, ("scope", "read")], ConsentDenied()),
        ([ASKED], ConsentDenied()),
        ([], ConsentDenied()),
    ],
)
def test_only_what_was_asked_and_ticked_is_granted(fields: list[tuple[str, str]], outcome: object) -> None:
    assert decide(*fields) == outcome


def test_the_way_back_keeps_what_the_address_had() -> None:
    back = redirect_with_parameters("https://a.example/cb?x=1", fragment="_=_", code="a b", state=None)
    assert back.headers["location"] == "https://a.example/cb?x=1&code=a+b#_=_"
