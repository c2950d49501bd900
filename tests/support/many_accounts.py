"""Simulated platforms with many accounts of every kind that publishes, each with a person or a Page of its own.

Whoever gives each post an account of its own can tell by any call whose post it is about.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime

import msgspec

from socialgate.contracts.platforms import Kind
from socialgate_sandbox.kit import Vendor, VendorContext
from socialgate_sandbox.vendors import google, meta, telegram, threads, tiktok
from socialgate_sandbox.vendors.google import state as google_state
from socialgate_sandbox.vendors.meta import stored_objects as meta_state
from socialgate_sandbox.vendors.telegram import state as telegram_state
from socialgate_sandbox.vendors.telegram.seed import FULL_RIGHTS
from socialgate_sandbox.vendors.threads.stored_objects import Profile
from socialgate_sandbox.vendors.tiktok.state import Creator

_FOUNDED = datetime(2021, 3, 14, 9, 26, 53, tzinfo=UTC)
# Of Meta, all Pages belong to one person.
META_PERSON = "122097438912009999"


class SimulatedAccount(msgspec.Struct, frozen=True):
    """An account of the crowd: `id` as its platform has it, `person` who signs in for it."""

    kind: Kind
    id: str
    person: str
    # Where a bot posts, and what it is connected with.
    channel: str = ""
    token: str = ""


def build_accounts(sizes: Mapping[Kind, int]) -> list[SimulatedAccount]:
    return [_MEMBERS[kind](number) for kind, size in sizes.items() for number in range(size)]


def vendors_with(members: Sequence[SimulatedAccount]) -> list[Vendor]:
    """Give the vendors, with these members beside the usual people."""
    return [
        _seeded(vendor, [member for member in members if member.kind in kinds])
        for vendor, kinds in (
            (meta.VENDOR, {Kind.FACEBOOK_PAGE, Kind.INSTAGRAM}),
            (threads.VENDOR, {Kind.THREADS}),
            (tiktok.VENDOR, {Kind.TIKTOK}),
            (google.VENDOR, {Kind.YOUTUBE, Kind.GOOGLE_BUSINESS}),
            (telegram.VENDOR, {Kind.TELEGRAM_BOT}),
        )
    ]


def _seeded(vendor: Vendor, members: Sequence[SimulatedAccount]) -> Vendor:
    def seed(context: VendorContext) -> None:
        vendor.seed(context)
        for number, member in enumerate(members):
            _SEEDS[member.kind](context, member, f"{member.kind} {number}")

    return replace(vendor, seed=seed)


def _bot(number: int) -> SimulatedAccount:
    bot = f"72{number:08}"
    return SimulatedAccount(Kind.TELEGRAM_BOT, bot, "ada", channel=f"-10030{number:08}", token=f"{bot}:AA{number:033}")


_MEMBERS = {
    Kind.FACEBOOK_PAGE: lambda number: SimulatedAccount(Kind.FACEBOOK_PAGE, f"1048577{number:08}", META_PERSON),
    Kind.INSTAGRAM: lambda number: SimulatedAccount(Kind.INSTAGRAM, f"178415{number:011}", META_PERSON),
    Kind.THREADS: lambda number: SimulatedAccount(Kind.THREADS, f"2417891{number:010}", f"2417891{number:010}"),
    Kind.TIKTOK: lambda number: SimulatedAccount(Kind.TIKTOK, f"_000Crowd{number:027}", f"_000Crowd{number:027}"),
    Kind.YOUTUBE: lambda number: SimulatedAccount(Kind.YOUTUBE, f"UCCrowd{number:017}", f"1046298{number:014}"),
    Kind.GOOGLE_BUSINESS: lambda number: SimulatedAccount(
        Kind.GOOGLE_BUSINESS, f"1628{number:016}", f"1046299{number:014}"
    ),
    Kind.TELEGRAM_BOT: _bot,
}


def _page(context: VendorContext, page: str, name: str) -> None:
    person = meta_state.Human(id=META_PERSON, name="Crowd", email="crowd@example.com")
    context.store.put(person)
    created_page = meta_state.Page(
        id=page,
        name=name,
        username=f"page{page}",
        category="Bakery",
        category_id="128673187201735",
        created_at=_FOUNDED,
    )
    context.store.put(created_page)
    role = meta_state.Role(id=f"{META_PERSON}:{page}", parent=META_PERSON, asset=page, tasks=meta_state.ALL_TASKS)
    context.store.put(role)


def _facebook(context: VendorContext, member: SimulatedAccount, name: str) -> None:
    _page(context, member.id, name)


def _instagram(context: VendorContext, member: SimulatedAccount, name: str) -> None:
    page = f"1048578{member.id[-8:]}"
    _page(context, page, name)
    context.store.put(meta_state.Instagram(id=member.id, parent=page, username=f"ig{member.id}", name=name))


def _threads(context: VendorContext, member: SimulatedAccount, name: str) -> None:
    context.store.put(Profile(id=member.id, username=f"crowd{member.id[-6:]}", name=name))


def _tiktok(context: VendorContext, member: SimulatedAccount, name: str) -> None:
    creator = Creator(
        id=member.id, union_id=f"union-{member.id}", username=f"crowd{member.id[-6:]}", name=name, bio="", about=""
    )
    context.store.put(creator)


def _google_user(context: VendorContext, member: SimulatedAccount, name: str) -> None:
    user = google_state.GoogleUser(
        id=member.person, name=name, given_name=name, family_name="", email=f"{member.person}@example.com", about=""
    )
    context.store.put(user)


def _youtube(context: VendorContext, member: SimulatedAccount, name: str) -> None:
    _google_user(context, member, name)
    channel = google_state.YouTubeChannel(
        id=member.id,
        parent=member.person,
        title=name,
        description="",
        handle=f"@{member.id}",
        country="SE",
        created_at=_FOUNDED,
        views=0,
        subscribers=0,
    )
    context.store.put(channel)


def _business(context: VendorContext, member: SimulatedAccount, name: str) -> None:
    _google_user(context, member, name)
    account = f"2{member.person}"
    context.store.put(
        google_state.BusinessAccount(
            id=account, title=name, type="PERSONAL", verification="UNVERIFIED", number=account[-10:]
        )
    )
    context.store.put(
        google_state.BusinessMember(
            id=f"{member.person} {account}", parent=member.person, account=account, role="PRIMARY_OWNER"
        )
    )
    place = google_state.Location(
        id=member.id,
        parent=account,
        title=name,
        store_code=member.id[-6:],
        address=["Götgatan 1"],
        locality="Stockholm",
        postal_code="118 46",
        region="SE",
        phone="08-555 0000",
        website="https://bakery.example.com/",
        category="bakery",
        place_id=f"ChIJCrowd{member.id}",
        verified=True,
    )
    context.store.put(place)


def _telegram(context: VendorContext, member: SimulatedAccount, name: str) -> None:
    bot = telegram_state.Bot(
        id=member.id, parent="ada", secret=member.token.partition(":")[2], first_name=name, username=f"C{member.id}Bot"
    )
    context.store.put(bot)
    channel = telegram_state.Chat(id=member.channel, parent="ada", kind="channel", title=name)
    context.store.put(channel)
    telegram_state.set_member(context, channel.id, bot.id, "administrator", FULL_RIGHTS)


_SEEDS = {
    Kind.FACEBOOK_PAGE: _facebook,
    Kind.INSTAGRAM: _instagram,
    Kind.THREADS: _threads,
    Kind.TIKTOK: _tiktok,
    Kind.YOUTUBE: _youtube,
    Kind.GOOGLE_BUSINESS: _business,
    Kind.TELEGRAM_BOT: _telegram,
}
