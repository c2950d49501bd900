"""What identifies people is normalised and hashed here, before anything is stored or sent.

Platforms compare hashes, so everybody has to normalise in the same way. What is already a SHA-256 hash stays as it is.
Nothing here keeps or logs what it was given; faults name the field, never its value.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from hashlib import sha256
from typing import Any

import msgspec

from socialgate.areas.ads.audience_schemas import AudiencePerson
from socialgate.areas.ads.event_schemas import EventPerson
from socialgate.contracts.ad_audiences import Hashing, PersonData
from socialgate.core.errors import Fault

_HASH = re.compile(r"[0-9a-f]{64}", re.ASCII)
_EMAIL = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s.]+")
_NOT_DIGITS = re.compile(r"\D", re.ASCII)
_PLACE = re.compile(r"[\d\s.()\-]")
_COUNTRY = re.compile(r"[a-z]{2}", re.ASCII)
# Of a phone number with its country code (E.164).
_FEWEST_DIGITS, _MOST_DIGITS = 7, 15
# Never hashed: platforms need them as they are.
_AS_GIVEN = frozenset({"ip", "user_agent", "click_id", "browser_id", "lead_id"})


class _Unusable(ValueError):
    """Says what a value should look like."""


def _email(value: str) -> str:
    found = value.strip().lower()
    if not _EMAIL.fullmatch(found):
        raise _Unusable("This is not an email address such as ada@example.com.")
    return found


def _phone(value: str) -> str:
    digits = _NOT_DIGITS.sub("", value)
    digits = digits.removeprefix("00") if value.strip().startswith("00") else digits
    if digits.startswith("0") or not _FEWEST_DIGITS <= len(digits) <= _MOST_DIGITS:
        raise _Unusable("Write the phone number with its country code, such as +51987654321.")
    return digits


def _country(value: str) -> str:
    found = value.strip().lower()
    if not _COUNTRY.fullmatch(found):
        raise _Unusable("Use the two letters of ISO 3166, such as PE.")
    return found


def _lower(value: str) -> str:
    return value.strip().lower()


_RULES: Mapping[str, Callable[[str], str]] = {
    "email": _email,
    "phone": _phone,
    "external_id": str.strip,
    "first_name": _lower,
    "last_name": _lower,
    "gender": lambda value: value[:1],
    "birthday": str.strip,
    "city": lambda value: _PLACE.sub("", _lower(value)),
    "state": lambda value: _PLACE.sub("", _lower(value)),
    "zip": lambda value: re.sub(r"\s", "", _lower(value)).partition("-")[0],
    "country": _country,
    "mobile_ad_id": _lower,
}


def hashed(person: AudiencePerson | EventPerson, hashing: Hashing) -> PersonData:
    """Return what a platform gets of a person. Raises ValueError if something is unusable; see `person_faults`."""
    given = {name: value for name, value in msgspec.structs.asdict(person).items() if value is not None}
    return PersonData(**{name: _one(name, value, hashing) for name, value in given.items()})


def person_faults(person: AudiencePerson | EventPerson, at: str) -> Iterator[Fault]:
    """Report what cannot be normalised, and a person of whom nothing is known."""
    given: dict[str, Any] = msgspec.structs.asdict(person)
    for name, value in given.items():
        if value is None or name in _AS_GIVEN:
            continue
        try:
            _normal(name, value)
        except _Unusable as error:
            yield Fault(f"{at}/{_camel(name)}", "invalid", str(error))
    if not any(given.values()):
        yield Fault(at, "required", "Send at least one thing that identifies the person, such as `email`.")


def _one(name: str, value: str, hashing: Hashing) -> str:
    if name in _AS_GIVEN:
        return value
    normal = _normal(name, value)
    if _HASH.fullmatch(normal) or name in hashing.plain or name == "mobile_ad_id":
        return normal
    text = f"+{normal}" if name == "phone" and hashing.phone_with_plus else normal
    return sha256(text.encode()).hexdigest()


def _normal(name: str, value: str) -> str:
    given = value.strip().lower()
    if _HASH.fullmatch(given):
        return given
    normal = _RULES[name](value)
    if not normal:
        raise _Unusable("This contains nothing but spaces and punctuation.")
    return normal


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(part.capitalize() for part in rest)
