"""Whether Google signed a token: keys are kept for an hour, and not looked for at every word of a stranger."""

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

import pytest

from connectors.google.signing import KEY, OTHER_KEY, Clock, Published, b64, jwk, token
from socialgate.connectors.google.jwt_verification import (
    JwtClaims,
    KeysUnavailableError,
    SigningKeyCache,
    parse_unverified_claims,
    verify_token,
)
from socialgate.connectors.google.responses import Jwk

T = TypeVar("T")


def run(task: Coroutine[Any, Any, T]) -> T:
    return asyncio.run(task)


def check(text: str, *kids: str) -> JwtClaims | None:
    return run(verify_token(text, SigningKeyCache(Published(*(kids or ("k1",))), Clock())))


def test_what_google_signed_is_read() -> None:
    claims = check(token({"iss": "i", "aud": "a", "jti": "1", "exp": 5, "events": {"e": {}}}))
    assert claims == JwtClaims(iss="i", aud="a", jti="1", exp=5, events={"e": {}})


def test_an_audience_may_be_several() -> None:
    assert JwtClaims(aud="a").list_audiences() == ["a"]
    assert JwtClaims(aud=["a", "b"]).list_audiences() == ["a", "b"]
    assert JwtClaims().list_audiences() == []


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a.b",
        "a.b.c.d",
        "é.b.c",
        token({}, key=OTHER_KEY),
        token({}, alg="none"),
        token({}, alg="HS256"),
        token({}, kid=""),
        token({}, kid="k2"),
        token({}).rpartition(".")[0] + ".",
        token({}).rpartition(".")[0] + ".AAAA",
        token({})[:-4] + "!!!!",
        token({"iss": "a"}).split(".")[0] + "." + ".".join(token({"iss": "b"}).split(".")[1:]).replace(".", "x.", 1),
        b64(b'{"alg":"none"}') + "." + b64(b"{}") + ".",
        token("just text"),
        "a" * 70_000 + ".b.c",
    ],
)
def test_nothing_else_is_believed(text: str) -> None:
    assert check(text) is None


def test_a_changed_payload_is_not_believed() -> None:
    header, _, signature = token({"aud": "a"}).split(".")
    assert check(f"{header}.{b64(b'{}')}.{signature}") is None


def test_claims_can_be_read_again_without_the_key() -> None:
    assert parse_unverified_claims(token({"jti": "1"}, key=OTHER_KEY)) == JwtClaims(jti="1")
    assert parse_unverified_claims("a.b") is None


def test_keys_are_fetched_once_an_hour() -> None:
    async def scenario() -> None:
        clock, published = Clock(), Published("k1")
        keys = SigningKeyCache(published, clock)
        await asyncio.gather(*(keys.find("k1") for _ in range(20)))
        assert published.asked == 1
        clock.move(minutes=59)
        assert await keys.find("k1") is not None
        assert published.asked == 1
        clock.move(minutes=2)
        assert await keys.find("k1") is not None
        assert published.asked == 2

    run(scenario())


def test_strangers_cannot_have_keys_fetched_all_the_time() -> None:
    async def scenario() -> None:
        clock, published = Clock(), Published("k1")
        keys = SigningKeyCache(published, clock)
        for number in range(50):
            assert await keys.find(f"made-up-{number}") is None
        assert published.asked == 1
        published.kids = ("k1", "k2")
        clock.move(seconds=31)
        assert await keys.find("k2") is not None
        assert published.asked == 2

    run(scenario())


def test_old_keys_are_used_while_google_is_away() -> None:
    async def scenario() -> None:
        clock, published = Clock(), Published("k1")
        keys = SigningKeyCache(published, clock)
        assert await keys.find("k1") is not None
        published.down = True
        clock.move(hours=2)
        assert await keys.find("k1") is not None
        with pytest.raises(KeysUnavailableError):
            await keys.find("k2")
        assert published.asked == 2
        published.down = False
        clock.move(seconds=31)
        assert await keys.find("k2") is None

    run(scenario())


def test_a_key_that_was_withdrawn_is_forgotten() -> None:
    async def scenario() -> None:
        clock, published = Clock(), Published("k1")
        keys = SigningKeyCache(published, clock)
        assert await keys.find("k1") is not None
        published.kids = ("k2",)
        clock.move(hours=2)
        assert await keys.find("k1") is None

    run(scenario())


@pytest.mark.parametrize(
    "odd",
    [
        Jwk(kid="k1", kty="EC", n="AQAB", e="AQAB"),
        Jwk(kid="k1", kty="RSA"),
        Jwk(kid="k1", kty="RSA", n="!", e="AQAB"),
        Jwk(kid="k1", kty="RSA", n="AQ", e="AQ"),
    ],
)
def test_keys_that_are_none_are_left_out(odd: Jwk) -> None:
    async def fetch() -> list[Jwk]:
        return [odd, jwk("k2", KEY)]

    async def scenario() -> None:
        keys = SigningKeyCache(fetch, Clock())
        assert await keys.find("k1") is None
        assert await keys.find("k2") is not None

    run(scenario())
