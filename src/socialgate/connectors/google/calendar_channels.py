"""Channels through which Google notifies us of changes in a calendar."""

from contextlib import suppress
from datetime import UTC, datetime, timedelta
from functools import partial
from uuid import uuid4

from socialgate.connectors.google.calendar import CALENDAR
from socialgate.connectors.google.errors import Product
from socialgate.connectors.google.manifest import MANIFEST
from socialgate.connectors.google.shapes import Channel
from socialgate.connectors.google.wire import GoogleApi
from socialgate.contracts.connecting import AccountCredentials, Callback, Registration
from socialgate.contracts.failures import PlatformFailure, PlatformNotFound
from socialgate.contracts.platforms import Kind
from socialgate.core.clock import Clock

_WATCH = f"{CALENDAR}/calendars/primary/events/watch"
# Used if Google does not say: such channels have been observed to last a week.
_USUAL_LIFE = timedelta(days=7)


class CalendarChannels:
    """Makes Google notify us when the primary calendar changes. A channel expires and cannot be extended: a new one is
    opened before that, and the old one is closed.
    """

    def __init__(self, api: GoogleApi, clock: Clock) -> None:
        self._open = partial(api.for_account, Product.CALENDAR)
        self._clock = clock

    async def subscribe(self, held: AccountCredentials, callback: Callback) -> Registration | None:
        if held.kind is not Kind.GOOGLE_CALENDAR or MANIFEST.of(held.kind).missing(held.grant.scopes):
            return None
        body = {"id": uuid4().hex, "type": "web_hook", "address": callback.url, "token": callback.secret}
        hidden = (callback.url, callback.secret)
        # A channel whose response was lost only sends duplicate notifications.
        made = await self._open(held).post(_WATCH, Channel, body, repeatable=True, hidden=hidden)
        with suppress(PlatformFailure):
            await self.unsubscribe(held)
        ends = self._clock.now() + _USUAL_LIFE
        if made.expiration is not None:
            ends = datetime.fromtimestamp(made.expiration / 1000, UTC)
        return Registration(expires_at=ends, details={"id": made.id, "resourceId": made.resource_id})

    async def unsubscribe(self, held: AccountCredentials) -> None:
        """Close the known channel. One that no longer exists, or ended with the permission, counts as closed."""
        if not held.registration:
            return
        try:
            await self._open(held).post(f"{CALENDAR}/channels/stop", object, held.registration, repeatable=True)
        except PlatformFailure as failure:
            if not isinstance(failure, PlatformNotFound) and failure.category != "auth_expired":
                raise
