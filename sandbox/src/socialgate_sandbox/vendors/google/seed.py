"""The first people of Google, and what they own."""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta

from socialgate_sandbox.kit import FOLLOWERS, OWNERS, StoredObject, VendorContext
from socialgate_sandbox.kit.seed import build_seed
from socialgate_sandbox.vendors.google.places.reviews import REVIEW_SERVICE
from socialgate_sandbox.vendors.google.state import (
    BusinessAccount,
    BusinessMember,
    Calendar,
    CalendarEntry,
    GoogleUser,
    Location,
    YouTubeChannel,
)

GOOGLE_USER_IDS = {
    "ada": "104629715538820641937",
    "bram": "117350942286401775208",
    "cleo": "108814306592277430615",
}
# A channel that belongs to no person has an account of its own, with an address that nobody reads.
SCHOOL_USER_ID = "111902847365510293846"
ADA_CHANNEL_ID = "UCAd4sB4keryStockh0lm7Qw"
BRAM_CHANNEL_ID = "UCBr4mOkaf0rMedi4Lag0s9x"
SCHOOL_CHANNEL_ID = "UCB4kingSch00lLindqv1st2"
ADA_BUSINESS_ID, ADA_GROUP_ID = "102938475610293847561", "110293847561029384756"
BRAM_BUSINESS_ID, BRAM_GROUP_ID = "113344556677889900112", "109988776655443322110"
CLEO_BUSINESS_ID = "115566778899001122334"
_HOLIDAYS_CALENDAR_ID = "en.swedish#holiday@group.v.calendar.google.com"
BAKERY_CALENDAR_ID = "c_7f2c1d9e5b8a4c0f6e3d2b1a9c8e7f6d@group.calendar.google.com"
_AGENCY_CALENDAR_ID = "c_0a1b2c3d4e5f60718293a4b5c6d7e8f9@group.calendar.google.com"
_STREETS = ("Götgatan", "Hornsgatan", "Sveavägen", "Odengatan", "Kungsgatan", "Drottninggatan")
_AGENCY_LOCATION_COUNT = 12
_BASE_LOCATION_ID = 15_283_746_510_293_847_000
# The channels of those who watch and comment. Nobody signs in with them.
VIEWER_CHANNEL_IDS = {
    "dario": "UCD4r1oWe1ssW4tchesBread",
    "elif": "UCEl1fY1lm4zB4kesAtH0me0",
    "finn": "UCF1nnOSull1v4nEatsBuns1",
}


def seed(context: VendorContext) -> None:
    _seed_owners(context)
    _seed_customers(context)


@build_seed
def _seed_owners(context: VendorContext) -> Iterator[StoredObject]:
    for person in OWNERS:
        value, _, family = person.name.partition(" ")
        yield GoogleUser(
            id=GOOGLE_USER_IDS[person.key],
            name=person.name,
            given_name=value,
            family_name=family,
            email=person.email,
            about=person.about,
        )
    yield GoogleUser(
        id=SCHOOL_USER_ID,
        name="Lindqvist Baking School",
        given_name="Lindqvist Baking School",
        family_name="",
        email="lindqvist-baking-school-4711@pages.plusgoogle.com",
        about="a brand account of Ada's, with a channel and nothing else",
        brand=True,
    )
    yield from _yield_channels()
    yield from _yield_calendars(context.clock.get_unix_time())
    yield from _yield_businesses()


def _yield_channels() -> Iterator[YouTubeChannel]:
    """Give everybody a channel except Cleo, who has never created one."""
    rows = (
        (ADA_CHANNEL_ID, GOOGLE_USER_IDS["ada"], "Ada's Bakery", "@adasbakery", "SE", 481_205, 12_873, "allowed"),
        (
            SCHOOL_CHANNEL_ID,
            SCHOOL_USER_ID,
            "Lindqvist Baking School",
            "@lindqvistbakingschool",
            "SE",
            9_120,
            341,
            "eligible",
        ),
        (BRAM_CHANNEL_ID, GOOGLE_USER_IDS["bram"], "Okafor Media", "@okaformedia", "NG", 1_204_556, 98_421, "allowed"),
    )
    for key, owner, title, handle, country, views, subscribers, long_uploads in rows:
        yield YouTubeChannel(
            id=key,
            parent=owner,
            title=title,
            description=f"The channel of {title}.",
            handle=handle,
            country=country,
            created_at=datetime(2021, 3, 14, 9, 26, 53, tzinfo=UTC),
            views=views,
            subscribers=subscribers,
            long_uploads=long_uploads,
        )


@build_seed
def _seed_customers(context: VendorContext) -> Iterator[StoredObject]:
    """Give Ada's followers a channel to comment with, and a review of her first location."""
    place = context.store.get(Location, str(_BASE_LOCATION_ID + 1))
    rows = (
        (
            5,
            "Best cardamom buns in town. Come before ten or they are gone.",
            40,
            "Thank you! We bake a second batch now.",
        ),
        (4, "", 21, ""),
        (2, "Lovely bread, but twenty minutes in line on a Saturday is too much.", 3, ""),
    )
    for person, (stars, message, days, reply) in zip(FOLLOWERS, rows, strict=True):
        yield YouTubeChannel(
            id=VIEWER_CHANNEL_IDS[person.key],
            title=person.name,
            description="",
            handle=f"@{person.key}",
            country="SE",
            created_at=datetime(2022, 5, 1, 12, tzinfo=UTC),
            views=0,
            subscribers=0,
        )
        if place is not None:
            review = REVIEW_SERVICE.write(context, place.id, person, stars, message, anonymous=not message)
            assert review is not None, "the first location is verified"
            review.created_at = review.changed = context.clock.now() - timedelta(days=days)
            review.reply, review.replied = reply, review.created_at + timedelta(days=1) if reply else None
            yield review


def _yield_calendars(now: float) -> Iterator[StoredObject]:
    for person in OWNERS:
        yield _build_calendar(person.email, person.email, "")
        yield _build_calendar_entry(now, person.key, person.email, "owner", primary=True)
    yield _build_calendar(BAKERY_CALENDAR_ID, "Bakery events", "Courses, tastings and the market")
    yield _build_calendar(_AGENCY_CALENDAR_ID, "Agency", "Who works for whom, and when")
    yield _build_calendar(_HOLIDAYS_CALENDAR_ID, "Holidays in Sweden", "Holidays and Observances in Sweden")
    yield _build_calendar_entry(now, "ada", BAKERY_CALENDAR_ID, "owner")
    yield _build_calendar_entry(now, "ada", _HOLIDAYS_CALENDAR_ID, "reader")
    yield _build_calendar_entry(now, "bram", _AGENCY_CALENDAR_ID, "owner")
    yield _build_calendar_entry(now, "bram", BAKERY_CALENDAR_ID, "writer")


def _build_calendar(resource_id: str, summary: str, description: str) -> Calendar:
    return Calendar(id=resource_id, summary=summary, description=description, time_zone="Europe/Stockholm")


def _build_calendar_entry(
    now: float, person_key: str, calendar: str, role: str, *, primary: bool = False
) -> CalendarEntry:
    user = GOOGLE_USER_IDS[person_key]
    colour = "#9fe1e7" if primary else "#fbe983"
    return CalendarEntry(
        id=f"{user} {calendar}",
        parent=user,
        calendar=calendar,
        role=role,
        primary=primary,
        colour=colour,
        changed=now,
    )


def _yield_businesses() -> Iterator[StoredObject]:
    """Give Ada two verified locations and one pending, Bram a group of many, and Cleo an account without any."""
    for person, key in zip(OWNERS, (ADA_BUSINESS_ID, BRAM_BUSINESS_ID, CLEO_BUSINESS_ID), strict=True):
        yield from _yield_business_account(key, person.name, "PERSONAL", {person.key: "PRIMARY_OWNER"})
    yield from _yield_business_account(
        ADA_GROUP_ID, "Ada's Bakery", "LOCATION_GROUP", {"ada": "PRIMARY_OWNER", "bram": "MANAGER"}
    )
    yield from _yield_business_account(BRAM_GROUP_ID, "Okafor's clients", "LOCATION_GROUP", {"bram": "PRIMARY_OWNER"})
    yield _build_location(ADA_GROUP_ID, 1, "Ada's Bakery Södermalm", verified=True)
    yield _build_location(ADA_GROUP_ID, 2, "Ada's Bakery Vasastan", verified=True)
    yield _build_location(ADA_GROUP_ID, 3, "Ada's Bakery Kista (opening soon)", verified=False)
    for number in range(1, _AGENCY_LOCATION_COUNT + 1):
        yield _build_location(BRAM_GROUP_ID, 100 + number, f"Client shop {number}", verified=True)


def _yield_business_account(
    resource_id: str, title: str, account_type: str, members: Mapping[str, str]
) -> Iterator[StoredObject]:
    yield BusinessAccount(
        id=resource_id, title=title, type=account_type, verification="UNVERIFIED", number=resource_id[-10:]
    )
    for person, role in members.items():
        user = GOOGLE_USER_IDS[person]
        yield BusinessMember(id=f"{user} {resource_id}", parent=user, account=resource_id, role=role)


def _build_location(account: str, number: int, title: str, *, verified: bool) -> Location:
    return Location(
        id=f"{_BASE_LOCATION_ID + number}",
        parent=account,
        title=title,
        store_code=f"SE-{number:03}",
        address=[f"{_STREETS[number % len(_STREETS)]} {number}"],
        locality="Stockholm",
        postal_code="118 46",
        region="SE",
        phone=f"08-555 0{number:03}",
        website="https://adas-bakery.example.com/",
        category="bakery",
        place_id=f"ChIJSandbox{number:016}",
        verified=verified,
    )
