"""The account that a page is about, and the tabs for its kind."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeVar
from urllib.parse import urlencode

from socialgate_sandbox.control import control_views
from socialgate_sandbox.kernel.sandbox import Sandbox
from socialgate_sandbox.kernel.vendor import Account, ActionRequest, ControlError, Vendor
from socialgate_sandbox.kernel.vendor_context import VendorContext

T = TypeVar("T")


class AccountContext(NamedTuple):
    vendor: Vendor
    context: VendorContext
    account: Account


class AccountQuery(ActionRequest, frozen=True, kw_only=True):
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
    Tab("Feed", "/_control/feed", "Posts as people see them. Comment on them.", lambda vendor: vendor.feed_readers),
    Tab(
        "Chat", "/_control/chat", "Write messages as a person and read the replies.", lambda vendor: vendor.chat_readers
    ),
    Tab("Reviews", "/_control/reviews", "Rate the place as a customer.", lambda vendor: vendor.review_readers),
    Tab(
        "Lead forms",
        "/_control/leads",
        "Fill in a form like somebody who saw an ad.",
        lambda vendor: vendor.form_readers,
    ),
    Tab("Calendar", "/_control/calendar", "Respond to invitations as a guest.", lambda vendor: vendor.calendar_readers),
    Tab("Ads", "/_control/ads", "Campaigns, ad sets and ads. Review the ads.", lambda vendor: vendor.ad_readers),
    Tab("Catalog", "/_control/catalog", "The products that were uploaded.", lambda vendor: vendor.catalog_readers),
    Tab(
        "Numbers",
        "/_control/numbers",
        "Followers, views and other metrics by day.",
        lambda vendor: vendor.metrics_readers,
    ),
    Tab("Calls", "/_control/calls", "API calls made with the tokens of this account."),
)


def find_account(sandbox: Sandbox, platform: str, account: str) -> AccountContext:
    vendor = control_views.get_vendor(sandbox, platform)
    world = sandbox.contexts[vendor.name]
    accounts = vendor.accounts(world)
    existing_account = next((current_account for current_account in accounts if current_account.id == account), None)
    if existing_account is None:
        # Several may have had the same public id: the newest is meant.
        known = (item for item in reversed(accounts) if vendor.get_public_id(world, item) == account)
        existing_account = next(known, None)
    if existing_account is None:
        raise ControlError(f"{vendor.title} has no account {account!r}. GET /_control/accounts lists them.")
    return AccountContext(vendor, world, existing_account)


def find_account_reader(
    sandbox: Sandbox, query: AccountQuery, noun: str, get_readers: Callable[[Vendor], Mapping[str, T]]
) -> tuple[AccountContext, T]:
    """Find an account and the reader for this page. Rejects accounts of a kind that does not have it."""
    subject = find_account(sandbox, query.platform, query.account)
    reader = get_readers(subject.vendor).get(subject.account.kind)
    if reader is None:
        known = ", ".join(sorted(get_readers(subject.vendor))) or "none"
        raise ControlError(
            f"{query.account!r} has no {noun} on {subject.vendor.title}. Kinds of accounts that have them: {known}."
        )
    return subject, reader


def list_tabs(account_context: AccountContext) -> list[Tab]:
    vendor, kind = account_context.vendor, account_context.account.kind
    return [tab for tab in TABS if tab.readers is None or kind in tab.readers(vendor)]


def address_of(path: str, account_context: AccountContext, **extra_params: str) -> str:
    params = {"platform": account_context.vendor.name, "account": account_context.account.id, **extra_params}
    return f"{path}?{urlencode(params)}"
