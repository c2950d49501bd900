"""The first people of Google, and what they own."""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta

from socialgate_sandbox.kit import FOLLOWERS, OWNERS, Thing, World
from socialgate_sandbox.kit.seeding import seeded
from socialgate_sandbox.vendors.google.places.reviews import DESK
from socialgate_sandbox.vendors.google.state import (
    BusinessAccount,
    BusinessMember,
    Calendar,
    CalendarEntry,
    GoogleUser,
    Location,
    YouTubeChannel,
)

USERS = {
    "ada": "104629715538820641937",
    "bram": "117350942286401775208",
    "cleo": "108814306592277430615",
}
# A channel that belongs to no person has an account of its own, with an address that nobody reads.
SCHOOL = "111902847365510293846"
ADA_CHANNEL = "UCAd4sB4keryStockh0lm7Qw"
BRAM_CHANNEL = "UCBr4mOkaf0rMedi4Lag0s9x"
SCHOOL_CHANNEL = "UCB4kingSch00lLindqv1st2"
ADA_BUSINESS, ADA_GROUP = "102938475610293847561", "110293847561029384756"
BRAM_BUSINESS, BRAM_GROUP = "113344556677889900112", "109988776655443322110"
CLEO_BUSINESS = "115566778899001122334"
_HOLIDAYS = "en.swedish#holiday@group.v.calendar.google.com"
BAKERY_CALENDAR = "c_7f2c1d9e5b8a4c0f6e3d2b1a9c8e7f6d@group.calendar.google.com"
_AGENCY_CALENDAR = "c_0a1b2c3d4e5f60718293a4b5c6d7e8f9@group.calendar.google.com"
_STREETS = ("Götgatan", "Hornsgatan", "Sveavägen", "Odengatan", "Kungsgatan", "Drottninggatan")
_AGENCY_PLACES = 12
_FIRST_PLACE = 15_283_746_510_293_847_000
# The channels of those who watch and comment. Nobody signs in with them.
VIEWERS = {"dario": "UCD4r1oWe1ssW4tchesBread", "elif": "UCEl1fY1lm4zB4kesAtH0me0", "finn": "UCF1nnOSull1v4nEatsBuns1"}


def seed(world: World) -> None:
    _owners(world)
    _customers(world)


@seeded
def _owners(world: World) -> Iterator[Thing]:
    for person in OWNERS:
        given, _, family = person.name.partition(" ")
        yield GoogleUser(
            id=USERS[person.key],
            name=person.name,
            given_name=given,
            family_name=family,
            email=person.email,
            about=person.about,
        )
    yield GoogleUser(
        id=SCHOOL,
        name="Lindqvist Baking School",
        given_name="Lindqvist Baking School",
        family_name="",
        email="lindqvist-baking-school-4711@pages.plusgoogle.com",
        about="a brand account of Ada's, with a channel and nothing else",
        brand=True,
    )
    yield from _channels()
    yield from _calendars(world.clock.time())
    yield from _businesses()


def _channels() -> Iterator[YouTubeChannel]:
    """Give everybody a channel except Cleo, who has never created one."""
    rows = (
        (ADA_CHANNEL, USERS["ada"], "Ada's Bakery", "@adasbakery", "SE", 481_205, 12_873, "allowed"),
        (SCHOOL_CHANNEL, SCHOOL, "Lindqvist Baking School", "@lindqvistbakingschool", "SE", 9_120, 341, "eligible"),
        (BRAM_CHANNEL, USERS["bram"], "Okafor Media", "@okaformedia", "NG", 1_204_556, 98_421, "allowed"),
    )
    for key, owner, title, handle, country, views, subscribers, long_uploads in rows:
        yield YouTubeChannel(
            id=key,
            parent=owner,
            title=title,
            description=f"The channel of {title}.",
            handle=handle,
            country=country,
            made=datetime(2021, 3, 14, 9, 26, 53, tzinfo=UTC),
            views=views,
            subscribers=subscribers,
            long_uploads=long_uploads,
        )


@seeded
def _customers(world: World) -> Iterator[Thing]:
    """Give Ada's followers a channel to comment with, and a review of her first location."""
    place = world.store.get(Location, str(_FIRST_PLACE + 1))
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
    for person, (stars, said, days, reply) in zip(FOLLOWERS, rows, strict=True):
        yield YouTubeChannel(
            id=VIEWERS[person.key],
            title=person.name,
            description="",
            handle=f"@{person.key}",
            country="SE",
            made=datetime(2022, 5, 1, 12, tzinfo=UTC),
            views=0,
            subscribers=0,
        )
        if place is not None:
            review = DESK.write(world, place.id, person, stars, said, anonymous=not said)
            assert review is not None, "the first location is verified"
            review.made = review.changed = world.clock.now() - timedelta(days=days)
            review.reply, review.replied = reply, review.made + timedelta(days=1) if reply else None
            yield review


def _calendars(now: float) -> Iterator[Thing]:
    for person in OWNERS:
        yield _calendar(person.email, person.email, "")
        yield _entry(now, person.key, person.email, "owner", primary=True)
    yield _calendar(BAKERY_CALENDAR, "Bakery events", "Courses, tastings and the market")
    yield _calendar(_AGENCY_CALENDAR, "Agency", "Who works for whom, and when")
    yield _calendar(_HOLIDAYS, "Holidays in Sweden", "Holidays and Observances in Sweden")
    yield _entry(now, "ada", BAKERY_CALENDAR, "owner")
    yield _entry(now, "ada", _HOLIDAYS, "reader")
    yield _entry(now, "bram", _AGENCY_CALENDAR, "owner")
    yield _entry(now, "bram", BAKERY_CALENDAR, "writer")


def _calendar(key: str, summary: str, description: str) -> Calendar:
    return Calendar(id=key, summary=summary, description=description, time_zone="Europe/Stockholm")


def _entry(now: float, person: str, calendar: str, role: str, *, primary: bool = False) -> CalendarEntry:
    user = USERS[person]
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


def _businesses() -> Iterator[Thing]:
    """Give Ada two verified locations and one pending, Bram a group of many, and Cleo an account without any."""
    for person, key in zip(OWNERS, (ADA_BUSINESS, BRAM_BUSINESS, CLEO_BUSINESS), strict=True):
        yield from _account(key, person.name, "PERSONAL", {person.key: "PRIMARY_OWNER"})
    yield from _account(ADA_GROUP, "Ada's Bakery", "LOCATION_GROUP", {"ada": "PRIMARY_OWNER", "bram": "MANAGER"})
    yield from _account(BRAM_GROUP, "Okafor's clients", "LOCATION_GROUP", {"bram": "PRIMARY_OWNER"})
    yield _place(ADA_GROUP, 1, "Ada's Bakery Södermalm", verified=True)
    yield _place(ADA_GROUP, 2, "Ada's Bakery Vasastan", verified=True)
    yield _place(ADA_GROUP, 3, "Ada's Bakery Kista (opening soon)", verified=False)
    for number in range(1, _AGENCY_PLACES + 1):
        yield _place(BRAM_GROUP, 100 + number, f"Client shop {number}", verified=True)


def _account(key: str, title: str, kind: str, members: Mapping[str, str]) -> Iterator[Thing]:
    yield BusinessAccount(id=key, title=title, type=kind, verification="UNVERIFIED", number=key[-10:])
    for person, role in members.items():
        user = USERS[person]
        yield BusinessMember(id=f"{user} {key}", parent=user, account=key, role=role)


def _place(account: str, number: int, title: str, *, verified: bool) -> Location:
    return Location(
        id=f"{_FIRST_PLACE + number}",
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
