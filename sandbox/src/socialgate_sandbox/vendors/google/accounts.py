"""What can be connected at Google, as listed by the controls: channels, calendars and locations."""

from collections.abc import Sequence

from socialgate_sandbox.kit import Account, Call, ControlError, World
from socialgate_sandbox.kit.tokens import live
from socialgate_sandbox.vendors.google.access import given_token
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


def list_accounts(world: World) -> Sequence[Account]:
    return [account for user in world.store.find(GoogleUser) for account in _accounts(world, user)]


def accounts_of(call: Call) -> Sequence[str]:
    token = live(call.world, AccessToken, given_token(call))
    return [token.parent, *_ids(call.world, token.parent)] if token else ()


def user_behind(world: World, account: str) -> GoogleUser:
    """Find the owner of an account, given any of its ids or the user's email address."""
    for user in world.store.find(GoogleUser):
        if account in {user.id, user.email, *_ids(world, user.id)}:
            return user
    raise ControlError(f"Google has no account {account!r}. GET /_control/accounts lists them.")


def _accounts(world: World, user: GoogleUser) -> list[Account]:
    store = world.store
    connected = ["Socialgate"] if store.get(Grant, user.id) else []
    state = "disabled" if user.disabled else "active"
    found = [Account(kind="user", id=user.id, name=f"{user.name} ({user.email})", state=state, connected=connected)]
    for channel in store.find(YouTubeChannel, parent=user.id):
        word = "suspended" if channel.suspended else state
        found.append(Account(kind="channel", id=channel.id, name=channel.title, state=word, connected=connected))
    for entry in store.find(CalendarEntry, parent=user.id):
        calendar = store.get(Calendar, entry.calendar)
        if calendar and not entry.removed:
            name = f"{calendar.summary} ({entry.role})"
            found.append(Account(kind="calendar", id=calendar.id, name=name, state=state, connected=connected))
    for location in _places(world, user.id):
        word = "active" if location.verified else "unverified"
        found.append(Account(kind="location", id=location.id, name=location.title, state=word, connected=connected))
    return found


def _ids(world: World, user: str) -> list[str]:
    channels = [channel.id for channel in world.store.find(YouTubeChannel, parent=user)]
    calendars = [entry.calendar for entry in world.store.find(CalendarEntry, parent=user) if not entry.removed]
    return [*channels, *calendars, *(location.id for location in _places(world, user))]


def _places(world: World, user: str) -> list[Location]:
    members = world.store.find(BusinessMember, parent=user)
    return [location for member in members for location in world.store.find(Location, parent=member.account)]
