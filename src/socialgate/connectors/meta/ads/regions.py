"""Countries in which Meta only shows ads with a verified beneficiary and payer.

They are declared with the ad set, in Meta's own words: a category, and the ids of the two identities. Nothing lists
these ids, and defaults of an ad account are not readable, so both are required here.
"""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from socialgate.connectors.json_paths import get_list, get_text_or_number
from socialgate.connectors.meta.ads.targeting import reaches_asian_country
from socialgate.contracts.ad_values import AdTargeting
from socialgate.core.errors import Fault

REGULATED_CATEGORIES_OPTION = "regional_regulated_categories"
REGULATION_IDENTITIES_OPTION = "regional_regulation_identities"


class RegionalAdRegulation(NamedTuple):
    place: str
    category: str
    identities: tuple[str, str]


REGULATIONS_BY_COUNTRY = {
    "SG": RegionalAdRegulation(
        "Singapore", "SINGAPORE_UNIVERSAL", ("singapore_universal_beneficiary", "singapore_universal_payer")
    ),
    "TW": RegionalAdRegulation(
        "Taiwan", "TAIWAN_UNIVERSAL", ("taiwan_universal_beneficiary", "taiwan_universal_payer")
    ),
}


def regional_faults(targeting: AdTargeting, options: Mapping[str, Any]) -> Iterator[Fault]:
    for country, regulation in REGULATIONS_BY_COUNTRY.items():
        if reaches_asian_country(targeting, country):
            yield from _validate_regulation(regulation, options)


def _validate_regulation(regulation: RegionalAdRegulation, options: Mapping[str, Any]) -> Iterator[Fault]:
    place, category, identities = regulation
    if category not in get_list(options, REGULATED_CATEGORIES_OPTION):
        text = f"Meta requires this for ads in {place}. Add {category} to {REGULATED_CATEGORIES_OPTION}."
        yield Fault(f"/platformOptions/{REGULATED_CATEGORIES_OPTION}", "required", text)
    for name, whose in zip(identities, ("who benefits from the ads", "who pays for the ads"), strict=True):
        pointer, value = (
            f"/platformOptions/{REGULATION_IDENTITIES_OPTION}/{name}",
            get_text_or_number(options, REGULATION_IDENTITIES_OPTION, name),
        )
        if not value:
            text = f"Meta requires a verified identity for ads in {place}. Set {name} to the id of {whose}."
            yield Fault(pointer, "required", text)
        elif not value.isdecimal():
            yield Fault(pointer, "invalid", f"{name} must be the id of a verified identity, which has only digits.")
