"""Which permissions a decision grants."""

from types import SimpleNamespace
from typing import Any, cast

import pytest
from starlette.datastructures import ImmutableMultiDict

from socialgate_sandbox.kernel.call import Call
from socialgate_sandbox.kit.consent import Allowed, Candidate, Denied, Scope, consent, send_back

PEOPLE = [Candidate("ada", "Ada"), Candidate("bram", "Bram")]
SCOPES = [Scope("login", required=True), Scope("read"), Scope("write")]


def decide(*fields: tuple[str, str]) -> Any:
    call = SimpleNamespace(method="POST", form=ImmutableMultiDict(list(fields)))
    return consent(cast("Call", call), platform="Tiny", people=PEOPLE, scopes=SCOPES)


ASKED = ("asked", "1")
ALLOW = ("decision", "allow")


@pytest.mark.parametrize(
    ("fields", "outcome"),
    [
        ([ALLOW], Allowed("ada", ["login", "read", "write"])),
        ([ALLOW, ("person", "bram")], Allowed("bram", ["login", "read", "write"])),
        ([ALLOW, ASKED, ("person", "bram"), ("scope", "write")], Allowed("bram", ["login", "write"])),
        ([ALLOW, ASKED], Allowed("ada", ["login"])),
        ([ALLOW, ASKED, ("scope", "admin")], Allowed("ada", ["login"])),
        ([("decision", "deny"), ASKED, ("scope", "read")], Denied()),
        ([ASKED], Denied()),
        ([], Denied()),
    ],
)
def test_only_what_was_asked_and_ticked_is_granted(fields: list[tuple[str, str]], outcome: object) -> None:
    assert decide(*fields) == outcome


def test_the_way_back_keeps_what_the_address_had() -> None:
    back = send_back("https://a.example/cb?x=1", fragment="_=_", code="a b", state=None)
    assert back.headers["location"] == "https://a.example/cb?x=1&code=a+b#_=_"
