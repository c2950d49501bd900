"""What identifies people is normalised and hashed as each platform wants it, and is never repeated in an error."""

import re
from hashlib import sha256
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from socialgate.areas.ads.audience_schemas import AudiencePerson
from socialgate.areas.ads.event_schemas import EventPerson
from socialgate.areas.ads.person_hashing import hash_person, validate_person
from socialgate.contracts.ad_audiences import HashingRules

META = HashingRules(phone_with_plus=False)
TIKTOK = HashingRules(phone_with_plus=True, unhashed_fields=frozenset({"city", "state", "country"}))
# From the documentation of the platforms.
VECTORS = [
    (META, {"email": " John_Smith@gmail.com "}, "62a14e44f765419d10fea99367361a727c12365e2520f32218d505ed9aa0f62f"),
    (META, {"phone": "+1 (650) 555-1212"}, "e323ec626319ca94ee8bff2e4c87cf613be6ea19919ed1364124e16807ab3176"),
    (META, {"city": "Menlo Park"}, "0007a3d64c01e23d5075203c5977c14e4f7e01a3fc570686fcc50b5e1dd42685"),
    (META, {"country": "US"}, "79adb2a2fce5c6ba215fe5f27f532d4e7edbac4b6a5e09e1ef3a08084a904621"),
    (META, {"birthday": "19970216"}, "01acdbf6ec7b4f478a225f1a246e5d6767eeab1a7ffa17f025265b5b94f40f0c"),
    (TIKTOK, {"email": "Alice_abc@Gmail.com"}, "848a771458438fc2ec420560d769fb9b9b86851ee338ec56517baabd79d3bb4f"),
    (TIKTOK, {"phone": "0012133734253"}, "9f7ec22d72092cd3c0b58726ed9c2d91b92e51a3f29837508fb2948bb22dd2fd"),
    (TIKTOK, {"external_id": "user_123"}, "80fba0ae1c48e3978e43e4efc365e14e12ea0c830ba8ba5b9a2dafc7e3f2ab8b"),
    (TIKTOK, {"city": "São Paulo"}, "sãopaulo"),
]


@pytest.mark.parametrize(("hashing", "person", "expected"), VECTORS)
def test_the_hashes_are_those_of_the_docs(hashing: HashingRules, person: dict[str, Any], expected: str) -> None:
    (name,) = person
    assert getattr(hash_person(EventPerson(**person), hashing), name) == expected


def test_a_hash_is_not_hashed_again_and_what_platforms_need_as_it_is_stays() -> None:
    digest = sha256(b"ada@example.com").hexdigest()
    person = EventPerson(email=digest.upper(), ip="203.0.113.7", user_agent="Mozilla/5.0", click_id="fb.1.2.Ab")
    hashed_person = hash_person(person, META)
    assert (hashed_person.email, hashed_person.ip, hashed_person.user_agent, hashed_person.click_id) == (
        digest,
        "203.0.113.7",
        "Mozilla/5.0",
        "fb.1.2.Ab",
    )
    assert hash_person(AudiencePerson(mobile_ad_id=" AbC-1 "), META).mobile_ad_id == "abc-1"


@pytest.mark.parametrize(
    ("person", "pointer"),
    [
        ({"email": "not an address"}, "/user/email"),
        ({"phone": "0151 23456789"}, "/user/phone"),
        ({"phone": "12"}, "/user/phone"),
        ({"country": "Peru"}, "/user/country"),
        ({"city": "12 - 3"}, "/user/city"),
        ({}, "/user"),
    ],
)
def test_what_cannot_be_normalised_is_named_but_not_repeated(person: dict[str, Any], pointer: str) -> None:
    (fault,) = validate_person(EventPerson(**person), "/user")
    assert fault.pointer == pointer
    assert all(value not in fault.detail for value in person.values())


_NAMES = st.text(st.characters(categories=["L"]), min_size=4, max_size=20)


@given(first=_NAMES, last=_NAMES, digits=st.integers(10**9, 10**14))
def test_nothing_that_was_given_is_in_what_is_stored(first: str, last: str, digits: int) -> None:
    given_values: dict[str, Any] = {
        "email": f"{first}@{last}.example",
        "phone": f"+{digits}",
        "first_name": first,
        "last_name": last,
        "external_id": f"{first}-{digits}",
    }
    person = EventPerson(**given_values)
    assert not list(validate_person(person, ""))
    stored = msgspec.json.encode(hash_person(person, META)).decode()
    assert all(re.fullmatch(r"[0-9a-f]{64}", value) for value in msgspec.json.decode(stored).values())
