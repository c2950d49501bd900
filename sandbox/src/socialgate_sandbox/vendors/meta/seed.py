"""The people of the sandbox on Facebook and Instagram. Ada owns, Bram serves clients, Cleo has nothing yet."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from socialgate_sandbox.kit import OWNERS, Thing, World
from socialgate_sandbox.kit.seeding import seeded
from socialgate_sandbox.society.catalogs import Catalog
from socialgate_sandbox.society.leads import Choice, Question
from socialgate_sandbox.vendors.meta.ads.accounts import DISABLED
from socialgate_sandbox.vendors.meta.ads.pixels import Pixel
from socialgate_sandbox.vendors.meta.commerce.catalogs import Shop
from socialgate_sandbox.vendors.meta.leads.forms import LeadForm
from socialgate_sandbox.vendors.meta.state import (
    ALL_TASKS,
    AdAccount,
    Business,
    Human,
    Instagram,
    Page,
    Role,
    Subscription,
)
from socialgate_sandbox.vendors.meta.webhooks import FIELDS

ADA, BRAM, CLEO = "122097438912000101", "122097438912000202", "122097438912000303"
BAKERY, CATERING, JOBS = "104857600000101", "104857600000102", "104857600000103"
AGENCY, CLIENT, UNTICKED = "104857600000201", "104857600000202", "104857600000203"
BAKERY_CATALOG, BAKERY_SHOP = "2750000000000101", "2860000000000101"
BAKERY_PIXEL = "3970000000000101"
BAKERY_FORM, AGENCY_FORM = "1060000000000101", "1060000000000201"
BAKERY_IG, AGENCY_IG = "17841400000000101", "17841400000000201"
ADA_BUSINESS, BRAM_BUSINESS = "506070800000101", "506070800000201"
ADA_ADS, AGENCY_ADS, CLOSED_ADS, CLIENT_ADS = (
    "act_2098765000000101",
    "act_2098765000000201",
    "act_2098765000000202",
    "act_2098765000000203",
)
_FOUNDED = datetime(2021, 3, 14, 9, 26, 53, tzinfo=UTC)


@seeded
def seed(world: World) -> Iterator[Thing]:
    for key, person in zip((ADA, BRAM, CLEO), OWNERS, strict=True):
        yield Human(id=key, name=person.name, email=person.email, about=person.about)
    yield Business(id=ADA_BUSINESS, name="Lindqvist Bakery AB", members=[ADA])
    yield Business(
        id=BRAM_BUSINESS,
        name="Okafor Media",
        members=[BRAM],
        client_pages=[CLIENT],
        client_ad_accounts=[CLIENT_ADS],
    )
    yield from _pages()
    yield from _instagram()
    yield from _ad_accounts()
    yield from _roles()
    yield from _forms()
    yield from _shop()
    for name, fields in FIELDS.items():
        url, verify_token = world.app.webhook_url, world.app.verify_token
        yield Subscription(id=name, callback_url=url, verify_token=verify_token, fields=list(fields))


def _pages() -> Iterator[Page]:
    yield Page(
        id=BAKERY,
        parent=ADA_BUSINESS,
        name="Lindqvist Bakery",
        username="lindqvistbakery",
        category="Bakery",
        category_id="128673187201735",
        about="Sourdough, cardamom buns and strong coffee since 2021.",
        website="https://bakery.example.com/",
        followers_count=2480,
        fan_count=2391,
        verification_status="blue_verified",
        made=_FOUNDED,
        details=_in("Uppsala", "Sweden"),
    )
    yield _page(CATERING, ADA_BUSINESS, "Lindqvist Catering", "Caterer", "164049010316507", _in("Uppsala", "Sweden"))
    # A community has no address.
    yield _page(JOBS, "", "Bakers Wanted", "Community", "2612", {})
    yield _page(
        AGENCY, BRAM_BUSINESS, "Okafor Media", "Advertising Agency", "162183907165552", _in("Berlin", "Germany")
    )
    yield _page(CLIENT, "", "Harbour Cinema", "Movie Theater", "192511100766680", _in("Bristol", "United Kingdom"))
    yield _page(UNTICKED, BRAM_BUSINESS, "Okafor Labs", "Software Company", "1130035050388269", _in("Lyon", "France"))


def _in(city: str, country: str) -> dict[str, Any]:
    return {"location": {"city": city, "country": country}}


def _page(key: str, business: str, name: str, category: str, category_id: str, details: dict[str, Any]) -> Page:
    username = name.lower().replace(" ", "")
    about = f"{name} on Facebook."
    return Page(
        id=key, parent=business, name=name, username=username, category=category, category_id=category_id, about=about,
        followers_count=140, fan_count=131, made=_FOUNDED, details=details,
    )  # fmt: skip


def _instagram() -> Iterator[Instagram]:
    yield Instagram(
        id=BAKERY_IG,
        parent=BAKERY,
        username="lindqvist.bakery",
        name="Lindqvist Bakery",
        biography="Buns before noon.",
        website="https://bakery.example.com/",
        followers_count=8120,
        follows_count=213,
    )
    yield Instagram(id=AGENCY_IG, parent=AGENCY, username="okafor.media", name="Okafor Media", followers_count=96)


def _ad_accounts() -> list[Thing]:
    def account(key: str, business: str, name: str, currency: str, zone: str, offset: int, status: int = 1) -> Thing:
        return AdAccount(
            id=key, parent=business, name=name, currency=currency, timezone_name=zone, timezone_offset_hours_utc=offset,
            account_status=status, disable_reason=1 if status == DISABLED else 0, made=_FOUNDED,
        )  # fmt: skip

    return [
        account(ADA_ADS, ADA_BUSINESS, "Bakery ads", "SEK", "Europe/Stockholm", 1),
        account(AGENCY_ADS, BRAM_BUSINESS, "Agency ads", "EUR", "Europe/Berlin", 1),
        account(CLOSED_ADS, BRAM_BUSINESS, "Agency ads (old)", "USD", "America/New_York", -5, DISABLED),
        account(CLIENT_ADS, "", "Harbour Cinema ads", "JPY", "Asia/Tokyo", 9),
        Pixel(id=BAKERY_PIXEL, parent=ADA_ADS, name="Lindqvist Bakery's Pixel", made=_FOUNDED, changed=_FOUNDED),
    ]


def _forms() -> list[Thing]:
    usual = [
        Question(key="full_name", kind="FULL_NAME", label="Full name"),
        Question(key="email", kind="EMAIL", label="Email"),
        Question(key="phone_number", kind="PHONE", label="Phone number"),
    ]
    sizes = [Choice("small", "Up to 10 people"), Choice("large", "More than 10 people")]
    cake = Question(key="how_many", kind="CUSTOM", label="How many of you are there?", options=sizes)
    words = Question(key="anything_else", kind="CUSTOM", label="Anything else?")
    policy = {"url": "https://bakery.example.com/privacy", "link_text": "How we handle your data"}

    def form(key: str, page: str, name: str, country: str, locale: str, *more: Question) -> Thing:
        return LeadForm(
            id=key, parent=page, name=name, questions=[*usual, *more], made=_FOUNDED, country=country, locale=locale,
            privacy_policy=policy,
        )  # fmt: skip

    return [
        form(BAKERY_FORM, BAKERY, "Order a cake", "SE", "sv_SE", cake, words),
        form(AGENCY_FORM, AGENCY, "Ask for a quote", "DE", "de_DE"),
    ]


def _shop() -> Iterator[Thing]:
    name, email = "Lindqvist Bakery", "shop@bakery.example.com"
    yield Catalog(id=BAKERY_CATALOG, parent=ADA_BUSINESS, name="Bakery goods", kind="commerce", made=_FOUNDED)
    yield Shop(id=BAKERY_SHOP, parent=ADA_BUSINESS, name=name, email=email, catalog=BAKERY_CATALOG, page=BAKERY)


def _roles() -> list[Thing]:
    ads = ["DRAFT", "ANALYZE", "ADVERTISE", "MANAGE"]
    given: list[tuple[str, str, list[str], bool]] = [
        (ADA, BAKERY, ALL_TASKS, True),
        (ADA, CATERING, ALL_TASKS, True),
        (ADA, JOBS, ALL_TASKS, True),
        (ADA, ADA_ADS, ads, True),
        (BRAM, AGENCY, ALL_TASKS, True),
        (BRAM, CLIENT, ["ADVERTISE", "ANALYZE"], True),
        (BRAM, UNTICKED, ALL_TASKS, False),
        (BRAM, AGENCY_ADS, ads, True),
        (BRAM, CLOSED_ADS, ads, True),
        (BRAM, CLIENT_ADS, ["ANALYZE", "ADVERTISE"], True),
    ]
    return [
        Role(id=f"{human}:{asset}", parent=human, asset=asset, tasks=tasks, ticked=ticked)
        for human, asset, tasks, ticked in given
    ]
