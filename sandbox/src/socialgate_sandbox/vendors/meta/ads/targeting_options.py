"""The places, interests and languages that ads can be aimed at. All countries exist, and some of what is in them."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from socialgate_sandbox import society

EU_COUNTRIES = frozenset(
    (
        *("AT", "BE", "BG", "CY", "CZ", "DE", "DK", "EE", "ES", "FI", "FR", "GR", "HR", "HU"),
        *("IE", "IT", "LT", "LU", "LV", "MT", "NL", "PL", "PT", "RO", "SE", "SI", "SK"),
    )
)


class TargetingLocation(NamedTuple):
    key: str
    name: str
    type: str
    country: str
    region: str = ""
    region_id: int = 0

    def to_search_row(self) -> dict[str, Any]:
        shown: dict[str, Any] = {"key": self.key, "name": self.name, "type": self.type}
        if self.type == "country_group":
            codes = sorted(COUNTRIES if self.country == "" else EU_COUNTRIES)
            return {**shown, "country_codes": codes, "is_worldwide": self.country == ""}
        shown |= {"country_code": self.country, "country_name": COUNTRIES[self.country]}
        if self.region:
            shown |= {"region": self.region, "region_id": self.region_id}
        return {**shown, "supports_region": True, "supports_city": self.type != "zip"}


def _read_countries() -> dict[str, str]:
    lines = Path(society.__file__).with_name("countries.txt").read_text().splitlines()
    result = [line.partition("\t") for line in lines if not line.startswith("#")]
    return {code: name for code, _tab, name in result}


COUNTRIES = _read_countries()
# The region's id, its country and name, then its cities with their keys.
_REGION_LINES = """
3847 US California: 2420379 Los Angeles; 2421836 San Francisco; 2420877 San Diego
3875 US New York: 2490299 New York; 2489887 Buffalo
3886 US Texas: 2518867 Austin; 2519371 Houston
3281 SE Stockholm County: 2088461 Stockholm; 2088299 Solna
3290 SE Uppsala County: 2088822 Uppsala
1034 DE Berlin: 552953 Berlin
1023 DE Bavaria: 554018 Munich; 553775 Nuremberg
1137 GB England: 808793 London; 804379 Bristol
1100 FR Ile-de-France: 777934 Paris
1080 ES Madrid: 675223 Madrid
1790 JP Tokyo: 1236670 Tokyo
460 BR Sao Paulo: 269969 Sao Paulo
2527 NG Lagos: 1664082 Lagos
"""
_REGIONS_BY_ZIP = {"US:10001": ("New York", 3875), "US:90001": ("California", 3847), "DE:10115": ("Berlin", 1034)}


def _iterate_locations() -> Iterator[TargetingLocation]:
    yield TargetingLocation("worldwide", "Worldwide", "country_group", "")
    yield TargetingLocation("european_union", "European Union", "country_group", "EU")
    for code, name in COUNTRIES.items():
        yield TargetingLocation(code, name, "country", code)
    for line in _REGION_LINES.strip().splitlines():
        head, _, cities = line.partition(": ")
        key, country, region = head.split(" ", 2)
        yield TargetingLocation(key, region, "region", country)
        for city in cities.split("; "):
            number, _, name = city.partition(" ")
            yield TargetingLocation(number, name, "city", country, region, int(key))
    for code, (region, region_id) in _REGIONS_BY_ZIP.items():
        yield TargetingLocation(code, code.partition(":")[2], "zip", code[:2], region, region_id)


LOCATIONS = {(place.type, place.key): place for place in _iterate_locations()}
# The id of each interest, its name, its path and how many people have it, in millions.
INTERESTS = {
    "6003348604581": ("Baking", "Food and drink", 210),
    "6003659420716": ("Cooking", "Food and drink", 480),
    "6003626773307": ("Coffee", "Food and drink", 390),
    "6003266266843": ("Bread", "Food and drink", 95),
    "6003384248805": ("Fitness and wellness", "Fitness and wellness", 620),
    "6003107902433": ("Football", "Sports and outdoors", 700),
    "6003139266461": ("Movies", "Entertainment", 900),
    "6003020834693": ("Music", "Entertainment", 1100),
    "6004160395895": ("Travel", "Hobbies and activities", 820),
    "6003629266583": ("Online shopping", "Shopping and fashion", 760),
}
LOCALES = {6: "English (US)", 24: "English (UK)", 5: "German", 9: "French (France)", 18: "Swedish", 23: "Spanish"} | {
    16: "Portuguese (Brazil)",
    11: "Japanese",
}
