"""The people of the sandbox on Facebook and Instagram. Ada owns, Bram serves clients, Cleo has nothing yet."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from socialgate_sandbox.kit import OWNERS, StoredObject, VendorContext
from socialgate_sandbox.kit.seed import build_seed
from socialgate_sandbox.society.catalogs import Catalog
from socialgate_sandbox.society.leads import Choice, Question
from socialgate_sandbox.vendors.meta.ads.ad_accounts import DISABLED_STATUS
from socialgate_sandbox.vendors.meta.ads.pixels import Pixel
from socialgate_sandbox.vendors.meta.commerce.catalogs import Shop
from socialgate_sandbox.vendors.meta.leads.lead_forms import LeadForm
from socialgate_sandbox.vendors.meta.stored_objects import (
    ALL_TASKS,
    AdAccount,
    Business,
    Human,
    Instagram,
    Page,
    Role,
    Subscription,
)
from socialgate_sandbox.vendors.meta.webhook_subscriptions import WEBHOOK_FIELDS

ADA, BRAM, CLEO = "122097438912000101", "122097438912000202", "122097438912000303"
BAKERY, CATERING, JOBS = "104857600000101", "104857600000102", "104857600000103"
AGENCY, CLIENT, UNSELECTED_PAGE_ID = "104857600000201", "104857600000202", "104857600000203"
BAKERY_CATALOG, BAKERY_SHOP = "2750000000000101", "2860000000000101"
BAKERY_PIXEL = "3970000000000101"
BAKERY_FORM, AGENCY_FORM = "1060000000000101", "1060000000000201"
BAKERY_IG, AGENCY_IG = "17841400000000101", "17841400000000201"
ADA_BUSINESS, BRAM_BUSINESS = "506070800000101", "506070800000201"
ADA_ADS, AGENCY_ADS, DISABLED_AD_ACCOUNT_ID, CLIENT_ADS = (
    "act_2098765000000101",
    "act_2098765000000201",
    "act_2098765000000202",
    "act_2098765000000203",
)
_CREATED_AT = datetime(2021, 3, 14, 9, 26, 53, tzinfo=UTC)


@build_seed
def seed(context: VendorContext) -> Iterator[StoredObject]:
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
    yield from _build_pages()
    yield from _build_instagram_accounts()
    yield from _build_ad_accounts()
    yield from _build_roles()
    yield from _build_lead_forms()
    yield from _build_shop()
    for name, fields in WEBHOOK_FIELDS.items():
        url, verify_token = context.app.webhook_url, context.app.verify_token
        yield Subscription(id=name, callback_url=url, verify_token=verify_token, fields=list(fields))


def _build_pages() -> Iterator[Page]:
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
        created_at=_CREATED_AT,
        details=_build_location("Uppsala", "Sweden"),
    )
    yield _build_page(
        CATERING, ADA_BUSINESS, "Lindqvist Catering", "Caterer", "164049010316507", _build_location("Uppsala", "Sweden")
    )
    # A community has no address.
    yield _build_page(JOBS, "", "Bakers Wanted", "Community", "2612", {})
    yield _build_page(
        AGENCY,
        BRAM_BUSINESS,
        "Okafor Media",
        "Advertising Agency",
        "162183907165552",
        _build_location("Berlin", "Germany"),
    )
    yield _build_page(
        CLIENT, "", "Harbour Cinema", "Movie Theater", "192511100766680", _build_location("Bristol", "United Kingdom")
    )
    yield _build_page(
        UNSELECTED_PAGE_ID,
        BRAM_BUSINESS,
        "Okafor Labs",
        "Software Company",
        "1130035050388269",
        _build_location("Lyon", "France"),
    )


def _build_location(city: str, country: str) -> dict[str, Any]:
    return {"location": {"city": city, "country": country}}


def _build_page(
    page_id: str, business_id: str, name: str, category: str, category_id: str, details: dict[str, Any]
) -> Page:
    username = name.lower().replace(" ", "")
    about = f"{name} on Facebook."
    return Page(
        id=page_id,
        parent=business_id,
        name=name,
        username=username,
        category=category,
        category_id=category_id,
        about=about,
        followers_count=140,
        fan_count=131,
        created_at=_CREATED_AT,
        details=details,
    )


def _build_instagram_accounts() -> Iterator[Instagram]:
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


def _build_ad_accounts() -> list[StoredObject]:
    def account(
        page_id: str, business_id: str, name: str, currency: str, zone: str, offset: int, status: int = 1
    ) -> StoredObject:
        return AdAccount(
            id=page_id,
            parent=business_id,
            name=name,
            currency=currency,
            timezone_name=zone,
            timezone_offset_hours_utc=offset,
            account_status=status,
            disable_reason=1 if status == DISABLED_STATUS else 0,
            created_at=_CREATED_AT,
        )

    return [
        account(ADA_ADS, ADA_BUSINESS, "Bakery ads", "SEK", "Europe/Stockholm", 1),
        account(AGENCY_ADS, BRAM_BUSINESS, "Agency ads", "EUR", "Europe/Berlin", 1),
        account(
            DISABLED_AD_ACCOUNT_ID, BRAM_BUSINESS, "Agency ads (old)", "USD", "America/New_York", -5, DISABLED_STATUS
        ),
        account(CLIENT_ADS, "", "Harbour Cinema ads", "JPY", "Asia/Tokyo", 9),
        Pixel(
            id=BAKERY_PIXEL,
            parent=ADA_ADS,
            name="Lindqvist Bakery's Pixel",
            created_at=_CREATED_AT,
            changed=_CREATED_AT,
        ),
    ]


def _build_lead_forms() -> list[StoredObject]:
    usual = [
        Question(key="full_name", kind="FULL_NAME", label="Full name"),
        Question(key="email", kind="EMAIL", label="Email"),
        Question(key="phone_number", kind="PHONE", label="Phone number"),
    ]
    sizes = [Choice("small", "Up to 10 people"), Choice("large", "More than 10 people")]
    cake = Question(key="how_many", kind="CUSTOM", label="How many of you are there?", options=sizes)
    words = Question(key="anything_else", kind="CUSTOM", label="Anything else?")
    policy = {"url": "https://bakery.example.com/privacy", "link_text": "How we handle your data"}

    def form(page_id: str, page: str, name: str, country: str, locale: str, *more: Question) -> StoredObject:
        return LeadForm(
            id=page_id,
            parent=page,
            name=name,
            questions=[*usual, *more],
            created_at=_CREATED_AT,
            country=country,
            locale=locale,
            privacy_policy=policy,
        )

    return [
        form(BAKERY_FORM, BAKERY, "Order a cake", "SE", "sv_SE", cake, words),
        form(AGENCY_FORM, AGENCY, "Ask for a quote", "DE", "de_DE"),
    ]


def _build_shop() -> Iterator[StoredObject]:
    name, email = "Lindqvist Bakery", "shop@bakery.example.com"
    yield Catalog(id=BAKERY_CATALOG, parent=ADA_BUSINESS, name="Bakery goods", kind="commerce", created_at=_CREATED_AT)
    yield Shop(id=BAKERY_SHOP, parent=ADA_BUSINESS, name=name, email=email, catalog=BAKERY_CATALOG, page=BAKERY)


def _build_roles() -> list[StoredObject]:
    ads = ["DRAFT", "ANALYZE", "ADVERTISE", "MANAGE"]
    params: list[tuple[str, str, list[str], bool]] = [
        (ADA, BAKERY, ALL_TASKS, True),
        (ADA, CATERING, ALL_TASKS, True),
        (ADA, JOBS, ALL_TASKS, True),
        (ADA, ADA_ADS, ads, True),
        (BRAM, AGENCY, ALL_TASKS, True),
        (BRAM, CLIENT, ["ADVERTISE", "ANALYZE"], True),
        (BRAM, UNSELECTED_PAGE_ID, ALL_TASKS, False),
        (BRAM, AGENCY_ADS, ads, True),
        (BRAM, DISABLED_AD_ACCOUNT_ID, ads, True),
        (BRAM, CLIENT_ADS, ["ANALYZE", "ADVERTISE"], True),
    ]
    return [
        Role(id=f"{human}:{asset}", parent=human, asset=asset, tasks=tasks, ticked=ticked)
        for human, asset, tasks, ticked in params
    ]
