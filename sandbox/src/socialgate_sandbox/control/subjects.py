"""The account that a page is about, and the tabs for its kind."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeVar
from urllib.parse import urlencode

from socialgate_sandbox.control import views
from socialgate_sandbox.kernel.kernel import Kernel
from socialgate_sandbox.kernel.vendor import Account, ActionRequest, ControlError, Vendor
from socialgate_sandbox.kernel.world import World

T = TypeVar("T")


class Subject(NamedTuple):
    vendor: Vendor
    world: World
    account: Account


class SubjectQuery(ActionRequest, frozen=True, kw_only=True):
    platform: str
    account: str


class Tab(NamedTuple):
    """A page of an account. `readers` lists the kinds of accounts that have it; without it, all do."""

    title: str
    path: str
    about: str
    readers: Callable[[Vendor], Mapping[str, Any]] | None = None


TABS = (
    Tab("Overview", "/_control/account", ""),
    Tab("Feed", "/_control/feed", "Posts as people see them. Comment on them.", lambda vendor: vendor.feeds),
    Tab("Chat", "/_control/chat", "Write messages as a person and read the replies.", lambda vendor: vendor.chats),
    Tab("Reviews", "/_control/reviews", "Rate the place as a customer.", lambda vendor: vendor.reviews),
    Tab("Lead forms", "/_control/leads", "Fill in a form like somebody who saw an ad.", lambda vendor: vendor.forms),
    Tab("Calendar", "/_control/calendar", "Respond to invitations as a guest.", lambda vendor: vendor.calendars),
    Tab("Ads", "/_control/ads", "Campaigns, ad sets and ads. Review the ads.", lambda vendor: vendor.adverts),
    Tab("Catalog", "/_control/catalog", "The products that were uploaded.", lambda vendor: vendor.catalogs),
    Tab("Numbers", "/_control/numbers", "Followers, views and other metrics by day.", lambda vendor: vendor.numbers),
    Tab("Calls", "/_control/calls", "API calls made with the tokens of this account."),
)


def subject_of(kernel: Kernel, platform: str, account: str) -> Subject:
    vendor = views.vendor_of(kernel, platform)
    world = kernel.worlds[vendor.name]
    found = next((one for one in vendor.accounts(world) if one.id == account), None)
    if found is None:
        raise ControlError(f"{vendor.title} has no account {account!r}. GET /_control/accounts lists them.")
    return Subject(vendor, world, found)


def reader_of(
    kernel: Kernel, query: SubjectQuery, what: str, readers: Callable[[Vendor], Mapping[str, T]]
) -> tuple[Subject, T]:
    """Find an account and the reader for this page. Rejects accounts of a kind that does not have it."""
    subject = subject_of(kernel, query.platform, query.account)
    reader = readers(subject.vendor).get(subject.account.kind)
    if reader is None:
        known = ", ".join(sorted(readers(subject.vendor))) or "none"
        raise ControlError(
            f"{query.account!r} has no {what} on {subject.vendor.title}. Kinds of accounts that have them: {known}."
        )
    return subject, reader


def tabs_of(subject: Subject) -> list[Tab]:
    vendor, kind = subject.vendor, subject.account.kind
    return [tab for tab in TABS if tab.readers is None or kind in tab.readers(vendor)]


def address_of(path: str, subject: Subject, **more: str) -> str:
    return f"{path}?{urlencode({'platform': subject.vendor.name, 'account': subject.account.id, **more})}"
