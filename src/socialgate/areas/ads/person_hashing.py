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
from socialgate.contracts.ad_audiences import HashedPerson, HashingRules
from socialgate.core.errors import Fault

_SHA256_PATTERN = re.compile(r"[0-9a-f]{64}", re.ASCII)
_EMAIL_PATTERN = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s.]+")
_NON_DIGIT_PATTERN = re.compile(r"\D", re.ASCII)
_PLACE_PUNCTUATION_PATTERN = re.compile(r"[\d\s.()\-]")
_COUNTRY_PATTERN = re.compile(r"[a-z]{2}", re.ASCII)
# Of a phone number with its country code (E.164).
_MIN_PHONE_DIGITS, _MAX_PHONE_DIGITS = 7, 15
# Never hashed: platforms need them as they are.
_UNHASHED_FIELDS = frozenset({"ip", "user_agent", "click_id", "browser_id", "lead_id"})


class _UnusableValueError(ValueError):
    """Says what a value should look like."""


def _normalize_email(value: str) -> str:
    result = value.strip().lower()
    if not _EMAIL_PATTERN.fullmatch(result):
        raise _UnusableValueError("This is not an email address such as ada@example.com.")
    return result


def _normalize_phone(value: str) -> str:
    digits = _NON_DIGIT_PATTERN.sub("", value)
    digits = digits.removeprefix("00") if value.strip().startswith("00") else digits
    if digits.startswith("0") or not _MIN_PHONE_DIGITS <= len(digits) <= _MAX_PHONE_DIGITS:
        raise _UnusableValueError("Write the phone number with its country code, such as +51987654321.")
    return digits


def _normalize_country(value: str) -> str:
    result = value.strip().lower()
    if not _COUNTRY_PATTERN.fullmatch(result):
        raise _UnusableValueError("Use the two letters of ISO 3166, such as PE.")
    return result


def _strip_and_lower(value: str) -> str:
    return value.strip().lower()


_NORMALIZERS_BY_FIELD: Mapping[str, Callable[[str], str]] = {
    "email": _normalize_email,
    "phone": _normalize_phone,
    "external_id": str.strip,
    "first_name": _strip_and_lower,
    "last_name": _strip_and_lower,
    "gender": lambda value: value[:1],
    "birthday": str.strip,
    "city": lambda value: _PLACE_PUNCTUATION_PATTERN.sub("", _strip_and_lower(value)),
    "state": lambda value: _PLACE_PUNCTUATION_PATTERN.sub("", _strip_and_lower(value)),
    "zip": lambda value: re.sub(r"\s", "", _strip_and_lower(value)).partition("-")[0],
    "country": _normalize_country,
    "mobile_ad_id": _strip_and_lower,
}


def hash_person(person: AudiencePerson | EventPerson, hashing: HashingRules) -> HashedPerson:
    """Return what a platform gets of a person. Raises ValueError if something is unusable; see `validate_person`."""
    params = {name: value for name, value in msgspec.structs.asdict(person).items() if value is not None}
    return HashedPerson(**{name: _hash_value(name, value, hashing) for name, value in params.items()})


def validate_person(person: AudiencePerson | EventPerson, at: str) -> Iterator[Fault]:
    """Report what cannot be normalised, and a person of whom nothing is known."""
    params: dict[str, Any] = msgspec.structs.asdict(person)
    for name, value in params.items():
        if value is None or name in _UNHASHED_FIELDS:
            continue
        try:
            _normalize_value(name, value)
        except _UnusableValueError as error:
            yield Fault(f"{at}/{_to_camel_case(name)}", "invalid", str(error))
    if not any(params.values()):
        yield Fault(at, "required", "Send at least one thing that identifies the person, such as `email`.")


def _hash_value(name: str, value: str, hashing: HashingRules) -> str:
    if name in _UNHASHED_FIELDS:
        return value
    normal = _normalize_value(name, value)
    if _SHA256_PATTERN.fullmatch(normal) or name in hashing.unhashed_fields or name == "mobile_ad_id":
        return normal
    text = f"+{normal}" if name == "phone" and hashing.phone_with_plus else normal
    return sha256(text.encode()).hexdigest()


def _normalize_value(name: str, value: str) -> str:
    input_value = value.strip().lower()
    if _SHA256_PATTERN.fullmatch(input_value):
        return input_value
    normal = _NORMALIZERS_BY_FIELD[name](value)
    if not normal:
        raise _UnusableValueError("This contains nothing but spaces and punctuation.")
    return normal


def _to_camel_case(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(part.capitalize() for part in rest)
