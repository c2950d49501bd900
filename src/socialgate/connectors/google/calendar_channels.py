"""Channels through which Google notifies us of changes in a calendar."""

from contextlib import suppress
from datetime import UTC, datetime, timedelta
from functools import partial
from uuid import uuid4

from socialgate.connectors.google.api import GoogleApi
from socialgate.connectors.google.calendar import CALENDAR_API_URL
from socialgate.connectors.google.errors import GoogleProduct
from socialgate.connectors.google.manifest import MANIFEST
from socialgate.connectors.google.responses import NotificationChannel
from socialgate.contracts.account_connection import AccountCredentials, WebhookEndpoint, WebhookRegistration
from socialgate.contracts.failures import PlatformFailure, PlatformNotFoundError
from socialgate.contracts.platforms import Kind
from socialgate.core.clock import Clock

_WATCH_URL = f"{CALENDAR_API_URL}/calendars/primary/events/watch"
# Used if Google does not say: such channels have been observed to last a week.
_DEFAULT_CHANNEL_LIFETIME = timedelta(days=7)


class CalendarChannels:
    """Makes Google notify us when the primary calendar changes. A channel expires and cannot be extended: a new one is
    opened before that, and the old one is closed.
    """

    def __init__(self, api: GoogleApi, clock: Clock) -> None:
        self._open = partial(api.build_client_for_account, GoogleProduct.CALENDAR)
        self._clock = clock

    async def subscribe(self, credentials: AccountCredentials, callback: WebhookEndpoint) -> WebhookRegistration | None:
        if credentials.kind is not Kind.GOOGLE_CALENDAR or MANIFEST.get_kind_manifest(
            credentials.kind
        ).get_missing_scopes(credentials.grant.scopes):
            return None
        body = {"id": uuid4().hex, "type": "web_hook", "address": callback.url, "token": callback.secret}
        hidden = (callback.url, callback.secret)
        # A channel whose response was lost only sends duplicate notifications.
        channel = await self._open(credentials).post(
            _WATCH_URL, NotificationChannel, body, repeatable=True, secret_values=hidden
        )
        with suppress(PlatformFailure):
            await self.unsubscribe(credentials)
        ends = self._clock.now() + _DEFAULT_CHANNEL_LIFETIME
        if channel.expiration is not None:
            ends = datetime.fromtimestamp(channel.expiration / 1000, UTC)
        return WebhookRegistration(expires_at=ends, details={"id": channel.id, "resourceId": channel.resource_id})

    async def unsubscribe(self, credentials: AccountCredentials) -> None:
        """Close the known channel. One that no longer exists, or ended with the permission, counts as closed."""
        if not credentials.webhook_registration:
            return
        try:
            await self._open(credentials).post(
                f"{CALENDAR_API_URL}/channels/stop", object, credentials.webhook_registration, repeatable=True
            )
        except PlatformFailure as failure:
            if not isinstance(failure, PlatformNotFoundError) and failure.category != "auth_expired":
                raise
