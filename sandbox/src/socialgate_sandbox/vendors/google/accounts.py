"""What can be connected at Google, as listed by the controls: channels, calendars and locations."""

from collections.abc import Sequence

from socialgate_sandbox.kit import Account, Call, ControlError, VendorContext
from socialgate_sandbox.kit.tokens import find_valid_token
from socialgate_sandbox.vendors.google.access import get_access_token
from socialgate_sandbox.vendors.google.state import (
    AccessToken,
    BusinessMember,
    Calendar,
    CalendarEntry,
    GoogleUser,
    Grant,
    Location,
    YouTubeChannel,
)


def list_accounts(context: VendorContext) -> Sequence[Account]:
    return [account for user in context.store.find(GoogleUser) for account in _build_accounts(context, user)]


def get_account_ids(call: Call) -> Sequence[str]:
    token = find_valid_token(call.context, AccessToken, get_access_token(call))
    return [token.parent, *_list_account_ids(call.context, token.parent)] if token else ()


def find_user(context: VendorContext, account_id: str) -> GoogleUser:
    """Find the owner of an account, given any of its ids or the user's email address."""
    for user in context.store.find(GoogleUser):
        if account_id in {user.id, user.email, *_list_account_ids(context, user.id)}:
            return user
    raise ControlError(f"Google has no account {account_id!r}. GET /_control/accounts lists them.")


def _build_accounts(context: VendorContext, user: GoogleUser) -> list[Account]:
    store = context.store
    connected = ["Socialgate"] if store.get(Grant, user.id) else []
    state = "disabled" if user.disabled else "active"
    accounts = [Account(kind="user", id=user.id, name=f"{user.name} ({user.email})", state=state, connected=connected)]
    for channel in store.find(YouTubeChannel, parent=user.id):
        word = "suspended" if channel.suspended else state
        accounts.append(Account(kind="channel", id=channel.id, name=channel.title, state=word, connected=connected))
    for entry in store.find(CalendarEntry, parent=user.id):
        calendar = store.get(Calendar, entry.calendar)
        if calendar and not entry.removed:
            name = f"{calendar.summary} ({entry.role})"
            accounts.append(Account(kind="calendar", id=calendar.id, name=name, state=state, connected=connected))
    for location in _list_locations(context, user.id):
        word = "active" if location.verified else "unverified"
        accounts.append(Account(kind="location", id=location.id, name=location.title, state=word, connected=connected))
    return accounts


def _list_account_ids(context: VendorContext, user: str) -> list[str]:
    channels = [channel.id for channel in context.store.find(YouTubeChannel, parent=user)]
    calendars = [entry.calendar for entry in context.store.find(CalendarEntry, parent=user) if not entry.removed]
    return [*channels, *calendars, *(location.id for location in _list_locations(context, user))]


def _list_locations(context: VendorContext, user: str) -> list[Location]:
    members = context.store.find(BusinessMember, parent=user)
    return [location for member in members for location in context.store.find(Location, parent=member.account)]
