"""Declarations that the law of some countries requires: who benefits from an ad, and who pays for it."""

from collections.abc import Set as AbstractSet
from typing import Any

from socialgate_sandbox.dialects.graph.objects import invalid, items

DECLARED = ("regional_regulated_categories", "regional_regulation_identities")
_CATEGORIES = (
    *("TAIWAN_FINSERV", "AUSTRALIA_FINSERV", "INDIA_FINSERV", "TAIWAN_UNIVERSAL", "SINGAPORE_UNIVERSAL"),
    *("THAILAND_UNIVERSAL", "BRAZIL_REGULATION"),
)
# Countries whose ads all need one. Other categories are for some industries, or for accounts that Meta has informed.
_UNIVERSAL = {"TW": ("Taiwan", None), "SG": ("Singapore", 3858550)}


def regulated(name: str, given: Any) -> list[Any]:
    found = items(name, given)
    for place, word in enumerate(found):
        if word not in _CATEGORIES:
            raise invalid(name, f"{name}[{place}] must be one of {{{', '.join(_CATEGORIES)}}}")
    return found


def check_declarations(reached: AbstractSet[str], fields: dict[str, Any]) -> None:
    for country in sorted(reached & _UNIVERSAL.keys()):
        name, subcode = _UNIVERSAL[country]
        category = f"{name.upper()}_UNIVERSAL"
        if category not in fields.get(DECLARED[0], ()):
            said = f"The ad set reaches people in {name}. Use the following value in {DECLARED[0]}: {category}"
            raise invalid(DECLARED[0], said, subcode=subcode, title=f"No {name} universal ads declaration")
        _check_identities(category.lower(), fields.get(DECLARED[1], {}))


def _check_identities(category: str, identities: dict[str, Any]) -> None:
    for name in (f"{category}_beneficiary", f"{category}_payer"):
        value = str(identities.get(name) or "")
        if not value:
            said = f"Set {name} to the id of a verified identity."
            raise invalid(DECLARED[1], said, title="No beneficiary/payer provided")
        if not value.isdecimal():
            raise invalid(DECLARED[1], f"{name} must be a number")
