"""Declarations that the law of some countries requires: who benefits from an ad, and who pays for it."""

from collections.abc import Set as AbstractSet
from typing import Any

from socialgate_sandbox.dialects.graph.managed_objects import build_blame_error, parse_list

DECLARATION_FIELDS = ("regional_regulated_categories", "regional_regulation_identities")
_REGULATED_CATEGORIES = (
    *("TAIWAN_FINSERV", "AUSTRALIA_FINSERV", "INDIA_FINSERV", "TAIWAN_UNIVERSAL", "SINGAPORE_UNIVERSAL"),
    *("THAILAND_UNIVERSAL", "BRAZIL_REGULATION"),
)
# Countries whose ads all need one. Other categories are for some industries, or for accounts that Meta has informed.
_UNIVERSAL_COUNTRIES = {"TW": ("Taiwan", None), "SG": ("Singapore", 3858550)}


def parse_regulated_categories(name: str, value: Any) -> list[Any]:
    existing_items = parse_list(name, value)
    for place, word in enumerate(existing_items):
        if word not in _REGULATED_CATEGORIES:
            raise build_blame_error(name, f"{name}[{place}] must be one of {{{', '.join(_REGULATED_CATEGORIES)}}}")
    return existing_items


def validate_declarations(reached_countries: AbstractSet[str], fields: dict[str, Any]) -> None:
    for country in sorted(reached_countries & _UNIVERSAL_COUNTRIES.keys()):
        name, subcode = _UNIVERSAL_COUNTRIES[country]
        category = f"{name.upper()}_UNIVERSAL"
        if category not in fields.get(DECLARATION_FIELDS[0], ()):
            message = (
                f"The ad set reaches people in {name}. Use the following value in {DECLARATION_FIELDS[0]}: {category}"
            )
            raise build_blame_error(
                DECLARATION_FIELDS[0], message, subcode=subcode, title=f"No {name} universal ads declaration"
            )
        _validate_identities(category.lower(), fields.get(DECLARATION_FIELDS[1], {}))


def _validate_identities(category: str, identities: dict[str, Any]) -> None:
    for name in (f"{category}_beneficiary", f"{category}_payer"):
        value = str(identities.get(name) or "")
        if not value:
            message = f"Set {name} to the id of a verified identity."
            raise build_blame_error(DECLARATION_FIELDS[1], message, title="No beneficiary/payer provided")
        if not value.isdecimal():
            raise build_blame_error(DECLARATION_FIELDS[1], f"{name} must be a number")
